import type { ContentChange } from '@postrider/contract'
import { approvalRequested } from '../../approvals/approval.ts'
import { renewApproval, reviewedOf } from '../../approvals/approval-store.ts'
import { isActive } from '../../../engine/destinations/destination-commands.ts'
import {
  type DestinationRow,
  keepContent,
  replaceContent,
} from '../../../engine/destinations/destination-store.ts'
import { newToken } from '../../../engine/destinations/tokens.ts'
import { findMediaToCarry, type MediaRow } from '../../../media/media-store.ts'
import { findChannelsAmong, type FoundChannels } from '../../../networks/channels/channel-store.ts'
import type { Author } from '../../../edge/operations/actor.ts'
import type { Fragment, Tx } from '../../../platform/postgres/db.ts'
import { uuidv7 } from '../../../platform/text/uuid.ts'
import type { Refusal } from '../../../edge/operations/refusal.ts'
import type { PostChange } from '../../../engine/outbox/envelope.ts'
import { announce, announceAtCommit } from '../../../engine/outbox/outbox-store.ts'
import type { Providers } from '../../../networks/providers/port/port.ts'
import { changedFields, planOf, type ContentEdit } from './content-edit.ts'
import { newPartRows, newParts } from '../create/create-post.ts'
import { fold } from './fold.ts'
import { checkPlan } from '../create/plan-issues.ts'
import { channelIdsOfPost, replacePost, type WholePost } from '../post-store.ts'
import { partsOf } from '../plan/plan.ts'
import type { PostKey } from '../read-post.ts'
import { refuseContent } from '../plan/refuse-plan.ts'
import { replaceSearch } from '../search-store.ts'

/** What the content of a post is checked by after an edit: its channels, and the media that the edit names. */
export type EditFacts = Pick<FoundChannels, 'now' | 'channels' | 'linkTags'> & {
  readonly media: ReadonlyMap<string, MediaRow>
}

export async function findEditFacts(
  tx: Tx,
  { workspaceId, postId }: PostKey,
  changes: readonly ContentChange[],
): Promise<EditFacts> {
  const [{ now, channels, linkTags }, media] = await Promise.all([
    findChannelsAmong(tx, workspaceId, channelIdsOfPost(tx, workspaceId, postId)),
    findMediaToCarry(tx, workspaceId, [...new Set(changes.flatMap(namedMediaIds))]),
  ])
  return { now, channels, linkTags, media }
}

function namedMediaIds({ mediaIds = [], thread = [], parts = [] }: ContentChange): string[] {
  return [...mediaIds, ...[...thread, ...parts].flatMap((part) => part.mediaIds ?? [])]
}

/** Why the content cannot be published as it would be after the edit: the check of a create. Null when it can. */
export function refuseEdit(
  post: WholePost,
  edit: ContentEdit,
  { now, channels, media }: EditFacts,
  providers: Providers,
): Refusal<'channel_unavailable' | 'post_not_publishable'> | null {
  const known = new Map([...post.media, ...media])
  return refuseContent(checkPlan(planOf(edit), channels, providers, now, known).issues)
}

/**
 * The post as an edit leaves it, with a new edit token. Destinations that are over keep, as theirs, the shared content
 * that they had.
 */
export function editedPost(
  post: WholePost,
  edit: ContentEdit,
  { now, media }: Pick<EditFacts, 'now' | 'media'>,
  {
    actor: { type, name },
    askAgain,
    channels = false,
    times = false,
  }: { actor: Author; askAgain: boolean; channels?: boolean; times?: boolean },
): WholePost {
  const editedOf = new Map(edit.destinations.map((edited) => [edited.destination, edited]))
  const own = [...changedFields(post, edit), ...(channels ? ['channels'] : [])]
  const fields = [...own, ...(askAgain ? ['reviewStatus'] : []), ...(times ? ['publishAt'] : [])]
  return {
    ...post,
    content: edit.shared,
    editToken: newToken(),
    updatedAt: now,
    latestChange: { at: now.toISOString(), by: { type, name }, fields },
    media: new Map([...post.media, ...media]),
    destinations: post.destinations.map((row) => {
      const edited = editedOf.get(row)
      if (edited === undefined) return isOver(row) ? { ...row, content: row.content ?? post.content } : row
      const { own, settings, content, parts = partsOf(content) } = edited
      return { ...row, content: own, settings, parts: newPartRows(newParts(parts)) }
    }),
  }
}

type WrittenEdit = { before: WholePost; after: WholePost; edit: ContentEdit }

/** Writes the edit of a post, for statements that go on from it. The locks on the post and on its destinations are the caller's. */
export async function writeEdit(
  tx: Tx,
  workspaceId: string,
  written: WrittenEdit,
  author: Author,
): Promise<void> {
  const write = async () => tx`with ${writesOf(tx, workspaceId, written, author)} select`
  // Sent together, in this order.
  await Promise.all([write(), announce(tx, editedChanges(workspaceId, written.after, author))])
}

/** The same with the commit. */
export function writeEditAtCommit(tx: Tx, workspaceId: string, written: WrittenEdit, author: Author): void {
  tx.deferPart('edited_post', writesOf(tx, workspaceId, written, author))
  announceAtCommit(tx, editedChanges(workspaceId, written.after, author))
}

/** The common table expressions of an edit. */
function writesOf(
  tx: Tx,
  workspaceId: string,
  { before, after, edit }: WrittenEdit,
  author: Author,
): Fragment {
  const { postId, content } = before
  const over = before.destinations.filter((row) => isOver(row) && row.content === null)
  const rows = edit.destinations.map(
    ({ destination: { destinationId }, content, own, settings, parts = partsOf(content) }) => ({
      destinationId,
      content: own,
      settings,
      parts: newParts(parts),
    }),
  )
  const ofPost = replacePost(tx, workspaceId, after, { author, fields: after.latestChange?.fields ?? [] })
  const ofOver =
    content === null || over.length === 0
      ? tx``
      : tx`, ${keepContent(
          tx,
          { workspaceId, postId },
          over.map(({ destinationId }) => destinationId),
          content,
        )}`
  if (rows.length === 0) return tx`${ofPost}${ofOver}`
  const texts = after.destinations.flatMap(({ parts }) => parts.map(({ text }) => fold(text)))
  return tx`
    ${ofPost}${ofOver}, ${replaceContent(tx, workspaceId, rows)}, ${replaceSearch(tx, { workspaceId, postId }, texts)}`
}

function editedChanges(workspaceId: string, after: WholePost, by: Author): PostChange[] {
  const { postId, updatedAt, latestChange, destinations } = after
  // A time has an event of its own.
  const changed = (latestChange?.fields ?? []).filter((field) => field !== 'publishAt')
  if (changed.length === 0) return []
  const channelIds = destinations.map(({ channelId }) => channelId)
  return [{ workspaceId, postId, type: 'post.edited', by, channelIds, changed: [...changed], at: updatedAt }]
}

function isOver({ status }: DestinationRow): boolean {
  return !isActive(status)
}

/** Asks a person again, about the content as it is now. */
export async function askAgain(
  tx: Tx,
  { workspaceId, postId }: PostKey,
  { by, baseUrl }: { by: Author; baseUrl: string },
): Promise<void> {
  const reviewed = await reviewedOf(tx, workspaceId, postId)
  const approvalId = uuidv7()
  const { requestedAt, expiresAt } = await renewApproval(
    tx,
    { workspaceId, postId },
    { approvalId, reviewed },
  )
  const channelIds = reviewed.map(({ channelId }) => channelId)
  const about = { workspaceId, postId, by, channelIds, at: requestedAt }
  await announce(tx, [approvalRequested(about, { approvalId, expiresAt }, baseUrl)])
}
