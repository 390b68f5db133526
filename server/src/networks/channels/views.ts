import type { app, Channel } from '@postrider/contract'
import type { ProviderFacts, Providers } from '../providers/port/port.ts'
import type { ListedChannelRow, ManagedChannelRow } from './channel-store.ts'
import { limitsOf, obstacleOf } from './channel.ts'
import { fromMinutes } from './posting-times.ts'

/** A channel as the API shows it. */
export function viewChannel(channel: ListedChannelRow, providers: Providers): Channel {
  const {
    channelId,
    provider,
    displayName,
    handle,
    avatarUrl,
    connectionStatus,
    subscription,
    authorizationEndsAt,
    groups,
  } = channel
  const obstacle = obstacleOf(channel, providers)
  return {
    channelId,
    provider,
    displayName,
    handle,
    avatarUrl,
    connectionStatus,
    authorizedUntil: authorizationEndsAt?.toISOString() ?? null,
    publication: { available: obstacle === null, reason: obstacle?.reason ?? null },
    ...limitsOf(channel, providers),
    ...(subscription === null ? {} : { subscription }),
    capabilities: capabilitiesOf(providers.get(provider)),
    groups: [...groups],
    postingTimes: fromMinutes(channel.postingTimes),
  }
}

function capabilitiesOf(facts: ProviderFacts | undefined): Channel['capabilities'] {
  const { threads = false, firstComment = false } = facts?.supports ?? {}
  return { threads, firstComment }
}

/** The same as those see it who manage channels. */
export function viewManagedChannel(channel: ManagedChannelRow, providers: Providers): app.ManagedChannel {
  const { enabled, lastPublishedAt, pausedUntil, planned, renamed } = channel
  return {
    ...viewChannel(channel, providers),
    enabled,
    lastPublishedAt: lastPublishedAt?.toISOString() ?? null,
    pausedUntil: pausedUntil?.toISOString() ?? null,
    planned,
    renamed,
  }
}
