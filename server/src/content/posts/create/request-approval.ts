import type { Answer, RefusalCode, requestApproval as operation } from '@postrider/contract'
import { reviewUrl } from '../../approvals/approval.ts'
import type { Actor } from '../../../edge/operations/actor.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { reviewOf } from '../edit/edit-post.ts'
import { activeOf, refuseChange } from './limit-posts.ts'
import { renewEditTokens, type WholePost } from '../post-store.ts'
import { lockWholePost, type PostKey, readChanged, refusePostId, standingOf } from '../read-post.ts'
import { refuseStale } from '../command/refuse-stale.ts'
import type { ViewOptions } from '../views.ts'
import { askAgain } from '../edit/write-content.ts'

/** Asks a person to approve a post of which all is a draft. The locks are taken in the order of an edit. */
export async function requestApproval(
  tx: Tx,
  key: PostKey,
  editToken: string,
  actor: Actor,
  options: ViewOptions,
): Promise<Answer<typeof operation> | Refusal<RefusalCode<typeof operation>>> {
  const post = await lockWholePost(tx, key, actor)
  if (post === null) return refusePostId()
  const refusal =
    refuseLimits(post, actor) ??
    refuseState(post, options) ??
    (post.editToken === editToken ? null : refuseStale('stale_edit_token', post, standingOf(post)))
  if (refusal !== null) return refusal
  await renewEditTokens(tx, key.workspaceId, [key.postId], actor, ['reviewStatus'])
  await askAgain(tx, key, { by: actor, baseUrl: options.baseUrl })
  options.say?.({ after: { reviewStatus: 'pending' } })
  return readChanged(tx, key, actor, options)
}

/** What is asked for is to be published: at its time, or at once. */
function refuseLimits(post: WholePost, actor: Actor): Refusal<'credential_limit'> | null {
  const active = activeOf(post, null)
  const times = active.flatMap(({ publishAt }) => (publishAt === null ? [] : [Date.parse(publishAt)]))
  const publishAt = times.length === 0 ? null : new Date(Math.max(...times))
  return refuseChange(actor, active, { gives: true, publishAt, now: post.now })
}

function refuseState(post: WholePost, { baseUrl }: ViewOptions): Refusal<'invalid_state'> | null {
  const active = activeOf(post, null)
  const other = active.find(({ status }) => status !== 'draft')
  if (active.length === 0 || other !== undefined) {
    const currentStatus = (other ?? standingOf(post)).status
    const detail = 'Only a post of which all channels are drafts can be sent for approval.'
    return refuse('invalid_state', detail, { currentStatus, allowedStatuses: ['draft'] })
  }
  if (reviewOf(post) !== 'pending' || post.approval === null) return null
  return refuse('invalid_state', 'The post waits for approval already.', {
    currentStatus: 'draft',
    reviewUrl: reviewUrl(baseUrl, post.approval.approvalId),
  })
}
