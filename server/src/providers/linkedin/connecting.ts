import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isWebAddress, jsonOf } from '../answers.ts'
import type {
  Account,
  Adapter,
  ConnectRefusal,
  ConnectVerdict,
  HttpRequest,
  HttpResponse,
  Json,
  OauthClient,
  ProfileVerdict,
} from '../port.ts'
import { call, type Steps } from '../procedure.ts'
import { withQuery } from '../query.ts'
import { apiRequest, errorOf } from './answers.ts'
import { isOrganization, linkedinGrant, type LinkedinGrant } from './grant.ts'
import type { LinkedinOrigins } from './linkedin.ts'

/* https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow: for web apps it knows no PKCE. */

/** To post as a page, to read its posts (look-ups), and to know its name. */
const ORGANIZATION_SCOPE = 'w_organization_social r_organization_social r_organization_admin'

const Token = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  expires_in: Type.Integer({ minimum: 1, maximum: 1e9 }),
  /** Left out where it is what was asked for (RFC 6749, 5.1; at a refresh what was granted before, 6). */
  scope: Type.Optional(Type.String()),
  refresh_token: Type.Optional(Type.String({ minLength: 1 })),
  refresh_token_expires_in: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e9 })),
})
type Token = Static<typeof Token>
const OauthError = Type.Object({
  error: Type.String(),
  error_description: Type.Optional(Type.String()),
})
/** https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2 */
const UserInfo = Type.Object({
  sub: Type.String({ pattern: '^[A-Za-z0-9_-]+$' }),
  name: Type.String({ minLength: 1 }),
  picture: Type.Optional(Type.String()),
})
/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-lookup-api */
const Organization = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  localizedName: Type.String({ minLength: 1 }),
  vanityName: Type.Optional(Type.String({ minLength: 1 })),
})
const Kept = Type.Object({ organization: Type.Union([Type.String(), Type.Null()]) })

/** How accounts are connected, and how their grants are kept. */
export function connectingTo(
  { api, site }: LinkedinOrigins,
  memberScope: string,
): Pick<Adapter, 'oauth' | 'refresh' | 'profile'> {
  const scopeFor = (organization: string | null) =>
    organization === null ? memberScope : `${memberScope} ${ORGANIZATION_SCOPE}`
  return {
    oauth: {
      server: () => '',
      register: null,
      publishClient: null,
      // oxlint-disable-next-line require-yield -- the way to LinkedIn needs no call
      *authorize({ fields, client, redirectUri, state }) {
        const organization = fields['organization'] ?? null
        const url = withQuery(new URL('/oauth/v2/authorization', site), {
          ...{ response_type: 'code', client_id: client.clientId, redirect_uri: redirectUri, state },
          scope: scopeFor(organization),
        })
        return { is: 'authorize', url, kept: { organization } }
      },
      *exchange({ client, redirectUri, kept, callback, now }) {
        const { organization } = keptOf(kept)
        const code = callback['code'] ?? ''
        const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
        const response = yield* call(tokenRequest(site, client, form))
        const token = jsonOf(response)
        if (response.status !== 200 || !Check(Token, token)) return notExchanged(response)
        const asked = scopeFor(organization)
        if (!covers(token.scope ?? asked, asked)) return MISSING_SCOPE
        const { access_token: accessToken } = token
        const shown = yield* organization === null
          ? readMember(api, accessToken)
          : readOrganization(api, accessToken, organization)
        if (!('account' in shown)) return refusedAccount(shown, organization !== null)
        const { author, account } = shown
        return { is: 'connected', grant: grantOf(author, token, now), account }
      },
    },
    *refresh({ grant: stored, client, now }) {
      const grant = linkedinGrant(stored)
      if (grant.refresh === null) {
        const detail = 'The access token is over, and LinkedIn gives this app no refresh tokens.'
        return { is: 'ended', detail }
      }
      if (client === null) return unavailable('This server has no app at LinkedIn by which it could ask.')
      const form = { grant_type: 'refresh_token', refresh_token: grant.refresh.token }
      const response = yield* call(tokenRequest(site, client, form))
      const token = jsonOf(response)
      if (response.status === 200 && Check(Token, token)) {
        const refreshed = grantOf(grant.author, token, now)
        return { is: 'refreshed', grant: { ...refreshed, refresh: refreshed.refresh ?? grant.refresh } }
      }
      if (isEnded(response)) {
        return { is: 'ended', detail: 'LinkedIn no longer takes the refresh token: it is over or revoked.' }
      }
      return unavailable(`LinkedIn answered the refresh with status ${response.status}.`)
    },
    *profile({ grant: stored }): Steps<ProfileVerdict> {
      const grant = linkedinGrant(stored)
      const { author, accessToken } = grant
      const shown = yield* isOrganization(grant)
        ? readOrganization(api, accessToken, author.split(':').at(-1) ?? '')
        : readMember(api, accessToken)
      if ('account' in shown) return { is: 'profile', account: shown.account }
      const error = errorOf(shown)
      if (shown.status === 401 && error !== null) {
        return error.code === 'REVOKED_ACCESS_TOKEN' ? { is: 'reauthorize' } : { is: 'expired' }
      }
      return unavailable(`LinkedIn answered with status ${shown.status}.`)
    },
  }
}

function tokenRequest(
  site: string,
  { clientId, clientSecret }: OauthClient,
  form: Readonly<Record<string, string>>,
): HttpRequest {
  return {
    method: 'POST',
    url: new URL('/oauth/v2/accessToken', site),
    headers: {},
    form: { ...form, client_id: clientId, client_secret: clientSecret ?? '' },
  }
}

function grantOf(author: string, token: Token, now: Date): LinkedinGrant {
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000).toISOString()
  const { refresh_token: refreshToken, refresh_token_expires_in: refreshSeconds } = token
  return {
    author,
    accessToken: token.access_token,
    accessEndsAt: after(token.expires_in),
    refresh:
      refreshToken === undefined
        ? null
        : { token: refreshToken, endsAt: refreshSeconds === undefined ? null : after(refreshSeconds) },
  }
}

type Shown = { readonly author: string; readonly account: Account }
const NO_TIER = { subscription: null, limits: null }

function* readMember(api: string, accessToken: string): Steps<Shown | HttpResponse> {
  const response = yield* call(apiRequest(api, { accessToken }, '/v2/userinfo'))
  const body = jsonOf(response)
  if (response.status !== 200 || !Check(UserInfo, body)) return response
  const { sub, name, picture = '' } = body
  const author = `urn:li:person:${sub}`
  const avatarUrl = isWebAddress(picture) ? picture : null
  return {
    author,
    account: { remoteAccountId: author, displayName: name, handle: name, avatarUrl, ...NO_TIER },
  }
}

function* readOrganization(api: string, accessToken: string, id: string): Steps<Shown | HttpResponse> {
  const response = yield* call(apiRequest(api, { accessToken }, `/rest/organizations/${id}`))
  const body = jsonOf(response)
  if (response.status !== 200 || !Check(Organization, body) || String(body.id) !== id) return response
  const { localizedName: displayName, vanityName: handle = id } = body
  const author = `urn:li:organization:${id}`
  return { author, account: { remoteAccountId: author, displayName, handle, avatarUrl: null, ...NO_TIER } }
}

function notExchanged(response: HttpResponse): ConnectVerdict {
  const { status } = response
  const body = jsonOf(response)
  if (status < 400 || status >= 500 || status === 429 || !Check(OauthError, body)) {
    return unavailable(`LinkedIn answered the sign-in with status ${status}. Try again later.`)
  }
  if (body.error === 'invalid_client' || body.error === 'invalid_client_id') {
    return unavailable(
      'LinkedIn does not know the app of this server by its client id and secret. Whoever runs the server has to check LINKEDIN_CLIENT_ID and LINKEDIN_CLIENT_SECRET.',
    )
  }
  const detail = 'LinkedIn did not take the sign-in back. Make a new link and connect again.'
  return { is: 'refused', code: 'credentials_refused', detail }
}

function refusedAccount(response: HttpResponse, isPage: boolean): ConnectVerdict {
  const { status } = response
  const known = errorOf(response) !== null
  if (known && isPage && (status === 403 || status === 404)) {
    const detail =
      'This member may not manage a page of that number. Check the number, and have an admin of the page give the member a role.'
    return { is: 'refused', code: 'invalid_field', field: 'organization', detail }
  }
  if (known && (status === 401 || status === 403)) {
    const detail =
      'LinkedIn does not let this member in: the account is restricted. Sign in at LinkedIn to see.'
    return { is: 'refused', code: 'account_unusable', detail }
  }
  return unavailable(
    `LinkedIn answered with status ${status} when it was asked for the account. Try again later.`,
  )
}

const MISSING_SCOPE: ConnectRefusal = {
  is: 'refused',
  code: 'missing_scope',
  detail:
    'LinkedIn did not grant all that publishing needs. Connect again, and allow everything that is asked for.',
}

/** Scopes are separated by spaces in requests, and by commas in answers. */
function covers(granted: string, asked: string): boolean {
  const scopes = new Set(granted.split(/[ ,]+/))
  return asked.split(' ').every((one) => scopes.has(one))
}

/** https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens */
function isEnded(response: HttpResponse): boolean {
  const body = jsonOf(response)
  if (response.status !== 400 || !Check(OauthError, body)) return false
  const { error, error_description: words = '' } = body
  return error === 'invalid_grant' || /refresh token is invalid, expired or revoked/i.test(words)
}

function keptOf(kept: Json): Static<typeof Kept> {
  if (!Check(Kept, kept)) throw new Error('A sign-in at LinkedIn is not kept as it was stored.')
  return kept
}

function unavailable(detail: string) {
  return { is: 'unavailable', detail } as const
}
