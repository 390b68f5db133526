import type { Db, Sql } from '../../platform/postgres/db.ts'
import type { DraftName } from '../../networks/providers/port/port.ts'
import { uploadForgotten } from '../destinations/queue-moves.ts'
import type { EngineStore, Leftover, LeftoverEnd } from './work.ts'
import { type ClaimOptions, subjectColumns, subjectOf, type SubjectRow } from './work-store.ts'

/** What was made stays noted where the lease is lost: whoever has it now may have made something else. */
export async function noteDrafts(
  sql: Sql,
  { workspaceId, destinationId, fence, attemptId }: Parameters<EngineStore['noteDrafts']>[0],
  names: readonly DraftName[],
): Promise<void> {
  await sql`
    insert into network_draft as n (workspace_id, destination_id, name, attempt_id)
    select ${workspaceId}, ${destinationId}, name, ${attemptId} from unnest(${[...names]}::text[]) as name order by name
    on conflict (workspace_id, destination_id, name) do update
    set    attempt_id = excluded.attempt_id
    where  exists (
      select from destination d
      where  d.workspace_id = n.workspace_id and d.id = n.destination_id and d.status = 'publishing' and d.fence = ${fence})`
}

/** How long after a try to remove something the next one is made, in seconds. */
const LEFTOVER_WAITS_S = [60, 600, 3_600, 6 * 3_600, 12 * 3_600, 24 * 3_600, 24 * 3_600, 24 * 3_600] as const

/**
 * Takes what has to be removed. Its destination is locked meanwhile: it has ended, or else it is looked at again. What of it was kept for
 * later tries is forgotten, and is told to them as `discarded`. On a channel that pauses, or was removed, nothing is called.
 */
export async function claimLeftovers(db: Db, options: ClaimOptions, limit: number): Promise<Leftover[]> {
  type Row = SubjectRow & Pick<Leftover, 'name' | 'tried'>
  const rows = await db<Row[]>`
    with due as (
      select n.workspace_id, n.destination_id, n.name, c.removed_at is not null as is_lost,
             d.status in ('draft', 'failed', 'cancelled', 'expired', 'published')
             and coalesce(c.paused_until <= now(), true) as is_over
      from   network_draft n
      join   destination d on d.workspace_id = n.workspace_id and d.id = n.destination_id
      join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
      where  n.outcome is null and n.look_at <= now()
      order  by n.look_at
      limit  ${limit}
      for    no key update of d, n skip locked
    ),
    passed_over as (
      update network_draft n
      set    look_at = now() + interval '1 minute'
      from   due
      where  n.workspace_id = due.workspace_id and n.destination_id = due.destination_id and n.name = due.name
      and    not due.is_over
    ),
    lost as (
      update network_draft n
      set    outcome = 'failed', ended_at = now()
      from   due
      where  n.workspace_id = due.workspace_id and n.destination_id = due.destination_id and n.name = due.name
      and    due.is_over and due.is_lost
    ),
    claimed as (
      update network_draft n
      set    tries = n.tries + 1, discarded_at = coalesce(n.discarded_at, now()),
             look_at = now() + interval '1 second' *
               (${[...LEFTOVER_WAITS_S]}::int[])[least(n.tries + 1, ${LEFTOVER_WAITS_S.length})]
      from   due
      where  n.workspace_id = due.workspace_id and n.destination_id = due.destination_id and n.name = due.name
      and    due.is_over and not due.is_lost
      returning n.workspace_id, n.destination_id, n.name, n.tries
    ),
    forgotten as (
      ${uploadForgotten(db)}
      from   (select distinct workspace_id, destination_id from claimed) of
      where  d.workspace_id = of.workspace_id and d.id = of.destination_id and d.upload is not null
    )
    select ${subjectColumns(db)}, claimed.name, claimed.tries as tried
    from   claimed
    join   destination d on d.workspace_id = claimed.workspace_id and d.id = claimed.destination_id
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id`
  return rows.map((row) => subjectOf(row, options))
}

export async function endLeftover(
  sql: Sql,
  { workspaceId, destinationId, name }: Pick<Leftover, 'workspaceId' | 'destinationId' | 'name'>,
  end: LeftoverEnd,
): Promise<void> {
  await sql`
    update network_draft
    set    outcome = ${end}, ended_at = now()
    where  workspace_id = ${workspaceId} and destination_id = ${destinationId} and name = ${name} and outcome is null`
}

/** Removes at most `limit` of what ended more than `days` ago; says how many. */
export async function pruneLeftovers(sql: Sql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from network_draft
    where  ctid = any (array(
      select ctid from network_draft where ended_at < now() - ${days} * interval '1 day' limit ${limit}))`
  return count
}
