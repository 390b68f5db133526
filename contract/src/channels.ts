import Type, { type Static } from 'typebox'
import { MediaLimits } from './media.ts'
import { operation } from './operation.ts'
import { exact, Id, Instant, nullable, PostingTimes } from './schemas.ts'

export const CharacterCounting = Type.Enum(
  ['code_points', 'graphemes', 'x_weighted', 'mastodon', 'linkedin', 'threads'],
  {
    description:
      'How the channel counts: Unicode code points; graphemes (user-perceived characters); X weights (a link is 23, most CJK and emoji are 2); Mastodon (graphemes; a link is 23, the domain of a mention 0); LinkedIn (UTF-16 units; reserved characters such as brackets are 2); Threads (code points; emoji as UTF-8 bytes).',
  },
)
export type CharacterCounting = Static<typeof CharacterCounting>

export const Channel = exact(
  {
    channelId: Id,
    provider: Type.String({ examples: ['sandbox-short'] }),
    displayName: Type.String(),
    handle: Type.String(),
    avatarUrl: nullable(Type.String()),
    connectionStatus: Type.Enum(['connected', 'reconnect_required']),
    authorizedUntil: nullable(
      Type.String({
        ...Instant,
        description:
          'When the authorization ends at the provider for good: the owner must reconnect the channel before. Null if unknown.',
      }),
    ),
    publication: exact({
      available: Type.Boolean({ description: 'Whether posts can be published there now.' }),
      reason: nullable(Type.String({ description: 'Why not, and what to do.' })),
    }),
    maxCharacters: Type.Integer({ description: 'The limit of one part, counted by `characterCounting`.' }),
    characterCounting: CharacterCounting,
    maxBytes: Type.Optional(
      Type.Integer({
        description: 'The limit of one part in UTF-8 bytes, if the provider also has one.',
      }),
    ),
    subscription: Type.Optional(
      Type.String({
        description:
          "The account's tier at the provider, if known and the limit depends on it. Reconnecting the channel refreshes it.",
        examples: ['Premium'],
      }),
    ),
    media: MediaLimits,
    capabilities: exact({
      threads: Type.Boolean({ description: 'Whether posts can have a `thread`.' }),
      firstComment: Type.Boolean({ description: 'Whether posts can have a `firstComment`.' }),
    }),
    groups: Type.Array(exact({ groupId: Id, name: Type.String() }), {
      description:
        'The groups it is in. New posts, checks and filters accept a `groupId` as a `channelId`, for all channels of the group.',
    }),
    postingTimes: PostingTimes,
  },
  { $id: 'Channel', description: 'A connected account at a provider.' },
)
export type Channel = Static<typeof Channel>

export const listChannels = operation({
  id: 'listChannels',
  at: 'GET /agent/v1/channels',
  asks: 'agent',
  tag: 'Channels',
  summary: 'List the enabled channels',
  description: 'By name, with their connection, whether they can publish now, and their limits.',
  permission: 'channels:read',
  answer: { status: 200, schema: Type.Array(Channel), description: 'The channels.' },
  problems: [],
})
