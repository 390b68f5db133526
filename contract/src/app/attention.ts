import Type, { type Static } from 'typebox'
import { operation } from '../operation.ts'
import { DestinationStatusSchema } from '../posts.ts'
import { attentionPostsMax } from '../notice-kinds.ts'
import { exact, Id, Instant, nullable } from '../schemas.ts'
import { InWorkspace } from './app-schemas.ts'

export const Attention = exact(
  {
    posts: Type.Array(
      exact({
        postId: Id,
        channelId: Id,
        channel: Type.String(),
        provider: Type.String(),
        status: DestinationStatusSchema,
        since: Instant,
        text: Type.String({ description: 'The first 280 characters.' }),
        reason: nullable(Type.String({ description: 'Why, in a sentence.' })),
      }),
      {
        description: `Posts that need a person, newest first, at most ${attentionPostsMax}: \`failed\` or partially published for good in the last 14 days, and \`checking\`.`,
      },
    ),
    secondPosts: Type.Array(
      exact({
        postId: Id,
        channelId: Id,
        channel: Type.String(),
        attemptId: Id,
        text: Type.String({ description: 'The first 280 characters of the part.' }),
        remoteId: Type.String({ description: 'The id of the second post at its network.' }),
        releaseUrl: nullable(Type.String({ description: 'Where the second post is.' })),
        since: Instant,
      }),
      {
        description: `Parts that were found to be live twice in the last 14 days, newest first, at most ${attentionPostsMax}. Nothing was deleted.`,
      },
    ),
    channels: Type.Array(
      exact({
        channelId: Id,
        displayName: Type.String(),
        provider: Type.String(),
        problem: Type.Enum(['disconnected', 'access_ending', 'version_ending']),
        accessEndsAt: nullable(Instant),
        apiVersion: Type.Union([exact({ name: Type.String(), endsAt: Instant }), Type.Null()], {
          description:
            'The version of the network’s API that Postrider uses, if the network ends it within 31 days; else null.',
        }),
        waiting: Type.Integer({ description: 'How many posts wait for the channel.' }),
      }),
      {
        description:
          'Channels without access, with access that ends within 14 days, or at a network that ends its version within 31 days.',
      },
    ),
    series: Type.Array(
      exact({
        seriesId: Id,
        text: Type.String({ description: 'The first 280 characters.' }),
        problem: Type.Enum(['waiting', 'paused']),
        nextAt: Type.Union([Instant, Type.Null()], {
          description: 'When the first waiting one is due; null if paused.',
        }),
        reason: nullable(Type.String({ description: 'Why, in a sentence.' })),
      }),
      {
        description:
          'Series that create no posts: one is refused and retried (`waiting`), or the service has paused it. At most 50.',
      },
    ),
    endpoints: Type.Array(
      exact({
        endpointId: Id,
        url: Type.String(),
        problem: Type.Enum(['failing', 'disabled']),
        since: Instant,
      }),
      {
        description:
          'Webhook endpoints that fail, or were disabled because they failed or their owner lost the right to them. Empty without the right to manage them.',
      },
    ),
  },
  { $id: 'Attention', description: 'What needs a person.' },
)
export type Attention = Static<typeof Attention>

export const readAttention = operation({
  id: 'readAttention',
  at: 'GET /app/api/workspaces/{workspaceId}/attention',
  tag: 'Posts',
  summary: 'Read what needs a person',
  description: 'Posts, channels, series and webhook endpoints that will not recover by themselves.',
  permission: 'posts:read',
  asks: 'member',
  params: InWorkspace,
  answer: { status: 200, schema: Attention, description: 'What needs a person.' },
  problems: [],
})
