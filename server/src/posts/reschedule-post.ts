import type {
  Answer,
  Input,
  Post,
  RefusalCode,
  rescheduleDestination as operation,
} from '@postrider/contract'
import { reviewStatusOf } from '../approvals/approval.ts'
import { commandFacts } from '../destinations/command-facts.ts'
import { rule } from '../destinations/destination-commands.ts'
import { moves } from '../destinations/destination-states.ts'
import { type DestinationRow, setTime, withdraw } from '../destinations/destination-store.ts'
import { newToken } from '../destinations/tokens.ts'
import type { Actor } from '../operations/actor.ts'
import { refuse, type Refusal } from '../operations/refusal.ts'
import type { Change } from '../outbox/envelope.ts'
import { announceAtCommit } from '../outbox/outbox-store.ts'
import type { Tx } from '../platform/db.ts'
import { refuseMove, rescheduleDestination } from './command-destination.ts'
import { scopeOf } from './command-scope.ts'
import { refuseChange } from './limit-posts.ts'
import { renewEditToken, type WholePost } from './post-store.ts'
import { readPublishAt } from './publish-time.ts'
import { lockWholePost, type PostKey, readChanged, refusePostId, standingOf } from './read-post.ts'
import { refuseShape } from './refuse-plan.ts'
import { refuseStale } from './refuse-stale.ts'
import type { ViewOptions } from './views.ts'
import { waitsForApproval } from './wait-for-approval.ts'
import { askAgain } from './write-content.ts'

type Body = Input<typeof operation>['body']
type Refused = Refusal<RefusalCode<typeof operation>>

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
  const { publishAt } = body
  if (scope.is === 'post')
    return reschedulePost(tx, key, { editToken: scope.editToken, publishAt }, actor, options)
  const { channelId, controlToken } = scope
  return rescheduleDestination(tx, { ...key, channelId, controlToken, publishAt }, actor, options)
}

/**
 * All that is scheduled moves, or nothing does. Drafts, what has begun to publish and what is over stay as they are. The locks are
 * taken in the order of an edit.
 */
async function reschedulePost(
  tx: Tx,
  key: PostKey,
  { editToken, publishAt: sent }: { editToken: string; publishAt: Body['publishAt'] },
  actor: Actor,
  options: ViewOptions,
): Promise<Post | Refused> {
  const publishAt = readPublishAt(sent)
  if ('error' in publishAt) return refuseShape([publishAt.error])
  const post = await lockWholePost(tx, key, actor)
  if (post === null) return refusePostId()
  const chosen = scheduledOf(post)
  if (chosen.length === 0) return refuseNone(post)
  const beyond = refuseChange(actor, chosen, { gives: true, publishAt, now: post.now })
  if (beyond !== null) return beyond
  if (post.editToken !== editToken) return refuseStale('stale_edit_token', post, standingOf(post))
  for (const destination of chosen) {
    const unfit = refuseMove({ post, destination }, 'reschedule', publishAt, options)
    if (unfit !== null) return unfit
  }

  const publication = { times: [publishAt], isNew: false }
  const waits = await waitsForApproval(tx, key.workspaceId, actor, publication, post.now)
  if (waits) await propose(tx, { key, chosen, publishAt, baseUrl: options.baseUrl }, actor)
  else await move(tx, { key, chosen, publishAt }, actor)
  options.say?.({
    before: chosen.map(({ channelId, status, publishAt: time }) => ({ channelId, status, publishAt: time })),
    after: { status: waits ? 'draft' : 'scheduled', publishAt: publishAt.toISOString() },
  })
  return readChanged(tx, key, actor, options)
}

/** The destinations that have a time and have not begun, in one order for all. */
function scheduledOf({ destinations, approval }: WholePost): DestinationRow[] {
  const review = reviewStatusOf(approval?.status ?? null)
  return destinations
    .filter((one) => rule('reschedule', commandFacts(one, destinations, review)).allowed)
    .toSorted((a, b) => (a.channelId < b.channelId ? -1 : 1))
}

function refuseNone(post: WholePost): Refusal<'invalid_state'> {
  const detail =
    'Nothing of the post is `scheduled`: each of its destinations is a draft, has begun to publish, or is over.'
  const currentStatus = standingOf(post).status
  return refuse('invalid_state', detail, { currentStatus, allowedStatuses: moves.reschedule.from })
}

type Moving = { readonly key: PostKey; readonly chosen: readonly DestinationRow[]; readonly publishAt: Date }

async function move(tx: Tx, { key, chosen, publishAt }: Moving, actor: Actor): Promise<void> {
  const changes: Change[] = []
  for (const { channelId, controlToken } of chosen) {
    const command = { ...key, channelId, controlToken }
    changes.push(...(await setTime(tx, 'reschedule', command, publishAt, actor)))
  }
  announceAtCommit(tx, changes)
}

/** Has a person look first: all of them are drafts with the new time until then. */
async function propose(
  tx: Tx,
  { key, chosen, publishAt, baseUrl }: Moving & { baseUrl: string },
  actor: Actor,
): Promise<void> {
  const ids = chosen.map(({ destinationId }) => destinationId)
  await renewEditToken(tx, key, newToken(), actor)
  await withdraw(tx, key, ids, actor, publishAt)
  await askAgain(tx, key, { by: actor, baseUrl })
}
