import Type, { type Static } from 'typebox'
import { CredentialLimits, CredentialLimitsInput } from '../limits.ts'
import { operation } from '../operation.ts'
import { permissionNames } from '../permissions.ts'
import { exact, Id, Instant, InstantInput, line, nullable } from '../schemas.ts'
import { InWorkspace, Stopped } from './app-schemas.ts'

export const KeyView = exact(
  {
    keyId: Id,
    name: Type.String(),
    hint: Type.String({ description: 'Its first characters.' }),
    permissions: Type.Array(Type.Enum(permissionNames)),
    limits: CredentialLimits,
    owner: Type.String({ description: 'The member it acts for.' }),
    expiresAt: nullable(Instant),
    revokedAt: nullable(Instant),
    lastUsedAt: nullable(Instant),
    createdAt: Instant,
  },
  { $id: 'AgentKey', description: 'An agent key. Its secret is not stored.' },
)
export type KeyView = Static<typeof KeyView>

const keys = { tag: 'Agent keys', asks: 'member', permission: 'keys:manage' } as const
/** A change, without a key: each request is an effect of its own. */
const write = { ...keys, idempotency: 'none' } as const

export const listKeys = operation({
  ...keys,
  id: 'listKeys',
  at: 'GET /app/api/workspaces/{workspaceId}/keys',
  summary: 'List agent keys',
  description: 'Including revoked and expired ones, oldest first.',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(KeyView), description: 'The keys.' },
  problems: [],
})

export const createKey = operation({
  ...write,
  id: 'createKey',
  at: 'POST /app/api/workspaces/{workspaceId}/keys',
  summary: 'Create an agent key',
  description: 'It acts for you, and can never do more than you. The key is shown only once.',
  fresh: true,
  params: InWorkspace,
  body: exact({
    name: line(100),
    permissions: Type.Array(Type.Enum(permissionNames), { minItems: 1, uniqueItems: true }),
    expiresAt: Type.Optional(nullable(InstantInput)),
    limits: Type.Optional(CredentialLimitsInput),
  }),
  answer: {
    status: 201,
    schema: exact({ keyId: Id, key: Type.String({ description: 'Shown only once.' }) }),
    description: 'The key.',
  },
  problems: ['validation_failed'],
  example: { name: 'planner', permissions: ['channels:read', 'posts:read', 'posts:write'] },
})

const InKey = exact({ workspaceId: Id, keyId: Id })

export const limitKey = operation({
  ...write,
  id: 'limitKey',
  at: 'POST /app/api/workspaces/{workspaceId}/keys/{keyId}/limits',
  summary: 'Change the limits of an agent key',
  description:
    'Replaces all of its limits; omitted fields set none. They apply from its next request, and do not change planned posts.',
  fresh: true,
  params: InKey,
  body: CredentialLimitsInput,
  answer: { status: 200, schema: KeyView, description: 'The key as it is now.' },
  problems: ['not_found', 'validation_failed'],
  example: { postsPerDay: 10, networks: ['203.0.113.0/24'] },
})

export const revokeKey = operation({
  ...write,
  id: 'revokeKey',
  at: 'POST /app/api/workspaces/{workspaceId}/keys/{keyId}/revoke',
  summary: 'Revoke an agent key',
  description: 'Its next request is refused. What it scheduled stays scheduled. Repeating it is harmless.',
  params: InKey,
  answer: {
    status: 200,
    schema: exact({ keyId: Id, revokedAt: Instant }),
    description: 'The key is revoked.',
  },
  problems: ['not_found'],
})

export const stopKey = operation({
  ...write,
  id: 'stopKey',
  at: 'POST /app/api/workspaces/{workspaceId}/keys/{keyId}/stop',
  summary: 'Revoke an agent key and cancel its posts',
  description:
    'Its next request is refused, and its posts that have a time or wait for approval are cancelled, unless publishing has started. Drafts are kept. Repeating it is harmless.',
  params: InKey,
  answer: {
    status: 200,
    schema: exact({ keyId: Id, ...Stopped }),
    description: 'The key is revoked, and its posts are cancelled.',
  },
  problems: ['not_found'],
})
