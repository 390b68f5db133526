import type {
  DestinationError,
  DestinationStatus,
  EventType,
  PostEvent,
  PostEventType,
} from '@postrider/contract'

/** The facts of one destination at the moment of a change, as far as a customer may see them. */
export type Change = {
  readonly workspaceId: string
  readonly destinationId: string
  readonly postId: string
  readonly channelId: string
  readonly provider: string
  readonly status: DestinationStatus
  readonly publishAt: Date | null
  readonly releaseUrl: string | null
  readonly checkAgainAt: Date | null
  readonly error: DestinationError | null
  /** When the change was recorded, by the database's clock. */
  readonly at: Date
}

/** What happened to a post as a whole. */
export type PostChange = {
  readonly workspaceId: string
  readonly postId: string
  readonly type: PostEventType
  readonly by: PostEvent['data']['by']
  readonly channelIds: readonly string[]
  readonly at: Date
} & Pick<PostEvent['data'], 'changed' | 'approval' | 'duplicate'>

/** The webhook body of what happened to a post, serialised as that of a change is. */
export function postEnvelope(id: string, change: PostChange): string {
  const { type, postId, at, channelIds, by, changed, approval, duplicate } = change
  const { type: authorType, name } = by
  return JSON.stringify({
    id,
    type,
    createdAt: at.toISOString(),
    data: { post: { postId }, channelIds, by: { type: authorType, name }, changed, approval, duplicate },
  })
}

/**
 * The webhook body of one change. It is serialised here, once: every delivery sends these very characters.
 * `checkAgainAt` is there on a delay, `error` when something blocks the destination.
 */
export function envelope(id: string, type: EventType, change: Change): string {
  const delayed = change.status === 'delayed'
  return JSON.stringify({
    id,
    type,
    createdAt: change.at.toISOString(),
    data: {
      post: { postId: change.postId },
      destination: {
        channelId: change.channelId,
        provider: change.provider,
        publishAt: change.publishAt?.toISOString() ?? null,
        releaseUrl: change.releaseUrl,
        status: change.status,
      },
    },
    ...(change.checkAgainAt === null || !delayed ? {} : { checkAgainAt: change.checkAgainAt.toISOString() }),
    ...(change.error === null || delayed ? {} : { error: change.error }),
  })
}
