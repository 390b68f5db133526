import type { app, Input, Post } from '@postrider/contract'
import { type ChosenTime, instantOf } from '../../lib/chosen-time.ts'
import { listNames } from '../../lib/list-names.ts'
import { showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import {
  activeOf,
  commonTime,
  contentFor,
  type Draft,
  draftOfPost,
  isSameMoment,
  rewritten,
  timeOn,
  wholeContent,
} from './draft.ts'
import { words } from './words.ts'

/** What a draft changes of a saved post; channels by their ids. */
export type Revision = {
  readonly text: readonly string[]
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Channels that get another time than they have, or their first one. */
  readonly timed: readonly string[]
  /** The times of `timed` and of `added`; what is added as a draft has none. */
  readonly times: ReadonlyMap<string, Date>
  /** Whether a time was changed to something at which nothing can be published. */
  readonly missesTime: boolean
}

export function revisionOf(post: Post, draft: Draft, zone: string, now = new Date()): Revision {
  const before = draftOfPost(post, zone)
  const added = draft.channelIds.filter((id) => !before.channelIds.includes(id))
  const active = activeOf(post).filter(({ channelId }) => draft.channelIds.includes(channelId))
  // A time that stands there as it was is the one that the post has, to the second.
  const had = activeOf(post).flatMap(({ channelId, publishAt }) => {
    const chosen = timeOn(before, channelId)
    return chosen === null || publishAt === null ? [] : [{ chosen, at: new Date(publishAt) }]
  })
  const instant = (chosen: ChosenTime) =>
    had.find((one) => isSameMoment(one.chosen, chosen))?.at ?? instantOf(chosen, zone, now)
  const wished: [id: string, at: Date | null][] = []
  for (const { channelId, publishAt, status } of active) {
    const chosen = timeOn(draft, channelId)
    if (chosen === null || isSameMoment(chosen, timeOn(before, channelId))) continue
    const at = instant(chosen)
    const isFirst = status === 'draft' && post.reviewStatus !== 'pending'
    if (isFirst || at === null || publishAt !== at.toISOString()) wished.push([channelId, at])
  }
  const timed = wished.map(([id]) => id)
  for (const id of added) {
    const chosen = timeOn(draft, id)
    const common = commonTime(post)
    if (chosen !== null) wished.push([id, instant(chosen)])
    else if (common !== null) wished.push([id, new Date(common)])
  }
  return {
    text: rewritten(before, draft),
    added,
    removed: before.channelIds.filter((id) => !draft.channelIds.includes(id)),
    timed,
    times: new Map(wished.flatMap(([id, at]) => (at === null ? [] : [[id, at] as const]))),
    missesTime: wished.some(([, at]) => at === null),
  }
}

export function changesNothing({ text, added, removed, timed }: Revision): boolean {
  return [text, added, removed, timed].every(({ length }) => length === 0)
}

type Body = Pick<Input<typeof app.revisePost>['body'], 'targets' | 'cancel'>

/** The revision as the API takes it: what changes, each under the token that was shown, and nothing else. */
export function revisionBody(post: Post, draft: Draft, revision: Revision): Body {
  const { text, added, removed, timed, times } = revision
  const tokenOf = new Map(post.destinations.map(({ channelId, controlToken }) => [channelId, controlToken]))
  const named = draft.channelIds.filter((id) => [...text, ...added, ...timed].includes(id))
  return {
    targets: named.map((channelId) => ({
      channelId,
      ...timeIn(times, channelId),
      ...(added.includes(channelId) ? {} : { controlToken: tokenOf.get(channelId) ?? '' }),
      ...(timed.includes(channelId) && !text.includes(channelId)
        ? {}
        : wholeContent(contentFor(draft, channelId))),
    })),
    cancel: removed.map((channelId) => ({ channelId, controlToken: tokenOf.get(channelId) ?? '' })),
  }
}

function timeIn(times: Revision['times'], channelId: string): { publishAt?: string } {
  const at = times.get(channelId)
  return at === undefined ? {} : { publishAt: at.toISOString() }
}

type Saying = { zone: string; nameOf: (channelId: string) => string; done: boolean }

/** What it changes, or has changed, in words. */
export function revisionWords(revision: Revision, { zone, nameOf, done }: Saying): string {
  const { text, added, removed, timed, times } = revision
  const on = (ids: readonly string[]) => listNames(ids.map(nameOf))
  const says = done ? words.revision.done : words.revision.planned
  /** Channels that get one time, together. */
  const byTime = (ids: readonly string[]) =>
    [...Map.groupBy(ids, (id) => times.get(id)?.getTime() ?? null)].map(([at, group]) => ({
      names: on(group),
      when: at === null ? null : words.timeIn(showMoment(new Date(at), zone), placeOf(zone)),
    }))
  const sentences = [
    text.length > 0 ? says.text(on(text)) : '',
    ...byTime(timed).map(({ names, when }) => says.timed(names, when ?? '')),
    ...byTime(added).map(({ names, when }) => says.added(names, when)),
    removed.length > 0 ? says.removed(on(removed)) : '',
  ]
  return sentences.filter((one) => one !== '').join(' ')
}
