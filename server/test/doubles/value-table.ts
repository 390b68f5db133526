import type { MediaKind } from '@postrider/contract'
import sharp from 'sharp'
import type { Bound } from '../../src/networks/providers/port/bounds.ts'
import type { Answered } from './http-double.ts'

/*
 * What a network refuses in a post that is right in its shape: too long, too many, too large, of another type. A table per network
 * (`<name>-values.ts`), with numbers that were written down for it alone, from the network's pages, and how it refuses. A double answers by
 * its table before anything else; the check of posts has its own numbers (port/bounds.ts), and a test compares the two. The status and the
 * form of an answer are the network's; its words are, where a page or a public thread has them.
 */

export type ValueTable = {
  /** How long a text is there. */
  readonly count: (text: string) => number
  readonly facts: readonly Fact[]
  /** What is measured of a call; null where it carries nothing of a post. */
  readonly sentBy: (call: ValueCall) => Promise<Sent | null> | Sent | null
}

/** One number, or some words, of a network. */
export type Fact = {
  readonly of: Bound['of']
  readonly measure: Bound['measure']
  readonly min?: number
  readonly max?: number
  readonly oneOf?: readonly string[]
  /** It holds for these posts alone. */
  readonly among?: Among
  /** The answer to the call; the words of a later answer about the file; or that the network takes it and makes it fit. */
  readonly refused: Answered | { readonly later: string } | 'fitted there'
  /** The page that has it, and the day on which it was read. */
  readonly source: string
  readonly read: string
}

export type Among = 'reels' | 'stories' | 'posts in the feed' | 'animations'

/** A file as it is sent; what is null is not known to the network when it answers. */
export type SentFile = {
  readonly kind: MediaKind
  readonly contentType: string
  readonly sizeBytes: number | null
  readonly width?: number | null
  readonly height?: number | null
  readonly durationMs?: number | null
  readonly animated?: boolean
  readonly altText?: string | null
  readonly videoCodec?: string | null
  readonly audioCodec?: string | null
  readonly frameRate?: number | null
  readonly audioChannels?: number | null
  readonly audioSampleRate?: number | null
}

/** Of a post what one call carries; what it leaves out is not measured. */
export type Sent = {
  readonly text?: string
  readonly files?: readonly SentFile[]
  readonly fileCount?: number
  readonly requestBytes?: number
  readonly title?: string
  readonly topic?: string
  readonly sender?: string
  readonly tags?: readonly string[]
  readonly languages?: readonly string[]
  readonly contentWarning?: string
  readonly altTexts?: readonly string[]
  readonly links?: readonly string[]
  readonly as?: Among
}

/** A call in its parts. */
export type ValueCall = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: Buffer
  readonly json: () => Readonly<Record<string, unknown>>
  readonly form: () => Promise<FormData>
}

/** The first fact that these values go against; null for none. */
export function refusedBy({ facts, count }: Pick<ValueTable, 'facts' | 'count'>, sent: Sent): Fact | null {
  const ofAnimations = facts.filter(({ among }) => among === 'animations')
  const found = facts.find((fact) => {
    const { of, measure, refused, among } = fact
    // What holds for animations is in place of what holds for stills.
    const replaced =
      among === undefined && ofAnimations.some((one) => one.of === of && one.measure === measure)
    const files = (sent.files ?? []).filter(({ animated = false }) =>
      among === 'animations' ? animated : !(replaced && animated),
    )
    return (
      refused !== 'fitted there' &&
      isOut(fact, { ...sent, files, fileCount: sent.fileCount ?? sent.files?.length ?? 0 }, count)
    )
  })
  return found ?? null
}

function isOut(
  fact: Fact,
  sent: Sent & { readonly files: readonly SentFile[] },
  count: ValueTable['count'],
): boolean {
  const { min = -Infinity, max = Infinity, oneOf, of, among } = fact
  const { files } = sent
  if (among !== undefined && among !== 'animations' && among !== (sent.as ?? 'posts in the feed'))
    return false
  if (oneOf !== undefined) {
    return files.some((file) => {
      const is = formOf(fact, file)
      return file.kind === of && is !== null && !oneOf.includes(is)
    })
  }
  const isOutOf = (value: number | null) => value !== null && (value < min || value > max)
  if (isKind(of))
    return files.some((file) => file.kind === of && isOutOf(measureOf(fact, file, { min, max })))
  return numbersOf(fact, sent, count).some(isOutOf)
}

const isKind = (of: Bound['of']): of is MediaKind => ['image', 'video', 'audio', 'document'].includes(of)

function formOf({ measure }: Fact, file: SentFile): string | null {
  const { kind, animated = false, contentType, videoCodec = null, audioCodec = null } = file
  const moves = animated && kind === 'image'
  const forms: Partial<Record<Fact['measure'], string | null>> = {
    type: moves ? null : contentType,
    animation: moves ? contentType : null,
    'video codec': videoCodec,
    'audio codec': audioCodec,
  }
  return forms[measure] ?? null
}

function measureOf(
  { measure }: Fact,
  file: SentFile,
  { min, max }: { min: number; max: number },
): number | null {
  const { sizeBytes, width = null, height = null, durationMs = null } = file
  const known = width !== null && height !== null && height > 0
  switch (measure) {
    case 'bytes':
      return sizeBytes
    case 'width':
      return width
    case 'height':
      return height
    case 'sides':
      return known ? width + height : null
    case 'pixels':
      return known ? width * height : null
    // Pixels are whole: the nearest ratio that a picture of this height can have.
    case 'ratio':
      return known ? nearest(width, height, { min, max }) : null
    case 'seconds':
      return durationMs === null ? null : durationMs / 1_000
    case 'frame rate': {
      const { frameRate = null } = file
      // 23.976 is called 24.
      return frameRate === null
        ? null
        : Math.abs(frameRate - Math.round(frameRate)) < 0.1
          ? Math.round(frameRate)
          : frameRate
    }
    case 'audio channels':
      return file.audioChannels ?? null
    case 'audio rate':
      return file.audioSampleRate ?? null
    case 'characters':
    case 'count':
    case 'files':
    case 'type':
    case 'animation':
    case 'video codec':
    case 'audio codec':
      return null
  }
}

function nearest(width: number, height: number, { min, max }: { min: number; max: number }): number {
  const ratio = width / height
  if (ratio < min) return Math.min((width + 1) / height, min)
  return ratio > max ? Math.max((width - 1) / height, max) : ratio
}

function numbersOf({ of, measure }: Fact, sent: Sent, count: ValueTable['count']): readonly number[] {
  const { text, files = [], tags = [], fileCount = files.length } = sent
  const all = sent.altTexts ?? files.flatMap(({ altText }) => altText ?? [])
  const one = (value: string | undefined) => (value === undefined ? [] : [lengthOf(value, measure)])
  const found = (pattern: RegExp) => [(text ?? '').match(pattern)?.length ?? 0]
  switch (of) {
    case 'text':
      return text === undefined ? [] : [measure === 'bytes' ? Buffer.byteLength(text) : count(text)]
    case 'caption':
      return text === undefined || fileCount === 0 ? [] : [count(text)]
    case 'alt text':
      return all.map((alt) => lengthOf(alt, measure))
    case 'part':
      return measure === 'bytes' ? [sent.requestBytes ?? 0] : [fileCount]
    case 'videos':
      return [files.filter(({ kind }) => kind === 'video').length]
    case 'animations':
      return [files.filter(({ animated }) => animated === true).length]
    case 'title':
      return one(sent.title)
    case 'topic':
      return one(sent.topic)
    case 'sender':
      return one(sent.sender)
    case 'content warning':
      return one(sent.contentWarning)
    case 'tag':
      return tags.map((tag) => lengthOf(tag, measure))
    // With the commas between them, and two quotes around one with a space.
    case 'tags':
      return measure === 'count'
        ? [tags.length]
        : [tags.reduce((sum, tag) => sum + Array.from(tag).length + (tag.includes(' ') ? 3 : 1), -1)]
    case 'languages':
      return [sent.languages?.length ?? 0]
    case 'hashtags':
      return found(/(?<![\p{L}\p{N}_&])#[\p{L}\p{N}_]+/gu)
    case 'mentions':
      return found(/(?<![\w/@.])@[\w.]{1,30}/g)
    case 'links':
      return [new Set([...((text ?? '').match(/https?:\/\/[^\s<>"]+/gi) ?? []), ...(sent.links ?? [])]).size]
    case 'excerpt':
    case 'address name':
    case 'category':
    case 'categories':
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
      return []
  }
}

function lengthOf(text: string, measure: Fact['measure']): number {
  return measure === 'bytes' ? Buffer.byteLength(text) : Array.from(text).length
}

/** How many there are in a list; of what is none, nothing. */
export const countOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0)

/** What a file is found to be from its bytes, as a network finds it; what cannot be read is not known. */
export async function fileIn(bytes: Buffer, contentType: string): Promise<SentFile> {
  const kind = contentType.startsWith('image/')
    ? 'image'
    : contentType.startsWith('video/')
      ? 'video'
      : contentType.startsWith('audio/')
        ? 'audio'
        : 'document'
  const known = { kind, contentType, sizeBytes: bytes.length } as const
  if (kind !== 'image') return known
  const read = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => null)
  if (read === null) return known
  const { width, height, pageHeight, pages = 1 } = read
  return { ...known, width, height: pageHeight ?? height, animated: pages > 1 }
}

/* ---------------------------------------------------------------------------------------------- the words of tables */

type Told = Pick<Fact, 'refused' | 'source' | 'read'>

export const atMost = (
  of: Fact['of'],
  measure: Fact['measure'],
  max: number,
  told: Told,
  among?: Among,
): Fact => ({ of, measure, max, ...told, ...(among === undefined ? {} : { among }) })

export const between = (
  of: Fact['of'],
  measure: Fact['measure'],
  [min, max]: readonly [min: number | undefined, max: number | undefined],
  told: Told,
  among?: Among,
): Fact => ({
  of,
  measure,
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
  ...told,
  ...(among === undefined ? {} : { among }),
})

export const among = (
  of: MediaKind,
  measure: Fact['measure'],
  oneOf: readonly string[],
  told: Told,
  posts?: Among,
): Fact => ({ of, measure, oneOf, ...told, ...(posts === undefined ? {} : { among: posts }) })

export const codePoints = (text: string): number => Array.from(text).length

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' })
export const graphemes = (text: string): number => [...clusters.segment(text)].length
