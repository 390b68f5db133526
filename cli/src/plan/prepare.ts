import type { Context } from '../command.ts'
import { CliError, exits } from '../exits.ts'
import { checkPosts } from './check-posts.ts'
import { type Change, diff } from './diff.ts'
import { readMadeOf, sameMediaBy } from './media.ts'
import { findFile, readSources } from './read-files.ts'
import {
  type Fault,
  faultLine,
  inOrder,
  type MediaIds,
  type PlannedMedia,
  readPlan,
} from '@postrider/contract/plan'
import { readCurrent } from './references.ts'

export type Prepared = { readonly plan: string; readonly changes: readonly Change[] }

const notUploaded: MediaIds = (media: PlannedMedia) => (media.is === 'item' ? media.mediaId : null)

/** Reads a plan, compares it with the server, and has what would change checked there. Throws with every fault of it; changes nothing. */
export async function preparePlan(
  { client, signal }: Context,
  path: string,
  { force }: { force: boolean },
): Promise<Prepared> {
  const sources = readSources(path)
  const api = client()
  const [channels, me] = await Promise.all([api.channels({ signal }), api.me({ signal })])
  const { plan, posts, faults } = readPlan(sources, { channels, timeZone: me.workspace.timeZone, findFile })
  refuse(faults)
  const named = new Map(posts.flatMap(({ id, postId }) => (postId === null ? [] : [[id, postId] as const])))
  const current = await readCurrent(api, plan, named, signal)
  const sameMedia = sameMediaBy(await readMadeOf(api, posts, current, signal))
  const changes = diff(posts, current, { force, now: Date.now(), sameMedia })
  refuse(await checkPosts(api, changes, notUploaded, signal))
  return { plan, changes }
}

/** Ends with all that is wrong with a plan. */
export function refuse(faults: readonly Fault[]): void {
  if (faults.length === 0) return
  const ordered = inOrder(faults)
  throw new CliError(exits.usage, `${ordered.map(faultLine).join('\n')}\nNothing was changed.`, {
    code: 'plan_faults',
    faults: ordered,
  })
}
