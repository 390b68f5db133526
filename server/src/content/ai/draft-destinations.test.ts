import { describe, expect, test } from 'vitest'
import { x } from '../../networks/providers/x/x.ts'
import type { ChannelRow } from '../../networks/channels/channel-store.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import type { Provider } from '../../networks/providers/port/port.ts'
import { sandboxShort } from '../../networks/providers/sandbox/sandbox.ts'
import { readDestinations } from './draft-destinations.ts'

const mute: Provider = {
  ...sandboxShort,
  provider: 'mute',
  displayName: 'Mute',
  supports: { threads: false, lookup: true },
  idAt: () => null,
}
const providers = new Map([x, mute, sandboxShort].map((adapter) => [adapter.provider, adapter]))

function aChannel(channelId: string, change: Partial<ChannelRow> = {}): [string, ChannelRow] {
  const channel: ChannelRow = {
    channelId,
    provider: 'x',
    displayName: 'Acme',
    handle: 'acme',
    avatarUrl: null,
    enabled: true,
    connectionStatus: 'connected',
    subscription: null,
    limits: null,
    authorizationEndsAt: null,
    postingTimes: [],
    authorizationLost: false,
    ...change,
  }
  return [channelId, channel]
}

const channels = new Map([
  aChannel('free'),
  aChannel('none', { subscription: 'None' }),
  aChannel('basic', { subscription: 'Basic' }),
  aChannel('premium', { subscription: 'Premium' }),
  aChannel('plus', { subscription: 'PremiumPlus' }),
  aChannel('short', { provider: 'sandbox-short', subscription: 'Premium' }),
  aChannel('off', { enabled: false, subscription: 'Premium' }),
  aChannel('lapsed', { connectionStatus: 'reconnect_required', subscription: 'Premium' }),
])

function read(one: { id?: string; provider?: string; maxCharacters?: number }, threaded = false) {
  const found = readDestinations([one], { channels, linkTags: null }, providers, { threaded })
  return isRefusal(found) ? found.refused : found[0]?.maxCharacters
}

describe('X above 280 characters', () => {
  test.each(['basic', 'premium', 'plus', 'lapsed'])('is for a connected channel with a tier: %s', (id) => {
    expect(read({ id })).toBe(25_000)
    expect(read({ id, provider: 'x', maxCharacters: 25_000 })).toBe(25_000)
    expect(read({ id, maxCharacters: 1_000 })).toBe(1_000)
    expect(read({ id, maxCharacters: 25_001 })).toBe('validation_failed')
  })

  test.each(['free', 'none'])('is refused to a channel whose tier is not confirmed: %s', (id) => {
    expect(read({ id, maxCharacters: 281 })).toBe('subscription_unconfirmed')
    expect(read({ id })).toBe(280)
    expect(read({ id, maxCharacters: 280 })).toBe(280)
  })

  test('is refused without a channel', () => {
    expect(read({ provider: 'x', maxCharacters: 281 })).toBe('subscription_unconfirmed')
    expect(read({ provider: 'x' })).toBe(280)
  })

  test('is nothing that a tier of another network gives', () => {
    expect(read({ id: 'short' })).toBe(280)
    expect(read({ id: 'short', maxCharacters: 281 })).toBe('validation_failed')
  })
})

test('a channel is named by its own provider, or by none', () => {
  expect(read({ id: 'free', provider: 'sandbox-short' })).toBe('validation_failed')
  expect(read({ id: 'gone' })).toBe('channel_unavailable')
  expect(read({ id: 'off' })).toBe('channel_unavailable')
})

test('threads are for networks that have them', () => {
  expect(read({ provider: 'mute' })).toBe(280)
  expect(read({ provider: 'mute' }, true)).toBe('validation_failed')
  expect(read({ provider: 'x' }, true)).toBe(280)
})
