import type { DestinationStatus } from '@postrider/contract'
import type { Change } from '../outbox/envelope.ts'
import { changeColumns } from '../outbox/outbox-store.ts'
import type { Fragment, Sql, Tx } from '../../platform/postgres/db.ts'
import { moves } from '../destinations/destination-states.ts'
import type { LockedDestination } from '../destinations/destination-store.ts'
import { freshToken } from '../destinations/tokens.ts'

/*
 * What a restored backup knows as unfinished may have been published since, by the server that made the backup. So it is in doubt:
 * `checking`, with an attempt that says why. No look-up proves that such a part is not out, since it may have been published in a
 * way that the backup knows nothing of. It is held until a person has settled it, part by part.
 */

const HELD =
  'Restored from a backup: the previous server may have published it since. Look on the network, then resolve it.'

/** What says so of a `destination d`, as JSON. */
function heldError(sql: Sql) {
  return sql`jsonb_build_object(
    'code', 'result_unproven', 'message', ${HELD}::text, 'provider', d.provider, 'retryable', false)`
}

/** The entry in the evidence of an attempt, as JSON. `was` is the status that the destination had in the backup. */
function restoreEvidence(sql: Sql, was: Fragment, backupAt: string | null) {
  return sql`jsonb_build_object('by', 'restore', 'verdict', 'unknown', 'was', ${was}, 'backupAt', ${backupAt}::text)`
}

export type Held = Change & { readonly was: DestinationStatus }

/**
 * Holds everything unfinished of a database that was restored just now, or of the workspace that was imported, and gives what has become `checking` by that, with the
 * status that it had. Requests for approval of what was a draft are the caller's to close. It runs on the
 * schema of the backup, before later migrations: it may use no column that is younger than the oldest backup.
 */
export async function holdRestored(
  tx: Tx,
  backupAt: string | null,
  workspaceId: string | null = null,
): Promise<Held[]> {
  const evidence = restoreEvidence(tx, tx`held.status`, backupAt)
  const changes = await tx<Held[]>`
    with held as materialized (
      select d.workspace_id, d.id, d.post_id, d.status, d.fence,
             (select min(p.index) from part p
              where  p.workspace_id = d.workspace_id and p.destination_id = d.id and p.status <> 'published') as part_index
      from   destination d
      where  d.status = any(${[...moves.restore.from]}) and (${workspaceId}::uuid is null or d.workspace_id = ${workspaceId})
      and    case d.status
               when 'draft' then exists (
                 select from approval r
                 where  r.workspace_id = d.workspace_id and r.post_id = d.post_id and r.status = 'pending')
               -- Of a thread that was refused for good nothing more is sent.
               when 'partially_published' then d.due_at is not null or d.error ->> 'code' = 'reconnect_required'
               else true end
    ),
    open as (
      update attempt a
      set    verdict = 'unknown', settled_at = coalesce(a.settled_at, now()), evidence = a.evidence || ${evidence}
      from   held
      where  a.workspace_id = held.workspace_id and a.destination_id = held.id and (a.verdict is null or a.verdict = 'unknown')
      returning a.destination_id
    ),
    added as (
      insert into attempt (workspace_id, id, destination_id, part_index, fence, verdict, settled_at, evidence)
      select held.workspace_id, gen_random_uuid(), held.id, held.part_index, held.fence, 'unknown', now(),
             jsonb_build_array(${evidence})
      from   held
      where  held.id not in (select destination_id from open)
    ),
    doubted as (
      update part p
      set    status = 'checking'
      from   held
      where  p.workspace_id = held.workspace_id and p.destination_id = held.id and p.index = held.part_index
    )
    update destination d
    set    status = ${moves.restore.to}, status_since = now(), updated_at = now(), control_token = ${freshToken(tx)},
           fence = d.fence + 1, leased_by = null, lease_until = null, upload = null, announced_wait = null, tries = 0,
           error = ${heldError(tx)}, check_again_at = null,
           -- The call that was made before the backup can still be found; of another one nothing is known to look for, be it held
           -- since an earlier restore.
           due_at = case when held.id in (select destination_id from open)
                         and  (d.status <> 'checking' or d.due_at is not null) then now() end
    from   held
    where  d.workspace_id = held.workspace_id and d.id = held.id
    returning ${changeColumns(tx)}, held.status as was`
  return changes.filter(({ was, status }) => was !== status)
}

/**
 * Leaves what posts had made at their networks to the server before for a week: if it still runs, it may be about to show it, or removes it
 * itself. After that it is looked at there, and removed where nobody has shown it.
 */
export async function leaveDraftsToOthers(tx: Tx, workspaceId: string | null = null): Promise<void> {
  await tx`
    update network_draft set look_at = now() + interval '7 days'
    where  outcome is null and (${workspaceId}::uuid is null or workspace_id = ${workspaceId})`
}

/** Holds the next part of destinations of which one part was found to be out. The locks are the caller's; the status stays. */
export async function holdNextParts(tx: Tx, destinations: readonly LockedDestination[]): Promise<void> {
  const workspaceIds = destinations.map(({ workspaceId }) => workspaceId)
  const destinationIds = destinations.map(({ destinationId }) => destinationId)
  await tx`
    with next_part as (
      select p.workspace_id, p.destination_id, min(p.index) as index
      from   unnest(${workspaceIds}::uuid[], ${destinationIds}::uuid[]) as l (workspace_id, destination_id)
      join   part p on p.workspace_id = l.workspace_id and p.destination_id = l.destination_id and p.status <> 'published'
      group  by p.workspace_id, p.destination_id
    ),
    added as (
      insert into attempt (workspace_id, id, destination_id, part_index, fence, verdict, settled_at, evidence)
      select n.workspace_id, gen_random_uuid(), n.destination_id, n.index, d.fence, 'unknown', now(),
             jsonb_build_array(${restoreEvidence(tx, tx`'partially_published'`, null)})
      from   next_part n
      join   destination d on d.workspace_id = n.workspace_id and d.id = n.destination_id
    ),
    doubted as (
      update part p
      set    status = 'checking'
      from   next_part n
      where  p.workspace_id = n.workspace_id and p.destination_id = n.destination_id and p.index = n.index
    )
    update destination d
    set    error = ${heldError(tx)}, updated_at = now()
    from   next_part n
    where  d.workspace_id = n.workspace_id and d.id = n.destination_id`
}
