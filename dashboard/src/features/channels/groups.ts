import type { app } from '@postrider/contract'

/** A group as its channels tell of it: one without channels is not among them. */
export type KnownGroup = {
  readonly groupId: string
  readonly name: string
  readonly channelIds: readonly string[]
}

type Grouped = Pick<app.ManagedChannel, 'channelId' | 'groups'>

/** The groups that channels are in, by name, each with those of the channels that it has. */
export function groupsOf(channels: readonly Grouped[]): KnownGroup[] {
  const known = new Map<string, KnownGroup & { channelIds: string[] }>()
  for (const { channelId, groups } of channels) {
    for (const { groupId, name } of groups) {
      const group = known.get(groupId) ?? { groupId, name, channelIds: [] }
      group.channelIds.push(channelId)
      known.set(groupId, group)
    }
  }
  return [...known.values()].toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
}

/** The choices of a filter by channel: groups, then channels. */
export function placesOf(
  channels: readonly (Grouped & Pick<app.ManagedChannel, 'displayName'>)[],
  allOf: (group: string) => string,
): (readonly [id: string, name: string])[] {
  return [
    ...groupsOf(channels).map(({ groupId, name }) => [groupId, allOf(name)] as const),
    ...channels.map(({ channelId, displayName }) => [channelId, displayName] as const),
  ]
}

/** Whether a channel is the one of a filter, or in the group of it. */
export function isAmong(
  channels: readonly Grouped[],
  channelId: string,
  wanted: string | undefined,
): boolean {
  if (wanted === undefined || wanted === channelId) return true
  const channel = channels.find((one) => one.channelId === channelId)
  return channel?.groups.some(({ groupId }) => groupId === wanted) ?? false
}
