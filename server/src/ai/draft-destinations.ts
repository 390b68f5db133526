import type { DraftDestination as Wanted } from '@postrider/contract'
import type { ChannelRow } from '../channels/channel-store.ts'
import { limitsOf, obstacleOf } from '../channels/channel.ts'
import { refuse, type Refusal } from '../platform/refusal.ts'
import type { Adapter, Limits, Providers } from '../providers/port.ts'

/** Where a draft is to fit, and what that takes. */
export type Destination = Pick<Limits, 'maxCharacters' | 'characterCounting'> & {
  /** Null where only a provider was named. */
  readonly channelId: string | null
  readonly provider: string
  readonly displayName: string
  /** The channel, or one of the provider as they usually are: what the post check judges by. */
  readonly channel: ChannelRow
}

type Refused = Refusal<'validation_failed' | 'channel_unavailable' | 'subscription_unconfirmed'>

/**
 * Reads the destinations of a request; `channels` holds those of them that the workspace has. Refuses what nobody
 * can write for, before anybody is asked: more than an account may post counts as confirmed only by the stored
 * subscription of a connected channel.
 */
export function readDestinations(
  wanted: readonly Wanted[],
  channels: ReadonlyMap<string, ChannelRow>,
  providers: Providers,
  threaded: boolean,
): readonly Destination[] | Refused {
  const found: Destination[] = []
  for (const [index, one] of wanted.entries()) {
    const pointer = `/destinations/${index}`
    const same = wanted.findIndex(
      ({ id, provider }) => id === one.id && (id !== undefined || provider === one.provider),
    )
    if (same < index)
      return invalid(pointer, 'repeated', `The destination ${nameOf(one)} is named twice. Name it once.`)
    const channel = findChannel(one, channels, providers, pointer)
    if ('refused' in channel) return channel
    const adapter = providers.get(channel.provider)
    if (adapter === undefined) return unknownProvider(channel.provider, providers, pointer)
    if (threaded && !adapter.supports.threads) {
      return invalid(
        `${pointer}/${one.id === undefined ? 'provider' : 'id'}`,
        'not_allowed',
        `${adapter.displayName} has no threads. Leave it out, or ask for another \`result\`.`,
      )
    }
    const limit = readLimit(one, channel, adapter, providers, pointer)
    if (typeof limit !== 'number') return limit
    found.push({
      channelId: one.id ?? null,
      provider: channel.provider,
      displayName:
        one.id === undefined ? adapter.displayName : `${channel.displayName} (${adapter.displayName})`,
      maxCharacters: limit,
      characterCounting: adapter.limits.characterCounting,
      channel,
    })
  }
  return found
}

function findChannel(
  { id, provider }: Wanted,
  channels: ReadonlyMap<string, ChannelRow>,
  providers: Providers,
  pointer: string,
): ChannelRow | Refused {
  if (id === undefined) {
    if (provider === undefined) {
      return invalid(pointer, 'required', 'A destination needs the `id` of a channel, or a `provider`.')
    }
    return providers.has(provider)
      ? usualChannel(provider)
      : unknownProvider(provider, providers, `${pointer}/provider`)
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
    return refuse('channel_unavailable', `${obstacle.reason} Leave it out, or have it switched on again.`)
  }
  if (provider !== undefined && provider !== channel.provider) {
    return invalid(
      `${pointer}/provider`,
      'not_allowed',
      `The channel is one of ${channel.provider}, not of ${provider}. Leave \`provider\` out.`,
    )
  }
  return channel
}

/** A channel as any account of the provider could have. */
function usualChannel(provider: string): ChannelRow {
  return {
    channelId: `any-${provider}`,
    provider,
    displayName: provider,
    handle: '',
    avatarUrl: null,
    enabled: true,
    connectionStatus: 'connected',
    subscription: null,
    grantEndsAt: null,
  }
}

function readLimit(
  { id, maxCharacters: wished }: Wanted,
  channel: ChannelRow,
  { displayName, limits }: Adapter,
  providers: Providers,
  pointer: string,
): number | Refused {
  const { maxCharacters } = limitsOf(channel, providers)
  if (wished === undefined || wished <= maxCharacters) return wished ?? maxCharacters
  const { subscribed } = limits
  if (subscribed === undefined || wished > subscribed.maxCharacters) {
    const most = Math.max(maxCharacters, subscribed?.maxCharacters ?? 0)
    return invalid(
      `${pointer}/maxCharacters`,
      'out_of_range',
      `${displayName} takes at most ${most} characters; \`${wished}\` was sent.`,
    )
  }
  const tiers = subscribed.subscriptions.join(', ')
  const detail =
    id === undefined
      ? `More than ${maxCharacters} characters on ${displayName} need an account with a subscription (${tiers}). Name the connected channel by its \`id\`.`
      : `No subscription (${tiers}) of this channel is confirmed, so that ${displayName} takes ${maxCharacters} characters. Have its owner reconnect it, which reads the subscription again, or ask for less.`
  return refuse('subscription_unconfirmed', detail)
}

function unknownProvider(provider: string, providers: Providers, pointer: string): Refused {
  const detail = `There is no provider ${provider} on this server. There are: ${[...providers.keys()].join(', ')}.`
  return invalid(pointer, 'not_allowed', detail)
}

function nameOf({ id, provider }: Wanted): string {
  return id ?? provider ?? ''
}

function invalid(pointer: string, code: string, detail: string): Refused {
  return refuse('validation_failed', detail, { errors: [{ pointer, code, detail }] })
}
