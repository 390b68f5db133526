import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { readBody } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import {
  after,
  codeExchange,
  codeRequest,
  covers,
  missingScope,
  notExchanged,
  notRefreshed,
  type ConfiguredApp,
  type GrantEnd,
} from '../shared/oauth-code.ts'
import type { Account, Adapter, ConnectVerdict, Grant, NetworkClient, Origins } from '../port/port.ts'
import { call, type Steps, wait } from '../port/procedure.ts'
import { withQuery } from '../shared/requests.ts'
import { storedAs } from '../shared/stored-as.ts'
import { accountOf, refused, unavailable } from '../port/verdicts.ts'
import { apiRequest, errorOf, isRevoked } from './answers.ts'
import { isOrganization, linkedinAuthorization, type LinkedinAuthorization } from './authorization.ts'

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
type Organization = Static<typeof Organization>
/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-access-control-by-role */
const Roles = Type.Object({ elements: Type.Array(Type.Object({ organization: Type.String() })) })
/** By their numbers; one that cannot be read is left out. */
const Organizations = Type.Object({ results: Type.Record(Type.String(), Type.Unknown()) })
const ROLES_AT_ONCE = 100
const MAX_LISTS = 5
/** What is entered to choose of the member and all of their pages. */
const ALL = 'all'

const keptOf = storedAs(
  Type.Object({ organization: Type.Union([Type.String(), Type.Null()]) }),
  'What is kept of a sign-in at LinkedIn',
)
const APP: ConfiguredApp = {
  settings: 'LINKEDIN_CLIENT_ID and LINKEDIN_CLIENT_SECRET',
  isUnknown: (error) => error === 'invalid_client' || error === 'invalid_client_id',
}
/** https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens */
const END: GrantEnd = {
  detail: 'LinkedIn no longer accepts the refresh token: it has expired or was revoked.',
  isTold: (_, words) => /refresh token is invalid, expired or revoked/i.test(words),
}

/** What is asked for, separated by spaces. */
export function scopesOf(memberScope: string, ofPages: boolean): string {
  return ofPages ? `${memberScope} ${ORGANIZATION_SCOPE}` : memberScope
}

/** How accounts are connected, and how their authorizations are kept. */
export function connectingTo(
  { api, site }: Origins,
  memberScope: string,
): Pick<Adapter, 'oauth' | 'refresh' | 'profile'> {
  const scopeFor = (organization: string | null) => scopesOf(memberScope, organization !== null)
  return {
    oauth: {
      server: () => '',
      register: null,
      publishClient: null,
      // oxlint-disable-next-line require-yield -- the way to LinkedIn needs no call
      *authorize(work) {
        const organization = work.fields['organization'] ?? null
        const query = codeRequest(work, scopeFor(organization))
        const url = withQuery(new URL('/oauth/v2/authorization', site), query)
        return { is: 'authorize', url, kept: { organization } }
      },
      *exchange(work) {
        const { organization } = keptOf(work.kept)
        const response = yield* call(tokenRequest(site, work.client, codeExchange(work)))
        const token = readBody(response, Token)
        if (token === null) return notExchanged(response, 'LinkedIn', APP)
        const asked = scopeFor(organization)
        if (!covers(token.scope ?? asked, asked)) return missingScope('LinkedIn')
        const { access_token: accessToken } = token
        const grantOf = (account: Account): Grant => ({
          authorization: authorizationOf(account, token, work.now),
          account,
        })
        if (organization === ALL) {
          const member = yield* whileNew(() => readMember(api, accessToken))
          if ('status' in member) return refusedAccount(member, { isPage: false })
          const pages = yield* whileNew(() => readAdministered(api, accessToken))
          if ('status' in pages) return refusedPages(pages)
          return { is: 'granted', grants: [grantOf(member), ...pages.map(grantOf)] }
        }
        const shown = yield* whileNew(() =>
          organization === null
            ? readMember(api, accessToken)
            : readOrganization(api, accessToken, organization),
        )
        if ('status' in shown) return refusedAccount(shown, { isPage: organization !== null })
        return { is: 'connected', ...grantOf(shown) }
      },
    },
    *refresh({ authorization: stored, client, now }) {
      const { author: remoteAccountId, refresh } = linkedinAuthorization(stored)
      if (refresh === null) {
        const detail = 'The access token has expired, and LinkedIn gives this app no refresh tokens.'
        return { is: 'ended', detail }
      }
      if (client === null) return unavailable('This server has no app at LinkedIn.')
      const form = { grant_type: 'refresh_token', refresh_token: refresh.token }
      const response = yield* call(tokenRequest(site, client, form))
      const token = readBody(response, Token)
      if (token === null) return notRefreshed(response, 'LinkedIn', END)
      const refreshed = authorizationOf({ remoteAccountId }, token, now)
      return { is: 'refreshed', authorization: { ...refreshed, refresh: refreshed.refresh ?? refresh } }
    },
    *profile({ authorization: stored }) {
      const authorization = linkedinAuthorization(stored)
      const { author, accessToken } = authorization
      const shown = yield* isOrganization(authorization)
        ? readOrganization(api, accessToken, author.split(':').at(-1) ?? '')
        : readMember(api, accessToken)
      if (!('status' in shown)) return { is: 'profile', account: shown }
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
  { clientId, clientSecret }: NetworkClient,
  form: Readonly<Record<string, string>>,
): HttpRequest {
  const own = { client_id: clientId, client_secret: clientSecret ?? '' }
  return { method: 'POST', url: new URL('/oauth/v2/accessToken', site), form: { ...form, ...own } }
}

function authorizationOf(
  { remoteAccountId: author }: Pick<Account, 'remoteAccountId'>,
  token: Token,
  now: Date,
): LinkedinAuthorization {
  const { refresh_token: refreshToken, refresh_token_expires_in: seconds } = token
  const endsAt = seconds === undefined ? null : after(now, seconds)
  return {
    author,
    accessToken: token.access_token,
    accessEndsAt: after(now, token.expires_in),
    accessSince: now.toISOString(),
    refresh: refreshToken === undefined ? null : { token: refreshToken, endsAt },
  }
}

/** Waits between questions with an access token that was just given. Its code is spent: whoever gives up has to sign in again. */
const NEW_TOKEN_WAITS_MS = [1_000, 2_000, 4_000, 8_000]

/** Asks with a new access token, which LinkedIn calls revoked for some seconds: see `isRevoked`. */
function* whileNew<T extends object>(ask: () => Steps<T | HttpResponse>): Steps<T | HttpResponse> {
  for (const ms of NEW_TOKEN_WAITS_MS) {
    const shown = yield* ask()
    if (!('status' in shown) || !isRevoked(shown)) return shown
    yield* wait(ms, null)
  }
  return yield* ask()
}

/** The account of a member, whose id is the URN that it posts as; or the answer that does not tell. */
export function* readMember(api: string, accessToken: string): Steps<Account | HttpResponse> {
  const response = yield* call(apiRequest(api, { accessToken }, '/v2/userinfo'))
  const body = readBody(response, UserInfo)
  if (body === null) return response
  const { sub, name, picture: avatar } = body
  return accountOf({ remoteAccountId: `urn:li:person:${sub}`, displayName: name, handle: name, avatar })
}

export function* readOrganization(
  api: string,
  accessToken: string,
  id: string,
): Steps<Account | HttpResponse> {
  const response = yield* call(apiRequest(api, { accessToken }, `/rest/organizations/${id}`))
  const body = readBody(response, Organization)
  return body === null || String(body.id) !== id ? response : pageOf(body)
}

function pageOf({ id, localizedName: displayName, vanityName: handle = String(id) }: Organization): Account {
  return accountOf({ remoteAccountId: `urn:li:organization:${id}`, displayName, handle })
}

/** The pages that the member administers, in the order that LinkedIn lists them; or the answer that does not tell. */
function* readAdministered(api: string, accessToken: string): Steps<readonly Account[] | HttpResponse> {
  const pages: Account[] = []
  for (let list = 0; list < MAX_LISTS; list++) {
    const query = `q=roleAssignee&role=ADMINISTRATOR&state=APPROVED&start=${list * ROLES_AT_ONCE}&count=${ROLES_AT_ONCE}`
    const listed = yield* call(apiRequest(api, { accessToken }, `/rest/organizationAcls?${query}`))
    const roles = readBody(listed, Roles)
    if (roles === null) return listed
    const ids = roles.elements.flatMap(
      ({ organization }) => /^urn:li:organization:(\d+)$/.exec(organization)?.[1] ?? [],
    )
    if (ids.length > 0) {
      const path = `/rest/organizations?ids=List(${ids.join(',')})`
      const response = yield* call(apiRequest(api, { accessToken }, path))
      const body = readBody(response, Organizations)
      if (body === null) return response
      for (const id of ids) {
        const page = body.results[id]
        if (Check(Organization, page) && String(page.id) === id) pages.push(pageOf(page))
      }
    }
    if (roles.elements.length < ROLES_AT_ONCE) break
  }
  return pages
}

function refusedPages({ status }: HttpResponse): ConnectVerdict {
  return unavailable(
    `LinkedIn answered with status ${status} when asked for the pages of this member. Try again later.`,
  )
}

function refusedAccount(response: HttpResponse, { isPage }: { isPage: boolean }): ConnectVerdict {
  const { status } = response
  const known = errorOf(response) !== null
  if (isRevoked(response))
    return unavailable('LinkedIn does not accept its own new access token yet. Connect again in a minute.')
  if (known && isPage && (status === 403 || status === 404)) {
    return refused(
      'invalid_field',
      "This member can't manage a page with this number. Check the number, and ask an admin of the page to give the member a role.",
      'organization',
    )
  }
  if (known && (status === 401 || status === 403)) {
    return refused(
      'account_unusable',
      'LinkedIn refuses this member: the account is restricted. Sign in to LinkedIn to check.',
    )
  }
  return unavailable(`LinkedIn answered with status ${status} when asked for the account. Try again later.`)
}
