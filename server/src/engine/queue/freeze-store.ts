import type { Tx } from '../../platform/postgres/db.ts'

/* Drafts of a workspace that is frozen: another installation may be about to show them. */

/** Has nothing removed that posts have left unseen at their networks. */
export async function keepDrafts(tx: Tx, workspaceId: string): Promise<void> {
  await tx`
    update network_draft set look_at = 'infinity' where workspace_id = ${workspaceId} and outcome is null`
}

export async function resumeDrafts(tx: Tx, workspaceId: string): Promise<void> {
  await tx`
    update network_draft set look_at = now() where workspace_id = ${workspaceId} and look_at = 'infinity'`
}
