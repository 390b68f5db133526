import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { expect, test } from 'vitest'
import { consentForm } from '../../test/rigs/oauth-flow.ts'
import { openOAuthWorld } from '../../test/rigs/oauth-world.ts'

const REDIRECT = 'http://localhost:33418/callback'

/** What an MCP client keeps between the steps. */
class Keeper implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT
  readonly clientMetadata = {
    client_name: 'An MCP client',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  client: OAuthClientInformationFull | undefined
  kept: OAuthTokens | undefined
  verifier = ''
  opened: URL | undefined

  clientInformation = () => this.client
  saveClientInformation = (client: OAuthClientInformationFull) => void (this.client = client)
  tokens = () => this.kept
  saveTokens = (tokens: OAuthTokens) => void (this.kept = tokens)
  codeVerifier = () => this.verifier
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier)
  redirectToAuthorization = (url: URL) => void (this.opened = url)
}

test('the official MCP client finds the server from the resource, registers, is let in, and refreshes', async () => {
  await using world = await openOAuthWorld()
  const client = new Keeper()
  expect(await auth(client, { serverUrl: world.resource })).toBe('REDIRECT')
  expect(client.opened?.searchParams.get('resource')).toBe(world.resource)

  const owner = world.browser()
  const page = await owner.follow(await owner.get(client.opened!))
  const { url } = await owner.follow(await owner.submit(page.url, consentForm(world, ['posts:read'])))
  const authorizationCode = url.searchParams.get('code')!
  expect(await auth(client, { serverUrl: world.resource, authorizationCode })).toBe('AUTHORIZED')

  const first = client.kept!
  expect(await auth(client, { serverUrl: world.resource })).toBe('AUTHORIZED')
  expect(client.kept!.access_token).not.toBe(first.access_token)
  const headers = { authorization: `Bearer ${client.kept!.access_token}` }
  expect((await fetch(`${world.resource}/me`, { headers })).status).toBe(200)
})
