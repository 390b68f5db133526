import type { app, Me } from '@postrider/contract'
import type { Caller } from '../platform/route.ts'
import type { Providers } from '../providers/port.ts'
import type { AgentKey } from './key-store.ts'
import type { ListedMember } from './member-store.ts'
import type { Workspace } from './workspace-store.ts'

/** The caller as the API shows it. */
export function viewMe({ credential, member }: Caller, workspace: Workspace, providers: Providers): Me {
  if (credential.type === 'person') throw new Error('The Agent API knows credentials, and not people.')
  return {
    workspace: { id: workspace.workspaceId, name: workspace.name, timeZone: workspace.timeZone },
    credential: {
      type: credential.type,
      name: credential.name,
      permissions: [...credential.permissions],
      expiresAt: credential.expiresAt?.toISOString() ?? null,
    },
    user: { id: member.id, name: member.name, email: member.email },
    providers: [...providers.values()].map(({ provider, displayName, limits, supports, settings }) => ({
      provider,
      displayName,
      maxCharacters: limits.maxCharacters,
      characterCounting: limits.characterCounting,
      supports: { ...supports },
      settings: { ...settings },
    })),
  }
}

/** A workspace as its members see it. */
export function viewWorkspace({ createdAt, ...workspace }: Workspace): app.WorkspaceView {
  return { ...workspace, createdAt: createdAt.toISOString() }
}

export function viewMember({ createdAt, ...member }: ListedMember): app.MemberView {
  return { ...member, createdAt: createdAt.toISOString() }
}

/** An agent key as those who manage keys see it. */
export function viewKey(key: AgentKey): app.KeyView {
  const { keyId, name, hint, permissions, owner } = key
  return {
    keyId,
    name,
    hint,
    permissions,
    owner,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    createdAt: key.createdAt.toISOString(),
  }
}
