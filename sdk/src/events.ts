/** The status a destination has entered, by the type of the event that tells so. */
export type StatusOf = {
  'post.scheduled': 'scheduled'
  'post.published': 'published'
  'post.partial': 'partially_published'
  'post.failed': 'failed'
  'post.delayed': 'delayed'
  'post.reconnect_required': 'reconnect_required'
  /** The result cannot be proven: neither failed nor published. Do not publish it again. */
  'post.recovery_required': 'checking'
  'post.cancelled': 'cancelled'
  'post.expired': 'expired'
}

export type WebhookEventType = keyof StatusOf

export type WebhookError = {
  readonly code: string
  readonly message: string
  readonly provider: string
  readonly retryable: boolean
}

type EventOf<Type extends WebhookEventType> = {
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

/** What one webhook carries; `type` tells the members apart. */
export type WebhookEvent = { [Type in WebhookEventType]: EventOf<Type> }[WebhookEventType]
