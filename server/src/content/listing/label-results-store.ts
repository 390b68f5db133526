import type { DestinationStatus } from '@postrider/contract'
import { restWaits } from '../../engine/destinations/destination-store.ts'
import type { Fragment, Sql } from '../../platform/postgres/db.ts'
import type { Range } from '../posts/plan/calendar-range.ts'
import { haveLabels } from './post-filter-store.ts'

/** What a credential sees: posts that have all of these labels, on one of these channels; null for any. */
export type Seen = {
  readonly channelIds: readonly string[] | null
  readonly labels: readonly string[] | null
}

/** How many labels a list has at most. */
const MOST = 1_000

/** The labels of the posts that are seen, as each was written last, in their order: one look into the index for each. */
export async function listLabels(sql: Sql, workspaceId: string, seen: Seen): Promise<string[]> {
  const first = (after: Fragment) => sql`
    (select l.label_key from post_label l
     where  l.workspace_id = ${workspaceId} and l.label_key > ${after}
     order  by l.label_key limit 1)`
  const rows = await sql<{ label: string }[]>`
    with recursive each (key) as (
      select ${first(sql`''`)}
      union  all
      select ${first(sql`each.key`)} from each where each.key is not null
    )
    select newest.label
    from   each
    cross  join lateral (
      select l.label
      from   post_label l
      where  l.workspace_id = ${workspaceId} and l.label_key = each.key ${isSeen(sql, workspaceId, seen)}
      order  by l.post_id desc
      limit  1
    ) newest
    where  each.key is not null
    order  by each.key
    limit  ${MOST}`
  return rows.map(({ label }) => label)
}

/** The destinations of a label in one status on one channel, counted. */
export type StatusCount = {
  readonly channelId: string
  readonly provider: string
  readonly status: DestinationStatus
  readonly count: number
  readonly firstPublishedAt: Date | null
  readonly lastPublishedAt: Date | null
  /** The next time of those that are planned. */
  readonly nextPublishAt: Date | null
}

type Troubled = {
  readonly postId: string
  readonly channelId: string
  readonly status: DestinationStatus
}

export type LabelRows = {
  /** As it was written last; null where no post has it. */
  readonly label: string | null
  readonly posts: number
  readonly counts: readonly StatusCount[]
  /** Of the range before. */
  readonly before: { readonly posts: number; readonly counts: readonly StatusCount[] }
  readonly troubled: readonly Troubled[]
}

const TROUBLED = 100
const planned = ['scheduled', 'delayed', 'reconnect_required'] as const
const trouble = ['failed', 'expired', 'partially_published', 'checking', 'reconnect_required'] as const

/**
 * What became of all posts with a label, or of those destinations whose time lies in a range, and in one before it that is as long. On
 * the channels that are seen, and no others. All begins from the posts of the label.
 */
export async function findLabelResults(
  sql: Sql,
  workspaceId: string,
  key: string,
  seen: Seen,
  range: (Range & { readonly before: Range }) | null = null,
): Promise<LabelRows> {
  const time = sql`coalesce(d.published_at, d.publish_at)`
  const within = ({ from, to }: Range) => sql`and ${time} >= ${from} and ${time} < ${to}`
  const inRange = range === null ? sql`` : within(range)
  const inBoth = range === null ? sql`` : within({ from: range.before.from, to: range.to })
  const isBefore = range === null ? sql`false` : sql`${time} < ${range.from}`
  const labelled = sql`
    from   post_label l
    join   destination d on d.workspace_id = l.workspace_id and d.post_id = l.post_id
    where  l.workspace_id = ${workspaceId} and l.label_key = ${key}
    ${haveLabels(sql, workspaceId, seen.labels, sql`l.post_id`)}
    ${seen.channelIds === null ? sql`` : sql`and d.channel_id = any(${[...seen.channelIds]}::uuid[])`}`
  type Counted = StatusCount & { readonly isBefore: boolean }
  // Sent together.
  const [[all], [ofRange], rows, troubled] = await Promise.all([
    sql<{ label: string | null; posts: number }[]>`
      select (array_agg(l.label order by l.post_id desc))[1] as label, count(*)::int as posts
      from   post_label l
      where  l.workspace_id = ${workspaceId} and l.label_key = ${key} ${isSeen(sql, workspaceId, seen)}`,
    range === null
      ? []
      : sql<{ posts: number; before: number }[]>`
          select (count(distinct d.post_id) filter (where not ${isBefore}))::int as posts,
                 (count(distinct d.post_id) filter (where ${isBefore}))::int as before
          ${labelled} ${inBoth}`,
    sql<Counted[]>`
      select d.channel_id as "channelId", d.provider, d.status, ${isBefore} as "isBefore", count(*)::int as count,
             min(d.published_at) as "firstPublishedAt", max(d.published_at) as "lastPublishedAt",
             min(d.publish_at) filter (where d.status = any(${[...planned]}) or ${restWaits(sql)}) as "nextPublishAt"
      ${labelled} ${inBoth}
      group  by d.channel_id, d.provider, d.status, "isBefore"
      order  by d.channel_id, d.status`,
    sql<Troubled[]>`
      select d.post_id as "postId", d.channel_id as "channelId", d.status
      ${labelled} and d.status = any(${[...trouble]}) and not ${restWaits(sql)} ${inRange}
      order  by d.post_id desc, d.id
      limit  ${TROUBLED}`,
  ])
  return {
    label: all?.label ?? null,
    posts: (range === null ? all?.posts : ofRange?.posts) ?? 0,
    counts: rows.filter((row) => !row.isBefore),
    before: { posts: ofRange?.before ?? 0, counts: rows.filter((row) => row.isBefore) },
    troubled,
  }
}

/** Conditions on a `post_label l`: that its post is seen. */
function isSeen(sql: Sql, workspaceId: string, { channelIds, labels }: Seen): Fragment {
  const onSeen =
    channelIds === null
      ? sql``
      : sql`and exists (
          select from destination d
          where  d.workspace_id = l.workspace_id and d.post_id = l.post_id and d.channel_id = any(${[...channelIds]}::uuid[]))`
  return sql`${haveLabels(sql, workspaceId, labels, sql`l.post_id`)} ${onSeen}`
}
