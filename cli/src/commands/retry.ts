import { channelOption } from '../channels.ts'
import { type Context, isSet, textOf } from '../command.ts'
import { demandAllowed, once, postText, readWhen } from '../posting.ts'

/** Its time has to be in the future when the server reads it. */
const SOON_MS = 5_000

/** `postrider retry` */
export async function run(context: Context): Promise<void> {
  const { args, values, answer, signal } = context
  const [postId = ''] = args
  const client = context.client()
  const named = await channelOption(context, client)
  const post = await client.posts.read(postId, { signal })
  const failed = post.destinations.filter(({ allowedActions }) => allowedActions.retry.allowed)
  // Where none is to be tried again, the same command may have done it: its key says so, on whichever channel.
  const [only, another] = failed.length === 0 ? post.destinations : failed
  const channelId = named ?? (failed.length === 0 || another === undefined ? only?.channelId : undefined)
  if (isSet(values, 'dry-run')) {
    demandAllowed(post, 'retry', channelId)
    answer({ postId, dryRun: true }, `It would be tried again:\n${postText(post)}`)
    return
  }
  const publishAt = (await readWhen(context, () => client)) ?? new Date(Date.now() + SOON_MS)
  const when = [textOf(values, 'at'), textOf(values, 'queue')]
  await once(context, ['retry', postId, named, ...when], (options) =>
    client.posts.retry(post, { publishAt, ...(channelId === undefined ? {} : { channelId }) }, options),
  )
  const retried = await client.posts.read(postId, { signal })
  answer(retried, postText(retried))
}
