import type { Answer, Content, editPost as operation, Input, RefusalCode } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { renewApproval, reviewedOf } from '../approvals/approval-store.ts'
import { contentDigest, reviewStatusOf } from '../approvals/approval.ts'
import { findChannels } from '../channels/channel-store.ts'
import { isActive, rule } from '../destinations/destination-commands.ts'
import { keepContent, lockDestinations, replaceContent, withdraw } from '../destinations/destination-store.ts'
import { findMedia } from '../media/media-store.ts'
import { newToken } from '../destinations/tokens.ts'
import type { Tx } from '../platform/db.ts'
import { refuse, type Refusal } from '../platform/refusal.ts'
import { checkPlan } from './plan-issues.ts'
import { newParts, type PostsOptions } from './create-post.ts'
import { contentOf, mediaIdsOf, type Plan } from './plan.ts'
import { findPost, lockPost, replacePost, type PostRow } from './post-store.ts'
import { readPost } from './read-post.ts'
import { refuseContent } from './refuse-plan.ts'

type Body = Input<typeof operation>['body']
type Held = Awaited<ReturnType<typeof lockDestinations>>[number]

/**
 * Replaces the content of a post that has not begun to publish. The locks are taken post first, then
 * destinations: a worker that is claiming one goes first, and then its status refuses the edit.
 * Content that a person approved, or was asked to, is theirs to see again: what was scheduled goes back to draft.
 */
export async function editPost(
  tx: Tx,
  { workspaceId, postId }: { workspaceId: string; postId: string },
  body: Body,
  { providers, baseUrl }: PostsOptions,
): Promise<Answer<typeof operation> | Refusal<RefusalCode<typeof operation>>> {
  const post = await lockPost(tx, workspaceId, postId)
  if (post === null) return refuse('not_found', 'There is no post under this id in this workspace.')
  if (post.editToken !== body.editToken) {
    return refuse(
      'stale_edit_token',
      'The post has changed since this token was read. Get it again, and decide anew.',
    )
  }
  const held = await lockDestinations(tx, workspaceId, postId)
  const refusal = refuseByStatus(held)
  if (refusal !== null) return refusal

  const plan = planOf(
    body.content,
    held.filter(({ status }) => isActive(status)),
  )
  if ('refused' in plan) return plan
  const { now, channels } = await findChannels(
    tx,
    workspaceId,
    plan.destinations.map(({ channelId }) => channelId),
  )
  const media = await findMedia(tx, workspaceId, mediaIdsOf(plan))
  const { issues } = checkPlan(plan, channels, providers, now, media)
  const unfit = refuseContent(issues)
  if (unfit !== null) return unfit

  await writeEdit(tx, workspaceId, post, plan, held)
  return readPost(tx, { workspaceId, postId }, baseUrl)
}

function refuseByStatus(held: readonly Held[]): Refusal<'invalid_state'> | null {
  const siblings = held.map(({ status }) => status)
  const [first] = siblings
  if (first === undefined) return null
  const ruling = rule('edit', {
    status: first,
    siblings,
    partOut: false,
    doubt: false,
    review: 'not_required',
  })
  if (ruling.allowed) return null
  const currentStatus = siblings.find((status) => isActive(status) && !ruling.from.includes(status)) ?? first
  return refuse('invalid_state', ruling.reason, { currentStatus, allowedStatuses: ruling.from })
}

/** The edit as the plan it amounts to, so that the one check of plans says whether it can be published. */
function planOf(
  content: Body['content'],
  active: readonly Held[],
): Plan | Refusal<'channel_unavailable' | 'validation_failed'> {
  if (!('targets' in content)) {
    const shared = contentOf(content)
    const destinations = active.map(({ channelId, settings }) => ({
      channelId,
      content: shared,
      settings,
      pointers: { channel: '/content', content: '/content' },
    }))
    return { state: 'draft', publishAt: null, shared, destinations }
  }
  const stranger = content.targets.findIndex(
    ({ channelId }) => !active.some((one) => one.channelId === channelId),
  )
  if (stranger >= 0) return notOfThisPost(stranger)
  const destinations = content.targets.map(({ channelId, settings, ...own }, index) => ({
    channelId,
    content: contentOf(own),
    settings: settings ?? active.find((one) => one.channelId === channelId)?.settings ?? {},
    pointers: { channel: `/content/targets/${index}/channelId`, content: `/content/targets/${index}` },
  }))
  return { state: 'draft', publishAt: null, shared: null, destinations }
}

function notOfThisPost(index: number): Refusal<'channel_unavailable'> {
  const detail =
    'The post has no active destination on this channel: an edit changes content, and neither adds nor removes channels.'
  const pointer = `/content/targets/${index}/channelId`
  return refuse('channel_unavailable', detail, { errors: [{ pointer, code: 'channel_not_in_post', detail }] })
}

/** Null once each active destination has content of its own: shared content is what some of them share. */
function sharedAfter(post: PostRow, plan: Plan, held: readonly Held[]): Content | null {
  if (plan.shared !== null) return plan.shared
  const named = new Set(plan.destinations.map(({ channelId }) => channelId))
  const shared = held.some(
    ({ status, channelId, content }) => isActive(status) && content === null && !named.has(channelId),
  )
  return shared ? post.content : null
}

async function writeEdit(
  tx: Tx,
  workspaceId: string,
  post: PostRow,
  plan: Plan,
  held: readonly Held[],
): Promise<void> {
  const { postId } = post
  const content = sharedAfter(post, plan, held)
  await replacePost(tx, workspaceId, { postId, content, editToken: newToken() })
  if (content !== post.content && post.content !== null) {
    const over = held.filter((one) => !isActive(one.status) && one.content === null)
    const ids = over.map(({ destinationId }) => destinationId)
    if (ids.length > 0) await keepContent(tx, workspaceId, ids, post.content)
  }
  await replaceContent(
    tx,
    workspaceId,
    plan.destinations.flatMap(({ channelId, content, settings }) =>
      held
        .filter((one) => one.channelId === channelId)
        .map(({ destinationId }) => ({
          destinationId,
          content: plan.shared === null ? content : null,
          settings,
          parts: newParts(content),
        })),
    ),
  )
  if (plan.destinations.length === 0) return
  const { approval } = (await findPost(tx, workspaceId, postId)) ?? { approval: null }
  if (reviewStatusOf(approval?.status ?? null) === 'not_required') return
  await withdraw(tx, workspaceId, postId)
  const digest = contentDigest(await reviewedOf(tx, workspaceId, postId))
  await renewApproval(tx, { workspaceId, postId }, { approvalId: uuidv7(), digest })
}
