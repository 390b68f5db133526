import { mediaKinds, type KindLimits, type MediaKind, type MediaLimits } from '@postrider/contract'
import type { Unreachable } from '../platform/reachable-address.ts'
import { type CodecFault, codecFaults, type Coding } from './codec-faults.ts'
import type { Provider } from './port.ts'

type MediaIssueCode =
  | 'media_unknown'
  | 'media_too_many'
  | 'media_kinds_mixed'
  | 'media_kind_unsupported'
  | 'media_type_unsupported'
  | 'media_codec_unsupported'
  | 'media_too_large'
  | 'media_too_long'
  | 'media_converted'
  | 'media_not_reachable'
  | 'alt_text_missing'
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
type Facts = Pick<Provider, 'displayName' | 'cannotFetch'> & {
  readonly limits: { readonly media: MediaLimits }
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
  { displayName, limits, cannotFetch }: Facts,
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
  const excess = excessOf(item, bounds)
  const misfits =
    excess.length === 0
      ? []
      : canBeFitted(item, bounds)
        ? [converted(excess, facts)]
        : excess.map((each) => refused(each, item, facts))
  const codecs = codecFaults(item, bounds, facts.displayName).map(wrongCodec)
  return [...misfits, ...codecs, ...altIssues(item, facts)]
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
  readonly what: 'type' | 'bytes' | 'pixels' | 'seconds'
  readonly has: string
  readonly takes: string
}

function excessOf(item: MediaFacts, bounds: KindLimits): Excess[] {
  const { contentTypes, maxBytes, maxWidth, maxHeight, maxSeconds } = bounds
  const found: Excess[] = []
  if (!contentTypes.includes(item.contentType)) {
    found.push({ what: 'type', has: item.contentType, takes: contentTypes.join(', ') })
  }
  if (item.sizeBytes > maxBytes) {
    found.push({ what: 'bytes', has: megabytes(item.sizeBytes), takes: megabytes(maxBytes) })
  }
  if ((item.width ?? 0) > (maxWidth ?? Infinity) || (item.height ?? 0) > (maxHeight ?? Infinity)) {
    const takes =
      maxHeight === null ? `${maxWidth} pixels in width` : `${maxWidth ?? 'any'} × ${maxHeight} pixels`
    found.push({ what: 'pixels', has: `${item.width} × ${item.height} pixels`, takes })
  }
  if ((item.durationMs ?? 0) > (maxSeconds ?? Infinity) * 1_000) {
    found.push({
      what: 'seconds',
      has: `${(item.durationMs ?? 0) / 1_000} seconds`,
      takes: `${maxSeconds} seconds`,
    })
  }
  return found
}

/** Whether publishing makes it fit by itself: only pictures, and no animation into a type that does not move. */
function canBeFitted(
  { kind, animated, contentType }: MediaFacts,
  { fitted, contentTypes }: KindLimits,
): boolean {
  if (kind !== 'image' || !fitted) return false
  return !animated || [contentType, 'image/webp', 'image/gif'].some((type) => contentTypes.includes(type))
}

function converted(excess: readonly Excess[], { displayName }: Facts): ItemFinding {
  const why = excess.map(({ has, takes }) => `it has ${has}, and ${displayName} allows ${takes}`).join('; ')
  return {
    code: 'media_converted',
    severity: 'warning',
    message: `The image will be scaled or converted when it is published, never cropped: ${why}.`,
    fix: "You don't need to do anything. To control how it looks, upload it in that size and type.",
  }
}

const codes: Record<Excess['what'], MediaIssueCode> = {
  type: 'media_type_unsupported',
  bytes: 'media_too_large',
  pixels: 'media_too_large',
  seconds: 'media_too_long',
}

const fixes: Record<Excess['what'], string> = {
  type: 'Convert it, and upload the result.',
  bytes: 'Export it smaller, and upload the result.',
  pixels: 'Export it in a lower resolution, and upload the result.',
  seconds: 'Cut it shorter, and upload the result.',
}

function refused({ what, has, takes }: Excess, { kind }: MediaFacts, { displayName }: Facts): ItemFinding {
  return {
    code: codes[what],
    severity: 'error',
    message: `The ${words[kind].one} has ${has}; ${displayName} allows ${takes}.`,
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
