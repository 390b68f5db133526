import type { app, Input, Post } from '@postrider/contract'
import { instantOf } from '../../lib/chosen-time.ts'
import { listNames } from '../../lib/list-names.ts'
import { showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import {
  activeOf,
  commonTime,
  contentFor,
  type Draft,
  draftOfPost,
  isSameTime,
  rewritten,
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
  /** The time of `timed` and of `added`; null where times stay. */
  readonly publishAt: Date | null
}

export function revisionOf(post: Post, draft: Draft, zone: string, now = new Date()): Revision {
  const before = draftOfPost(post, zone)
  const isRetimed = !isSameTime(before.time, draft.time)
  const publishAt = isRetimed ? chosenTime(draft, zone, now) : dateOrNull(commonTime(post))
  const timed = activeOf(post).filter(({ channelId, publishAt: had, status }) => {
    const isFirst = status === 'draft' && post.reviewStatus !== 'pending'
    const isOther = publishAt !== null && (isFirst || had !== publishAt.toISOString())
    return isRetimed && isOther && draft.channelIds.includes(channelId)
  })
  return {
    text: rewritten(before, draft),
    added: draft.channelIds.filter((id) => !before.channelIds.includes(id)),
    removed: before.channelIds.filter((id) => !draft.channelIds.includes(id)),
    timed: timed.map(({ channelId }) => channelId),
    publishAt,
  }
}

function chosenTime({ time }: Draft, zone: string, now: Date): Date | null {
  return time.state === 'scheduled' ? instantOf(time, zone, now) : null
}

const dateOrNull = (at: string | null) => (at === null ? null : new Date(at))

export function changesNothing({ text, added, removed, timed }: Revision): boolean {
  return [text, added, removed, timed].every(({ length }) => length === 0)
}

type Body = Pick<Input<typeof app.revisePost>['body'], 'targets' | 'cancel'>

/** The revision as the API takes it: what changes, each under the token that was shown, and nothing else. */
export function revisionBody(post: Post, draft: Draft, revision: Revision): Body {
  const { text, added, removed, timed, publishAt } = revision
  const tokenOf = new Map(post.destinations.map(({ channelId, controlToken }) => [channelId, controlToken]))
  const named = draft.channelIds.filter((id) => [...text, ...added, ...timed].includes(id))
  return {
    targets: named.map((channelId) => ({
      channelId,
      ...(added.includes(channelId) ? {} : { controlToken: tokenOf.get(channelId) ?? '' }),
      ...(timed.includes(channelId) && !text.includes(channelId)
        ? {}
        : wholeContent(contentFor(draft, channelId))),
      ...(publishAt !== null && [...added, ...timed].includes(channelId)
        ? { publishAt: publishAt.toISOString() }
        : {}),
    })),
    cancel: removed.map((channelId) => ({ channelId, controlToken: tokenOf.get(channelId) ?? '' })),
  }
}

type Saying = { zone: string; nameOf: (channelId: string) => string; done: boolean }

/** What it changes, or has changed, in words. */
export function revisionWords(revision: Revision, { zone, nameOf, done }: Saying): string {
  const { text, added, removed, timed, publishAt } = revision
  const on = (ids: readonly string[]) => listNames(ids.map(nameOf))
  const when = publishAt === null ? null : words.timeIn(showMoment(publishAt, zone), placeOf(zone))
  const says = done ? words.revision.done : words.revision.planned
  const sentences = [
    text.length > 0 ? says.text(on(text)) : '',
    timed.length > 0 ? says.timed(on(timed), when ?? '') : '',
    added.length > 0 ? says.added(on(added), when) : '',
    removed.length > 0 ? says.removed(on(removed)) : '',
  ]
  return sentences.filter((one) => one !== '').join(' ')
}
