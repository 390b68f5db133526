import type { CalendarEntry, PostSummary } from '@postrider/contract'
import { reviewStatusOf } from '../approvals/approval.ts'
import { firstCharacters } from '../../networks/providers/shared/characters.ts'
import type { CalendarRow, SummaryRow } from './post-list-store.ts'

/** How many characters of a text a list shows. */
const EXCERPT = 280

/** A post in a list, with the tokens that commands on it need. */
export function viewSummary(row: SummaryRow): PostSummary {
  return {
    postId: row.postId,
    reference: row.reference,
    labels: [...row.labels],
    text: firstCharacters(row.text, EXCERPT),
    imageId: row.imageId,
    reviewStatus: reviewStatusOf(row.approvalStatus),
    publishAt: row.publishAt?.toISOString() ?? null,
    destinations: row.destinations.map(
      ({ channelId, provider, status, publishAt, releaseUrl, controlToken }) => ({
        channelId,
        provider,
        status,
        publishAt: publishAt?.toISOString() ?? null,
        releaseUrl,
        controlToken,
      }),
    ),
    editToken: row.editToken,
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
    imageId: row.imageId,
    releaseUrl: row.releaseUrl,
    reviewStatus: reviewStatusOf(row.approvalStatus),
    editToken: row.editToken,
    controlToken: row.controlToken,
    author: row.author,
    seriesId: row.seriesId,
    labels: [...row.labels],
  }
}
