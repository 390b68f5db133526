import type { Answer, editPost as operation, Input, PostIssue, RefusalCode } from '@postrider/contract'
import { reviewStatusOf } from '../../approvals/approval.ts'
import { commandFacts } from '../../../engine/destinations/command-facts.ts'
import { isActive, rule } from '../../../engine/destinations/destination-commands.ts'
import { withdraw } from '../../../engine/destinations/destination-store.ts'
import type { Actor } from '../../../edge/operations/actor.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import {
  contentFor,
  editAll,
  editDetails,
  editTargets,
  findTargets,
  type ContentEdit,
} from './content-edit.ts'
import { editWarnings } from './edit-warnings.ts'
import { activeOf, refuseChange } from '../create/limit-posts.ts'
import type { WholePost } from '../post-store.ts'
import { lockWholePost, readChanged, refusePostId, standingOf, type PostKey } from '../read-post.ts'
import { refuseParts } from '../create/refuse-parts.ts'
import { refuseStale } from '../command/refuse-stale.ts'
import { editWithTags } from '../create/tagged-parts.ts'
import { type ViewOptions, viewPost } from '../views.ts'
import { waitsForApproval } from '../create/wait-for-approval.ts'
import {
  askAgain,
  editedPost,
  findEditFacts,
  refuseEdit,
  writeEdit,
  writeEditAtCommit,
} from './write-content.ts'

type Body = Input<typeof operation>['body']

/**
 * Changes the content of a post that has not begun to publish. The locks are taken post first, then
 * destinations: a worker that is claiming one goes first, and then its status refuses the edit.
 * Content that a person approved, or was asked to, is theirs to see again: what was scheduled goes back to draft.
 */
export async function editPost(
  tx: Tx,
  { workspaceId, postId }: PostKey,
  body: Body,
  actor: Actor,
  options: ViewOptions,
): Promise<Answer<typeof operation> | Refusal<RefusalCode<typeof operation>>> {
  const changes = 'targets' in body.content ? body.content.targets : [body.content]
  const [post, facts] = await Promise.all([
    lockWholePost(tx, { workspaceId, postId }, actor),
    findEditFacts(tx, { workspaceId, postId }, changes),
  ])
  if (post === null) return refusePostId()
  const named = 'targets' in body.content ? body.content.targets.map(({ channelId }) => channelId) : null
  const asks = reviewOf(post) !== 'not_required' || (await policyAsks(tx, workspaceId, post, named, actor))
  // What waits for approval is withdrawn as a whole.
  const touched = activeOf(post, asks ? null : named)
  const beyond = refuseChange(actor, touched)
  if (beyond !== null) return beyond
  const refusal = refuseByState(post)
  if (refusal !== null) return refusal
  if (post.editToken !== body.editToken) return refuseStale('stale_edit_token', post, standingOf(post))

  const read = readEdit(post, body.content)
  if ('refused' in read) return read
  const edit = editWithTags(post, read, facts)
  const warnings = editWarnings(post, body.content, edit)
  if (body.keepOwn === true && warnings.length > 0) return refuseLosses(warnings)
  const unfit = refuseEdit(post, edit, facts, options.providers)
  if (unfit !== null) return unfit

  const reviewed = edit.destinations.length > 0 && asks
  const after = editedPost(post, edit, facts, { actor, askAgain: reviewed })
  const writing = { before: post, after, edit }
  options.say?.(editDetails(post, edit))
  if (!reviewed) {
    writeEditAtCommit(tx, workspaceId, writing, actor)
    return { ...viewPost(after, actor, options), ...withWarnings(warnings) }
  }
  await writeEdit(tx, workspaceId, writing, actor)
  const ids = post.destinations.map(({ destinationId }) => destinationId)
  await withdraw(tx, { workspaceId, postId }, ids, actor)
  await askAgain(tx, { workspaceId, postId }, { by: actor, baseUrl: options.baseUrl })
  return { ...(await readChanged(tx, { workspaceId, postId }, actor, options)), ...withWarnings(warnings) }
}

function withWarnings(warnings: PostIssue[]): { warnings?: PostIssue[] } {
  return warnings.length === 0 ? {} : { warnings }
}

function refuseLosses(warnings: readonly PostIssue[]): Refusal<'validation_failed'> {
  const errors = warnings.map(({ pointer, code, message, fix }) => ({
    pointer,
    code,
    detail: `${message} ${fix}`,
  }))
  const [first] = errors
  return refuse('validation_failed', `With \`keepOwn\` nothing is changed. ${first?.detail ?? ''}`, {
    errors,
  })
}

/** Whether a policy has a person see the changed content first, where something of it has a time. */
function policyAsks(
  tx: Tx,
  workspaceId: string,
  post: WholePost,
  named: readonly string[] | null,
  actor: Actor,
): Promise<boolean> {
  const times = activeOf(post, named).map(({ publishAt }) => publishAt)
  return waitsForApproval(tx, workspaceId, actor, { times, isNew: true }, post.now)
}

export function reviewOf({ approval }: WholePost) {
  return reviewStatusOf(approval?.status ?? null)
}

/** Why the state of a post allows no edit; null when it does. */
export function refuseByState(post: WholePost): Refusal<'invalid_state'> | null {
  const { destinations } = post
  const [first] = destinations
  if (first === undefined) return null
  const decision = rule('edit', commandFacts(first, destinations, reviewOf(post)))
  if (decision.allowed) return null
  const statuses = destinations.map(({ status }) => status)
  const blocking = statuses.find((status) => isActive(status) && !decision.from.includes(status))
  const currentStatus = blocking ?? first.status
  return refuse('invalid_state', decision.reason, { currentStatus, allowedStatuses: decision.from })
}

function readEdit(
  post: WholePost,
  content: Body['content'],
): ContentEdit | Refusal<'channel_unavailable' | 'validation_failed'> {
  if (!('targets' in content)) {
    const contents = activeOf(post, null).map((row) => contentFor(row, post.content))
    const wrong = refuseParts([{ change: content, pointer: '/content', contents }])
    return wrong ?? editAll(post, content)
  }
  const targets = findTargets(post.destinations, content.targets)
  if ('unknownTarget' in targets) return refuseTarget(targets.unknownTarget)
  const wrong = refuseParts(
    targets.map(({ destination, pointers, ...change }) => ({
      change,
      pointer: pointers.content,
      contents: [contentFor(destination, post.content)],
    })),
  )
  return wrong ?? editTargets(post, targets)
}

function refuseTarget(index: number): Refusal<'channel_unavailable'> {
  const detail =
    "The post has no active destination on this channel. Editing changes content; it doesn't add or remove channels."
  const pointer = `/content/targets/${index}/channelId`
  return refuse('channel_unavailable', detail, { errors: [{ pointer, code: 'channel_not_in_post', detail }] })
}
