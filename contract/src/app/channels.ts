import Type, { type Static } from 'typebox'
import { Channel } from '../channels.ts'
import {
  changedLimits,
  connectionAspects,
  findingCodes,
  findingLevels,
  quotaUnits,
} from '../connection-findings.ts'
import { operation } from '../operation.ts'
import { exact, Id, Instant, InstantInput, line, nullable, PostingTimes } from '../schemas.ts'
import { Done, InWorkspace } from './app-schemas.ts'

export const ManagedChannel = exact(
  {
    ...Channel.properties,
    enabled: Type.Boolean(),
    lastPublishedAt: Type.Union([Instant, Type.Null()], {
      description: 'When a post was last published there; null for never.',
    }),
    pausedUntil: Type.Union([Instant, Type.Null()], {
      description: 'Until when nothing is sent, because the network asked for a pause.',
    }),
    planned: Type.Integer({ description: 'How many posts are still to be published there.' }),
    renamed: Type.Boolean({
      description: 'Whether a person set `displayName`; otherwise it is the name of the account.',
    }),
  },
  { $id: 'ManagedChannel', description: 'A connected account, disabled or not.' },
)
export type ManagedChannel = Static<typeof ManagedChannel>

const channels = { tag: 'Channels', asks: 'member', permission: 'channels:manage' } as const
/** A change, without a key: each request is an effect of its own. */
const write = { ...channels, idempotency: 'none' } as const
const InChannel = exact({ workspaceId: Id, channelId: Id })

export const listManagedChannels = operation({
  ...channels,
  id: 'listManagedChannels',
  at: 'GET /app/api/workspaces/{workspaceId}/channels',
  summary: 'List channels',
  description: 'Including disabled ones.',
  permission: 'channels:read',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(ManagedChannel), description: 'The channels.' },
  problems: [],
})

export const readChannelPicture = operation({
  ...channels,
  id: 'readChannelPicture',
  at: 'GET /app/api/workspaces/{workspaceId}/channels/{channelId}/picture',
  summary: 'Read the picture of an account',
  description:
    'The picture at its `avatarUrl`, small and square. The server fetches and keeps it, so browsers do not request it from the network. Supports conditional requests.',
  permission: 'channels:read',
  params: InChannel,
  answer: { status: 200, schema: Type.Unknown(), bytes: ['image/webp'], description: 'The picture.' },
  problems: ['not_found'],
})

const ConnectField = exact(
  {
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    required: Type.Boolean(),
    secret: Type.Boolean(),
    example: Type.String({ description: 'An example value; empty for none.' }),
  },
  { $id: 'ConnectField', description: 'A field that a person fills in to connect an account.' },
)

export const Network = exact(
  {
    provider: Type.String({ examples: ['bluesky'] }),
    displayName: Type.String({ examples: ['Bluesky'] }),
    fields: Type.Union([Type.Array(ConnectField), Type.Null()], {
      description:
        'What to pass to `connectChannel`, copied from the network; null if accounts are not connected that way.',
    }),
    signIn: Type.Boolean({
      description: 'Whether an account is connected by signing in at the network (`createConnectLink`).',
    }),
    needs: Type.Array(Type.String(), {
      description: 'The settings that the server operator must provide before accounts can be connected.',
      examples: [['X_CLIENT_ID', 'X_CLIENT_SECRET']],
    }),
  },
  { $id: 'Network', description: 'A network whose accounts this server can connect.' },
)
export type Network = Static<typeof Network>

export const listNetworks = operation({
  ...channels,
  id: 'listNetworks',
  at: 'GET /app/api/workspaces/{workspaceId}/networks',
  summary: 'List what can be connected',
  description:
    'The networks, each with the ways to connect an account, or the settings that this server lacks. Without the sandbox network.',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(Network), description: 'The networks.' },
  problems: [],
})

const Reconnected = nullable(Id)

export const connectChannel = operation({
  ...write,
  id: 'connectChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/connect',
  summary: 'Connect an account with values copied from the network',
  fresh: true,
  description:
    'The values are checked with the network before anything is stored. An account that the workspace already has keeps its channel, and waiting posts continue. With `channelId`, reconnects that channel, only with its own account.',
  params: InWorkspace,
  body: exact({
    provider: Type.String({ maxLength: 64 }),
    channelId: Type.Optional(Reconnected),
    fields: Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 4_096 }), {
      maxProperties: 20,
      description: 'By their names in `listNetworks`. Secrets are encrypted, or not kept.',
    }),
  }),
  answer: {
    status: 200,
    schema: exact({
      channelId: Id,
      handle: Type.String(),
      reconnected: Type.Boolean(),
      resumed: Type.Integer({ description: 'How many waiting destinations continue.' }),
    }),
    description: 'The channel is connected.',
  },
  problems: ['validation_failed', 'not_ready'],
  example: {
    provider: 'bluesky',
    fields: { handle: 'alice.bsky.social', appPassword: 'abcd-efgh-ijkl-mnop' },
  },
})

export const createConnectLink = operation({
  ...write,
  id: 'createConnectLink',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/link',
  summary: 'Create a link to connect an account by signing in at the network',
  fresh: true,
  description:
    'Whoever opens it within ten minutes signs in at the network and allows this workspace to publish. It works once. With `channelId`, reconnects that channel.',
  params: InWorkspace,
  body: exact({
    provider: Type.String({ maxLength: 64 }),
    channelId: Type.Optional(Reconnected),
    fields: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 4_096 }), {
        maxProperties: 20,
        description:
          'What the person would be asked for before the sign-in, such as the `server` of Mastodon.',
      }),
    ),
    accounts: Type.Optional(
      Type.Array(line(200), {
        maxItems: 50,
        description:
          'By ID or name: the accounts to connect, if a sign-in gives access to several. The person chooses if omitted.',
      }),
    ),
  }),
  answer: { status: 201, schema: exact({ url: Type.String(), linkId: Id }), description: 'The link.' },
  problems: ['validation_failed', 'not_found'],
  example: { provider: 'bluesky' },
})

export const readConnectLink = operation({
  ...channels,
  id: 'readConnectLink',
  at: 'GET /app/api/workspaces/{workspaceId}/connect-links/{linkId}',
  summary: 'Read the result of a link',
  description: 'Ask again while it is `open`. Links are deleted a day after they end.',
  params: exact({ workspaceId: Id, linkId: Id }),
  answer: {
    status: 200,
    schema: exact({
      status: Type.Enum(['open', 'connected', 'refused', 'expired']),
      detail: nullable(Type.String({ description: 'Why it was refused.' })),
      channels: Type.Array(
        exact({ channelId: Id, handle: Type.String(), reconnected: Type.Boolean(), resumed: Type.Integer() }),
        { description: 'The connected ones.' },
      ),
    }),
    description: 'The state of the link.',
  },
  problems: ['not_found'],
})

export const connectSandboxChannel = operation({
  ...write,
  id: 'connectSandboxChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/sandbox',
  summary: 'Connect a sandbox account',
  description: 'Creates an account on the included sandbox network, and connects it.',
  params: InWorkspace,
  body: exact({
    profile: Type.Enum(['short', 'professional'], {
      description: '`short` allows 280 characters, `professional` 3,000.',
    }),
    handle: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,30}$',
        description: 'Letters, digits, `_` and `-`, up to 30. Generated if omitted.',
      }),
    ),
    displayName: Type.Optional(line(100)),
    authorizedHours: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 8_760,
        description: 'After how many hours the network ends each authorization; never if omitted.',
      }),
    ),
  }),
  answer: { status: 201, schema: ManagedChannel, description: 'The channel.' },
  problems: ['invalid_state'],
  example: { profile: 'short' },
})

export const reconnectSandboxChannel = operation({
  ...write,
  id: 'reconnectSandboxChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}/sandbox',
  summary: 'Connect a sandbox account again',
  description: 'Its account gets a new token, even if the old one was revoked, and waiting posts continue.',
  params: InChannel,
  answer: {
    status: 200,
    schema: exact({ channelId: Id, resumed: Type.Integer() }),
    description: 'The channel is connected.',
  },
  problems: ['not_found', 'invalid_state'],
})

export const disableChannel = operation({
  ...write,
  id: 'disableChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}/disable',
  summary: 'Disable a channel',
  description:
    'What is being sent is finished, and nothing new is started; due posts wait until their deadline.',
  params: InChannel,
  answer: { status: 200, schema: ManagedChannel, description: 'The channel as it is now.' },
  problems: ['not_found'],
})

export const enableChannel = operation({
  ...write,
  id: 'enableChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}/enable',
  summary: 'Enable a channel',
  description: 'Due posts are published within seconds.',
  params: InChannel,
  answer: { status: 200, schema: ManagedChannel, description: 'The channel as it is now.' },
  problems: ['not_found'],
})

export const renameChannel = operation({
  ...write,
  id: 'renameChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}',
  summary: 'Rename a channel',
  description:
    'Only in this workspace. Null restores the name of the account, once it is read from the network.',
  params: InChannel,
  body: exact({ name: nullable(line(100)) }),
  answer: { status: 200, schema: ManagedChannel, description: 'The channel as it is now.' },
  problems: ['not_found', 'validation_failed'],
  example: { name: 'Our main account' },
})

const Count = Type.Integer({ minimum: 0 })

export const ConnectionFinding = exact(
  {
    aspect: Type.Enum(connectionAspects),
    code: Type.Enum(findingCodes),
    level: Type.Enum(findingLevels, {
      description: '`unknown`: the network does not tell, which is no fault.',
    }),
    detail: Type.String({ description: 'The sentence of `code` in English, made from `values`.' }),
    fix: nullable(Type.String({ description: 'What to do; null if nothing.' })),
    values: exact({
      network: Type.String({ examples: ['Mastodon'] }),
      until: Type.Optional(Instant),
      reason: Type.Optional(Type.String({ examples: ['ECONNREFUSED', 'HTTP 503'] })),
      missing: Type.Optional(Type.Array(Type.String())),
      unit: Type.Optional(Type.Enum(quotaUnits)),
      left: Type.Optional(Count),
      of: Type.Optional(nullable(Count)),
      resetsAt: Type.Optional(nullable(Instant)),
      changes: Type.Optional(
        Type.Array(
          exact({
            limit: Type.Enum(changedLimits),
            kept: nullable(Type.Number()),
            now: nullable(Type.Number()),
          }),
        ),
      ),
      version: Type.Optional(Type.String()),
      seconds: Type.Optional(Type.Integer()),
    }),
  },
  { $id: 'ConnectionFinding', description: 'One outcome of a check of a connection.' },
)
export type ConnectionFinding = Static<typeof ConnectionFinding>

export const checkConnection = operation({
  ...channels,
  id: 'checkConnection',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}/check',
  summary: 'Check the connection of a channel',
  description:
    "Asks the network whether access, scopes, quota, limits, version and clock are as needed. Changes nothing there, and not the channel's status. If the access token has ended, the server first gets a new one. Up to six checks per minute and channel.",
  params: InChannel,
  answer: {
    status: 200,
    schema: exact({ checkedAt: Instant, findings: Type.Array(ConnectionFinding) }),
    description: 'What was found.',
  },
  problems: ['not_found', 'rate_limited'],
})

const ChannelGroup = exact(
  {
    groupId: Id,
    name: Type.String(),
    channelIds: Type.Array(Id, { description: 'Without removed channels.' }),
  },
  { $id: 'ChannelGroup', description: 'A named set of channels.' },
)
export type ChannelGroup = Static<typeof ChannelGroup>

const GroupName = line(60, {
  description: 'Unique in the workspace, regardless of case.',
})
const GroupChannels = Type.Array(Id, { maxItems: 50, uniqueItems: true })
const groupsAt = '/app/api/workspaces/{workspaceId}/channel-groups'
const InGroup = exact({ workspaceId: Id, groupId: Id })

export const listChannelGroups = operation({
  ...channels,
  id: 'listChannelGroups',
  at: `GET ${groupsAt}`,
  summary: 'List channel groups',
  description: 'By name.',
  permission: 'channels:read',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(ChannelGroup), description: 'The groups.' },
  problems: [],
})

export const createChannelGroup = operation({
  ...write,
  id: 'createChannelGroup',
  at: `POST ${groupsAt}`,
  summary: 'Create a channel group',
  description:
    'New posts, checks and filters accept its id as the id of a channel. A post gets the channels that the group has at that moment.',
  params: InWorkspace,
  body: exact({ name: GroupName, channelIds: GroupChannels }),
  answer: { status: 201, schema: ChannelGroup, description: 'The group.' },
  problems: ['validation_failed', 'already_exists'],
  example: { name: 'Brand A', channelIds: [] },
})

export const changeChannelGroup = operation({
  ...write,
  id: 'changeChannelGroup',
  at: `POST ${groupsAt}/{groupId}`,
  summary: 'Rename a channel group, or change its channels',
  description: 'Omitted fields are kept. Existing posts keep their channels.',
  params: InGroup,
  body: exact({ name: Type.Optional(GroupName), channelIds: Type.Optional(GroupChannels) }),
  answer: { status: 200, schema: ChannelGroup, description: 'The group as it is now.' },
  problems: ['validation_failed', 'not_found', 'already_exists'],
  example: { name: 'Brand A' },
})

export const deleteChannelGroup = operation({
  ...write,
  id: 'deleteChannelGroup',
  at: `POST ${groupsAt}/{groupId}/delete`,
  summary: 'Delete a channel group',
  description: 'Its channels and their posts are not changed.',
  params: InGroup,
  answer: { status: 200, schema: Done, description: 'The group is deleted.' },
  problems: ['not_found'],
})

export const removeChannel = operation({
  ...write,
  id: 'removeChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}/remove',
  summary: 'Remove a channel',
  description:
    'Deletes its access, and removes it from every list. Refused while a post is being published there, or its result is unknown. Published posts stay, with their evidence. `cancel` cancels planned posts; with `keep` they wait for the account to be reconnected, until their deadline. Connecting the same account again restores the channel.',
  params: InChannel,
  body: exact({
    posts: Type.Enum(['cancel', 'keep'], {
      description: 'What happens to planned posts.',
    }),
  }),
  answer: {
    status: 200,
    schema: exact({
      channelId: Id,
      cancelled: Type.Integer({ description: 'How many posts were cancelled.' }),
    }),
    description: 'The channel is removed.',
  },
  problems: ['not_found', 'invalid_state'],
  example: { posts: 'cancel' },
})

const QueueMove = exact(
  {
    postId: Id,
    text: Type.String({ description: 'The first 280 characters.' }),
    from: Instant,
    to: Instant,
  },
  { $id: 'QueueMove', description: 'A queued post, and its new posting time.' },
)

export const previewPostingTimes = operation({
  ...channels,
  id: 'previewPostingTimes',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}/posting-times/preview',
  summary: 'Preview how new posting times would move the queue of a channel',
  description:
    'Scheduled posts in the queue keep their order and get the earliest new posting times. Posts that wait for approval, or have a time of their own, do not move. Changes nothing.',
  params: InChannel,
  body: exact({ postingTimes: PostingTimes }),
  answer: {
    status: 200,
    schema: exact({
      moves: Type.Array(QueueMove, { description: 'The posts whose time would change.' }),
      movesToken: nullable(
        Type.String({ description: 'For `setPostingTimes`, to move exactly these; null if none moves.' }),
      ),
    }),
    description: 'The moves.',
  },
  problems: ['not_found', 'validation_failed'],
  example: { postingTimes: [{ weekday: 'monday', time: '09:00' }] },
})

export const setPostingTimes = operation({
  ...write,
  id: 'setPostingTimes',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}/posting-times',
  summary: 'Set the posting times of a channel',
  description:
    'Replaces all of them. Queued posts keep their times, unless `movesToken` moves them as previewed: all of them, or nothing is changed if the queue has changed since.',
  params: InChannel,
  body: exact({
    postingTimes: PostingTimes,
    movesToken: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'From `previewPostingTimes`.' }),
    ),
  }),
  answer: { status: 200, schema: ManagedChannel, description: 'The channel as it is now.' },
  problems: ['not_found', 'validation_failed', 'invalid_state'],
  example: { postingTimes: [{ weekday: 'monday', time: '09:00' }] },
})

export const listFreePostingTimes = operation({
  ...channels,
  id: 'listFreePostingTimes',
  at: 'GET /app/api/workspaces/{workspaceId}/free-posting-times',
  summary: 'List free posting times',
  description:
    'Of enabled channels, in [`from`, `to`), at most 62 days, not in the past, each with the channels that have nothing planned then. At most the earliest 5,000.',
  permission: 'calendar:read',
  params: InWorkspace,
  query: exact({ from: InstantInput, to: InstantInput, channelId: Type.Optional(Id) }),
  answer: {
    status: 200,
    schema: Type.Array(exact({ at: Instant, channelIds: Type.Array(Id) }, { $id: 'FreePostingTime' })),
    description: 'The free posting times.',
  },
  problems: ['validation_failed'],
})
