import type { Answer, Content, createPost as operation, Input, RefusalCode } from '@postrider/contract'
import { APPROVAL_DAYS, approvalRequested, approvedFields } from '../../approvals/approval.ts'
import type { FirstApproval } from '../../approvals/approval-store.ts'
import type { FoundChannels } from '../../../networks/channels/channel-store.ts'
import {
  type DestinationRow,
  type NewDestination,
  type PartRow,
  type PlannedTime,
  signalDue,
} from '../../../engine/destinations/destination-store.ts'
import { newToken } from '../../../engine/destinations/tokens.ts'
import { findMediaToCarry, type MediaRow } from '../../../media/media-store.ts'
import type { Change, PostChange } from '../../../engine/outbox/envelope.ts'
import { announceAtCommit } from '../../../engine/outbox/outbox-store.ts'
import { type Actor, actorOf } from '../../../edge/operations/actor.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { traceCreation } from '../../../platform/process/tracing.ts'
import { uuidv7 } from '../../../platform/text/uuid.ts'
import { isRefusal, refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { Caller } from '../../../edge/operations/route.ts'
import { fillPlan } from '../../templates/fill-plan.ts'
import { checkPlan, isError } from './plan-issues.ts'
import { findToCreate } from '../plan/find-planned.ts'
import { fold } from '../edit/fold.ts'
import { countCreate, refuseCreate } from './limit-posts.ts'
import {
  type ContentPart,
  mediaIdsOf,
  type Plan,
  plannedParts,
  readPlan,
  timesOfPlan,
  withoutChannels,
} from '../plan/plan.ts'
import { type ManyCreates, withoutSlots } from '../many-creates.ts'
import { findVisiblePost } from '../read-post.ts'
import { placeRefusal, refuseIssues, refuseShape } from '../plan/refuse-plan.ts'
import { claimReference, insertPost, type NewPost, type WholePost } from '../post-store.ts'
import { waitsForApproval } from './wait-for-approval.ts'
import { withTags } from './tagged-parts.ts'
import { lockSlotsOfPlan, takeSlotsOfPlan } from '../slots/take-slots.ts'
import { type ViewOptions, viewPost } from '../views.ts'

/**
 * Creates a post with one destination per channel. `scheduled` ones are announced and will be published at their
 * time; those of an `immediate` post, and of one that a policy has wait, stay drafts until a person has approved what is
 * asked for here. It is written with the commit, and answered as it was written: nothing is read again. `isReferenceFree`: no post had
 * the reference a moment ago, which the database holds where one gets it meanwhile.
 */
export async function createPost(
  tx: Tx,
  caller: Pick<Caller, 'workspaceId' | 'credential'>,
  { template, ...body }: Body,
  options: CreateOptions,
): Promise<Created> {
  if (template === undefined) return createPlanned(tx, caller, body, options)
  const filled = await fillPlan(tx, caller, { ...body, template })
  if (isRefusal(filled)) return filled
  const post = await createPlanned(tx, caller, filled.plan, options)
  return isRefusal(post) ? placeRefusal(post, filled) : post
}

type Body = Input<typeof operation>['body']
type CreateOptions = ViewOptions & {
  readonly isReferenceFree?: true
  readonly seriesId?: string | null
  /** Channels, or groups without one, that the plan names and the post is not to have, unless it has no others. */
  readonly leaveOut?: readonly string[]
  /** Where it is one of many: they are announced, and have their posting times, once all of these have been claimed. */
  readonly among?: ManyCreates
}
type Created = Answer<typeof operation> | Refusal<RefusalCode<typeof operation>>

async function createPlanned(
  tx: Tx,
  caller: Pick<Caller, 'workspaceId' | 'credential'>,
  body: Omit<Body, 'template'>,
  { seriesId = null, leaveOut = [], among, ...options }: CreateOptions,
): Promise<Created> {
  const read = readPlan(body)
  if ('errors' in read) return refuseShape(read.errors)
  const { workspaceId } = caller
  const locksFirst = among === undefined && read.plan.destinations.length === 1
  const [taken, postsToday, { plan: named, found }, media, slots] = await Promise.all([
    options.isReferenceFree ? null : claimReference(tx, workspaceId, body.reference),
    among === undefined ? countCreate(tx, caller) : among.postsToday(),
    findToCreate(tx, workspaceId, read.plan),
    findMediaToCarry(tx, workspaceId, mediaIdsOf(read.plan)),
    locksFirst ? lockSlotsOfPlan(tx, workspaceId, read.plan) : null,
  ])
  if (taken !== null) {
    const visible = await findVisiblePost(tx, { workspaceId, postId: taken.postId }, caller.credential)
    return refuseReference(body.reference, visible)
  }
  const { now, channels } = found
  const meant = withoutChannels(named, leaveOut)
  // Several are locked together, in one order, once it is known which channels groups among them have.
  const lockNow = () =>
    meant === read.plan && slots !== null ? slots : lockSlotsOfPlan(tx, workspaceId, meant)
  const { plan: placed, issues: unplaced } =
    among === undefined
      ? await takeSlotsOfPlan(tx, workspaceId, meant, await lockNow())
      : await among.place(meant)
  const plan = withTags(placed, found)
  const beyond = refuseCreate(caller, plan, { now, postsToday })
  if (beyond !== null) return beyond
  const { issues: unfit } = checkPlan(plan, channels, options.providers, now, media)
  const issues = [...unplaced, ...unfit]
  if (issues.some(isError)) return refuseIssues(issues)

  const author = actorOf(caller)
  const publication = { times: timesOfPlan(plan).map(({ at }) => at), isNew: true }
  const waits =
    plan.state === 'immediate' || (await waitsForApproval(tx, workspaceId, author, publication, now))
  const approval = waits ? newApproval(plan, now) : null
  const post = newPost(
    plan,
    found,
    { workspaceId, reference: body.reference ?? null, labels: plan.labels ?? [], seriesId },
    author,
    approval,
  )
  const changes = post.destinations.map((destination) => firstChange(post, destination))
  traceCreation(post.postId)
  insertPost(tx, among === undefined ? post : withoutSlots(post))
  announceAtCommit(tx, firstPostChanges(post, options))
  if (among === undefined) {
    announceAtCommit(tx, changes)
    signalDue(tx, changes)
  } else among.add({ post, plan, changes })
  return viewPost(newlyCreated(post, found, media), author, options)
}

/** Which post has the reference is said only to who sees that post. */
function refuseReference(
  reference: string | undefined,
  post: Pick<WholePost, 'postId'> | null,
): Refusal<'already_exists'> {
  return refuse(
    'already_exists',
    post === null
      ? `The reference \`${reference}\` belongs to another post. Choose another reference.`
      : `The reference \`${reference}\` belongs to the post ${post.postId}. Change that post, or choose another reference.`,
  )
}

type Planned = Plan['destinations'][number]

/** A destination that begins: with its time, or as a draft. */
export function newDestination(
  planned: Pick<Planned, 'channelId' | 'content' | 'settings' | 'parts'>,
  { allowedMs, channels }: FoundChannels,
  {
    own,
    time,
    isScheduled,
    seriesId,
  }: { own: Content | null; time: PlannedTime | null; isScheduled: boolean; seriesId: string | null },
): NewDestination {
  const { channelId, settings } = planned
  const publishAt = time?.at ?? null
  return {
    destinationId: uuidv7(),
    channelId,
    provider: channels.get(channelId)?.provider ?? '',
    status: isScheduled ? 'scheduled' : 'draft',
    controlToken: newToken(),
    content: own,
    settings,
    publishAt,
    queued: time?.queued ?? false,
    expiresAt: isScheduled && publishAt !== null ? new Date(publishAt.getTime() + allowedMs) : null,
    seriesId,
    parts: newParts(plannedParts(planned)),
  }
}

function newPost(
  plan: Plan,
  found: FoundChannels,
  { seriesId, ...named }: Pick<NewPost, 'workspaceId' | 'reference' | 'labels'> & { seriesId: string | null },
  { type, name, credentialId }: Actor,
  approval: FirstApproval | null,
): NewPost {
  const isScheduled = plan.state === 'scheduled' && approval === null
  const destinations = plan.destinations.map((planned) =>
    newDestination(planned, found, {
      time: planned.time,
      isScheduled,
      seriesId,
      own: plan.shared === null ? planned.content : null,
    }),
  )
  return {
    ...named,
    postId: uuidv7(),
    content: plan.shared,
    editToken: newToken(),
    createdBy: { type, id: credentialId, name },
    createdById: credentialId,
    createdAt: found.now,
    destinations,
    approval,
  }
}

/** A post that nothing has happened to yet, as `findPost` will read it. */
function newlyCreated(
  { approval, ...post }: NewPost,
  { now, channels }: FoundChannels,
  media: ReadonlyMap<string, MediaRow>,
): WholePost {
  return {
    ...post,
    updatedAt: post.createdAt,
    approval: approval === null ? null : { ...approval, status: 'pending', decidedAt: null, note: null },
    destinations: post.destinations.map((row) => newlyPlaced(row, channels)),
    media,
    latestChange: null,
    now,
  }
}

function newlyPlaced(row: NewDestination, channels: FoundChannels['channels']): DestinationRow {
  const channel = channels.get(row.channelId)
  if (channel === undefined) throw new Error('a destination has passed its check without a channel')
  return {
    ...row,
    channel,
    publishAt: row.publishAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    publishedAt: null,
    releaseUrl: null,
    checkAgainAt: null,
    error: null,
    lastError: null,
    doubt: false,
    restWaits: false,
    waitsFor: null,
    ahead: 0,
    latestChange: null,
    parts: newPartRows(row.parts),
  }
}

/** Parts of which nothing has been sent yet, as they will be read. */
export function newPartRows(parts: NewDestination['parts']): PartRow[] {
  return parts.map(({ text, mediaIds, firstComment }, index) => ({
    index,
    firstComment,
    status: 'pending',
    text,
    mediaIds,
    publishedAt: null,
    releaseUrl: null,
  }))
}

/** What is announced of a destination that begins. */
export function firstChange(
  { workspaceId, postId, createdAt }: Pick<NewPost, 'workspaceId' | 'postId' | 'createdAt'>,
  row: NewDestination,
): Change {
  const { destinationId, channelId, provider, status, publishAt } = row
  return {
    workspaceId,
    postId,
    destinationId,
    channelId,
    provider,
    status,
    publishAt,
    at: createdAt,
    releaseUrl: null,
    checkAgainAt: null,
    error: null,
  }
}

/** What is announced of a post that begins, where no destination of it is announced. */
function firstPostChanges(
  { workspaceId, postId, createdAt, createdBy, destinations, approval }: NewPost,
  { baseUrl }: ViewOptions,
): PostChange[] {
  if (destinations.some(({ status }) => status !== 'draft')) return []
  const channelIds = destinations.map(({ channelId }) => channelId)
  const common = { workspaceId, postId, channelIds, by: createdBy, at: createdAt }
  const created: PostChange = { ...common, type: 'post.created' }
  return approval === null ? [created] : [created, approvalRequested(common, approval, baseUrl)]
}

function newApproval(plan: Plan, now: Date): FirstApproval {
  const reviewed = plan.destinations.map((planned) => ({
    channelId: planned.channelId,
    settings: planned.settings,
    parts: plannedParts(planned).map(({ text }) => text),
    media: plannedParts(planned).map(({ mediaIds }) => mediaIds),
    firstComment: planned.content.firstComment !== undefined,
    fields: approvedFields(planned.content),
  }))
  const expiresAt = new Date(now.getTime() + APPROVAL_DAYS * DAY_MS)
  return { approvalId: uuidv7(), reviewed, requestedAt: now, expiresAt }
}

const DAY_MS = 86_400_000

/** The parts of a content as they are stored. */
export function newParts(parts: readonly ContentPart[]): NewDestination['parts'] {
  return parts.map(({ text, mediaIds, firstComment }) => ({
    text,
    mediaIds,
    firstComment,
    folded: fold(text),
  }))
}
