import type { CharacterCounting, KindLimits, MediaKind, MediaLimits } from '@postrider/contract'
import type { CodingLimits } from '../shared/codec-faults.ts'

/*
 * The bounds that a network publishes: a table per network, from which the check, the API's limits and the tests derive. What no
 * page of a network names stands in its table, too, with a source that says whose number it is.
 */

/** How long one part may be, how that is counted, and what it may carry. */
export type Limits = {
  readonly maxCharacters: number
  readonly characterCounting: CharacterCounting
  /** For networks that limit the bytes of a text in UTF-8, too. */
  readonly maxBytes?: number
  readonly media: MediaLimits
}

/** `ratio` is the width divided by the height; `pixels` are all of a picture. */
export type Measure = 'bytes' | 'width' | 'height' | 'pixels' | 'ratio' | 'seconds'

type Published = {
  readonly min?: number
  readonly max?: number
  /** The page that names it. */
  readonly source: string
  /** The day on which the page was read. `2026-11`: taken over from before this table, or from a copy, and to be read again. */
  readonly read: string
}

/** A bound of a text, of an alt text (in code points), or of the number of files in a part. */
type TextBound = Published &
  (
    | { readonly of: 'text'; readonly measure: 'characters' | 'bytes' }
    | { readonly of: 'alt text'; readonly measure: 'characters' }
    | { readonly of: 'part'; readonly measure: 'files' }
  )

/** A bound of files. With `setting`, it holds for posts that have this setting as it says; otherwise for all. */
export type FileBound = Published & {
  readonly of: MediaKind
  readonly measure: Measure
  readonly setting?: { readonly name: string; readonly is: boolean; readonly called: string }
}

export type Bound = TextBound | FileBound

/** What no number says of a kind of file. */
type KindFacts = Pick<KindLimits, 'kind' | 'contentTypes' | 'fitted' | 'animatedTypes'> & CodingLimits

/**
 * Pictures, which are fitted to their bounds: scaled down and converted, never cropped. `animatedTypes` are those in which an animation
 * keeps moving on the network; without one, it shows a still.
 */
export function images(contentTypes: string[], animatedTypes: string[] = []): KindFacts {
  return { kind: 'image', contentTypes, animatedTypes, fitted: true }
}

/** Files that go as they are. Of how they are coded, only what the network documents that it takes no other. */
export function files(kind: MediaKind, contentTypes: string[], coding: CodingLimits = {}): KindFacts {
  return { kind, contentTypes, ...coding, fitted: false }
}

type LimitFacts = Pick<Limits, 'characterCounting'> & {
  readonly mixedKinds: boolean
  readonly kinds: readonly KindFacts[]
}

/** The limits that hold for every post of a network. */
export function limitsOf(
  bounds: readonly Bound[],
  { characterCounting, mixedKinds, kinds }: LimitFacts,
): Limits {
  const most = (of: Bound['of'], measure: Bound['measure']) =>
    bounds.find((one) => one.of === of && one.measure === measure && !isConditional(one))?.max
  const maxBytes = most('text', 'bytes')
  return {
    maxCharacters: most('text', 'characters') ?? 0,
    characterCounting,
    ...(maxBytes === undefined ? {} : { maxBytes }),
    media: {
      maxItems: most('part', 'files') ?? 0,
      mixedKinds,
      maxAltCharacters: most('alt text', 'characters') ?? 0,
      kinds: kinds.map((kind) => withBounds(kind, bounds)),
    },
  }
}

function isConditional(bound: Bound): boolean {
  return 'setting' in bound && bound.setting !== undefined
}

function withBounds(facts: KindFacts, bounds: readonly Bound[]): KindLimits {
  const rows = bounds.filter((one) => one.of === facts.kind && !isConditional(one))
  const row = (measure: Measure): Partial<Published> => rows.find((one) => one.measure === measure) ?? {}
  const { kind, contentTypes, fitted, ...coding } = facts
  const bytes = row('bytes')
  const width = row('width')
  const height = row('height')
  const seconds = row('seconds')
  const ratio = row('ratio')
  const pixels = row('pixels')
  if (bytes.max === undefined) throw new Error(`the table of bounds has no most bytes of ${kind}`)
  return {
    kind,
    contentTypes,
    maxBytes: bytes.max,
    maxWidth: width.max ?? null,
    maxHeight: height.max ?? null,
    maxSeconds: seconds.max ?? null,
    ...given('minBytes', bytes.min),
    ...given('minWidth', width.min),
    ...given('minHeight', height.min),
    ...given('minSeconds', seconds.min),
    ...given('minRatio', ratio.min),
    ...given('maxRatio', ratio.max),
    ...given('maxPixels', pixels.max),
    ...coding,
    fitted,
  }
}

function given<Name extends string>(name: Name, value: number | undefined) {
  return (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, number>>
}

/** A range that a file has to be in, and what of a network has it: `Instagram`, `a story on Instagram`. */
export type Range = {
  readonly measure: Measure
  readonly min: number
  readonly max: number
  readonly called: string
}

/** What holds for files of this kind in a post with these settings. */
export function rangesFor(
  kind: KindLimits,
  {
    bounds = [],
    settings,
    displayName,
  }: {
    readonly bounds?: readonly Bound[] | undefined
    readonly settings: Readonly<Record<string, unknown>>
    readonly displayName: string
  },
): Range[] {
  const range = (measure: Measure, min: number | undefined, max: number | null | undefined): Range => ({
    measure,
    min: min ?? 0,
    max: max ?? Infinity,
    called: displayName,
  })
  const always = [
    range('bytes', kind.minBytes, kind.maxBytes),
    range('width', kind.minWidth, kind.maxWidth),
    range('height', kind.minHeight, kind.maxHeight),
    range('pixels', undefined, kind.maxPixels),
    range('ratio', kind.minRatio, kind.maxRatio),
    range('seconds', kind.minSeconds, kind.maxSeconds),
  ]
  const conditional = bounds.flatMap((bound) => {
    if (bound.of !== kind.kind || !('setting' in bound) || bound.setting === undefined) return []
    const { name, is, called } = bound.setting
    if ((settings[name] === true) !== is) return []
    return [{ ...range(bound.measure, bound.min, bound.max), called }]
  })
  return [...always, ...conditional]
}

/** The types that an animation may be sent as: those in which it moves, or where there is none, those of stills. */
export function typesOfAnimation({
  contentTypes,
  animatedTypes = contentTypes.filter((type) => !STILL.includes(type)),
}: Pick<KindLimits, 'contentTypes' | 'animatedTypes'>): readonly string[] {
  return animatedTypes.length > 0 ? animatedTypes : contentTypes.filter((type) => STILL.includes(type))
}

const STILL = ['image/jpeg', 'image/png']

type Sizes = {
  readonly sizeBytes: number
  readonly width: number | null
  readonly height: number | null
  readonly durationMs: number | null
}

/** Whether a file is below or above a range; null where it is within, or not known. */
export function sideOut({ measure, min, max }: Range, item: Sizes): 'below' | 'above' | null {
  const { sizeBytes, width, height, durationMs } = item
  const side = (low: number, high: number) => (high < min ? 'below' : low > max ? 'above' : null)
  switch (measure) {
    case 'bytes':
      return side(sizeBytes, sizeBytes)
    case 'width':
      return width === null ? null : side(width, width)
    case 'height':
      return height === null ? null : side(height, height)
    case 'pixels':
      return width === null || height === null ? null : side(width * height, width * height)
    case 'seconds':
      return durationMs === null ? null : side(durationMs / 1_000, durationMs / 1_000)
    // A pixel more or less is no other ratio.
    case 'ratio':
      return width === null || height === null || height === 0
        ? null
        : side((width - 1) / height, (width + 1) / height)
  }
}
