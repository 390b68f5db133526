import type { Post } from '@postrider/contract'
import { statusLooks } from '../../ui/status.tsx'
import { shiftInstant, type Step } from './move-channels.ts'
import { words } from './words.ts'

/** What can be done with several posts at once. */
export type BulkAction = 'move' | 'submit' | 'cancel' | 'discard'

export type BulkPlan = {
  /** How many posts are changed. */
  readonly posts: number
  readonly steps: readonly Step[]
  /** What stays as it is, and why. */
  readonly left: readonly string[]
}

type Destination = Post['destinations'][number]

/** What an action does with these posts, and what it cannot do. Nothing is left out without a word. */
export function planBulk(
  action: BulkAction,
  posts: readonly Post[],
  { minutes, zone, now }: { minutes: number; zone: string; now: Date },
): BulkPlan {
  const steps: Step[] = []
  const left: string[] = []
  for (const post of posts) {
    const { postId, destinations, editToken } = post
    for (const destination of destinations) {
      const { channelId, publishAt } = destination
      // A whole post is sent for approval, under its own token.
      const controlToken = action === 'submit' ? editToken : destination.controlToken
      const to = action === 'move' && publishAt !== null ? shiftInstant(publishAt, minutes, zone) : ''
      const why =
        (action === 'submit' ? whyNoApproval(post, destination) : whyNot(action, destination)) ??
        (action === 'move' ? whyNotThen(to, now) : null)
      const displayName = words.onChannel(excerptOf(destination), destination.displayName)
      if (why === null)
        steps.push({ postId, channelId, controlToken, displayName, from: publishAt ?? '', to: to ?? '' })
      else left.push(`${displayName}: ${why}`)
    }
  }
  return { posts: new Set(steps.map(({ postId }) => postId)).size, steps, left }
}

/** Only a post of which everything is a draft is sent for approval, and only once. */
function whyNoApproval({ reviewStatus, destinations }: Post, { status }: Destination): string | null {
  if (status !== 'draft') return statusLooks[status].label
  if (reviewStatus === 'pending') return words.waiting
  const other = destinations.find((one) => !['draft', 'cancelled', 'expired'].includes(one.status))
  return other === undefined ? null : words.onChannel(statusLooks[other.status].label, other.displayName)
}

function whyNot(action: BulkAction, { status, allowedActions }: Destination): string | null {
  const { label } = statusLooks[status]
  if (action === 'move') return allowedActions.reschedule.allowed ? null : label
  if (action === 'discard') return status === 'draft' && allowedActions.cancel.allowed ? null : label
  if (status === 'draft') return words.draftNotScheduled
  return allowedActions.cancel.allowed ? null : label
}

function whyNotThen(to: string | null, now: Date): string | null {
  if (to === null) return words.clocksForward
  return Date.parse(to) <= now.getTime() ? words.newTimePast : null
}

const EXCERPT = 40

function excerptOf({ parts, content }: Destination): string {
  const text = parts[0]?.text ?? content?.text ?? ''
  return text === '' ? words.withoutText : `“${text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text}”`
}
