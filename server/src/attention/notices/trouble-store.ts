import { noticeKinds } from '@postrider/contract/names'
import { isShownSecond, isTroubledPost } from '../../content/listing/attention-store.ts'
import type { Fragment, Sql } from '../../platform/postgres/db.ts'
import { endingVersions, type VersionEnd } from '../../networks/channels/version-ends.ts'

/*
 * What needs attention now, as the list of it has it (`content/listing/attention-store.ts`, `content/series/troubled-series-store.ts`), with a mark that
 * tells it from what the same subject needed before. Few rows, but for posts.
 */

/** Kinds that are looked for now and then: most of them have no events. */
export const steadyKinds = ['posts_twice', 'channels', 'series', 'webhooks'] as const
export type SteadyKind = (typeof steadyKinds)[number]

/** The mark of a `destination d`. */
export function postMark(sql: Sql) {
  return sql`extract(epoch from d.status_since)::text`
}

/** The troubled posts of recorded events, in the columns of a notice. Those of events from long ago, when nobody looked, are left out. */
export function troubledSince(sql: Sql, afterSeq: string, upToSeq: string): Fragment {
  const waits = noticeKinds.posts_checking.afterMinutes
  return sql`
    select d.workspace_id, case when d.status = 'checking' then 'posts_checking' else 'posts_failed' end as kind, d.id as subject_id,
           ${postMark(sql)} as mark,
           d.status_since + case when d.status = 'checking' then ${waits} else 0 end * interval '1 minute' as tell_at
    from   outbox_event e
    cross  join lateral (  -- by its key, whatever is known of how many there are
      select * from destination d where d.workspace_id = e.workspace_id and d.id = e.destination_id offset 0
    ) d
    where  e.seq > ${afterSeq}::bigint and e.seq <= ${upToSeq}::bigint
    and    e.type in ('post.failed', 'post.partial', 'post.recovery_required')
    and    ${isTroubledPost(sql)} and d.status_since > now() - interval '1 day'`
}

/**
 * The troubles of a kind, of one workspace or of all, in columns `workspace_id, subject_id, mark, since`, and what a mail says of them:
 * `problem`, `name`, `text`, `post_id`, `reason`, `at`.
 */
export function troublesOf(
  sql: Sql,
  kind: SteadyKind,
  workspaceId: string | null,
  ends: readonly VersionEnd[],
): Fragment {
  switch (kind) {
    case 'posts_twice':
      return secondPosts(sql, workspaceId)
    case 'channels':
      return channelTroubles(sql, workspaceId, ends)
    case 'series':
      return seriesTroubles(sql, workspaceId)
    case 'webhooks':
      return endpointTroubles(sql, workspaceId)
  }
}

function inWorkspace(sql: Sql, column: Fragment, workspaceId: string | null) {
  return workspaceId === null ? sql`true` : sql`${column} = ${workspaceId}`
}

function secondPosts(sql: Sql, workspaceId: string | null) {
  return sql`
    select l.workspace_id, l.destination_id as subject_id, l.attempt_id::text as mark, l.told_at as since, 'live_twice' as problem,
           c.display_name as name, left(p.text, ${EXCERPT}) as text, d.post_id, coalesce(l.release_url, l.remote_id) as reason, l.told_at as at
    from   late_post l
    join   destination d on d.workspace_id = l.workspace_id and d.id = l.destination_id
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    join   part p on p.workspace_id = l.workspace_id and p.destination_id = l.destination_id and p.index = l.part_index
    where  ${isShownSecond(sql)} and ${inWorkspace(sql, sql`l.workspace_id`, workspaceId)}`
}

/** Columns of what is about no post. */
function noPost(sql: Sql) {
  return sql`null as text, null::uuid as post_id`
}

function channelTroubles(sql: Sql, workspaceId: string | null, ends: readonly VersionEnd[]) {
  const its = inWorkspace(sql, sql`c.workspace_id`, workspaceId)
  return sql`
    select c.workspace_id, c.id as subject_id, 'disconnected ' || c.authorization_revision as mark, now() as since,
           'disconnected' as problem, c.display_name as name, ${noPost(sql)}, null as reason, null::timestamptz as at
    from   channel c
    where  c.connection_status <> 'connected' and c.enabled and ${its}
    union  all
    select c.workspace_id, c.id, 'ends ' || extract(epoch from c.authorization_ends_at), now(),
           'access_ending', c.display_name, ${noPost(sql)}, null, c.authorization_ends_at
    from   channel c
    where  c.authorization_ends_at < now() + interval '14 days' and c.connection_status = 'connected' and c.enabled and ${its}
    union  all
    select c.workspace_id, c.id, 'version ' || v.name, now(), 'version_ending', c.display_name, ${noPost(sql)}, null, v.ends_at
    from   (${endingVersions(sql, ends)}) v
    join   channel c on c.provider = v.provider
    where  c.connection_status = 'connected' and c.enabled and ${its}`
}

/** How much of a text is read. */
export const EXCERPT = 280

function seriesTroubles(sql: Sql, workspaceId: string | null) {
  const name = sql`
    left(coalesce(p.definitions -> -1 -> 'content' ->> 'text', p.definitions -> -1 -> 'content' #>> '{contents,0,text}',
                  p.definitions -> -1 -> 'content' #>> '{targets,0,text}', ''), ${EXCERPT})`
  return sql`
    select p.workspace_id, p.id as subject_id, 'waiting ' || first.date as mark, now() as since,
           'waiting' as problem, ${name} as name, ${noPost(sql)}, first.reason, first.publish_at as at
    from   (
      select distinct on (o.workspace_id, o.series_id) o.*
      from   series_occurrence o
      where  o.status = 'waiting' and ${inWorkspace(sql, sql`o.workspace_id`, workspaceId)}
      order  by o.workspace_id, o.series_id, o.date) first
    join   series p on p.workspace_id = first.workspace_id and p.id = first.series_id and p.status = 'active'
    union  all
    select p.workspace_id, p.id, 'paused ' || extract(epoch from p.changed_at), now(), 'paused', ${name}, ${noPost(sql)}, p.reason, null
    from   series p
    where  p.status = 'paused' and p.changed_by_type = 'service' and ${inWorkspace(sql, sql`p.workspace_id`, workspaceId)}`
}

/** An endpoint that was disabled by hand, or ended with its credential, needs nothing. */
function endpointTroubles(sql: Sql, workspaceId: string | null) {
  const its = sql`e.deleted_at is null and ${inWorkspace(sql, sql`e.workspace_id`, workspaceId)}`
  return sql`
    select e.workspace_id, e.id as subject_id, 'failing ' || extract(epoch from e.failing_since) as mark, e.failing_since as since,
           'failing' as problem, e.url as name, ${noPost(sql)}, null as reason, e.failing_since as at
    from   endpoint e
    where  e.failing_since is not null and e.status = 'active' and ${its}
    union  all
    select e.workspace_id, e.id, 'disabled ' || extract(epoch from e.status_since),
           -- Told at once, though it was failing before.
           '-infinity'::timestamptz, 'disabled', e.url, ${noPost(sql)}, null, e.status_since
    from   endpoint e
    where  e.status = 'disabled' and e.disabled_reason in ('failing', 'secret_lost', 'right_lost') and ${its}`
}
