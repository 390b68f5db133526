import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cardOf, foldOf, hasMarkdown, segmentsOf } from './rich-text.ts'

const marked = (provider: string, text: string) =>
  segmentsOf(provider, text).flatMap(({ is, text: stretch }) => (is === 'text' ? [] : [`${is} ${stretch}`]))

const TEXT =
  'Read example.com/a, or https://example.org/b_(c). By @ada, @ada.example and @ada@social.example #one #two_3 #4 mail@example.com'

test('each network marks its own links, mentions and hashtags', () => {
  expect(marked('bluesky', TEXT)).toEqual([
    'link example.com/a',
    'link https://example.org/b_(c)',
    'mention @ada.example',
    'tag #one',
    'tag #two_3',
  ])
  expect(marked('mastodon', TEXT)).toEqual([
    'link https://example.org/b_(c)',
    'mention @ada',
    'mention @ada.example',
    'mention @ada@social.example',
    'tag #one',
    'tag #two_3',
  ])
  expect(marked('linkedin', TEXT)).toEqual([
    'link example.com/a',
    'link https://example.org/b_(c)',
    'tag #one',
    'tag #4',
  ])
  expect(marked('discord', TEXT)).toEqual(['link https://example.org/b_(c)'])
})

test('whatever the text, its stretches are the text', () => {
  const pieces = fc.constantFrom('@', '#', ' ', '.', 'a', 'ß', '👩🏽‍🚀', 'https://', 'x.de', '\n', ')', 'שלום')
  const text = fc.array(pieces, { maxLength: 30 }).map((all) => all.join(''))
  const provider = fc.constantFrom('bluesky', 'mastodon', 'x', 'linkedin', 'telegram', 'discord', 'sandbox')
  fc.assert(
    fc.property(provider, text, (network, written) => {
      const segments = segmentsOf(network, written)
      expect(segments.map((one) => one.text).join('')).toBe(written)
      const fold = foldOf(network, written)
      expect(fold === null || (fold >= 0 && fold < written.length)).toBe(true)
    }),
  )
})

test('long posts fold where the network folds them', () => {
  expect(foldOf('linkedin', 'short')).toBe(null)
  expect(foldOf('linkedin', 'x'.repeat(211))).toBe(210)
  expect(foldOf('linkedin', 'a\nb\nc\nd')).toBe(5)
  expect(foldOf('x', `${'👋'.repeat(280)}!`)).toBe(560)
  expect(foldOf('facebook', 'x'.repeat(500))).toBe(480)
  expect(foldOf('instagram', 'x'.repeat(126))).toBe(125)
  expect(foldOf('bluesky', 'x'.repeat(300))).toBe(null)
  expect(foldOf('bluesky', 'a\n'.repeat(25))).toBe(49)
  expect(foldOf('mastodon', 'x'.repeat(500))).toBe(null)
  expect(foldOf('mastodon', 'a\n'.repeat(40))).toBe(63)
  expect(foldOf('youtube', 'x'.repeat(201))).toBe(200)
  expect(foldOf('youtube', 'a\nb\nc\nd')).toBe(5)
  expect(foldOf('threads', 'x'.repeat(500))).toBe(null)
})

test('a link gets a card where the network shows one', () => {
  const part = { text: 'See https://example.com/a and b.example', mediaIds: [] }
  expect(cardOf('bluesky', part, 1)).toBe('example.com')
  expect(cardOf('linkedin', part, 0)).toBe('example.com')
  expect(cardOf('linkedin', part, 1)).toBe(null)
  expect(cardOf('bluesky', { ...part, mediaIds: ['m'] }, 0)).toBe(null)
  expect(cardOf('discord', { ...part, mediaIds: ['m'] }, 0)).toBe('example.com')
  expect(cardOf('threads', part, 1)).toBe('example.com')
  expect(cardOf('sandbox-short', part, 0)).toBe(null)
})

test('what Discord formats is told', () => {
  expect(hasMarkdown('discord', '2 * 3 is 6')).toBe(false)
  expect(hasMarkdown('discord', 'really *great*')).toBe(true)
  expect(hasMarkdown('discord', '# Title')).toBe(true)
  expect(hasMarkdown('x', 'really *great*')).toBe(false)
})
