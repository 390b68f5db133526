import { createHash } from 'node:crypto'
import type { Subject, WorkPart } from '../queue/work.ts'
import { parentOf } from '../destinations/part-order.ts'

/**
 * The key of every call for a part as it is written now, however often it is attempted: the network can tell by it that they
 * are one, also when a call that was taken for lost arrives after the next one. Other content has another key, or the
 * network would take it for what it has. A UUID of version 8 (RFC 9562, 5.8).
 */
export function callKey(
  { destinationId, settings, parts }: Pick<Subject, 'destinationId' | 'settings' | 'parts'>,
  part: Pick<WorkPart, 'index' | 'firstComment' | 'text' | 'media'>,
): string {
  const { index, text, media, firstComment } = part
  const parent = parentOf(parts, part)?.remoteId ?? null
  const shown = media.map(({ mediaId, altText }) => [mediaId, altText])
  // Settings come from the database with their names in one order.
  const kind = firstComment ? ['first_comment'] : []
  const written = JSON.stringify([destinationId, index, text, shown, settings, parent, ...kind])
  const hash = createHash('sha256').update(written).digest('hex')
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-')
}
