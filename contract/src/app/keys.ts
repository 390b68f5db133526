import Type, { type Static } from 'typebox'
import { operation } from '../operation.ts'
import { permissionNames } from '../permissions.ts'
import { exact, Id, Instant, InstantInput, nullable } from '../schemas.ts'
import { InWorkspace } from './app-schemas.ts'

export const KeyView = exact(
  {
    keyId: Id,
    name: Type.String(),
    hint: Type.String({ description: 'How it begins.' }),
    permissions: Type.Array(Type.Enum(permissionNames)),
    owner: Type.String({ description: 'The member in whose name it acts.' }),
    expiresAt: nullable(Instant),
    revokedAt: nullable(Instant),
    lastUsedAt: nullable(Instant),
    createdAt: Instant,
  },
  { $id: 'AgentKey', description: 'An agent key; its secret is kept nowhere.' },
)
export type KeyView = Static<typeof KeyView>

const keys = { tag: 'Agent keys', asks: 'member', permission: 'keys:manage' } as const

export const listKeys = operation({
  ...keys,
  id: 'listKeys',
  at: 'GET /app/api/workspaces/{workspaceId}/keys',
  summary: 'List agent keys',
  description: 'Revoked and expired ones included, oldest first.',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(KeyView), description: 'The keys.' },
  problems: [],
})

export const createKey = operation({
  ...keys,
  id: 'createKey',
  at: 'POST /app/api/workspaces/{workspaceId}/keys',
  summary: 'Create an agent key',
  description: 'It acts in your name, and never may do more than you. The key is shown this once.',
  fresh: true,
  params: InWorkspace,
  body: exact({
    name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
    permissions: Type.Array(Type.Enum(permissionNames), { minItems: 1, uniqueItems: true }),
    expiresAt: Type.Optional(nullable(InstantInput)),
  }),
  idempotency: 'none',
  answer: {
    status: 201,
    schema: exact({ keyId: Id, key: Type.String({ description: 'Shown this once.' }) }),
    description: 'The key.',
  },
  problems: ['validation_failed'],
  example: { name: 'planner', permissions: ['channels:read', 'posts:read', 'posts:write'] },
})

export const revokeKey = operation({
  ...keys,
  id: 'revokeKey',
  at: 'POST /app/api/workspaces/{workspaceId}/keys/{keyId}/revoke',
  summary: 'Revoke an agent key',
  description: 'Its next request is refused. What it scheduled stays scheduled. Repeating it is harmless.',
  params: exact({ workspaceId: Id, keyId: Id }),
  idempotency: 'none',
  answer: { status: 200, schema: exact({ keyId: Id, revokedAt: Instant }), description: 'It is revoked.' },
  problems: ['not_found'],
})
