import { attentionPostsMax, type DestinationStatus } from '@postrider/contract'
import { endingVersions, type VersionEnd } from '../../networks/channels/version-ends.ts'
import type { Sql } from '../../platform/postgres/db.ts'

const EXCERPT = 280

/** A post on one channel that will not end well by itself. */
export type TroubledPost = {
  readonly postId: string
  readonly channelId: string
  readonly channel: string
  readonly provider: string
  readonly status: DestinationStatus
  readonly since: Date
  readonly text: string
  readonly reason: string | null
}

/** Of a `destination d`. */
export function isTroubledPost(sql: Sql) {
  return sql`
    d.filed_as in ('failed', 'partially_published', 'checking') and d.status <> 'publishing'
    and (d.status = 'checking'
         or (d.status_since > now() - interval '14 days' and (d.status = 'failed' or d.expires_at is null)))`
}

/** The latest first. What ended is shown for 14 days; what is in doubt, until it is known. */
export async function findTroubledPosts(sql: Sql, workspaceId: string): Promise<TroubledPost[]> {
  return sql<TroubledPost[]>`
    select d.post_id as "postId", d.channel_id as "channelId", c.display_name as channel, d.provider, d.status,
           d.status_since as since, coalesce(left(p.text, ${EXCERPT}), '') as text, d.error ->> 'message' as reason
    from   destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    left   join part p on p.workspace_id = d.workspace_id and p.destination_id = d.id and p.index = 0
    where  d.workspace_id = ${workspaceId} and ${isTroubledPost(sql)}
    order  by d.status_since desc, d.id
    limit  ${attentionPostsMax}`
}

/** A part that is live twice. */
export type SecondPost = {
  readonly postId: string
  readonly channelId: string
  readonly channel: string
  readonly attemptId: string
  readonly text: string
  readonly remoteId: string
  readonly releaseUrl: string | null
  readonly since: Date
}

/** Whether a `late_post l` was found to be a second post in the last 14 days. */
export function isShownSecond(sql: Sql) {
  return sql`l.told_at > now() - interval '14 days'`
}

/** Those that were found in the last 14 days, the latest first. */
export async function findSecondPosts(sql: Sql, workspaceId: string): Promise<SecondPost[]> {
  return sql<SecondPost[]>`
    select d.post_id as "postId", d.channel_id as "channelId", c.display_name as channel, l.attempt_id as "attemptId",
           left(p.text, ${EXCERPT}) as text, l.remote_id as "remoteId", l.release_url as "releaseUrl", l.told_at as since
    from   late_post l
    join   destination d on d.workspace_id = l.workspace_id and d.id = l.destination_id
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    join   part p on p.workspace_id = l.workspace_id and p.destination_id = l.destination_id and p.index = l.part_index
    where  l.workspace_id = ${workspaceId} and ${isShownSecond(sql)}
    order  by l.told_at desc, l.attempt_id
    limit  ${attentionPostsMax}`
}

export type TroubledChannel = {
  readonly channelId: string
  readonly displayName: string
  readonly provider: string
  readonly connected: boolean
  readonly accessEndsAt: Date | null
  readonly accessEnds: boolean
  /** Of its network's API, where it ends soon. */
  readonly version: string | null
  readonly versionEndsAt: Date | null
  readonly waiting: number
}

/**
 * Enabled channels without access, whose access the network ends within 14 days, or at a network whose version ends soon; with how many
 * posts wait for it.
 */
export async function findTroubledChannels(
  sql: Sql,
  workspaceId: string,
  ends: readonly VersionEnd[],
): Promise<TroubledChannel[]> {
  return sql<TroubledChannel[]>`
    select c.id as "channelId", c.display_name as "displayName", c.provider,
           c.connection_status = 'connected' as connected, c.authorization_ends_at as "accessEndsAt",
           coalesce(c.authorization_ends_at < now() + interval '14 days', false) as "accessEnds",
           v.name as version, v.ends_at as "versionEndsAt",
           (select count(*)::int from destination d
            where  d.workspace_id = c.workspace_id and d.channel_id = c.id and d.filed_as = 'reconnect_required') as waiting
    from   channel c
    left   join (${endingVersions(sql, ends)}) v on v.provider = c.provider
    where  c.workspace_id = ${workspaceId} and c.enabled
    and    (c.connection_status <> 'connected' or c.authorization_ends_at < now() + interval '14 days' or v.provider is not null)
    order  by c.connection_status = 'connected', c.id`
}
