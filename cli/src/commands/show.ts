import { type Context, isSet } from '../command.ts'
import type { Exit } from '../exits.ts'
import { exitOf, postText } from '../posting.ts'

/** `postrider show` */
export async function run({
  args: [postId = ''],
  values,
  client,
  answer,
  signal,
}: Context): Promise<Exit | void> {
  const { posts } = client()
  const waits = isSet(values, 'wait')
  if (waits) await posts.waitFor(postId, { signal })
  const post = await posts.read(postId, {
    signal,
    ...(isSet(values, 'history') ? { include: 'history' } : {}),
  })
  answer(post, postText(post))
  if (waits) return exitOf(post)
}
