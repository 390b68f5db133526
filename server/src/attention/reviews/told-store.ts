import type { Sql, Tx } from '../../platform/postgres/db.ts'

/** Requests that are told of within that time are one mail. */
const QUIET_MINUTES = 15
/** What comes at the same time is one mail. */
const GATHER_SECONDS = 20
/** So many mails a day for what one credential asks, to one person; after that its requests wait longer. */
const CREDENTIAL_MAILS = 12
const LATE_MINUTES = 120

/** One who may decide in a workspace. */
type Approver = { readonly workspaceId: string; readonly personId: string }

/** Who of these was not told of all open requests, and in how many seconds they are to be mailed. */
export async function approversToTell(
  sql: Sql,
  workspaceId: string,
  personIds: readonly string[],
): Promise<{ personId: string; inSeconds: number; openHours: number }[]> {
  return sql<{ personId: string; inSeconds: number; openHours: number }[]>`
    select personal.id as "personId", max(extract(epoch from untold.expires_at - now()))::float8 / 3600 as "openHours",
           greatest(${GATHER_SECONDS}::int, ceil(min(untold.wait_minutes) * 60 - extract(epoch from now() - last.told_at)))::int
             as "inSeconds"
    from   unnest(${[...personIds]}::uuid[]) as personal (id)
    left   join lateral (
      select told_at from approval_told
      where  workspace_id = ${workspaceId} and person_id = personal.id
      order  by told_at desc
      limit  1) last on true
    cross  join lateral (
      select case when asked.mails >= ${CREDENTIAL_MAILS}::int then ${LATE_MINUTES}::int else ${QUIET_MINUTES}::int end as wait_minutes, a.expires_at
      from   approval a
      join   post p on p.workspace_id = a.workspace_id and p.id = a.post_id
      left   join (
        select po.created_by_id, count(distinct t.mail_id) as mails
        from   approval_told t
        join   approval o on o.workspace_id = t.workspace_id and o.id = t.approval_id
        join   post po on po.workspace_id = o.workspace_id and po.id = o.post_id
        where  t.workspace_id = ${workspaceId} and t.person_id = personal.id and t.told_at > now() - interval '1 day'
        group  by po.created_by_id) asked on asked.created_by_id is not distinct from p.created_by_id
      where  a.workspace_id = ${workspaceId} and a.status = 'pending' and a.expires_at > now()
      and    not exists (
        select from approval_told t
        where  t.workspace_id = a.workspace_id and t.approval_id = a.id and t.person_id = personal.id)) untold
    group  by personal.id, last.told_at`
}

/** An open request, as a mail tells of it. */
export type OpenRequest = {
  readonly approvalId: string
  readonly postId: string
  readonly workspaceName: string
  readonly timeZone: string
  readonly expiresAt: Date
}

/**
 * Notes that a mail tells a person of all open requests that no other mail told them of. Gives how many these are, and the first to end.
 * Repeated for the same mail, it tells of what is open by then.
 */
export async function tellOpen(
  tx: Tx,
  { workspaceId, personId }: Approver,
  mailId: string,
  atMost: number,
): Promise<{ count: number; first: OpenRequest[] }> {
  await tx`
    delete from approval_told where workspace_id = ${workspaceId} and person_id = ${personId} and mail_id = ${mailId}`
  const told = await tx<{ id: string }[]>`
    insert into approval_told (workspace_id, approval_id, person_id, mail_id)
    select a.workspace_id, a.id, ${personId}, ${mailId}
    from   approval a
    where  a.workspace_id = ${workspaceId} and a.status = 'pending' and a.expires_at > now()
    on     conflict do nothing
    returning approval_id as id`
  const first = await tx<OpenRequest[]>`
    select a.id as "approvalId", a.post_id as "postId", w.name as "workspaceName", w.time_zone as "timeZone",
           a.expires_at as "expiresAt"
    from   approval a
    join   workspace w on w.id = a.workspace_id
    where  a.workspace_id = ${workspaceId} and a.id = any(${told.map(({ id }) => id)}::uuid[])
    order  by a.expires_at, a.seq
    limit  ${atMost}`
  return { count: told.length, first }
}
