import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byUse, pinnedOf, searchChannels } from './channel-choices.ts'

const channel = (channelId: string, provider = 'bluesky', lastPublishedAt: string | null = null) => ({
  channelId,
  provider,
  lastPublishedAt,
  displayName: `Account ${channelId}`,
  handle: `${channelId}.example`,
})
const ids = (channels: readonly { channelId: string }[]) => channels.map(({ channelId }) => channelId)

test('what this person used last is in front, then what was published to last, then the rest by name', () => {
  const channels = [
    channel('10'),
    channel('9'),
    channel('out', 'x', '2026-01-01T00:00:00.000Z'),
    channel('mine'),
  ]
  expect(ids(byUse(channels, ['mine', 'gone']))).toEqual(['mine', 'out', '9', '10'])
})

test('channels are found by name, account and network', () => {
  const channels = [channel('one'), channel('two', 'linkedin')]
  expect(ids(searchChannels(channels, 'linked acc'))).toEqual(['two'])
  expect(ids(searchChannels(channels, '@one'))).toEqual(['one'])
  expect(ids(searchChannels(channels, ' '))).toEqual(['one', 'two'])
  // Its network has the first word, and its name the second.
  const other = { ...channel('other', 'sandbox-short'), displayName: 'Number one' }
  const named = { ...channel('named', 'sandbox-short'), displayName: 'Short one' }
  expect(ids(searchChannels([other, named], 'short one'))).toEqual(['named', 'other'])
})

test('of what is shown nothing moves, and all that is chosen is shown where there is room', () => {
  const known = Array.from({ length: 30 }, (_, at) => String(at))
  const subset = fc.subarray(known)
  fc.assert(
    fc.property(subset, subset, (former, chosen) => {
      const before = pinnedOf([], known, former, 8)
      const after = pinnedOf(before, known, chosen, 8)
      expect(after).toHaveLength(8)
      const room = Math.min(8, chosen.length)
      expect(after.filter((id) => chosen.includes(id))).toHaveLength(room)
      const stayed = after.filter((id) => before.includes(id))
      expect(stayed).toEqual(before.filter((id) => after.includes(id)))
      if (chosen.every((id) => before.includes(id))) expect(after).toEqual(before)
    }),
  )
})
