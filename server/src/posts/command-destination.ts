import type { Destination } from '@postrider/contract'
import { reviewStatusOf, reviewUrl } from '../approvals/approval.ts'
import { obstacleOf } from '../channels/channel.ts'
import { commandFacts } from '../destinations/command-facts.ts'
import { obstacleTo, rule } from '../destinations/destination-commands.ts'
import {
  cancel,
  lockDestinations,
  setTime,
  type DestinationKey,
  type DestinationRow,
} from '../destinations/destination-store.ts'
import { announce } from '../outbox/outbox-store.ts'
import type { Change } from '../outbox/envelope.ts'
import type { Actor } from '../platform/actor.ts'
import type { Tx } from '../platform/db.ts'
import { isRefusal, refuse, type Refusal } from '../platform/refusal.ts'
import { timeIssues } from './plan-issues.ts'
import { findPost, type WholePost } from './post-store.ts'
import { readChanged } from './read-post.ts'
import { refuseTime } from './refuse-plan.ts'
import type { ViewOptions } from './views.ts'

export type DestinationCommand = DestinationKey & { readonly controlToken: string }
type Timed = DestinationCommand & { readonly publishAt: string }

/** Gives a draft its first time. */
export function scheduleDestination(tx: Tx, command: Timed, actor: Actor, options: ViewOptions) {
  return moveInTime(tx, 'schedule', command, actor, options)
}

/** Gives a scheduled destination another time; its allowed time begins again. */
export function rescheduleDestination(tx: Tx, command: Timed, actor: Actor, options: ViewOptions) {
  return moveInTime(tx, 'reschedule', command, actor, options)
}

/** Schedules a failed destination again. Refused while anything of it is out, or may be. */
export function retryDestination(tx: Tx, command: Timed, actor: Actor, options: ViewOptions) {
  return moveInTime(tx, 'retry', command, actor, options)
}

/** Cancels a destination that has not begun to publish: from then on no worker can claim it. */
export async function cancelDestination(
  tx: Tx,
  command: DestinationCommand,
  actor: Actor,
  options: ViewOptions,
) {
  const held = await holdForCommand(tx, 'cancel', command, options)
  if (isRefusal(held)) return held
  const { destinationId } = held.destination
  return answer(tx, command, await cancel(tx, { ...command, destinationId }), actor, options)
}

async function moveInTime<C extends 'schedule' | 'reschedule' | 'retry'>(
  tx: Tx,
  verb: C,
  command: Timed,
  actor: Actor,
  options: ViewOptions,
) {
  const held = await holdForCommand(tx, verb, command, options)
  if (isRefusal(held)) return held
  const { destination, post } = held
  const obstacle = obstacleTo(
    verb,
    obstacleOf({ ...destination.channel, provider: destination.provider }, options.providers),
  )
  if (obstacle !== null) return refuse('channel_unavailable', obstacle)
  const publishAt = new Date(command.publishAt)
  const [issue] = timeIssues(publishAt, post.now)
  if (issue !== undefined) return refuseTime(issue)
  const { destinationId } = destination
  return answer(
    tx,
    command,
    await setTime(tx, verb, { ...command, destinationId }, publishAt),
    actor,
    options,
  )
}

type Held = { readonly post: WholePost; readonly destination: DestinationRow }

/** The order of the checks is the order of the answers: existence, state, token. */
async function holdForCommand<C extends 'schedule' | 'reschedule' | 'cancel' | 'retry'>(
  tx: Tx,
  command: C,
  { workspaceId, postId, channelId, controlToken }: DestinationCommand,
  { baseUrl }: ViewOptions,
): Promise<
  | Held
  | Refusal<
      'not_found' | 'stale_control_token' | 'invalid_state' | (C extends 'retry' ? 'unsafe_retry' : never)
    >
> {
  await lockDestinations(tx, workspaceId, postId, channelId)
  const post = await findPost(tx, workspaceId, postId)
  const destination = post?.destinations.find((one) => one.channelId === channelId)
  if (post === null || destination === undefined) {
    return refuse('not_found', 'There is no such post, or it has no destination on this channel.')
  }
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
  if (destination.controlToken !== controlToken) {
    return refuse(
      'stale_control_token',
      'The destination has changed since this token was read. Read the post again, and retry with its new token.',
    )
  }
  return { post, destination }
}

/** Announces what was moved, and answers with the destination as it is then. */
async function answer(
  tx: Tx,
  { workspaceId, postId, channelId }: DestinationKey,
  changes: readonly Change[],
  actor: Actor,
  options: ViewOptions,
): Promise<Destination> {
  const [, post] = await Promise.all([
    announce(tx, changes),
    readChanged(tx, { workspaceId, postId }, actor, options),
  ])
  const destination = post.destinations.find((one) => one.channelId === channelId)
  if (destination === undefined) throw new Error('a destination vanished under its lock')
  return destination
}
