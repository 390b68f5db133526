/** The status a destination has entered, by the type of the event that tells so. */
export type StatusOf = {
  'post.scheduled': 'scheduled'
  'post.published': 'published'
  'post.partial': 'partially_published'
  'post.failed': 'failed'
  'post.delayed': 'delayed'
  'post.reconnect_required': 'reconnect_required'
  /** The result is not confirmed: neither failed nor published. Do not publish it again. */
  'post.recovery_required': 'checking'
  'post.cancelled': 'cancelled'
  'post.expired': 'expired'
}

/** What the events about a post as a whole tell beside the post. Endpoints are sent those that they name. */
type FactsOf = {
  /** Nothing of it has a time yet: it is a draft, or waits for approval. */
  'post.created': unknown
  'post.edited': { readonly changed: readonly string[] }
  'approval.requested': {
    readonly approval: { readonly status: 'pending'; readonly reviewUrl: string; readonly expiresAt: string }
  }
  'approval.decided': {
    readonly approval: { readonly status: 'approved' | 'rejected'; readonly note?: string }
  }
  /** A part is live twice. Nothing was deleted. */
  'post.duplicate_found': {
    readonly duplicate: {
      readonly channelId: string
      readonly part: number
      readonly remoteId: string
      readonly releaseUrl: string | null
      readonly firstRemoteId: string
      readonly firstReleaseUrl: string | null
    }
  }
}

export type WebhookEventType = keyof StatusOf | keyof FactsOf

export type WebhookError = {
  readonly code: string
  readonly message: string
  readonly provider: string
  readonly retryable: boolean
}

type EventOf<Type extends keyof StatusOf> = {
  /** The same for every attempt: store it under a unique constraint, and answer a repeat with success. */
  readonly id: string
  readonly type: Type
  /** ISO 8601 in UTC. */
  readonly createdAt: string
  readonly data: {
    readonly post: { readonly postId: string }
    readonly destination: {
      readonly channelId: string
      readonly provider: string
      readonly publishAt: string | null
      readonly releaseUrl: string | null
      readonly status: StatusOf[Type]
    }
  }
  /** When a delayed destination is tried next. */
  readonly checkAgainAt?: string
  /** What blocks the destination. */
  readonly error?: WebhookError
}

type PostEventOf<Type extends keyof FactsOf> = {
  readonly id: string
  readonly type: Type
  /** ISO 8601 in UTC. */
  readonly createdAt: string
  readonly data: {
    readonly post: { readonly postId: string }
    readonly channelIds: readonly string[]
    /** Who did it. */
    readonly by: { readonly type: 'agent_key' | 'oauth' | 'person'; readonly name: string }
  } & FactsOf[Type]
}

/** What one webhook carries; `type` tells the members apart. */
export type WebhookEvent =
  | { [Type in keyof StatusOf]: EventOf<Type> }[keyof StatusOf]
  | { [Type in keyof FactsOf]: PostEventOf<Type> }[keyof FactsOf]
