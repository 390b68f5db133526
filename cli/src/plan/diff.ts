import { besideNames, inOneOrder } from '@postrider/contract/plan'
import type { Content, Destination, Post } from '@postrider/sdk'
import type { PlannedPart, PlannedPost, PlannedTarget, PlannedTime } from '@postrider/contract/plan'

/** A post of the plan, as the server has it. */
export type Current = { readonly generation: number; readonly post: Post }

/** What of one channel of a post changes. */
export type TimeMove = {
  readonly target: PlannedTarget
  readonly from: string | null
  readonly to: PlannedTime
}

export type Change =
  | { readonly is: 'create'; readonly id: string; readonly planned: PlannedPost; readonly generation: number }
  | {
      readonly is: 'change'
      readonly id: string
      readonly planned: PlannedPost
      readonly post: Post
      readonly edited: readonly PlannedTarget[]
      readonly moved: readonly TimeMove[]
      readonly added: readonly PlannedTarget[]
      readonly removed: readonly string[]
      /** Who changed by hand what is changed back, where that is forced. */
      readonly by: string | null
    }
  | { readonly is: 'cancel'; readonly id: string; readonly post: Post; readonly by: string | null }
  | { readonly is: 'same'; readonly id: string; readonly post: Post }
  /** It has begun, is over, or waits for a person: nothing is done about it. */
  | {
      readonly is: 'left'
      readonly id: string
      readonly post: Post | null
      readonly why: string
      readonly differs: boolean
    }
  /** Changed by hand: nothing is done about it unless that is forced. */
  | {
      readonly is: 'drift'
      readonly id: string
      readonly post: Post
      readonly by: string
      readonly fields: readonly string[]
    }

/** Whether the media of a part are those that the plan means. A function, since files are known by more than their names. */
export type SameMedia = (planned: PlannedPart, mediaIds: readonly string[], post: Post) => boolean

export type DiffOptions = { readonly force: boolean; readonly now: number; readonly sameMedia: SameMedia }

/** What is to be done so that the posts of a plan are what it says. */
export function diff(
  planned: readonly PlannedPost[],
  current: ReadonlyMap<string, Current>,
  options: DiffOptions,
): Change[] {
  const wanted = planned.map((each) => diffPost(each, current.get(each.id) ?? null, options))
  const ids = new Set(planned.map(({ id }) => id))
  const gone = [...current].flatMap(([id, { post }]) => (ids.has(id) ? [] : diffRemoved(id, post, options)))
  return [...wanted, ...gone]
}

/** Statuses of which a plan can still change something. */
const OPEN: readonly string[] = ['draft', 'scheduled']

export function isOpen({ status }: Pick<Destination, 'status'>): boolean {
  return OPEN.includes(status)
}

function diffPost(planned: PlannedPost, current: Current | null, options: DiffOptions): Change {
  const { id } = planned
  const isPast = planned.targets.some(({ at }) => typeof at === 'number' && at <= options.now)
  if (current === null) {
    return isPast
      ? { is: 'left', id, post: null, why: 'its time is past, and it was never created', differs: true }
      : { is: 'create', id, planned, generation: 1 }
  }
  const { post, generation } = current
  const alive = post.destinations.filter(({ status }) => status !== 'cancelled')
  if (alive.length === 0) {
    const by = changedBy(post, post.destinations)
    if (by !== null && !options.force) return { is: 'drift', id, post, by, fields: ['cancelled'] }
    if (isPast || planned.postId !== null)
      return { is: 'left', id, post, why: 'it was cancelled', differs: true }
    return { is: 'create', id, planned, generation: generation + 1 }
  }
  const changes = changesOf(planned, post, alive, options)
  const begun = alive.find((each) => !isOpen(each))
  const differs = changes.fields.length > 0
  if (begun !== undefined) return { is: 'left', id, post, why: `it is ${begun.status}`, differs }
  if (!differs) return { is: 'same', id, post }
  if (post.reviewStatus === 'rejected' && !options.force) {
    return { is: 'left', id, post, why: 'a person rejected it', differs }
  }
  if (changes.refused !== null) return { is: 'left', id, post, why: changes.refused, differs }
  if (changes.by !== null && !options.force)
    return { is: 'drift', id, post, by: changes.by, fields: changes.fields }
  const { edited, moved, added, removed, by } = changes
  return { is: 'change', id, planned, post, edited, moved, added, removed, by }
}

function diffRemoved(id: string, post: Post, { force }: DiffOptions): Change[] {
  const alive = post.destinations.filter(({ status }) => status !== 'cancelled')
  if (alive.length === 0) return []
  const begun = alive.find((each) => !isOpen(each))
  if (begun !== undefined)
    return [{ is: 'left', id, post, why: `it is ${begun.status}, and no longer in the plan`, differs: false }]
  const by = changedBy(post, alive) ?? editedBy(post)
  return by !== null && !force
    ? [{ is: 'drift', id, post, by, fields: ['removed from the plan'] }]
    : [{ is: 'cancel', id, post, by }]
}

function changesOf(
  planned: PlannedPost,
  post: Post,
  alive: readonly Destination[],
  { sameMedia, now }: DiffOptions,
) {
  const onServer = new Map(post.destinations.map((each) => [each.channelId, each]))
  const isAlive = (channelId: string) => alive.some((each) => each.channelId === channelId)
  const kept = planned.targets.filter(({ channelId }) => isAlive(channelId))
  const missing = planned.targets.filter(({ channelId }) => !isAlive(channelId))
  const added = missing.filter(({ channelId }) => !onServer.has(channelId))
  const cancelled = missing.filter(({ channelId }) => onServer.has(channelId))
  const removed = alive.filter((each) =>
    planned.targets.every(({ channelId }) => channelId !== each.channelId),
  )
  const edited = kept.filter(
    (target) =>
      !sameContent(target, onServer.get(target.channelId)?.content ?? post.content, post, sameMedia),
  )
  const timed = kept.filter(({ channelId, at }) => {
    const is = onServer.get(channelId)?.publishAt ?? null
    // Whatever time it has got since, it has taken its place.
    if (typeof at === 'string') return is === null
    return (at === null ? null : at) !== (is === null ? null : Date.parse(is))
  })
  const moved = timed.flatMap((target) =>
    target.at === null
      ? []
      : [{ target, to: target.at, from: onServer.get(target.channelId)?.publishAt ?? null }],
  )
  const unscheduled = timed.filter(({ at }) => at === null)
  const fields = [
    ...(edited.length > 0 ? ['content'] : []),
    ...(timed.length > 0 ? ['publishAt'] : []),
    ...(added.length + removed.length + cancelled.length > 0 ? ['channels'] : []),
  ]
  const touched = alive.filter(({ channelId }) => timed.some((each) => each.channelId === channelId))
  const ofChannels = post.destinations.filter(({ channelId }) =>
    cancelled.some((each) => each.channelId === channelId),
  )
  return {
    edited,
    moved,
    added,
    fields,
    removed: removed.map(({ channelId }) => channelId),
    by:
      (edited.length > 0 ? editedBy(post) : null) ??
      changedBy(post, [...touched, ...ofChannels, ...removed]) ??
      (edited.length > 0
        ? changedBy(
            post,
            alive.filter(({ latestChange }) => latestChange?.fields.includes('content') === true),
          )
        : null),
    refused:
      cancelled.length > 0
        ? `${cancelled.map(({ name }) => name).join(', ')} was cancelled there, which is final: give the post another ID`
        : unscheduled.length > 0
          ? 'it is scheduled, and a scheduled post does not become a draft again: cancel it, and give it another id'
          : moved.some(({ to }) => typeof to === 'number' && to <= now)
            ? 'its new time is past'
            : null,
  }
}

function sameContent(
  target: PlannedTarget,
  content: Content | null,
  post: Post,
  sameMedia: SameMedia,
): boolean {
  const parts = content === null ? [] : [content, ...(content.thread ?? [])]
  return (
    parts.length === target.parts.length &&
    besideNames.every((name) => isSameValue(content?.[name], target.beside[name])) &&
    target.parts.every((planned, index) => {
      const { text, mediaIds } = parts[index] ?? {}
      return planned.text === text && sameMedia(planned, mediaIds ?? [], post)
    })
  )
}

function isSameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(inOneOrder(a)) === JSON.stringify(inOneOrder(b))
}

type By = { readonly type: string; readonly name: string }

function isOther(by: By, { createdBy }: Post): boolean {
  return by.type !== 'service' && (by.type !== createdBy.type || by.name !== createdBy.name)
}

/** Who else than its creator changed what the post says; null for nobody. A decision about it is no change of it. */
function editedBy(post: Post): string | null {
  const { latestChange } = post
  if (latestChange === null || latestChange.fields.every((field) => field === 'reviewStatus')) return null
  return isOther(latestChange.by, post) ? `${latestChange.by.name}, ${latestChange.at}` : null
}

/** Who else than its creator changed one of these destinations; null for nobody. */
function changedBy(post: Post, destinations: readonly Destination[]): string | null {
  const change = destinations
    .map((each) => each.latestChange)
    .find((each) => each !== null && isOther(each.by, post))
  return change === undefined || change === null ? null : `${change.by.name}, ${change.at}`
}
