import { createHash } from 'node:crypto'
import type { FileToSend } from '../port/calls.ts'

/* Bodies of publish calls that carry files: the same bytes for every repeat of one intent. */

/** A boundary that follows from the idempotency key: no author can have written it into a text or a file. */
export function boundaryOf(idempotencyKey: string): string {
  return createHash('sha256').update(`boundary ${idempotencyKey}`).digest('hex').slice(0, 40)
}

/** A boundary for what is no publish call: nobody who makes a file or writes an alt text can know the token. */
export function uploadBoundary({ accessToken }: { readonly accessToken: string }): string {
  return createHash('sha256').update(`upload ${accessToken}`).digest('hex').slice(0, 40)
}

/** What a file is called at the network: its own name is nobody's business. */
export function fileNameOf({ contentType }: Pick<FileToSend, 'contentType'>, place: number): string {
  const [, extension = 'bin'] = contentType.split('/')
  return `media-${place + 1}.${EXTENSIONS.get(contentType) ?? extension}`
}

/** Where the type does not end in the usual extension; networks go by it. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['video/quicktime', 'mov'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
])
