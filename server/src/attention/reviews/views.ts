import type { app } from '@postrider/contract'
import { kindOfPart } from '../../engine/destinations/part-order.ts'
import { viewMedia } from '../../media/views.ts'
import type { Reviewed } from '../../content/approvals/approval.ts'
import type { ApprovalRequest, PreviousRequest } from '../../content/approvals/approval-store.ts'
import type { ShownApproval } from './show-approval.ts'

/** A request for approval as people see it in a list. */
export function viewApprovalSummary(request: ApprovalRequest): app.ApprovalSummary {
  const {
    approvalId,
    postId,
    status,
    requestedAt,
    expiresAt,
    decidedAt,
    decidedBy,
    note,
    text,
    publishAt,
    moreTimes,
  } = request
  return {
    approvalId,
    postId,
    status,
    requestedAt: requestedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
    decidedBy,
    note,
    text,
    publishAt: publishAt?.toISOString() ?? null,
    moreTimes,
  }
}

/** The same with exactly what would be published where. */
export function viewShownApproval(shown: ShownApproval): app.ApprovalView {
  const { request, askedBy, digest, unchanged, previous, obstacleToUndo, mediaItems, destinations } = shown
  return {
    ...viewApprovalSummary(request),
    askedBy,
    unchanged,
    digest: digest.toString('hex'),
    previous: previous === null ? null : viewPrevious(previous),
    undo: { allowed: obstacleToUndo === null, reason: obstacleToUndo },
    media: [...mediaItems.values()].map(viewMedia),
    destinations: destinations.map(
      ({ channel, channelId, status, publishAt, settings, fields, ...parts }) => ({
        channelId,
        provider: channel?.provider ?? null,
        handle: channel?.handle ?? null,
        displayName: channel?.displayName ?? null,
        status,
        publishAt: publishAt?.toISOString() ?? null,
        settings: { ...settings },
        parts: viewParts(parts),
        ...(fields === undefined ? {} : { fields }),
      }),
    ),
  }
}

function viewPrevious({ status, decidedBy, note, content }: PreviousRequest): app.ApprovalView['previous'] {
  const destinations = content.map(({ channelId, ...parts }) => ({ channelId, parts: viewParts(parts) }))
  return { status, decidedBy, note, destinations }
}

function viewParts({ parts, media, firstComment = false }: Omit<Reviewed, 'channelId' | 'settings'>) {
  return parts.map((text, index) => ({
    kind: kindOfPart({ index, firstComment: firstComment && index === parts.length - 1 }),
    text,
    mediaIds: [...(media[index] ?? [])],
  }))
}
