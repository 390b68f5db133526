import type { app } from '@postrider/contract'
import { showMoment, showRelative, withMoreTimes } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { words } from './words.ts'

/** When the first of its channels publishes it, and how many other times they have. */
type When = Pick<app.ApprovalSummary, 'publishAt' | 'moreTimes'>

/** Whether it is published as soon as it is approved: it has no time, or one that is past. */
export function isImmediate(publishAt: string | null, now = new Date()): boolean {
  return publishAt === null || new Date(publishAt) <= now
}

/** When it is published once it is approved, in short. */
export function whenWords({ publishAt, moreTimes }: When, zone: string, now = new Date()): string {
  const first = isImmediate(publishAt, now)
    ? words.asSoonAsApproved
    : words.timeIn(showMoment(publishAt ?? '', zone, now), placeOf(zone))
  return withMoreTimes(first, moreTimes)
}

/** The same as a sentence. */
export function publishesWords(when: When, zone: string, now = new Date()): string {
  const { publishAt, moreTimes } = when
  if (isImmediate(publishAt, now)) return words.publishesSoon(moreTimes > 0)
  return moreTimes > 0
    ? words.publishesAll(whenWords(when, zone, now))
    : words.publishes(whenWords(when, zone, now), showRelative(publishAt ?? '', zone, now))
}

/** What an approval has done. */
export function approvedWords(when: When, zone: string, now = new Date()): string {
  return isImmediate(when.publishAt, now)
    ? words.approvedNow(when.moreTimes > 0)
    : words.approvedFor(whenWords(when, zone, now))
}
