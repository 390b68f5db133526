import type { DestinationKey } from '../destinations/destination-store.ts'
import { isFromRestore } from '../destinations/in-doubt.ts'
import { lookupPlanned } from '../destinations/queue-moves.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/db.ts'
import { LOOKUP_WAITS_MS } from './waits.ts'
import type { Doubt, WorkPart } from './work.ts'
import {
  type AttemptJson,
  attemptColumn,
  type ClaimOptions,
  subjectColumns,
  subjectOf,
  type SubjectRow,
} from './work-store.ts'

/** A destination in doubt, as a person settles it by what they saw. */
type DoubtRow = {
  readonly destinationId: string
  readonly controlToken: string
  readonly provider: string
  /** The id of the channel's account at the provider. */
  readonly remoteAccountId: string
  readonly tries: number
  readonly attemptId: string
  readonly partIndex: number
  readonly handle: string | null
  /** How long ago its last call can have begun: since its attempt was armed or, of what a restore holds, since the restore. */
  readonly ageMs: number
  /** The attempt stands for what the server before a restore may have done. */
  readonly restored: boolean
  /** A person was to approve it when the backup was made that it comes from. */
  readonly unapproved: boolean
  readonly parts: WorkPart[]
}

/** Null: it is not in doubt. */
export async function findDoubt(
  db: Sql,
  { workspaceId, postId, channelId }: DestinationKey,
): Promise<DoubtRow | null> {
  const [row] = await db<DoubtRow[]>`
    select d.id as "destinationId", d.control_token as "controlToken", d.provider, d.tries,
           c.remote_account_id as "remoteAccountId", a.id as "attemptId", a.part_index as "partIndex", a.handle,
           -- The server before may have made a call until the moment of the restore, from which the status dates.
           extract(epoch from now() - case when ${isFromRestore(db)} then d.status_since else a.armed_at end)::float8 * 1000 as "ageMs",
           ${isFromRestore(db)} as restored, a.evidence @> '[{"by": "restore", "was": "draft"}]' as unapproved,
           (select jsonb_agg(jsonb_build_object('index', p.index, 'firstComment', p.first_comment, 'status', p.status,
                                                'text', p.text, 'remoteId', p.remote_id) order by p.index)
            from   part p
            where  p.workspace_id = d.workspace_id and p.destination_id = d.id) as parts
    from   destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    join   attempt a on a.workspace_id = d.workspace_id and a.destination_id = d.id and a.verdict = 'unknown'
    where  d.workspace_id = ${workspaceId} and d.post_id = ${postId} and d.channel_id = ${channelId}
    and    d.status = 'checking'`
  return row ?? null
}

/** Has people who name what is out on one channel wait for each other, so that no id is taken for two parts. */
export async function lockNaming(tx: Tx, { channelId }: DestinationKey): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('postrider naming ' || ${channelId}, 0))`
}

/** Whether a part of ours on the channel is out under this id. */
export async function isKnown(
  db: Sql,
  { workspaceId, channelId }: DestinationKey,
  remoteId: string,
): Promise<boolean> {
  const rows = await db`
    select from part p
    join   destination d on d.workspace_id = p.workspace_id and d.id = p.destination_id
    where  d.workspace_id = ${workspaceId} and d.channel_id = ${channelId} and p.remote_id = ${remoteId}
    limit  1`
  return rows.length > 0
}

/**
 * A part of `destination d` as `mine`, and as `other` each part of its channel with the same text, itself included. The
 * row of that name has the `part_index`.
 */
export function equalParts(sql: Sql, attempt: 'a' | 'e') {
  return sql`
    part mine
    join   destination o on o.workspace_id = d.workspace_id and o.channel_id = d.channel_id
    join   part other on other.workspace_id = o.workspace_id and other.destination_id = o.id and other.text = mine.text
    and    (mine.workspace_id, mine.destination_id, mine.index) = (d.workspace_id, d.id, ${sql(attempt)}.part_index)`
}

/**
 * Claims what is in doubt and due for a lookup, by scheduling its next lookup: no other worker takes it before that. It is
 * scheduled no later than the moment from which it counts that nothing is there.
 */
export async function claimDoubts(db: Db, options: ClaimOptions, limit: number): Promise<Doubt[]> {
  const absenceMs = (options.absenceCountsAfterMs ?? []).map((ms) => ms + 1)
  type Row = SubjectRow & { attempt: AttemptJson; expired: boolean; rounds: number; knownRemoteIds: string[] }
  const rows = await db<Row[]>`
    with chosen as (
      select d.workspace_id, d.id, now() + interval '1 ms' *
               (${[...LOOKUP_WAITS_MS]}::int[])[least(d.tries + 2, ${LOOKUP_WAITS_MS.length})] as next_at
      from   destination d
      where  d.filed_as = 'checking' and d.due_at <= now()
      order  by d.due_at
      limit  ${limit}
      for    no key update skip locked
    ),
    due as (
      select chosen.workspace_id, chosen.id,
             least(chosen.next_at, absence.counts_at) as next_at
      from   chosen
      left   join lateral (
        select min(a.armed_at + age.ms * interval '1 ms') as counts_at
        from   attempt a, unnest(${absenceMs}::float8[]) as age (ms)
        where  a.workspace_id = chosen.workspace_id and a.destination_id = chosen.id and a.verdict = 'unknown'
        and    a.armed_at + age.ms * interval '1 ms' > now()
      ) absence on true
    ),
    claimed as (
      ${lookupPlanned(db, db`due.next_at`)}
      from   due
      where  due.workspace_id = d.workspace_id and due.id = d.id
      returning d.*
    )
    select ${subjectColumns(db)}, ${attemptColumn(db)}, coalesce(d.expires_at <= now(), false) as expired,
           (select count(*)::int from attempt b
            where  b.workspace_id = a.workspace_id and b.destination_id = a.destination_id
            and    b.part_index = a.part_index and b.verdict = 'absent') as rounds,
           array(
             select other.remote_id
             from   ${equalParts(db, 'a')}
             where  other.remote_id is not null
           ) as "knownRemoteIds"
    from   claimed d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    join   attempt a on a.workspace_id = d.workspace_id and a.destination_id = d.id and a.verdict = 'unknown'`
  return rows.map(({ attempt, ...row }) => ({
    ...subjectOf(row, options),
    attempt: { ...attempt, armedAt: new Date(attempt.armedAt) },
  }))
}
