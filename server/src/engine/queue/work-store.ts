import { connectionOf } from '../../networks/channels/channel-store.ts'
import { isFromRestore } from '../destinations/in-doubt.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import type { Authorization } from '../../networks/providers/port/port.ts'
import type { FormerCall, Lease, OpenAttempt, Subject, Work } from './work.ts'
import { latePostColumn } from './late-post-store.ts'
import type { OutageRules } from './outage-store.ts'
import type { HeartbeatTimes } from '../../platform/postgres/worker-store.ts'

export type ClaimOptions = {
  readonly workerId: string
  readonly leaseMs: number
  /** How many destinations of one workspace this worker may hold at once, so that others always find a place. */
  readonly perWorkspace: number
  readonly outageRules?: OutageRules
  /** How old an attempt is, as a rule, when it counts that nothing of it is to be seen: it is looked up at each of them. */
  readonly absenceCountsAfterMs?: readonly number[]
  /** As the heartbeats of all workers keep them, if these are not the usual times. */
  readonly heartbeatTimes?: HeartbeatTimes
  /** Opens a sealed authorization; null when it cannot be opened. */
  readonly openAuthorization: (sealed: Buffer, channelId: string) => Authorization | null
}

export type SubjectRow = Omit<Subject, 'authorization' | 'authorizationUnreadable' | 'connected'> & {
  connectionStatus: string
  authorizationSealed: Buffer
}

export function subjectOf<Row extends SubjectRow>(row: Row, { openAuthorization }: ClaimOptions) {
  const { connectionStatus, authorizationSealed, ...rest } = row
  const authorization = openAuthorization(authorizationSealed, row.channelId)
  return {
    ...rest,
    authorization: authorization ?? {},
    authorizationUnreadable: authorization === null,
    connected: connectionStatus === 'connected',
  }
}

/** What the engine needs to know of a `destination d` on a `channel c`: a `SubjectRow`. */
export function subjectColumns(sql: Sql) {
  return sql`
    d.workspace_id as "workspaceId", d.id as "destinationId", d.fence, d.post_id as "postId",
    d.channel_id as "channelId", d.provider, d.settings, d.tries,
    c.connection_status as "connectionStatus", ${connectionOf(sql)} as connection, c.authorization_sealed as "authorizationSealed",
    c.provider_origin as origin, c.subscription, c.limits,
    (select jsonb_agg(jsonb_build_object('index', p.index, 'firstComment', p.first_comment, 'status', p.status,
                      'text', p.text, 'remoteId', p.remote_id,
                      'publishedMsAgo', extract(epoch from now() - p.published_at) * 1000,
                      'media', ${mediaOfPart(sql)})
                      order by p.index)
     from   part p
     where  p.workspace_id = d.workspace_id and p.destination_id = d.id) as parts`
}

/** An open attempt `a` as the engine sees it. */
export function attemptColumn(sql: Sql) {
  return sql`
    case when a.id is not null then jsonb_build_object(
      'id', a.id, 'partIndex', a.part_index, 'armedAt', a.armed_at, 'handle', a.handle, 'media', a.media, 'prepared', a.prepared,
      'restored', ${isFromRestore(sql)},
      'answered', jsonb_path_query_first(a.evidence, '$[*] ? (@.by == "publish").httpStatus'),
      'ageMs', extract(epoch from now() - a.armed_at) * 1000) end as attempt`
}

export type AttemptJson = Omit<OpenAttempt, 'armedAt'> & { readonly armedAt: string }

/** What is said of a claimed destination besides what the database has of it. */
type TakenFacts = Pick<Work, 'orphan' | 'lateMs' | 'probe'>

/** What was leased, by its key. */
export type Taken = TakenFacts & { readonly workspaceId: string; readonly id: string }

/**
 * Reads what this transaction has just leased. An attempt that is open comes with it in every case: a call that may have
 * been made is never passed over. What is claimed on a channel that was disabled meanwhile is left out; what was taken over, or
 * was being processed, is finished on it.
 */
export async function readTaken(
  tx: Tx,
  options: ClaimOptions,
  taken: readonly Taken[],
  { begins }: { readonly begins: boolean },
): Promise<Work[]> {
  if (taken.length === 0) return []
  type Row = SubjectRow &
    Lease &
    Pick<Work, 'upload' | 'late' | 'discarded' | 'suspected'> & {
      attempt: AttemptJson | null
      formers: FormerJson[]
    }
  const rows = await tx<Row[]>`
    select ${subjectColumns(tx)}, d.upload, ${formersColumn(tx)}, ${latePostColumn(tx)}, ${discardedColumn(tx)}, ${suspectedColumn(tx)}, ${attemptColumn(tx)}
    from   unnest(${taken.map(({ workspaceId }) => workspaceId)}::uuid[], ${taken.map(({ id }) => id)}::uuid[]) as taken (workspace_id, id)
    join   destination d on d.workspace_id = taken.workspace_id and d.id = taken.id
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id${begins ? tx` and c.enabled` : tx``}
    left   join attempt a on a.workspace_id = d.workspace_id and a.destination_id = d.id and a.verdict is null`
  const facts = new Map(taken.map(({ workspaceId: _, id, ...said }) => [id, said]))
  return rows.map(({ attempt, formers, ...row }) => ({
    ...subjectOf(row, options),
    formers: formers.map((former) => ({ ...former, armedAt: new Date(former.armedAt) })),
    orphan: false,
    lateMs: 0,
    probe: null,
    ...facts.get(row.destinationId),
    attempt: attempt && { ...attempt, armedAt: new Date(attempt.armedAt) },
  }))
}

type FormerJson = Omit<FormerCall, 'armedAt'> & { readonly armedAt: string }

/**
 * The calls of `destination d` that are held to have made nothing, however they ended, and the last one first: of those that carried the
 * same, the last. What ended without a call of this server is none.
 */
function formersColumn(sql: Sql) {
  return sql`
    coalesce((select jsonb_agg(to_jsonb(f) order by f."armedAt" desc)
     from (
       select (array_agg(a.id order by a.armed_at desc))[1] as id, a.part_index as "partIndex", a.key, a.media, a.prepared,
              max(a.armed_at) as "armedAt", count(*) filter (where a.verdict in ('deferred', 'rejected'))::int as refusals,
              exists (
                select from network_draft n
                where  n.workspace_id = d.workspace_id and n.destination_id = d.id and n.discarded_at >= max(a.armed_at)
              ) as discarded
       from   attempt a
       where  a.workspace_id = d.workspace_id and a.destination_id = d.id
       and    a.verdict in ('absent', 'deferred', 'rejected', 'reauthorize')
       and    not a.evidence @> '[{"by": "engine"}]' and not ${isFromRestore(sql)}
       group  by a.part_index, a.key, a.media, a.prepared
     ) f), '[]') as formers`
}

/** What is being removed of what was made for `destination d`. */
function discardedColumn(sql: Sql) {
  return sql`
    array(
      select n.name from network_draft n
      where  n.workspace_id = d.workspace_id and n.destination_id = d.id and n.discarded_at is not null
    ) as discarded`
}

/** Whether calls to the network of a `channel c` failed lately. */
function suspectedColumn(sql: Sql) {
  return sql`exists (select from network_failure f where f.origin = c.provider_origin) as suspected`
}

/** The media of a `part p`, in its order, as the engine needs it. */
function mediaOfPart(sql: Sql) {
  return sql`
    case when p.media_ids = '{}' then '[]'::jsonb else (
      select jsonb_agg(jsonb_build_object(
               'mediaId', wanted.id, 'kind', m.kind, 'contentType', m.content_type, 'sizeBytes', m.size_bytes,
               'width', m.width, 'height', m.height, 'durationMs', m.duration_ms,
               'videoCodec', m.video_codec, 'audioCodec', m.audio_codec,
               'frameRate', m.frame_rate, 'audioChannels', m.audio_channels, 'audioSampleRate', m.audio_sample_rate,
               'animated', m.animated, 'altText', m.alt_text, 'storageKey', m.storage_key)
               order by wanted.place)
      from   unnest(p.media_ids) with ordinality as wanted (id, place)
      left   join media_item m on m.workspace_id = p.workspace_id and m.id = wanted.id) end`
}
