import { mediaKinds, type KindLimits, type MediaKind, type MediaLimits } from '@postrider/contract'
import type { Unreachable } from '../../../platform/outbound/reachable-address.ts'
import {
  boxFor,
  codingsFor,
  mostBytes,
  mostOf,
  rangesFor,
  type Range,
  sideOut,
  typesOfAnimation,
} from './bounds.ts'
import { type CodecFault, codecFaults, type Coding } from '../shared/codec-faults.ts'
import type { Provider } from './port.ts'

type MediaIssueCode =
  | 'media_unknown'
  | 'media_too_many'
  | 'media_kinds_mixed'
  | 'media_kind_unsupported'
  | 'media_type_unsupported'
  | 'media_codec_unsupported'
  | 'media_too_large'
  | 'media_too_small'
  | 'media_too_long'
  | 'media_too_short'
  | 'media_ratio_unsupported'
  | 'media_animation_lost'
  | 'media_converted'
  | 'media_not_reachable'
  | 'alt_text_missing'
  | 'alt_text_dropped'
  | 'alt_text_too_long'

/** What is wrong with one item of a part (`place`), or with all of them together (null). */
export type MediaFinding = {
  readonly code: MediaIssueCode
  readonly severity: 'error' | 'warning'
  readonly place: number | null
  readonly message: string
  readonly fix: string
}

/** What the limits are about of a media item. */
export type MediaFacts = Coding & {
  readonly kind: MediaKind
  readonly contentType: string
  readonly sizeBytes: number
  readonly width: number | null
  readonly height: number | null
  readonly durationMs: number | null
  readonly animated: boolean
  readonly altText: string | null
}
type Facts = Pick<Provider, 'displayName' | 'cannotFetch' | 'bounds'> & {
  readonly limits: { readonly media: MediaLimits }
  /** Of the post; some bounds hold for some settings alone. */
  readonly settings: Readonly<Record<string, unknown>>
}

/**
 * What this provider would not take of the media of one part, and what it would take only changed. An item that the
 * workspace does not have is null, and is reported elsewhere.
 */
export function mediaIssues(items: readonly (MediaFacts | null)[], facts: Facts): MediaFinding[] {
  if (items.length === 0) return []
  const each = items.flatMap((item, place) =>
    item === null ? [] : itemIssues(item, facts).map((found) => ({ ...found, place })),
  )
  return [...togetherIssues(items, facts), ...each]
}

const words: Record<MediaKind, { one: string; many: string }> = {
  image: { one: 'image', many: 'images' },
  video: { one: 'video', many: 'videos' },
  audio: { one: 'audio file', many: 'audio files' },
  document: { one: 'document', many: 'documents' },
}

function togetherIssues(
  items: readonly (MediaFacts | null)[],
  { displayName, limits, cannotFetch, bounds }: Facts,
): MediaFinding[] {
  const { maxItems, mixedKinds } = limits.media
  const kinds = mediaKinds.filter((kind) => items.some((item) => item?.kind === kind))
  const found: MediaFinding[] = []
  if (cannotFetch !== undefined) found.push({ ...notReachable(displayName, cannotFetch), place: null })
  if (items.length > maxItems && maxItems > 0) {
    found.push({
      code: 'media_too_many',
      severity: 'error',
      place: null,
      message: `The post has ${items.length} media items. ${displayName} allows ${maxItems}.`,
      fix: `Leave ${items.length - maxItems} out, or move them to a follow-up.`,
    })
  }
  for (const { of, is } of counted) {
    const count = items.filter((item) => item !== null && is(item)).length
    const most = mostOf(of, bounds)
    // Of too many items, the sentence above is enough.
    if (count <= most || items.length > maxItems) continue
    found.push({
      code: 'media_too_many',
      severity: 'error',
      place: null,
      message:
        of === 'videos'
          ? `The post has ${count} videos; ${displayName} allows ${most} in a part.`
          : `The post has ${count} animations; ${displayName} allows ${most} in a part.`,
      fix: `Leave ${count - most} out, or move them to a follow-up.`,
    })
  }
  const together = items.reduce((sum, item) => sum + (item?.sizeBytes ?? 0), 0)
  if (together > mostBytes(bounds)) {
    found.push({
      code: 'media_too_large',
      severity: 'error',
      place: null,
      message: `The files have ${megabytes(together)} together; ${displayName} allows ${megabytes(mostBytes(bounds))} in a part.`,
      fix: 'Move some of them to a follow-up, or export them smaller.',
    })
  }
  if (!mixedKinds && kinds.length > 1) {
    found.push({
      code: 'media_kinds_mixed',
      severity: 'error',
      place: null,
      message: `The post mixes ${kinds.map((kind) => words[kind].many).join(' and ')}, which ${displayName} does not take together.`,
      fix: 'Put each kind into its own follow-up.',
    })
  }
  return found
}

const counted = [
  { of: 'videos', is: ({ kind }: MediaFacts) => kind === 'video' },
  { of: 'animations', is: ({ kind, animated }: MediaFacts) => kind === 'image' && animated },
] as const

type ItemFinding = Omit<MediaFinding, 'place'>

/** A network that fetches media itself, and a server that it does not reach. */
export function notReachable(displayName: string, { why, baseUrl }: Unreachable) {
  return {
    code: 'media_not_reachable',
    severity: 'error',
    message:
      why === 'not_public'
        ? `${displayName} fetches media from this server, but ${baseUrl} can't be reached from the internet.`
        : `${displayName} fetches media from this server, but ${baseUrl} doesn't use https.`,
    fix: 'Publish without media, or ask your server operator to set BASE_URL to a public address with https.',
  } as const
}

function itemIssues(item: MediaFacts, facts: Facts): ItemFinding[] {
  const bounds = facts.limits.media.kinds.find(({ kind }) => kind === item.kind)
  if (bounds === undefined) return [unsupportedKind(item, facts)]
  const excess = excessOf(item, bounds, facts)
  const canFit = canBeFitted(item, bounds)
  const [fitted, others] = [true, false].map((fits) =>
    excess.filter(({ canScale }) => (canFit && canScale) === fits),
  ) as [Excess[], Excess[]]
  const codecs = [{ limits: bounds, called: facts.displayName }, ...codingsFor(bounds, facts)].flatMap(
    ({ limits, called }) => codecFaults(item, limits, called).map(wrongCodec),
  )
  return [
    ...(fitted.length === 0 ? [] : [converted(fitted, item, bounds)]),
    ...(isMadeStill(item, bounds) ? [animationLost(facts)] : []),
    ...others.map((each) => refused(each, item)),
    ...codecs,
    ...altIssues(item, facts),
  ]
}

function unsupportedKind({ kind }: MediaFacts, { displayName, limits }: Facts): ItemFinding {
  const taken = limits.media.kinds.map((one) => words[one.kind].many)
  return {
    code: 'media_kind_unsupported',
    severity: 'error',
    message: `${displayName} takes no ${words[kind].many}.`,
    fix:
      taken.length === 0
        ? 'Leave the media out for this channel, or give the channel its own content in `targets`.'
        : `Give the channel its own content in \`targets\`. It takes ${taken.join(', ')}.`,
  }
}

type Excess = {
  readonly what: Cause
  readonly has: string
  readonly takes: string
  readonly called: string
  /** Whether scaling down or converting mends it. */
  readonly canScale: boolean
}

function excessOf(item: MediaFacts, bounds: KindLimits, facts: Facts): Excess[] {
  const contentTypes = item.animated ? typesOfAnimation(bounds) : bounds.contentTypes
  const ofType: Excess[] = contentTypes.includes(item.contentType)
    ? []
    : [
        {
          what: 'type',
          has: item.contentType,
          takes: contentTypes.join(', '),
          called: facts.displayName,
          canScale: true,
        },
      ]
  const ranges = rangesFor(bounds, item.animated, facts)
  const ofSize = ranges.flatMap((range): Excess[] => {
    const side = sideOut(range, item)
    if (side === null) return []
    const { measure, called } = range
    const what = causes[measure][side]
    const canScale = side === 'above' && measure !== 'ratio'
    return [{ what, has: shown(measure, item), takes: wanted(range), called, canScale }]
  })
  const tooThin = canBeFitted(item, bounds) ? sideBelowOnceScaled(item, ranges) : null
  return [...ofType, ...ofSize, ...(tooThin === null ? [] : [tooThin])]
}

/** A picture is scaled as a whole: one that is far too long may be too thin once it is. */
function sideBelowOnceScaled(item: MediaFacts, ranges: readonly Range[]): Excess | null {
  const { width, height } = item
  if (width === null || height === null || width === 0 || height === 0) return null
  const { maxWidth, maxHeight } = boxFor(ranges, { width, height })
  const scaled = { ...item, width: maxWidth, height: maxHeight }
  const below = (one: MediaFacts) => ranges.find((range) => isSide(range) && sideOut(range, one) === 'below')
  const range = below(scaled)
  if (range === undefined || below(item) !== undefined) return null
  const { called } = range
  return { what: 'ratio', has: shown('ratio', item), takes: wanted(range), called, canScale: false }
}

const isSide = ({ measure }: Range) => measure === 'width' || measure === 'height'

const causes = {
  bytes: { below: 'small', above: 'bytes' },
  width: { below: 'small', above: 'pixels' },
  height: { below: 'small', above: 'pixels' },
  sides: { below: 'small', above: 'pixels' },
  pixels: { below: 'small', above: 'pixels' },
  ratio: { below: 'ratio', above: 'ratio' },
  seconds: { below: 'short', above: 'seconds' },
} as const satisfies Record<Range['measure'], Record<'below' | 'above', Cause>>

function shown(measure: Range['measure'], { sizeBytes, width, height, durationMs }: MediaFacts): string {
  if (measure === 'bytes') return megabytes(sizeBytes)
  if (measure === 'seconds') return `${(durationMs ?? 0) / 1_000} seconds`
  const picture = `${width} × ${height} pixels`
  return measure === 'ratio'
    ? `${picture}, ${ratioText((width ?? 0) / (height ?? 1))} times as wide as high`
    : picture
}

function wanted({ measure, min, max }: Range): string {
  const unit = {
    bytes: 'MB',
    width: 'pixels in width',
    height: 'pixels in height',
    sides: 'pixels in width and height together',
    pixels: 'pixels in all',
    ratio: 'times as wide as high',
    seconds: 'seconds',
  }[measure]
  const number = (value: number) =>
    measure === 'bytes'
      ? megabytes(value).replace(/ MB$/, '')
      : measure === 'ratio'
        ? ratioText(value)
        : String(value)
  if (min === 0) return `up to ${number(max)} ${unit}`
  return max === Infinity ? `at least ${number(min)} ${unit}` : `${number(min)} to ${number(max)} ${unit}`
}

const ratioText = (ratio: number) => String(Math.round(ratio * 100) / 100)

/** Whether publishing makes it fit by itself: only pictures. An animation that would become a still is told on its own. */
function canBeFitted({ kind }: MediaFacts, { fitted }: KindLimits): boolean {
  return kind === 'image' && fitted
}

function isMadeStill({ animated, kind }: MediaFacts, { animatedTypes }: KindLimits): boolean {
  return animated && kind === 'image' && animatedTypes?.length === 0
}

function animationLost({ displayName, settings }: Facts): ItemFinding {
  const accepted = settings['stillImages'] === true
  return {
    code: 'media_animation_lost',
    severity: accepted ? 'warning' : 'error',
    message: `The image is an animation. ${displayName} shows its first frame as a still.`,
    fix: accepted
      ? 'To keep it moving, upload it as a video.'
      : 'Upload it as a video, or set `settings.stillImages` to publish the still.',
  }
}

function converted(
  excess: readonly Excess[],
  { contentType }: MediaFacts,
  { contentTypes }: KindLimits,
): ItemFinding {
  const isOpaque = contentType !== 'image/jpeg' && contentTypes.every((type) => type === 'image/jpeg')
  const why = [
    ...excess.map(({ has, takes, called }) => `it has ${has}, and ${called} allows ${takes}`),
    ...(isOpaque ? ['transparent areas become white'] : []),
  ].join('; ')
  return {
    code: 'media_converted',
    severity: 'warning',
    message: `The image will be scaled or converted when it is published, never cropped: ${why}.`,
    fix: "You don't need to do anything. To control how it looks, upload it in that size and type.",
  }
}

const codes = {
  type: 'media_type_unsupported',
  bytes: 'media_too_large',
  pixels: 'media_too_large',
  small: 'media_too_small',
  ratio: 'media_ratio_unsupported',
  seconds: 'media_too_long',
  short: 'media_too_short',
} as const satisfies Record<string, MediaIssueCode>
type Cause = keyof typeof codes

const fixes: Record<Cause, string> = {
  type: 'Convert it, and upload the result.',
  bytes: 'Export it smaller, and upload the result.',
  pixels: 'Export it in a lower resolution, and upload the result.',
  small: 'Upload a larger one.',
  ratio: 'Crop it, and use the result.',
  seconds: 'Cut it shorter, and upload the result.',
  short: 'Attach a longer one, or leave this channel out.',
}

function refused({ what, has, takes, called }: Excess, { kind }: MediaFacts): ItemFinding {
  return {
    code: codes[what],
    severity: 'error',
    message: `The ${words[kind].one} has ${has}; ${called} allows ${takes}.`,
    fix: fixes[what],
  }
}

function wrongCodec(fault: CodecFault): ItemFinding {
  return { code: 'media_codec_unsupported', severity: 'error', ...fault }
}

function altIssues({ kind, altText }: MediaFacts, { displayName, limits }: Facts): ItemFinding[] {
  const { maxAltCharacters } = limits.media
  const length = Array.from(altText ?? '').length
  if (length > maxAltCharacters && maxAltCharacters > 0) {
    return [
      {
        code: 'alt_text_too_long',
        severity: 'error',
        message: `The alt text has ${length} characters; ${displayName} allows ${maxAltCharacters}.`,
        fix: `Shorten the alt text by ${length - maxAltCharacters}.`,
      },
    ]
  }
  if (length > 0 && maxAltCharacters === 0) {
    return [
      {
        code: 'alt_text_dropped',
        severity: 'warning',
        message: `${displayName} takes no alt texts: this one is left out there.`,
        fix: "You don't need to do anything. If readers need it, say it in the text.",
      },
    ]
  }
  if (length > 0 || kind !== 'image' || maxAltCharacters === 0) return []
  return [
    {
      code: 'alt_text_missing',
      severity: 'warning',
      message: "The image has no alt text. People who can't see it won't know what it shows.",
      fix: 'Add an `altText`.',
    },
  ]
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 10_000) / 100} MB`
}
