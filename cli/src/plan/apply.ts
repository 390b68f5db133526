import { isProblem, type Post, type Postrider } from '@postrider/sdk'
import { CliError, exits } from '../exits.ts'
import { type MediaIds, newPost, publishAtOf, referenceOf } from '@postrider/contract/plan'
import { editedContent, keyOf } from './bodies.ts'
import type { Change } from './diff.ts'

export type Applying = {
  readonly client: Postrider
  readonly plan: string
  readonly ids: MediaIds
  readonly signal: AbortSignal
}

/**
 * Does what one change says, and gives the post as it is then. Each write has a key made of what it writes and of the token that
 * it was read with, and a post is found by its reference: whoever does it again, after a death at any point, goes on from there.
 */
export async function applyChange(applying: Applying, change: Change): Promise<Post | null> {
  if (change.is === 'create') return create(applying, change)
  if (change.is === 'change') return alter(applying, change)
  if (change.is === 'cancel') return cancel(applying, change)
  return change.post
}

async function create(
  { client, plan, ids, signal }: Applying,
  { id, planned, generation }: Extract<Change, { is: 'create' }>,
): Promise<Post> {
  const reference = referenceOf(plan, id, generation)
  const body = { ...newPost(planned, ids), reference }
  try {
    return await client.posts.create(body, { signal, idempotencyKey: keyOf(reference, 'create', body) })
  } catch (error) {
    if (!isProblem(error, 'already_exists')) throw error
    throw new CliError(
      exits.failed,
      `${id} was created in the meantime by another run of the plan. Run it again.`,
    )
  }
}

async function alter(
  { client, plan, ids, signal }: Applying,
  { id, post: first, planned, edited, moved, added, removed }: Extract<Change, { is: 'change' }>,
): Promise<Post> {
  const name = `${plan}/${id}`
  let post = first
  const reread = async () => {
    post = await client.posts.read(first.postId, { signal })
  }
  if (added.length > 0 || removed.length > 0) {
    const change = {
      ...(added.length === 0 ? {} : { add: addedChannels(newPost({ targets: added, ofPost: {} }, ids)) }),
      ...(removed.length === 0 ? {} : { remove: removed }),
    }
    await client.posts.changeChannels(post, change, {
      signal,
      idempotencyKey: keyOf(name, 'channels', [post.editToken, change]),
    })
    await reread()
  }
  if (edited.length > 0) {
    const isWhole =
      post.content !== null &&
      edited.length === planned.targets.length &&
      post.destinations.every(({ content, status }) => content === null || status === 'cancelled')
    const content = editedContent(edited, { isWhole }, ids)
    const { postId, editToken } = post
    await client.call(
      'editPost',
      { params: { postId }, body: { editToken, content } },
      { signal, idempotencyKey: keyOf(name, 'edit', [editToken, content]) },
    )
    await reread()
  }
  const scheduled = post.destinations.filter(({ status }) => status === 'scheduled')
  const [to] = moved.map((each) => each.to)
  const movesAll =
    moved.length > 1 &&
    moved.every((each) => each.to === to) &&
    moved.length === scheduled.length &&
    scheduled.every(({ channelId }) => moved.some(({ target }) => target.channelId === channelId))
  if (movesAll && to !== undefined) {
    // At once, so that no death leaves the post at two times.
    const publishAt = publishAtOf(to)
    await client.posts.rescheduleAll(post, publishAt, {
      signal,
      idempotencyKey: keyOf(name, 'move', [post.editToken, publishAt]),
    })
    await reread()
    return post
  }
  for (const { target, to } of moved) {
    const { channelId } = target
    const destination = post.destinations.find((each) => each.channelId === channelId)
    const publishAt = publishAtOf(to)
    const options = { signal, idempotencyKey: keyOf(name, 'time', [destination?.controlToken, publishAt]) }
    const command = { channelId, publishAt }
    await (destination?.status === 'draft'
      ? client.posts.schedule(post, command, options)
      : client.posts.reschedule(post, command, options))
    await reread()
  }
  return post
}

/** Channels to add, each with all that it gets. */
function addedChannels({
  channelIds = [],
  targets,
  state: _,
  publishAt,
  ...content
}: ReturnType<typeof newPost>) {
  return (
    targets ??
    channelIds.map((channelId) => ({
      channelId,
      ...content,
      ...(publishAt === undefined ? {} : { publishAt }),
    }))
  )
}

async function cancel(
  { client, plan, signal }: Applying,
  { id, post }: Extract<Change, { is: 'cancel' }>,
): Promise<Post> {
  return client.posts.cancel(post, {
    signal,
    idempotencyKey: keyOf(`${plan}/${id}`, 'cancel', post.editToken),
  })
}
