import { describe, expect, test } from 'vitest'
import { NO_CODING } from '../../../../test/rigs/publish-work.ts'
import { type Bound, type FileBound, type Measure } from './bounds.ts'
import { type MediaFacts, mediaIssues } from './check-media.ts'
import { countCharacters } from '../shared/characters.ts'
import { lengthFault } from './check-text.ts'
import type { Provider } from './port.ts'
import { providers } from '../registry.ts'

/*
 * For every row of every network's table: what is just inside passes the check, and what is just outside does not. Videos are never
 * scaled; a picture that is too large is, and the check says so.
 */

const isFile = (bound: Bound): bound is FileBound =>
  bound.of !== 'text' && bound.of !== 'alt text' && bound.of !== 'part'

/** A file that every network takes, as far as its numbers go. */
function fileFor(provider: Provider, of: FileBound['of'], setting: FileBound['setting']): MediaFacts {
  const kind = provider.limits.media.kinds.find((one) => one.kind === of)
  const isPicture = of === 'image' || of === 'video'
  const upright = setting?.name === 'reel' && setting.is
  return {
    ...NO_CODING,
    kind: of,
    contentType: kind?.contentTypes[0] ?? '',
    sizeBytes: 100_000,
    width: isPicture ? (upright ? 1_080 : 1_000) : null,
    height: isPicture ? (upright ? 1_920 : 1_000) : null,
    durationMs: of === 'video' || of === 'audio' ? 30_000 : null,
    animated: false,
    altText: provider.limits.media.maxAltCharacters === 0 ? null : 'Words',
  }
}

/** The file with this measure; the others stay where they are, or follow in what they must. */
function measured(file: MediaFacts, measure: Measure, value: number): MediaFacts {
  const { width, height } = file
  const ratio = (width ?? 1) / (height ?? 1)
  switch (measure) {
    case 'bytes':
      return { ...file, sizeBytes: value }
    case 'width':
      return { ...file, width: value, height: Math.round(value / ratio) }
    case 'height':
      return { ...file, height: value, width: Math.round(value * ratio) }
    case 'pixels':
      return { ...file, width: 2_160, height: value / 2_160 }
    case 'ratio':
      // So high that a pixel more or less does not matter.
      return heightFor(value, file)
    case 'seconds':
      return { ...file, durationMs: value * 1_000 }
  }
}

function heightFor(ratio: number, file: MediaFacts): MediaFacts {
  const height = ratio > 1 ? 192 : ratio < 0.05 ? 10_000 : 1_000
  return { ...file, width: Math.round(ratio * height), height }
}

const CAUSES: Record<Measure, readonly [below: string, above: string]> = {
  bytes: ['media_too_small', 'media_too_large'],
  width: ['media_too_small', 'media_too_large'],
  height: ['media_too_small', 'media_too_large'],
  pixels: ['media_too_small', 'media_too_large'],
  ratio: ['media_ratio_unsupported', 'media_ratio_unsupported'],
  seconds: ['media_too_short', 'media_too_long'],
}

/** The least step over a bound that counts. */
const STEP: Record<Measure, number> = {
  bytes: 1,
  width: 1,
  height: 1,
  pixels: 2_160,
  ratio: 0.05,
  seconds: 0.001,
}

describe.each([...providers])('%s', (_, provider) => {
  const { bounds, limits, displayName } = provider
  const codes = (item: MediaFacts, settings: object) =>
    mediaIssues([item], { ...provider, settings: settings as Record<string, unknown> }).map(
      ({ code }) => code,
    )
  const rows = bounds.filter(isFile).flatMap((bound) => {
    const { of, measure, setting, min, max } = bound
    const called = `${measure} of ${of}${setting === undefined ? '' : ` with ${setting.name}: ${setting.is}`}`
    return [
      ...(min === undefined ? [] : [[called, bound, 'below', min] as const]),
      ...(max === undefined ? [] : [[called, bound, 'above', max] as const]),
    ]
  })

  test.each(rows)('%s', (_called, { of, measure, setting }, side, value) => {
    const settings = setting === undefined ? {} : { [setting.name]: setting.is }
    const kind = limits.media.kinds.find((one) => one.kind === of)
    const file = fileFor(provider, of, setting)
    expect(codes(file, settings)).toEqual([])
    const inside = measured(file, measure, value)
    expect(codes(inside, settings)).not.toContain(CAUSES[measure][side === 'below' ? 0 : 1])
    expect(codes(inside, settings)).not.toContain('media_converted')
    const step = measure === 'ratio' ? value * STEP.ratio : STEP[measure]
    const outside = measured(file, measure, side === 'below' ? value - step : value + step)
    const scaled = of === 'image' && kind?.fitted === true && side === 'above' && measure !== 'ratio'
    expect(codes(outside, settings)).toContain(
      scaled ? 'media_converted' : CAUSES[measure][side === 'below' ? 0 : 1],
    )
    if (setting !== undefined) {
      const others = bounds.filter(
        (one) => isFile(one) && one.of === of && one.measure === measure && one.setting === undefined,
      )
      // Without the setting, the bound of all posts holds alone.
      if (
        others.length === 0 &&
        !bounds.some(
          (one) => isFile(one) && one.of === of && one.measure === measure && one.setting?.is === !setting.is,
        )
      )
        expect(codes(outside, { [setting.name]: !setting.is })).toEqual([])
    }
  })

  test('texts, alt texts and numbers of files', () => {
    const most = (of: Bound['of'], measure: Bound['measure']) =>
      bounds.find((one) => one.of === of && one.measure === measure)?.max
    const fault = (characters: number) =>
      lengthFault('x'.repeat(characters), displayName, limits, countCharacters)
    const characters = most('text', 'characters') ?? Number.NaN
    expect([fault(characters), fault(characters + 1) === null]).toEqual([null, false])
    const bytes = most('text', 'bytes')
    if (bytes !== undefined) {
      expect(limits.maxBytes).toBe(bytes)
      const wide = lengthFault(
        '\u{1F469}'.repeat(bytes / 4 + 1),
        displayName,
        { ...limits, maxCharacters: 1e9 },
        countCharacters,
      )
      expect(wide).not.toBeNull()
    }
    expect(limits.media.maxItems).toBe(most('part', 'files'))
    expect(limits.media.maxAltCharacters).toBe(most('alt text', 'characters') ?? 0)
  })

  test('each row says where its number is from, and when that was read', () => {
    for (const { source, read, min, max } of bounds) {
      expect(source).toMatch(/^(?:https:\/\/|docs\/)/)
      expect(read).toMatch(/^20\d\d-\d\d(?:-\d\d)?$/)
      expect(min ?? max).toBeDefined()
    }
  })
})
