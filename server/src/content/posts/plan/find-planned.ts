import { findChannels, type FoundChannels } from '../../../networks/channels/channel-store.ts'
import { findGroups, lockGroups } from '../../../networks/channels/group-store.ts'
import type { Sql, Tx } from '../../../platform/postgres/db.ts'
import { channelIdsOf, type Plan, spreadOut, withGroups } from './plan.ts'

export type FoundPlan = { readonly plan: Plan; readonly found: FoundChannels }

/**
 * The plan with the channels that it means: where it names groups, with the channels that these have now. Groups are asked for
 * only where an id is no channel's.
 */
export async function findPlanned(sql: Sql, workspaceId: string, plan: Plan): Promise<FoundPlan> {
  const found = await findChannels(sql, workspaceId, channelIdsOf(plan))
  return expand(sql, workspaceId, { plan, found }, findGroups)
}

/** The same for a post that is created: its groups do not change until the transaction ends. */
export async function findToCreate(tx: Tx, workspaceId: string, plan: Plan): Promise<FoundPlan> {
  const found = await findChannels(tx, workspaceId, channelIdsOf(plan))
  return expand(tx, workspaceId, { plan, found }, lockGroups)
}

async function expand<S extends Sql>(
  sql: S,
  workspaceId: string,
  { plan, found }: FoundPlan,
  find: (sql: S, workspaceId: string, ids: readonly string[]) => ReturnType<typeof findGroups>,
): Promise<FoundPlan> {
  const unknown = channelIdsOf(plan).filter((id) => !found.channels.has(id))
  if (unknown.length === 0) return { plan: spreadOut(plan), found }
  const groups = await find(sql, workspaceId, unknown)
  if (groups.size === 0) return { plan: spreadOut(plan), found }
  const channelsOf = new Map([...groups].map(([id, { channelIds }]) => [id, channelIds]))
  const expanded = withGroups(plan, channelsOf)
  const more = await findChannels(sql, workspaceId, channelIdsOf(expanded))
  return { plan: spreadOut(expanded), found: { ...found, channels: more.channels } }
}
