import { countApprovedPosts } from '../../../people/keys/credential-day-store.ts'
import type { Actor } from '../../../edge/operations/actor.ts'
import { asksForAnything, needsApproval } from '../../../edge/operations/approval-policy.ts'
import type { Sql } from '../../../platform/postgres/db.ts'

/** What an actor would have published: when, and whether anything of it is new to the people of the workspace. */
export type Publication = { readonly times: readonly (Date | string | null)[]; readonly isNew: boolean }

/**
 * Whether the policies of the workspace and of the credential have a person look at it first. Approved posts are counted only
 * where the answer hangs on them.
 */
export async function waitsForApproval(
  sql: Sql,
  workspaceId: string,
  { approval, credentialId }: Pick<Actor, 'approval' | 'credentialId'>,
  { times, isNew }: Publication,
  now: Date,
): Promise<boolean> {
  if (credentialId === null || !asksForAnything(approval)) return false
  const given = times.flatMap((time) => (time === null ? [] : [new Date(time)]))
  const waits = (approvedPosts: number) =>
    needsApproval(approval, { times: given, isNew, approvedPosts }, now)
  const { firstPosts } = approval
  if (firstPosts === null || waits(0) === waits(firstPosts)) return waits(0)
  return waits(await countApprovedPosts(sql, workspaceId, credentialId, firstPosts))
}
