import type { Content, DestinationError, DestinationStatus, PartStatus } from '@postrider/contract'
import type { Sql, Tx } from '../platform/db.ts'

export type NewDestination = {
  readonly destinationId: string
  readonly channelId: string
  readonly provider: string
  /** A destination begins as a draft, or with a time. */
  readonly status: Extract<DestinationStatus, 'draft' | 'scheduled'>
  readonly controlToken: string
  /** Null when the post's content is shared. */
  readonly content: Content | null
  readonly settings: Readonly<Record<string, unknown>>
  readonly publishAt: Date | null
  readonly parts: readonly { readonly text: string; readonly folded: string }[]
}

/** A part as it stands in `DestinationRow.parts`: times are text, as JSON has it. */
export type PartRow = {
  readonly index: number
  readonly status: PartStatus
  readonly text: string
  readonly publishedAt: string | null
  readonly releaseUrl: string | null
}

export type DestinationRow = {
  readonly destinationId: string
  readonly postId: string
  readonly channelId: string
  readonly provider: string
  readonly displayName: string
  readonly status: DestinationStatus
  readonly controlToken: string
  readonly content: Content | null
  readonly publishAt: Date | null
  readonly publishedAt: Date | null
  readonly releaseUrl: string | null
  readonly checkAgainAt: Date | null
  readonly expiresAt: Date | null
  readonly error: DestinationError | null
  readonly parts: readonly PartRow[]
}

/** Workers wake for what is due within this time; for anything later they look by themselves. */
const DUE_SOON = '5 minutes'

/** What workers listen to: something is due now or soon. */
export const DUE_CHANNEL = 'postrider_due'

/**
 * Common table expressions that insert destinations and their parts, for the statement that inserts their post:
 * `new_destination` holds the rows, `woken` wakes the workers and has to be read for that.
 * A scheduled destination is due at its time, and expires when the workspace's allowed time after it is over.
 */
export function insertDestinations(
  tx: Tx,
  { workspaceId, postId }: { workspaceId: string; postId: string },
  destinations: readonly NewDestination[],
) {
  const rows = destinations.map(({ publishAt, parts: _, ...row }, place) => ({
    ...row,
    place,
    publishAt: publishAt?.toISOString() ?? null,
  }))
  const parts = destinations.flatMap(({ destinationId, parts }) =>
    parts.map((part, index) => ({ destinationId, index, ...part })),
  )
  return tx`
    new_destination as (
      insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, content,
                               settings, publish_at, due_at, expires_at)
      select ${workspaceId}, r."destinationId", ${postId}, r."channelId", r.provider, r.status, r."controlToken",
             r.content, r.settings, r."publishAt", r."publishAt",
             r."publishAt" + (select w.allowed_time from workspace w where w.id = ${workspaceId})
      from   jsonb_to_recordset(${tx.json(rows as never)}) as r (
               "destinationId" uuid, "channelId" uuid, provider text, status text, "controlToken" text, content jsonb,
               settings jsonb, "publishAt" timestamptz, place int)
      order  by r.place
      returning *
    ),
    new_part as (
      insert into part (workspace_id, destination_id, index, text, folded)
      select ${workspaceId}, r."destinationId", r.index, r.text, r.folded
      from   jsonb_to_recordset(${tx.json(parts)}) as r ("destinationId" uuid, index int, text text, folded text)
    ),
    woken as (
      select count(pg_notify(${DUE_CHANNEL}, '')) as count
      from   (select min(due_at) as due_at from new_destination) first
      where  first.due_at < now() + ${DUE_SOON}::interval
    )`
}

/** The destinations of the posts with their parts, in the order in which they were asked for. */
export async function destinationsOf(
  sql: Sql,
  workspaceId: string,
  postIds: readonly string[],
): Promise<DestinationRow[]> {
  return sql<DestinationRow[]>`
    select d.id as "destinationId", d.post_id as "postId", d.channel_id as "channelId", d.provider,
           c.display_name as "displayName", d.status, d.control_token as "controlToken", d.content,
           d.publish_at as "publishAt", d.published_at as "publishedAt", d.release_url as "releaseUrl",
           d.check_again_at as "checkAgainAt", d.expires_at as "expiresAt", d.error, parts.parts
    from   destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    cross  join lateral (
      select jsonb_agg(jsonb_build_object(
               'index', p.index, 'status', p.status, 'text', p.text,
               'publishedAt', p.published_at, 'releaseUrl', p.release_url) order by p.index) as parts
      from   part p
      where  p.workspace_id = d.workspace_id and p.destination_id = d.id
    ) parts
    where  d.workspace_id = ${workspaceId} and d.post_id = any(${[...postIds]}::uuid[])
    order  by d.post_id, d.id`
}
