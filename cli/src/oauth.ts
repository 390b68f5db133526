import { createHash, randomBytes } from 'node:crypto'
import type { Login } from './credentials.ts'
import { CliError, exits } from './exits.ts'

type OAuthLogin = Extract<Login, { kind: 'oauth' }>

/** What of a server a login needs to know. */
export type AuthorizationServer = {
  /** The address that clients of the API use. */
  readonly baseUrl: string
  readonly resource: string
  readonly issuer: string
  readonly authorizationUrl: string
  readonly tokenUrl: string
  readonly registrationUrl: string | null
  readonly revocationUrl: string
}

const TIMEOUT_MS = 20_000

/** Asks a server where its people decide (RFC 9728, RFC 8414). */
export async function discover(server: string): Promise<AuthorizationServer> {
  const { pathname } = new URL(server)
  const base = pathname === '/' ? '' : pathname
  const resource = await readJson(
    new URL(`/.well-known/oauth-protected-resource${base}/agent/v1`, server).href,
    server,
  )
  const issuer = (resource['authorization_servers'] as readonly string[] | undefined)?.[0] ?? ''
  if (!URL.canParse(issuer)) throw notOurs(server)
  const place = new URL(issuer)
  const metadata = await readJson(
    `${place.origin}/.well-known/oauth-authorization-server${place.pathname}`,
    server,
  )
  if (metadata['issuer'] !== issuer) throw notOurs(server)
  const audience = String(resource['resource'])
  return {
    baseUrl: audience.replace(/\/agent\/v1$/, ''),
    resource: audience,
    issuer,
    authorizationUrl: String(metadata['authorization_endpoint']),
    tokenUrl: String(metadata['token_endpoint']),
    registrationUrl:
      typeof metadata['registration_endpoint'] === 'string' ? metadata['registration_endpoint'] : null,
    revocationUrl: String(metadata['revocation_endpoint']),
  }
}

/** Registers this program (RFC 7591), and gives its client id. */
export async function register(
  { registrationUrl }: AuthorizationServer,
  { name, redirectUri }: { name: string; redirectUri: string },
): Promise<string> {
  if (registrationUrl === null) {
    throw new CliError(
      exits.credential,
      'This server lets no programs register themselves (OAUTH_REGISTRATION). Log in with a key: `postrider login <address> --key`.',
    )
  }
  const answer = await send(registrationUrl, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: name,
      redirect_uris: [redirectUri],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    }),
  })
  return String(answer['client_id'])
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

/** Renews the tokens of a login. */
export async function refreshLogin(login: OAuthLogin): Promise<OAuthLogin> {
  const tokens = await askForTokens(login.tokenUrl, {
    grant_type: 'refresh_token',
    client_id: login.clientId,
    refresh_token: login.refreshToken,
    resource: login.resource,
  })
  return { ...login, ...tokens }
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
  return {
    accessToken: String(tokens['access_token']),
    expiresAt: Date.now() + Number(tokens['expires_in']) * 1_000,
    refreshToken: String(tokens['refresh_token']),
  }
}

type Json = Readonly<Record<string, unknown>>

async function send(url: string, request: RequestInit): Promise<Json> {
  const response = await reach(url, { ...request, method: 'POST' })
  const answer = (await response.json().catch(() => ({}))) as Json
  if (response.ok) return answer
  const said = (answer['error_description'] ?? answer['detail'] ?? answer['error'] ?? response.status) as
    | string
    | number
  const isOver = answer['error'] === 'invalid_grant'
  throw new CliError(
    response.status >= 500 || response.status === 429 ? exits.unavailable : exits.credential,
    isOver
      ? `The login is over (${said}). Run \`postrider login\` again.`
      : `The server refused the login: ${said}.`,
    { code: answer['error'] },
  )
}

async function readJson(url: string, server: string): Promise<Json> {
  const response = await reach(url, {})
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  if (!response.ok || !isJson) throw notOurs(server)
  return (await response.json()) as Json
}

async function reach(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...request, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (cause) {
    const reason =
      cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause)
    throw new CliError(exits.unavailable, `No answer from ${new URL(url).origin}: ${reason}.`)
  }
}

function notOurs(server: string): CliError {
  return new CliError(
    exits.failed,
    `${server} does not answer as a Postrider that this command knows: is the address right, and the server recent?`,
  )
}
