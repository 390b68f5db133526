import type { Post } from '@postrider/contract'
import { statusLooks } from '../../ui/status.tsx'
import { shiftInstant, type Step } from './move-channels.ts'
import { words } from './words.ts'

/** What can be done with several posts at once. */
export type BulkAction = 'move' | 'cancel' | 'discard'

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
  for (const { postId, destinations } of posts) {
    for (const destination of destinations) {
      const { channelId, controlToken, publishAt } = destination
      const to = action === 'move' && publishAt !== null ? shiftInstant(publishAt, minutes, zone) : ''
      const why = whyNot(action, destination) ?? (action === 'move' ? whyNotThen(to, now) : null)
      const displayName = words.onChannel(excerptOf(destination), destination.displayName)
      if (why === null)
        steps.push({ postId, channelId, controlToken, displayName, from: publishAt ?? '', to: to ?? '' })
      else left.push(`${displayName}: ${why}`)
    }
  }
  return { posts: new Set(steps.map(({ postId }) => postId)).size, steps, left }
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
