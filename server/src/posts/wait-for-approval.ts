import { countApprovedPosts } from '../identity/credential-day-store.ts'
import type { Actor } from '../platform/actor.ts'
import { asksForAnything, needsApproval } from '../platform/approval-policy.ts'
import type { Sql } from '../platform/db.ts'

/** What an actor would have published: when, and whether anything of it is new to the people of the workspace. */
export type Publication = { readonly times: readonly (Date | string | null)[]; readonly isNew: boolean }

/** Whether the policies of the workspace and of the credential have a person look at it first. */
export async function waitsForApproval(
  sql: Sql,
  workspaceId: string,
  { approval, credentialId }: Pick<Actor, 'approval' | 'credentialId'>,
  { times, isNew }: Publication,
  now: Date,
): Promise<boolean> {
  if (credentialId === null || !asksForAnything(approval)) return false
  const counts = isNew && approval.firstPosts !== null
  const planned = {
    times: times.flatMap((time) => (time === null ? [] : [new Date(time)])),
    isNew,
    approvedPosts: counts ? await countApprovedPosts(sql, workspaceId, credentialId) : 0,
  }
  return needsApproval(approval, planned, now)
}
