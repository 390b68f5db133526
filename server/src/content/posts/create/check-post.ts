import type { checkPost as operation, Input, PostCheck } from '@postrider/contract'
import { findMedia } from '../../../media/media-store.ts'
import { viewMedia } from '../../../media/views.ts'
import { refuseBeyond } from '../../../edge/operations/credential-limits.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { isRefusal, refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { fillPlan } from '../../templates/fill-plan.ts'
import type { Caller } from '../../../edge/operations/route.ts'
import type { Providers } from '../../../networks/providers/port/port.ts'
import type { PlannedTime } from '../../../engine/destinations/destination-store.ts'
import { checkPlan, isError, isInvisible, type Repeated, repetitionIssues } from './plan-issues.ts'
import { findPlanned } from '../plan/find-planned.ts'
import { limitIssues } from './limit-posts.ts'
import {
  channelIdsOf,
  contentOf,
  mediaIdsOf,
  partsOf,
  type Plan,
  plannedParts,
  readPlan,
} from '../plan/plan.ts'
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
  caller: Asking,
  body: Body,
  providers: Providers,
): Promise<PostCheck | Refused> {
  const checked = await checkAfter(db, caller, body, { providers, before: new Before() })
  return isRefusal(checked) ? checked : checked.check
}

/** The same of several, each as if those before it that are ready had been created. What is refused already stays so. */
export async function checkPosts(
  db: Db,
  caller: Asking,
  rows: readonly (Body | Refusal)[],
  providers: Providers,
): Promise<(PostCheck | Refusal)[]> {
  const before = new Before()
  const answers: (PostCheck | Refusal)[] = []
  for (const [index, row] of rows.entries()) {
    if (isRefusal(row)) {
      answers.push(row)
      continue
    }
    const checked = await checkAfter(db, caller, row, { providers, before })
    if (isRefusal(checked)) {
      answers.push(checked)
      continue
    }
    const { check, plan } = checked
    if (check.ready) before.add(plan, { isNew: row.postId === undefined })
    const issues = check.issues.map((issue) => ({ ...issue, pointer: `/posts/${index}${issue.pointer}` }))
    answers.push({ ...check, issues })
  }
  return answers
}

type Asking = Pick<Caller, 'workspaceId' | 'credential'>
type Options = { readonly providers: Providers; readonly before: Before }

/** What would have been created of a list by then. */
class Before {
  posts = 0
  /** By channel. */
  readonly times = new Map<string, PlannedTime[]>()
  readonly #texts = new Map<string, Repeated[]>()

  add(plan: Plan, { isNew }: { isNew: boolean }): void {
    if (isNew) this.posts += 1
    // What is no more than a draft takes no time, and repeats nothing.
    if (plan.state !== 'scheduled') return
    for (const planned of plan.destinations) {
      const { channelId, time } = planned
      if (time === null) continue
      const { at, queued } = time
      this.times.set(channelId, [...(this.times.get(channelId) ?? []), { at, queued }])
      const text = plannedParts(planned)[0]?.text ?? ''
      this.#texts.set(channelId, [...(this.#texts.get(channelId) ?? []), { channelId, text, at }])
    }
  }

  /** What says one of these texts on its channel within a day. */
  repeated(texts: readonly Repeated[]): Repeated[] {
    return texts.flatMap(({ channelId, text, at }) =>
      (this.#texts.get(channelId) ?? []).filter(
        (one) => one.text === text && Math.abs(one.at.getTime() - at.getTime()) <= DAY_MS,
      ),
    )
  }
}

const DAY_MS = 86_400_000

async function checkAfter(
  db: Db,
  caller: Asking,
  { template, ...body }: Body,
  options: Options,
): Promise<Checked> {
  if (template === undefined) return checkPlanned(db, caller, body, options)
  const filled = await fillPlan(db, caller, { ...body, template })
  if (isRefusal(filled)) return filled
  const checked = await checkPlanned(db, caller, filled.plan, options)
  if (isRefusal(checked)) return placeRefusal(checked, filled)
  const texts = plannedTexts(filled.plan)
  const { check, plan } = checked
  const destinations = check.destinations.map(({ parts, ...one }) => ({
    ...one,
    parts: parts.map((part) => ({ text: texts[part.index] ?? '', ...part })),
  }))
  const issues = check.issues.map((issue) => ({ ...issue, pointer: filled.placeOf(issue.pointer) }))
  return { check: { ...check, destinations, issues }, plan }
}

type Body = Input<typeof operation>['body']
type Refused = Refusal<'validation_failed' | 'missing_permission' | 'credential_limit'>
type Checked = { readonly check: PostCheck; readonly plan: Plan } | Refused

/** The texts of the parts that a plan without targets has. */
function plannedTexts({ text = '', ...content }: Omit<Body, 'template'>): string[] {
  return partsOf(contentOf({ text, ...content })).map((part) => part.text)
}

async function checkPlanned(
  db: Db,
  caller: Asking,
  { postId, ...body }: Omit<Body, 'template'>,
  { providers, before }: Options,
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
  const { plan, issues: unplaced } = await findSlotsOfPlan(db, workspaceId, meant, before.times)
  const media = await findMedia(db, workspaceId, mediaIds)
  const { destinations, issues: found } = checkPlan(plan, channels, providers, now, media)
  const isNew = postId === undefined
  const limited = await limitIssues(db, caller, plan, { now, before: isNew ? before.posts : null })
  const issues = [...unplaced, ...found, ...limited]
  // Pictures without words are not the same for that.
  const texts = plan.destinations.flatMap((planned) => {
    const { channelId, time } = planned
    const text = plannedParts(planned)[0]?.text ?? ''
    return isInvisible(text) ? [] : [{ channelId, text, at: time?.at ?? now }]
  })
  const repeated = await findRepeated(db, { workspaceId, exceptPostId: postId }, texts)
  const check = {
    ready: !issues.some(isError),
    destinations,
    media: mediaIds.flatMap((id) => media.get(id) ?? []).map(viewMedia),
    issues: [...issues, ...repetitionIssues(plan, [...repeated, ...before.repeated(texts)])],
  }
  return { check, plan }
}

function maySeeMedia({ credential }: Asking): boolean {
  return credential.permissions.includes('media:read')
}

function refuseMedia({ credential }: Asking) {
  const detail =
    'This credential lacks `media:read`, which the check of a plan with media needs. Use one that has it, or leave the media out.'
  return refuse('missing_permission', detail, {
    requiredPermission: 'media:read',
    grantedPermissions: credential.permissions,
  })
}
