import { createHash } from 'node:crypto'
import type { Answer, app, Input, PostingTimes, RefusalCode } from '@postrider/contract'
import {
  type ChannelKey,
  managedChannels,
  setPostingTimes as storeTimes,
} from '../../../networks/channels/channel-store.ts'
import {
  fromMinutes,
  nextOf,
  slotsBetween,
  toMinutes,
  type WeekMinutes,
} from '../../../networks/channels/posting-times.ts'
import { noSuchChannel } from '../../../networks/channels/refuse-channel.ts'
import { viewManagedChannel } from '../../../networks/channels/views.ts'
import { moveQueued } from '../../../engine/destinations/destination-store.ts'
import {
  findSlots,
  lockQueued,
  lockSlots,
  queuedOn,
  type QueuedDestination,
  releaseSlots,
  takenOf,
} from '../../../engine/destinations/queue-slot-store.ts'
import type { Actor } from '../../../edge/operations/actor.ts'
import { isRefusal, refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { announceAtCommit } from '../../../engine/outbox/outbox-store.ts'
import type { Sql, Tx } from '../../../platform/postgres/db.ts'
import { firstCharacters } from '../../../networks/providers/shared/characters.ts'
import { lockPosts, renewEditTokens } from '../post-store.ts'
import { latestTime, MAX_YEARS_AHEAD } from '../create/plan-issues.ts'
import type { FieldError } from '../plan/publish-time.ts'
import { refuseShape } from '../plan/refuse-plan.ts'
import type { ViewOptions } from '../views.ts'

/** So many queued posts are moved at once. */
const MOST_MOVES = 1_000
const EXCERPT = 280

type Move = { readonly queued: QueuedDestination; readonly to: Date }

/** How the queue would move to other posting times; changes nothing. */
export async function previewPostingTimes(
  sql: Sql,
  key: ChannelKey,
  times: PostingTimes,
): Promise<Answer<typeof app.previewPostingTimes> | Refusal<'not_found' | 'validation_failed'>> {
  const minutes = readTimes(times)
  if ('refused' in minutes) return minutes
  const moves = await planMoves(sql, key, minutes)
  if (isRefusal(moves)) return moves
  return {
    moves: moves.map(({ queued, to }) => ({
      postId: queued.postId,
      text: firstCharacters(queued.text, EXCERPT),
      from: queued.publishAt.toISOString(),
      to: to.toISOString(),
    })),
    movesToken: moves.length === 0 ? null : tokenOf(moves),
  }
}

/**
 * Gives a channel other posting times, and moves what is queued where the caller saw how. The locks are taken in the order of a command:
 * posts, destinations, posting times. What has changed since the caller looked is refused.
 */
export async function setPostingTimes(
  tx: Tx,
  key: ChannelKey,
  { postingTimes, movesToken }: Input<typeof app.setPostingTimes>['body'],
  actor: Actor,
  { providers, say }: ViewOptions,
): Promise<Answer<typeof app.setPostingTimes> | Refusal<RefusalCode<typeof app.setPostingTimes>>> {
  const minutes = readTimes(postingTimes)
  if ('refused' in minutes) return minutes
  const { workspaceId, channelId } = key
  if (movesToken !== undefined) await lockQueue(tx, key)
  await lockSlots(tx, workspaceId, [channelId])
  const moves = movesToken === undefined ? [] : await planMoves(tx, key, minutes)
  if (isRefusal(moves)) return moves
  if (movesToken !== undefined && tokenOf(moves) !== movesToken) return refuseChanged()
  const before = await storeTimes(tx, key, minutes)
  const [channel] = await managedChannels(tx, workspaceId, channelId)
  if (before === null || channel === undefined) return noSuchChannel()
  await moveAll(tx, workspaceId, moves, actor)
  say?.({
    before: { postingTimes: fromMinutes(before) },
    after: { postingTimes: fromMinutes(minutes), moved: moves.length },
  })
  return viewManagedChannel(channel, providers)
}

async function lockQueue(tx: Tx, { workspaceId, channelId }: ChannelKey): Promise<void> {
  const queue = await queuedOn(tx, workspaceId, channelId, MOST_MOVES)
  await Promise.all([
    lockPosts(
      tx,
      workspaceId,
      queue.map(({ postId }) => postId),
    ),
    lockQueued(
      tx,
      workspaceId,
      queue.map(({ destinationId }) => destinationId),
    ),
  ])
}

function refuseChanged(): Refusal<'invalid_state'> {
  const detail = 'The queue has changed since the preview, so nothing was changed. Look at the preview again.'
  return refuse('invalid_state', detail)
}

function readTimes(times: PostingTimes): number[] | Refusal<'validation_failed'> {
  const seen = new Set<string>()
  const errors = times.flatMap(({ weekday, time }, index): FieldError[] => {
    const name = `${weekday} ${time}`
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    const detail = `\`${name}\` is listed twice. Keep one of them.`
    return [{ pointer: `/postingTimes/${index}`, code: 'duplicate', detail }]
  })
  return errors.length > 0 ? refuseShape(errors) : toMinutes(times)
}

/** In their order, those that are queued take the earliest posting times that nothing else has. */
async function planMoves(
  sql: Sql,
  key: ChannelKey,
  minutes: WeekMinutes,
): Promise<Move[] | Refusal<'not_found' | 'validation_failed'>> {
  const { workspaceId, channelId } = key
  const [queue, [channel]] = await Promise.all([
    queuedOn(sql, workspaceId, channelId, MOST_MOVES + 1),
    findSlots(sql, { workspaceId }, [channelId]),
  ])
  if (channel === undefined) return noSuchChannel()
  if (minutes.length === 0 || queue.length === 0) return []
  if (queue.length > MOST_MOVES) return refuseQueue('too_many', TOO_MANY)
  const { now, timeZone } = channel
  const exceptIds = queue.map(({ destinationId }) => destinationId)
  const slots = slotsBetween(minutes, timeZone, { after: now, before: latestTime(now) })
  const free: Date[] = []
  while (free.length < queue.length) {
    const candidates = nextOf(slots, queue.length)
    if (candidates.length === 0) return refuseQueue('too_few', tooFew(free.length, queue.length))
    const taken = await takenOf(sql, { workspaceId, exceptIds }, channelId, candidates)
    const others = new Set(taken.map(Number))
    free.push(...candidates.filter((at) => !others.has(at.getTime())))
  }
  return queue.flatMap((queued, place) => {
    const to = free[place] ?? queued.publishAt
    return to.getTime() === queued.publishAt.getTime() ? [] : [{ queued, to }]
  })
}

const TOO_MANY = `More than ${MOST_MOVES.toLocaleString('en')} posts are queued, which are not moved at once. Set the posting times without moving them.`

function tooFew(free: number, queued: number): string {
  return `Only ${free} of ${queued} queued posts fit into the posting times of the next ${MAX_YEARS_AHEAD} years. Add posting times, or leave the posts where they are.`
}

function refuseQueue(code: string, detail: string): Refusal<'validation_failed'> {
  return refuseShape([{ pointer: '/postingTimes', code, detail }])
}

/** What a caller saw: which destinations move, in which state they are, and where to. */
function tokenOf(moves: readonly Move[]): string {
  const seen = moves.map(({ queued, to }) => [queued.destinationId, queued.controlToken, to.getTime()])
  return createHash('sha256').update(JSON.stringify(seen)).digest('base64url')
}

/** One may take what another gives up: so all give theirs up first. */
async function moveAll(tx: Tx, workspaceId: string, moves: readonly Move[], actor: Actor): Promise<void> {
  if (moves.length === 0) return
  const ids = moves.map(({ queued }) => queued.destinationId)
  const postIds = moves.map(({ queued }) => queued.postId)
  await Promise.all([
    renewEditTokens(tx, workspaceId, postIds, actor, ['publishAt']),
    releaseSlots(tx, workspaceId, ids),
  ])
  const moved = moves.map(({ queued, to }) => ({ destinationId: queued.destinationId, at: to }))
  announceAtCommit(tx, await moveQueued(tx, workspaceId, moved, actor))
}
