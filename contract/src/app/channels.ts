import Type, { type Static } from 'typebox'
import { Channel } from '../channels.ts'
import { operation } from '../operation.ts'
import { exact, Id } from '../schemas.ts'
import { InWorkspace } from './app-schemas.ts'

export const ManagedChannel = exact(
  { ...Channel.properties, enabled: Type.Boolean() },
  { $id: 'ManagedChannel', description: 'A connected account, disabled or not.' },
)
export type ManagedChannel = Static<typeof ManagedChannel>

const channels = { tag: 'Channels', asks: 'member', permission: 'channels:manage' } as const
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

export const connectSandboxChannel = operation({
  ...channels,
  id: 'connectSandboxChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/sandbox',
  summary: 'Connect a sandbox account',
  description: 'Makes an account on the sandbox network that comes with the server, and connects it.',
  params: InWorkspace,
  body: exact({
    profile: Type.Enum(['short', 'professional'], {
      description: '`short` takes 280 characters, `professional` 3,000.',
    }),
  }),
  idempotency: 'none',
  answer: { status: 201, schema: ManagedChannel, description: 'The channel.' },
  problems: ['invalid_state'],
  example: { profile: 'short' },
})

export const disableChannel = operation({
  ...channels,
  id: 'disableChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}/disable',
  summary: 'Disable a channel',
  description:
    'What is being sent is finished, and nothing else is begun; what is due waits until its allowed time is over.',
  params: InChannel,
  idempotency: 'none',
  answer: { status: 200, schema: ManagedChannel, description: 'The channel as it is now.' },
  problems: ['not_found'],
})

export const enableChannel = operation({
  ...channels,
  id: 'enableChannel',
  at: 'POST /app/api/workspaces/{workspaceId}/channels/{channelId}/enable',
  summary: 'Enable a channel',
  description: 'What is due goes out within seconds.',
  params: InChannel,
  idempotency: 'none',
  answer: { status: 200, schema: ManagedChannel, description: 'The channel as it is now.' },
  problems: ['not_found'],
})
