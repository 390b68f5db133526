import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export type IdpUser = { sub: string; email?: string; email_verified?: boolean | string; name?: string }

/** An identity provider of somebody else, which signs in whoever `user` is without asking. */
export type TestIssuer = AsyncDisposable & {
  readonly issuer: string
  user: IdpUser | null
  /** What it answers instead of an ID token of its own; null while it is honest. */
  forge: ((honest: IdToken) => string) | null
  /** Signs ID tokens. */
  readonly key: KeyObject
  /** What a browser does there: gives where it is sent back to. */
  readonly visit: (url: string) => Promise<URL>
}

export type IdToken = { readonly header: Record<string, unknown>; readonly claims: Record<string, unknown> }

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** A JWT in compact form, with a signature by this key: RS256, or HS256 with a secret. */
export function signToken({ header, claims }: IdToken, key: KeyObject | string): string {
  const signed = `${encode(header)}.${encode(claims)}`
  const signature =
    typeof key === 'string'
      ? createHmac('sha256', key).update(signed).digest()
      : sign('sha256', Buffer.from(signed), key)
  return `${signed}.${signature.toString('base64url')}`
}

export const CLIENT = { clientId: 'postrider', clientSecret: 'a-long-secret' }

export async function openIssuer(redirectUri: string): Promise<TestIssuer> {
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: 'of-the-provider', use: 'sig', alg: 'RS256' }] },
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [redirectUri],
        response_types: ['code'],
      },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['test'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...idp.user, sub }) }),
    interactions: { url: () => '/login' },
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/token') forgeAnswer(response)
    if (request.url !== '/login') return void provider.callback()(request, response)
    const { user } = idp
    const result =
      user === null ? { error: 'access_denied' } : { login: { accountId: user.sub, remember: false } }
    await provider.interactionFinished(request, response, result)
  }

  /** Puts a forged ID token into what the provider is about to answer. */
  function forgeAnswer(response: ServerResponse): void {
    const { forge } = idp
    if (forge === null) return
    const end = response.end.bind(response) as (text: string) => ServerResponse
    response.end = (body: unknown) => {
      const answer = JSON.parse(String(body)) as { id_token: string }
      const [header, claims] = answer.id_token
        .split('.', 2)
        .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)
      const text = JSON.stringify({ ...answer, id_token: forge({ header: header!, claims: claims! }) })
      response.setHeader('content-length', Buffer.byteLength(text))
      return end(text)
    }
  }

  const idp: TestIssuer = {
    issuer,
    key,
    user: null,
    forge: null,
    async visit(url) {
      const cookies = new Map<string, string>()
      for (let at = new URL(url); ;) {
        if (at.origin !== issuer) return at
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const { headers, status } = await fetch(at, { redirect: 'manual', headers: { cookie } })
        for (const text of headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
          cookies.set(name, value)
        }
        const location = headers.get('location')
        if (location === null) throw new Error(`the provider answered ${status}`)
        at = new URL(location, at)
      }
    },
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
  return idp
}
