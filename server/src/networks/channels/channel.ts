import type { Limits, Providers } from '../providers/port/port.ts'
import type { ChannelRow } from './channel-store.ts'

/** What a channel of a provider that is not enabled can take: nothing. */
const NO_LIMITS: Limits = {
  maxCharacters: 0,
  characterCounting: 'code_points',
  media: { maxItems: 0, mixedKinds: false, maxAltCharacters: 0, kinds: [] },
}

/**
 * What one part may be on the channel. Where servers of a network differ, that is what the account's own server told;
 * else what the provider takes. A subscription that is not known counts as none.
 */
export function limitsOf(
  { provider, subscription, limits: own }: Pick<ChannelRow, 'provider' | 'subscription' | 'limits'>,
  providers: Providers,
): Limits {
  const limits = providers.get(provider)?.limits
  if (limits === undefined) return NO_LIMITS
  if (own !== null) return own
  const { subscribed, ...usual } = limits
  const longer = subscription !== null && subscribed?.subscriptions.includes(subscription) === true
  return longer ? { ...usual, maxCharacters: subscribed.maxCharacters } : usual
}

export type Obstacle = {
  readonly is: 'disabled' | 'provider_disabled' | 'reconnect_required'
  readonly reason: string
}

/** What keeps a channel from publishing now; null for nothing. */
export function obstacleOf(
  channel: Pick<ChannelRow, 'enabled' | 'provider' | 'connectionStatus' | 'authorizationLost'>,
  providers: Providers,
): Obstacle | null {
  if (!channel.enabled) return { is: 'disabled', reason: 'The channel is disabled in this workspace.' }
  if (!providers.has(channel.provider)) {
    return {
      is: 'provider_disabled',
      reason: `The network ${channel.provider} is not enabled on this server.`,
    }
  }
  if (channel.connectionStatus === 'reconnect_required') {
    return {
      is: 'reconnect_required',
      reason: channel.authorizationLost
        ? "This server has lost the key to the channel's access. Reconnect the channel."
        : "The network no longer accepts the channel's access. Reconnect the channel.",
    }
  }
  return null
}
