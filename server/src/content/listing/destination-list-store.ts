import type { DestinationKey } from '../../engine/destinations/destination-store.ts'
import { isHeldSinceRestore } from '../../engine/destinations/in-doubt.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { conditionsOn, type DestinationFilter } from './post-filter-store.ts'

/** One post on one channel that is held since a restore, in a line. */
export type ListedDestination = {
  readonly postId: string
  readonly channelId: string
  readonly channel: string
  readonly provider: string
  readonly publishAt: Date | null
  readonly controlToken: string
  /** The beginning of the part that is in doubt, or of the first. */
  readonly text: string
}

const EXCERPT = 200

/** What a workspace has held since a restore, the latest time first and what has no time before it. */
export async function listHeld(
  sql: Sql,
  workspaceId: string,
  filter: Pick<DestinationFilter, 'channelId' | 'from' | 'to'>,
  limit: number,
): Promise<ListedDestination[]> {
  return sql<ListedDestination[]>`
    select d.post_id as "postId", d.channel_id as "channelId", c.display_name as channel, d.provider,
           d.publish_at as "publishAt", d.control_token as "controlToken", left(p.text, ${EXCERPT}) as text
    from   destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    join   lateral (
      select p.text from part p
      where  p.workspace_id = d.workspace_id and p.destination_id = d.id
      order  by p.status = 'checking' desc, p.index
      limit  1) p on true
    where  d.workspace_id = ${workspaceId} and ${isHeldSinceRestore(sql)}
    ${conditionsOn(sql, { ...filter, seen: null, status: 'checking' })}
    order  by d.publish_at desc, d.id
    limit  ${limit}`
}

/** The token of a destination that is held since a restore; null where there is none such. */
export async function heldToken(
  sql: Sql,
  { workspaceId, postId, channelId }: DestinationKey,
): Promise<string | null> {
  const [row] = await sql<{ controlToken: string }[]>`
    select d.control_token as "controlToken"
    from   destination d
    where  d.workspace_id = ${workspaceId} and d.post_id = ${postId} and d.channel_id = ${channelId} and ${isHeldSinceRestore(sql)}`
  return row?.controlToken ?? null
}

/** How many destinations of each channel are held since a restore; of all workspaces with null. */
export async function countHeld(
  sql: Sql,
  workspaceId: string | null = null,
): Promise<{ channelId: string; held: number }[]> {
  return sql<{ channelId: string; held: number }[]>`
    select d.channel_id as "channelId", count(*)::int as held
    from   destination d
    where  ${isHeldSinceRestore(sql)} and (${workspaceId}::uuid is null or d.workspace_id = ${workspaceId})
    group  by d.channel_id`
}
