import { channelName, findChannel, findChannels, isId } from '@postrider/contract/plan'
import type { Channel, Postrider } from '@postrider/sdk'
import { type Context, textOf } from './command.ts'
import { usageError } from './exits.ts'

/** The id of the channel or group of a name. */
export function placeOf(channels: readonly Channel[], name: string): string {
  const found = findChannels(channels, name)
  if ('fault' in found) throw usageError(found.fault)
  return found.id
}

export function channelOf(channels: readonly Channel[], name: string): Channel {
  const found = findChannel(channels, name)
  if ('fault' in found) throw usageError(found.fault)
  return found
}

/** The channel that --channel names, of a post that may be on several. */
export async function channelOption(context: Context, client: Postrider): Promise<string | undefined> {
  const name = textOf(context.values, 'channel')
  if (name === undefined || isId(name)) return name
  return channelOf(await client.channels({ signal: context.signal }), name).channelId
}

/** The channel or group that --channel names, of posts that are looked for. */
export async function placeOption(context: Context, client: Postrider): Promise<string | undefined> {
  const name = textOf(context.values, 'channel')
  if (name === undefined || isId(name)) return name
  return placeOf(await client.channels({ signal: context.signal }), name)
}

/** A channel in a table. */
export function channelCell(
  channels: readonly Channel[],
  { channelId, provider }: { channelId: string; provider: string },
): string {
  const channel = channels.find((each) => each.channelId === channelId)
  return channel === undefined ? provider : channelName(channel)
}

/** The channels, for names in a table; none where the credential may not read them. */
export async function channelsForNames(
  { json, signal }: Context,
  client: Postrider,
): Promise<readonly Channel[]> {
  return json ? [] : client.channels({ signal }).catch(() => [])
}
