import Type, { type Static } from 'typebox'
import { Channel } from '../channels.ts'
import { operation } from '../operation.ts'
import { exact, Id, Instant, InstantInput, nullable, PostingTimes } from '../schemas.ts'
import { Done, InWorkspace } from './app-schemas.ts'

export const ManagedChannel = exact(
  {
    ...Channel.properties,
    enabled: Type.Boolean(),
    lastPublishedAt: Type.Union([Instant, Type.Null()], {
      description: 'When a post last went out there; null for never.',
    }),
    pausedUntil: Type.Union([Instant, Type.Null()], {
      description: 'Until when nothing is sent because the network asked for a pause; null for no pause.',
    }),
    planned: Type.Integer({ description: 'How many posts are still to be published there.' }),
    renamed: Type.Boolean({
      description: 'Whether a person gave it its `displayName`; else that is the name of the account.',
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
  description: 'All of them, disabled ones included.',
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
    'The picture at its `avatarUrl`, small and square. The server fetches and keeps it, so that browsers ask no network for it. Conditional requests are honored.',
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
    example: Type.String({ description: 'What may stand there; empty for none.' }),
  },
  { $id: 'ConnectField', description: 'Something that a person fills in to connect an account.' },
)

export const Network = exact(
  {
    provider: Type.String({ examples: ['bluesky'] }),
    displayName: Type.String({ examples: ['Bluesky'] }),
    fields: Type.Union([Type.Array(ConnectField), Type.Null()], {
      description:
        'What `connectChannel` is given, copied from the network; null where accounts are not connected so.',
    }),
    signIn: Type.Boolean({
      description: 'Whether an account is connected by signing in at the network (`createConnectLink`).',
    }),
    needs: Type.Array(Type.String(), {
      description:
        'The settings that the server operator has to give before accounts can be connected; empty for none.',
      examples: [['X_CLIENT_ID', 'X_CLIENT_SECRET']],
    }),
  },
  { $id: 'Network', description: 'A network whose accounts this server connects.' },
)
export type Network = Static<typeof Network>

export const listNetworks = operation({
  ...channels,
  id: 'listNetworks',
  at: 'GET /app/api/workspaces/{workspaceId}/networks',
  summary: 'List what can be connected',
  description:
    'The networks, each with the ways to connect an account, or with the settings that this server lacks for them. The sandbox network is not among them.',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(Network), description: 'The networks.' },
  problems: [],
})

const Reconnected = nullable(Id)

export const connectChannel = operation({
  ...write,
  id: 'connectChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/connect',
  summary: 'Connect an account by what its owner copied from the network',
  fresh: true,
  description:
    'The network is asked before anything is stored. An account that the workspace has already keeps its channel, and what waited for it goes on. With `channelId` that channel is connected again, by its own account and no other.',
  params: InWorkspace,
  body: exact({
    provider: Type.String({ maxLength: 64 }),
    channelId: Type.Optional(Reconnected),
    fields: Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 4_096 }), {
      maxProperties: 20,
      description: 'By the names that `listNetworks` gives them. Secrets among them are sealed, or not kept.',
    }),
  }),
  answer: {
    status: 200,
    schema: exact({
      channelId: Id,
      handle: Type.String(),
      reconnected: Type.Boolean(),
      resumed: Type.Integer({ description: 'How many destinations that waited for it go on.' }),
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
  summary: 'Make a link by which an account is connected at the network itself',
  fresh: true,
  description:
    'The person who opens it within ten minutes signs in at the network and permits this workspace to publish. It works once. With `channelId` it connects that channel again.',
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
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 50,
        description:
          'By ID or name: the accounts to connect, where a sign-in gives access to several. The person chooses if left out.',
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
  summary: 'Read what came of a link',
  description: 'Ask again while it is `open`. Links are forgotten a day after they end.',
  params: exact({ workspaceId: Id, linkId: Id }),
  answer: {
    status: 200,
    schema: exact({
      status: Type.Enum(['open', 'connected', 'refused', 'expired']),
      detail: nullable(Type.String({ description: 'Why it was refused.' })),
      channels: Type.Array(
        exact({ channelId: Id, handle: Type.String(), reconnected: Type.Boolean(), resumed: Type.Integer() }),
        { description: 'Those that were connected.' },
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
  description: 'Makes an account on the sandbox network that comes with the server, and connects it.',
  params: InWorkspace,
  body: exact({
    profile: Type.Enum(['short', 'professional'], {
      description: '`short` takes 280 characters, `professional` 3,000.',
    }),
    handle: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,30}$',
        description: 'Letters, digits, `_` and `-`, up to 30. Made up if left out.',
      }),
    ),
    displayName: Type.Optional(Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })),
    authorizedHours: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 8_760,
        description: 'After how many hours the network ends each authorization; never if left out.',
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
  description: 'Its account gets a new token, also where the old one was revoked, and what waited goes on.',
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
    'What is being sent is finished, and nothing else is begun; what is due waits until its deadline.',
  params: InChannel,
  answer: { status: 200, schema: ManagedChannel, description: 'The channel as it is now.' },
  problems: ['not_found'],
})

export const enableChannel = operation({
  ...write,
  id: 'enableChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}/enable',
  summary: 'Enable a channel',
  description: 'What is due goes out within seconds.',
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
    'In this workspace alone. With null it is called as its account again, as soon as that is read from the network.',
  params: InChannel,
  body: exact({ name: nullable(Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })) }),
  answer: { status: 200, schema: ManagedChannel, description: 'The channel as it is now.' },
  problems: ['not_found', 'validation_failed'],
  example: { name: 'Our main account' },
})

const ChannelGroup = exact(
  {
    groupId: Id,
    name: Type.String(),
    channelIds: Type.Array(Id, { description: 'Without channels that were removed.' }),
  },
  { $id: 'ChannelGroup', description: 'A named set of channels.' },
)
export type ChannelGroup = Static<typeof ChannelGroup>

const GroupName = Type.String({
  minLength: 1,
  maxLength: 60,
  pattern: '\\S',
  description: 'One of a kind in the workspace, whatever its case.',
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
    'Its id stands for its channels wherever a new post, a check or a filter takes the id of a channel. A post takes the channels that the group has in that moment.',
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
  description: 'What is left out stays. Posts that exist keep the channels they have.',
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
  description: 'Its channels and their posts stay as they are.',
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
    'Deletes its access, and takes it out of every list. Refused while a post is being published there or its result is not known. What was published stays, with its evidence. What is planned is cancelled with `cancel`; with `keep` it waits for the account to be connected again, until its deadline. Connecting the same account again brings the channel back.',
  params: InChannel,
  body: exact({
    posts: Type.Enum(['cancel', 'keep'], {
      description: 'What happens to the posts that are planned there.',
    }),
  }),
  answer: {
    status: 200,
    schema: exact({
      channelId: Id,
      cancelled: Type.Integer({ description: 'How many posts were cancelled there.' }),
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
  { $id: 'QueueMove', description: 'A queued post, and the posting time that it would move to.' },
)

export const previewPostingTimes = operation({
  ...channels,
  id: 'previewPostingTimes',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}/posting-times/preview',
  summary: 'Show how other posting times would move the queue of a channel',
  description:
    'What is scheduled in the queue keeps its order, and takes the earliest of the new posting times. What waits for approval, and what was given its time without the queue, stays. Changes nothing.',
  params: InChannel,
  body: exact({ postingTimes: PostingTimes }),
  answer: {
    status: 200,
    schema: exact({
      moves: Type.Array(QueueMove, { description: 'Those whose time would change.' }),
      movesToken: nullable(
        Type.String({ description: 'For `setPostingTimes`, to move exactly these; null where none moves.' }),
      ),
    }),
    description: 'What would move.',
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
    'Replaces all of them. What is queued keeps its time, unless `movesToken` says that it moves as the preview showed: all of it, or nothing is changed where the queue is no longer what it was then.',
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
  summary: 'List the posting times that are free',
  description:
    'Those of enabled channels in [`from`, `to`), not before now, with the channels that have nothing planned then; the earliest 5,000 at most. The range is at most 62 days.',
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
