import type { app } from '@postrider/contract'
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

type Times = Pick<app.ApprovalView, 'publishAt' | 'destinations'>

/** Whether its channels have different times, of which `publishAt` is the first. */
export function hasSeveralTimes({ destinations }: Pick<Times, 'destinations'>): boolean {
  const active = destinations.filter(({ status }) => status !== 'cancelled')
  return new Set(active.map(({ publishAt }) => publishAt)).size > 1
}

/** What an approval has done. */
export function approvedWords({ publishAt, destinations }: Times, zone: string, now = new Date()): string {
  if (isImmediate(publishAt, now)) return words.approvedNow
  const when = whenWords(publishAt, zone, now)
  return words.approvedFor(hasSeveralTimes({ destinations }) ? words.andLater(when) : when)
}
