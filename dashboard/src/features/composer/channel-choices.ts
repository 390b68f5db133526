import type { app } from '@postrider/contract'
import { networkName, shownHandle } from '../channels/network-name.ts'

type Channel = Pick<
  app.ManagedChannel,
  'channelId' | 'displayName' | 'handle' | 'provider' | 'lastPublishedAt'
>

/** The channels, those that this person used last in front, then those that anybody did. */
export function byUse<One extends Channel>(channels: readonly One[], used: readonly string[]): One[] {
  const rank = new Map(used.map((id, at) => [id, at]))
  const rankOf = ({ channelId }: One) => rank.get(channelId) ?? Number.POSITIVE_INFINITY
  const timeOf = ({ lastPublishedAt }: One) => (lastPublishedAt === null ? 0 : Date.parse(lastPublishedAt))
  return channels.toSorted(
    (a, b) =>
      compare(rankOf(a), rankOf(b)) ||
      timeOf(b) - timeOf(a) ||
      a.displayName.localeCompare(b.displayName, undefined, { numeric: true }) ||
      a.channelId.localeCompare(b.channelId),
  )
}

const compare = (a: number, b: number) => (a === b ? 0 : a - b)

/**
 * The channels of which each word that was typed is within the name, the account or the network; those that have all of it in their name
 * as it was typed are in front.
 */
export function searchChannels<One extends Channel>(channels: readonly One[], typed: string): One[] {
  const asked = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const found = channels.filter(({ displayName, handle, provider }) => {
    const within = `${displayName} ${shownHandle(provider, handle)} ${networkName(provider)}`.toLowerCase()
    return asked.every((word) => within.includes(word))
  })
  const isNamed = ({ displayName }: One) => displayName.toLowerCase().includes(asked.join(' '))
  return [...found.filter(isNamed), ...found.filter((one) => !isNamed(one))]
}

/**
 * The channels that are shown without being searched for: those that were shown before stay where they are, since nothing may
 * move under the pointer, and chosen ones come behind. `ordered` fills what is left.
 */
export function pinnedOf(
  before: readonly string[],
  ordered: readonly string[],
  chosen: readonly string[],
  most: number,
): string[] {
  const known = new Set(ordered)
  const all = [...new Set([...before, ...chosen])].filter((id) => known.has(id))
  const room = (ids: readonly string[]) => Math.max(0, most - ids.length)
  if (all.length <= most) {
    const rest = ordered.filter((id) => !all.includes(id))
    return [...all, ...rest.slice(0, room(all))]
  }
  const isChosen = new Set(chosen)
  const kept = all.filter((id) => isChosen.has(id)).slice(0, most)
  const others = all.filter((id) => !isChosen.has(id)).slice(0, room(kept))
  const shown = new Set([...kept, ...others])
  return all.filter((id) => shown.has(id))
}
