import type { CalendarEntry, Post, PostSummary } from '@postrider/contract'
import { reviewStatusOf, viewApproval, type Approval } from '../approvals/approval.ts'
import type { DestinationRow } from '../destinations/destination-store.ts'
import { viewDestination } from '../destinations/views.ts'
import type { MediaRow } from '../media/media-store.ts'
import { viewMedia } from '../media/views.ts'
import { firstCharacters } from '../providers/characters.ts'
import type { CalendarRow, SummaryRow } from './post-list-store.ts'
import type { PostRow } from './post-store.ts'

/** How many characters of a text a list shows. */
const EXCERPT = 280

/** A post with all its destinations, as the API shows it to those who may change it. */
export function viewPost(
  post: PostRow,
  of: {
    readonly destinations: readonly DestinationRow[]
    readonly approval: Approval | null
    /** At least that of its parts. */
    readonly media: ReadonlyMap<string, MediaRow>
  },
  baseUrl: string,
): Post {
  const { destinations, approval, media } = of
  const review = reviewStatusOf(approval?.status ?? null)
  const siblings = destinations.map(({ status }) => status)
  return {
    postId: post.postId,
    content: post.content,
    media: mediaIdsOf(destinations)
      .flatMap((id) => media.get(id) ?? [])
      .map(viewMedia),
    reviewStatus: review,
    approval: viewApproval(approval, baseUrl),
    editToken: post.editToken,
    destinations: destinations.map((row) => viewDestination(row, { siblings, review })),
    createdBy: post.createdBy,
    createdAt: post.createdAt.toISOString(),
    updatedAt: post.updatedAt.toISOString(),
  }
}

function mediaIdsOf(destinations: readonly DestinationRow[]): string[] {
  return [...new Set(destinations.flatMap(({ parts }) => parts.flatMap(({ mediaIds }) => mediaIds)))]
}

/** A post in a list: without tokens, and without ids of anything but post and channels. */
export function viewSummary(row: SummaryRow): PostSummary {
  return {
    postId: row.postId,
    text: firstCharacters(row.text, EXCERPT),
    reviewStatus: reviewStatusOf(row.approvalStatus),
    publishAt: row.publishAt?.toISOString() ?? null,
    destinations: row.destinations.map(({ channelId, provider, status, publishAt, releaseUrl }) => ({
      channelId,
      provider,
      status,
      publishAt: publishAt === null ? null : new Date(publishAt).toISOString(),
      releaseUrl,
    })),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

export function viewCalendarEntry(row: CalendarRow): CalendarEntry {
  return {
    postId: row.postId,
    channelId: row.channelId,
    provider: row.provider,
    status: row.status,
    publishAt: row.publishAt?.toISOString() ?? null,
    publishedAt: row.publishedAt?.toISOString() ?? null,
    text: firstCharacters(row.text, EXCERPT),
    releaseUrl: row.releaseUrl,
    reviewStatus: reviewStatusOf(row.approvalStatus),
  }
}
