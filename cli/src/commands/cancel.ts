import { channelOption } from '../channels.ts'
import { type Context, isSet } from '../command.ts'
import { demandAllowed, once, postText } from '../posting.ts'

/** `postrider cancel` */
export async function run(context: Context): Promise<void> {
  const { args, values, answer, signal } = context
  const [postId = ''] = args
  const client = context.client()
  const channelId = await channelOption(context, client)
  const post = await client.posts.read(postId, { signal })
  if (isSet(values, 'dry-run')) {
    demandAllowed(post, 'cancel', channelId)
    answer({ postId, dryRun: true }, `It would be cancelled:\n${postText(post)}`)
    return
  }
  await once(context, ['cancel', postId, channelId], (options) =>
    channelId === undefined
      ? client.posts.cancel(post, options)
      : client.posts.cancelOn(post, channelId, options),
  )
  const cancelled = await client.posts.read(postId, { signal })
  answer(cancelled, postText(cancelled))
}
