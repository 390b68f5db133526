import { createHash } from 'node:crypto'
import type { Post, ReviewStatus } from '@postrider/contract'
import canonicalize from 'canonicalize'

export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'superseded' | 'expired'

/** The latest request for approval of a post. */
export type Approval = {
  readonly approvalId: string
  readonly status: ApprovalStatus
  readonly requestedAt: Date
  readonly decidedAt: Date | null
  readonly note: string | null
}

/** What would be published on one channel. */
export type Reviewed = {
  readonly channelId: string
  readonly settings: Readonly<Record<string, unknown>>
  /** The texts of its parts, and the media of each. */
  readonly parts: readonly string[]
  readonly media: readonly (readonly string[])[]
}

/**
 * SHA-256 over exactly what would be published where (RFC 8785), whatever the order of the channels.
 * An approval counts only for the content that has this digest.
 */
export function contentDigest(destinations: readonly Reviewed[]): Buffer {
  const reviewed = destinations
    .map(({ channelId, settings, parts, media }) => ({ channelId, settings, parts, media }))
    .toSorted((a, b) => (a.channelId < b.channelId ? -1 : 1))
  return createHash('sha256')
    .update(canonicalize(reviewed) ?? '')
    .digest()
}

/** What a decision means for the post. A request that lapsed is a no: nothing is published for want of an answer. */
const reviewStatuses: Record<Exclude<ApprovalStatus, 'superseded'>, ReviewStatus> = {
  pending: 'pending',
  approved: 'approved',
  rejected: 'rejected',
  expired: 'rejected',
}

export function reviewStatusOf(status: ApprovalStatus | null): ReviewStatus {
  return status === null || status === 'superseded' ? 'not_required' : reviewStatuses[status]
}

/** The approval as the API shows it; null when nothing waits for one and none was decided. */
export function viewApproval(approval: Approval | null, baseUrl: string): Post['approval'] {
  if (approval === null || approval.status === 'superseded') return null
  return {
    status: approval.status,
    reviewUrl: reviewUrl(baseUrl, approval.approvalId),
    requestedAt: approval.requestedAt.toISOString(),
    decidedAt: approval.decidedAt?.toISOString() ?? null,
    note: approval.note,
  }
}

/** Where a person decides. */
export function reviewUrl(baseUrl: string, approvalId: string): string {
  return `${baseUrl}/review/${approvalId}`
}
