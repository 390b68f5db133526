import type { Channel } from '@postrider/sdk'
import { usageError } from './exits.ts'
import { nearest } from './terminal.ts'

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What a channel is called on a command line and in a plan. */
export function channelName({ provider, handle }: Pick<Channel, 'provider' | 'handle'>): string {
  return `${provider}:${handle}`
}

/** The channel of a name, or why it is not one: a handle, `provider:handle`, or an id. */
export function findChannel(
  channels: readonly Channel[],
  name: string,
): Channel | { readonly fault: string } {
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
  return { fault: `There is no channel ${name}. ${meant === null ? known : `Do you mean ${meant}?`}` }
}

export function channelOf(channels: readonly Channel[], name: string): Channel {
  const found = findChannel(channels, name)
  if ('fault' in found) throw usageError(found.fault)
  return found
}

/** Whether a channel has to be looked up by its name. */
export function isId(name: string): boolean {
  return ID.test(name)
}
