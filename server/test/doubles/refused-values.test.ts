import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fittedSize } from '../../src/media/images.ts'
import { boundsOf } from '../../src/engine/publication/open-media.ts'
import {
  type Bound,
  type FormBound,
  isFormBound,
  isTextBound,
} from '../../src/networks/providers/port/bounds.ts'
import type { MediaFacts } from '../../src/networks/providers/port/check-media.ts'
import type { Provider } from '../../src/networks/providers/port/port.ts'
import { toLittleText } from '../../src/networks/providers/shared/little-text.ts'
import { providers } from '../../src/networks/providers/registry.ts'
import { errorsOf } from '../rigs/a-plan.ts'
import {
  aFile,
  aPost,
  called,
  fileOutside,
  fileWith,
  type Made,
  postWith,
  rangesOf,
} from '../rigs/bounded-posts.ts'
import { blueskyValues } from './bluesky-values.ts'
import { discordValues } from './discord-values.ts'
import { facebookValues } from './facebook-values.ts'
import { instagramValues } from './instagram-values.ts'
import { linkedinValues } from './linkedin-values.ts'
import { mastodonValues } from './mastodon-values.ts'
import { telegramValues } from './telegram-values.ts'
import { threadsValues } from './threads-values.ts'
import { type Among, type Fact, refusedBy, type Sent, type ValueTable } from './value-table.ts'
import { xValues } from './x-values.ts'
import { youtubeValues } from './youtube-values.ts'

/*
 * The numbers of the doubles against those of the check, which were written down apart: what a network's own table refuses, no check calls
 * ready. Nostr and WordPress have no bound of their own: each relay and each site has its, and a real site of WordPress
 * takes or refuses what its sources say (wordpress-site.deep.test.ts).
 */

const tables: Readonly<Record<string, ValueTable>> = {
  bluesky: blueskyValues,
  discord: discordValues,
  facebook: facebookValues,
  instagram: instagramValues,
  linkedin: linkedinValues,
  mastodon: mastodonValues,
  telegram: telegramValues,
  threads: threadsValues,
  x: xValues,
  youtube: youtubeValues,
}

test('every network has a table, unless all of its bounds are ours', () => {
  const named = [...providers].filter(
    ([name, { bounds }]) => name !== 'wordpress' && bounds.some(({ source }) => source.kind !== 'ours'),
  )
  expect(named.map(([name]) => name).toSorted()).toEqual(Object.keys(tables).toSorted())
})

/** What a row of the check holds for, in the words of the doubles. */
function amongOf(row: Bound): Among | undefined {
  if ('animated' in row) return 'animations'
  const setting = 'setting' in row ? row.setting : undefined
  if (setting === undefined) return undefined
  return setting.name === 'reel' ? 'reels' : setting.is ? 'stories' : 'posts in the feed'
}

const SETTINGS: Partial<Record<Among, { readonly name: string; readonly is: boolean }>> = {
  reels: { name: 'reel', is: true },
  stories: { name: 'story', is: true },
  'posts in the feed': { name: 'story', is: false },
}

/** A fact as a row of the check, to make posts of. */
function rowOf({ of, measure, min, max, oneOf, among }: Fact): Bound {
  const setting = among === undefined ? undefined : SETTINGS[among]
  return {
    of,
    measure,
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(oneOf === undefined ? {} : { oneOf }),
    ...(among === 'animations' ? { animated: true } : {}),
    ...(setting === undefined ? {} : { setting: { ...setting, called: among } }),
    source: { kind: 'ours', why: 'the number of a double' },
  } as Bound
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
const list = (value: unknown) => (Array.isArray(value) ? (value as string[]) : undefined)

/** The post as the network gets it: its pictures scaled and converted. */
function sentOf(provider: Provider, { text: words, settings, media }: Made): Sent {
  const as: Among =
    settings['reel'] === true ? 'reels' : settings['story'] === true ? 'stories' : 'posts in the feed'
  const link = text(settings['link'])
  const given = {
    title:
      text(settings['title']) ?? (provider.provider === 'youtube' ? words.split('\n')[0]?.trim() : undefined),
    topic: text(settings['topic']),
    sender: text(settings['username']),
    tags: list(settings['tags']),
    languages: list(settings['languages']),
    links: link === undefined ? undefined : [link],
  }
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const warning = text(settings['contentWarning']) ?? ''
  return {
    text:
      provider.provider === 'mastodon'
        ? `${warning}${words}`
        : provider.provider === 'linkedin'
          ? toLittleText(words)
          : words,
    files: media.map((item) => fitted(provider, item, settings)),
    requestBytes: media.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) + AROUND,
    as,
    ...known,
  }
}

/** What stands around the files of a request, with a text and alt texts of the most length in signs of four bytes. */
const AROUND = 2_000 * 4 + 10 * (1_024 * 4 + 300)

/** By the bounds and to the size that production has for it. */
function fitted(provider: Provider, item: MediaFacts, settings: Made['settings']): MediaFacts {
  if (item.kind !== 'image') return item
  const bounds = boundsOf(item, { provider, limits: provider.limits, settings })
  if ('refused' in bounds) return item
  const { contentTypes, maxBytes, maxWidth, maxHeight } = bounds
  const contentType = contentTypes.includes(item.contentType) ? item.contentType : (contentTypes[0] ?? '')
  const { width, height } = item
  const size =
    width === null || height === null
      ? { width, height }
      : fittedSize({ width, height }, { maxWidth, maxHeight })
  return {
    ...item,
    contentType,
    sizeBytes: Math.min(item.sizeBytes, maxBytes),
    ...size,
    animated: item.animated && /gif|webp/.test(contentType),
  }
}

const nameOf = (fact: Fact) => called(rowOf(fact))

describe.each(Object.entries(tables))('%s', (name, table) => {
  const provider = providers.get(name)!
  const { bounds } = provider
  const isSame = (row: Bound, fact: Fact) =>
    row.of === fact.of && row.measure === fact.measure && amongOf(row) === fact.among

  test('each number of a page is the same in the check and in the double', () => {
    const fromPages = bounds.filter(({ source }) => source.kind !== 'ours')
    const missing = fromPages.filter((row) => {
      const facts = table.facts.filter((fact) => isSame(row, fact))
      if (isFormBound(row))
        return !facts.some(({ oneOf = [] }) => row.oneOf.every((one) => oneOf.includes(one)))
      const isThere = (side: 'min' | 'max') =>
        row[side] === undefined || facts.some((fact) => fact[side] === row[side])
      return !isThere('min') || !isThere('max')
    })
    expect(missing.map(called)).toEqual([])
  })

  test('what the double refuses, the check has a row for that is as strict', () => {
    const open = table.facts.filter((fact) => {
      const rows = bounds.filter((row) => isSame(row, fact) || isStricter(row, fact))
      if (fact.oneOf !== undefined)
        return !rows.some((row) => isFormBound(row) && row.oneOf.every((one) => fact.oneOf?.includes(one)))
      const has = (side: 'min' | 'max') =>
        fact[side] === undefined ||
        rows.some((row) => {
          if (isFormBound(row)) return false
          const value = row[side]
          return value !== undefined && (side === 'min' ? value >= fact.min! : value <= fact.max!)
        })
      return !has('min') || !has('max')
    })
    expect(open.map(nameOf)).toEqual([])
  })

  const alone = (fact: Fact) => ({ ...table, facts: [fact] })
  const refused = table.facts.filter((fact) => fact.refused !== 'fitted there')
  const sides = refused.flatMap((fact) =>
    rangesOf(rowOf(fact)).map(([side, value]) => [nameOf(fact), fact, side, value] as const),
  )

  test.each(sides)('the double takes and refuses: %s', (_called, fact, side, value) => {
    const at = (where: 'inside' | 'outside') => {
      const made = postWith(provider, rowOf(fact), side, value, where)
      // As it is, and not as production would scale it.
      const sent = { ...sentOf(provider, made), files: made.media }
      const whole = { requestBytes: value + (where === 'inside' ? 0 : 1) }
      return refusedBy(alone(fact), fact.of === 'part' && fact.measure === 'bytes' ? whole : sent)
    }
    expect(at('inside')).toBeNull()
    expect(at('outside')).toBe(fact)
  })

  test.each(refused.filter(({ oneOf }) => oneOf !== undefined).map((fact) => [nameOf(fact), fact] as const))(
    'the double takes and refuses: %s',
    (_called, fact) => {
      const row = rowOf(fact) as FormBound
      const post = aPost(provider, row)
      const told = (file: MediaFacts) =>
        refusedBy(alone(fact), { ...sentOf(provider, post), files: [...post.media.slice(0, -1), file] })
      for (const one of row.oneOf) expect(told(fileWith(provider, row, one))).toBeNull()
      expect(told(fileOutside(provider, row))).toBe(fact)
    },
  )

  test('a post that the check calls ready is never refused by the double', () => {
    let ready = 0
    fc.assert(
      fc.property(aRandomPost(provider), (made) => {
        if (errorsOf(provider, made).length > 0) return
        ready += 1
        expect(refusedBy(table, sentOf(provider, made))).toBeNull()
      }),
      { numRuns: 3_000, seed: 43 },
    )
    // It walks among posts that are taken, too.
    expect(ready).toBeGreaterThan(100)
  })
})

/** Rows whose own number holds a post to the fact's, too. */
function isStricter(row: Bound, fact: Fact): boolean {
  if (row.of !== fact.of || amongOf(row) !== undefined) return false
  return row.measure === fact.measure
}

/* -------------------------------------------------------------------------------------------------------- random posts */

const PIECES = [
  'a',
  'Words ',
  'ä',
  '\u{1F600}',
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}',
  'e\u0301',
  '漢',
  '#tag ',
  '@alice ',
  '@alice@example.com ',
  'https://example.com/path ',
  '(',
  '_',
  '\n',
]

/** A text of pieces, often about as long as a bound. */
function aText(most: number): fc.Arbitrary<string> {
  const piece = fc.constantFrom(...PIECES)
  return fc
    .tuple(
      fc.array(piece, { maxLength: 12 }),
      piece,
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: -3, max: 3 }),
    )
    .map(([some, long, whole, more]) => {
      const rest =
        whole === 0 ? Math.max(0, Math.floor((most + more - some.join('').length) / long.length)) : 0
      return some.join('') + long.repeat(rest)
    })
}

function pick<Values extends object>(values: Values, names: readonly string[]): Partial<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => names.includes(name)),
  ) as Partial<Values>
}

function aRandomPost(provider: Provider): fc.Arbitrary<Made> {
  const { bounds, limits } = provider
  const values = (measures: readonly string[]) =>
    bounds
      .filter((row) => !isTextBound(row) && measures.includes(row.measure))
      .flatMap((row) => rangesOf(row).map(([, value]) => value))
  const near = (measures: readonly string[], usual: readonly number[]) =>
    fc
      .tuple(fc.constantFrom(...usual, ...values(measures)), fc.integer({ min: -2, max: 2 }))
      .map(([value, more]) => Math.max(1, Math.round(value + more)))
  const kinds = limits.media.kinds.map(({ kind }) => kind)
  const side = near(['width', 'height'], [3, 100, 320, 1_000, 1_080, 1_350, 1_920, 6_000, 9_000, 20_000])
  const ratio = fc.constantFrom(1, ...values(['ratio']))
  const all = {
    moves: fc.boolean(),
    type: fc.nat(5),
    sizeBytes: near(['bytes'], [1, 100_000, 3_000_000]),
    width: side,
    height: side,
    ratio,
    seconds: near(['seconds'], [1, 10, 45]),
    frameRate: fc.constantFrom(10, 23.976, 25, 60, 120, 240),
    audioChannels: fc.constantFrom(1, 2, 6),
    audioSampleRate: fc.constantFrom(44_100, 48_000, 96_000),
    videoCodec: fc.constantFrom('h264', 'hevc', 'vp9', 'mpeg4'),
    audioCodec: fc.constantFrom('aac', 'mp3'),
    altText: fc.constantFrom('Words', 'x'.repeat(1_000), 'x'.repeat(1_001), 'x'.repeat(2_001)),
  }
  // One or two things are otherwise than in a file that is taken.
  const changes = fc
    .tuple(fc.record(all), fc.subarray(Object.keys(all), { maxLength: 2 }))
    .map(([values, names]) => pick(values, names))
  const file = fc.tuple(fc.constantFrom(...kinds), changes).map(([kind, change]): MediaFacts => {
    const usual = aFile(provider, kind)
    const {
      moves = false,
      type = 0,
      width,
      height = usual.height ?? 1,
      ratio: of,
      seconds,
      ...coding
    } = change
    const { sizeBytes = usual.sizeBytes, altText = null, ...coded } = coding
    const types = limits.media.kinds.find((found) => found.kind === kind)?.contentTypes ?? []
    const animated = kind === 'image' && moves
    const isPicture = kind === 'image' || kind === 'video'
    const wide = of === undefined ? (width ?? usual.width) : Math.max(1, Math.round(of * height))
    return {
      ...usual,
      contentType: animated
        ? type % 2 === 0
          ? 'image/gif'
          : 'image/webp'
        : (types[type % types.length] ?? ''),
      animated,
      sizeBytes,
      altText,
      ...(isPicture ? { width: wide, height } : {}),
      ...(usual.durationMs !== null && seconds !== undefined ? { durationMs: seconds * 1_000 } : {}),
      ...(kind === 'video' ? coded : {}),
    }
  })
  const { properties = {} } = provider.settings as { properties?: Readonly<Record<string, unknown>> }
  const has = (setting: string) => setting in properties
  const words = (most: number) =>
    fc.constantFrom('Words', 'x'.repeat(most), 'x'.repeat(most + 1), '\u{1F600}'.repeat(most))
  const settings: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    ...(has('reel') ? { reel: fc.boolean() } : {}),
    ...(has('story') ? { story: fc.boolean() } : {}),
    ...(has('stillImages') ? { stillImages: fc.boolean() } : {}),
    ...(has('title') ? { title: words(100) } : {}),
    ...(has('topic') ? { topic: words(50) } : {}),
    ...(has('username') ? { username: words(80) } : {}),
    ...(has('contentWarning') ? { contentWarning: words(250) } : {}),
    ...(has('tags')
      ? {
          tags: fc.array(fc.constantFrom('tag', 'two words', 'x'.repeat(64), 'y'.repeat(99)), {
            maxLength: 12,
          }),
        }
      : {}),
    ...(has('languages') ? { languages: fc.subarray(['en', 'de', 'fr', 'es']) } : {}),
    ...(has('link') ? { link: fc.constant('https://example.com/other') } : {}),
  }
  return fc.record({
    text: aText(limits.maxCharacters),
    settings: fc.record(settings, { requiredKeys: [] }),
    media: fc.oneof(
      { weight: 2, arbitrary: fc.array(file, { maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(file, { maxLength: 4 }) },
      {
        weight: 1,
        arbitrary: fc.array(file, { minLength: limits.media.maxItems, maxLength: limits.media.maxItems + 1 }),
      },
    ),
  })
}
