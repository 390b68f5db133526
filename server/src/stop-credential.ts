import { revokeKey } from './keys/key-store.ts'
import { revokeGrant } from './apps/app-grant-store.ts'
import type { ActDetails } from './operations/act.ts'
import type { Author } from './operations/actor.ts'
import type { Tx } from './platform/db.ts'
import { type CancelledPlans, cancelPlanned } from './posts/planned-store.ts'

export type Stopped = CancelledPlans & { readonly name: string; readonly revokedAt: Date }

/**
 * Revokes an agent key and cancels what it has planned, both or neither. A write of it that is under way is waited for, and
 * what it wrote is cancelled, too. Null when the workspace has no such key; repeating it is harmless.
 */
export async function stopKey(
  tx: Tx,
  workspaceId: string,
  keyId: string,
  author: Author,
): Promise<Stopped | null> {
  const revoked = await revokeKey(tx, workspaceId, keyId)
  return revoked === null ? null : { ...revoked, ...(await cancelPlanned(tx, workspaceId, keyId, author)) }
}

/** The same of a connected app. */
export async function stopApp(
  tx: Tx,
  workspaceId: string,
  grantId: string,
  author: Author,
): Promise<Stopped | null> {
  const revoked = await revokeGrant(tx, workspaceId, grantId)
  if (revoked === null) return null
  const { clientName: name, revokedAt } = revoked
  return { name, revokedAt, ...(await cancelPlanned(tx, workspaceId, grantId, author)) }
}

/** What the audit log is to say of it. */
export function stopDetails({ name, revokedAt, cancelled, underWay, postIds }: Stopped): ActDetails {
  return { after: { name, revokedAt: revokedAt.toISOString(), cancelled, underWay, postIds } }
}
