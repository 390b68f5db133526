import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MediaKind } from '@postrider/contract'
import { refuse, type Refusal } from '../edge/operations/refusal.ts'
import { createFile } from './temp-files.ts'
import { claimHolds, HEAD_BYTES, recognise, type Recognised } from './media-type.ts'

export type KindBytes = Readonly<Record<MediaKind, number>>

/** A file as it was sent, in a temporary file. */
export type Received = Recognised & { readonly path: string; readonly size: number; readonly sha256: Buffer }

type Sent = { readonly bytes: Readable; readonly claimedType: string | null }
export type FileRefusal = Refusal<'unsupported_media' | 'media_too_large' | 'media_rejected'>

/** Carries a refusal out of a stream. */
class Refused extends Error {
  override name = 'Refused'
  readonly refusal: FileRefusal

  constructor(refusal: FileRefusal) {
    super(refusal.refused)
    this.refusal = refusal
  }
}

/**
 * Streams a file to `path`, hashing it on the way. What it is shows in its first bytes; a type that is not taken, and
 * a size above that of its kind, end the stream at once. Memory does not grow with the file. The caller removes what
 * is at `path`, whatever the end.
 */
export async function receiveFile(
  { bytes, claimedType }: Sent,
  path: string,
  maxBytes: KindBytes,
): Promise<Received | FileRefusal> {
  const hash = createHash('sha256')
  let size = 0
  let seen: Recognised | null = null

  async function* checked(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let head: Buffer | null = Buffer.alloc(0)
    for await (const chunk of source) {
      size += chunk.length
      hash.update(chunk)
      if (head === null) {
        if (seen !== null && size > maxBytes[seen.kind]) throw new Refused(tooLarge(seen.kind, maxBytes))
        yield chunk
        continue
      }
      head = Buffer.concat([head, chunk])
      if (head.length < HEAD_BYTES) continue
      seen = await recogniseOrRefuse(head, claimedType)
      if (size > maxBytes[seen.kind]) throw new Refused(tooLarge(seen.kind, maxBytes))
      yield head
      head = null
    }
    if (head === null) return
    if (size === 0) throw new Refused(refuse('media_rejected', 'The file is empty.'))
    seen = await recogniseOrRefuse(head, claimedType)
    if (size > maxBytes[seen.kind]) throw new Refused(tooLarge(seen.kind, maxBytes))
    yield head
  }

  // The pipeline hears of errors; until there is a file to write to, none would be heard.
  bytes.on('error', () => undefined)
  try {
    await pipeline(bytes, checked, await createFile(path))
  } catch (fault) {
    if (fault instanceof Refused) return fault.refusal
    throw fault
  }
  // The generator has run to its end, and did not throw.
  const recognised = seen as Recognised | null
  if (recognised === null) throw new Error('a file was received without being looked at')
  return { ...recognised, path, size, sha256: hash.digest() }
}

async function recogniseOrRefuse(head: Buffer, claimedType: string | null): Promise<Recognised> {
  const seen = await recognise(head.subarray(0, Math.max(HEAD_BYTES, 64 * 1024)))
  if (seen === null) {
    const detail =
      'This file type is not supported. Send JPEG, PNG, WebP, GIF, AVIF, MP4, MOV, WebM, MP3, M4A, WAV, OGG or PDF.'
    throw new Refused(refuse('unsupported_media', detail))
  }
  if (!claimHolds(claimedType, seen)) {
    const detail = `The file is ${seen.contentType}, but its \`Content-Type\` says otherwise. Send the right type, or none.`
    throw new Refused(refuse('unsupported_media', detail))
  }
  return seen
}

const words: Record<MediaKind, string> = {
  image: 'An image',
  video: 'A video',
  audio: 'An audio file',
  document: 'A document',
}

function tooLarge(kind: MediaKind, maxBytes: KindBytes): FileRefusal {
  const detail = `${words[kind]} can have up to ${maxBytes[kind] / 1_000_000} MB. Make the file smaller, then upload it again.`
  return refuse('media_too_large', detail)
}
