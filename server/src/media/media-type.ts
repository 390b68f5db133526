import { mediaKinds, mediaTypes, type MediaKind } from '@postrider/contract'

export type MediaType = (typeof mediaTypes)[MediaKind][number]

export type Recognised = { readonly kind: MediaKind; readonly contentType: MediaType }

/** How many bytes of the beginning it takes to tell what a file is. */
export const HEAD_BYTES = 4_100

/** Other names of the types that are taken. */
const synonyms: ReadonlyMap<string, MediaType> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['video/x-m4v', 'video/mp4'],
  ['application/mp4', 'video/mp4'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/x-mpeg', 'audio/mpeg'],
  ['audio/m4a', 'audio/mp4'],
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/x-m4b', 'audio/mp4'],
  ['audio/wave', 'audio/wav'],
  ['audio/x-wav', 'audio/wav'],
  ['audio/vnd.wave', 'audio/wav'],
  ['audio/opus', 'audio/ogg'],
  ['audio/vorbis', 'audio/ogg'],
  ['application/ogg', 'audio/ogg'],
  ['application/x-pdf', 'application/pdf'],
])

/** What clients send that do not know the type; a part without one is text by default (RFC 7578, 4.4). */
const SAYS_NOTHING = new Set(['', 'text/plain', 'application/octet-stream', 'binary/octet-stream'])

/** The type under the name that the API knows it by; null for one that is not taken. */
export function mediaTypeOf(mime: string): Recognised | null {
  const bare = (mime.split(';')[0] ?? '').trim().toLowerCase()
  const known = synonyms.get(bare) ?? bare
  for (const kind of mediaKinds) {
    const contentType = mediaTypes[kind].find((type) => type === known)
    if (contentType !== undefined) return { kind, contentType }
  }
  return null
}

/** What the first bytes of a file show it to be; null for whatever is not taken, SVG and HTML included. */
export async function recognise(head: Uint8Array): Promise<Recognised | null> {
  // The tag in front of an MP3 may hold a whole cover; the decoder will have to find the sound behind it.
  if (startsWith(head, 'ID3')) return mediaTypeOf('audio/mpeg')
  // A PNG may have more before its pixels than this; one that moves says so before them, and would lose that.
  if (startsWith(head, PNG)) return includes(head, 'acTL') ? null : mediaTypeOf('image/png')
  const { fileTypeFromBuffer } = await import('file-type')
  try {
    const found = await fileTypeFromBuffer(head)
    return found === undefined ? null : mediaTypeOf(found.mime)
  } catch {
    // It ran off the end of what it took for a header: nothing that is taken has one so long.
    return null
  }
}

const PNG = '\x89PNG\r\n\x1a\n'

/**
 * Whether the type that a client claims can be true of these bytes. No claim can be wrong; MP4 and QuickTime are
 * told apart so differently everywhere, sound alone included, that they count as one.
 */
export function claimHolds(claimed: string | null, { contentType }: Recognised): boolean {
  const bare = (claimed?.split(';')[0] ?? '').trim().toLowerCase()
  if (SAYS_NOTHING.has(bare)) return true
  const type = mediaTypeOf(bare)?.contentType
  return type === contentType || (isIsoMedia(type) && isIsoMedia(contentType))
}

function isIsoMedia(type: MediaType | undefined): boolean {
  return type === 'video/mp4' || type === 'video/quicktime' || type === 'audio/mp4'
}

function startsWith(head: Uint8Array, text: string): boolean {
  return asBuffer(head).toString('latin1', 0, text.length) === text
}

function includes(head: Uint8Array, text: string): boolean {
  return asBuffer(head).includes(text, 0, 'latin1')
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const extensions: Record<MediaType, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/wav': 'wav',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
}

/** The usual ending of a file of this type, without a dot. */
export function extensionOf(contentType: string): string {
  return mediaTypeOf(contentType) === null ? 'bin' : extensions[contentType as MediaType]
}
