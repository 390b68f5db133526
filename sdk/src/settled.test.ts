import { destinationStatusNames } from '@postrider/contract/names'
import { describe, expect, test } from 'vitest'
import type { Post } from './api.ts'
import { isSettled, nextLookMs } from './settled.ts'

const aPost = (destinations: object[], reviewStatus = 'not_required') =>
  ({ destinations, reviewStatus }) as unknown as Post
const now = Date.parse('2026-11-23T08:00:00Z')
const at = (ms: number) => new Date(now + ms).toISOString()

describe('whether nothing more becomes of a post by itself', () => {
  test('says so of every status there is', () => {
    const settled = destinationStatusNames.filter((status) =>
      isSettled(aPost([{ status, expiresAt: at(1) }])),
    )
    expect(settled.toSorted()).toEqual(
      ['cancelled', 'checking', 'draft', 'expired', 'failed', 'published', 'reconnect_required'].toSorted(),
    )
  })

  test('a part of it out for good is the end, a part out with work left is not', () => {
    expect(isSettled(aPost([{ status: 'partially_published', expiresAt: null }]))).toBe(true)
    expect(isSettled(aPost([{ status: 'partially_published', expiresAt: at(1) }]))).toBe(false)
  })

  test('a draft that a person is asked about is waited for', () => {
    expect(isSettled(aPost([{ status: 'draft' }], 'pending'))).toBe(false)
  })

  test('one channel under way is enough to wait', () => {
    expect(isSettled(aPost([{ status: 'published' }, { status: 'publishing' }]))).toBe(false)
  })
})

describe('when it is looked at again', () => {
  test.each([
    ['a second after it is due', [{ status: 'scheduled', publishAt: at(5_000) }], 0, 6_000],
    [
      'at the first of several',
      [
        { status: 'scheduled', publishAt: at(9_000) },
        { status: 'delayed', checkAgainAt: at(4_000) },
      ],
      0,
      5_000,
    ],
    ['no later than in half a minute', [{ status: 'scheduled', publishAt: at(3_600_000) }], 0, 30_000],
    ['soon while it is being published', [{ status: 'publishing', publishAt: at(-1) }], 0, 1_000],
    ['ever less often', [{ status: 'publishing', publishAt: at(-1) }], 2, 2_250],
    ['and never less than twice a minute', [{ status: 'publishing', publishAt: at(-1) }], 50, 30_000],
  ])('%s', (_, destinations, looks, expected) => {
    expect(nextLookMs(aPost(destinations), looks, now)).toBe(expected)
  })
})
