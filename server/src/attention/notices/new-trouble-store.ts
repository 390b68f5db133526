import type { NoticeKind } from '@postrider/contract/names'
import { isTroubledPost } from '../../content/listing/attention-store.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import type { VersionEnd } from '../../networks/channels/version-ends.ts'
import { EXCERPT, postMark, troublesOf } from './trouble-store.ts'

/** Some of what is new for a reader. */
export type Span = {
  readonly workspaceId: string
  /** After this place, up to that one. */
  readonly after: string
  readonly upTo: string
}

export type Trouble = {
  readonly subjectId: string
  readonly problem: string
  /** Of a post, the channel; else the channel, the series' text, or the endpoint's address. */
  readonly name: string
  readonly text: string | null
  readonly postId: string | null
  readonly reason: string | null
  readonly at: Date | null
}

/** What is new of a kind and still so: the latest of it, and how much it is in all, counted up to a limit. */
export type News = { readonly kind: NoticeKind; readonly count: number; readonly first: readonly Trouble[] }

export const COUNTED_TO = 10_000
const SHOWN = 5

export async function newsOf(
  sql: Sql,
  kind: NoticeKind,
  span: Span,
  ends: readonly VersionEnd[],
): Promise<News> {
  const rows = await readNews(sql, kind, span, ends)
  return { kind, count: rows[0]?.count ?? 0, first: rows.map(({ count: _, ...trouble }) => trouble) }
}

type Row = Trouble & { readonly count: number }

function readNews(
  sql: Sql,
  kind: NoticeKind,
  span: Span,
  ends: readonly VersionEnd[],
): PromiseLike<Row[]> | Row[] {
  switch (kind) {
    case 'posts_failed':
    case 'posts_checking':
      return readPosts(sql, kind, span)
    case 'posts_twice':
    case 'channels':
    case 'series':
    case 'webhooks':
      return sql<Row[]>`
        select t.subject_id as "subjectId", t.problem, t.name, t.text, t.post_id as "postId", t.reason, t.at,
               count(*) over ()::int as count
        from   (${told(sql, kind, span)}) n
        join   (${troublesOf(sql, kind, span.workspaceId, ends)}) t on t.subject_id = n.subject_id and t.mark = n.mark
        order  by n.seq desc
        limit  ${SHOWN}`
    case 'approvals':
      // Each request is a mail of its own (attention/reviews/announce-approvals.ts).
      return []
  }
}

function readPosts(sql: Sql, kind: 'posts_failed' | 'posts_checking', span: Span) {
  return sql<Row[]>`
    with still as materialized (
      select d.id, d.post_id, d.channel_id, d.status, d.status_since, d.error, n.seq
      from   (${told(sql, kind, span)}) n
      cross  join lateral (
        select * from destination d where d.workspace_id = ${span.workspaceId} and d.id = n.subject_id offset 0
      ) d
      where  ${postMark(sql)} = n.mark and ${isTroubledPost(sql)}
      and    (d.status = 'checking') = (${kind}::text = 'posts_checking')
    )
    select d.id as "subjectId", d.status as problem, c.display_name as name, left(p.text, ${EXCERPT}) as text,
           d.post_id as "postId", d.error ->> 'message' as reason, d.status_since as at,
           (select count(*)::int from still) as count
    from   (select * from still order by seq desc limit ${SHOWN}) d
    join   channel c on c.workspace_id = ${span.workspaceId} and c.id = d.channel_id
    left   join part p on p.workspace_id = ${span.workspaceId} and p.destination_id = d.id and p.index = 0
    order  by d.seq desc`
}

function told(sql: Sql, kind: NoticeKind, { workspaceId, after, upTo }: Span) {
  return sql`
    select subject_id, mark, seq
    from   notice
    where  workspace_id = ${workspaceId} and kind = ${kind} and seq > ${after}::bigint and seq <= ${upTo}::bigint
    order  by seq desc
    limit  ${COUNTED_TO + 1}`
}
