import { type Destination, isProblem, type Post } from '@postrider/sdk'
import { channelOption } from '../channels.ts'
import { type Context, isSet, textOf } from '../command.ts'
import { usageError } from '../exits.ts'
import { demandAllowed, once, postText, readWhen } from '../posting.ts'

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
  const scheduled = meant.filter(({ status }) => status === 'scheduled')
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
  const schedule = ({ channelId }: Destination) =>
    once(context, [...asked, channelId], (options) =>
      client.posts.schedule(post, { channelId, publishAt }, options),
    )
  for (const draft of drafts) await schedule(draft)
  // What is scheduled may have been a draft when the same command was run before: its key says so.
  const repeated = textOf(values, 'idempotency-key') !== undefined
  const doneBefore = async (one: Destination) => repeated && !(await schedule(one).catch(isNoDraft))
  const movable: Destination[] = []
  for (const one of scheduled) if (!(await doneBefore(one))) movable.push(one)
  // All of them at once, or none.
  if (movable.length > 0 && channelId === undefined)
    await once(context, [...asked, 'all'], (options) => client.posts.rescheduleAll(post, publishAt, options))
  else
    for (const { channelId } of movable)
      await once(context, [...asked, channelId], (options) =>
        client.posts.reschedule(post, { channelId, publishAt }, options),
      )
  const changed: Post = await client.posts.read(postId, { signal })
  answer(changed, postText(changed))
}

function isNoDraft(error: unknown): true {
  if (isProblem(error, 'invalid_state')) return true
  throw error
}
