import {
  type CharacterCounting,
  type KindLimits,
  mediaKinds,
  type MediaKind,
  type MediaLimits,
} from '@postrider/contract'
import type { CodingLimits } from '../shared/codec-faults.ts'

/*
 * The bounds of a network: a table per network, from which the check, the API's limits and the tests derive. Each says where it is from,
 * and none names a page that does not have it. What a page recommends, and does not require, is no bound.
 */

/** How long one part may be, how that is counted, and what it may carry. */
export type Limits = {
  readonly maxCharacters: number
  readonly characterCounting: CharacterCounting
  /** For networks that limit the bytes of a text in UTF-8, too. */
  readonly maxBytes?: number
  readonly media: MediaLimits
}

/**
 * Where a bound is from. `page` has the number, and was read on the day `read`, as it is served or as it was saved whole.
 * - `published`: a page of the network itself, or a file of its own source.
 * - `answered`: the network's own refusal names it; `page` is a public thread that quotes it.
 * - `copy`: `seen` says so of the network's page `of`, which could not be read.
 * - `ours`: no page names one, or a smaller one is better for a reason. It has no page.
 */
export type Source =
  | { readonly kind: 'published' | 'answered'; readonly page: string; readonly read: string }
  | { readonly kind: 'copy'; readonly seen: string; readonly of: string; readonly read: string }
  | { readonly kind: 'ours'; readonly why: string }

export const published = (page: string, read: string): Source => ({ kind: 'published', page, read })
export const answered = (page: string, read: string): Source => ({ kind: 'answered', page, read })
export const copied = (seen: string, of: string, read: string): Source => ({ kind: 'copy', seen, of, read })
export const ours = (why: string): Source => ({ kind: 'ours', why })

/** What is measured of a file. `ratio` is the width divided by the height; `sides` are both together; `pixels` are all of a picture. */
export type Measure = (typeof measures)[number]
const measures = ['bytes', 'width', 'height', 'sides', 'pixels', 'ratio', 'seconds'] as const

/** How a recording is coded: frames per second, channels, and hertz. */
export type CodingMeasure = 'frame rate' | 'audio channels' | 'audio rate'

type Sourced = { readonly source: Source }
type Ranged = Sourced & { readonly min?: number; readonly max?: number }

/** With `setting`, a bound holds for posts that have this setting as it says; otherwise for all. */
type Setting = { readonly name: string; readonly is: boolean; readonly called: string }

/**
 * A bound of a text, of an alt text (in code points), of all files of a part together, or of how many there are of one kind. One of the
 * texts that only some networks have is checked by the network's own `check` or by the schema of its settings, which take it from here.
 */
export type TextBound = Ranged &
  (
    | { readonly of: 'text'; readonly measure: 'characters' | 'bytes' }
    | { readonly of: 'alt text'; readonly measure: 'characters' }
    | { readonly of: 'part'; readonly measure: 'files' | 'bytes' }
    | { readonly of: 'videos' | 'animations'; readonly measure: 'count' }
    | { readonly of: OwnText; readonly measure: 'characters' | 'bytes' | 'count' }
  )
/** Texts and lists that some networks have. A `tag` is one of the `tags`, which are those of the settings. */
export type OwnText =
  | 'caption'
  | 'title'
  | 'topic'
  | 'sender'
  | 'content warning'
  | 'excerpt'
  | 'address name'
  | 'category'
  | 'categories'
  | 'tag'
  | 'tags'
  | 'languages'
  | 'hashtags'
  | 'mentions'
  | 'links'

/** A bound of files. With `animated`, it holds for animations, in place of the one of all images. */
export type FileBound = Ranged & {
  readonly of: MediaKind
  readonly measure: Measure
  readonly setting?: Setting
  readonly animated?: true
}

/** A bound of how a recording is coded. */
export type CodingBound = Ranged & {
  readonly of: MediaKind
  readonly measure: CodingMeasure
  readonly setting?: Setting
}

/** What a file may be. `animation`: the types in which an animation keeps moving; none of them where the network shows a still. */
export type FormBound = Sourced & {
  readonly of: MediaKind
  readonly measure: 'type' | 'animation' | 'video codec' | 'audio codec'
  readonly oneOf: readonly string[]
  readonly setting?: Setting
}

export type Bound = TextBound | FileBound | CodingBound | FormBound

const isOneOf = <Name extends string>(names: readonly Name[], name: string): name is Name =>
  (names as readonly string[]).includes(name)

export const isFileBound = (bound: Bound): bound is FileBound =>
  isOneOf(mediaKinds, bound.of) && isOneOf(measures, bound.measure)
export const isFormBound = (bound: Bound): bound is FormBound => 'oneOf' in bound
export const isCodingBound = (bound: Bound): bound is CodingBound =>
  isOneOf(mediaKinds, bound.of) && !isFileBound(bound) && !isFormBound(bound)
export const isTextBound = (bound: Bound): bound is TextBound => !isOneOf(mediaKinds, bound.of)

/** Pictures are fitted to their bounds: scaled down and converted, never cropped. All others go as they are. */
const FITTED: readonly MediaKind[] = ['image']

type LimitFacts = Pick<Limits, 'characterCounting'> & { readonly mixedKinds: boolean }

/** The limits that hold for every post of a network. Its kinds of files are those with a row of their types, in that order. */
export function limitsOf(bounds: readonly Bound[], { characterCounting, mixedKinds }: LimitFacts): Limits {
  const most = (of: TextBound['of'], measure: TextBound['measure']) =>
    bounds.find((one): one is TextBound => one.of === of && one.measure === measure)?.max
  const maxBytes = most('text', 'bytes')
  return {
    maxCharacters: most('text', 'characters') ?? 0,
    characterCounting,
    ...(maxBytes === undefined ? {} : { maxBytes }),
    media: {
      maxItems: most('part', 'files') ?? 0,
      mixedKinds,
      maxAltCharacters: most('alt text', 'characters') ?? 0,
      kinds: bounds.flatMap((one) =>
        isFormBound(one) && one.measure === 'type' ? [kindOf(one.of, bounds)] : [],
      ),
    },
  }
}

function kindOf(kind: MediaKind, bounds: readonly Bound[]): KindLimits {
  const rows = bounds.filter(
    (one): one is Exclude<Bound, TextBound> =>
      one.of === kind && !isTextBound(one) && one.setting === undefined && !('animated' in one),
  )
  // The least and the most may have a source each.
  const range = (measure: Measure | CodingMeasure): Pick<Ranged, 'min' | 'max'> =>
    Object.assign({}, ...rows.filter((one) => !isFormBound(one) && one.measure === measure))
  const forms = (measure: FormBound['measure']) =>
    rows.find((one): one is FormBound => one.measure === measure)?.oneOf
  const bytes = range('bytes')
  const width = range('width')
  const height = range('height')
  const seconds = range('seconds')
  const ratio = range('ratio')
  const frameRate = range('frame rate')
  if (bytes.max === undefined) throw new Error(`the table of bounds has no most bytes of ${kind}`)
  return {
    kind,
    contentTypes: [...(forms('type') ?? [])],
    ...given('animatedTypes', kind === 'image' ? [...(forms('animation') ?? [])] : undefined),
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
    ...given('maxPixels', range('pixels').max),
    ...given('videoCodecs', forms('video codec')?.slice()),
    ...given('audioCodecs', forms('audio codec')?.slice()),
    ...given('minFrameRate', frameRate.min),
    ...given('maxFrameRate', frameRate.max),
    ...given('maxAudioChannels', range('audio channels').max),
    ...given('maxAudioSampleRate', range('audio rate').max),
    fitted: FITTED.includes(kind),
  }
}

function given<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, Value>>
}

/** A range that a file has to be in, and what of a network has it: `Instagram`, `a story on Instagram`. */
export type Range = {
  readonly measure: Measure
  readonly min: number
  readonly max: number
  readonly called: string
}

type PostFacts = {
  readonly bounds?: readonly Bound[] | undefined
  readonly settings: Readonly<Record<string, unknown>>
  readonly displayName: string
}

/** Whether a row holds for a post with these settings; one without a setting holds for all. */
function holds(
  { setting }: { readonly setting?: Setting },
  { settings }: Pick<PostFacts, 'settings'>,
): boolean {
  return setting === undefined || (settings[setting.name] === true) === setting.is
}

/** What holds for such a file in a post with these settings. */
export function rangesFor(kind: KindLimits, animated: boolean, facts: PostFacts): Range[] {
  const { bounds = [], displayName } = facts
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
  const ofTable = bounds
    .filter((one) => isFileBound(one))
    .filter((one) => one.of === kind.kind && holds(one, facts))
  const ofAnimations = animated ? ofTable.filter((one) => one.animated === true) : []
  // Those that the API's limits cannot say.
  const others = ofTable.filter(
    (one) => one.animated === undefined && (one.setting !== undefined || one.measure === 'sides'),
  )
  return [
    ...always.filter(({ measure }) => !ofAnimations.some((one) => one.measure === measure)),
    ...[...ofAnimations, ...others].map(({ measure, min, max, setting }) => ({
      ...range(measure, min, max),
      ...(setting === undefined ? {} : { called: setting.called }),
    })),
  ]
}

/** How recordings of this kind have to be coded in a post with these settings, beside what holds for all. */
export function codingsFor(
  { kind }: KindLimits,
  facts: PostFacts,
): { limits: CodingLimits; called: string }[] {
  return (facts.bounds ?? []).flatMap((one) => {
    if (one.of !== kind || isTextBound(one) || isFileBound(one)) return []
    const { setting } = one
    if (setting === undefined || !holds(one, facts)) return []
    const limits = isFormBound(one)
      ? one.measure === 'video codec'
        ? { videoCodecs: [...one.oneOf] }
        : one.measure === 'audio codec'
          ? { audioCodecs: [...one.oneOf] }
          : {}
      : one.measure === 'frame rate'
        ? { ...given('minFrameRate', one.min), ...given('maxFrameRate', one.max) }
        : one.measure === 'audio channels'
          ? given('maxAudioChannels', one.max)
          : given('maxAudioSampleRate', one.max)
    return [{ limits, called: setting.called }]
  })
}

/** The most of the videos, or of the animations, that a part may have; `Infinity` where nothing says. */
export function mostOf(of: 'videos' | 'animations', bounds: readonly Bound[] = []): number {
  return bounds.find((one): one is TextBound => one.of === of)?.max ?? Infinity
}

/** The most bytes of all files of a part together. */
export function mostBytes(bounds: readonly Bound[] = []): number {
  return bounds.find((one): one is TextBound => one.of === 'part' && one.measure === 'bytes')?.max ?? Infinity
}

type Box = { readonly maxWidth: number; readonly maxHeight: number }

/**
 * The width and height that a picture of this size is scaled to fit into: each of these ranges, and its own ratio kept. The least of the
 * measures that are of a size; those of bytes are found by trying.
 */
export function boxFor(
  ranges: readonly Range[],
  picture: { readonly width: number; readonly height: number },
): Box {
  const { width, height } = picture
  const scales = ranges.map(({ measure, max }) => {
    switch (measure) {
      case 'width':
        return max / width
      case 'height':
        return max / height
      case 'sides':
        return max / (width + height)
      case 'pixels':
        return Math.sqrt(max / (width * height))
      case 'bytes':
      case 'ratio':
      case 'seconds':
        return Infinity
    }
  })
  const scale = Math.min(1, ...scales)
  const scaled = (pixels: number) => Math.max(1, Math.floor(pixels * scale + 1e-9))
  return { maxWidth: scaled(width), maxHeight: scaled(height) }
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
    case 'sides':
      return width === null || height === null ? null : side(width + height, width + height)
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
