import * as oauth from 'oauth4webapi'
import type { OAuthWorld } from './oauth-world.ts'

/** The tests talk to a server on the loopback address, without TLS. */
export const insecure = { [oauth.allowInsecureRequests]: true }
export const REDIRECT = 'http://127.0.0.1:33418/callback'

/** What a client learns of the authorization server from nothing but the address of the API. */
export async function discover({
  resource,
}: Pick<OAuthWorld, 'resource'>): Promise<oauth.AuthorizationServer> {
  const url = new URL(resource)
  const metadata = await oauth.processResourceDiscoveryResponse(
    url,
    await oauth.resourceDiscoveryRequest(url, insecure),
  )
  const issuer = new URL(metadata.authorization_servers![0]!)
  const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  return oauth.processDiscoveryResponse(issuer, answer)
}

export async function register(
  as: oauth.AuthorizationServer,
  change: Record<string, unknown> = {},
): Promise<oauth.Client> {
  const metadata = {
    client_name: 'An agent',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...change,
  }
  const answer = await oauth.dynamicClientRegistrationRequest(as, metadata, insecure)
  return oauth.processDynamicClientRegistrationResponse(answer)
}

/** One authorization on its way: `url` is where the client sends the person. */
export type Flow = {
  as: oauth.AuthorizationServer
  client: oauth.Client
  verifier: string
  state: string
  url: URL
}

/** Begins one, of a client that registers for it unless one is given. */
export async function begin(
  server: Pick<OAuthWorld, 'resource'>,
  change: Record<string, string | null> = {},
  known?: oauth.Client,
): Promise<Flow> {
  const as = await discover(server)
  const client = known ?? (await register(as))
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const url = new URL(as.authorization_endpoint!)
  const parameters: Record<string, string | null> = {
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'posts:read channels:read',
    state,
    resource: server.resource,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...change,
  }
  for (const [name, value] of Object.entries(parameters))
    if (value !== null) url.searchParams.set(name, value)
  return { as, client, verifier, state, url }
}

/** What the person sends who lets the client into the workspace. */
export function consentForm(
  { workspace }: Pick<OAuthWorld, 'workspace'>,
  permissions: readonly string[] = ['posts:read', 'channels:read'],
): [string, string][] {
  return [
    ['decision', 'allow'],
    ['workspaceId', workspace.workspaceId],
    ...permissions.map((permission): [string, string] => ['permission', permission]),
  ]
}

/** Goes through the consent page as the owner does, and gives the address that the client is called back at. */
export async function consent(
  { browser, workspace }: Pick<OAuthWorld, 'browser' | 'workspace'>,
  { url }: Flow,
  form = consentForm({ workspace }),
): Promise<URL> {
  const owner = browser()
  const page = await owner.follow(await owner.get(url))
  if (page.answer.status !== 200) throw new Error(`${page.url.href} ${await page.answer.text()}`)
  const { url: callback, answer } = await owner.follow(await owner.submit(page.url, form))
  if (!callback.href.startsWith(REDIRECT))
    throw new Error(`${callback.href} ${answer.status} ${await answer.text()}`)
  return callback
}

/** The client exchanges the code of its callback for tokens. */
export async function exchange(flow: Flow, callback: URL): Promise<oauth.TokenEndpointResponse> {
  const { as, client, verifier, state, url } = flow
  const parameters = oauth.validateAuthResponse(as, client, callback, state)
  const redirectUri = url.searchParams.get('redirect_uri') ?? ''
  const answer = await oauth.authorizationCodeGrantRequest(
    ...([as, client, oauth.None(), parameters, redirectUri, verifier] as const),
    insecure,
  )
  return oauth.processAuthorizationCodeResponse(as, client, answer)
}

export async function refresh({ as, client }: Flow, token: string): Promise<Response> {
  return oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, insecure)
}

/** The first request of every agent: `GET /me`. */
export function me({ baseUrl }: Pick<OAuthWorld, 'baseUrl'>, token: string): Promise<Response> {
  return fetch(`${baseUrl}/agent/v1/me`, { headers: { authorization: `Bearer ${token}` } })
}
