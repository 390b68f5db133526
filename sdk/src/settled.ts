import type { Destination, Post } from './api.ts'

/**
 * Whether nothing more becomes of a post by itself: each channel is published, failed, cancelled, expired, partly out for
 * good, waits for its owner (`reconnect_required`), is in doubt (`checking`), or is a draft that no one is asked about.
 */
export function isSettled(post: Post): boolean {
  return post.destinations.every((destination) => isOver(destination, post))
}

function isOver({ status, expiresAt }: Destination, { reviewStatus }: Post): boolean {
  switch (status) {
    case 'scheduled':
    case 'publishing':
    case 'delayed':
      return false
    case 'partially_published':
      return expiresAt === null
    case 'draft':
      return reviewStatus !== 'pending'
    case 'published':
    case 'failed':
    case 'reconnect_required':
    case 'checking':
    case 'cancelled':
    case 'expired':
      return true
  }
}

const SHORTEST_MS = 1_000
const LONGEST_MS = 30_000

/** How long to wait before the post is read again: briefly around its time, longer while that is far away. */
export function nextLookMs(post: Post, looks: number, now: number): number {
  const times = post.destinations.flatMap(({ status, publishAt, checkAgainAt }) => {
    const at = status === 'delayed' ? checkAgainAt : publishAt
    return (status === 'scheduled' || status === 'delayed') && at !== null ? [Date.parse(at) - now] : []
  })
  const untilNext = Math.min(...times)
  if (untilNext > 0 && Number.isFinite(untilNext)) return Math.min(untilNext + SHORTEST_MS, LONGEST_MS)
  return Math.min(SHORTEST_MS * 1.5 ** looks, LONGEST_MS)
}
