import type { CalendarEntry, Post, PostSummary } from '@postrider/contract'
import { reviewStatusOf, viewApproval } from '../approvals/approval.ts'
import { commandFacts } from '../destinations/command-facts.ts'
import type { DestinationRow } from '../destinations/destination-store.ts'
import { viewDestination } from '../destinations/views.ts'
import { viewMedia } from '../media/views.ts'
import type { ActDetails } from '../platform/act.ts'
import type { Actor } from '../platform/actor.ts'
import { firstCharacters } from '../providers/characters.ts'
import type { Providers } from '../providers/port.ts'
import type { CalendarRow, SummaryRow } from './post-list-store.ts'
import type { WholePost } from './post-store.ts'

/** How many characters of a text a list shows. */
const EXCERPT = 280

export type ViewOptions = {
  readonly providers: Providers
  readonly baseUrl: string
  /** Says what a write has changed, for the audit log. */
  readonly say?: (details: ActDetails) => void
}

/** A post with all its destinations, as the API shows it to this reader: media as `GET /media` would. */
export function viewPost(post: WholePost, reader: Actor, { providers, baseUrl }: ViewOptions): Post {
  const { destinations, approval, media } = post
  const review = reviewStatusOf(approval?.status ?? null)
  const readable = reader.permissions.includes('media:read') ? mediaIdsOf(destinations) : []
  return {
    postId: post.postId,
    content: post.content,
    media: readable.flatMap((id) => media.get(id) ?? []).map(viewMedia),
    reviewStatus: review,
    approval: viewApproval(approval, baseUrl),
    editToken: post.editToken,
    destinations: destinations.map((row) =>
      viewDestination(row, commandFacts(row, destinations, review), { providers, reader }),
    ),
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
    author: row.author,
  }
}
