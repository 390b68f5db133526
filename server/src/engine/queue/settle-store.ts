import { connectionOf } from '../../networks/channels/channel-store.ts'
import { moves } from '../destinations/destination-states.ts'
import { holdNextParts } from './restored-store.ts'
import { allowedTime } from '../destinations/queue-moves.ts'
import { freshToken } from '../destinations/tokens.ts'
import { announce, changeColumns } from '../outbox/outbox-store.ts'
import type { Change } from '../outbox/envelope.ts'
import { type Db, type Sql, type Tx, useIndexPlans } from '../../platform/postgres/db.ts'
import { within } from '../../edge/operations/write-transaction.ts'
import { equalParts } from './doubt-store.ts'
import { hasUntoldPost, takeSecondPosts } from './late-post-store.ts'
import type { Settlement } from './work.ts'

/**
 * Settles many destinations, in the transaction that is given or in one of its own. It locks them, and then their
 * channels, in the order of their ids. A settlement under a lease needs its fence; one without
 * needs the doubt of its attempt, and, where a lookup saw something, that no equal part is in flight that it could be.
 * All that is read by a statement after the one that takes the locks: what was armed or settled while that one waited
 * is not in its snapshot.
 */
export function settle(sql: Db | Tx, settlements: readonly Settlement[]): Promise<boolean[]> {
  return within(sql, async (tx) => {
    const [, , moved] = await Promise.all([
      useIndexPlans(tx),
      lockInOrder(tx, settlements),
      write(tx, settlements),
    ])
    const secondPosts = await takeSecondPosts(
      tx,
      moved.filter(({ late }) => late),
    )
    const changes = [...moved.filter(({ silent }) => !silent), ...secondPosts]
    tx.defer(() => announce(tx, changes))
    const stillHeld = moved.filter(
      ({ place, status }) => settlements[place]?.restored === true && status === 'checking',
    )
    if (stillHeld.length > 0) await holdNextParts(tx, stillHeld)
    const settled = new Set(moved.map(({ place }) => place))
    return settlements.map((_settlement, place) => settled.has(place))
  })
}

function lockInOrder(tx: Tx, settlements: readonly Settlement[]) {
  const workspaceIds = settlements.map(({ workspaceId }) => workspaceId)
  const destinationIds = settlements.map(({ destinationId }) => destinationId)
  return tx`
    select from unnest(${workspaceIds}::uuid[], ${destinationIds}::uuid[]) as s (workspace_id, destination_id)
    join   destination d on d.workspace_id = s.workspace_id and d.id = s.destination_id
    order  by d.id
    for    no key update of d`
}

/** One statement: the guards, and all that is written of a settlement that they let pass. */
function write(tx: Tx, settlements: readonly Settlement[]) {
  return tx<(Change & { place: number; silent: boolean; late: boolean })[]>`
    with ended as (
      select * from jsonb_to_recordset(${tx.json(settlements.map(settlementRow))}) as e (
        place int, workspace_id uuid, destination_id uuid, fence int, attempt_id uuid, part_index int, conclusion text,
        evidence jsonb, inferred boolean, to_status text, from_statuses jsonb, part_status text, remote_id text,
        release_url text, due_in_ms float8, error jsonb, disconnects boolean, connection text, pauses_channel boolean,
        wait text, ends_thread boolean, by_type text, by_name text, restored boolean, upload jsonb, keeps_draft boolean)
    ),
    ${allowed(tx)},
    -- Two that end the same doubt in one batch: one of them counts, in all of what follows.
    held as (
      select distinct on (workspace_id, destination_id) *
      from   allowed
      order  by workspace_id, destination_id, place
    ),
    ${writesOfPartAndAttempt(tx)},
    ${writesOfChannel(tx)}
    update destination d
    set    status = h.next_status,
           status_since = case when h.to_status is null then d.status_since else now() end,
           updated_at = now(),
           control_token = case when h.to_status is null and not h.restored then d.control_token else ${freshToken(tx)} end,
           leased_by = case when h.to_status is null then d.leased_by end,
           lease_until = case when h.to_status is null then d.lease_until end,
           due_at = ${dueAt(tx)},
           check_again_at = case when h.next_status in ('delayed', 'checking', 'partially_published') then ${dueAt(tx)} end,
           -- Of a thread that was refused for good nothing is left that could expire.
           expires_at = case when h.ends_thread and h.next_status = 'partially_published' then null
                             -- Held by a restore, however long: its allowed time begins again.
                             when h.restored and h.conclusion = 'absent'
                             then greatest(d.publish_at, now()) + ${allowedTime(tx)}
                             else d.expires_at end,
           published_at = case when h.next_status = 'published' then now() end,
           release_url = coalesce(d.release_url, h.release_url),
           error = h.error,
           announced_wait = h.wait,
           upload = h.upload,
           refused_rest = case when h.part_status is distinct from 'published' and not h.ends_thread then d.refused_rest end,
           changed_at = case when h.by_name is null then d.changed_at else clock_timestamp() end,
           changed_by_type = coalesce(h.by_type, d.changed_by_type),
           changed_by_name = coalesce(h.by_name, d.changed_by_name),
           tries = case when h.next_status in ('delayed', 'partially_published') then d.tries + 1 else 0 end
    from   held h
    where  d.workspace_id = h.workspace_id and d.id = h.destination_id
    returning h.place, h.to_status is null or coalesce(h.announced_already, false) as silent,
              ${hasUntoldPost(tx)} as late, ${changeColumns(tx)}`
}

/** What a restore held goes out at its time, which may be still to come, as may that of the rest of a thread. */
function dueAt(tx: Tx) {
  return tx`
    case when h.restored and h.due_in_ms is not null and h.next_status in ('scheduled', 'partially_published')
         then greatest(d.publish_at, now())
         else now() + h.due_in_ms * interval '1 ms' end`
}

/** The settlements whose destination is as they found it. */
function allowed(tx: Tx) {
  return tx`
    allowed as (
      select e.*, coalesce(e.to_status, d.status) as next_status, d.announced_wait = e.wait as announced_already
      from   destination d
      join   ended e on e.workspace_id = d.workspace_id and e.destination_id = d.id
      where  (e.from_statuses is null or e.from_statuses ? d.status)
      and    case
               when e.fence is not null then d.status = 'publishing' and d.fence = e.fence
               else d.status = 'checking'
                 and exists (
                   select from attempt a
                   where  a.workspace_id = d.workspace_id and a.destination_id = d.id and a.id = e.attempt_id and a.verdict = 'unknown')
                 and not (e.inferred and e.conclusion <> 'absent' and exists (
                   select from ${equalParts(tx, 'e')}
                   where  ${shownBy(tx, 'other')} = ${shownBy(tx, 'mine')}
                   and    (other.destination_id, other.index) <> (mine.destination_id, mine.index)
                   and    (other.status in ('publishing', 'checking') or other.remote_id = e.remote_id)))
             end
    )`
}

function writesOfPartAndAttempt(tx: Tx) {
  return tx`
    parts_done as (
      update part p
      set    status = case when p.index = h.part_index then h.part_status else 'skipped' end,
             remote_id = case when p.index = h.part_index then h.remote_id end,
             release_url = case when p.index = h.part_index then h.release_url end,
             published_at = case when p.index = h.part_index and h.part_status = 'published' then now() end
      from   held h
      where  p.workspace_id = h.workspace_id and p.destination_id = h.destination_id and h.part_index is not null
      and    (p.index = h.part_index or (h.ends_thread and p.status <> 'published'))
    ),
    attempts_done as (
      update attempt a
      set    verdict = h.conclusion, settled_at = now(), evidence = a.evidence || h.evidence
      from   held h
      where  a.workspace_id = h.workspace_id and a.destination_id = h.destination_id and a.part_index = h.part_index
      and    a.id = h.attempt_id
    ),
    shown as (
      delete from network_draft n
      using  held h
      where  n.workspace_id = h.workspace_id and n.destination_id = h.destination_id and n.attempt_id = h.attempt_id
      and    n.outcome is null and (h.conclusion = 'published' or h.keeps_draft)
    )`
}

function writesOfChannel(tx: Tx) {
  return tx`
    channel_updates as (
      select c.workspace_id, c.id, h.pauses_channel, h.due_in_ms,
             h.disconnects and ${connectionOf(tx)} = h.connection as disconnects  -- not by an older authorization
      from   held h
      join   destination d on d.workspace_id = h.workspace_id and d.id = h.destination_id
      join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
      where  h.disconnects or h.pauses_channel
      order  by c.id
      for    no key update of c
    ),
    channels_done as (
      update channel c
      set    connection_status = case when u.disconnects then 'reconnect_required' else c.connection_status end,
             paused_until = case when u.pauses_channel
                                 then greatest(c.paused_until, now() + u.due_in_ms * interval '1 ms')
                                 else c.paused_until end,
             updated_at = now()
      from   (select workspace_id, id, bool_or(disconnects) as disconnects, bool_or(pauses_channel) as pauses_channel,
                     max(due_in_ms) filter (where pauses_channel) as due_in_ms
              from channel_updates group by workspace_id, id) u
      where  c.workspace_id = u.workspace_id and c.id = u.id
    )`
}

/** What a part shows besides its text, as the hashes of its media in order: parts without words differ by nothing else. */
function shownBy(sql: Sql, part: 'mine' | 'other') {
  return sql`array(
    select m.sha256
    from   unnest(${sql(part)}.media_ids) with ordinality as shown (id, place)
    join   media_item m on m.workspace_id = ${sql(part)}.workspace_id and m.id = shown.id
    order  by shown.place)`
}

function settlementRow({ outcome, attempt, ...of }: Settlement, place: number) {
  const move = outcome.move === null ? null : moves[outcome.move]
  return {
    place,
    workspace_id: of.workspaceId,
    destination_id: of.destinationId,
    fence: of.fence,
    attempt_id: attempt?.id ?? null,
    part_index: attempt?.partIndex ?? of.refusedPart ?? null,
    conclusion: attempt?.conclusion ?? null,
    evidence: attempt?.evidence ?? null,
    inferred: attempt?.inferred ?? false,
    to_status: move?.to ?? null,
    from_statuses: move?.from ?? null,
    part_status: outcome.part,
    remote_id: outcome.remoteId,
    release_url: outcome.releaseUrl,
    due_in_ms: outcome.dueInMs,
    error: outcome.error,
    disconnects: outcome.disconnects,
    connection: of.connection ?? null,
    pauses_channel: outcome.pausesChannel,
    wait: outcome.wait,
    ends_thread: outcome.endsThread,
    by_type: of.by?.type ?? null,
    by_name: of.by?.name ?? null,
    restored: of.restored ?? false,
    upload: of.upload ?? null,
    keeps_draft: attempt?.keepsDraft ?? false,
  }
}
