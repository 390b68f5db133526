import type { Post } from '@postrider/contract'
import { reviewStatusOf, viewApproval } from '../approvals/approval.ts'
import { commandFacts } from '../../engine/destinations/command-facts.ts'
import type { DestinationRow } from '../../engine/destinations/destination-store.ts'
import { viewChange, viewDestination } from '../../engine/destinations/views.ts'
import { viewMedia } from '../../media/views.ts'
import type { ActDetails } from '../../edge/operations/act.ts'
import type { Actor } from '../../edge/operations/actor.ts'
import type { Providers } from '../../networks/providers/port/port.ts'
import type { WholePost } from './post-store.ts'

export type ViewOptions = {
  readonly providers: Providers
  readonly baseUrl: string
  /** Says what a write has changed, for the audit log. */
  readonly say?: (details: ActDetails) => void
}

/** A post with all its destinations, as the API shows it to this reader: media as `GET /media` would. */
export function viewPost(post: WholePost, reader: Actor, { providers, baseUrl }: ViewOptions): Post {
  const { destinations, approval, media } = post
  const pageUrl = `${baseUrl}/w/${post.workspaceId}/posts/${post.postId}`
  const review = reviewStatusOf(approval?.status ?? null)
  const readable = reader.permissions.includes('media:read') ? mediaIdsOf(destinations) : []
  return {
    postId: post.postId,
    reference: post.reference,
    seriesId: destinations[0]?.seriesId ?? null,
    labels: [...post.labels],
    content: post.content,
    media: readable.flatMap((id) => media.get(id) ?? []).map(viewMedia),
    reviewStatus: review,
    approval: viewApproval(approval, baseUrl),
    editToken: post.editToken,
    latestChange: viewChange(post.latestChange),
    destinations: destinations.map((row) =>
      viewDestination(row, commandFacts(row, destinations, review), { providers, reader, pageUrl }),
    ),
    createdBy: post.createdBy,
    createdAt: post.createdAt.toISOString(),
    updatedAt: post.updatedAt.toISOString(),
  }
}

function mediaIdsOf(destinations: readonly DestinationRow[]): string[] {
  return [...new Set(destinations.flatMap(({ parts }) => parts.flatMap(({ mediaIds }) => mediaIds)))]
}
