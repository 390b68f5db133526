import type { DraftDestination as Wanted, LinkTags } from '@postrider/contract'
import type { LinkTagValues } from '@postrider/contract/names'
import type { ChannelRow, FoundChannels } from '../../networks/channels/channel-store.ts'
import { limitsOf, obstacleOf } from '../../networks/channels/channel.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { tagValuesOf } from '../posts/create/tagged-parts.ts'
import type { Limits, ProviderFacts, Providers } from '../../networks/providers/port/port.ts'

/** Where a draft is to fit, and what that takes. */
export type Destination = Pick<Limits, 'maxCharacters' | 'characterCounting'> & {
  /** Null where only a provider was named. */
  readonly channelId: string | null
  readonly provider: string
  /** What is added to links there, which counts; null for nothing. */
  readonly linkTags: { readonly rule: LinkTags; readonly values: LinkTagValues } | null
}

type Refused = Refusal<'validation_failed' | 'channel_unavailable' | 'subscription_unconfirmed'>

/**
 * Reads the destinations of a request; `channels` holds those of them that the workspace has. Refuses what no model
 * can write for, before one is asked: more than an account may post counts as confirmed only by the stored
 * subscription of a connected channel.
 */
export function readDestinations(
  wanted: readonly Wanted[],
  { channels, linkTags }: Pick<FoundChannels, 'channels' | 'linkTags'>,
  providers: Providers,
  { threaded }: { readonly threaded: boolean },
): readonly Destination[] | Refused {
  const found: Destination[] = []
  for (const [index, one] of wanted.entries()) {
    const pointer = `/destinations/${index}`
    if (wanted.findIndex((other) => isSame(other, one)) < index)
      return invalid(
        pointer,
        'repeated',
        `The destination ${one.id ?? one.provider} is named twice. Name it once.`,
      )
    const target = findTarget(one, channels, providers, pointer)
    if ('refused' in target) return target
    const { adapter } = target
    if (threaded && !adapter.supports.threads) {
      return invalid(
        `${pointer}/${one.id === undefined ? 'provider' : 'id'}`,
        'not_allowed',
        `${adapter.displayName} has no threads. Leave it out, or ask for another \`result\`.`,
      )
    }
    const maxCharacters = readLimit(one, target, pointer)
    if (typeof maxCharacters !== 'number') return maxCharacters
    const { characterCounting } = adapter.limits
    found.push({
      channelId: one.id ?? null,
      provider: adapter.provider,
      maxCharacters,
      characterCounting,
      linkTags: tagsFor(linkTags, channels.get(one.id ?? '') ?? null, adapter.provider),
    })
  }
  return found
}

/** Which labels a post will have is not known, nor is the account where only a provider is named. */
function tagsFor(
  rule: LinkTags | null,
  channel: ChannelRow | null,
  network: string,
): Destination['linkTags'] {
  if (rule === null) return null
  const values = channel === null ? { channel: '', network } : tagValuesOf(channel)
  return { rule, values: { ...values, label: null } }
}

function isSame(one: Wanted, other: Wanted): boolean {
  return one.id === other.id && (one.id !== undefined || one.provider === other.provider)
}

/** `limit` is how long a part may be there. */
type Target = { readonly adapter: ProviderFacts; readonly limit: number }

function findTarget(
  { id, provider }: Wanted,
  channels: ReadonlyMap<string, ChannelRow>,
  providers: Providers,
  pointer: string,
): Target | Refused {
  if (id === undefined) {
    if (provider === undefined)
      return invalid(pointer, 'required', 'A destination needs the `id` of a channel, or a `provider`.')
    const adapter = providers.get(provider)
    return adapter === undefined
      ? unknownProvider(provider, providers, `${pointer}/provider`)
      : { adapter, limit: adapter.limits.maxCharacters }
  }
  const channel = channels.get(id)
  if (channel === undefined) {
    return refuse(
      'channel_unavailable',
      `There is no channel ${id} in this workspace. Take the \`channelId\` from the list of channels.`,
    )
  }
  const obstacle = obstacleOf(channel, providers)
  if (obstacle !== null && obstacle.is !== 'reconnect_required') {
    return refuse('channel_unavailable', `${obstacle.reason} Leave it out, or enable it again.`)
  }
  const adapter = providers.get(channel.provider)
  if (adapter === undefined) return unknownProvider(channel.provider, providers, pointer)
  if (provider !== undefined && provider !== channel.provider) {
    return invalid(
      `${pointer}/provider`,
      'not_allowed',
      `The channel is one of ${channel.provider}, not of ${provider}. Leave \`provider\` out.`,
    )
  }
  return { adapter, limit: limitsOf(channel, providers).maxCharacters }
}

function readLimit(
  { id, maxCharacters: wished }: Wanted,
  { adapter, limit }: Target,
  pointer: string,
): number | Refused {
  if (wished === undefined || wished <= limit) return wished ?? limit
  const { displayName, limits } = adapter
  const { subscribed } = limits
  if (subscribed === undefined || wished > subscribed.maxCharacters) {
    const most = Math.max(limit, subscribed?.maxCharacters ?? 0)
    return invalid(
      `${pointer}/maxCharacters`,
      'out_of_range',
      `${displayName} takes at most ${most} characters; \`${wished}\` was sent.`,
    )
  }
  const tiers = subscribed.subscriptions.join(', ')
  const detail =
    id === undefined
      ? `More than ${limit} characters on ${displayName} need an account with a subscription (${tiers}). Name the connected channel by its \`id\`.`
      : `No subscription (${tiers}) is confirmed for this channel, so ${displayName} takes ${limit} characters. Reconnect the channel to read the subscription again, or ask for less.`
  return refuse('subscription_unconfirmed', detail)
}

function unknownProvider(provider: string, providers: Providers, pointer: string): Refused {
  const detail = `There is no provider ${provider} on this server. There are: ${[...providers.keys()].join(', ')}.`
  return invalid(pointer, 'not_allowed', detail)
}

function invalid(pointer: string, code: string, detail: string): Refused {
  return refuse('validation_failed', detail, { errors: [{ pointer, code, detail }] })
}
