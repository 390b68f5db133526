import type {
  Answer,
  Input,
  Post,
  RefusalCode,
  rescheduleDestination as operation,
  scheduleDestination as firstTime,
} from '@postrider/contract'
import { reviewStatusOf, reviewUrl } from '../../approvals/approval.ts'
import { commandFacts } from '../../../engine/destinations/command-facts.ts'
import { rule, statusesFor } from '../../../engine/destinations/destination-commands.ts'
import { moves } from '../../../engine/destinations/destination-states.ts'
import {
  type DestinationRow,
  type PlannedTime,
  proposeTime,
  setTime,
  withdraw,
} from '../../../engine/destinations/destination-store.ts'
import type { Actor } from '../../../edge/operations/actor.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { Change } from '../../../engine/outbox/envelope.ts'
import { announceAtCommit } from '../../../engine/outbox/outbox-store.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import {
  isRest,
  refuseMove,
  refuseRest,
  refuseRestInQueue,
  rescheduleDestination,
  scheduleDestination,
} from './command-destination.ts'
import { scopeOf } from './command-scope.ts'
import { refuseChange } from '../create/limit-posts.ts'
import { renewEditTokens, type WholePost } from '../post-store.ts'
import { durationMs } from '../../../platform/text/instant.ts'
import { type FieldError, readPublishAt } from '../plan/publish-time.ts'
import { lockWholePost, type PostKey, readChanged, refusePostId, standingOf } from '../read-post.ts'
import type { Issue } from '../create/plan-issues.ts'
import { refuseShape, refuseTime } from '../plan/refuse-plan.ts'
import { refuseStale } from './refuse-stale.ts'
import { takeSlots } from '../slots/take-slots.ts'
import type { ViewOptions } from '../views.ts'
import { waitsForApproval } from '../create/wait-for-approval.ts'
import { askAgain } from '../edit/write-content.ts'

type Body = Input<typeof operation>['body']
type Refused = Refusal<RefusalCode<typeof operation>>

/** Gives one draft its first time, by its control token, or all drafts of the post, by its edit token. */
export async function scheduleSome(
  tx: Tx,
  key: PostKey,
  body: Input<typeof firstTime>['body'],
  actor: Actor,
  options: ViewOptions,
): Promise<Answer<typeof firstTime> | Refusal<RefusalCode<typeof firstTime>>> {
  const scope = scopeOf(body)
  if ('refused' in scope) return scope
  const { publishAt } = body
  return scope.is === 'post'
    ? giveTimes(tx, key, { verb: 'schedule', editToken: scope.editToken, publishAt }, actor, options)
    : scheduleDestination(tx, { ...key, ...scope, publishAt }, actor, options)
}

/** Gives one destination another time, by its control token, or all that is scheduled of the post, by its edit token. */
export async function rescheduleSome(
  tx: Tx,
  key: PostKey,
  body: Body,
  actor: Actor,
  options: ViewOptions,
): Promise<Answer<typeof operation> | Refused> {
  const scope = scopeOf(body)
  if ('refused' in scope) return scope
  if (scope.is === 'post') {
    const { publishAt, shift } = body
    return giveTimes(
      tx,
      key,
      { verb: 'reschedule', editToken: scope.editToken, publishAt, shift },
      actor,
      options,
    )
  }
  const { channelId, controlToken } = scope
  const { publishAt, shift } = body
  if (shift !== undefined) return refuseShape([wrong('/shift', 'not_allowed', SHIFT_ALONE)])
  if (publishAt === undefined) return refuseShape([wrong('/publishAt', 'required', MISSING)])
  return rescheduleDestination(tx, { ...key, channelId, controlToken, publishAt }, actor, options)
}

const MISSING = '`publishAt` is missing. For the whole post, `shift` can replace it.'
const SHIFT_ALONE = 'Send `shift` with `editToken`, for the whole post, and without `publishAt`.'

function wrong(pointer: string, code: string, detail: string): FieldError {
  return { pointer, code, detail }
}

/** What the times of destinations become, in their order. The locks on them are the caller's. */
export type NewTimes = (
  tx: Tx,
  workspaceId: string,
  destinations: readonly DestinationRow[],
) => Promise<readonly (PlannedTime | Issue)[]>

function newTimesOf({ publishAt: sent, shift }: GivenTimes): NewTimes | FieldError {
  if (sent !== undefined && shift !== undefined) return wrong('/shift', 'not_allowed', SHIFT_ALONE)
  if (sent !== undefined) {
    const given = readPublishAt(sent)
    if ('error' in given) return given.error
    if (given instanceof Date)
      return async (_tx, _workspaceId, destinations) => destinations.map(() => ({ at: given, queued: false }))
    const queueRequest = { ...given, pointer: '/publishAt/queue' }
    return (tx, workspaceId, destinations) =>
      takeSlots(
        tx,
        workspaceId,
        destinations.map(({ channelId, destinationId }) => ({ channelId, destinationId, queueRequest })),
      )
  }
  if (shift === undefined) return wrong('/publishAt', 'required', MISSING)
  const byMs = durationMs(shift)
  if (byMs === 0) return wrong('/shift', 'out_of_range', '`shift` must not be zero.')
  return async (_tx, _workspaceId, destinations) =>
    destinations.map(({ publishAt }) => {
      if (publishAt === null) throw new Error('a destination without a time was to be moved by some')
      return { at: new Date(Date.parse(publishAt) + byMs), queued: false }
    })
}

type GivenTimes = { readonly publishAt?: Body['publishAt']; readonly shift?: string | undefined }

async function giveTimes(
  tx: Tx,
  key: PostKey,
  { verb, editToken, ...given }: GivenTimes & Pick<PostMove, 'verb' | 'editToken'>,
  actor: Actor,
  options: ViewOptions,
): Promise<Post | Refused> {
  const newTimes = newTimesOf(given)
  if (typeof newTimes !== 'function') return refuseShape([newTimes])
  const takesSlots = typeof given.publishAt === 'object' && 'queue' in given.publishAt
  return movePlanned(tx, key, { verb, editToken, newTimes, takesSlots }, actor, options)
}

export type PostMove = {
  /** Drafts get their first time, or what is scheduled another one. */
  readonly verb: 'schedule' | 'reschedule'
  readonly editToken: string
  readonly newTimes: NewTimes
  /** Whether those are posting times. */
  readonly takesSlots?: boolean
  /** The channels that move, each of which has to be one of those; left out for all that are. */
  readonly channelIds?: readonly string[]
}

/**
 * All drafts of the post get a time, or all that is scheduled another one, or nothing does. The others, what has begun to publish and what
 * is over stay as they are. The locks are taken in the order of an edit.
 */
export async function movePlanned(
  tx: Tx,
  key: PostKey,
  { verb, editToken, newTimes, takesSlots = false, channelIds }: PostMove,
  actor: Actor,
  options: ViewOptions,
): Promise<Post | Refused> {
  const post = await lockWholePost(tx, key, actor)
  if (post === null) return refusePostId()
  const all = movableOf(post, verb)
  if (all.length === 0) return refuseNone(post, verb, options)
  const movable = all.filter(({ channelId }) => channelIds === undefined || channelIds.includes(channelId))
  if (channelIds !== undefined && movable.length < channelIds.length) return refuseSome(post)
  if (takesSlots && movable.some(isRest)) return refuseRestInQueue()
  const taken = await newTimes(tx, key.workspaceId, movable)
  const unplaced = taken.find((time) => 'code' in time)
  const chosen = movable.flatMap((destination, place): Chosen[] => {
    const time = taken[place]
    return time === undefined || 'code' in time ? [] : [{ destination, time }]
  })
  const times = chosen.map(({ time }) => time.at)
  const latest = new Date(Math.max(...times.map(Number)))
  const moved = chosen.map(({ destination }) => destination)
  const publishAt = chosen.length === 0 ? null : latest
  const beyond = refuseChange(actor, movable, { gives: true, publishAt, now: post.now })
  if (beyond !== null) return beyond
  if (post.editToken !== editToken) return refuseStale('stale_edit_token', post, standingOf(post))
  if (unplaced !== undefined) return refuseTime(unplaced)
  for (const { destination, time } of chosen) {
    const unfit = refuseMove({ post, destination }, verb, time.at, options)
    if (unfit !== null) return unfit
  }

  const publication = { times, isNew: verb === 'schedule' }
  const waits = await waitsForApproval(tx, key.workspaceId, actor, publication, post.now)
  if (waits && moved.some(isRest)) return refuseRest(verb)
  if (waits) await propose(tx, { key, verb, chosen, baseUrl: options.baseUrl }, actor)
  else await move(tx, { key, verb, chosen }, actor)
  options.say?.({
    before: moved.map(({ channelId, status, publishAt }) => ({ channelId, status, publishAt })),
    after: chosen.map(({ destination: { channelId, status, restWaits }, time }) => ({
      channelId,
      status: waits ? 'draft' : restWaits ? status : 'scheduled',
      publishAt: time.at.toISOString(),
    })),
  })
  return readChanged(tx, key, actor, options)
}

/** The destinations that the command may be given to, in one order for all. */
function movableOf({ destinations, approval }: WholePost, verb: PostMove['verb']): DestinationRow[] {
  const review = reviewStatusOf(approval?.status ?? null)
  return destinations
    .filter((one) => rule(verb, commandFacts(one, destinations, review)).allowed)
    .toSorted((a, b) => (a.channelId < b.channelId ? -1 : 1))
}

/** Why nothing of the post can be given the command: what keeps one that is in the right status, or that none is. */
function refuseNone(
  post: WholePost,
  verb: PostMove['verb'],
  { baseUrl }: ViewOptions,
): Refusal<'invalid_state'> {
  const { destinations, approval } = post
  const allowedStatuses = statusesFor(verb)
  const review = reviewStatusOf(approval?.status ?? null)
  const kept = destinations.find(({ status }) => moves[verb].from.some((one) => one === status))
  if (kept !== undefined) {
    const decision = rule(verb, commandFacts(kept, destinations, review))
    if (decision.allowed) throw new Error(`nothing was found to ${verb}, and something can be`)
    const { status: currentStatus } = kept
    const pending = approval !== null && review === 'pending' ? approval.approvalId : null
    return refuse('invalid_state', decision.reason, {
      currentStatus,
      allowedStatuses,
      ...(pending === null ? {} : { reviewUrl: reviewUrl(baseUrl, pending) }),
    })
  }
  // The nearest to what is asked for says what to do instead.
  const instead = destinations.find(({ status }) => status === OTHER[verb])?.status
  const currentStatus = instead ?? standingOf(post).status
  return refuse('invalid_state', NONE[verb], { currentStatus, allowedStatuses })
}

const OTHER = { schedule: 'scheduled', reschedule: 'draft' } as const
const NONE = {
  schedule:
    'Nothing of the post is a draft: on each channel, it is scheduled, or publishing has started or finished.',
  reschedule:
    'Nothing of the post is `scheduled`: on each channel, it is a draft, or publishing has started or finished.',
} as const

/** What a caller has seen as scheduled is something else by now. */
function refuseSome(post: WholePost): Refusal<'invalid_state'> {
  const detail = 'The post is no longer `scheduled` on one of these channels. Read it again.'
  const currentStatus = standingOf(post).status
  return refuse('invalid_state', detail, { currentStatus, allowedStatuses: statusesFor('reschedule') })
}

type Chosen = { readonly destination: DestinationRow; readonly time: PlannedTime }
type Moving = Pick<PostMove, 'verb'> & { readonly key: PostKey; readonly chosen: readonly Chosen[] }

const CHANGED = { schedule: ['status', 'publishAt'], reschedule: ['publishAt'] } as const

async function move(tx: Tx, { key, verb, chosen }: Moving, actor: Actor): Promise<void> {
  await renewEditTokens(tx, key.workspaceId, [key.postId], actor, CHANGED[verb])
  const changes: Change[] = []
  for (const { destination, time } of chosen) {
    const { channelId, controlToken } = destination
    const command = { ...key, channelId, controlToken }
    changes.push(...(await setTime(tx, verb, command, time, actor)))
  }
  announceAtCommit(tx, changes)
}

/** Has a person look first: all of them are drafts with the new time until then. */
async function propose(
  tx: Tx,
  { key, verb, chosen, baseUrl }: Moving & { baseUrl: string },
  actor: Actor,
): Promise<void> {
  await renewEditTokens(tx, key.workspaceId, [key.postId], actor, ['reviewStatus', 'publishAt'])
  for (const { destination, time } of chosen) {
    const { destinationId } = destination
    if (verb === 'schedule') await proposeTime(tx, { ...key, destinationId }, time, actor)
    else await withdraw(tx, key, [destinationId], actor, time)
  }
  await askAgain(tx, key, { by: actor, baseUrl })
}
