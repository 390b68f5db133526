import type { CommandName, Destination } from '@postrider/contract'
import { reviewStatusOf, reviewUrl } from '../approvals/approval.ts'
import { obstacleOf } from '../channels/channel.ts'
import { rule } from '../destinations/destination-commands.ts'
import {
  cancel,
  lockDestination,
  setTime,
  type DestinationKey,
  type LockedDestination,
} from '../destinations/destination-store.ts'
import { announce } from '../outbox/outbox-store.ts'
import type { Tx } from '../platform/db.ts'
import { isRefusal, refuse, type Refusal } from '../platform/refusal.ts'
import { timeIssues } from './plan-issues.ts'
import type { PostsOptions } from './create-post.ts'
import { findPost } from './post-store.ts'
import { readPost } from './read-post.ts'
import { refuseTime } from './refuse-plan.ts'

export type DestinationCommand = DestinationKey & { readonly controlToken: string }
type Timed = DestinationCommand & { readonly publishAt: string }

/** Gives a draft its first time. */
export function scheduleDestination(tx: Tx, command: Timed, options: PostsOptions) {
  return moveInTime(tx, 'schedule', command, options)
}

/** Gives a scheduled destination another time; its allowed time runs anew. */
export function rescheduleDestination(tx: Tx, command: Timed, options: PostsOptions) {
  return moveInTime(tx, 'reschedule', command, options)
}

/** Schedules a failed destination anew. Refused while anything of it is out, or may be. */
export function retryDestination(tx: Tx, command: Timed, options: PostsOptions) {
  return moveInTime(tx, 'retry', command, options)
}

/** Cancels a destination that has not begun to publish: from then on no worker can claim it. */
export async function cancelDestination(tx: Tx, command: DestinationCommand, { baseUrl }: PostsOptions) {
  const held = await holdForCommand(tx, 'cancel', command, baseUrl)
  if (isRefusal(held)) return held
  await announce(tx, await cancel(tx, held))
  return shown(tx, command, baseUrl)
}

async function moveInTime<C extends 'schedule' | 'reschedule' | 'retry'>(
  tx: Tx,
  verb: C,
  command: Timed,
  { providers, baseUrl }: PostsOptions,
) {
  const held = await holdForCommand(tx, verb, command, baseUrl)
  if (isRefusal(held)) return held
  const obstacle = obstacleOf(held.channel, providers)
  // A channel that must be reconnected is no reason to refuse: what is due waits for it.
  if (obstacle !== null && obstacle.is !== 'reconnect_required') {
    return refuse(
      'channel_unavailable',
      `${obstacle.reason} Have it switched on again, or cancel the destination.`,
    )
  }
  const publishAt = new Date(command.publishAt)
  const [issue] = timeIssues(publishAt, held.now)
  if (issue !== undefined) return refuseTime(issue)
  await announce(tx, await setTime(tx, verb, held, publishAt))
  return shown(tx, command, baseUrl)
}

/** The order of the checks is the order of the answers: existence, token, status. */
async function holdForCommand<C extends CommandName>(
  tx: Tx,
  command: C,
  wanted: DestinationCommand,
  baseUrl: string,
): Promise<
  | LockedDestination
  | Refusal<
      'not_found' | 'stale_control_token' | 'invalid_state' | (C extends 'retry' ? 'unsafe_retry' : never)
    >
> {
  const held = await lockDestination(tx, wanted)
  if (held === null)
    return refuse('not_found', 'There is no such post, or it has no destination on this channel.')
  if (held.controlToken !== wanted.controlToken) {
    return refuse(
      'stale_control_token',
      'The destination has changed since this token was read. Get the post again, and decide anew.',
    )
  }
  const approval = (await findPost(tx, wanted.workspaceId, wanted.postId))?.approval ?? null
  const review = reviewStatusOf(approval?.status ?? null)
  const ruling = rule(command, { ...held, review })
  if (ruling.allowed) return held
  return refuse(ruling.code, ruling.reason, {
    currentStatus: held.status,
    allowedStatuses: ruling.from,
    ...(approval !== null && review === 'pending'
      ? { reviewUrl: reviewUrl(baseUrl, approval.approvalId) }
      : {}),
  })
}

async function shown(
  tx: Tx,
  { workspaceId, postId, channelId }: DestinationKey,
  baseUrl: string,
): Promise<Destination> {
  const post = await readPost(tx, { workspaceId, postId }, baseUrl)
  const destination = isRefusal(post)
    ? undefined
    : post.destinations.find((one) => one.channelId === channelId)
  if (destination === undefined) throw new Error('a destination vanished under its lock')
  return destination
}
