import type { app } from '@postrider/contract'
import { networkName } from '../channels/network-name.ts'
import { countCharacters } from '../preview/count-characters.ts'
import { contentOf, type Draft, followersOf, type TextTab, textsOf } from './draft.ts'
import type { Tag } from './use-link-tags.ts'
import type { Checked } from './use-post-check.ts'

/** What a network counts of a part, and how much it takes. */
export type Count = {
  readonly name: string
  readonly characters: number
  readonly max: number
  /** Whether the server has counted just this text. */
  readonly exact: boolean
}

type Counted = Pick<
  app.ManagedChannel,
  'channelId' | 'provider' | 'handle' | 'displayName' | 'maxCharacters' | 'characterCounting'
>

/** The channels that a text is for: those that it reaches, and of the shared one that reaches none, all. */
export function reachedBy(draft: Draft, tab: TextTab): readonly string[] {
  if (tab !== null) return [tab]
  const followers = followersOf(draft)
  return followers.length === 0 ? draft.channelIds : followers
}

/** The counts of each part of a text, the first comment behind them: the server's, or about as much until it has counted. */
export function countsOf(
  { draft, tab, checked, tag }: { draft: Draft; tab: TextTab; checked: Checked | undefined; tag: Tag },
  channels: readonly Counted[],
): (index: number) => Count[] {
  const content = contentOf(draft, tab)
  const texts = textsOf(content)
  const ids = new Set(reachedBy(draft, tab))
  // A network that is switched off takes no characters at all, which is no count: the check says why.
  const shown = channels.filter(({ channelId, maxCharacters }) => ids.has(channelId) && maxCharacters > 0)
  // Channels of one network that take as much count alike.
  const kinds = [
    ...Map.groupBy(shown, ({ provider, maxCharacters }) => `${provider} ${maxCharacters}`).values(),
  ]
  return (index) => {
    const text = texts[index] ?? ''
    return kinds.flatMap(([channel]) => {
      if (channel === undefined) return []
      const { provider, maxCharacters: max, characterCounting } = channel
      const exact = text === '' ? 0 : serverCount(checked, channel.channelId, index, text)
      const published = textsOf(tag(content, channel))[index] ?? text
      const characters = exact ?? countCharacters(published, characterCounting)
      return [{ name: networkName(provider), characters, max, exact: exact !== null }]
    })
  }
}

/** The server's count, if it is one of this very text. */
function serverCount(
  checked: Checked | undefined,
  channelId: string,
  index: number,
  text: string,
): number | null {
  if (checked === undefined) return null
  const { draft, check } = checked
  const content = draft.variants[channelId] ?? draft.shared
  if (textsOf(content)[index] !== text) return null
  const destination = check.destinations.find((one) => one.channelId === channelId)
  return destination?.parts.find((one) => one.index === index)?.characters ?? null
}
