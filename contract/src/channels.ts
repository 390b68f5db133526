import Type, { type Static } from 'typebox'
import { MediaLimits } from './media.ts'
import { operation } from './operation.ts'
import { exact, Id, Instant, nullable, PostingTimes } from './schemas.ts'

export const CharacterCounting = Type.Enum(
  ['code_points', 'graphemes', 'x_weighted', 'mastodon', 'linkedin', 'threads'],
  {
    description:
      'How the channel counts: Unicode code points, user-perceived characters (grapheme clusters), X weights (a link is 23, most CJK and emoji are 2), as Mastodon does (grapheme clusters; a link is 23, and the domain of a mention counts nothing), as LinkedIn does (UTF-16 units; reserved signs such as brackets are 2), or as Threads does (code points; emoji as their bytes in UTF-8).',
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
          'When the provider ends the authorization for good, however the channel is used; the owner reconnects it before then. Null when the provider named no such time.',
      }),
    ),
    publication: exact({
      available: Type.Boolean({ description: 'Whether a post can be published there now.' }),
      reason: nullable(Type.String({ description: 'Why not, and what to do; null when available.' })),
    }),
    maxCharacters: Type.Integer({ description: 'The limit of one part, counted by `characterCounting`.' }),
    characterCounting: CharacterCounting,
    maxBytes: Type.Optional(
      Type.Integer({
        description:
          'The limit of one part in bytes of UTF-8, where the provider has one besides `maxCharacters`.',
      }),
    ),
    subscription: Type.Optional(
      Type.String({
        description:
          "The account's tier at the provider, where that decides on the limit; left out while it is not known. Reconnecting the channel refreshes it.",
        examples: ['Premium'],
      }),
    ),
    media: MediaLimits,
    capabilities: exact({
      threads: Type.Boolean({ description: 'Whether a post may have a `thread` there.' }),
      firstComment: Type.Boolean({ description: 'Whether a post may have a `firstComment` there.' }),
    }),
    groups: Type.Array(exact({ groupId: Id, name: Type.String() }), {
      description:
        'The groups that it is in. A `groupId` stands for all channels of the group wherever a `channelId` of a new post, a check or a filter is taken.',
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
  description:
    'The enabled channels of the workspace, by name, each with its connection, whether it can publish now, and its character limit.',
  permission: 'channels:read',
  answer: { status: 200, schema: Type.Array(Channel), description: 'The channels.' },
  problems: [],
})
