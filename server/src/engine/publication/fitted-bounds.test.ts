import { expect, test } from 'vitest'
import { aFile } from '../../../test/rigs/bounded-posts.ts'
import type { MediaFacts } from '../../networks/providers/port/check-media.ts'
import type { Provider } from '../../networks/providers/port/port.ts'
import { linkedin } from '../../networks/providers/linkedin/linkedin.ts'
import { mastodon } from '../../networks/providers/mastodon/mastodon.ts'
import { telegram } from '../../networks/providers/telegram/telegram.ts'
import { x } from '../../networks/providers/x/x.ts'
import { boundsOf } from './open-media.ts'

/* What a picture is scaled to, of networks whose bounds are not those of a width and a height alone. */

const within = (provider: Provider, change: Partial<MediaFacts>) =>
  boundsOf({ ...aFile(provider, 'image'), ...change }, { provider, limits: provider.limits, settings: {} })

test('a picture with too many pixels is scaled to them, and keeps its ratio', () => {
  expect(within(linkedin, { width: 12_000, height: 6_000 })).toMatchObject({
    maxWidth: 8_503,
    maxHeight: 4_251,
  })
  expect(8_503 * 4_251).toBeLessThan(36_152_320)
  expect(within(linkedin, { width: 6_000, height: 6_000 })).toMatchObject({ maxWidth: null, maxHeight: null })
})

test('a picture that is wider than a square of its pixels is left as it is', () => {
  const still = { width: 8_000, height: 4_000 }
  expect(within(mastodon, still)).toMatchObject({ maxWidth: null, maxHeight: null })
})

test('an animation has bounds of its own', () => {
  const animation = { contentType: 'image/gif', animated: true }
  expect(within(mastodon, { ...animation, width: 1_920, height: 1_080 })).toMatchObject({
    contentTypes: ['image/gif'],
    maxWidth: 1_280,
    maxHeight: 720,
  })
  expect(within(x, { ...animation, width: 4_000, height: 4_000 })).toMatchObject({
    maxBytes: 15_000_000,
    maxWidth: 1_280,
    maxHeight: 1_080,
  })
  expect(within(x, { width: 4_000, height: 4_000 })).toMatchObject({ maxBytes: 5_000_000, maxWidth: 8_192 })
})

test('a photo for Telegram is scaled to a square, which both sides together fit', () => {
  expect(within(telegram, { width: 9_000, height: 4_000 })).toMatchObject({
    maxWidth: 5_000,
    maxHeight: 5_000,
  })
})
