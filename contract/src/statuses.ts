/** The events that tell a customer's system what became of one destination. */
export type EventType =
  | 'post.scheduled'
  | 'post.published'
  | 'post.partial'
  | 'post.failed'
  | 'post.delayed'
  | 'post.reconnect_required'
  | 'post.recovery_required'
  | 'post.cancelled'
  | 'post.expired'

type StatusFacts = { readonly event: EventType | null; readonly meaning: string }

/** Where one post stands on one channel, and the event that every entry into that status writes. */
export const destinationStatuses = {
  draft: { event: null, meaning: 'Not scheduled; nothing will be published until it is.' },
  scheduled: { event: 'post.scheduled', meaning: 'Waiting for its time, or safely back in the queue.' },
  publishing: { event: null, meaning: 'Being published.' },
  published: { event: 'post.published', meaning: 'Every part is live, with evidence.' },
  partially_published: {
    event: 'post.partial',
    meaning:
      'At least one part is live, but not all. If `expiresAt` is null, the rest was refused for good: `error` says why, and nothing more is sent unless you retry it.',
  },
  failed: { event: 'post.failed', meaning: 'Refused for good. Nothing was published.' },
  delayed: {
    event: 'post.delayed',
    meaning:
      'Not published yet: Postrider tries again at `checkAgainAt`, or, if that is null, after the posts ahead of it on the channel (`waitReason`). Announced once per cause.',
  },
  reconnect_required: {
    event: 'post.reconnect_required',
    meaning: 'The provider refused the authorization: the owner must reconnect the channel.',
  },
  checking: {
    event: 'post.recovery_required',
    meaning: 'The result is not confirmed. It is neither failed nor published: do not publish it again.',
  },
  cancelled: { event: 'post.cancelled', meaning: 'Cancelled before anything was sent.' },
  expired: {
    event: 'post.expired',
    meaning: 'Stopped: its deadline passed before everything was published.',
  },
} as const satisfies Record<string, StatusFacts>

export type DestinationStatus = keyof typeof destinationStatuses

export const destinationStatusNames = Object.keys(destinationStatuses) as DestinationStatus[]

/** What does not move on until a person has seen to it, the worst first. */
export const needPerson = [
  'failed',
  'reconnect_required',
  'partially_published',
  'checking',
] as const satisfies readonly DestinationStatus[]

/** Every event type of destinations, in the order of the statuses: what an endpoint is sent that names none. */
export const eventTypeNames = destinationStatusNames.flatMap((status) => {
  const type = destinationStatuses[status].event
  return type === null ? [] : [type]
})

/**
 * Events about a post as a whole, beside those of its destinations. All are in the feed; an endpoint is sent those that it names,
 * and none of them unless it does.
 */
export const postEvents = {
  'post.created': 'A post was created that has no time yet: a draft, or one that waits for approval.',
  'post.edited': 'The content of a post was changed: `data.changed` lists the fields.',
  'approval.requested':
    'A person is asked to decide at `data.approval.reviewUrl`, for the first time or again.',
  'approval.decided': 'A person has decided: `data.approval.status` is `approved` or `rejected`.',
  'post.duplicate_found':
    'A part is live twice: `data.duplicate` says where the second post is. Nothing was deleted.',
} as const

export type PostEventType = keyof typeof postEvents

export const postEventTypeNames = Object.keys(postEvents) as PostEventType[]

/** Every event type there is, those of destinations first. */
export const allEventTypeNames = [...eventTypeNames, ...postEventTypeNames]
export type AnyEventType = EventType | PostEventType

/** What is done to one post by a request of its own, as far as its destinations allow it. */
export const commandNames = ['edit', 'schedule', 'reschedule', 'cancel', 'retry'] as const
export type CommandName = (typeof commandNames)[number]

/** Where one publication part stands. */
export const partStatuses = {
  pending: 'Not sent yet.',
  publishing: 'Being sent, or processed by the provider.',
  published: 'Live, with evidence.',
  failed: 'Refused. Not published.',
  checking: 'The result is not confirmed.',
  skipped: 'Will not be sent: the destination ended before.',
} as const

export type PartStatus = keyof typeof partStatuses

/** What one publication part is. */
export const partKinds = {
  post: 'The first part.',
  reply: 'A part of the thread, which replies to the part before it.',
  first_comment: 'The first comment, published last as a reply to the first part.',
} as const

export type PartKind = keyof typeof partKinds

export const partKindNames = Object.keys(partKinds) as PartKind[]

export const partStatusNames = Object.keys(partStatuses) as PartStatus[]

/** What a list may be narrowed to: `all`, four groups that take in neighbours, and every other status by its name. */
export const statusFilters = {
  draft: ['draft'],
  scheduled: ['scheduled', 'delayed'],
  publishing: ['publishing'],
  published: ['published', 'partially_published'],
  partially_published: ['partially_published'],
  failed: ['failed'],
  delayed: ['delayed'],
  reconnect_required: ['reconnect_required'],
  checking: ['checking'],
  cancelled: ['cancelled'],
  expired: ['expired'],
} as const satisfies Record<DestinationStatus, readonly DestinationStatus[]>
