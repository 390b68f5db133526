import { createHash, timingSafeEqual } from 'node:crypto'
import { roleHas } from '@postrider/contract/names'
import { findMembership, holdMembership } from '../../people/members/member-store.ts'
import { hashSecret, newSecret } from '../../platform/sealing/bearer-secret.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import type { Json } from '../../networks/providers/port/calls.ts'
import type {
  Adapter,
  AuthorizeVerdict,
  ConnectFields,
  Grant,
  NetworkClient,
  Provider,
} from '../../networks/providers/port/port.ts'
import { runProcedure, type Procedure } from '../../networks/providers/port/procedure.ts'
import {
  connectAccounts,
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
  findChoice,
  flowContext,
  holdFlow,
  insertFlow,
  letChoose,
  sendToNetwork,
  takeChoice,
  takeReturn,
  type ChoosingFlow,
  type OpenFlow,
  type ReturnedFlow,
} from './connect-flow-store.ts'

/** What a flow keeps while the person is at the network. Sealed. */
type StoredTransit = { readonly codeVerifier: string; readonly client: NetworkClient; readonly kept: Json }

type Grants = readonly [Grant, ...Grant[]]

/** What a flow keeps while the person chooses. Sealed. */
type StoredChoice = { readonly grants: Grants }

const MAX_CALLS = 20
/** How long the owner may be kept waiting for a network that does not know yet what it has just given out. */
const MAX_WAIT_MS = 20_000

/** How the way to the network began, and as which client. */
type Begun =
  | (Extract<AuthorizeVerdict, { is: 'authorize' }> & { readonly client: NetworkClient })
  | Exclude<AuthorizeVerdict, { is: 'authorize' }>
  | NotConnected

/**
 * Makes a link that connects accounts by one sign-in, once, within ten minutes. Its holder may use it, from one browser.
 * `wanted` names the accounts to connect where that sign-in gives several; without it, they are chosen after it.
 */
export async function makeLink(
  { db }: { readonly db: Sql },
  { workspaceId, channelId, actor }: ConnectTarget,
  provider: string,
  baseUrl: string,
  fields: ConnectFields = {},
  wanted: readonly string[] = [],
): Promise<{ id: string; url: string }> {
  const id = uuidv7()
  const token = newSecret()
  const linkHash = hashSecret(token)
  await insertFlow(db, { id, workspaceId, provider, channelId, fields, actor, wanted, linkHash })
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

/** The browser came back with several accounts: it goes on to choose of them. */
export type ToChoose = { readonly is: 'choose'; readonly flowId: string }

/**
 * Ends the way back from the network. The state has to be one that we drew, not used before, and the browser the one
 * that was sent away.
 */
export async function finishFlow(
  parts: ConnectParts,
  provider: Provider,
  callback: Readonly<Record<string, string>>,
  cookieOf: CookieOf,
): Promise<ConnectResult | ToChoose> {
  const { db } = parts
  const found = await findByState(db, provider.provider, hashSecret(callback['state'] ?? ''))
  if (found === null) return OVER
  if (!isSameBrowser(found, cookieOf)) return ANOTHER_BROWSER
  const flow = await takeReturn(db, found.id)
  if (flow === null) return OVER

  const result = await exchange(parts, provider, flow, callback).catch(async (fault: unknown) => {
    // The command that waits for this flow hears that nothing more will come of it; the fault is for the log.
    await endFlow(db, flow.id, FAILED).catch(() => {})
    throw fault
  })
  if (result.is !== 'choose') await endWith(db, flow.id, result)
  return result
}

type CookieOf = (name: string) => string | undefined

function isSameBrowser(
  { id, browserHash }: { readonly id: string; readonly browserHash: Buffer },
  cookieOf: CookieOf,
): boolean {
  const cookie = cookieOf(cookieName(id))
  return cookie !== undefined && timingSafeEqual(hashSecret(cookie), browserHash)
}

async function endWith(db: Sql, flowId: string, result: ConnectResult): Promise<void> {
  const outcome =
    result.is === 'unavailable' ? ({ ...result, is: 'refused', code: 'unavailable' } as const) : result
  await endFlow(db, flowId, outcome)
}

async function exchange(
  parts: ConnectParts,
  provider: Provider,
  flow: ReturnedFlow,
  callback: Readonly<Record<string, string>>,
): Promise<ConnectResult | ToChoose> {
  if (callback['error'] !== undefined) return deniedBy(provider, callback['error'])
  const adapter = await provider.load()
  if (adapter.oauth === null || callback['code'] === undefined) return INCOMPLETE
  const sealed = parts.keyring.unseal(flow.keptSealed, flowContext(flow.id))
  const { kept, codeVerifier, client } = JSON.parse(sealed.toString()) as StoredTransit
  const redirectUri = parts.clients.redirectUri(provider.provider)
  const work = { client, redirectUri, codeVerifier, kept, callback, now: new Date() }
  const verdict = await run(parts, provider, adapter.oauth.exchange, work, {})
  if (verdict.is === 'connected') return connectWhilePermitted(parts, flow, adapter, [verdict])
  if (verdict.is !== 'granted') return verdict
  const { grants } = verdict
  if (flow.wanted.length > 0) {
    const wanted = accountsNamed(grants, flow.wanted)
    return 'is' in wanted ? wanted : connectWhilePermitted(parts, flow, adapter, wanted)
  }
  // A channel that is connected again takes its own account; of one account there is nothing to choose.
  if (flow.channelId !== null || grants.length === 1)
    return connectWhilePermitted(parts, flow, adapter, grants)
  const choice: StoredChoice = { grants }
  const grantsSealed = parts.keyring.seal(JSON.stringify(choice), flowContext(flow.id))
  return (await letChoose(parts.db, flow.id, grantsSealed)) ? { is: 'choose', flowId: flow.id } : OVER
}

/** The accounts that were named, by id, handle or name; each name has to mean one of them. */
function accountsNamed(grants: Grants, names: readonly string[]): Grants | NotConnected {
  const named = names.map((name) => {
    const wanted = name.replace(/^@/, '').toLowerCase()
    const byId = grants.filter(({ account }) => account.remoteAccountId === name)
    return byId.length > 0
      ? byId
      : grants.filter(({ account: { handle, displayName } }) =>
          [handle.toLowerCase(), displayName.toLowerCase()].includes(wanted),
        )
  })
  const wrong = named.findIndex((found) => found.length !== 1)
  if (wrong === -1) {
    const [first, ...others] = new Set(named.flat())
    if (first !== undefined) return [first, ...others]
  }
  const there = grants.map(({ account }) => `${account.displayName} (${account.remoteAccountId})`).join(', ')
  const detail = `“${names[wrong]}” is not exactly one of the accounts that access was given to: ${there}. Nothing was connected.`
  return { is: 'refused', code: 'no_such_account', detail }
}

/** The accounts that a browser which came back can choose of, and what its flow is for. */
export type Choice = {
  readonly flow: ChoosingFlow
  readonly grants: Grants
}

/** The choice that a browser has; for another browser, and once it is over, why there is none. */
export async function openChoice(
  { db, keyring }: Pick<ConnectParts, 'db' | 'keyring'>,
  { provider }: Provider,
  flowId: string,
  cookieOf: CookieOf,
): Promise<Choice | NotConnected> {
  const flow = UUID.test(flowId) ? await findChoice(db, provider, flowId) : null
  if (flow === null) return OVER
  if (!isSameBrowser(flow, cookieOf)) return ANOTHER_BROWSER
  const { grants } = JSON.parse(
    keyring.unseal(flow.keptSealed, flowContext(flow.id)).toString(),
  ) as StoredChoice
  return { flow, grants }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Connects the accounts that were chosen, once; null where none was chosen, which leaves the choice as it is. */
export async function choose(
  parts: ConnectParts,
  provider: Provider,
  { flow, grants }: Choice,
  chosen: readonly string[],
): Promise<ConnectResult | null> {
  const [first, ...others] = grants.filter(({ account }) => chosen.includes(account.remoteAccountId))
  if (first === undefined) return null
  const adapter = await provider.load()
  const wanted: Grants = [first, ...others]
  const result = await connectWhilePermitted(parts, flow, adapter, wanted, takeChoice)
  // Another choice may have been taken meanwhile: its own outcome stays.
  if (result !== OVER) await endWith(parts.db, flow.id, result)
  return result
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
  flow: Pick<ReturnedFlow, 'id' | 'workspaceId' | 'channelId' | 'actor'>,
  adapter: Adapter,
  grants: Grants,
  hold: (tx: Tx, flowId: string) => Promise<boolean> = holdFlow,
): Promise<ConnectResult> {
  const { workspaceId, actor } = flow
  const permit = async (tx: Tx) => {
    if (!(await hold(tx, flow.id))) throw new NotPermitted(OVER)
    if (actor.personId !== null && !(await mayConnect(tx, workspaceId, actor.personId)))
      throw new NotPermitted(NOT_PERMITTED)
  }
  try {
    return await connectAccounts(parts, flow, adapter, grants, permit)
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
  const limits = { maxCalls: MAX_CALLS, maxWaitMs: MAX_WAIT_MS }
  const ran = await runProcedure(procedure, work, tools, { signal, ...limits })
  if (ran.is === 'done') return ran.outcome
  if (ran.is === 'fault') throw ran.fault
  if (ran.is === 'silent') return unanswered(provider, ran.answer.reason, fields)
  return {
    is: 'unavailable',
    detail: `${provider.displayName} needed too many requests to connect. Try again later.`,
  }
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
