import type { Series } from '@postrider/contract'
import type { Author } from '../../edge/operations/actor.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { cancelOfPosts } from '../posts/plan/planned-store.ts'
import { lockPosts } from '../posts/post-store.ts'
import type { LocalDay } from './rule.ts'
import {
  findPostStates,
  planAgain,
  type OccurrenceRow,
  type SeriesKey,
  type PostState,
} from './series-store.ts'

export type Effect = NonNullable<Series['effects']>[number]

const BEGUN = 'Publishing has started or finished.'
const IN_PART = 'On its other channels, publishing has started or finished, so the post is not created again.'
const CHANGED = 'The post was edited or reviewed after it was created.'

type Withdrawal = {
  readonly author: Author
  readonly evenChanged: boolean
  /** Days whose time is over and that are made again nevertheless. */
  readonly late?: readonly LocalDay[]
}

/**
 * Cancels posts that were made of a series, so that their days are made again as the series says by then. What was changed since it
 * was made stays, unless all is to go; and so does what has begun to be published. The lock on the series is the caller's; those of the
 * posts are taken in the order of an edit.
 */
export async function withdrawMade(
  tx: Tx,
  key: SeriesKey,
  rows: readonly OccurrenceRow[],
  { author, evenChanged, late = [] }: Withdrawal,
): Promise<Effect[]> {
  const made = rows.flatMap((row) => (row.postId === null ? [] : [{ ...row, postId: row.postId }]))
  if (made.length === 0) return []
  const postIds = made.map(({ postId }) => postId)
  const { workspaceId } = key
  await lockPosts(tx, workspaceId, postIds)
  const postStates = await findPostStates(tx, workspaceId, postIds)
  const kept = new Map(
    made.flatMap((row) => {
      const reason = reasonToKeep(row, postStates.get(row.postId), evenChanged)
      return reason === null ? [] : [[row.postId, reason]]
    }),
  )
  const chosen = postIds.filter((id) => !kept.has(id))
  const { postIds: cancelled } = await cancelOfPosts(tx, workspaceId, chosen, author)
  const after = await findPostStates(tx, workspaceId, chosen)
  const isGone = (postId: string) =>
    after.get(postId)?.destinations.every(({ status }) => status === 'cancelled') ?? false
  await planAgain(
    tx,
    key,
    made.filter(({ postId }) => isGone(postId)).map(({ date }) => date),
    late,
  )
  return made.flatMap(({ date, postId }): Effect[] => {
    if (cancelled.includes(postId))
      return [{ date, postId, effect: 'cancelled', reason: isGone(postId) ? null : IN_PART }]
    const begun = postStates.get(postId)?.destinations.some((one) => one.begun) === true
    const reason = kept.get(postId) ?? (begun ? BEGUN : CHANGED)
    // Of what is published, or over, nothing was to be changed.
    return isOver(postStates.get(postId)) ? [] : [{ date, postId, effect: 'kept', reason }]
  })
}

function reasonToKeep(row: OccurrenceRow, post: PostState | undefined, evenChanged: boolean): string | null {
  if (post === undefined) return BEGUN
  if (evenChanged) return isOver(post) ? BEGUN : null
  const { destinations } = post
  if (!destinations.every(({ status, begun }) => (status === 'scheduled' || status === 'draft') && !begun))
    return BEGUN
  const isAsMade =
    post.editToken === row.editToken &&
    destinations.every(({ publishAt }) => publishAt?.getTime() === row.publishAt?.getTime())
  return isAsMade ? null : CHANGED
}

const over = new Set(['published', 'cancelled', 'expired', 'failed'])

function isOver(post: PostState | undefined): boolean {
  return post === undefined || post.destinations.every(({ status }) => over.has(status))
}
