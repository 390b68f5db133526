import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Login, Use } from './login.ts'
import { redirectOf, sayRedirect } from '@postrider/sdk'
import { CliError, exits } from './exits.ts'

type OAuthLogin = Extract<Login, { kind: 'oauth' }>

/** What of a server a login needs to know. */
export type AuthorizationServer = {
  /** The address that clients of the API use. */
  readonly baseUrl: string
  readonly resource: string
  readonly issuer: string
  readonly authorizationUrl: string
  /** Where a program without a browser asks for a code; null at a server that knows of none. */
  readonly deviceUrl: string | null
  readonly tokenUrl: string
  readonly registrationUrl: string | null
  readonly revocationUrl: string
}

const TIMEOUT_MS = 20_000
/** A login is for all of them; each has a token of its own. */
export const USES: readonly Use[] = ['api', 'tools']

/** The grant of a program whose person decides in a browser elsewhere (RFC 8628). */
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** The resource of a use, by that of the API. */
export function resourceFor(use: Use, resource: string): string {
  return use === 'api' ? resource : resource.replace(/\/agent\/v1$/, '/mcp')
}

/**
 * Asks a server where its people decide (RFC 9728, RFC 8414). What it says is a stranger's word until its people have decided: it is
 * taken for the server that was named and no other (RFC 9728, 3.3), and its addresses only where its issuer is.
 */
export async function discover(server: string): Promise<AuthorizationServer> {
  const { pathname } = new URL(server)
  const base = pathname === '/' ? '' : pathname
  const resource = await readJson(
    new URL(`/.well-known/oauth-protected-resource${base}/agent/v1`, server).href,
    server,
  )
  const audience = textIn(resource, 'resource')
  if (audience === null || !URL.canParse(audience) || !audience.endsWith('/agent/v1')) throw notOurs(server)
  const baseUrl = audience.replace(/\/agent\/v1$/, '')
  if (new URL(audience).href !== new URL(`${server}/agent/v1`).href) throw otherServer(server, baseUrl)
  const issuer = (resource['authorization_servers'] as readonly unknown[] | undefined)?.[0]
  if (typeof issuer !== 'string' || !URL.canParse(issuer)) throw notOurs(server)
  if (!isPrivate(issuer)) throw unsafe(server, issuer)
  const place = new URL(issuer)
  const metadata = await readJson(
    `${place.origin}/.well-known/oauth-authorization-server${place.pathname}`,
    server,
  )
  if (metadata['issuer'] !== issuer) throw notOurs(server)
  const address = (name: string) => addressAt(issuer, server, metadata[name])
  const needed = (name: string) => {
    const found = address(name)
    if (found === null) throw notOurs(server)
    return found
  }
  return {
    baseUrl,
    resource: audience,
    issuer,
    authorizationUrl: needed('authorization_endpoint'),
    deviceUrl: address('device_authorization_endpoint'),
    tokenUrl: needed('token_endpoint'),
    registrationUrl: address('registration_endpoint'),
    revocationUrl: needed('revocation_endpoint'),
  }
}

/** An address that a server names: null for none. Throws for one that is not at the origin of its issuer. */
function addressAt(issuer: string, server: string, address: unknown): string | null {
  if (address === undefined || address === null) return null
  if (typeof address !== 'string' || !URL.canParse(address)) throw notOurs(server)
  if (new URL(address).origin !== new URL(issuer).origin) throw unsafe(server, address)
  return address
}

/** Whether nobody on the way reads what is sent there: https, or http that stays on this machine. */
function isPrivate(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

function otherServer(server: string, named: string): CliError {
  return new CliError(
    exits.failed,
    `${server} says that its address is ${named}. If you trust that one, log in there: \`postrider login ${named}\`. Else check BASE_URL on the server.`,
  )
}

function unsafe(server: string, address: string): CliError {
  return new CliError(
    exits.failed,
    `${server} names ${address} for the login, which is not at its own https address. Nothing was opened or stored.`,
  )
}

function textIn(metadata: Json, name: string): string | null {
  const value = metadata[name]
  return typeof value === 'string' ? value : null
}

/** Registers this program (RFC 7591), and gives its client id. Without an address to be called back at, it shows a code. */
export async function register(
  { baseUrl, registrationUrl }: AuthorizationServer,
  { name, redirectUri }: { name: string; redirectUri: string | null },
): Promise<string> {
  if (registrationUrl === null) {
    throw new CliError(
      exits.credential,
      'This server does not let programs register themselves (OAUTH_REGISTRATION). Log in with a key: `postrider login <address> --key`.',
    )
  }
  const answer = await send(registrationUrl, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: name,
      ...(redirectUri === null
        ? { grant_types: [DEVICE_GRANT, 'refresh_token'], response_types: [] }
        : { redirect_uris: [redirectUri] }),
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    }),
  })
  const clientId = textIn(answer, 'client_id')
  if (clientId === null) throw notOurs(baseUrl)
  return clientId
}

/** A secret that only the program which asked for a code knows (PKCE, RFC 7636). */
export function newProof(): { verifier: string; challenge: string; state: string } {
  const verifier = randomBytes(32).toString('base64url')
  return {
    verifier,
    challenge: createHash('sha256').update(verifier).digest('base64url'),
    state: randomBytes(16).toString('base64url'),
  }
}

/** Exchanges a code for tokens. */
export async function exchangeCode(
  server: AuthorizationServer,
  given: { clientId: string; code: string; verifier: string; redirectUri: string },
): Promise<OAuthLogin> {
  const { tokenUrl, revocationUrl, resource } = server
  const tokens = await askForTokens(tokenUrl, {
    grant_type: 'authorization_code',
    client_id: given.clientId,
    code: given.code,
    code_verifier: given.verifier,
    redirect_uri: given.redirectUri,
    resource,
  })
  return { kind: 'oauth', clientId: given.clientId, tokenUrl, revocationUrl, resource, ...tokens }
}

/** What a person is shown who decides elsewhere, and how often to ask what they have decided. */
export type DeviceCode = {
  readonly deviceCode: string
  readonly userCode: string
  readonly page: string
  readonly expiresInSeconds: number
  readonly intervalSeconds: number
}

/** Asks for a code to show (RFC 8628). */
export async function askForCode(server: AuthorizationServer, clientId: string): Promise<DeviceCode> {
  const { deviceUrl, resource } = server
  if (deviceUrl === null) throw new CliError(exits.failed, `${server.baseUrl} is too old for \`--device\`.`)
  const body = new URLSearchParams({ client_id: clientId })
  for (const use of USES) body.append('resource', resourceFor(use, resource))
  const answer = await send(deviceUrl, { body })
  const [deviceCode, userCode, page] = [
    textIn(answer, 'device_code'),
    textIn(answer, 'user_code'),
    addressAt(server.issuer, server.baseUrl, answer['verification_uri']),
  ]
  if (deviceCode === null || page === null || userCode === null || !USER_CODE.test(userCode))
    throw notOurs(server.baseUrl)
  return {
    deviceCode,
    userCode,
    page,
    expiresInSeconds: secondsIn(answer, 'expires_in', LONGEST_CODE_SECONDS),
    intervalSeconds: secondsIn(answer, 'interval', USUAL_INTERVAL_SECONDS),
  }
}

/** Anything else could be read as a sentence of ours. */
const USER_CODE = /^[A-Z0-9-]{4,20}$/
const LONGEST_CODE_SECONDS = 1_800
/** Where the server names none (RFC 8628, section 3.2). */
const USUAL_INTERVAL_SECONDS = 5

function secondsIn(answer: Json, name: string, otherwise: number): number {
  const seconds = Number(answer[name] ?? otherwise)
  return seconds >= 1 && seconds <= LONGEST_CODE_SECONDS ? seconds : otherwise
}

/** By so much longer a program waits that is told to slow down (RFC 8628, section 3.5), or gets no answer. */
const SLOWER_SECONDS = 5

/** Waits for the decision about a code, and gives the tokens. */
export async function awaitDecision(
  server: AuthorizationServer,
  clientId: string,
  code: DeviceCode,
  signal: AbortSignal,
): Promise<OAuthLogin> {
  const { tokenUrl, revocationUrl, resource } = server
  const endsAt = Date.now() + code.expiresInSeconds * 1_000
  let interval = code.intervalSeconds
  while (Date.now() < endsAt) {
    await pause(interval * 1_000, signal)
    try {
      const tokens = await askForTokens(tokenUrl, {
        grant_type: DEVICE_GRANT,
        client_id: clientId,
        device_code: code.deviceCode,
        resource,
      })
      return { kind: 'oauth', clientId, tokenUrl, revocationUrl, resource, ...tokens }
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      const said = (error.facts as { code?: unknown }).code
      if (said === 'authorization_pending') continue
      if (said === 'slow_down' || error.exit === exits.unavailable) interval += SLOWER_SECONDS
      else throw said === 'expired_token' ? tooLate() : decided(said, error)
    }
  }
  throw tooLate()
}

function tooLate(): CliError {
  return new CliError(
    exits.credential,
    'The code was not allowed in time. Run `postrider login --device` again for another one.',
    { code: 'expired_token' },
  )
}

function decided(code: unknown, error: CliError): CliError {
  const said =
    code === 'access_denied'
      ? 'The login was denied.'
      : code === 'invalid_grant'
        ? 'The code has expired. If it was allowed, the answer was lost: run `postrider login --device` again.'
        : error.message
  return new CliError(exits.credential, said, { code })
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return delay(milliseconds, undefined, { signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error
  })
}

/** Renews the tokens of a login, or asks for one of another use. */
export async function refreshLogin(login: OAuthLogin, use: Use): Promise<OAuthLogin> {
  const { accessToken, expiresAt, refreshToken } = await askForTokens(login.tokenUrl, {
    grant_type: 'refresh_token',
    client_id: login.clientId,
    refresh_token: login.refreshToken,
    resource: resourceFor(use, login.resource),
  })
  const token = { accessToken, expiresAt }
  return use === 'api' ? { ...login, ...token, refreshToken } : { ...login, tools: token, refreshToken }
}

/** Ends a login at the server. */
export async function revoke({ revocationUrl, clientId, refreshToken }: OAuthLogin): Promise<void> {
  const body = new URLSearchParams({ client_id: clientId, token: refreshToken })
  await fetch(revocationUrl, {
    method: 'POST',
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'error',
  })
}

async function askForTokens(url: string, fields: Record<string, string>) {
  const tokens = await send(url, { body: new URLSearchParams(fields) })
  const [accessToken, refreshToken] = [textIn(tokens, 'access_token'), textIn(tokens, 'refresh_token')]
  const expiresAt = Date.now() + Number(tokens['expires_in']) * 1_000
  if (accessToken === null || refreshToken === null || !Number.isFinite(expiresAt))
    throw notOurs(new URL(url).origin)
  return { accessToken, expiresAt, refreshToken }
}

type Json = Readonly<Record<string, unknown>>

async function send(url: string, request: RequestInit): Promise<Json> {
  const response = await reach(url, { ...request, method: 'POST' })
  const answer = (await response.json().catch(() => ({}))) as Json
  if (response.ok && typeof answer === 'object' && answer !== null) return answer
  const said = (answer['error_description'] ?? answer['detail'] ?? answer['error'] ?? response.status) as
    | string
    | number
  const code = answer['error']
  throw new CliError(
    response.status >= 500 || response.status === 429 ? exits.unavailable : exits.credential,
    code === 'invalid_grant' || code === 'invalid_target'
      ? `The login has ended (${said}). Run \`postrider login\` again.`
      : `The server refused the login: ${said}.`,
    { code },
  )
}

async function readJson(url: string, server: string): Promise<Json> {
  const response = await reach(url, {})
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  if (!response.ok || !isJson) throw notOurs(server)
  const answer: unknown = await response.json().catch(() => null)
  if (typeof answer !== 'object' || answer === null) throw notOurs(server)
  return answer as Json
}

async function reach(url: string, request: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (cause) {
    const reason =
      cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause)
    throw new CliError(exits.unavailable, `No answer from ${new URL(url).origin}: ${reason}.`)
  }
  const { origin, pathname, search } = new URL(url)
  const redirect = redirectOf(response, origin, pathname + search)
  if (redirect !== null) throw new CliError(exits.unavailable, sayRedirect(redirect, origin))
  return response
}

function notOurs(server: string): CliError {
  return new CliError(
    exits.failed,
    `${server} does not answer like a Postrider server. Check the address, and whether the server is up to date.`,
  )
}
