import { type Context, isSet, textOf } from '../command.ts'
import type { Exit } from '../exits.ts'
import { callOptions, exitOf, planOf, postText } from '../posting.ts'

/** `postrider post` */
export async function run(context: Context): Promise<Exit | void> {
  const { values, answer, note, signal } = context
  const client = context.client()
  const dryRun = isSet(values, 'dry-run')
  const reference = textOf(values, 'reference')
  const plan = await planOf(context, client, { uploads: !dryRun })
  const given = { ...plan, ...(reference === undefined ? {} : { reference }) }
  const post = await client.posts.create(dryRun ? { ...given, dryRun } : given, callOptions(context))
  if (dryRun) {
    answer(post, `It would be created:\n${postText(post)}`)
    return
  }
  if (!isSet(values, 'wait')) {
    answer(post, postText(post))
    return
  }
  note(`Created ${post.postId}. Waiting for what becomes of it …`)
  const settled = await client.posts.waitFor(post.postId, { signal })
  answer(settled, postText(settled))
  return exitOf(settled)
}
