import type { PostCheck, PostPlan } from '@postrider/contract'
import { findChannels } from '../channels/channel-store.ts'
import type { Db } from '../platform/db.ts'
import type { Refusal } from '../platform/refusal.ts'
import type { Providers } from '../providers/port.ts'
import { checkPlan, isError, repetitionIssues } from './check-post.ts'
import { channelIdsOf } from './create-post.ts'
import { readPlan } from './plan.ts'
import { findRepeated } from './post-store.ts'
import { refuseShape } from './refuse-plan.ts'

/**
 * Says what create would say of a plan, and warns of what it would let pass: the check is the same, and a warning
 * keeps nothing from being created. Writes nothing and asks no provider.
 */
export async function postCheck(
  db: Db,
  workspaceId: string,
  body: PostPlan,
  providers: Providers,
): Promise<PostCheck | Refusal<'validation_failed'>> {
  const read = readPlan(body)
  if ('errors' in read) return refuseShape(read.errors)
  const { plan } = read
  const { now, channels } = await findChannels(db, workspaceId, channelIdsOf(plan))
  const { destinations, issues } = checkPlan(plan, channels, providers, now)
  const texts = plan.destinations.map(({ channelId, content }) => ({ channelId, text: content.text }))
  const repeated = await findRepeated(db, workspaceId, texts, plan.publishAt ?? now)
  return {
    ready: !issues.some(isError),
    destinations,
    issues: [...issues, ...repetitionIssues(plan, repeated)],
  }
}
