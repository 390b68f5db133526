import type { Post } from '@postrider/contract'
import { statusLooks } from '../../ui/status.tsx'
import { shiftInstant } from './move-channels.ts'
import { words } from './words.ts'

/** What can be done with several posts at once. */
export type BulkAction = 'move' | 'submit' | 'cancel' | 'discard'

export type BulkPlan = {
  /** The posts that are to be changed, each as it was read. */
  readonly posts: readonly { readonly postId: string; readonly editToken: string }[]
  /** On how many channels. */
  readonly channels: number
  /** What stays as it is, and why. */
  readonly left: readonly string[]
}

type Destination = Post['destinations'][number]
type Shift = { readonly minutes: number; readonly zone: string; readonly now: Date }

/** What an action does with these posts, and what it cannot do. Nothing is left out without a word; a post moves as a whole. */
export function planBulk(action: BulkAction, posts: readonly Post[], shift: Shift): BulkPlan {
  const judged = posts.map((post) => ({ post, ...judge(action, post, shift) }))
  const changed = judged.filter(({ channels }) => channels > 0)
  return {
    posts: changed.map(({ post: { postId, editToken } }) => ({ postId, editToken })),
    channels: changed.reduce((sum, { channels }) => sum + channels, 0),
    left: judged.flatMap(({ left }) => left),
  }
}

function judge(action: BulkAction, post: Post, shift: Shift): { channels: number; left: string[] } {
  const reasons = post.destinations.map((destination) => ({
    destination,
    why: action === 'submit' ? whyNoApproval(post, destination) : whyNot(action, destination),
  }))
  const able = reasons.filter(({ why }) => why === null)
  const fault =
    action === 'move'
      ? faultOfTimes(
          able.map(({ destination }) => destination),
          shift,
        )
      : null
  const left = reasons.flatMap(({ destination, why }) => {
    const reason = why ?? fault
    const { displayName } = destination
    return reason === null ? [] : [`${words.onChannel(excerptOf(destination), displayName)}: ${reason}`]
  })
  return { channels: fault === null ? able.length : 0, left }
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

function faultOfTimes(moved: readonly Destination[], { minutes, zone, now }: Shift): string | null {
  const times = moved.map(({ publishAt }) =>
    publishAt === null ? null : shiftInstant(publishAt, minutes, zone),
  )
  if (times.includes(null)) return words.clocksForward
  return times.some((to) => to !== null && Date.parse(to) <= now.getTime()) ? words.newTimePast : null
}

const EXCERPT = 40

function excerptOf({ parts, content }: Destination): string {
  const text = parts[0]?.text ?? content?.text ?? ''
  return text === '' ? words.withoutText : `“${text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text}”`
}
