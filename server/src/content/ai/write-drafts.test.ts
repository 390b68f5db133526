import { CharacterCounting } from '@postrider/contract'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { countCharacters } from '../../networks/providers/shared/characters.ts'
import { providers as registered } from '../../networks/providers/registry.ts'
import { sandboxShort } from '../../networks/providers/sandbox/sandbox.ts'
import { type Destination, readDestinations } from './draft-destinations.ts'
import type { DraftTask } from './draft-prompt.ts'
import { textsOf } from './check-answer.ts'
import { MAX_REPAIRS, writeDrafts } from './write-drafts.ts'

/** Whatever the networks count by, and graphemes. */
const graphemes = {
  ...sandboxShort,
  provider: 'graphemes',
  limits: { ...sandboxShort.limits, characterCounting: 'graphemes' as const },
}
const providers = new Map([...registered, [graphemes.provider, graphemes]])

/** Pieces that are counted in different ways: scripts, joined emoji, flags, links, marks, white space. */
const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '日本語のテキスト',
    'Ελληνικά',
    'العربية',
    'हिन्दी',
    'ไทย',
    '한국어',
    'Ünïcödé',
    'e\u0301\u0323',
    '\r\n',
    '\u00a0',
    '👩‍👩‍👧‍👦',
    '🇦🇹',
    '🏳️‍🌈',
    '👍🏽',
    '1️⃣',
    '🫨',
    '🧑‍🧑‍🧒',
    'a\u200db',
    '\ufeff',
    'https://example.com/a/very/long/path?with=query',
    'example.org',
    'http://例え.jp/',
    '@someone',
    '#tag',
    'word '.repeat(30),
    'x'.repeat(279),
  ),
)
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(' '))
const parts = fc.record({ text, thread: fc.array(text, { maxLength: 3 }) })
/** Texts that end at a limit, or a little before or behind it, as the first destination counts. */
const brim = fc.record({ piece, over: fc.integer({ min: -1, max: 2 }) })
type Brim = { piece: string; over: number }

function filled({ piece, over }: Brim, { maxCharacters, characterCounting }: Destination): string {
  const wanted = maxCharacters + over
  const start = `${piece.toWellFormed().replaceAll('\0', '').trim()} `
  const missing = wanted - countCharacters(start, characterCounting)
  // A letter weighs 1 to whoever counts, and behind a space it lengthens no address.
  return missing < 0 ? 'x'.repeat(Math.max(0, wanted)) : start + 'x'.repeat(missing)
}

const answer = fc.oneof(
  { arbitrary: fc.array(parts, { minLength: 1, maxLength: 3 }).map(asAnswer), weight: 8 },
  { arbitrary: fc.array(brim, { minLength: 1, maxLength: 2 }), weight: 8 },
  { arbitrary: text, weight: 1 },
  { arbitrary: fc.json(), weight: 1 },
)

function asAnswer(variants: { text: string; thread: string[] }[]): string {
  return JSON.stringify({ variants: variants.map((variant, index) => ({ number: index + 1, ...variant })) })
}

const task = fc
  .record({
    result: fc.constantFrom('draft', 'thread', 'shorten', 'expand', 'rewrite'),
    mode: fc.constantFrom('shared', 'tailored'),
    wanted: fc.uniqueArray(
      fc.record(
        {
          provider: fc.constantFrom(...providers.keys()),
          maxCharacters: fc.integer({ min: 1, max: 280 }),
        },
        { requiredKeys: ['provider'] },
      ),
      { minLength: 1, maxLength: 3, selector: ({ provider }) => provider },
    ),
    currentText: fc.option(text),
    language: fc.constantFrom('und', 'und', 'en', 'ja'),
  })
  .map(({ wanted, ...rest }): DraftTask => {
    const destinations = readDestinations(wanted, { channels: new Map(), linkTags: null }, providers, {
      threaded: false,
    })
    if ('refused' in destinations) throw new Error(destinations.detail)
    return { ...rest, tone: 'plain', audience: null, brief: 'Anything.', destinations, media: [] }
  })

test('whatever a model writes, drafts fit every destination as it counts, or there are none', async () => {
  const countings = [...providers.values()].map(({ limits }) => limits.characterCounting)
  expect(new Set(countings)).toEqual(new Set(CharacterCounting.enum))
  let fitting = 0
  await fc.assert(
    fc.asyncProperty(task, fc.array(answer, { minLength: 3, maxLength: 3 }), async (task, wanted) => {
      const first = task.destinations[0]!
      const answers = wanted.map((one) =>
        typeof one === 'string'
          ? one
          : asAnswer(one.map((brim) => ({ text: filled(brim, first), thread: [] }))),
      )
      let asked = 0
      const written = await writeDrafts(task, async () => ({ text: answers[asked++] ?? '' }))
      expect(asked).toBeLessThanOrEqual(MAX_REPAIRS + 1)
      if (!('drafts' in written)) {
        expect(asked).toBe(MAX_REPAIRS + 1)
        expect('faults' in written && written.faults.length).toBeGreaterThan(0)
        return
      }
      fitting += 1
      expect(written.drafts.flatMap(({ destinations }) => destinations)).toEqual([...task.destinations])
      for (const { content, destinations } of written.drafts) {
        expect(textsOf(content).length > 1).toBe(task.result === 'thread')
        for (const part of textsOf(content)) {
          expect(part.isWellFormed()).toBe(true)
          expect(part).not.toContain('\0')
          // What comes out is what was written: only white space around it is gone.
          expect(answers[asked - 1]).toContain(JSON.stringify(part).slice(1, -1))
          for (const { maxCharacters, characterCounting } of destinations) {
            expect(countCharacters(part, characterCounting)).toBeLessThanOrEqual(maxCharacters)
          }
        }
      }
    }),
    { numRuns: 1_500 },
  )
  // The property would hold of nothing, too.
  expect(fitting).toBeGreaterThan(100)
})
