import { keysOfPerson, revokeKey, revokeKeysOfMember } from '../people/keys/key-store.ts'
import { grantsOfPerson, revokeGrant, revokeGrantsOfMember } from '../people/apps/app-grant-store.ts'
import type { ActDetails, RecordAct } from '../edge/operations/act.ts'
import type { Author } from '../edge/operations/actor.ts'
import type { Tx } from '../platform/postgres/db.ts'
import { personalAct } from '../people/sign-in/personal-act.ts'
import type { PeopleParts } from '../people/sign-in/sign-in.ts'
import { type CancelledPlans, cancelPlanned } from '../content/posts/plan/planned-store.ts'
import { lockSeriesOf, planAgainOf } from '../content/series/series-store.ts'

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
  return revoked === null ? null : { ...revoked, ...(await cancelPlans(tx, workspaceId, keyId, author)) }
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
  return { name, revokedAt, ...(await cancelPlans(tx, workspaceId, grantId, author)) }
}

/** Its series pause, and what they had made is to be made again once somebody resumes them. */
async function cancelPlans(
  tx: Tx,
  workspaceId: string,
  credentialId: string,
  author: Author,
): Promise<CancelledPlans> {
  await lockSeriesOf(tx, workspaceId, credentialId)
  const cancelled = await cancelPlanned(tx, workspaceId, credentialId, author)
  await planAgainOf(tx, workspaceId, credentialId, cancelled.postIds)
  return cancelled
}

/** Ends what acts in the name of a member: their connected apps and agent keys. Says how many keys worked. */
export async function endCredentials(tx: Tx, workspaceId: string, memberId: string): Promise<number> {
  await revokeGrantsOfMember(tx, workspaceId, memberId)
  return revokeKeysOfMember(tx, workspaceId, memberId)
}

/**
 * Stops every agent key and connected app that acts in a person's name, in all workspaces, and gives what they are called. What the
 * audit log says of each names the person as the one who did it.
 */
export function credentialStopper(recordAct: RecordAct): PeopleParts['stopCredentials'] {
  return async (tx, person, client) => {
    const author = { type: 'person', name: person.name } as const
    async function stopAll(action: 'stopKey' | 'stopApp', credentials: readonly Credential[]) {
      const [stop, idName] = action === 'stopKey' ? [stopKey, 'keyId'] : [stopApp, 'grantId']
      const names: string[] = []
      for (const { workspaceId, id } of credentials) {
        const stopped = await stop(tx, workspaceId, id, author)
        if (stopped === null) continue
        names.push(stopped.name)
        const details = { subject: { [idName]: id }, ...stopDetails(stopped) }
        await recordAct(tx, { ...personalAct(person, client, action, details), workspaceId })
      }
      return names
    }
    const [keys, apps] = await Promise.all([
      keysOfPerson(tx, person.personId),
      grantsOfPerson(tx, person.personId),
    ])
    return { keys: await stopAll('stopKey', keys), apps: await stopAll('stopApp', apps) }
  }
}

type Credential = { readonly workspaceId: string; readonly id: string }

/** What the audit log is to say of it. */
export function stopDetails({ name, revokedAt, cancelled, underWay, postIds }: Stopped): ActDetails {
  return { after: { name, revokedAt: revokedAt.toISOString(), cancelled, underWay, postIds } }
}
