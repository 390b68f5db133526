import type { Content, DestinationStatus } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import type { DestinationRow } from '../../../engine/destinations/destination-store.ts'
import { changedFields, editAll, editTargets, findTargets, type ContentEdit } from './content-edit.ts'

function aDestination(
  channelId: string,
  content: Content | null,
  status: DestinationStatus = 'draft',
): DestinationRow {
  return {
    destinationId: channelId,
    channelId,
    provider: 'sandbox-short',
    status,
    content,
    channel: {
      displayName: channelId,
      enabled: true,
      connectionStatus: 'connected',
      authorizationLost: false,
    },
    controlToken: 't',
    settings: { visibility: channelId },
    doubt: false,
    restWaits: false,
    seriesId: null,
    waitsFor: null,
    ahead: 0,
    parts: [],
    publishAt: null,
    queued: false,
    publishedAt: null,
    releaseUrl: null,
    checkAgainAt: null,
    expiresAt: null,
    error: null,
    lastError: null,
    latestChange: null,
  }
}

const full: Content = { text: 'old', mediaIds: ['m1', 'm2'], thread: [{ text: 'two', mediaIds: ['m3'] }] }
const own: Content = { text: 'own', mediaIds: ['m9'], thread: [{ text: 'own two' }] }

const shared = { content: full, destinations: [aDestination('a', null), aDestination('b', null)] }
const mixed = { content: full, destinations: [aDestination('a', null), aDestination('b', own)] }
const separate = { content: null, destinations: [aDestination('a', full), aDestination('b', own)] }

/** What the post shares, and what each edited destination publishes as its own (null where it shares). */
const outcome = ({ shared, destinations }: ContentEdit) => ({
  shared,
  own: Object.fromEntries(destinations.map(({ destination, own }) => [destination.channelId, own])),
})

function targets(post: typeof shared | typeof mixed | typeof separate, ...changes: object[]): ContentEdit {
  const found = findTargets(post.destinations, changes as { channelId: string }[])
  if ('unknownTarget' in found) throw new Error(`no target ${found.unknownTarget}`)
  return editTargets(post, found)
}

describe('an edit of all channels', () => {
  test.each<[string, object, Content]>([
    ['text alone keeps media and thread', { text: 'new' }, { ...full, text: 'new' }],
    ['media alone keep text and thread', { mediaIds: ['m4'] }, { ...full, mediaIds: ['m4'] }],
    [
      'a thread alone keeps text and media',
      { thread: [{ text: 'x' }] },
      { ...full, thread: [{ text: 'x' }] },
    ],
    ['an empty thread removes it', { thread: [] }, { text: 'old', mediaIds: ['m1', 'm2'] }],
    ['empty media remove them', { mediaIds: [] }, { text: 'old', thread: full.thread! }],
    ['an empty text is a text', { text: '' }, { ...full, text: '' }],
    ['all of it replaces all of it', { text: 'a', mediaIds: [], thread: [] }, { text: 'a' }],
  ])('%s', (_name, change, after) => {
    expect(outcome(editAll(shared, change))).toEqual({ shared: after, own: { a: null, b: null } })
  })

  test('keeps what a channel has of its own and the edit does not name', () => {
    expect(outcome(editAll(mixed, { text: 'new' }))).toEqual({
      shared: { ...full, text: 'new' },
      own: { a: null, b: { ...own, text: 'new' } },
    })
    expect(outcome(editAll(separate, { mediaIds: [] }))).toEqual({
      shared: null,
      own: { a: { text: 'old', thread: full.thread }, b: { text: 'own', thread: own.thread } },
    })
  })

  test('has channels share what is the same for them afterwards', () => {
    const all = { text: 'same', mediaIds: [], thread: [{ text: 'for all' }] }
    const after = { text: 'same', thread: [{ text: 'for all' }] }
    for (const post of [mixed, separate]) {
      expect(outcome(editAll(post, all))).toEqual({ shared: after, own: { a: null, b: null } })
    }
  })

  test('leaves out what is over', () => {
    const post = {
      content: full,
      destinations: [aDestination('a', null, 'cancelled'), aDestination('b', own)],
    }
    expect(outcome(editAll(post, { text: 'new' }))).toEqual({
      shared: null,
      own: { b: { ...own, text: 'new' } },
    })
  })

  test('keeps settings', () => {
    for (const { destination, settings } of editAll(shared, { text: 'new' }).destinations) {
      expect(settings).toEqual(destination.settings)
    }
  })
})

describe('an edit of some channels', () => {
  test.each<[string, object, Content]>([
    ['text alone', { text: 'new' }, { ...full, text: 'new' }],
    ['no thread', { thread: [] }, { text: 'old', mediaIds: ['m1', 'm2'] }],
    ['no media', { mediaIds: [] }, { text: 'old', thread: full.thread! }],
  ])('begins with what the channel shares: %s', (_name, change, after) => {
    const edit = targets(shared, { channelId: 'a', ...change })
    expect(outcome(edit)).toEqual({ shared: full, own: { a: after } })
  })

  test('begins with what the channel has of its own', () => {
    expect(outcome(targets(mixed, { channelId: 'b', text: 'new' }))).toEqual({
      shared: full,
      own: { b: { ...own, text: 'new' } },
    })
  })

  test('leaves nothing shared once every channel was named', () => {
    const edit = targets(shared, { channelId: 'a', text: 'x' }, { channelId: 'b', text: 'y' })
    expect(edit.shared).toBeNull()
    expect(targets(mixed, { channelId: 'a', text: 'x' }).shared).toBeNull()
  })

  test('of settings alone keeps the content shared, and the other settings', () => {
    const edit = targets(shared, { channelId: 'a', settings: { visibility: 'unlisted' } })
    expect(outcome(edit)).toEqual({ shared: full, own: { a: null } })
    expect(edit.destinations.map(({ settings }) => settings)).toEqual([{ visibility: 'unlisted' }])
    expect(targets(shared, { channelId: 'a', settings: {} }).destinations[0]!.settings).toEqual({})
    expect(targets(shared, { channelId: 'a', text: 'x' }).destinations[0]!.settings).toEqual({
      visibility: 'a',
    })
  })

  test('names no channel that is over or not there', () => {
    const over = [aDestination('a', null, 'expired'), aDestination('b', null)]
    expect(
      findTargets(over, [
        { channelId: 'b', text: 'x' },
        { channelId: 'a', text: 'x' },
      ]),
    ).toEqual({
      unknownTarget: 1,
    })
    expect(findTargets(over, [{ channelId: 'c', text: 'x' }])).toEqual({ unknownTarget: 0 })
  })
})

test('an edit knows which fields it changes, and sending what is there already changes nothing', () => {
  expect(changedFields(shared, editAll(shared, { text: 'new', mediaIds: full.mediaIds! }))).toEqual(['text'])
  expect(changedFields(mixed, editAll(mixed, { thread: [] }))).toEqual(['thread'])
  expect(changedFields(shared, editAll(shared, { text: 'old' }))).toEqual([])
  const settings = targets(shared, { channelId: 'a', settings: {}, mediaIds: [] })
  expect(changedFields(shared, settings)).toEqual(['mediaIds', 'settings'])
})
