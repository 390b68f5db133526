import type { DestinationStatus } from '@postrider/contract'
import type { ChannelKey } from '../../../networks/channels/channel-store.ts'
import { filedAs, moves, type Move } from '../../../engine/destinations/destination-states.ts'
import { cancel, restWaits } from '../../../engine/destinations/destination-store.ts'
import { inDoubt } from '../../../engine/destinations/in-doubt.ts'
import { announce } from '../../../engine/outbox/outbox-store.ts'
import type { Author } from '../../../edge/operations/actor.ts'
import type { Fragment, Sql, Tx } from '../../../platform/postgres/db.ts'
import { renewEditTokens } from '../post-store.ts'

/** What became of the plans of a credential, or for a channel. */
export type CancelledPlans = {
  /** How many destinations were cancelled, or the rest of them. */
  readonly cancelled: number
  /** How many have begun to publish, and go on. */
  readonly underWay: number
  readonly postIds: readonly string[]
}

const begun = ['publishing', 'partially_published', 'checking'] as const

const cancellable: readonly DestinationStatus[] = moves.cancel.from

/** Those of them from which a publication that ends without a result leads back to where it can be cancelled. */
const revertible = begun.filter((status) =>
  Object.values<Move>(moves).some(({ from, to }) => from.includes(status) && cancellable.includes(to)),
)

/**
 * Cancels everything that a credential has planned and that has not begun to publish: what has a time that it gave, and
 * drafts of its own that wait for approval. The locks are taken in the order of an edit: posts, destinations. What is being
 * published is locked, too, so that a publication which ends meanwhile is either cancelled or counted; all of it is judged by
 * statements after the one that takes the locks. Of what has a part out, the rest is cancelled that waits for the time of a retry. It is
 * locked last, as by the caller who resumes a channel.
 */
export function cancelPlanned(
  tx: Tx,
  workspaceId: string,
  credentialId: string,
  author: Author,
): Promise<CancelledPlans> {
  return cancelAll(tx, workspaceId, tx`d.planned_by_id = ${credentialId}`, author)
}

/** The same of everything that is planned for a channel, by all. */
export function cancelOnChannel(
  tx: Tx,
  { workspaceId, channelId }: ChannelKey,
  author: Author,
): Promise<CancelledPlans> {
  return cancelAll(tx, workspaceId, tx`d.channel_id = ${channelId}`, author)
}

/** The same of these posts, and of their drafts that wait for no approval. */
export function cancelOfPosts(
  tx: Tx,
  workspaceId: string,
  postIds: readonly string[],
  author: Author,
): Promise<CancelledPlans> {
  return cancelAll(tx, workspaceId, tx`d.post_id = any(${[...postIds]}::uuid[])`, author, tx`true`)
}

/** `meant` says which `destination d`, and `drafts` which of the drafts among them. */
async function cancelAll(
  tx: Tx,
  workspaceId: string,
  meant: Fragment,
  author: Author,
  drafts: Fragment = waitsForApproval(tx),
): Promise<CancelledPlans> {
  const isMeant = tx`${meant} and (d.status <> 'draft' or ${drafts})`
  const isRest = tx`${meant} and d.filed_as = 'partially_published' and ${restWaits(tx)}`
  const lockingPosts = tx`
    select from post p
    where  p.workspace_id = ${workspaceId} and p.id = any(array(
      select d.post_id from destination d
      where  d.workspace_id = ${workspaceId} and (${mayBePlanned(tx, isMeant)} or (${isRest}))))
    order  by p.id
    for    no key update`
  const lockingDestinations = tx`
    select from destination d
    where  d.workspace_id = ${workspaceId} and ${mayBePlanned(tx, isMeant)}
    order  by d.id
    for    no key update`
  const finding = tx<{ id: string }[]>`
    select d.id from destination d
    where  d.workspace_id = ${workspaceId} and ${isPlanned(tx, isMeant)}
    order  by d.id
    for    no key update`
  const findingRests = tx<{ id: string }[]>`
    select d.id from destination d
    where  d.workspace_id = ${workspaceId} and ${isRest} and not ${inDoubt(tx)}
    order  by d.id
    for    no key update`
  const counting = tx<{ underWay: number }[]>`
    select count(*)::int as "underWay" from destination d
    where  d.workspace_id = ${workspaceId} and ${meant}
    and    d.filed_as = any(${filedAs(begun)}) and d.status = any(${[...begun]})
    -- Of a thread that was refused for good nothing goes on.
    and    (d.status <> 'partially_published' or (d.expires_at is not null and not ${restWaits(tx)}))`
  const [, , planned, rests, [left]] = await Promise.all([
    lockingPosts,
    lockingDestinations,
    finding,
    findingRests,
    counting,
  ])
  const changes = await cancel(
    tx,
    workspaceId,
    [...planned, ...rests].map(({ id }) => id),
    author,
  )
  const postIds = [...new Set(changes.map(({ postId }) => postId))]
  await Promise.all([announce(tx, changes), renewEditTokens(tx, workspaceId, postIds, author, ['status'])])
  return { cancelled: changes.length, underWay: left?.underWay ?? 0, postIds }
}

/** Whether the `destination d` that is meant is planned by its status alone, or may be once its publication has ended. */
function mayBePlanned(sql: Sql, meant: Fragment) {
  return sql`
    ${meant} and d.filed_as = any(${filedAs([...cancellable, ...revertible])})
    and d.status = any(${[...cancellable, ...revertible]})`
}

/** Whether the post of `destination d` waits for approval. */
function waitsForApproval(sql: Sql) {
  return sql`
    exists (
      select from approval a
      where  a.workspace_id = d.workspace_id and a.post_id = d.post_id and a.status = 'pending'
      offset 0)`
}

/**
 * Whether the `destination d` that is meant is planned, and can be cancelled: as the command of the same name decides. What
 * else it asks of a destination is looked up for each, with an offset, so that no plan joins all of them to all instead.
 */
function isPlanned(sql: Sql, meant: Fragment) {
  return sql`
    ${meant} and d.filed_as = any(${[...cancellable]}) and d.status = any(${[...cancellable]})
    and not exists (
      select from part t
      where  t.workspace_id = d.workspace_id and t.destination_id = d.id and t.status = 'published'
      offset 0)
    and not ${inDoubt(sql)}`
}
