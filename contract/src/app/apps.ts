import Type, { type Static } from 'typebox'
import { CredentialLimits, CredentialLimitsInput } from '../limits.ts'
import { operation } from '../operation.ts'
import { permissionNames } from '../permissions.ts'
import { exact, Id, Instant, nullable } from '../schemas.ts'
import { InWorkspace, Stopped } from './app-schemas.ts'

export const ConnectedAppView = exact(
  {
    grantId: Id,
    clientId: Type.String({ description: 'The id that it registered, or the address of its metadata.' }),
    clientName: Type.String({ description: 'What it calls itself; it is not verified.' }),
    clientOrigin: Type.String({
      description: 'Where the access goes: a host, or the scheme of an application.',
    }),
    permissions: Type.Array(Type.Enum(permissionNames)),
    limits: CredentialLimits,
    connectedBy: Type.String({ description: 'The member who let it in, and in whose name it acts.' }),
    connectedAt: Instant,
    expiresAt: nullable(Instant),
    lastUsedAt: nullable(Instant),
    revokedAt: nullable(Instant),
  },
  { $id: 'ConnectedApp', description: 'An app that a member has let into the workspace with OAuth.' },
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
  description: 'Those that were cut off included, the latest first.',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(ConnectedAppView), description: 'The apps.' },
  problems: [],
})

export const limitApp = operation({
  ...write,
  id: 'limitApp',
  at: 'POST /app/api/workspaces/{workspaceId}/apps/{grantId}/limits',
  summary: 'Change what a connected app is limited to',
  description:
    'All of its limits: what is left out limits nothing. They hold from its next request on, and change nothing that it has planned.',
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
    'In one act: its next request is refused, and everything is cancelled that it gave a time, or that waits for approval in its name, and that has not begun to publish. Drafts that nothing would publish stay. Repeating it is harmless.',
  params: InApp,
  answer: {
    status: 200,
    schema: exact({ grantId: Id, ...Stopped }),
    description: 'The app is disconnected, and its posts are cancelled.',
  },
  problems: ['not_found'],
})
