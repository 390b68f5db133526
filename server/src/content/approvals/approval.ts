import { createHash } from 'node:crypto'
import {
  approvedNames,
  type Content,
  inOneOrder,
  isNone,
  type Post,
  type ReviewStatus,
} from '@postrider/contract'
import canonicalize from 'canonicalize'
import type { PostChange } from '../../engine/outbox/envelope.ts'

/** How long a person has to decide. */
export const APPROVAL_DAYS = 7

export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'superseded' | 'expired'

/** The latest request for approval of a post. */
export type Approval = {
  readonly approvalId: string
  readonly status: ApprovalStatus
  readonly requestedAt: Date
  readonly expiresAt: Date
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
  /** Whether the last part is a first comment. */
  readonly firstComment?: boolean
  /** What else of its content a person approves; left out for nothing. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined
}

/** Of a content, what a person approves beside its parts. */
export function approvedFields(content: Content | null): Reviewed['fields'] {
  const said = approvedNames.filter((name) => !isNone(name, content?.[name]))
  return said.length === 0
    ? undefined
    : Object.fromEntries(said.map((name) => [name, inOneOrder(content?.[name])]))
}

/** The same without what may be read beside it. */
export function reviewedContent(destinations: readonly Reviewed[]): Reviewed[] {
  return destinations.map(({ channelId, settings, parts, media, firstComment = false, fields }) => ({
    channelId,
    settings,
    parts,
    media,
    ...(firstComment ? { firstComment } : {}),
    ...(fields === undefined ? {} : { fields }),
  }))
}

/**
 * SHA-256 over exactly what would be published where (RFC 8785), whatever the order of the channels.
 * An approval counts only for the content that has this digest.
 */
export function contentDigest(destinations: readonly Reviewed[]): Buffer {
  const reviewed = reviewedContent(destinations).toSorted((a, b) => (a.channelId < b.channelId ? -1 : 1))
  return createHash('sha256')
    .update(canonicalize(reviewed) ?? '')
    .digest()
}

type Shown = { readonly review: ReviewStatus; readonly reason: string | null }

/** What the latest request means for the post. Only a decision approves: whatever else ended it is a no. */
const shownAs: Record<ApprovalStatus, Shown> = {
  pending: { review: 'pending', reason: null },
  approved: { review: 'approved', reason: null },
  rejected: { review: 'rejected', reason: null },
  expired: {
    review: 'rejected',
    reason: 'Expired without a decision. Editing the post requests approval again.',
  },
  superseded: {
    review: 'rejected',
    reason: 'The post was cancelled, expired or restored from a backup before a decision.',
  },
}

/** Where a post stands whose latest request has this status; null for one that never needed approval. */
export function reviewStatusOf(status: ApprovalStatus | null): ReviewStatus {
  return status === null ? 'not_required' : shownAs[status].review
}

/** The approval as the API shows it; null for a post that never needed one. */
export function viewApproval(approval: Approval | null, baseUrl: string): Post['approval'] {
  if (approval === null) return null
  const { status } = approval
  return {
    status: status === 'superseded' ? 'rejected' : status,
    reason: shownAs[status].reason,
    reviewUrl: reviewUrl(baseUrl, approval.approvalId),
    requestedAt: approval.requestedAt.toISOString(),
    expiresAt: approval.expiresAt.toISOString(),
    decidedAt: approval.decidedAt?.toISOString() ?? null,
    note: approval.note,
  }
}

/** What is announced of a request that a person is to decide about. */
export function approvalRequested(
  about: Omit<PostChange, 'type' | 'changed' | 'approval'>,
  { approvalId, expiresAt }: { approvalId: string; expiresAt: Date },
  baseUrl: string,
): PostChange {
  const where = { reviewUrl: reviewUrl(baseUrl, approvalId), expiresAt: expiresAt.toISOString() }
  return { ...about, type: 'approval.requested', approval: { status: 'pending', ...where } }
}

/** Where a person decides. */
export function reviewUrl(baseUrl: string, approvalId: string): string {
  return `${baseUrl}/review/${approvalId}`
}
