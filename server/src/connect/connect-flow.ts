import { createHash, timingSafeEqual } from 'node:crypto'
import { roleHas } from '@postrider/contract/names'
import { v7 as uuidv7 } from 'uuid'
import { findMembership, holdMembership } from '../members/member-store.ts'
import type { RecordAct } from '../operations/act.ts'
import { hashSecret, newSecret } from '../platform/bearer-secret.ts'
import type { Sql, Tx } from '../platform/db.ts'
import type { Json } from '../providers/calls.ts'
import type {
  Adapter,
  AuthorizeVerdict,
  ConnectFields,
  ConnectVerdict,
  NetworkClient,
  Provider,
} from '../providers/port.ts'
import { runProcedure, type Procedure } from '../providers/procedure.ts'
import {
  connectAccount,
  type ConnectParts,
  type ConnectResult,
  type ConnectTarget,
  type NotConnected,
} from './connect-account.ts'
import { unanswered } from './connect-by-form.ts'
import { readFields } from './connect-fields.ts'
import {
  endFlow,
  findByLink,
  findByState,
  flowContext,
  holdFlow,
  insertFlow,
  sendToNetwork,
  takeReturn,
  type OpenFlow,
  type ReturnedFlow,
} from './connect-flow-store.ts'

/** What a flow keeps while the person is at the network. Sealed. */
type StoredTransit = { readonly codeVerifier: string; readonly client: NetworkClient; readonly kept: Json }

const MAX_CALLS = 20

/** How the way to the network began, and as which client. */
type Begun =
  | (Extract<AuthorizeVerdict, { is: 'authorize' }> & { readonly client: NetworkClient })
  | Exclude<AuthorizeVerdict, { is: 'authorize' }>
  | NotConnected

/** Makes a link that connects one account, once, within ten minutes. Its holder may use it, from one browser. */
export async function makeLink(
  { db }: { readonly db: Sql },
  { workspaceId, channelId, actor }: ConnectTarget,
  provider: string,
  baseUrl: string,
  fields: ConnectFields = {},
): Promise<{ id: string; url: string }> {
  const id = uuidv7()
  const token = newSecret()
  await insertFlow(db, { id, workspaceId, provider, channelId, fields, actor, linkHash: hashSecret(token) })
  return { id, url: `${baseUrl}/connect/${provider}?link=${token}` }
}

/** The flow that a link opens; null when it was used, is over, or never was. */
export function openLink(
  { db }: Pick<ConnectParts, 'db'>,
  provider: string,
  token: string,
): Promise<OpenFlow | null> {
  return findByLink(db, provider, hashSecret(token))
}

/** Where the browser goes next, and the cookie by which it is known when it comes back. */
export type SentToNetwork = {
  readonly is: 'authorize'
  readonly url: URL
  readonly cookie: { readonly name: string; readonly value: string }
}

/**
 * Prepares the way to the network for a link: PKCE and state are drawn here, and kept with the flow. What a person
 * filled in wrong leaves the link usable.
 */
export async function startFlow(
  parts: ConnectParts,
  provider: Provider,
  flow: OpenFlow,
  given: Readonly<Record<string, unknown>>,
): Promise<SentToNetwork | NotConnected> {
  const { db, keyring, clients } = parts
  const adapter = await provider.load()
  const { oauth } = adapter
  const schema = provider.connecting.oauth?.fields
  if (oauth === null || schema === undefined) {
    return {
      is: 'refused',
      code: 'no_oauth',
      detail: `${provider.displayName} is not connected in this way.`,
    }
  }
  const read = readFields(schema, { ...flow.fields, ...given })
  if (!('fields' in read)) return { is: 'refused', code: 'invalid_field', ...read }
  const { fields } = read
  const server = oauth.server(fields)
  if (typeof server !== 'string') return server
  const state = newSecret()
  const codeVerifier = newSecret()
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const redirectUri = clients.redirectUri(provider.provider)
  const authorize = async (): Promise<Begun> => {
    const known = await clients.at(adapter, server)
    if (known.is !== 'client') return known
    const { client } = known
    const work = { fields, client, redirectUri, state, codeChallenge, now: new Date() }
    const verdict = await run(parts, provider, oauth.authorize, work, work.fields)
    return verdict.is === 'authorize' ? { ...verdict, client } : verdict
  }
  let begun = await authorize()
  if (begun.is === 'unknown_client') {
    await clients.forget(adapter, server)
    begun = await authorize()
  }
  if (begun.is === 'unknown_client') {
    return {
      is: 'unavailable',
      detail: `${server} forgets the apps that are registered there. Try again later.`,
    }
  }
  if (begun.is !== 'authorize') return begun

  const browser = newSecret()
  const transit: StoredTransit = { codeVerifier, client: begun.client, kept: begun.kept }
  const stored = await sendToNetwork(db, flow.id, {
    stateHash: hashSecret(state),
    browserHash: hashSecret(browser),
    keptSealed: keyring.seal(JSON.stringify(transit), flowContext(flow.id)),
  })
  if (!stored) return OVER
  return { is: 'authorize', url: begun.url, cookie: { name: cookieName(flow.id), value: browser } }
}

/**
 * Ends the way back from the network. The state has to be one that we drew, not used before, and the browser the one
 * that was sent away.
 */
export async function finishFlow(
  parts: ConnectParts,
  provider: Provider,
  callback: Readonly<Record<string, string>>,
  cookieOf: (name: string) => string | undefined,
): Promise<ConnectResult> {
  const { db } = parts
  const found = await findByState(db, provider.provider, hashSecret(callback['state'] ?? ''))
  if (found === null) return OVER
  const cookie = cookieOf(cookieName(found.id))
  if (cookie === undefined || !timingSafeEqual(hashSecret(cookie), found.browserHash)) return ANOTHER_BROWSER
  const flow = await takeReturn(db, found.id)
  if (flow === null) return OVER

  const result = await exchange(parts, provider, flow, callback).catch(async (fault: unknown) => {
    // The command that waits for this flow hears that nothing more will come of it; the fault is for the log.
    await endFlow(db, flow.id, FAILED).catch(() => {})
    throw fault
  })
  const outcome =
    result.is === 'unavailable' ? ({ ...result, is: 'refused', code: 'unavailable' } as const) : result
  await endFlow(db, flow.id, outcome)
  return result
}

async function exchange(
  parts: ConnectParts,
  provider: Provider,
  flow: ReturnedFlow,
  callback: Readonly<Record<string, string>>,
): Promise<ConnectResult> {
  if (callback['error'] !== undefined) return deniedBy(provider, callback['error'])
  const adapter = await provider.load()
  if (adapter.oauth === null || callback['code'] === undefined) return INCOMPLETE
  const sealed = parts.keyring.unseal(flow.keptSealed, flowContext(flow.id))
  const { kept, codeVerifier, client } = JSON.parse(sealed.toString()) as StoredTransit
  const redirectUri = parts.clients.redirectUri(provider.provider)
  const work = { client, redirectUri, codeVerifier, kept, callback, now: new Date() }
  const verdict = await run(parts, provider, adapter.oauth.exchange, work, {})
  return verdict.is === 'connected' ? connectWhilePermitted(parts, flow, adapter, verdict) : verdict
}

/** Rolls back what is stored by a flow that may no longer connect an account. */
class NotPermitted extends Error {
  override name = 'NotPermitted'
  readonly refusal: NotConnected

  constructor(refusal: NotConnected) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

/** Nothing is stored when the flow was ended while the network was asked, or the person who made the link has lost the right. */
async function connectWhilePermitted(
  parts: ConnectParts,
  flow: ReturnedFlow,
  adapter: Adapter,
  verdict: ConnectVerdict,
): Promise<ConnectResult> {
  const { workspaceId, actor } = flow
  const recordAct: RecordAct = async (tx, act) => {
    // An act is recorded in the transaction of its change.
    if (!(await holdFlow(tx as Tx, flow.id))) throw new NotPermitted(OVER)
    if (actor.personId !== null && !(await mayConnect(tx as Tx, workspaceId, actor.personId)))
      throw new NotPermitted(NOT_PERMITTED)
    await parts.recordAct(tx, act)
  }
  try {
    return await connectAccount({ ...parts, recordAct }, flow, adapter, verdict)
  } catch (fault) {
    if (fault instanceof NotPermitted) return fault.refusal
    throw fault
  }
}

/** Whether a person may connect accounts to a workspace: they keep the right until the transaction ends. */
async function mayConnect(tx: Tx, workspaceId: string, personId: string): Promise<boolean> {
  const member = await findMembership(tx, workspaceId, personId)
  const role = member === null ? null : await holdMembership(tx, workspaceId, member.memberId)
  return role !== null && roleHas(role, 'channels:manage')
}

async function run<Work, Outcome>(
  { tools }: ConnectParts,
  provider: Provider,
  procedure: Procedure<Work, Outcome>,
  work: Work,
  fields: ConnectFields,
): Promise<Outcome | NotConnected> {
  const { signal } = new AbortController()
  const ran = await runProcedure(procedure, work, tools, { signal, maxCalls: MAX_CALLS, maxWaitMs: 0 })
  if (ran.is === 'done') return ran.outcome
  if (ran.is === 'fault') throw ran.fault
  if (ran.is === 'silent') return unanswered(provider, ran.answer.reason, fields)
  return { is: 'unavailable', detail: `${provider.displayName} asked for too many requests.` }
}

/** The owner's no: RFC 6749, 4.1.2.1, and LinkedIn's own words (shared/authentication/authorization-code-flow). */
const REFUSED_BY_OWNER: readonly string[] = [
  'access_denied',
  'user_cancelled_authorize',
  'user_cancelled_login',
]

/** Every other error is a fault of ours or theirs. */
function deniedBy({ displayName }: Provider, error: string): NotConnected {
  if (REFUSED_BY_OWNER.includes(error)) {
    const detail = `${displayName} reports that access was refused. Nothing was connected. Create a new link to try again.`
    return { is: 'refused', code: 'denied', detail }
  }
  const name = /^[a-z_]{1,60}$/.test(error) ? error : 'an unknown error'
  const detail = `${displayName} ended the sign-in with ${name}. Nothing was connected. Create a new link to try again.`
  return { is: 'refused', code: 'authorization_failed', detail }
}

const OVER: NotConnected = {
  is: 'refused',
  code: 'flow_over',
  detail: 'This sign-in expired. Create a new link.',
}
const ANOTHER_BROWSER: NotConnected = {
  is: 'refused',
  code: 'another_browser',
  detail:
    'This sign-in began in another browser, or this browser blocks cookies for this site. Open the link again in the browser where you sign in.',
}
const NOT_PERMITTED: NotConnected = {
  is: 'refused',
  code: 'not_permitted',
  detail:
    'The person who created this link can no longer connect accounts to its workspace. Nothing was connected. Ask an owner for a new link.',
}
const FAILED = {
  is: 'refused',
  code: 'server_fault',
  detail:
    'This server failed when the sign-in came back from the network. Check the list of channels to see whether the account is connected. If not, create a new link and connect again.',
} as const
const INCOMPLETE: NotConnected = {
  is: 'refused',
  code: 'authorization_failed',
  detail:
    'The network sent neither a code nor a reason. Nothing was connected. Create a new link to try again.',
}

function cookieName(flowId: string): string {
  return `postrider-connect-${flowId}`
}
