import Type, { type Static } from 'typebox'
import { operation } from '../operation.ts'
import { exact, Id, Instant, nullable } from '../schemas.ts'

export const TimelineEntry = exact(
  {
    at: Instant,
    channelId: Type.Union([Id, Type.Null()], { description: 'Null for the whole post.' }),
    kind: Type.Enum(['post', 'approval', 'attempt', 'warning', 'event']),
    tone: Type.Enum(['neutral', 'good', 'bad', 'doubt', 'warning']),
    text: Type.String({ description: 'What happened, in words.' }),
    endedAt: nullable(Instant),
    steps: Type.Array(Type.String(), {
      description: 'Its details, oldest first: the evidence of an attempt, the deliveries of an event.',
    }),
  },
  { $id: 'TimelineEntry' },
)
export type TimelineEntry = Static<typeof TimelineEntry>

export const readTimeline = operation({
  id: 'readTimeline',
  at: 'GET /app/api/workspaces/{workspaceId}/posts/{postId}/timeline',
  tag: 'Posts',
  summary: 'Read what happened to a post',
  description:
    'Every attempt with its evidence, every event with its webhook deliveries, every decision; oldest first, in words.',
  permission: 'posts:read',
  asks: 'member',
  params: exact({ workspaceId: Id, postId: Id }),
  answer: { status: 200, schema: Type.Array(TimelineEntry), description: 'What happened.' },
  problems: ['not_found'],
})
