import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { dayOf } from '../../platform/text/time-zone.ts'

/** What a key or a grant has done today, by the clocks of its workspace. */
export type CredentialDay = {
  readonly now: Date
  readonly endsAt: Date
  /** How many posts it has created, whatever became of them. */
  readonly posts: number
}

export async function readCredentialDay(
  sql: Sql,
  workspaceId: string,
  credentialId: string,
): Promise<CredentialDay> {
  const [clock] = await sql<{ now: Date; timeZone: string }[]>`
    select clock_timestamp() as now, time_zone as "timeZone" from workspace where id = ${workspaceId}`
  if (clock === undefined) throw new Error('The workspace of a credential is missing.')
  const { begins, ends } = dayOf(clock.now, clock.timeZone)
  const [counted] = await sql<{ posts: number }[]>`
    select count(*)::int as posts from post
    where  workspace_id = ${workspaceId} and created_by_id = ${credentialId} and created_at >= ${begins}`
  return { now: clock.now, endsAt: ends, posts: counted?.posts ?? 0 }
}

/**
 * How many posts of a credential people have approved, counted up to `most`: the latest first, since the first ones are from
 * before there was a policy. The offset has approvals looked up for each post, so that no plan joins all of them to all.
 */
export async function countApprovedPosts(
  sql: Sql,
  workspaceId: string,
  credentialId: string,
  most: number,
): Promise<number> {
  const [counted] = await sql<{ posts: number }[]>`
    select count(*)::int as posts
    from   (
      select from post p
      where  p.workspace_id = ${workspaceId} and p.created_by_id = ${credentialId} and exists (
        select from approval a
        where  a.workspace_id = p.workspace_id and a.post_id = p.id and a.status = 'approved'
        offset 0)
      order  by p.created_at desc
      limit  ${most}) approved`
  return counted?.posts ?? 0
}

/** Keeps other creates of the credential waiting until the transaction ends, so that none of them is counted too late. */
export async function lockCreates(tx: Tx, credentialId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`creates ${credentialId}`}, 0))`
}
