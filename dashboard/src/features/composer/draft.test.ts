import { describe, expect, test } from 'vitest'
import {
  addVariant,
  contentFor,
  emptyDraft,
  insertPart,
  isBlank,
  planOf,
  removePart,
  removeVariant,
  withContent,
  withGenerated,
  withPart,
} from './draft.ts'

const [x, sky] = ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a12']
const written = withContent(emptyDraft([x, sky]), null, { parts: [{ text: 'Hello', mediaIds: [] }] })

test('channels share one text until one of them has its own', () => {
  expect(planOf(written, null)).toEqual({ state: 'draft', channelIds: [x, sky], text: 'Hello' })

  const apart = withContent(addVariant(written, x), x, { parts: [{ text: 'Hello X', mediaIds: ['m'] }] })
  expect(planOf(apart, null)).toEqual({
    state: 'draft',
    targets: [
      { channelId: x, text: 'Hello X', mediaIds: ['m'] },
      { channelId: sky, text: 'Hello' },
    ],
  })
  expect(planOf(removeVariant(apart, x), null)).toEqual(planOf(written, null))
})

test('a thread is the parts after the first', () => {
  const thread = withPart(insertPart(written.shared, 0), 1, { text: 'more', mediaIds: [] })
  expect(planOf(withContent(written, null, thread), null)).toMatchObject({
    text: 'Hello',
    thread: [{ text: 'more' }],
  })
  expect(removePart(removePart(thread, 1), 0)).toEqual({ parts: [{ text: '', mediaIds: [] }] })
})

test('only a scheduled post says when', () => {
  const at = new Date('2026-12-01T08:00:00Z')
  const scheduled = { ...written, time: { state: 'scheduled', local: '2026-12-01T09:00' } } as const
  expect(planOf(scheduled, at)).toMatchObject({ state: 'scheduled', publishAt: '2026-12-01T08:00:00.000Z' })
  expect(planOf(written, at)).not.toHaveProperty('publishAt')
})

test('blank is what nobody would miss', () => {
  expect(isBlank(emptyDraft([x]))).toBe(true)
  expect(isBlank(withContent(emptyDraft(), null, { parts: [{ text: ' \n', mediaIds: [] }] }))).toBe(true)
  expect(isBlank(written)).toBe(false)
})

describe('texts that a model wrote', () => {
  const variant = (text: string, ...ids: string[]) => ({
    ...{ text, characters: text.length, maxCharacters: 280 },
    destinations: ids.map((id) => ({ id, provider: 'p', characters: text.length, maxCharacters: 280 })),
  })
  const before = { ...emptyDraft(['a', 'b']), shared: { parts: [{ text: 'mine', mediaIds: ['m'] }] } }

  test('one for all replaces the shared text, and keeps its media', () => {
    const after = withGenerated(before, [{ ...variant('theirs', 'a', 'b'), thread: [{ text: 'more' }] }])
    expect(after.shared.parts).toEqual([
      { text: 'theirs', mediaIds: ['m'] },
      { text: 'more', mediaIds: [] },
    ])
    expect(after.variants).toEqual({})
  })

  test('one for each gives every channel its own', () => {
    const after = withGenerated(before, [variant('for a', 'a'), variant('for b', 'b')])
    expect(['a', 'b'].map((id) => contentFor(after, id).parts[0]?.text)).toEqual(['for a', 'for b'])
  })
})
