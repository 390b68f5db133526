import { type CredentialLimitsInput, type Permission, permissionNames } from '@postrider/contract'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { holdMembership } from '../members/member-store.ts'
import { readLimits } from '../keys/read-limits.ts'
import type { RecordAct } from '../operations/act.ts'
import type { Db } from '../platform/db.ts'
import { listWorkspacesOf } from '../members/membership-store.ts'
import { holdSession, type SignedIn } from '../sign-in/session-store.ts'
import { ChangedMeanwhile } from '../operations/changed-meanwhile.ts'
import { isRefusal, refuse, type Refusal } from '../operations/refusal.ts'
import { knownPermissions } from './client-registration.ts'
import { shownName } from './client-name.ts'
import { noteUse } from './artifact-store.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { putGrant } from './app-grant-store.ts'

/** What a client asks a person for. */
export type ConsentRequest = {
  readonly uid: string
  readonly clientId: string
  readonly clientName: string
  /** Whether the client named itself, so that its name proves nothing; else its metadata document is at its own host. */
  readonly selfNamed: boolean
  /** Where the answer goes: a host, or an application's scheme. */
  readonly clientOrigin: string
  readonly redirectUri: string
  readonly permissions: readonly Permission[]
  readonly resource: string
}

const FOREIGN_CHANNEL =
  "You chose a channel that this workspace doesn't have. Choose only channels of this workspace."

export type Decider = SignedIn & {
  readonly address: string
  readonly requestId: string
}

/** What a person lets a client do, of what it asks for. */
export type Chosen = {
  readonly workspaceId: string
  readonly permissions: readonly string[]
  readonly limits: CredentialLimitsInput
  readonly days: number
}

type Exchange = { readonly req: IncomingMessage; readonly res: ServerResponse }

/** The request that this browser has open; null when it is over, or was begun in another browser. */
export async function readConsentRequest(
  server: AuthorizationServer,
  { req, res }: Exchange,
): Promise<ConsentRequest | null> {
  const interaction = await server.interactionDetails(req, res).catch(() => null)
  if (interaction === null) return null
  const { uid, params } = interaction
  const client = await server.Client.find(String(params['client_id']))
  if (client === undefined) return null
  const redirectUri = String(params['redirect_uri'])
  const scope = params['scope']
  return {
    uid,
    clientId: client.clientId,
    clientName: shownName(client.clientName) ?? originOf(redirectUri),
    selfNamed: !client.clientId.startsWith('https://'),
    clientOrigin: originOf(redirectUri),
    redirectUri,
    permissions: knownPermissions(typeof scope === 'string' ? scope : ''),
    resource: String(params['resource']),
  }
}

/** `example.com`, `127.0.0.1` or, of an application's own scheme, `cursor:`. */
export function originOf(address: string): string {
  const url = new URL(address)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.hostname : url.protocol
}

/**
 * Lets the client in with what the person has chosen, and sends the browser back to it. Tokens work
 * only once both are stored, the server's grant and our row; a death in between leaves nothing that works.
 */
export async function allowClient(
  parts: { readonly server: AuthorizationServer; readonly db: Db; readonly recordAct: RecordAct },
  exchange: Exchange,
  request: ConsentRequest,
  chosen: Chosen,
  decider: Decider,
): Promise<{ returnTo: string } | Refusal<'not_found' | 'validation_failed'>> {
  const { server, db, recordAct } = parts
  const permissions = request.permissions.filter((permission) => chosen.permissions.includes(permission))
  if (permissions.length === 0)
    return refuse('validation_failed', 'Tick at least one permission, or deny the request.')
  const workspaces = await listWorkspacesOf(db, decider.personId)
  const membership = workspaces.find(({ workspaceId }) => workspaceId === chosen.workspaceId)
  if (membership === undefined) return noMember()
  const { workspaceId, memberId } = membership
  const limits = await readLimits(db, workspaceId, chosen.limits)
  if (isRefusal(limits)) return refuse('validation_failed', FOREIGN_CHANNEL)

  const artifactGrantId = await saveGrant(server, request, { ...chosen, permissions }, decider)
  const decided = await db.begin(async (tx) => {
    const session = await holdSession(tx, decider)
    if (!session.fresh) throw new ChangedMeanwhile()
    // An app that is let in after its member was taken out would work when they come back.
    if ((await holdMembership(tx, workspaceId, memberId)) === null) return noMember()
    const { clientId, clientName, clientOrigin } = request
    const { days } = chosen
    const asked = { clientId, clientName, clientOrigin }
    const row = { workspaceId, memberId, artifactGrantId, ...asked, permissions, limits, days }
    const { grantId } = await putGrant(tx, row)
    await noteUse(tx, 'Client', clientId)
    await recordAct(tx, {
      workspaceId,
      actor: { type: 'person', id: decider.personId, name: decider.name, personId: decider.personId },
      action: 'connectApp',
      subject: { grantId },
      after: { clientName, clientOrigin, permissions, limits, days },
      address: decider.address,
      requestId: decider.requestId,
    })
    return { grantId }
  })
  if (isRefusal(decided)) return decided
  const result = { login: { accountId: decider.personId }, consent: { grantId: artifactGrantId } }
  return { returnTo: await server.interactionResult(exchange.req, exchange.res, result) }
}

/** Saves the library's own grant, and gives its id, which is a secret. */
function saveGrant(
  server: AuthorizationServer,
  { uid, clientId, resource }: ConsentRequest,
  { permissions, days }: Pick<Chosen, 'permissions' | 'days'>,
  { personId: accountId }: Decider,
): Promise<string> {
  const fresh = new server.Grant({ accountId, clientId })
  // One request is one grant, however often its form is sent.
  const grant = Object.assign(fresh, { jti: uid, expiresIn: days * 86_400 })
  // What is neither granted nor rejected would be asked for again.
  const rejected = permissionNames.filter((permission) => !permissions.includes(permission)).join(' ')
  grant.addOIDCScope(permissions.join(' '))
  grant.rejectOIDCScope(rejected)
  grant.addResourceScope(resource, permissions.join(' '))
  grant.rejectResourceScope(resource, rejected)
  return grant.save()
}

function noMember(): Refusal<'not_found'> {
  return refuse('not_found', 'You are no longer a member of this workspace. Choose another one.')
}

/** Sends the browser back to the client with `access_denied`. */
export function denyClient(server: AuthorizationServer, { req, res }: Exchange): Promise<string> {
  const denied = { error: 'access_denied', error_description: 'The person denied the request.' }
  return server.interactionResult(req, res, denied)
}
