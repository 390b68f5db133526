import type { Right, Role } from './app/roles.ts'

/** The list of what needs attention has so many posts at most. */
export const attentionPostsMax = 50

type NoticeKindFacts = {
  /** What of it the list of what needs attention has; the first is what it is about. */
  readonly of: 'posts' | 'secondPosts' | 'channels' | 'series' | 'endpoints' | 'approvals'
  /** What a member needs to be told of it. */
  readonly right: Right
  /** Whom it is mailed to unless they choose otherwise. */
  readonly mailed: readonly Role[]
  /** How many minutes it has to last before it is mailed: by then it has not ended by itself. */
  readonly afterMinutes: number
}

const managers = ['owner', 'admin'] as const satisfies Role[]

/** What members are told of when they are not looking: what needs attention, in the groups that a person switches on and off. */
export const noticeKinds = {
  posts_failed: { of: 'posts', right: 'posts:read', mailed: managers, afterMinutes: 0 },
  // Most results are found at the network until then; what is left is for a person to decide.
  posts_checking: { of: 'posts', right: 'posts:read', mailed: managers, afterMinutes: 20 },
  posts_twice: { of: 'secondPosts', right: 'posts:read', mailed: managers, afterMinutes: 0 },
  channels: { of: 'channels', right: 'channels:read', mailed: managers, afterMinutes: 0 },
  series: { of: 'series', right: 'posts:read', mailed: managers, afterMinutes: 0 },
  // One answer that did not come is tried again, and is nothing to act on.
  webhooks: { of: 'endpoints', right: 'webhooks:manage', mailed: managers, afterMinutes: 15 },
  approvals: {
    of: 'approvals',
    right: 'approvals:decide',
    mailed: ['owner', 'admin', 'approver'],
    afterMinutes: 0,
  },
} as const satisfies Record<string, NoticeKindFacts>

export type NoticeKind = keyof typeof noticeKinds

export const noticeKindNames = Object.keys(noticeKinds) as NoticeKind[]

/** Whether a kind is mailed to a member with this role who has chosen nothing. */
export function isMailedTo(role: Role, kind: NoticeKind): boolean {
  const { mailed }: NoticeKindFacts = noticeKinds[kind]
  return mailed.includes(role)
}
