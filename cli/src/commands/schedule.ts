import { type Destination, isProblem, type Operations, type Post, type Postrider } from '@postrider/sdk'
import { channelOption } from '../channels.ts'
import { type Context, isSet, textOf } from '../command.ts'
import { usageError } from '../exits.ts'
import { demandAllowed, once, postText, readWhen } from '../posting.ts'

type When = Operations['scheduleDestination']['body']['publishAt']

/** `postrider schedule`: drafts get a time, and what is scheduled another one. */
export async function run(context: Context): Promise<void> {
  if (textOf(context.values, 'shift') === undefined) await giveTime(context)
  else await shift(context)
}

/** Moves all that is scheduled of a post by a duration, or nothing. */
async function shift(context: Context): Promise<void> {
  const { args, values, answer, signal } = context
  const [postId = ''] = args
  const beside = ['at', 'queue', 'time-zone', 'channel'].find((name) => textOf(values, name) !== undefined)
  if (beside !== undefined)
    throw usageError(`--shift moves the whole post, and takes no --${beside}. Use one of them.`)
  const by = textOf(values, 'shift') ?? ''
  const client = context.client()
  const post = await client.posts.read(postId, { signal })
  if (isSet(values, 'dry-run')) {
    demandAllowed(post, 'reschedule')
    answer({ postId, dryRun: true }, `What is scheduled of it would move by ${by}:\n${postText(post)}`)
    return
  }
  await once(context, ['shift', postId, by], (options) =>
    client.posts.rescheduleAll(post, { shift: by }, options),
  )
  const changed = await client.posts.read(postId, { signal })
  answer(changed, postText(changed))
}

async function giveTime(context: Context): Promise<void> {
  const { args, values, answer, signal } = context
  const [postId = ''] = args
  const client = context.client()
  const publishAt = await readWhen(context, () => client)
  if (publishAt === undefined)
    throw usageError('Say when: --at <time>, --queue <next or first>, or --shift <duration>.')
  const [channelId, post] = [
    await channelOption(context, client),
    await client.posts.read(postId, { signal }),
  ]
  const meant = post.destinations.filter((each) => channelId === undefined || each.channelId === channelId)
  const drafts = meant.filter(({ status }) => status === 'draft')
  const scheduled = meant.filter(
    ({ status, allowedActions }) => status === 'scheduled' || allowedActions.reschedule.allowed,
  )
  if (drafts.length === 0 && scheduled.length === 0) demandAllowed(post, 'reschedule', channelId)
  if (isSet(values, 'dry-run')) {
    const [at, queue] = [textOf(values, 'at'), textOf(values, 'queue')]
    demandAllowed(post, drafts.length > 0 ? 'schedule' : 'reschedule', channelId)
    answer(
      { postId, dryRun: true },
      `It would get the time ${at ?? `that is ${queue} in the queue`}:\n${postText(post)}`,
    )
    return
  }
  const when = ['at', 'time-zone', 'queue'].map((name) => textOf(values, name))
  const asked = ['schedule', postId, ...when]
  const given = { context, client, post, publishAt, asked }
  if (channelId === undefined) await giveToAll(given, { drafts, scheduled })
  else await giveToOne(given, [...drafts, ...scheduled])
  const changed = await client.posts.read(postId, { signal })
  answer(changed, postText(changed))
}

type Given = {
  readonly context: Context
  readonly client: Postrider
  readonly post: Post
  readonly publishAt: When
  /** What the keys of the writes are made of. */
  readonly asked: readonly unknown[]
}

/**
 * All drafts, or none, and all that is scheduled, or nothing: the drafts last, so that the key of their write tells whether the
 * same command has done both before.
 */
async function giveToAll(
  { context, client, post, publishAt, asked }: Given,
  { drafts, scheduled }: { drafts: readonly Destination[]; scheduled: readonly Destination[] },
): Promise<void> {
  const { signal } = context
  const schedule = (current: Post) =>
    once(context, [...asked, 'drafts'], (options) => client.posts.scheduleAll(current, publishAt, options))
  if (drafts.length === 0 && (await wasDraft(context, () => schedule(post)))) return
  if (scheduled.length > 0)
    await once(context, [...asked, 'all'], (options) => client.posts.rescheduleAll(post, publishAt, options))
  if (drafts.length > 0)
    await schedule(scheduled.length === 0 ? post : await client.posts.read(post.postId, { signal }))
}

async function giveToOne(
  { context, client, post, publishAt, asked }: Given,
  meant: readonly Destination[],
): Promise<void> {
  for (const { channelId, status } of meant) {
    const schedule = () =>
      once(context, [...asked, channelId], (options) =>
        client.posts.schedule(post, { channelId, publishAt }, options),
      )
    if (status === 'draft') await schedule()
    else if (!(await wasDraft(context, schedule)))
      await once(context, [...asked, channelId], (options) =>
        client.posts.reschedule(post, { channelId, publishAt }, options),
      )
  }
}

/** Whether what is scheduled was a draft when the same command was run before: the key of its write says so. */
async function wasDraft({ repeats }: Context, schedule: () => Promise<boolean>): Promise<boolean> {
  if (!repeats) return false
  try {
    return !(await schedule())
  } catch (error) {
    if (isProblem(error, 'invalid_state')) return false
    throw error
  }
}
