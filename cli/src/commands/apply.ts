import { type Post, type Postrider, ProblemError } from '@postrider/sdk'
import { type Context, isSet } from '../command.ts'
import { type Exit, exits } from '../exits.ts'
import { exitOf, postText } from '../posting.ts'
import { counted } from '../terminal.ts'
import { applyChange } from '../plan/apply.ts'
import { checkPosts } from '../plan/check-posts.ts'
import { mediaOf, nameOf, uploadAll } from '../plan/media.ts'
import { preparePlan, refuse } from '../plan/prepare.ts'
import type { PlannedMedia } from '@postrider/contract/plan'
import { changesJson, changesText, isChange } from '../plan/show-changes.ts'

/** `postrider apply` */
export async function run(context: Context): Promise<Exit> {
  const { args, values, answer, note, signal } = context
  const { plan, changes } = await preparePlan(context, args[0] ?? '', { force: isSet(values, 'force') })
  const client = context.client()
  if (isSet(values, 'dry-run')) {
    answer({ plan, changes: changesJson(changes), dryRun: true }, changesText(plan, changes))
    return exits.done
  }
  const media = changes.flatMap((change) =>
    change.is === 'create' || change.is === 'change' ? mediaOf(change.planned) : [],
  )
  const uploaded = await uploadAll(client, plan, media, signal)
  const ids = (each: PlannedMedia) =>
    each.is === 'item' ? each.mediaId : (uploaded.get(nameOf(each)) ?? null)
  // Only now is it known what the files are: no post is touched before all fit.
  if (uploaded.size > 0) refuse(await checkPosts(client, changes, ids, signal))
  const made: Post[] = []
  const refused: { id: string; code: string; message: string }[] = []
  for (const change of changes.filter(isChange)) {
    try {
      const post = await applyChange({ client, plan, ids, signal }, change)
      if (post !== null && change.is !== 'cancel') made.push(post)
    } catch (error) {
      // What the server refuses is of this post alone; without an answer, nothing more is tried.
      if (
        !(error instanceof ProblemError) ||
        error.outcome === 'unknown' ||
        error.status >= 500 ||
        error.status === 429
      ) {
        note('The plan is not done. Run it again: what is done stays, and nothing is done twice.')
        throw error
      }
      refused.push({ id: change.id, code: error.code, message: error.message })
    }
  }
  const settled = isSet(values, 'wait') ? await settle(context, client, made) : []
  answer(
    { plan, changes: changesJson(changes), refused, ...(isSet(values, 'wait') ? { posts: settled } : {}) },
    [
      changesText(plan, changes),
      ...refused.map(({ id, message }) => `${id}: refused: ${message}`),
      ...settled.map(postText),
    ].join('\n'),
  )
  const isAsPlanned = refused.length === 0 && changes.every(({ is }) => is !== 'drift')
  const ends = settled.map(exitOf)
  if (ends.includes(exits.unknown)) return exits.unknown
  return isAsPlanned && !ends.includes(exits.failed) ? exits.done : exits.failed
}

/** What became of the posts that have a time. */
async function settle({ note, signal }: Context, client: Postrider, posts: readonly Post[]): Promise<Post[]> {
  const planned = posts.filter(({ destinations }) => destinations.some(({ status }) => status !== 'draft'))
  if (planned.length > 0) note(`Waiting for ${counted(planned.length, 'post')} …`)
  return Promise.all(planned.map(({ postId }) => client.posts.waitFor(postId, { signal })))
}
