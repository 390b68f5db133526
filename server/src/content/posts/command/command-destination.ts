import { isDeepStrictEqual } from 'node:util'
import type { ChannelContentChange, Destination, TimeInput } from '@postrider/contract'
import { reviewStatusOf, reviewUrl } from '../../approvals/approval.ts'
import { obstacleOf } from '../../../networks/channels/channel.ts'
import { commandFacts, isRefusedHalfway } from '../../../engine/destinations/command-facts.ts'
import { obstacleTo, rule, statusesFor } from '../../../engine/destinations/destination-commands.ts'
import {
  afterMove,
  cancelCommanded,
  lockDestinations,
  type Moved,
  proposeTime,
  setTime,
  withdraw,
  type DestinationCommand,
  type DestinationRow,
  type PartRow,
  type PlannedTime,
} from '../../../engine/destinations/destination-store.ts'
import type { Change } from '../../../engine/outbox/envelope.ts'
import { announceAtCommit } from '../../../engine/outbox/outbox-store.ts'
import type { Actor } from '../../../edge/operations/actor.ts'
import { asksForAnything } from '../../../edge/operations/approval-policy.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { isRefusal, refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { type ContentEdit, contentFor, editTargets } from '../edit/content-edit.ts'
import { timeIssues } from '../create/plan-issues.ts'
import { refuseChange } from '../create/limit-posts.ts'
import { findPost, lockPost, renewEditTokens, type WholePost } from '../post-store.ts'
import { findVisiblePost } from '../read-post.ts'
import { readPublishAt } from '../plan/publish-time.ts'
import { refuseParts } from '../create/refuse-parts.ts'
import { refuseShape, refuseTime } from '../plan/refuse-plan.ts'
import { refuseStale } from './refuse-stale.ts'
import { partsOf } from '../plan/plan.ts'
import { editWithTags } from '../create/tagged-parts.ts'
import { takeSlots } from '../slots/take-slots.ts'
import { type ViewOptions, viewPost } from '../views.ts'
import { waitsForApproval } from '../create/wait-for-approval.ts'
import { askAgain, editedPost, findEditFacts, refuseEdit, writeEdit } from '../edit/write-content.ts'

type Timed = DestinationCommand & { readonly publishAt: TimeInput }
type Retry = Timed & { readonly content?: ChannelContentChange }
type MoveVerb = 'schedule' | 'reschedule' | 'retry'

/** A command that an actor gives. Only a cancel has no time. */
type Asked<V extends MoveVerb | 'cancel'> = {
  readonly verb: V
  readonly command: DestinationCommand
  readonly time: PlannedTime | null
  readonly actor: Actor
  readonly options: ViewOptions
}

type Move<V extends MoveVerb> = Asked<V> & { readonly time: PlannedTime }

type RefusedWith<V extends MoveVerb | 'cancel'> =
  | 'not_found'
  | 'credential_limit'
  | 'stale_control_token'
  | 'invalid_state'
  | (V extends 'retry' ? 'unsafe_retry' : never)
  | (V extends MoveVerb ? 'channel_unavailable' | 'post_not_publishable' | 'publish_time_in_past' : never)

/** Gives a draft its first time. */
export function scheduleDestination(tx: Tx, command: Timed, actor: Actor, options: ViewOptions) {
  return moveInTime(tx, 'schedule', command, actor, options)
}

/** Gives a scheduled destination another time; its allowed time begins again. */
export function rescheduleDestination(tx: Tx, command: Timed, actor: Actor, options: ViewOptions) {
  return moveInTime(tx, 'reschedule', command, actor, options)
}

/**
 * Schedules a failed destination again, or has a thread go on that was refused for good, with other content where the command carries
 * some. Refused while anything of it may be out without a proof.
 */
export async function retryDestination(
  tx: Tx,
  { content, ...command }: Retry,
  actor: Actor,
  options: ViewOptions,
) {
  return content === undefined
    ? moveInTime(tx, 'retry', command, actor, options)
    : retryWithContent(tx, content, command, actor, options)
}

/** Cancels a destination that has not begun to publish: from then on no worker can claim it. */
export function cancelDestination(tx: Tx, command: DestinationCommand, actor: Actor, options: ViewOptions) {
  const asked = { verb: 'cancel', command, time: null, actor, options } as const
  return carryOut(tx, asked, () => cancelCommanded(tx, command, actor))
}

async function moveInTime<V extends MoveVerb>(
  tx: Tx,
  verb: V,
  command: Timed,
  actor: Actor,
  options: ViewOptions,
) {
  const time = await takeTime(tx, verb, command, actor, options)
  if ('refused' in time) return time
  const asked: Move<V> = { verb, command, time, actor, options }
  const move = () => setTime(tx, verb, command, time, actor)
  if (!asksForAnything(actor.approval)) return carryOut(tx, asked, move)
  const [, judged] = await Promise.all([lockPost(tx, command.workspaceId, command.postId), judge(tx, asked)])
  if (isRefusal(judged)) return judged
  const publication = { times: [time.at], isNew: verb === 'schedule' }
  if (await waitsForApproval(tx, command.workspaceId, actor, publication, judged.post.now)) {
    if (isRest(judged.destination)) return refuseRest(verb)
    await renewToken(tx, asked, ['reviewStatus', 'publishAt'])
    return propose(tx, asked, judged)
  }
  const [, changes] = await Promise.all([renewToken(tx, asked), move()])
  return reloadAndAnswer(tx, asked, judged, changes)
}

/**
 * The time that a command gives. A posting time is taken once nothing else speaks against the command; the locks are taken in the order
 * of an edit, and that on the posting times last.
 */
async function takeTime<V extends MoveVerb>(
  tx: Tx,
  verb: V,
  command: Timed,
  actor: Actor,
  options: ViewOptions,
): Promise<PlannedTime | Refusal<RefusedWith<V> | 'validation_failed'>> {
  const sent = readPublishAt(command.publishAt)
  if (sent instanceof Date) return { at: sent, queued: false }
  if ('error' in sent) return refuseShape([sent.error])
  const { workspaceId, postId, channelId } = command
  const [, judged] = await Promise.all([
    lockPost(tx, workspaceId, postId),
    judge(tx, { verb, command, time: null, actor, options }),
  ])
  if (isRefusal(judged)) return judged
  const pointer = '/publishAt/queue'
  const { destinationId } = judged.destination
  if (isRest(judged.destination)) return refuseRestInQueue()
  const [time] = await takeSlots(tx, workspaceId, [
    { channelId, destinationId, queueRequest: { ...sent, pointer } },
  ])
  if (time === undefined) throw new Error('a wish was given no answer')
  return 'code' in time ? (refuseTime(time) as Refusal<RefusedWith<V>>) : time
}

/** What is out of a thread is no post of the queue. */
export function refuseRestInQueue(): Refusal<'validation_failed'> {
  const detail = 'The rest of a thread takes no posting time. Give `publishAt` a date-time.'
  return refuseShape([{ pointer: '/publishAt/queue', code: 'not_allowed', detail }])
}

/**
 * Content that was not approved waits for a person where the earlier content had to. The locks are taken in the order of
 * an edit: post, destination.
 */
async function retryWithContent(
  tx: Tx,
  content: ChannelContentChange,
  command: Timed,
  actor: Actor,
  options: ViewOptions,
) {
  const { workspaceId, postId } = command
  const time = await takeTime(tx, 'retry', command, actor, options)
  if ('refused' in time) return time
  const asked = { verb: 'retry', command, time, actor, options } as const
  const [, judged, facts] = await Promise.all([
    lockPost(tx, workspaceId, postId),
    judge(tx, asked),
    findEditFacts(tx, command, [content]),
  ])
  if (isRefusal(judged)) return judged
  const { post, destination, review } = judged
  const publication = { times: [time.at], isNew: true }
  const waits = await waitsForApproval(tx, workspaceId, actor, publication, post.now)
  const pointers = { channel: '/channelId', content: '/content' }
  const contents = [contentFor(destination, post.content)]
  const wrong = refuseParts([{ change: content, pointer: '/content', contents }])
  if (wrong !== null) return wrong
  const edit = editWithTags(post, editTargets(post, [{ ...content, destination, pointers }]), facts)
  const unfit = refuseEdit(post, edit, facts, options.providers)
  if (unfit !== null) return unfit
  const changedLive = refuseLiveChange(post, destination, edit)
  if (changedLive !== null) return changedLive
  const asks = review !== 'not_required' || waits
  if (asks && isRest(destination)) return refuseRest('retry')
  const after = editedPost(post, edit, facts, { actor, askAgain: asks })
  await writeEdit(tx, workspaceId, { before: post, after, edit }, actor)
  if (asks) return propose(tx, asked, judged)
  const changes = await setTime(tx, 'retry', command, time, actor)
  return reloadAndAnswer(tx, asked, judged, changes)
}

/**
 * Carries out what needs no approval, in the same round trip as it is judged in: a refusal rolls it back. What a move of a
 * scheduled destination leaves is known from before; of all else, its request or its thread may have changed besides.
 */
async function carryOut<V extends MoveVerb | 'cancel'>(
  tx: Tx,
  asked: Asked<V>,
  write: () => Promise<readonly Moved[]>,
): Promise<Destination | Refusal<RefusedWith<V>>> {
  const { verb, command } = asked
  // Sent together, in this order, which is that of an edit: first the post is locked.
  const [, judged, changes, reread] = await Promise.all([
    renewToken(tx, asked),
    judge(tx, asked),
    write(),
    // What these two begin from is never scheduled.
    verb === 'schedule' || verb === 'retry' ? findPost(tx, command.workspaceId, command.postId) : null,
  ])
  if (isRefusal(judged)) return judged
  if (reread !== null) return answer(tx, asked, judged, changes, reread)
  const { post, destination } = judged
  const [moved] = changes
  if (destination.status !== 'scheduled' || moved === undefined)
    return reloadAndAnswer(tx, asked, judged, changes)
  const after = afterMove(destination, moved)
  const destinations = post.destinations.map((row) => (row === destination ? after : row))
  return answer(tx, asked, judged, changes, { ...post, destinations })
}

/** A command on one channel changes what the edit token of the post guards, too. */
function renewToken(
  tx: Tx,
  { verb, command: { workspaceId, postId }, actor }: Asked<MoveVerb | 'cancel'>,
  changed = CHANGED_BY[verb],
): Promise<void> {
  return renewEditTokens(tx, workspaceId, [postId], actor, changed)
}

type Changed = Parameters<typeof renewEditTokens>[4]

const CHANGED_BY: Record<MoveVerb | 'cancel', Changed> = {
  schedule: ['status', 'publishAt'],
  reschedule: ['publishAt'],
  retry: ['status', 'publishAt'],
  cancel: ['status'],
}

/** Has a person look first: the destination is a draft with its new time until then. The locks are taken. */
async function propose(tx: Tx, asked: Move<MoveVerb>, judged: Judged): Promise<Destination> {
  const { verb, command, time, actor, options } = asked
  const { workspaceId } = command
  const { destinationId } = judged.destination
  if (verb === 'schedule') await proposeTime(tx, { workspaceId, destinationId }, time, actor)
  else await withdraw(tx, command, [destinationId], actor, time)
  await askAgain(tx, command, { by: actor, baseUrl: options.baseUrl })
  return reloadAndAnswer(tx, asked, judged, [])
}

/** What a command that may be carried out is about; its destination is locked. */
type Judged = {
  readonly post: WholePost
  readonly destination: DestinationRow
  readonly review: ReturnType<typeof reviewStatusOf>
}

/** The order of the checks is the order of the answers: existence, what the credential may, state, token, channel, time. */
async function judge<V extends MoveVerb | 'cancel'>(
  tx: Tx,
  { verb, command, time, actor, options }: Asked<V>,
): Promise<Judged | Refusal<RefusedWith<V>>> {
  const { workspaceId, postId, channelId, controlToken } = command
  const [, post] = await Promise.all([
    lockDestinations(tx, workspaceId, postId, channelId),
    findVisiblePost(tx, { workspaceId, postId }, actor),
  ])
  const destination = post?.destinations.find((one) => one.channelId === channelId)
  if (post === null || destination === undefined) {
    return refuse('not_found', 'Post not found, or it has no destination on this channel.')
  }
  const publishAt = time?.at ?? null
  const beyond = refuseChange(actor, [destination], { gives: verb !== 'cancel', publishAt, now: post.now })
  if (beyond !== null) return beyond
  const { approval, destinations } = post
  const review = reviewStatusOf(approval?.status ?? null)
  const decision = rule(verb, commandFacts(destination, destinations, review))
  if (!decision.allowed) {
    return refuse(decision.code, decision.reason, {
      currentStatus: destination.status,
      allowedStatuses: decision.from,
      ...(approval !== null && review === 'pending'
        ? { reviewUrl: reviewUrl(options.baseUrl, approval.approvalId) }
        : {}),
    })
  }
  if (destination.controlToken !== controlToken) return refuseStale('stale_control_token', post, destination)
  // Only a move has a time.
  const unfit = publishAt === null ? null : refuseMove({ post, destination }, verb, publishAt, options)
  return (unfit as Refusal<RefusedWith<V>> | null) ?? { post, destination, review }
}

/** Why the destination cannot be published at that time; null when it can. */
export function refuseMove(
  { post, destination }: Pick<Judged, 'post' | 'destination'>,
  verb: MoveVerb | 'cancel',
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
  asked: Asked<MoveVerb | 'cancel'>,
  before: Judged,
  changes: readonly Change[],
): Promise<Destination> {
  const { workspaceId, postId } = asked.command
  return answer(tx, asked, before, changes, await findPost(tx, workspaceId, postId))
}

/** Announces what was moved, and answers with the destination as it is then. */
function answer(
  tx: Tx,
  { command: { channelId }, actor, options }: Asked<MoveVerb | 'cancel'>,
  { destination: before }: Judged,
  changes: readonly Change[],
  post: WholePost | null,
): Destination {
  announceAtCommit(tx, changes)
  const shown = post === null ? [] : viewPost(post, actor, options).destinations
  const destination = shown.find((one) => one.channelId === channelId)
  if (destination === undefined) throw new Error('a destination vanished under its lock')
  options.say?.({ subject: { channelId }, before: standingOf(before), after: standingOf(destination) })
  return destination
}

/** What a command may change of a destination, for the audit log. */
function standingOf({ status, publishAt, content, parts }: DestinationRow | Destination) {
  const time = publishAt === null ? null : new Date(publishAt).toISOString()
  return { status, publishAt: time, ...(content === null ? {} : { texts: parts.map(({ text }) => text) }) }
}

/** Whether a command that gives a time gives it to the rest of a thread. */
export function isRest(destination: DestinationRow): boolean {
  return destination.restWaits || isRefusedHalfway(destination)
}

/** A thread of which some is out is no draft again that could wait for a person. */
export function refuseRest(verb: MoveVerb): Refusal<'invalid_state'> {
  const detail =
    "The rest of a thread can't wait for approval. Ask a person to give it a time, or create a post with the rest."
  const allowedStatuses = statusesFor(verb)
  return refuse('invalid_state', detail, { currentStatus: 'partially_published', allowedStatuses })
}

/** Why the content differs in what is out; null when it does not. */
function refuseLiveChange(
  { content }: WholePost,
  destination: DestinationRow,
  { destinations: [edited] }: ContentEdit,
): Refusal<'validation_failed'> | null {
  const live = destination.parts.filter(isLive)
  if (edited === undefined || live.length === 0) return null
  // As they were written: what link tags made of them then may be something else now.
  const [written, after] = [partsOf(contentFor(destination, content)), partsOf(edited.content)]
  const isKept = ({ index }: PartRow) => isDeepStrictEqual(after[index], written[index])
  const isRest = after.length > live.length && live.every(isKept)
  if (isRest && isDeepStrictEqual(edited.settings, destination.settings)) return null
  const detail =
    "The published part of the thread and its settings can't change. Send those parts unchanged, followed by at least one more."
  return refuse('validation_failed', detail, {
    errors: [{ pointer: '/content', code: 'not_allowed', detail }],
  })
}

const isLive = ({ status }: PartRow) => status === 'published'
