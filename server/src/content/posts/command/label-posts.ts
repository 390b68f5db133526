import {
  type Answer,
  type Input,
  MOST_LABELS,
  type labelPosts as operation,
  type RefusalCode,
} from '@postrider/contract'
import type { DestinationStatus } from '@postrider/contract/names'
import type { PostChange } from '../../../engine/outbox/envelope.ts'
import { announce } from '../../../engine/outbox/outbox-store.ts'
import type { ActDetails } from '../../../edge/operations/act.ts'
import type { Actor } from '../../../edge/operations/actor.ts'
import { refuseBeyond, seesPost } from '../../../edge/operations/credential-limits.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { Repeated, RefuseRepeat } from '../../../edge/operations/route.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { nameKey } from '../../../platform/text/name-key.ts'
import { type LabelledPost, lockLabels, replaceLabels } from '../label-store.ts'
import { isSeen } from '../read-post.ts'
import { readLabels } from '../../../edge/operations/read-labels.ts'
import { refuseShape } from '../plan/refuse-plan.ts'

/**
 * Adds labels to posts and takes others from them: of all, or of none. What is published stays as it is, so no status
 * forbids it and no token guards it: two who add or remove at once both have what they asked for.
 */
export async function labelPosts(
  tx: Tx,
  workspaceId: string,
  { postIds, ...body }: Input<typeof operation>['body'],
  actor: Actor,
  say: (details: ActDetails) => void,
): Promise<Answer<typeof operation> | Refusal<RefusalCode<typeof operation>>> {
  const [add, remove] = [readLabels(body.add), readLabels(body.remove)]
  if (add.length + remove.length === 0) {
    const detail = 'Say which labels to `add`, or to `remove`.'
    return refuseShape([{ pointer: '/add', code: 'required', detail }])
  }
  const found = await lockLabels(tx, workspaceId, postIds)
  const visible = new Map(found.filter((post) => isVisible(post, actor)).map((post) => [post.postId, post]))
  const missing = postIds.findIndex((id) => !visible.has(id))
  if (missing >= 0) return refusePlace(missing)

  const posts = postIds.flatMap((id) => visible.get(id) ?? [])
  const after = posts.map((post) => ({ ...post, labels: changed(post.labels, add, remove) }))
  for (const [place, post] of after.entries()) {
    const refusal = refuseAct(post, actor) ?? refuseMany(post, place)
    if (refusal !== null) return refusal
  }
  const differing = after.filter(({ labels }, place) => !isSame(labels, posts[place]?.labels ?? []))
  if (differing.length > 0) {
    const at = await replaceLabels(
      tx,
      workspaceId,
      differing.map(({ postId, labels }) => ({ workspaceId, postId, labels })),
    )
    await announce(
      tx,
      differing.map(({ postId, destinations }): PostChange => {
        const channelIds = destinations.map(({ channelId }) => channelId)
        return { workspaceId, postId, type: 'post.edited', by: actor, channelIds, changed: ['labels'], at }
      }),
    )
  }
  say({ after: { postIds: [...postIds], add, remove } })
  return { posts: after.map(({ postId, labels }) => ({ postId, labels: [...labels] })) }
}

/** A repeat is answered as the operation is: about a post that the caller does not see, as about none. */
export const refuseRepeatedLabels: RefuseRepeat<Repeated<typeof operation>> = async (
  { body: { postIds } },
  { caller, sql },
) => {
  for (const [place, postId] of postIds.entries())
    if (!(await isSeen(sql, caller, postId))) return refusePlace(place)
  return null
}

function isVisible({ labels, destinations }: LabelledPost, { limits }: Actor): boolean {
  return seesPost(limits, { labels, channelIds: destinations.map(({ channelId }) => channelId) })
}

/** What a limited credential may not change, and the label that it may not take away. */
function refuseAct(
  { labels, destinations }: LabelledPost,
  { limits }: Actor,
): Refusal<'credential_limit'> | null {
  const statuses = destinations.map(({ status }) => status as DestinationStatus)
  return refuseBeyond(limits, {
    channelIds: destinations.map(({ channelId }) => channelId),
    labels,
    publishes: statuses.some((status) => status !== 'draft'),
  })
}

function refuseMany({ labels }: LabelledPost, place: number): Refusal<'validation_failed'> | null {
  if (labels.length <= MOST_LABELS) return null
  const detail = `The post would have ${labels.length} labels. It can have ${MOST_LABELS}: remove some.`
  return refuseShape([{ pointer: `/postIds/${place}`, code: 'out_of_range', detail }])
}

function refusePlace(place: number): Refusal<'not_found'> {
  const detail = 'Post not found in this workspace.'
  return refuse('not_found', detail, { errors: [{ pointer: `/postIds/${place}`, code: 'unknown', detail }] })
}

function changed(labels: readonly string[], add: readonly string[], remove: readonly string[]): string[] {
  const gone = new Set(remove.map(nameKey))
  return readLabels([...labels.filter((label) => !gone.has(nameKey(label))), ...add])
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((label, place) => label === other[place])
}
