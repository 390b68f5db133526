import type { Destination, Post } from '@postrider/sdk'
import { channelOption } from '../channels.ts'
import { type Context, isSet, textOf } from '../command.ts'
import { usageError } from '../exits.ts'
import { callOptions, demandAllowed, keyWithin, postText, readWhen } from '../posting.ts'

/** `postrider schedule`: drafts get a time, and what is scheduled another one. */
export async function run(context: Context): Promise<void> {
  const { args, values, answer, signal } = context
  const [postId = ''] = args
  const client = context.client()
  const publishAt = await readWhen(context, () => client)
  if (publishAt === undefined) throw usageError('Say when: --at <time>, or --queue <next or first>.')
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
  const options = callOptions(context)
  const optionsFor = ({ channelId }: Destination) =>
    options.idempotencyKey === undefined
      ? options
      : { ...options, idempotencyKey: keyWithin(options.idempotencyKey, channelId) }
  for (const draft of drafts) {
    await client.posts.schedule(post, { channelId: draft.channelId, publishAt }, optionsFor(draft))
  }
  // All of them at once, or none.
  if (scheduled.length > 0 && channelId === undefined)
    await client.posts.rescheduleAll(post, publishAt, options)
  else
    for (const one of scheduled) {
      await client.posts.reschedule(post, { channelId: one.channelId, publishAt }, optionsFor(one))
    }
  const changed: Post = await client.posts.read(postId, { signal })
  answer(changed, postText(changed))
}
