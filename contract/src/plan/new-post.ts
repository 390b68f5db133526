import type { Input } from '../operation.ts'
import type { createPost } from '../posts.ts'
import type { PlannedMedia, PlannedPart, PlannedPost, PlannedTarget, PlannedTime } from './read-plan.ts'

type NewPost = Omit<Input<typeof createPost>['body'], 'confirmed'>

/** The id of a media item that a plan means; null where it is not uploaded yet. */
export type MediaIds = (media: PlannedMedia) => string | null

function partOf({ text, media }: PlannedPart, ids: MediaIds) {
  const mediaIds = media.flatMap((each) => ids(each) ?? [])
  return { text, ...(mediaIds.length === 0 ? {} : { mediaIds }) }
}

/** What one channel gets. */
export function contentOf({ parts, beside, ofChannel }: PlannedTarget, ids: MediaIds) {
  const [first, ...rest] = parts.map((part) => partOf(part, ids))
  return {
    ...(first ?? { text: '' }),
    ...(rest.length === 0 ? {} : { thread: rest }),
    ...beside,
    ...ofChannel,
  }
}

/** Whether all channels get the same at the same time, so that the post is one text. */
export function isShared(targets: readonly PlannedTarget[]): boolean {
  const said = ({ parts, beside }: PlannedTarget) => JSON.stringify([parts.map(fingerprint), beside])
  return targets.every(
    (each) => Object.keys(each.ofChannel).length === 0 && said(each) === said(targets[0] ?? each),
  )
}

function fingerprint({ text, media }: PlannedPart) {
  return [text, media.map(({ place: _, ...what }) => what)]
}

/** A time of a plan as the API takes it. */
export function publishAtOf(at: PlannedTime): string | { readonly queue: 'next' | 'first' } {
  return typeof at === 'number' ? new Date(at).toISOString() : { queue: at }
}

/** What creates a post, or checks it. */
export function newPost(
  { targets, ofPost }: Pick<PlannedPost, 'targets' | 'ofPost'>,
  ids: MediaIds,
): NewPost {
  const times = targets.map(({ at }) => at)
  const [first] = times
  const state = first === null || first === undefined ? 'draft' : 'scheduled'
  const isOneTime = times.every((at) => at === first)
  const timeOf = (at: PlannedTime | null) => (at === null ? {} : { publishAt: publishAtOf(at) })
  if (isShared(targets) && isOneTime && targets[0] !== undefined) {
    return {
      state,
      channelIds: targets.map(({ channelId }) => channelId),
      ...contentOf(targets[0], ids),
      ...timeOf(first ?? null),
      ...ofPost,
    }
  }
  return {
    state,
    targets: targets.map((target) => ({
      channelId: target.channelId,
      ...contentOf(target, ids),
      ...timeOf(target.at),
    })),
    ...ofPost,
  }
}
