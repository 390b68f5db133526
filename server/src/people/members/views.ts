import type { app } from '@postrider/contract'
import type { ListedMember } from './member-store.ts'
import type { Workspace } from './workspace-store.ts'

/** A workspace as its members see it. */
export function viewWorkspace({ createdAt, ...workspace }: Workspace): app.WorkspaceView {
  return { ...workspace, createdAt: createdAt.toISOString() }
}

export function viewMember({ createdAt, ...member }: ListedMember): app.MemberView {
  return { ...member, createdAt: createdAt.toISOString() }
}
