import { moves } from '../destinations/destination-states.ts'
import { freshToken } from '../destinations/tokens.ts'
import { announce, changeColumns } from '../outbox/outbox-store.ts'
import type { Change } from '../outbox/envelope.ts'
import { batched } from '../platform/batch.ts'
import { isUniqueViolation, type Db, type Sql, type Tx } from '../platform/db.ts'
import type { Grant } from '../providers/port.ts'
import { lookAgainAfterMs } from './decide-outcome.ts'
import type {
  Doubt,
  EngineStore,
  Intent,
  Lease,
  OpenAttempt,
  Settlement,
  Subject,
  Work,
} from './engine-port.ts'

export type PublicationStoreOptions = {
  readonly workerId: string
  readonly leaseMs: number
  /** How many destinations of one workspace this worker may hold at once, so that others always find a place. */
  readonly perWorkspace: number
  /** Opens a sealed grant; null when it cannot be opened. */
  readonly openGrant: (sealed: Buffer, channelId: string) => Grant | null
}

const batchMost = 200

/** The engine's store on PostgreSQL. Its clock is the database's. */
export function publicationStore(db: Db, options: PublicationStoreOptions): EngineStore {
  return {
    claim: (limit) => claim(db, options, limit),
    claimOrphans: (limit) => claimOrphans(db, options, limit),
    claimDoubts: (limit) => claimDoubts(db, options, limit),
    arm: batched((intents: Intent[]) => arm(db, intents), batchMost),
    hold: (intent, handle) => hold(db, intent, handle),
    settle: batched((settlements: Settlement[]) => settle(db, settlements), batchMost),
    release: (lease) => release(db, lease),
    expire: (limit) => expire(db, limit),
  }
}

type SubjectRow = Omit<Subject, 'grant' | 'connected'> & { connectionStatus: string; grantSealed: Buffer }

function subjectOf<Row extends SubjectRow>(row: Row, { openGrant }: PublicationStoreOptions) {
  const { connectionStatus, grantSealed, ...rest } = row
  const grant = openGrant(grantSealed, row.channelId)
  return { ...rest, grant: grant ?? {}, connected: connectionStatus === 'connected' && grant !== null }
}

/** What the engine needs to know of a `destination d` on a `channel c`. */
function subjectColumns(sql: Sql) {
  return sql`
    d.workspace_id as "workspaceId", d.id as "destinationId", d.fence, d.post_id as "postId",
    d.channel_id as "channelId", d.provider, d.settings, d.tries,
    c.connection_status as "connectionStatus", ${connectionOf(sql)} as connection, c.grant_sealed as "grantSealed",
    (select jsonb_agg(jsonb_build_object('index', p.index, 'status', p.status, 'text', p.text, 'remoteId', p.remote_id,
                      'media', ${mediaOfPart(sql)})
                      order by p.index)
     from   part p
     where  p.workspace_id = d.workspace_id and p.destination_id = d.id) as parts`
}

/** What tells one connection of a `channel c` from the next. */
function connectionOf(sql: Sql) {
  return sql`extract(epoch from c.connected_at)::text`
}

async function claim(db: Db, options: PublicationStoreOptions, limit: number): Promise<Work[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.begin((tx) => claimDue(tx, options, limit))
    } catch (fault) {
      // Another worker has just begun on one of these channels: the next look sees it.
      if (!isUniqueViolation(fault, 'destination_one_publishing')) throw fault
      if (tries === claimTriesAtMost) return []
    }
  }
}

const claimTriesAtMost = 3

/** The media of a `part p`, in its order, as the engine needs it. */
function mediaOfPart(sql: Sql) {
  return sql`
    case when p.media_ids = '{}' then '[]'::jsonb else (
      select jsonb_agg(jsonb_build_object(
               'mediaId', wanted.id, 'kind', m.kind, 'contentType', m.content_type, 'sizeBytes', m.size_bytes,
               'width', m.width, 'height', m.height, 'altText', m.alt_text, 'storageKey', m.storage_key)
               order by wanted.place)
      from   unnest(p.media_ids) with ordinality as wanted (id, place)
      left   join media_item m on m.workspace_id = p.workspace_id and m.id = wanted.id) end`
}

/**
 * One row per channel, the earliest due. Workspaces take turns: the first channel of each comes before the
 * second of any, so a thousand due posts of one never stand before another's one. The parts are read by a
 * statement of their own: the one that takes the locks would still see them as they were before an edit that
 * it has let go first.
 */
async function claimDue(tx: Tx, options: PublicationStoreOptions, limit: number): Promise<Work[]> {
  const { workerId, leaseMs, perWorkspace } = options
  const [, taken] = await Promise.all([
    planAnew(tx),
    tx<{ id: string; lateMs: number }[]>`
      with head as (
        select d.workspace_id, d.channel_id, min(d.due_at) as due_at
        from   destination d
        where  d.status in ('scheduled', 'delayed', 'partially_published')  -- literals, so that destination_due applies
        and    d.due_at <= now() and d.expires_at > now()
        group  by d.workspace_id, d.channel_id
      ),
      held as (
        select d.workspace_id, count(*) as held
        from   destination d
        where  d.status = 'publishing' and d.leased_by = ${workerId}
        group  by d.workspace_id
      ),
      queue as (
        select h.workspace_id, h.channel_id, h.due_at,
               row_number() over (partition by h.workspace_id order by h.due_at, h.channel_id) + coalesce(held.held, 0) as turn
        from   head h
        join   channel c on c.workspace_id = h.workspace_id and c.id = h.channel_id
        and    c.enabled and (c.paused_until is null or c.paused_until <= now())
        left   join held on held.workspace_id = h.workspace_id
        where  not exists (
          select from destination busy
          where  busy.workspace_id = h.workspace_id and busy.channel_id = h.channel_id and busy.status = 'publishing')
      ),
      turns as (
        select * from queue where turn <= ${perWorkspace} order by turn, due_at limit ${limit}
      ),
      -- Chosen first and locked then: whoever finds the first of a channel locked must not take its second.
      taken as (
        select d.workspace_id, d.id, d.due_at
        from   turns
        cross  join lateral (
          select f.id
          from   destination f
          where  f.workspace_id = turns.workspace_id and f.channel_id = turns.channel_id and f.due_at = turns.due_at
          and    f.status in ('scheduled', 'delayed', 'partially_published') and f.expires_at > now()
          order  by f.id
          limit  1
        ) first
        join   destination d on d.workspace_id = turns.workspace_id and d.id = first.id
        where  d.status in ('scheduled', 'delayed', 'partially_published') and d.due_at <= now()
        for    no key update of d skip locked
      )
      update destination d
      set    status = 'publishing', status_since = now(), updated_at = now(), control_token = ${freshToken(tx)},
             fence = d.fence + 1, leased_by = ${workerId}, lease_until = now() + ${leaseMs} * interval '1 ms',
             check_again_at = null, error = null
      from   taken
      where  taken.workspace_id = d.workspace_id and taken.id = d.id
      returning d.id, extract(epoch from now() - taken.due_at)::float8 * 1000 as "lateMs"`,
  ])
  if (taken.length === 0) return []

  const rows = await tx<(SubjectRow & Lease)[]>`
    select ${subjectColumns(tx)}
    from   destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    where  d.id = any(${taken.map(({ id }) => id)}::uuid[])`
  const lateMs = new Map(taken.map((row) => [row.id, row.lateMs]))
  return rows.map((row) => ({
    ...subjectOf(row, options),
    orphan: false,
    attempt: null,
    lateMs: lateMs.get(row.destinationId) ?? 0,
  }))
}

/**
 * Has the rest of the transaction planned for the tables as they are. A plan that was kept since they were small
 * reads them from end to end, once for each due channel, and the queue grows faster than anybody counts it anew.
 */
function planAnew(tx: Tx): PromiseLike<unknown> {
  return tx`set local plan_cache_mode = force_custom_plan`
}

/** An open attempt `a` as the engine sees it. */
function attemptColumn(sql: Sql) {
  return sql`
    case when a.id is not null then jsonb_build_object(
      'id', a.id, 'partIndex', a.part_index, 'armedAt', a.armed_at, 'handle', a.handle, 'media', a.media,
      'ageMs', extract(epoch from now() - a.armed_at) * 1000) end as attempt`
}

type AttemptJson = Omit<OpenAttempt, 'armedAt'> & { readonly armedAt: string }

async function claimOrphans(db: Db, options: PublicationStoreOptions, limit: number): Promise<Work[]> {
  const { workerId, leaseMs } = options
  type Row = SubjectRow & Lease & { attempt: AttemptJson | null }
  const rows = await db<Row[]>`
    with lost as (
      select d.workspace_id, d.id
      from   destination d
      where  d.status = 'publishing' and d.lease_until <= now()
      order  by d.lease_until
      limit  ${limit}
      for    no key update skip locked
    ),
    claimed as (
      update destination d
      set    fence = d.fence + 1, leased_by = ${workerId}, lease_until = now() + ${leaseMs} * interval '1 ms'
      from   lost
      where  lost.workspace_id = d.workspace_id and lost.id = d.id
      returning d.*
    )
    select ${subjectColumns(db)}, ${attemptColumn(db)}
    from   claimed d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    left   join attempt a on a.workspace_id = d.workspace_id and a.destination_id = d.id and a.verdict is null`
  return rows.map(({ attempt, ...row }) => ({
    ...subjectOf(row, options),
    orphan: true,
    lateMs: 0,
    attempt: attempt && { ...attempt, armedAt: new Date(attempt.armedAt) },
  }))
}

async function claimDoubts(db: Db, options: PublicationStoreOptions, limit: number): Promise<Doubt[]> {
  type Row = SubjectRow & { attempt: AttemptJson; expired: boolean; knownRemoteIds: string[] }
  const rows = await db<Row[]>`
    with due as (
      select d.workspace_id, d.id, interval '1 ms' *
               (${[...lookAgainAfterMs]}::int[])[least(d.tries + 2, ${lookAgainAfterMs.length})] as next_in
      from   destination d
      where  d.status = 'checking' and d.due_at <= now()
      order  by d.due_at
      limit  ${limit}
      for    no key update skip locked
    ),
    claimed as (
      update destination d
      set    tries = d.tries + 1, due_at = now() + due.next_in, check_again_at = now() + due.next_in
      from   due
      where  due.workspace_id = d.workspace_id and due.id = d.id
      returning d.*
    )
    select ${subjectColumns(db)}, ${attemptColumn(db)}, coalesce(d.expires_at <= now(), false) as expired,
           array(
             select other.remote_id
             from   part mine
             join   destination o on o.workspace_id = d.workspace_id and o.channel_id = d.channel_id
             join   part other on other.workspace_id = o.workspace_id and other.destination_id = o.id
             where  mine.workspace_id = d.workspace_id and mine.destination_id = d.id and mine.index = a.part_index
             and    other.text = mine.text and other.remote_id is not null
           ) as "knownRemoteIds"
    from   claimed d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    join   attempt a on a.workspace_id = d.workspace_id and a.destination_id = d.id and a.verdict = 'unknown'`
  return rows.map(({ attempt, ...row }) => ({
    ...subjectOf(row, options),
    attempt: { ...attempt, armedAt: new Date(attempt.armedAt) },
  }))
}

/** Opens attempts for those intents whose lease still holds; the row locks put this before or after any other claim. */
async function arm(db: Db, intents: readonly Intent[]): Promise<boolean[]> {
  const rows = await db<{ id: string }[]>`
    with intent as (
      select * from jsonb_to_recordset(${db.json(intents.map(intentRow))}) as i (
        workspace_id uuid, destination_id uuid, fence int, attempt_id uuid, part_index int, media jsonb)
    ),
    held as (
      select i.*
      from   destination d
      join   intent i on i.workspace_id = d.workspace_id and i.destination_id = d.id and i.fence = d.fence
      where  d.status = 'publishing'
      order  by d.id
      for    no key update of d
    ),
    sending as (
      update part p
      set    status = 'publishing'
      from   held h
      where  p.workspace_id = h.workspace_id and p.destination_id = h.destination_id and p.index = h.part_index
    )
    insert into attempt (workspace_id, id, destination_id, part_index, fence, media)
    select workspace_id, attempt_id, destination_id, part_index, fence, media from held
    returning id`
  const armed = new Set(rows.map(({ id }) => id))
  return intents.map(({ attemptId }) => armed.has(attemptId))
}

function intentRow(intent: Intent) {
  return {
    workspace_id: intent.workspaceId,
    destination_id: intent.destinationId,
    fence: intent.fence,
    attempt_id: intent.attemptId,
    part_index: intent.partIndex,
    media: intent.media ?? [],
  }
}

async function hold(db: Db, intent: Intent, handle: string): Promise<boolean> {
  const rows = await db`
    update attempt a
    set    handle = ${handle}
    from   destination d
    where  a.workspace_id = ${intent.workspaceId} and a.id = ${intent.attemptId}
    and    d.workspace_id = a.workspace_id and d.id = a.destination_id and d.fence = ${intent.fence}
    returning a.id`
  return rows.length > 0
}

/**
 * Settles many destinations in one transaction. A settlement under a lease needs its fence; one without
 * needs the doubt of its attempt, and, where it was inferred from a look, that no equal part is in flight.
 */
export function settle(db: Db, settlements: readonly Settlement[]): Promise<boolean[]> {
  return db.begin(async (tx) => {
    const settling = tx<(Change & { place: number })[]>`
      with ended as (
        select * from jsonb_to_recordset(${tx.json(settlements.map(settlementRow))}) as e (
          place int, workspace_id uuid, destination_id uuid, fence int, attempt_id uuid, part_index int, conclusion text,
          evidence jsonb, inferred boolean, to_status text, from_statuses jsonb, part_status text, remote_id text,
          release_url text, due_in_ms float8, error jsonb, disconnects boolean, connection text, pauses_channel boolean)
      ),
      allowed as (
        select e.*, coalesce(e.to_status, d.status) as next_status
        from   destination d
        join   ended e on e.workspace_id = d.workspace_id and e.destination_id = d.id
        where  (e.from_statuses is null or e.from_statuses ? d.status)
        and    case
                 when e.fence is not null then d.status = 'publishing' and d.fence = e.fence
                 else d.status = 'checking'
                   and exists (
                     select from attempt a
                     where  a.workspace_id = d.workspace_id and a.id = e.attempt_id and a.verdict = 'unknown')
                   and not (e.inferred and exists (
                     select from part mine
                     join   destination o on o.workspace_id = d.workspace_id and o.channel_id = d.channel_id
                     join   part other on other.workspace_id = o.workspace_id and other.destination_id = o.id
                     where  mine.workspace_id = d.workspace_id and mine.destination_id = d.id and mine.index = e.part_index
                     and    other.text = mine.text and ${shownBy(tx, 'other')} = ${shownBy(tx, 'mine')}
                     and    (other.destination_id, other.index) <> (mine.destination_id, mine.index)
                     and    (other.status in ('publishing', 'checking') or other.remote_id = e.remote_id)))
               end
        order  by d.id
      for    no key update of d
      ),
      -- Two that end the same doubt in one batch: one of them counts, in all of what follows.
      held as (
        select distinct on (workspace_id, destination_id) *
        from   allowed
        order  by workspace_id, destination_id, place
      ),
      parts_done as (
        update part p
        set    status = case when p.index = h.part_index then h.part_status else 'skipped' end,
               remote_id = case when p.index = h.part_index then h.remote_id end,
               release_url = case when p.index = h.part_index then h.release_url end,
               published_at = case when p.index = h.part_index and h.part_status = 'published' then now() end
        from   held h
        where  p.workspace_id = h.workspace_id and p.destination_id = h.destination_id and h.part_index is not null
        and    (p.index = h.part_index or (h.next_status = 'failed' and p.index > h.part_index))
      ),
      attempts_done as (
        update attempt a
        set    verdict = h.conclusion, settled_at = now(), evidence = a.evidence || h.evidence
        from   held h
        where  a.workspace_id = h.workspace_id and a.id = h.attempt_id
      ),
      channels_told as (
        update channel c
        set    connection_status = case when h.disconnects and ${connectionOf(tx)} = h.connection  -- not by an older grant
                                        then 'reconnect_required' else c.connection_status end,
               paused_until = case when h.pauses_channel
                                   then greatest(c.paused_until, now() + h.due_in_ms * interval '1 ms')
                                   else c.paused_until end,
               updated_at = now()
        from   held h
        join   destination d on d.workspace_id = h.workspace_id and d.id = h.destination_id
        where  (h.disconnects or h.pauses_channel) and c.workspace_id = d.workspace_id and c.id = d.channel_id
      )
      update destination d
      set    status = h.next_status,
             status_since = case when h.to_status is null then d.status_since else now() end,
             updated_at = now(),
             control_token = case when h.to_status is null then d.control_token else ${freshToken(tx)} end,
             leased_by = case when h.to_status is null then d.leased_by end,
             lease_until = case when h.to_status is null then d.lease_until end,
             due_at = now() + h.due_in_ms * interval '1 ms',
             check_again_at = case when h.next_status in ('delayed', 'checking', 'partially_published')
                                   then now() + h.due_in_ms * interval '1 ms' end,
             published_at = case when h.next_status = 'published' then now() end,
             release_url = coalesce(d.release_url, h.release_url),
             error = h.error,
             tries = case when h.next_status in ('delayed', 'partially_published') then d.tries + 1 else 0 end
      from   held h
      where  d.workspace_id = h.workspace_id and d.id = h.destination_id
      returning h.place, ${changeColumns(tx)}`
    const [, moved] = await Promise.all([planAnew(tx), settling])
    await announce(
      tx,
      moved.filter(({ status }) => status !== 'publishing'),
    )
    const settled = new Set(moved.map(({ place }) => place))
    return settlements.map((_settlement, place) => settled.has(place))
  })
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
  }
}

async function release(db: Db, lease: Lease): Promise<void> {
  await db`
    update destination
    set    lease_until = now()
    where  workspace_id = ${lease.workspaceId} and id = ${lease.destinationId} and fence = ${lease.fence}
    and    status = 'publishing'`
}

function expire(db: Db, limit: number): Promise<number> {
  return db.begin(async (tx) => {
    const moved = await tx<Change[]>`
      with over as (
        select d.workspace_id, d.id
        from   destination d
        where  d.status in ('scheduled', 'delayed', 'reconnect_required', 'partially_published') and d.expires_at <= now()
        order  by d.expires_at
        limit  ${limit}
        for    no key update skip locked
      ),
      skipped as (
        update part p
        set    status = 'skipped'
        from   over
        where  p.workspace_id = over.workspace_id and p.destination_id = over.id and p.status = 'pending'
      )
      update destination d
      set    status = ${moves.expire.to}, status_since = now(), updated_at = now(), control_token = ${freshToken(tx)},
             due_at = null, check_again_at = null,
             error = jsonb_build_object(
               'code', 'allowed_time_over', 'provider', d.provider, 'retryable', false,
               'message', 'The work was not done within its allowed time, and was stopped.'
                 || coalesce(' Last: ' || (d.error ->> 'message'), ''))
      from   over
      where  d.workspace_id = over.workspace_id and d.id = over.id
      returning ${changeColumns(tx)}`
    await announce(tx, moved)
    return moved.length
  })
}
