import type { ChannelContentChange, Destination, TimeInput } from '@postrider/contract'
import { reviewStatusOf, reviewUrl } from '../approvals/approval.ts'
import { obstacleOf } from '../channels/channel.ts'
import { commandFacts } from '../destinations/command-facts.ts'
import { obstacleTo, rule } from '../destinations/destination-commands.ts'
import {
  cancelCommanded,
  lockDestinations,
  proposeTime,
  setTime,
  withdraw,
  type DestinationCommand,
  type DestinationRow,
} from '../destinations/destination-store.ts'
import { newToken } from '../destinations/tokens.ts'
import type { Change } from '../outbox/envelope.ts'
import { announce } from '../outbox/outbox-store.ts'
import type { Actor } from '../operations/actor.ts'
import { asksForAnything } from '../operations/approval-policy.ts'
import type { Tx } from '../platform/db.ts'
import { isRefusal, refuse, type Refusal } from '../operations/refusal.ts'
import { editTargets } from './content-edit.ts'
import type { PostsOptions } from './create-post.ts'
import { timeIssues } from './plan-issues.ts'
import { refuseChange } from './limit-posts.ts'
import { findPost, lockPost, renewEditToken, type WholePost } from './post-store.ts'
import { findVisiblePost } from './read-post.ts'
import { readPublishAt } from './publish-time.ts'
import { refuseShape, refuseTime } from './refuse-plan.ts'
import { refuseStale } from './refuse-stale.ts'
import { type ViewOptions, viewPost } from './views.ts'
import { waitsForApproval } from './wait-for-approval.ts'
import { askAgain, editedPost, findEditFacts, refuseEdit, writeEdit } from './write-content.ts'

type Timed = DestinationCommand & { readonly publishAt: TimeInput }
type Retry = Timed & { readonly content?: ChannelContentChange }

/** Gives a draft its first time. */
export function scheduleDestination(tx: Tx, command: Timed, actor: Actor, options: PostsOptions) {
  return moveInTime(tx, 'schedule', command, actor, options)
}

/** Gives a scheduled destination another time; its allowed time begins again. */
export function rescheduleDestination(tx: Tx, command: Timed, actor: Actor, options: PostsOptions) {
  return moveInTime(tx, 'reschedule', command, actor, options)
}

/**
 * Cancels a destination that has not begun to publish: from then on no worker can claim it. It is cancelled in the same
 * round trip as the command is judged in: a refusal rolls it back.
 */
export async function cancelDestination(
  tx: Tx,
  command: DestinationCommand,
  actor: Actor,
  options: ViewOptions,
) {
  const [held, changes, post] = await Promise.all([
    holdForCommand(tx, 'cancel', command, actor, options),
    cancelCommanded(tx, command, actor),
    findPost(tx, command.workspaceId, command.postId),
  ])
  return isRefusal(held) ? held : answer(tx, command, held, { changes, post }, actor, options)
}

async function moveInTime<C extends 'schedule' | 'reschedule'>(
  tx: Tx,
  verb: C,
  command: Timed,
  actor: Actor,
  options: PostsOptions,
) {
  const publishAt = readPublishAt(command.publishAt)
  if ('error' in publishAt) return refuseShape([publishAt.error])
  if (!asksForAnything(actor.approval)) return movePipelined(tx, verb, command, publishAt, actor, options)
  const [, held] = await Promise.all([
    lockPost(tx, command.workspaceId, command.postId),
    holdForCommand(tx, verb, command, actor, options, publishAt),
  ])
  if (isRefusal(held)) return held
  const refusal = refuseMove(verb, held, publishAt, options)
  if (refusal !== null) return refusal
  const publication = { times: [publishAt], isNew: verb === 'schedule' }
  if (await waitsForApproval(tx, command.workspaceId, actor, publication, held.post.now)) {
    await renewEditToken(tx, command, newToken(), actor)
    return proposeMove(tx, verb, command, held, publishAt, actor, options)
  }
  const changes = await setTime(tx, verb, command, publishAt, actor)
  return reloadAndAnswer(tx, command, held, changes, actor, options)
}

/** Moves what no policy has wait, in the same round trip as the command is judged in: a refusal rolls it back. */
async function movePipelined<C extends 'schedule' | 'reschedule' | 'retry'>(
  tx: Tx,
  verb: C,
  command: DestinationCommand,
  publishAt: Date,
  actor: Actor,
  options: PostsOptions,
) {
  const [held, changes, post] = await Promise.all([
    holdForCommand(tx, verb, command, actor, options, publishAt),
    setTime(tx, verb, command, publishAt, actor),
    findPost(tx, command.workspaceId, command.postId),
  ])
  if (isRefusal(held)) return held
  return (
    refuseMove(verb, held, publishAt, options) ?? answer(tx, command, held, { changes, post }, actor, options)
  )
}

/** Has a person look first: the destination is a draft with its new time until then. The locks are taken. */
async function proposeMove(
  tx: Tx,
  verb: 'schedule' | 'reschedule' | 'retry',
  command: DestinationCommand,
  held: Held,
  publishAt: Date,
  actor: Actor,
  options: PostsOptions,
): Promise<Destination> {
  const { workspaceId, postId } = command
  const key = keyOf(command, held)
  if (verb === 'schedule') await proposeTime(tx, key, publishAt, actor)
  else await withdraw(tx, command, [key.destinationId], actor, publishAt)
  await askAgain(tx, { workspaceId, postId }, options)
  return reloadAndAnswer(tx, command, held, [], actor, options)
}

/**
 * Schedules a failed destination again, with other content where the command carries some. Refused while anything of it
 * is out, or may be. Content that nobody has approved waits for a person where the earlier content had to. The locks are
 * taken in the order of an edit: post, destination.
 */
export async function retryDestination(tx: Tx, command: Retry, actor: Actor, options: PostsOptions) {
  const { workspaceId, postId, content } = command
  const publishAt = readPublishAt(command.publishAt)
  if ('error' in publishAt) return refuseShape([publishAt.error])
  if (content === undefined && !asksForAnything(actor.approval))
    return movePipelined(tx, 'retry', command, publishAt, actor, options)
  const [, held, facts] = await Promise.all([
    lockPost(tx, workspaceId, postId),
    holdForCommand(tx, 'retry', command, actor, options, publishAt),
    content === undefined ? null : findEditFacts(tx, command, [content]),
  ])
  if (isRefusal(held)) return held
  const refusal = refuseMove('retry', held, publishAt, options)
  if (refusal !== null) return refusal
  const { post, destination, review } = held
  const publication = { times: [publishAt], isNew: content !== undefined }
  const waits = await waitsForApproval(tx, workspaceId, actor, publication, post.now)
  if (content !== undefined && facts !== null) {
    const pointers = { channel: '/channelId', content: '/content' }
    const edit = editTargets(post, [{ ...content, destination, pointers }])
    const unfit = refuseEdit(post, edit, facts, options.providers)
    if (unfit !== null) return unfit
    const asks = review !== 'not_required' || waits
    const after = editedPost(post, edit, facts, { actor, askAgain: asks })
    await writeEdit(tx, workspaceId, { before: post, after, edit }, actor)
    if (asks) return proposeMove(tx, 'retry', command, held, publishAt, actor, options)
  }
  if (waits) {
    await renewEditToken(tx, command, newToken(), actor)
    return proposeMove(tx, 'retry', command, held, publishAt, actor, options)
  }
  const changes = await setTime(tx, 'retry', command, publishAt, actor)
  return reloadAndAnswer(tx, command, held, changes, actor, options)
}

type Held = {
  readonly post: WholePost
  readonly destination: DestinationRow
  readonly review: ReturnType<typeof reviewStatusOf>
}

function keyOf({ workspaceId }: DestinationCommand, { destination: { destinationId } }: Held) {
  return { workspaceId, destinationId }
}

/** The order of the checks is the order of the answers: existence, what the credential may, state, token. */
async function holdForCommand<C extends 'schedule' | 'reschedule' | 'cancel' | 'retry'>(
  tx: Tx,
  command: C,
  { workspaceId, postId, channelId, controlToken }: DestinationCommand,
  actor: Actor,
  { baseUrl }: ViewOptions,
  publishAt: Date | null = null,
): Promise<
  | Held
  | Refusal<
      | 'not_found'
      | 'credential_limit'
      | 'stale_control_token'
      | 'invalid_state'
      | (C extends 'retry' ? 'unsafe_retry' : never)
    >
> {
  const [, post] = await Promise.all([
    lockDestinations(tx, workspaceId, postId, channelId),
    findVisiblePost(tx, { workspaceId, postId }, actor),
  ])
  const destination = post?.destinations.find((one) => one.channelId === channelId)
  if (post === null || destination === undefined) {
    return refuse('not_found', 'There is no such post, or it has no destination on this channel.')
  }
  const beyond = refuseChange(actor, [destination], { gives: command !== 'cancel', publishAt, now: post.now })
  if (beyond !== null) return beyond
  const { approval, destinations } = post
  const review = reviewStatusOf(approval?.status ?? null)
  const ruling = rule(command, commandFacts(destination, destinations, review))
  if (!ruling.allowed) {
    return refuse(ruling.code, ruling.reason, {
      currentStatus: destination.status,
      allowedStatuses: ruling.from,
      ...(approval !== null && review === 'pending'
        ? { reviewUrl: reviewUrl(baseUrl, approval.approvalId) }
        : {}),
    })
  }
  if (destination.controlToken !== controlToken) return refuseStale('stale_control_token', post, destination)
  return { post, destination, review }
}

/** Why the destination cannot be published at that time; null when it can. */
function refuseMove(
  verb: 'schedule' | 'reschedule' | 'retry',
  { post, destination }: Held,
  publishAt: Date,
  { providers }: ViewOptions,
): Refusal<'channel_unavailable' | 'post_not_publishable' | 'publish_time_in_past'> | null {
  const { channel, provider } = destination
  const obstacle = obstacleTo(verb, obstacleOf({ ...channel, provider }, providers))
  if (obstacle !== null) return refuse('channel_unavailable', obstacle)
  const [issue] = timeIssues(publishAt, post.now)
  return issue === undefined ? null : refuseTime(issue)
}

/** As `answer`, of the post read again. */
async function reloadAndAnswer(
  tx: Tx,
  command: DestinationCommand,
  held: Held,
  changes: readonly Change[],
  actor: Actor,
  options: ViewOptions,
): Promise<Destination> {
  const post = await findPost(tx, command.workspaceId, command.postId)
  return answer(tx, command, held, { changes, post }, actor, options)
}

/** Announces what was moved, and answers with the destination as it is then. */
async function answer(
  tx: Tx,
  { channelId }: DestinationCommand,
  { destination: before }: Held,
  { changes, post }: { readonly changes: readonly Change[]; readonly post: WholePost | null },
  actor: Actor,
  options: ViewOptions,
): Promise<Destination> {
  tx.defer(() => announce(tx, changes))
  const destination =
    post === null
      ? undefined
      : viewPost(post, actor, options).destinations.find((one) => one.channelId === channelId)
  if (destination === undefined) throw new Error('a destination vanished under its lock')
  options.say?.({ subject: { channelId }, before: standingOf(before), after: standingOf(destination) })
  return destination
}

/** What a command may change of a destination, for the audit log. */
function standingOf({ status, publishAt, content, parts }: DestinationRow | Destination) {
  const time = publishAt === null ? null : new Date(publishAt).toISOString()
  return { status, publishAt: time, ...(content === null ? {} : { texts: parts.map(({ text }) => text) }) }
}
