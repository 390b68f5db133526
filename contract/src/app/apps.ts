import Type, { type Static } from 'typebox'
import { CredentialLimits, CredentialLimitsInput } from '../limits.ts'
import { operation } from '../operation.ts'
import { permissionNames } from '../permissions.ts'
import { exact, Id, Instant, nullable } from '../schemas.ts'
import { InWorkspace, Stopped } from './app-schemas.ts'

export const ConnectedAppView = exact(
  {
    grantId: Id,
    clientId: Type.String({ description: 'Its registered id, or the address of its metadata.' }),
    clientName: Type.String({ description: 'Its own name, not verified.' }),
    clientOrigin: Type.String({
      description: 'Where the access goes: a host, or the scheme of an application.',
    }),
    permissions: Type.Array(Type.Enum(permissionNames)),
    limits: CredentialLimits,
    connectedBy: Type.String({ description: 'The member who connected it, and for whom it acts.' }),
    connectedAt: Instant,
    expiresAt: nullable(Instant),
    lastUsedAt: nullable(Instant),
    revokedAt: nullable(Instant),
  },
  { $id: 'ConnectedApp', description: 'An app that a member has connected to the workspace with OAuth.' },
)
export type ConnectedAppView = Static<typeof ConnectedAppView>

const apps = { tag: 'Connected apps', asks: 'member', permission: 'keys:manage' } as const
/** A change, without a key: each request is an effect of its own. */
const write = { ...apps, idempotency: 'none' } as const
const InApp = exact({ workspaceId: Id, grantId: Id })

export const listApps = operation({
  ...apps,
  id: 'listApps',
  at: 'GET /app/api/workspaces/{workspaceId}/apps',
  summary: 'List connected apps',
  description: 'Including disconnected ones, newest first.',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(ConnectedAppView), description: 'The apps.' },
  problems: [],
})

export const limitApp = operation({
  ...write,
  id: 'limitApp',
  at: 'POST /app/api/workspaces/{workspaceId}/apps/{grantId}/limits',
  summary: 'Change the limits of a connected app',
  description:
    'Replaces all of its limits; omitted fields set none. They apply from its next request, and do not change planned posts.',
  fresh: true,
  params: InApp,
  body: CredentialLimitsInput,
  answer: { status: 200, schema: ConnectedAppView, description: 'The app as it is now.' },
  problems: ['not_found', 'validation_failed'],
  example: { draftsOnly: true },
})

export const revokeApp = operation({
  ...write,
  id: 'revokeApp',
  at: 'POST /app/api/workspaces/{workspaceId}/apps/{grantId}/revoke',
  summary: 'Revoke a connected app',
  description:
    'Its next request is refused, and its tokens can no longer be refreshed. What it scheduled stays scheduled. Repeating it is harmless.',
  params: InApp,
  answer: {
    status: 200,
    schema: exact({ grantId: Id, revokedAt: Instant }),
    description: 'The app is disconnected.',
  },
  problems: ['not_found'],
})

export const stopApp = operation({
  ...write,
  id: 'stopApp',
  at: 'POST /app/api/workspaces/{workspaceId}/apps/{grantId}/stop',
  summary: 'Revoke a connected app and cancel its posts',
  description:
    'Its next request is refused, and its posts that have a time or wait for approval are cancelled, unless publishing has started. Drafts are kept. Repeating it is harmless.',
  params: InApp,
  answer: {
    status: 200,
    schema: exact({ grantId: Id, ...Stopped }),
    description: 'The app is disconnected, and its posts are cancelled.',
  },
  problems: ['not_found'],
})
