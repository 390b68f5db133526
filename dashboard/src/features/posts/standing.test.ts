import type { Destination, Post } from '@postrider/contract'
import { expect, test } from 'vitest'
import { standingWords } from './standing.ts'

const delayed = {
  status: 'delayed',
  displayName: 'Anna',
  provider: 'mastodon',
  expiresAt: '2026-12-02T09:00:00.000Z',
  lastError: {
    code: 'rate_limited',
    message: 'The rate limit is reached.',
    provider: 'mastodon',
    retryable: true,
  },
} as const
const standing = (rest: Pick<Destination, 'error' | 'checkAgainAt'>) =>
  standingWords({ ...delayed, ...rest } as unknown as Destination, {} as Post, 'UTC')

test('what is delayed says why as long as that holds, and then no more', () => {
  const held = standing({ error: delayed.lastError, checkAgainAt: '2026-12-01T09:00:00.000Z' })
  expect(held).toMatch(/^Not published yet: The rate limit is reached\. Next attempt .*\.$/)
  expect(standing({ error: null, checkAgainAt: null })).toBe('Not published yet.')
})
