import type { MediaKind } from '@postrider/contract'
import {
  type Bound,
  type CodingBound,
  type FileBound,
  type FormBound,
  isCodingBound,
  isFileBound,
  isFormBound,
  ours,
  type OwnText,
  type TextBound,
} from '../../src/networks/providers/port/bounds.ts'
import type { MediaFacts } from '../../src/networks/providers/port/check-media.ts'
import type { Provider } from '../../src/networks/providers/port/port.ts'
import { NO_CODING } from './publish-work.ts'
import type { Draft } from './a-plan.ts'

/* Posts that are just inside or just outside of one bound of a network, and within all others. */

export type Made = Required<Draft>
type Side = 'below' | 'above'

/** As a test is named. */
export function called(row: Bound): string {
  const { of, measure } = row
  const setting =
    'setting' in row && row.setting !== undefined ? ` with ${row.setting.name}: ${row.setting.is}` : ''
  return `${measure} of ${of}${'animated' in row ? ' that moves' : ''}${setting}`
}

/** The ends of a row. */
export function rangesOf(row: Bound): (readonly [Side, number])[] {
  if (isFormBound(row)) return []
  const { min, max } = row
  return [
    ...(min === undefined ? [] : [['below', min] as const]),
    ...(max === undefined ? [] : [['above', max] as const]),
  ]
}

/** Whether what is outside is scaled, and not refused. */
export function fitsBeside(row: Bound, side: Side): boolean {
  return isFileBound(row) && row.of === 'image' && side === 'above' && row.measure !== 'ratio'
}

/** A file that the network takes, in a post with this setting. */
export function aFile(provider: Provider, kind: MediaKind, row?: Bound): MediaFacts {
  const limits = provider.limits.media.kinds.find((one) => one.kind === kind)
  const setting = row !== undefined && 'setting' in row ? row.setting : undefined
  const animated = row !== undefined && 'animated' in row
  const isPicture = kind === 'image' || kind === 'video'
  const isUpright = setting?.name === 'reel' && setting.is
  const types = animated ? limits?.animatedTypes : limits?.contentTypes
  return {
    ...NO_CODING,
    kind,
    contentType: types?.[0] ?? '',
    sizeBytes: 100_000,
    width: isPicture ? (isUpright ? 1_080 : 900) : null,
    height: isPicture ? (isUpright ? 1_920 : 900) : null,
    durationMs: kind === 'video' || kind === 'audio' ? 30_000 : null,
    animated,
    altText: null,
  }
}

/** A post that the network takes, with what this row is about. */
export function aPost(provider: Provider, row: Bound): Made {
  const setting = 'setting' in row ? row.setting : undefined
  const isStory = setting?.name === 'story' && setting.is
  const needs: Partial<Record<string, MediaKind>> = { instagram: 'image', youtube: 'video' }
  const needed = needs[provider.provider]
  const kind = isFileBound(row) || isFormBound(row) || isCodingBound(row) ? row.of : undefined
  const beside = provider.provider === 'youtube' && kind === 'image' ? [aFile(provider, 'video')] : []
  const own = kind ?? (row.of === 'caption' ? 'image' : needed)
  return {
    text: isStory ? '' : 'Words',
    settings: setting === undefined ? {} : { [setting.name]: setting.is },
    media: own === undefined ? [] : [...beside, aFile(provider, own, row)],
  }
}

/** The post with this value of the row's measure, or with the next one outside. */
export function postWith(
  provider: Provider,
  row: Bound,
  side: Side,
  value: number,
  where: 'inside' | 'outside' = 'inside',
): Made {
  if (isFormBound(row)) throw new Error('a row of forms has no value')
  const post = aPost(provider, row)
  if (isFileBound(row) || isCodingBound(row)) {
    const step = stepOf(row, value)
    const wanted = where === 'inside' ? value : side === 'below' ? value - step : value + step
    const beside = post.media.slice(0, -1)
    const file = post.media.at(-1) ?? aFile(provider, row.of, row)
    const made = isFileBound(row) ? measured(file, row.measure, wanted) : coded(file, row, wanted)
    return { ...post, media: [...beside, made] }
  }
  return worded(provider, post, row, where === 'inside' ? value : value + 1)
}

/** The least step over a bound that counts. */
function stepOf({ measure }: FileBound | CodingBound, value: number): number {
  switch (measure) {
    case 'ratio':
      return value * 0.05
    case 'seconds':
      return 0.001
    case 'frame rate':
      return 1
    case 'pixels':
      return 2_160
    case 'bytes':
    case 'width':
    case 'height':
    case 'sides':
    case 'audio channels':
    case 'audio rate':
      return 1
  }
}

/** The file with this measure; the others stay where they are, or follow in what they must. */
function measured(file: MediaFacts, measure: FileBound['measure'], value: number): MediaFacts {
  const { width, height, animated } = file
  const ratio = (width ?? 1) / (height ?? 1)
  switch (measure) {
    case 'bytes':
      return { ...file, sizeBytes: value }
    case 'width':
      return { ...file, width: value, height: animated ? height : Math.round(value / ratio) }
    case 'height':
      return { ...file, height: value, width: animated ? width : Math.round(value * ratio) }
    case 'sides':
      return { ...file, width: Math.floor(value / 2), height: Math.ceil(value / 2) }
    case 'pixels':
      return rectangle(file, value)
    case 'ratio':
      // So high that a pixel more or less does not matter.
      return heightFor(value, file)
    case 'seconds':
      return { ...file, durationMs: value * 1_000 }
  }
}

/** The nearest to a square, with so many pixels or the fewest above. */
function rectangle(file: MediaFacts, pixels: number): MediaFacts {
  for (let width = Math.floor(Math.sqrt(pixels)); width > 1; width--)
    if (pixels % width === 0) return { ...file, width, height: pixels / width }
  return { ...file, width: 1, height: pixels }
}

function heightFor(ratio: number, file: MediaFacts): MediaFacts {
  const height = ratio > 1 ? 192 : ratio < 0.05 ? 10_000 : 1_000
  return { ...file, width: Math.round(ratio * height), height }
}

function coded(file: MediaFacts, { measure }: CodingBound, value: number): MediaFacts {
  switch (measure) {
    case 'frame rate':
      return { ...file, frameRate: value }
    case 'audio channels':
      return { ...file, audioChannels: value }
    case 'audio rate':
      return { ...file, audioSampleRate: value }
  }
}

/** The file with this type or codec. */
export function fileWith(provider: Provider, row: FormBound, is: string): MediaFacts {
  const file = aFile(provider, row.of, row)
  switch (row.measure) {
    case 'type':
      return { ...file, contentType: is }
    case 'animation':
      return { ...file, contentType: is, animated: true }
    case 'video codec':
      return { ...file, videoCodec: is }
    case 'audio codec':
      return { ...file, audioCodec: is }
  }
}

/** The file with one that the row does not have. */
export function fileOutside(provider: Provider, row: FormBound): MediaFacts {
  const others = {
    type: ['image/avif'],
    animation: ['image/webp', 'image/gif', 'image/avif'],
    'video codec': ['mpeg4'],
    'audio codec': ['vorbis'],
  }
  return fileWith(provider, row, others[row.measure].find((one) => !row.oneOf.includes(one)) ?? '')
}

function worded(provider: Provider, post: Made, row: TextBound, value: number): Made {
  const { of, measure } = row
  const list = (one: (at: number) => string) => Array.from({ length: value }, (_, at) => one(at))
  const long = measure === 'bytes' ? wide(value) : 'x'.repeat(value)
  switch (of) {
    case 'text':
      return { ...post, text: long, settings: titled(provider, post.settings) }
    case 'alt text': {
      const kind =
        provider.limits.media.kinds.find((one) => one.kind === 'image') === undefined ? 'video' : 'image'
      const others = post.media.filter((file) => file.kind !== kind)
      return { ...post, media: [...others, { ...aFile(provider, kind), altText: long }] }
    }
    case 'part':
      return { ...post, media: measure === 'bytes' ? heavy(provider, value) : several(provider, value) }
    case 'videos':
      return { ...post, media: list(() => 'video').map(() => aFile(provider, 'video')) }
    case 'animations':
      return { ...post, media: list(() => 'image').map(() => aFile(provider, 'image', MOVING)) }
    case 'caption':
      return { ...post, text: long }
    case 'content warning':
      // It counts with the text.
      return { ...post, text: '', media: [aFile(provider, 'image')], settings: { contentWarning: long } }
    case 'title':
    case 'topic':
    case 'sender':
    case 'excerpt':
    case 'address name':
    case 'category':
    case 'categories':
    case 'tag':
    case 'tags':
    case 'languages':
    case 'hashtags':
    case 'mentions':
    case 'links':
      return ownText(post, of, measure === 'count' ? list((at) => ITEMS[of]?.(at) ?? `x${at}`) : long)
  }
}

/** A row about animations. */
const MOVING: FileBound = { of: 'image', measure: 'bytes', animated: true, source: ours('any') }

/** A network that makes a title of the first line would refuse a long one. */
function titled(provider: Provider, settings: Made['settings']): Made['settings'] {
  const { properties } = provider.settings as { readonly properties: object }
  return 'title' in properties ? { ...settings, title: 'A title' } : settings
}

/** So many bytes in UTF-8, and far fewer characters as people see them. */
function wide(bytes: number): string {
  const family = '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}'
  const length = Buffer.byteLength(family)
  return family.repeat(Math.floor(bytes / length)) + 'x'.repeat(bytes % length)
}

/** As many files as a part may have of a network, of which some take one video and images alone. */
function several(provider: Provider, count: number): MediaFacts[] {
  const first = provider.provider === 'youtube' ? [aFile(provider, 'video')] : []
  return [...first, ...Array.from({ length: count - first.length }, () => aFile(provider, 'image'))]
}

/** Files with so many bytes together, each within its own bound. */
function heavy(provider: Provider, bytes: number): MediaFacts[] {
  const most = provider.limits.media.kinds.find(({ kind }) => kind === 'image')?.maxBytes ?? bytes
  const count = Math.ceil(bytes / most)
  const each = Math.floor(bytes / count)
  return Array.from({ length: count }, (_, at) => ({
    ...aFile(provider, 'image'),
    sizeBytes: at === 0 ? bytes - each * (count - 1) : each,
  }))
}

const ITEMS: Partial<Record<OwnText, (at: number) => string>> = {
  languages: (at) => ['en', 'de', 'fr', 'es', 'it'][at] ?? `x${at}`,
}

/** What a text of a network is called among its settings. */
const SETTING: Partial<Record<OwnText, string>> = {
  title: 'title',
  topic: 'topic',
  sender: 'username',
  excerpt: 'excerpt',
  'address name': 'slug',
  category: 'categories',
  categories: 'categories',
  tag: 'tags',
  tags: 'tags',
  languages: 'languages',
}

function ownText(post: Made, of: OwnText, value: string | string[]): Made {
  const setting = SETTING[of]
  if (setting !== undefined) {
    const isList = ['category', 'categories', 'tag', 'tags', 'languages'].includes(of)
    const given = !isList ? value : typeof value === 'string' ? piecesOf(of, value) : value
    return { ...post, settings: { ...post.settings, [setting]: given } }
  }
  const items = typeof value === 'string' ? [value] : value
  const word = (item: string) =>
    of === 'hashtags' ? `#${item}` : of === 'mentions' ? `@${item}` : `https://example.com/${item}`
  return { ...post, text: items.map(word).join(' ') }
}

/** Of all tags together the commas between them count, too. */
function piecesOf(of: OwnText, value: string): string[] {
  if (of !== 'tags') return [value]
  const pieces: string[] = []
  for (let left = value.length; left > 0; left -= 91)
    pieces.push(
      String(pieces.length % 10).padEnd(Math.min(90, left - (left > 90 && left <= 91 ? 2 : 0)), 'x'),
    )
  return pieces
}
