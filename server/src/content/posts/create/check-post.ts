import type { checkPost as operation, Input, PostCheck } from '@postrider/contract'
import { findMedia } from '../../../media/media-store.ts'
import { viewMedia } from '../../../media/views.ts'
import { refuseBeyond } from '../../../edge/operations/credential-limits.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { isRefusal, refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { fillPlan } from '../../templates/fill-plan.ts'
import type { Caller } from '../../../edge/operations/route.ts'
import type { Providers } from '../../../networks/providers/port/port.ts'
import { checkPlan, isError, isInvisible, repetitionIssues } from './plan-issues.ts'
import { findPlanned } from '../plan/find-planned.ts'
import { limitIssues } from './limit-posts.ts'
import { channelIdsOf, contentOf, mediaIdsOf, partsOf, plannedParts, readPlan } from '../plan/plan.ts'
import { findRepeated } from '../post-store.ts'
import { placeRefusal, refuseShape } from '../plan/refuse-plan.ts'
import { withTags } from './tagged-parts.ts'
import { findSlotsOfPlan } from '../slots/take-slots.ts'

/**
 * Says what create would say of a plan, and warns of what it would let pass: the check is the same, and a warning
 * keeps nothing from being created. Writes nothing and asks no provider.
 */
export async function checkPost(
  db: Db,
  caller: Pick<Caller, 'workspaceId' | 'credential'>,
  { template, ...body }: Body,
  providers: Providers,
): Promise<Checked> {
  if (template === undefined) return checkPlanned(db, caller, body, providers)
  const filled = await fillPlan(db, caller, { ...body, template })
  if (isRefusal(filled)) return filled
  const checked = await checkPlanned(db, caller, filled.plan, providers)
  if (isRefusal(checked)) return placeRefusal(checked, filled)
  const texts = plannedTexts(filled.plan)
  return {
    ...checked,
    destinations: checked.destinations.map(({ parts, ...one }) => ({
      ...one,
      parts: parts.map((part) => ({ text: texts[part.index] ?? '', ...part })),
    })),
    issues: checked.issues.map((issue) => ({ ...issue, pointer: filled.placeOf(issue.pointer) })),
  }
}

type Body = Input<typeof operation>['body']
type Checked = PostCheck | Refusal<'validation_failed' | 'missing_permission' | 'credential_limit'>

/** The texts of the parts that a plan without targets has. */
function plannedTexts({ text = '', ...content }: Omit<Body, 'template'>): string[] {
  return partsOf(contentOf({ text, ...content })).map((part) => part.text)
}

async function checkPlanned(
  db: Db,
  caller: Pick<Caller, 'workspaceId' | 'credential'>,
  { postId, ...body }: Omit<Body, 'template'>,
  providers: Providers,
): Promise<Checked> {
  const read = readPlan(body)
  if ('errors' in read) return refuseShape(read.errors)
  const mediaIds = mediaIdsOf(read.plan)
  if (mediaIds.length > 0 && !maySeeMedia(caller)) return refuseMedia(caller)
  const { workspaceId, credential } = caller
  const { plan: named, found: known } = await findPlanned(db, workspaceId, read.plan)
  const meant = withTags(named, known)
  // Of channels that are not its own nothing is told.
  const beyond = refuseBeyond(credential.limits, { channelIds: channelIdsOf(meant) })
  if (beyond !== null) return beyond
  const { now, channels } = known
  const { plan, issues: unplaced } = await findSlotsOfPlan(db, workspaceId, meant)
  const media = await findMedia(db, workspaceId, mediaIds)
  const { destinations, issues: found } = checkPlan(plan, channels, providers, now, media)
  const issues = [...unplaced, ...found, ...(await limitIssues(db, caller, plan, now))]
  // Pictures without words are not the same for that.
  const texts = plan.destinations.flatMap((planned) => {
    const { channelId, time } = planned
    const text = plannedParts(planned)[0]?.text ?? ''
    return isInvisible(text) ? [] : [{ channelId, text, at: time?.at ?? now }]
  })
  const repeated = await findRepeated(db, { workspaceId, exceptPostId: postId }, texts)
  return {
    ready: !issues.some(isError),
    destinations,
    media: mediaIds.flatMap((id) => media.get(id) ?? []).map(viewMedia),
    issues: [...issues, ...repetitionIssues(plan, repeated)],
  }
}

function maySeeMedia({ credential }: Pick<Caller, 'credential'>): boolean {
  return credential.permissions.includes('media:read')
}

function refuseMedia({ credential }: Pick<Caller, 'credential'>) {
  const detail =
    'This credential lacks `media:read`, which the check of a plan with media needs. Use one that has it, or leave the media out.'
  return refuse('missing_permission', detail, {
    requiredPermission: 'media:read',
    grantedPermissions: credential.permissions,
  })
}
