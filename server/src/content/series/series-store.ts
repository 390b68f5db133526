import type { CredentialLimits, DestinationStatus, Occurrence, Series } from '@postrider/contract'
import { settled } from '../../engine/destinations/destination-states.ts'
import { waitsFor } from '../../engine/destinations/series-wait.ts'
import { labelKeys } from '../../edge/operations/credential-limits.ts'
import { changedBy, latestChangeJson, type Author, type LatestChange } from '../../edge/operations/actor.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { nameKey } from '../../platform/text/name-key.ts'
import type { Definition, OwnChange } from './definition.ts'
import type { LocalDay } from './rule.ts'

export type SeriesKey = { readonly workspaceId: string; readonly seriesId: string }

/** In whose name the posts of a series are made. */
export type PostsBy = Author & {
  /** Of the key or the grant; of a person, that of the member. */
  readonly id: string
}

export type SeriesRow = SeriesKey & {
  readonly status: Series['status']
  /** Why it is paused or ended; null where its rule has come to its end. */
  readonly reason: string | null
  readonly definitions: readonly Definition[]
  readonly editToken: string
  readonly postsBy: PostsBy
  readonly nextRunAt: Date | null
  readonly latestChange: LatestChange | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type OccurrenceRow = {
  readonly date: LocalDay
  readonly status: Occurrence['status']
  readonly publishAt: Date | null
  readonly postId: string | null
  /** The edit token of its post as it was made. */
  readonly editToken: string | null
  readonly reason: string | null
  readonly change: OwnChange | null
}

/** What is written of a series. */
export type SeriesState = Pick<
  SeriesRow,
  'status' | 'reason' | 'definitions' | 'editToken' | 'postsBy' | 'nextRunAt'
>

export async function insertSeries(
  tx: Tx,
  { workspaceId, seriesId }: SeriesKey,
  { definitions, editToken, postsBy, nextRunAt }: SeriesState,
  now: Date,
): Promise<void> {
  const { channelIds, labels, mediaIds } = namedBy(definitions)
  await tx`
    insert into series (workspace_id, id, definitions, channel_ids, label_keys, media_ids, edit_token, maker_type, maker_id,
                        maker_name, look_at, created_at, updated_at)
    values (${workspaceId}, ${seriesId}, ${tx.json(definitions)}, ${channelIds}::uuid[], ${labels}, ${mediaIds}::uuid[],
            ${editToken}, ${postsBy.type}, ${postsBy.id}, ${postsBy.name}, ${nextRunAt}, ${now}, ${now})`
}

/** Changes a series whose lock is the caller's. What its occurrences have of their own is stored before. */
export async function updateSeries(
  tx: Tx,
  { workspaceId, seriesId }: SeriesKey,
  { status, reason, definitions, editToken, postsBy, nextRunAt }: SeriesState,
  { author, fields }: { readonly author: Author; readonly fields: readonly string[] },
): Promise<void> {
  const { channelIds, labels, mediaIds } = namedBy(definitions)
  await tx`
    update series
    set    status = ${status}, reason = ${reason}, definitions = ${tx.json(definitions)}, channel_ids = ${channelIds}::uuid[],
           label_keys = ${labels}, edit_token = ${editToken}, maker_type = ${postsBy.type},
           maker_id = ${postsBy.id}, maker_name = ${postsBy.name}, look_at = ${nextRunAt}, updated_at = now(),
           media_ids = array(
             select unnest(${mediaIds}::uuid[])
             union
             select (jsonb_path_query(o.change, '$.content.**.mediaIds[*]') #>> '{}')::uuid
             from   series_occurrence o
             where  o.workspace_id = ${workspaceId} and o.series_id = ${seriesId} and o.status <> 'made'),
           ${changedBy(tx, author)}, changed = ${[...fields]}
    where  workspace_id = ${workspaceId} and id = ${seriesId}`
}

/** Sets when a series is handled next. */
export async function postponeSeries(
  sql: Sql,
  { workspaceId, seriesId }: SeriesKey,
  nextRunAt: Date,
): Promise<void> {
  await sql`
    update series set look_at = ${nextRunAt}
    where  workspace_id = ${workspaceId} and id = ${seriesId} and status = 'active'`
}

/** Pauses a series of itself, or ends it where nothing of it is left to be made. The lock is the caller's. */
export async function stopSeries(
  sql: Sql,
  { workspaceId, seriesId }: SeriesKey,
  { status, reason, editToken }: Pick<SeriesState, 'status' | 'reason' | 'editToken'>,
): Promise<void> {
  await sql`
    update series
    set    status = ${status}, reason = ${reason}, look_at = null, edit_token = ${editToken}, updated_at = now(),
           changed_at = clock_timestamp(), changed_by_type = 'service', changed_by_name = 'Postrider', changed = '{status}'
    where  workspace_id = ${workspaceId} and id = ${seriesId}`
}

/** The series, where its reader sees it; null for none. */
export async function findSeries(
  sql: Sql,
  { workspaceId, seriesId }: SeriesKey,
  limits: CredentialLimits,
): Promise<SeriesRow | null> {
  const [row] = await sql<SeriesRow[]>`
    select ${seriesColumns(sql)}
    from   series p
    where  p.workspace_id = ${workspaceId} and p.id = ${seriesId} ${isSeen(sql, limits)}`
  return row ?? null
}

/** The same, kept from others until the transaction ends. */
export async function lockSeries(
  tx: Tx,
  key: SeriesKey,
  limits: CredentialLimits,
): Promise<SeriesRow | null> {
  const lock = async () =>
    tx`select from series where workspace_id = ${key.workspaceId} and id = ${key.seriesId} for update`
  // Sent together, in this order: what is read is what the lock keeps.
  const [, row] = await Promise.all([lock(), findSeries(tx, key, limits)])
  return row
}

/** The same where nobody else has its lock, and something of it is to be made; null else. */
export async function lockDueSeries(tx: Tx, { workspaceId, seriesId }: SeriesKey): Promise<SeriesRow | null> {
  const [row] = await tx<SeriesRow[]>`
    select ${seriesColumns(tx)}
    from   series p
    where  p.workspace_id = ${workspaceId} and p.id = ${seriesId} and p.look_at <= now()
    for    update skip locked`
  return row ?? null
}

export type DueSeries = SeriesKey & { readonly postsBy: PostsBy }

/** Series of which something is to be made: of each workspace the one that has waited longest, then of each the next. */
export async function findDueSeries(sql: Sql, limit: number): Promise<DueSeries[]> {
  return sql<DueSeries[]>`
    select p.workspace_id as "workspaceId", p.id as "seriesId", ${postsByJson(sql)} as "postsBy"
    from   (
      select s.*, row_number() over (partition by s.workspace_id order by s.look_at, s.id) as rank
      from   series s
      where  s.look_at <= now()
    ) p
    order  by p.rank, p.look_at
    limit  ${limit}`
}

/** Milliseconds until the next series is due, 0 when one is; null for none. */
export async function nextRunInMs(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ ms: number | null }[]>`
    select (extract(epoch from min(look_at) - now()) * 1000)::float8 as ms from series where look_at is not null`
  return row?.ms == null ? null : Math.max(0, row.ms)
}

/**
 * The series of a workspace that a credential with these limits sees, newest first. Of what they are to post, only the beginning of the
 * first text is read: a page of whole ones may be larger than the memory.
 */
export async function listSeriesRows(
  sql: Sql,
  workspaceId: string,
  filter: {
    readonly status: Series['status'] | null
    readonly before: string | null
    readonly limits: CredentialLimits
  },
  limit: number,
): Promise<SeriesRow[]> {
  const { status, before, limits } = filter
  return sql<SeriesRow[]>`
    select ${seriesColumns(sql, slimDefinitions(sql))}
    from   series p
    where  p.workspace_id = ${workspaceId} ${isSeen(sql, limits)}
    ${status === null ? sql`` : sql`and p.status = ${status}`}
    ${before === null ? sql`` : sql`and p.id < ${before}`}
    order  by p.id desc
    limit  ${limit}`
}

/** What is known of the times of a series from a day on, for a list: without what occurrences have of their own besides. */
export async function findTimes(
  sql: Sql,
  { workspaceId, seriesId }: SeriesKey,
  from: LocalDay,
): Promise<OccurrenceRow[]> {
  return sql<OccurrenceRow[]>`
    select date::text, status, publish_at as "publishAt", post_id as "postId", edit_token as "editToken", reason,
           jsonb_strip_nulls(jsonb_build_object('publishAt', change -> 'publishAt')) as change
    from   series_occurrence
    where  workspace_id = ${workspaceId} and series_id = ${seriesId} and date >= ${from}::date
    order  by date`
}

/** What is known of the days of a series from one on, in order. */
export async function findOccurrences(
  sql: Sql,
  { workspaceId, seriesId }: SeriesKey,
  from: LocalDay | null = null,
): Promise<OccurrenceRow[]> {
  return sql<OccurrenceRow[]>`
    select date::text, status, publish_at as "publishAt", post_id as "postId", edit_token as "editToken", reason, change
    from   series_occurrence
    where  workspace_id = ${workspaceId} and series_id = ${seriesId}
    ${from === null ? sql`` : sql`and date >= ${from}::date`}
    order  by date`
}

/**
 * Writes what is known of a day. The row of one that is made is written with its post, and both fail where the day has a post
 * already. The lock on the series is the caller's.
 */
export async function storeOccurrence(
  tx: Tx,
  { workspaceId, seriesId }: SeriesKey,
  { date, status, publishAt, postId, editToken, reason, change }: OccurrenceRow,
): Promise<void> {
  await tx`
    delete from series_occurrence
    where  workspace_id = ${workspaceId} and series_id = ${seriesId} and date = ${date}::date and status <> 'made'`
  await tx`
    insert into series_occurrence (workspace_id, series_id, date, status, publish_at, post_id, edit_token, reason, change)
    values (${workspaceId}, ${seriesId}, ${date}::date, ${status}, ${publishAt}, ${postId}, ${editToken}, ${reason},
            ${change === null ? null : tx.json(change)})`
}

/** The state of the post of an occurrence. */
export type PostState = {
  readonly editToken: string
  readonly text: string
  readonly destinations: readonly {
    readonly channelId: string
    readonly status: DestinationStatus
    readonly publishAt: Date | null
    /** Whether a claim ever took it up. */
    readonly begun: boolean
    readonly waitsFor: DestinationStatus | null
  }[]
}

/** The channels and labels of each post of a series that is not over, as they are now. */
export async function findPostsAhead(
  sql: Sql,
  { workspaceId, seriesId }: SeriesKey,
): Promise<{ channelIds: string[]; labels: string[] }[]> {
  return sql<{ channelIds: string[]; labels: string[] }[]>`
    select array_agg(d.channel_id) as "channelIds", p.labels
    from   series_occurrence o
    join   post p on p.workspace_id = o.workspace_id and p.id = o.post_id
    join   destination d on d.workspace_id = p.workspace_id and d.post_id = p.id
    where  o.workspace_id = ${workspaceId} and o.series_id = ${seriesId} and o.post_id is not null
    and    not d.status = any(${[...settled]})
    group  by p.id, p.labels`
}

/** The states of posts by their ids. */
export async function findPostStates(
  sql: Sql,
  workspaceId: string,
  postIds: readonly string[],
): Promise<Map<string, PostState>> {
  type Row = Omit<PostState['destinations'][number], 'publishAt'> & { publishAt: string | null }
  const rows = await sql<{ postId: string; editToken: string; text: string; destinations: Row[] }[]>`
    select p.id as "postId", p.edit_token as "editToken", d.destinations,
           left(coalesce(p.content ->> 'text', d.text), ${TEXT_WINDOW}) as text
    from   post p
    cross  join lateral (
      select json_agg(json_build_object(
               'channelId', d.channel_id, 'status', d.status, 'publishAt', d.publish_at, 'begun', d.fence > 0,
               'waitsFor', ${waitsFor(sql)}) order by d.id) as destinations,
             (array_agg(d.content ->> 'text' order by d.id))[1] as text
      from   destination d
      where  d.workspace_id = p.workspace_id and d.post_id = p.id
    ) d
    where  p.workspace_id = ${workspaceId} and p.id = any(${[...postIds]}::uuid[])`
  return new Map(
    rows.map(({ postId, destinations, ...row }) => [
      postId,
      {
        ...row,
        destinations: destinations.map(({ publishAt, ...one }) => ({
          ...one,
          publishAt: publishAt === null ? null : new Date(publishAt),
        })),
      },
    ]),
  )
}

/** More than an excerpt has, so that it can be seen whether a character is whole. */
const TEXT_WINDOW = 1_200

/**
 * Forgets what is known of days: they are as the series says. Where they have something of their own, that stays. Days whose time is
 * over before the series was last changed are no occurrences of it: of those that are made nevertheless (`late`), the row stays.
 */
export async function planAgain(
  tx: Tx,
  { workspaceId, seriesId }: SeriesKey,
  dates: readonly LocalDay[],
  late: readonly LocalDay[] = [],
): Promise<void> {
  if (dates.length === 0) return
  await tx`
    delete from series_occurrence
    where  workspace_id = ${workspaceId} and series_id = ${seriesId} and date = any(${[...dates]}::date[])
    and    date <> all(${[...late]}::date[]) and change is null`
  await tx`
    update series_occurrence
    set    status = 'planned', publish_at = null, post_id = null, edit_token = null, reason = null
    where  workspace_id = ${workspaceId} and series_id = ${seriesId} and date = any(${[...dates]}::date[])`
}

/** What the last of these definitions names. */
function namedBy(definitions: readonly Definition[]) {
  const contents = definitions.map(({ content }) => content)
  const latest = contents.at(-1)
  const parts = contents.flatMap(
    ({ text: _, mediaIds, thread = [], targets = [], contents: several = [] }) => [
      { mediaIds },
      ...thread,
      ...[...targets, ...several].flatMap((one) => [one, ...(one.thread ?? [])]),
    ],
  )
  return {
    channelIds: [...(latest?.channelIds ?? latest?.targets?.map(({ channelId }) => channelId) ?? [])],
    labels: (latest?.labels ?? []).map(nameKey),
    mediaIds: [...new Set(parts.flatMap(({ mediaIds }) => mediaIds ?? []))],
  }
}

/** Whether a `series p` is one that a credential sees: one of its channels is its own, and its label is there. */
function isSeen(sql: Sql, limits: CredentialLimits) {
  const labels = labelKeys(limits)
  const channels =
    limits.channelIds === null
      ? sql``
      : sql`and (p.channel_ids && ${[...limits.channelIds]}::uuid[] or exists (
              select from channel_group g
              where  g.workspace_id = p.workspace_id and g.id = any(p.channel_ids)
              and    g.channel_ids && ${[...limits.channelIds]}::uuid[]))`
  return sql`${channels} ${labels === null ? sql`` : sql`and p.label_keys @> ${labels}`}`
}

function postsByJson(sql: Sql) {
  return sql`json_build_object('type', p.maker_type, 'id', p.maker_id, 'name', p.maker_name)`
}

/** The definitions of a `series p` as a list needs them. */
function slimDefinitions(sql: Sql) {
  return sql`
    (select jsonb_agg(d.value || jsonb_build_object('content', case when d.place < jsonb_array_length(p.definitions)
              then '{}'
              else jsonb_strip_nulls(jsonb_build_object(
                'channelIds', c -> 'channelIds',
                'text', left(coalesce(c -> 'contents' -> 0 ->> 'text', c ->> 'text'), ${TEXT_WINDOW}),
                'targets', (
                  select jsonb_agg(jsonb_build_object('channelId', t.value -> 'channelId',
                                                      'text', left(t.value ->> 'text', ${TEXT_WINDOW})) order by t.place)
                  from   jsonb_array_elements(c -> 'targets') with ordinality as t (value, place)))) end)
            order by d.place)
     from   jsonb_array_elements(p.definitions) with ordinality as d (value, place)
     cross  join lateral (select d.value -> 'content' as c) content)`
}

/** The columns of a `series p` (`SeriesRow`). */
function seriesColumns(sql: Sql, definitions = sql`p.definitions`) {
  return sql`
    p.workspace_id as "workspaceId", p.id as "seriesId", p.status, p.reason, ${definitions} as definitions,
    p.edit_token as "editToken",
    ${postsByJson(sql)} as "postsBy", p.look_at as "nextRunAt", ${latestChangeJson(sql, 'p')} as "latestChange",
    p.created_at as "createdAt", p.updated_at as "updatedAt"`
}

/**
 * Locks the series that post in the name of a credential, or have posts that it planned. Before the locks of posts, as an edit of a
 * series takes them.
 */
export async function lockSeriesOf(tx: Tx, workspaceId: string, credentialId: string): Promise<void> {
  await tx`
    select from series p
    where  p.workspace_id = ${workspaceId}
    and    (p.maker_id = ${credentialId} or p.id in (
      select d.series_id from destination d
      where  d.workspace_id = p.workspace_id and d.planned_by_id = ${credentialId} and d.series_id is not null))
    order  by p.id
    for    update`
}

/**
 * Plans those occurrences again whose posts were cancelled with the credential that planned them: once a person resumes their series,
 * they are posted. Series that post in its name are handled now, which pauses them. The locks of `lockSeriesOf` are the caller's.
 */
export async function planAgainOf(
  tx: Tx,
  workspaceId: string,
  credentialId: string,
  cancelledPosts: readonly string[],
): Promise<void> {
  const found = await tx<{ seriesId: string; dates: LocalDay[] }[]>`
    select o.series_id as "seriesId", array_agg(o.date::text) as dates
    from   series_occurrence o
    where  o.workspace_id = ${workspaceId} and o.post_id = any(${[...cancelledPosts]}::uuid[])
    and    not exists (
      select from destination d
      where  d.workspace_id = o.workspace_id and d.post_id = o.post_id and d.status <> 'cancelled')
    group  by o.series_id`
  for (const { seriesId, dates } of found) await planAgain(tx, { workspaceId, seriesId }, dates)
  const seriesIds = found.map(({ seriesId }) => seriesId)
  await tx`
    update series set look_at = now()
    where  workspace_id = ${workspaceId} and status = 'active' and (maker_id = ${credentialId} or id = any(${seriesIds}::uuid[]))`
}
