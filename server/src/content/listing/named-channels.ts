import { findGroups } from '../../networks/channels/group-store.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import type { DestinationFilter } from './post-filter-store.ts'

/** The channels of a filter: the one that is named, or those of the group that is, of the ones that the reader sees. */
export async function namedChannels(
  sql: Sql,
  workspaceId: string,
  channelId: string | undefined,
  seen: readonly string[] | null,
): Promise<Pick<DestinationFilter, 'channelId' | 'seen'>> {
  if (channelId === undefined) return { channelId: null, seen }
  const group = (await findGroups(sql, workspaceId, [channelId])).get(channelId)
  if (group === undefined) return { channelId, seen }
  return { channelId: null, seen: group.channelIds.filter((id) => seen?.includes(id) ?? true) }
}
