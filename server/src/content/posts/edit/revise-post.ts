import type { Answer, app, Content, Input, RefusalCode } from '@postrider/contract'
import { findChannels, type FoundChannels } from '../../../networks/channels/channel-store.ts'
import { isActive } from '../../../engine/destinations/destination-commands.ts'
import {
  addDestinations,
  cancelOfPost,
  type DestinationRow,
  lockInQueue,
  type PlannedTime,
  proposeTime,
  setTime,
  signalDue,
  withdraw,
} from '../../../engine/destinations/destination-store.ts'
import { findMediaToCarry } from '../../../media/media-store.ts'
import type { Actor } from '../../../edge/operations/actor.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { Change } from '../../../engine/outbox/envelope.ts'
import { announce } from '../../../engine/outbox/outbox-store.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type ContentEdit, contentFor, editDetails, isSame, merge, NOTHING } from './content-edit.ts'
import { firstChange, newDestination } from '../create/create-post.ts'
import { refuseByState, reviewOf } from './edit-post.ts'
import { activeOf, refuseChange } from '../create/limit-posts.ts'
import { contentOf, type ContentPart, type Plan, type PlannedDestination } from '../plan/plan.ts'
import { checkPlan, timeIssues } from '../create/plan-issues.ts'
import type { WholePost } from '../post-store.ts'
import { type FieldError, readPublishAt } from '../plan/publish-time.ts'
import { lockWholePost, type PostKey, readChanged, refusePostId, standingOf } from '../read-post.ts'
import { refuseContent, refuseShape, refuseTime } from '../plan/refuse-plan.ts'
import { refuseStale } from '../command/refuse-stale.ts'
import { rewriteSearch } from '../search-store.ts'
import { editWithTags, taggedParts, type Tagging } from '../create/tagged-parts.ts'
import { takeSlots } from '../slots/take-slots.ts'
import type { ViewOptions } from '../views.ts'
import { waitsForApproval } from '../create/wait-for-approval.ts'
import { askAgain, editedPost, writeEdit } from './write-content.ts'

type Operation = typeof app.revisePost
type Target = Input<Operation>['body']['targets'][number]

/** What is to become of a post. A channel that is cancelled is named with its token where the caller looked at each. */
export type Revision = {
  readonly editToken: string
  readonly targets: readonly Target[]
  readonly cancel?: readonly { readonly channelId: string; readonly controlToken?: string }[]
  /** Where its channels stand in the request. */
  readonly at?: { readonly targets: string; readonly cancel: (place: number) => string }
}

const IN_REVISION = { targets: '/targets', cancel: (place: number) => `/cancel/${place}/channelId` }
type Result<T> = T | Refusal<RefusalCode<Operation>>

/** What becomes of one channel of the post. */
type Place = {
  readonly channelId: string
  /** Null for a channel that is added. */
  readonly row: DestinationRow | null
  readonly content: Content
  readonly settings: DestinationRow['settings']
  /** What is published, with link tags. */
  readonly parts?: readonly ContentPart[]
  /** The time that it is given; null where it keeps the one that it has. */
  readonly time: PlannedTime | null
  readonly pointer: string
  /** Whether the request names it, other than to cancel it. */
  readonly isNamed: boolean
}

/**
 * Changes content, times and channels of a post that has not begun to publish, all of it or nothing. What was read by the
 * caller is compared under the locks: the post by its edit token, each channel that is named by its control token. The locks are
 * taken post first, then destinations, as in an edit. A post that a person decided about, or was asked to, is theirs to see again.
 */
export async function revisePost(
  tx: Tx,
  key: PostKey,
  body: Revision,
  actor: Actor,
  options: ViewOptions,
): Promise<Result<Answer<Operation>>> {
  const { workspaceId } = key
  const dropped = body.cancel ?? []
  const [post, found, media] = await Promise.all([
    lockWholePost(tx, key, actor),
    findChannels(
      tx,
      workspaceId,
      body.targets.map(({ channelId }) => channelId),
    ),
    findMediaToCarry(tx, workspaceId, [...new Set(body.targets.flatMap(namedMediaIds))]),
  ])
  if (post === null) return refusePostId()
  const refusal =
    refuseLimits(post, body, actor) ??
    refuseByState(post) ??
    refuseOver(post) ??
    (post.editToken === body.editToken ? null : refuseStale('stale_edit_token', post, standingOf(post))) ??
    refuseNames(post, body)
  if (refusal !== null) return refusal

  const leaving = rowsOf(post, dropped)
  const read = readPlaces(post, body, leaving)
  if ('refused' in read) return read
  const untagged = await placeInQueue(tx, workspaceId, read)
  if ('refused' in untagged) return untagged
  const late = refuseTimes(untagged, found.now, actor)
  if (late !== null) return late
  const edit = editWithTags(post, editOf(post, untagged, leaving), found)
  const places = untagged.map((place) => ({
    ...place,
    parts: partsOfPlace(place, edit, { ...found, labels: post.labels }),
  }))
  const plan = planOf(places, body.targets.length)
  const known = new Map([...post.media, ...media])
  const unfit = refuseContent(checkPlan(plan, found.channels, options.providers, found.now, known).issues)
  if (unfit !== null) return unfit

  const asks = await asksAgain(tx, { workspaceId, post, now: found.now }, places, actor)
  const after = editedPost(
    post,
    edit,
    { now: found.now, media },
    {
      actor,
      askAgain: asks,
      channels: leaving.length > 0 || places.some(({ row }) => row === null),
      times: retimed(places).length > 0,
    },
  )
  options.say?.(editDetails(post, edit))
  const channelIds = places.map(({ channelId }) => channelId)
  if (places.some(({ row }) => row === null)) await lockInQueue(tx, workspaceId, channelIds)
  await writeEdit(tx, workspaceId, { before: post, after, edit }, actor)
  const cancelled = await cancelOfPost(
    tx,
    key,
    leaving.map(({ destinationId }) => destinationId),
    actor,
  )
  const added = await add(
    tx,
    { key, found, edit, asks, seriesId: post.destinations[0]?.seriesId ?? null },
    places,
    actor,
  )
  const moved = asks ? await propose(tx, key, places, actor) : await move(tx, key, places, actor)
  await announce(tx, [...cancelled, ...added, ...moved])
  if (asks) await askAgain(tx, key, { by: actor, baseUrl: options.baseUrl })
  return readChanged(tx, key, actor, options)
}

/** What the limits of a credential have against it. A channel that is added is judged as one of the post. */
function refuseLimits(
  post: WholePost,
  { targets }: Revision,
  actor: Actor,
): Refusal<'credential_limit'> | null {
  const added = targets.map(({ channelId }) => ({ channelId, status: 'draft' as const }))
  const gives = targets.some(({ publishAt }) => publishAt !== undefined)
  return refuseChange(actor, [...activeOf(post, null), ...added], { gives, now: post.now })
}

/** Whether a time is none to publish at, or further away than the credential may plan. */
function refuseTimes(
  places: readonly Place[],
  now: Date,
  actor: Actor,
): Refusal<'credential_limit' | 'post_not_publishable' | 'publish_time_in_past'> | null {
  const times = places.flatMap(({ time }) => time?.at ?? [])
  for (const publishAt of times) {
    const beyond = refuseChange(actor, [], { gives: true, publishAt, now })
    if (beyond !== null) return beyond
  }
  const [late] = times.flatMap((time) => timeIssues(time, now))
  return late === undefined ? null : refuseTime(late)
}

/** Whether a person has to see what is new: where the post needed one, and where a policy says so. */
async function asksAgain(
  tx: Tx,
  { workspaceId, post, now }: { workspaceId: string; post: WholePost; now: Date },
  places: readonly Place[],
  actor: Actor,
): Promise<boolean> {
  const changed = places.filter(({ isNamed }) => isNamed)
  if (changed.length === 0) return false
  if (reviewOf(post) !== 'not_required') return true
  const times = changed.map(({ time, row }) => time?.at ?? row?.publishAt ?? null)
  return waitsForApproval(tx, workspaceId, actor, { times, isNew: true }, now)
}

function namedMediaIds({ mediaIds = [], thread = [] }: Target): string[] {
  return [...mediaIds, ...thread.flatMap((part) => part.mediaIds ?? [])]
}

function refuseOver({ destinations }: WholePost): Refusal<'invalid_state'> | null {
  if (destinations.some(({ status }) => isActive(status))) return null
  const detail = 'The post is finished on every channel. Create a new post instead.'
  const currentStatus = destinations[0]?.status ?? 'cancelled'
  return refuse('invalid_state', detail, { currentStatus, allowedStatuses: ['draft', 'scheduled'] })
}

/** The destinations that are named, of those that are not over. */
function rowsOf({ destinations }: WholePost, named: readonly { channelId: string }[]): DestinationRow[] {
  const ids = new Set(named.map(({ channelId }) => channelId))
  return destinations.filter(({ channelId, status }) => isActive(status) && ids.has(channelId))
}

/** Whether each channel is named once, as it is: with its token where the post has it, and without where it has not. */
function refuseNames(
  post: WholePost,
  { targets, cancel: dropped = [], at = IN_REVISION }: Revision,
): Refusal<'validation_failed' | 'channel_unavailable' | 'stale_control_token'> | null {
  const named = [
    ...targets.map(({ channelId, controlToken }, place) => ({
      channelId,
      controlToken,
      isAdded: controlToken === undefined,
      pointer: `${at.targets}/${place}/channelId`,
    })),
    ...dropped.map((one, place) => ({ ...one, isAdded: false, pointer: at.cancel(place) })),
  ]
  const twice = named.find((one, place) =>
    named.slice(0, place).some(({ channelId }) => channelId === one.channelId),
  )
  if (twice !== undefined) {
    return refuseShape([fault(twice.pointer, 'duplicate', 'The channel is listed twice.')])
  }
  for (const { channelId, controlToken, isAdded, pointer } of named) {
    const row = post.destinations.find((one) => one.channelId === channelId)
    const isThere = row !== undefined && isActive(row.status)
    if (isAdded ? row !== undefined : !isThere) {
      const detail = isThere
        ? 'The post already has this channel. Read it again.'
        : 'The post is finished on this channel, or never had it. Create a new post for it.'
      const errors = [{ pointer, code: 'channel_not_in_post', detail }]
      return refuse('channel_unavailable', detail, { errors })
    }
    if (controlToken !== undefined && row !== undefined && row.controlToken !== controlToken)
      return refuseStale('stale_control_token', post, row)
  }
  return null
}

/** What becomes of every channel that stays or comes. */
function readPlaces(
  post: WholePost,
  { targets, at = IN_REVISION }: Revision,
  leaving: readonly DestinationRow[],
): WishingPlace[] | Refusal<'validation_failed'> {
  const errors: FieldError[] = []
  const named = targets.map((target, place): WishingPlace => {
    const { channelId, settings, publishAt, text } = target
    const pointer = `${at.targets}/${place}`
    const row = rowsOf(post, [target])[0] ?? null
    const time = publishAt === undefined ? null : readPublishAt(publishAt)
    if (time !== null && 'error' in time) errors.push({ ...time.error, pointer: `${pointer}/publishAt` })
    const shared = row === null ? post.content : null
    if (row === null && text === undefined && shared === null)
      errors.push(
        fault(`${pointer}/text`, 'required', '`text` is missing: a channel that is added needs it.'),
      )
    const content =
      row === null ? merge(shared ?? NOTHING, target) : merge(contentFor(row, post.content), target)
    return {
      channelId,
      row,
      content,
      pointer,
      isNamed: true,
      settings: settings ?? row?.settings ?? {},
      time: time instanceof Date ? { at: time, queued: false } : null,
      queueRequest:
        time !== null && 'queue' in time ? { ...time, pointer: `${pointer}/publishAt/queue` } : null,
    }
  })
  const ids = new Set([...named, ...leaving].map(({ channelId }) => channelId))
  const others = activeOf(post, null).filter(({ channelId }) => !ids.has(channelId))
  const kept = others.map((row): WishingPlace => ({
    channelId: row.channelId,
    row,
    content: contentFor(row, post.content),
    settings: row.settings,
    time: null,
    queueRequest: null,
    pointer: at.targets,
    isNamed: false,
  }))
  if (named.length + kept.length === 0)
    errors.push(fault(at.targets, 'required', 'A post needs a channel. To remove them all, cancel the post.'))
  return errors.length > 0 ? refuseShape(errors) : [...named, ...kept]
}

/** A place that may wish for a posting time. */
type WishingPlace = Place & { readonly queueRequest: PlannedDestination['queueRequest'] }

/** The places with the posting times that they wished for. */
async function placeInQueue(
  tx: Tx,
  workspaceId: string,
  places: readonly WishingPlace[],
): Promise<Place[] | Refusal<'post_not_publishable' | 'publish_time_in_past'>> {
  const wishing = places.flatMap(({ channelId, row, queueRequest }) =>
    queueRequest === null
      ? []
      : [{ channelId, queueRequest, ...(row === null ? {} : { destinationId: row.destinationId }) }],
  )
  const times = await takeSlots(tx, workspaceId, wishing)
  const unplaced = times.find((time) => 'code' in time)
  if (unplaced !== undefined) return refuseTime(unplaced)
  const given = new Map(wishing.map(({ queueRequest }, index) => [queueRequest, times[index]]))
  return places.map(({ queueRequest, ...place }) => {
    const time = queueRequest === null ? undefined : given.get(queueRequest)
    return time === undefined || 'code' in time ? place : { ...place, time }
  })
}

function fault(pointer: string, code: string, detail: string): FieldError {
  return { pointer, code, detail }
}

/** What is named, as the plan that it amounts to. */
function planOf(places: readonly Place[], named: number): Plan {
  const destinations = places
    .slice(0, named)
    .map(({ channelId, content, settings, pointer, parts = [] }) => ({
      channelId,
      content,
      parts,
      settings,
      time: null,
      queueRequest: null,
      pointers: { channel: `${pointer}/channelId`, content: pointer },
    }))
  return { state: 'draft', shared: null, destinations }
}

/** What a channel that stays, or is added, publishes. */
function partsOfPlace({ row, content, channelId }: Place, edit: ContentEdit, tagging: Tagging) {
  const edited = edit.destinations.find(({ destination }) => destination === row)
  return edited?.parts ?? taggedParts(content, channelId, tagging)
}

/**
 * What most channels get is what they share; of several, what they shared before, and where no two are alike, nothing else. What
 * leaves keeps what it had.
 */
function editOf(post: WholePost, places: readonly Place[], leaving: readonly DestinationRow[]): ContentEdit {
  const before = post.content === null ? null : contentOf(post.content)
  const contents = [...(before === null ? [] : [before]), ...places.map(({ content }) => content)]
  const counted = contents.map((content) => ({
    content,
    count: places.filter((place) => isSame(place.content, content)).length,
  }))
  const [most] = counted.toSorted((a, b) => b.count - a.count)
  const isAlone = most?.count === 1 && places.length > 1 && most.content !== before
  const shared = most === undefined || isAlone ? null : most.content
  const left = leaving.map((row) => {
    const content = contentFor(row, post.content)
    return { row, content, settings: row.settings, pointer: '/cancel' }
  })
  return {
    shared,
    destinations: [...places, ...left].flatMap(({ row, content, settings, pointer }) =>
      row === null
        ? []
        : [
            {
              destination: row,
              content,
              settings,
              own: ownOf(content, shared),
              pointers: { channel: `${pointer}/channelId`, content: pointer },
            },
          ],
    ),
  }
}

function ownOf(content: Content, shared: Content | null): Content | null {
  return shared !== null && isSame(content, shared) ? null : content
}

type Adding = {
  key: PostKey
  found: FoundChannels
  edit: ContentEdit
  asks: boolean
  seriesId: string | null
}

/** Adds the channels that are new, with their time unless a person has to see it first. */
async function add(
  tx: Tx,
  { key, found, edit, asks, seriesId }: Adding,
  places: readonly Place[],
  { credentialId }: Actor,
): Promise<Change[]> {
  const rows = places
    .filter(({ row }) => row === null)
    .map((place) =>
      newDestination(place, found, {
        own: ownOf(place.content, edit.shared),
        time: place.time,
        isScheduled: place.time !== null && !asks,
        seriesId,
      }),
    )
  if (rows.length === 0) return []
  await Promise.all([
    addDestinations(tx, { ...key, createdById: credentialId }, rows),
    rewriteSearch(tx, key),
  ])
  const changes = rows.map((row) => firstChange({ ...key, createdAt: found.now }, row))
  signalDue(tx, changes)
  return changes
}

/** The places that are given another time than they have, in one order for all. */
function retimed(places: readonly Place[]): { row: DestinationRow; time: PlannedTime }[] {
  return places
    .flatMap(({ row, time }) => (row === null || time === null ? [] : [{ row, time }]))
    .filter(
      ({ row, time: { at, queued } }) =>
        row.status === 'draft' ||
        row.publishAt === null ||
        Date.parse(row.publishAt) !== at.getTime() ||
        (queued && !row.queued),
    )
    .toSorted((a, b) => (a.row.channelId < b.row.channelId ? -1 : 1))
}

/** Gives drafts their first time, and others another one. */
async function move(tx: Tx, key: PostKey, places: readonly Place[], actor: Actor): Promise<Change[]> {
  const changes: Change[] = []
  for (const { row, time } of retimed(places)) {
    const { channelId, controlToken } = row
    const verb = row.status === 'draft' ? 'schedule' : 'reschedule'
    changes.push(...(await setTime(tx, verb, { ...key, channelId, controlToken }, time, actor)))
  }
  return changes
}

/** Makes drafts of all, with the times that a person is asked about. */
async function propose(tx: Tx, key: PostKey, places: readonly Place[], actor: Actor): Promise<Change[]> {
  for (const { row, time } of retimed(places)) {
    const { destinationId, status } = row
    if (status === 'draft')
      await proposeTime(tx, { workspaceId: key.workspaceId, destinationId }, time, actor)
    else await withdraw(tx, key, [destinationId], actor, time)
  }
  // Those that keep their time. What is a draft by now stays as it is.
  const ids = places.flatMap(({ row }) => (row === null ? [] : [row.destinationId]))
  await withdraw(tx, key, ids, actor)
  return []
}
