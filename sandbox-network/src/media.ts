import { randomBytes } from 'node:crypto'
import type { Medium } from './store.ts'

const signatures: readonly (readonly [contentType: string, test: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/gif', (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6))],
  ['image/webp', (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12))],
  [
    'video/mp4',
    (bytes) =>
      /^(?:isom|iso[2-9]|mp4[12]|avc1|M4V )/.test(bytes.toString('latin1', 8, 12)) &&
      bytes.toString('latin1', 4, 8) === 'ftyp',
  ],
]

/** The type that the first bytes show, of an image or an MP4 video; null for anything else, SVG and HTML included. */
export function mediumType(bytes: Buffer): string | null {
  return signatures.find(([, test]) => test(bytes))?.[0] ?? null
}

/** A fresh id for an uploaded file. */
export function newMediumId(): string {
  return `med_${randomBytes(12).toString('hex')}`
}

/** The path at which an uploaded file is public. */
export function mediumPath(id: string): string {
  return `/media/${id}`
}

/** An uploaded file as the API shows it. */
export function viewMedium({ id, contentType, altText, bytes }: Medium, baseUrl: string) {
  return { id, contentType, sizeBytes: bytes.length, altText, url: `${baseUrl}${mediumPath(id)}` }
}
