import { type CredentialLimitsInput, type Permission, permissionNames } from '@postrider/contract'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { holdMembership } from '../members/member-store.ts'
import { readLimits } from '../keys/read-limits.ts'
import type { RecordAct } from '../../edge/operations/act.ts'
import type { Db, Tx } from '../../platform/postgres/db.ts'
import { listWorkspacesOf } from '../members/membership-store.ts'
import { holdSession, type SignedIn } from '../sign-in/session/session-store.ts'
import { ChangedMeanwhile } from '../../edge/operations/changed-meanwhile.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { knownPermissions } from './client-registration.ts'
import { shownName } from './client-name.ts'
import { noteUse } from './artifact-store.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { putGrant } from './app-grant-store.ts'

/** What a client asks a person for. */
export type AccessRequest = {
  readonly clientId: string
  readonly clientName: string
  /** Whether the client named itself, so that its name proves nothing; else its metadata document is at its own host. */
  readonly selfNamed: boolean
  /** Where the answer goes: a host, an application's scheme, or the address of a device. */
  readonly clientOrigin: string
  readonly permissions: readonly Permission[]
  /** What its tokens are to be for. */
  readonly resources: readonly string[]
}

/** A client that sent the browser to this page, and gets it back with the answer. */
export type ConsentRequest = AccessRequest & { readonly uid: string; readonly redirectUri: string }

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
  return {
    uid,
    redirectUri,
    ...accessRequest(client, params, originOf(redirectUri)),
  }
}

/** What a client asks for by these parameters, from there. */
export function accessRequest(
  { clientId, clientName }: { readonly clientId: string; readonly clientName?: string | undefined },
  { scope, resource }: Readonly<Record<string, unknown>>,
  clientOrigin: string,
): AccessRequest {
  return {
    clientId,
    clientOrigin,
    clientName: shownName(clientName) ?? clientOrigin,
    selfNamed: !clientId.startsWith('https://'),
    permissions: knownPermissions(typeof scope === 'string' ? scope : ''),
    resources: [resource].flat().map(String),
  }
}

/** `example.com`, `127.0.0.1` or, of an application's own scheme, `cursor:`. */
export function originOf(address: string): string {
  const url = new URL(address)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.hostname : url.protocol
}

export type DecisionParts = {
  readonly server: AuthorizationServer
  readonly db: Db
  readonly recordAct: RecordAct
}

/** Lets the client in with what the person has chosen, and sends the browser back to it. */
export async function allowClient(
  parts: DecisionParts,
  { req, res }: Exchange,
  request: ConsentRequest,
  chosen: Chosen,
  decider: Decider,
): Promise<{ returnTo: string } | Refusal<'not_found' | 'validation_failed'>> {
  // One request is one grant, however often its form is sent.
  const allowed = await grantAccess(parts, { ...request, grantId: request.uid }, chosen, decider)
  if (isRefusal(allowed)) return allowed
  const result = {
    login: { accountId: decider.personId },
    consent: { grantId: allowed.artifactGrantId },
  }
  return { returnTo: await parts.server.interactionResult(req, res, result) }
}

export type Granted = { readonly artifactGrantId: string; readonly permissions: readonly Permission[] }

/**
 * Stores what a person lets a client do. Tokens work only once both are stored, the server's grant and our row; a death in
 * between leaves nothing that works. `alongside` is written in the same transaction, before anything else of it.
 */
export async function grantAccess(
  parts: DecisionParts,
  request: AccessRequest & { readonly grantId?: string },
  chosen: Chosen,
  decider: Decider,
  alongside: (tx: Tx, granted: Granted) => Promise<Refusal<'not_found'> | null> = () => Promise.resolve(null),
): Promise<Granted | Refusal<'not_found' | 'validation_failed'>> {
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
  const granted = { artifactGrantId, permissions }
  return db.begin(async (tx) => {
    const session = await holdSession(tx, decider)
    if (!session.fresh) throw new ChangedMeanwhile()
    // An app that is let in after its member was taken out would work when they come back.
    if ((await holdMembership(tx, workspaceId, memberId)) === null) return noMember()
    const refused = await alongside(tx, granted)
    if (refused !== null) return refused
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
    return granted
  })
}

/** Saves the library's own grant, and gives its id, which is a secret. */
function saveGrant(
  server: AuthorizationServer,
  { grantId, clientId, resources }: AccessRequest & { readonly grantId?: string },
  { permissions, days }: Pick<Chosen, 'permissions' | 'days'>,
  { personId: accountId }: Decider,
): Promise<string> {
  const fresh = new server.Grant({ accountId, clientId })
  const grant = Object.assign(
    fresh,
    { expiresIn: days * 86_400 },
    grantId === undefined ? {} : { jti: grantId },
  )
  // What is neither granted nor rejected would be asked for again.
  const rejected = permissionNames.filter((permission) => !permissions.includes(permission)).join(' ')
  grant.addOIDCScope(permissions.join(' '))
  grant.rejectOIDCScope(rejected)
  for (const resource of resources) {
    grant.addResourceScope(resource, permissions.join(' '))
    grant.rejectResourceScope(resource, rejected)
  }
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
