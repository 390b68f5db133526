import type { Destination, Post } from '@postrider/contract'
import { showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { networkName } from '../channels/network-name.ts'

/** Whether a thread of which some is live goes on by itself: its end is open as long as it has a deadline. */
export function goesOn({ status, expiresAt }: Destination): boolean {
  return status === 'partially_published' && expiresAt !== null
}

/** Where a post stands on one channel, in sentences that are true of it now. */
export function standingWords(destination: Destination, post: Post, zone: string): string {
  const at = (instant: string | null) =>
    instant === null ? 'soon' : `${showMoment(instant, zone)} in ${placeOf(zone)}`
  const { status, publishAt, publishedAt, expiresAt, checkAgainAt, displayName, provider } = destination
  const network = networkName(provider)
  switch (status) {
    case 'draft':
      return draftWords(destination, post, at)
    case 'scheduled':
      return `Will be published ${at(publishAt)}.`
    case 'publishing':
      return `Being sent to ${network}.`
    case 'published':
      return `Live on ${network} since ${at(publishedAt)}.`
    case 'partially_published':
      return partlyWords(destination, at)
    case 'failed':
      return `Not published: ${reasonOf(destination)}`
    case 'delayed':
      return `Not published yet: ${reasonOf(destination)} ${delayWords(destination, at)}`
    case 'reconnect_required':
      return `No access to ${displayName}. Reconnect by ${at(expiresAt)} to publish.`
    case 'checking':
      return `Sent, but not confirmed by ${network}. It may be live, so don’t publish it again. ${
        checkAgainAt === null ? 'Look there, then resolve it.' : `Next check ${at(checkAgainAt)}.`
      }`
    case 'cancelled':
      return 'Cancelled before publishing.'
    case 'expired':
      return `Its deadline passed. ${isPartLive(destination) ? 'Some' : 'Nothing'} of it was published, and nothing more will be sent.`
    default:
      return status satisfies never
  }
}

type Showing = (instant: string | null) => string

function draftWords({ publishAt }: Destination, { reviewStatus }: Post, at: Showing): string {
  if (reviewStatus === 'rejected') return 'Not approved. An edit asks for approval again.'
  if (reviewStatus !== 'pending') return 'Not scheduled.'
  return publishAt === null || Date.parse(publishAt) <= Date.now()
    ? 'Waiting for approval. Publishes as soon as it’s approved.'
    : `Waiting for approval. Publishes ${at(publishAt)} once approved.`
}

function partlyWords(destination: Destination, at: Showing): string {
  const { parts, checkAgainAt } = destination
  const live = parts.filter(({ status }) => status === 'published').length
  const begin = `${live} of ${parts.length} posts of the thread are live.`
  if (goesOn(destination)) return `${begin} The rest follows automatically, next attempt ${at(checkAgainAt)}.`
  return `${begin} The rest won’t be sent: ${reasonOf(destination)}`
}

/** An attempt after the deadline will not be made. */
function delayWords({ checkAgainAt, expiresAt }: Destination, at: Showing): string {
  if (checkAgainAt !== null && expiresAt !== null && Date.parse(checkAgainAt) > Date.parse(expiresAt))
    return `Its deadline ${at(expiresAt)} comes before the next attempt is possible, so it won’t be published.`
  return `Next attempt ${at(checkAgainAt)}.`
}

function reasonOf({ error, lastError }: Destination): string {
  return (error ?? lastError)?.message ?? 'No reason was recorded.'
}

function isPartLive({ parts }: Destination): boolean {
  return parts.some(({ status }) => status === 'published')
}

/** The first sentence of a post, by which people know it. */
export function titleOf({ destinations, content }: Post): string {
  const text = (destinations[0]?.parts[0]?.text ?? content?.text ?? '').trim()
  const first = /^[^\n]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text.split('\n')[0] ?? ''
  const short = first.length > TITLE_MAX ? `${first.slice(0, TITLE_MAX).trimEnd()}…` : first
  return short === '' ? 'Post without text' : short
}

const TITLE_MAX = 80
