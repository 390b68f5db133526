import type { Post } from '@postrider/sdk'
import { channelOption } from '../channels.ts'
import { type Context, isSet } from '../command.ts'
import { changeOf, demandAllowed, once, postText } from '../posting.ts'

/** `postrider edit` */
export async function run(context: Context): Promise<void> {
  const { args, values, answer, note, signal } = context
  const [postId = ''] = args
  const client = context.client()
  const channelId = await channelOption(context, client)
  const post = await client.posts.read(postId, { signal })
  if (isSet(values, 'dry-run')) {
    demandAllowed(post, 'edit', channelId)
    answer({ postId, dryRun: true }, `It would be edited:\n${postText(post)}`)
    return
  }
  const change = await changeOf(context, client)
  let edited: Post | null = null
  await once(context, ['edit', postId, channelId, change], async (options) => {
    edited = await client.posts.edit(
      post,
      channelId === undefined ? change : { targets: [{ channelId, ...change }] },
      options,
    )
  })
  edited ??= await client.posts.read(postId, { signal })
  for (const { message, fix } of edited.warnings ?? []) note(`${message} ${fix}`)
  answer(edited, postText(edited))
}
