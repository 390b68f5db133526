import { nearest } from './nearest.ts'
import type { Channel } from '../channels.ts'

/** What of a channel its names are made of. */
export type NamedChannel = Pick<Channel, 'channelId' | 'provider' | 'handle'> & {
  readonly groups: readonly { readonly groupId: string; readonly name: string }[]
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What a channel is called on a command line and in a plan. */
export function channelName({ provider, handle }: Pick<Channel, 'provider' | 'handle'>): string {
  return `${provider}:${handle}`
}

/** The channel of a name, or why it is not one: a handle, `provider:handle`, or an id. */
export function findChannel<C extends NamedChannel>(
  channels: readonly C[],
  name: string,
): C | { readonly fault: string } {
  const bare = (text: string) => text.replace(/^@/, '').toLowerCase()
  const found = channels.filter(
    (channel) =>
      channel.channelId === name ||
      bare(channel.handle) === bare(name) ||
      channelName(channel).toLowerCase() === name.toLowerCase() ||
      `${channel.provider}:${bare(channel.handle)}` === name.toLowerCase(),
  )
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  if (found.length > 1) {
    return { fault: `${name} is several channels: name ${found.map(channelName).join(' or ')}.` }
  }
  const names = channels.map(channelName)
  const meant = nearest(name, [...names, ...channels.map(({ handle }) => handle)])
  const known = names.length === 0 ? 'There is no channel yet.' : `There are ${names.join(', ')}.`
  return { fault: `There is no channel ${name}. ${meant === null ? known : `Did you mean ${meant}?`}` }
}

/** How a group is named where a channel may have the same name. */
const GROUP = 'group:'

/** The channels that a name means: one channel, or all of a group. */
export function findChannels<C extends NamedChannel>(
  channels: readonly C[],
  name: string,
): { readonly id: string; readonly channels: readonly C[] } | { readonly fault: string } {
  const bare = name.startsWith(GROUP) ? name.slice(GROUP.length) : name
  const wanted = bare.normalize('NFC').toLowerCase()
  const groups = new Map(channels.flatMap(({ groups }) => groups.map(({ groupId, name }) => [groupId, name])))
  const found = findChannel(channels, name)
  const [groupId] = [...groups].find(([id, called]) => id === bare || called.toLowerCase() === wanted) ?? []
  if (groupId !== undefined && 'fault' in found)
    return {
      id: groupId,
      channels: channels.filter((one) => one.groups.some((group) => group.groupId === groupId)),
    }
  if (!('fault' in found)) return { id: found.channelId, channels: [found] }
  if (groups.size === 0) return found
  return { fault: `${found.fault} The groups are ${[...groups.values()].join(', ')}.` }
}

/** Whether a channel has to be looked up by its name. */
export function isId(name: string): boolean {
  return ID.test(name)
}
