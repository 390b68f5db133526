import type { Destination, Post } from '@postrider/contract'
import { showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { networkName } from '../channels/network-name.ts'
import { sentence } from '../../terms/problem-words.ts'
import { words } from './words.ts'

/** Whether a thread of which some is live goes on by itself: its end is open as long as it has a deadline. */
export function goesOn({ status, expiresAt }: Destination): boolean {
  return status === 'partially_published' && expiresAt !== null
}

/** Where a post stands on one channel, in sentences that are true of it now. */
export function standingWords(destination: Destination, post: Post, zone: string): string {
  const at = (instant: string | null) =>
    instant === null ? words.soon : words.timeIn(showMoment(instant, zone), placeOf(zone))
  const { status, publishAt, publishedAt, expiresAt, checkAgainAt, displayName, provider } = destination
  const network = networkName(provider)
  switch (status) {
    case 'draft':
      return draftWords(destination, post, at)
    case 'scheduled':
      return words.willBePublished(at(publishAt))
    case 'publishing':
      return words.beingSentTo(network)
    case 'published':
      return words.liveSince(network, at(publishedAt))
    case 'partially_published':
      return partlyWords(destination, at)
    case 'failed':
      return words.notPublished(reasonOf(destination))
    case 'delayed':
      // What delayed it is over, and `waitReason` says what it waits for.
      if (destination.error === null) return words.notYet
      return words.notPublishedYet(reasonOf(destination), delayWords(destination, at))
    case 'reconnect_required':
      return words.noAccess(displayName, at(expiresAt))
    case 'checking':
      return words.unconfirmed(
        network,
        checkAgainAt === null ? words.lookThere : words.nextCheckAt(at(checkAgainAt)),
      )
    case 'cancelled':
      return words.cancelledBefore
    case 'expired':
      return isPartLive(destination) ? words.expiredPart : words.expiredNone
    default:
      return status satisfies never
  }
}

type Showing = (instant: string | null) => string

function draftWords({ publishAt }: Destination, { reviewStatus }: Post, at: Showing): string {
  if (reviewStatus === 'rejected') return words.notApproved
  if (reviewStatus !== 'pending') return words.notScheduled
  return publishAt === null || Date.parse(publishAt) <= Date.now()
    ? words.waitsNow
    : words.waitsFor(at(publishAt))
}

function partlyWords(destination: Destination, at: Showing): string {
  const { parts, checkAgainAt } = destination
  const live = parts.filter(({ status }) => status === 'published').length
  const begin = words.partsLive(live, parts.length)
  if (goesOn(destination)) return words.restFollows(begin, at(checkAgainAt))
  return words.restNotSent(begin, reasonOf(destination))
}

/** An attempt after the deadline will not be made. */
function delayWords({ checkAgainAt, expiresAt }: Destination, at: Showing): string {
  if (checkAgainAt !== null && expiresAt !== null && Date.parse(checkAgainAt) > Date.parse(expiresAt))
    return words.deadlineFirst(at(expiresAt))
  return words.nextAttemptAt(at(checkAgainAt))
}

function reasonOf({ error, lastError }: Destination): string {
  return sentence((error ?? lastError)?.message ?? words.noReason)
}

function isPartLive({ parts }: Destination): boolean {
  return parts.some(({ status }) => status === 'published')
}

/** The first sentence of a post, by which people know it. */
export function titleOf({ destinations, content }: Post): string {
  const text = (destinations[0]?.parts[0]?.text ?? content?.text ?? '').trim()
  const first = /^[^\n]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text.split('\n')[0] ?? ''
  const short = first.length > TITLE_MAX ? `${first.slice(0, TITLE_MAX).trimEnd()}…` : first
  return short === '' ? words.noText : short
}

const TITLE_MAX = 80
