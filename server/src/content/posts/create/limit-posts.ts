import { isActive } from '../../../engine/destinations/destination-commands.ts'
import type { DestinationRow } from '../../../engine/destinations/destination-store.ts'
import { lockCreates, readCredentialDay } from '../../../people/keys/credential-day-store.ts'
import type { Actor } from '../../../edge/operations/actor.ts'
import {
  exceededLimit,
  fixes,
  type LimitedAct,
  refuseBeyond,
} from '../../../edge/operations/credential-limits.ts'
import type { Sql, Tx } from '../../../platform/postgres/db.ts'
import type { Refusal } from '../../../edge/operations/refusal.ts'
import type { Caller } from '../../../edge/operations/route.ts'
import type { Issue } from './plan-issues.ts'
import { channelIdsOf, type Plan, timesOfPlan } from '../plan/plan.ts'
import type { WholePost } from '../post-store.ts'

/**
 * How many posts the credential has made today; null where that is not limited. Creates of one credential that is counted
 * wait for each other here, so that two at once are two.
 */
export async function countCreate(
  tx: Tx,
  { workspaceId, credential: { limits, id } }: Pick<Caller, 'workspaceId' | 'credential'>,
): Promise<number | null> {
  if (limits.postsPerDay === null) return null
  await lockCreates(tx, id)
  return (await readCredentialDay(tx, workspaceId, id)).posts
}

/** Why the credential may not create this; null when it may. `now` is the database's, as in a check. */
export function refuseCreate(
  { credential: { limits } }: Pick<Caller, 'credential'>,
  plan: Plan,
  { now, postsToday }: { now: Date; postsToday: number | null },
): Refusal<'credential_limit'> | null {
  return refuseBeyond(limits, { ...plannedAct(plan), ...(postsToday === null ? {} : { postsToday }) }, now)
}

/** The same as issues of a check, which a credential may make of what it may not create. `before`: how many would be made first; null where none would be. */
export async function limitIssues(
  sql: Sql,
  { workspaceId, credential: { limits, id } }: Pick<Caller, 'workspaceId' | 'credential'>,
  plan: Plan,
  { now, before }: { now: Date; before: number | null },
): Promise<Issue[]> {
  const today =
    limits.postsPerDay === null || before === null ? null : await readCredentialDay(sql, workspaceId, id)
  const counted = today === null ? {} : { postsToday: today.posts, postsBefore: before ?? 0 }
  const exceeded = exceededLimit(limits, { ...plannedAct(plan), ...counted }, now)
  if (exceeded === null) return []
  const { limit, message } = exceeded
  const pointer =
    limit === 'publishWithinHours'
      ? (timesOfPlan(plan)[0]?.pointer ?? '')
      : limit === 'draftsOnly'
        ? '/state'
        : limit === 'label'
          ? '/labels'
          : ''
  return [{ code: 'credential_limit', severity: 'error', pointer, message, fix: fixes[limit] }]
}

/** A create as the limits judge it. */
function plannedAct(plan: Plan): LimitedAct {
  return {
    channelIds: channelIdsOf(plan),
    labels: plan.labels ?? [],
    publishes: plan.state !== 'draft',
    publishAt: timesOfPlan(plan)[0]?.at ?? null,
  }
}

/** Why the actor may not change these destinations, or give them this time; null when they may. */
export function refuseChange(
  { limits }: Pick<Actor, 'limits'>,
  destinations: readonly Pick<DestinationRow, 'channelId' | 'status'>[],
  { gives = false, publishAt = null, now }: { gives?: boolean; publishAt?: Date | null; now?: Date } = {},
): Refusal<'credential_limit'> | null {
  const act = {
    channelIds: destinations.map(({ channelId }) => channelId),
    publishes: gives || destinations.some(({ status }) => status !== 'draft'),
    publishAt,
  }
  return refuseBeyond(limits, act, now)
}

/** The destinations that an edit changes: those that are named, or all that are not over. */
export function activeOf({ destinations }: WholePost, channelIds: readonly string[] | null) {
  return destinations.filter(
    ({ channelId, status }) => isActive(status) && (channelIds === null || channelIds.includes(channelId)),
  )
}
