import type { Answer, cancelDestination as operation, Input, Post, RefusalCode } from '@postrider/contract'
import { reviewStatusOf } from '../../approvals/approval.ts'
import { commandFacts } from '../../../engine/destinations/command-facts.ts'
import { rule, statusesFor } from '../../../engine/destinations/destination-commands.ts'
import { cancelOfPost, type DestinationRow } from '../../../engine/destinations/destination-store.ts'
import { announceAtCommit } from '../../../engine/outbox/outbox-store.ts'
import type { Actor } from '../../../edge/operations/actor.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { cancelDestination } from './command-destination.ts'
import { scopeOf } from './command-scope.ts'
import { refuseChange } from '../create/limit-posts.ts'
import { renewEditTokens } from '../post-store.ts'
import { lockWholePost, readChanged, refusePostId, standingOf, type PostKey } from '../read-post.ts'
import { refuseStale } from './refuse-stale.ts'
import type { ViewOptions } from '../views.ts'

type Body = Input<typeof operation>['body']

/** Cancels one destination, by its control token, or all that can be cancelled of the post, by its edit token. */
export async function cancelSome(
  tx: Tx,
  key: PostKey,
  body: Body,
  actor: Actor,
  options: ViewOptions,
): Promise<Answer<typeof operation> | Refusal<RefusalCode<typeof operation>>> {
  const scope = scopeOf(body)
  if ('refused' in scope) return scope
  return scope.is === 'post'
    ? cancelPost(tx, key, { editToken: scope.editToken }, actor, options)
    : cancelDestination(
        tx,
        { ...key, channelId: scope.channelId, controlToken: scope.controlToken },
        actor,
        options,
      )
}

type Wanted = {
  readonly editToken: string
  /** What of the post is meant; left out for all of it. */
  readonly only?: 'drafts' | 'planned'
}

/** What has begun to publish, or is over, stays as it is. The locks are taken in the order of an edit. */
export async function cancelPost(
  tx: Tx,
  { workspaceId, postId }: PostKey,
  { editToken, only }: Wanted,
  actor: Actor,
  options: ViewOptions,
): Promise<Post | Refusal<'not_found' | 'credential_limit' | 'invalid_state' | 'stale_edit_token'>> {
  const post = await lockWholePost(tx, { workspaceId, postId }, actor)
  if (post === null) return refusePostId()
  const { destinations, approval } = post
  const review = reviewStatusOf(approval?.status ?? null)
  const isMeant = ({ status }: DestinationRow) =>
    only === undefined || (status === 'draft') === (only === 'drafts')
  const chosen = destinations
    .filter(isMeant)
    .filter((one) => rule('cancel', commandFacts(one, destinations, review)).allowed)
  if (chosen.length === 0) {
    const detail = 'The post can no longer be cancelled: on each channel, publishing has started or finished.'
    const currentStatus = standingOf(post).status
    return refuse('invalid_state', detail, { currentStatus, allowedStatuses: statusesFor('cancel') })
  }
  const beyond = refuseChange(actor, chosen)
  if (beyond !== null) return beyond
  if (post.editToken !== editToken) return refuseStale('stale_edit_token', post, standingOf(post))

  const ids = chosen.map(({ destinationId }) => destinationId)
  const [, changes] = await Promise.all([
    renewEditTokens(tx, workspaceId, [postId], actor, ['status']),
    cancelOfPost(tx, { workspaceId, postId }, ids, actor),
  ])
  options.say?.({
    before: chosen.map(({ channelId, status, publishAt }) => ({ channelId, status, publishAt })),
    after: changes.map(({ channelId, status, publishAt }) => ({
      channelId,
      status,
      publishAt: publishAt?.toISOString() ?? null,
    })),
  })
  announceAtCommit(tx, changes)
  return readChanged(tx, { workspaceId, postId }, actor, options)
}
