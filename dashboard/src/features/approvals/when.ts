import { showMoment, showRelative } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { words } from './words.ts'

/** Whether it is published as soon as it is approved: it has no time, or one that is past. */
export function isImmediate(publishAt: string | null, now = new Date()): boolean {
  return publishAt === null || new Date(publishAt) <= now
}

/** When it is published once it is approved, in short. */
export function whenWords(publishAt: string | null, zone: string, now = new Date()): string {
  return isImmediate(publishAt, now)
    ? words.asSoonAsApproved
    : words.timeIn(showMoment(publishAt ?? '', zone, now), placeOf(zone))
}

/** The same as a sentence. */
export function publishesWords(publishAt: string | null, zone: string, now = new Date()): string {
  return isImmediate(publishAt, now)
    ? words.publishesSoon
    : words.publishes(whenWords(publishAt, zone, now), showRelative(publishAt ?? '', now.getTime()))
}

/** What an approval has done. */
export function approvedWords(publishAt: string | null, zone: string, now = new Date()): string {
  return isImmediate(publishAt, now) ? words.approvedNow : words.approvedFor(whenWords(publishAt, zone, now))
}
