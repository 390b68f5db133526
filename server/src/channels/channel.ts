import type { Limits, Providers } from '../providers/port.ts'
import type { ChannelRow } from './channel-store.ts'

/** What a channel of a provider that is not enabled can take: nothing. */
const NO_LIMITS: Limits = {
  maxCharacters: 0,
  characterCounting: 'code_points',
  media: { maxItems: 0, mixedKinds: false, maxAltCharacters: 0, kinds: [] },
}

/** How long one part may be on the channel, and how that is counted. A subscription that is not known counts as none. */
export function limitsOf(
  { provider, subscription }: Pick<ChannelRow, 'provider' | 'subscription'>,
  providers: Providers,
): Limits {
  const limits = providers.get(provider)?.limits
  if (limits === undefined) return NO_LIMITS
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
  channel: Pick<ChannelRow, 'enabled' | 'provider' | 'connectionStatus' | 'grantLost'>,
  providers: Providers,
): Obstacle | null {
  if (!channel.enabled) return { is: 'disabled', reason: 'The channel is switched off in this workspace.' }
  if (!providers.has(channel.provider)) {
    return {
      is: 'provider_disabled',
      reason: `The provider ${channel.provider} is not enabled on this server.`,
    }
  }
  if (channel.connectionStatus === 'reconnect_required') {
    return {
      is: 'reconnect_required',
      reason: channel.grantLost
        ? 'This server has lost the key that the authorisation was encrypted with: the owner must reconnect the channel.'
        : 'The provider no longer accepts the authorisation: the owner must reconnect the channel.',
    }
  }
  return null
}
