import Type, { type Static } from 'typebox'
import { operation } from './operation.ts'
import { LabelFilter } from './labels.ts'
import { DestinationError, DestinationStatusSchema } from './posts.ts'
import { ChangedBy, Cursor, exact, Id, Instant, InstantInput, Limit, nullable } from './schemas.ts'
import { allEventTypeNames, eventTypeNames, postEventTypeNames } from './statuses.ts'

/** The envelope of one event: what a webhook carries, too. */
export const Event = exact(
  {
    id: Type.String({
      format: 'uuid',
      description: 'The same in all delivery attempts, replays and lists: recognise repeats by it.',
      examples: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'],
    }),
    type: Type.Enum(eventTypeNames),
    createdAt: Instant,
    data: exact({
      post: exact({ postId: Id }),
      destination: exact({
        channelId: Id,
        provider: Type.String(),
        publishAt: nullable(Instant),
        releaseUrl: nullable(Type.String()),
        status: DestinationStatusSchema,
      }),
    }),
    checkAgainAt: Type.Optional(Instant),
    error: Type.Optional(DestinationError),
  },
  { $id: 'Event', description: 'One change of one destination, as webhooks carry it.' },
)
export type Event = Static<typeof Event>

/** The envelope of an event about a post as a whole. */
export const PostEvent = exact(
  {
    id: Event.properties.id,
    type: Type.Enum(postEventTypeNames),
    createdAt: Instant,
    data: exact({
      post: exact({ postId: Id }),
      channelIds: Type.Array(Id, { description: 'The channels of the post.' }),
      by: ChangedBy,
      changed: Type.Optional(Type.Array(Type.String(), { description: 'The fields that an edit changed.' })),
      approval: Type.Optional(
        exact({
          status: Type.Enum(['pending', 'approved', 'rejected']),
          reviewUrl: Type.Optional(Type.String({ description: 'Where a person decides.' })),
          expiresAt: Type.Optional(Instant),
          note: Type.Optional(Type.String({ description: 'The note of the person who decided.' })),
        }),
      ),
      duplicate: Type.Optional(
        exact({
          channelId: Id,
          part: Type.Integer({ description: 'The place of the part, from 0.' }),
          remoteId: Type.String({ description: 'The id of the second post at its network.' }),
          releaseUrl: nullable(Type.String({ description: 'Where the second post is.' })),
          firstRemoteId: Type.String({ description: 'The id of the post that the part is known by.' }),
          firstReleaseUrl: nullable(Type.String()),
        }),
      ),
    }),
  },
  {
    $id: 'PostEvent',
    description: 'A change of a post as a whole. Only for endpoints that name its type.',
  },
)
export type PostEvent = Static<typeof PostEvent>

export const AnyEvent = Type.Union([Event, PostEvent])
export type AnyEvent = Event | PostEvent

export const listEvents = operation({
  id: 'listEvents',
  at: 'GET /agent/v1/events',
  asks: 'agent or member',
  tag: 'Events',
  summary: 'Catch up on events',
  description:
    'The events of the workspace in recorded order, without gaps, from the oldest kept: instead of webhooks, or after downtime. When `hasMore` is false you are up to date; keep `nextCursor` to continue later. An event can appear a moment after it was recorded. When the events after a cursor are no longer kept, or an older backup was restored, the cursor is refused with `cursor_expired`: start again at `oldestCursor`. With filters, a page can be short or empty although `hasMore` is true; a cursor is only valid with the same filters.',
  permission: 'posts:read',
  query: exact({
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
    since: Type.Optional(
      Type.String({ ...InstantInput, description: 'Only events created at this time or later.' }),
    ),
    type: Type.Optional(Type.Enum(allEventTypeNames, { description: 'Only events of this type.' })),
    postId: Type.Optional(Type.String({ ...Id, description: 'Only events of this post.' })),
    label: Type.Optional(LabelFilter),
  }),
  answer: {
    status: 200,
    schema: exact({
      items: Type.Array(AnyEvent),
      nextCursor: Type.String({ description: 'Where to continue, now or later.' }),
      hasMore: Type.Boolean({ description: 'Whether there are more events now.' }),
    }),
    description: 'The next events.',
  },
  problems: ['invalid_cursor', 'cursor_expired'],
})
