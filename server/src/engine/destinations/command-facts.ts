import type { ReviewStatus } from '@postrider/contract'
import type { CommandFacts } from './destination-commands.ts'
import type { DestinationRow } from './destination-store.ts'

/** What the commands on one destination of a post are judged by. */
export function commandFacts(
  row: DestinationRow,
  siblings: readonly DestinationRow[],
  review: ReviewStatus,
): CommandFacts {
  return {
    status: row.status,
    partOut: hasPartOut(row),
    refusedHalfway: isRefusedHalfway(row),
    restWaits: row.restWaits,
    doubt: row.doubt,
    review,
    siblings: siblings.map(({ status }) => status),
    anyPartOut: siblings.some(hasPartOut),
  }
}

function hasPartOut({ parts }: DestinationRow): boolean {
  return parts.some(({ status }) => status === 'published')
}

/** Whether the rest of a thread was refused for good: as long as work remains, there is a time until which. */
export function isRefusedHalfway({
  status,
  expiresAt,
}: Pick<DestinationRow, 'status' | 'expiresAt'>): boolean {
  return status === 'partially_published' && expiresAt === null
}
