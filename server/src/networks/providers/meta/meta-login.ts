import { createHmac } from 'node:crypto'
import Type, { type Static, type TProperties } from 'typebox'
import { readBody } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import { faultOf, graphUrl, read, VERSION, type MetaAccess } from './meta-graph.ts'
import { codeExchange, codeRequest } from '../shared/oauth-code.ts'
import type {
  ConnectVerdict,
  ExchangeVerdict,
  Grant,
  NetworkClient,
  OauthConnect,
  Origins,
} from '../port/port.ts'
import { BUSINESS_PERMISSION, findPages, type FoundPage, type FoundPages } from './meta-pages.ts'
import { call, type Steps } from '../port/procedure.ts'
import { withQuery } from '../shared/requests.ts'
import { refused, unavailable } from '../port/verdicts.ts'

/*
 * Facebook Login (https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow), by which Pages and the Instagram
 * accounts of Pages are connected: the code is exchanged for a token of the person, that for one of 60 days, and with that one the
 * tokens of their Pages are read, which have no end
 * (https://developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived). Nothing of the person is kept.
 */

const Token = Type.Object({ access_token: Type.String({ minLength: 1 }) })
/** https://developers.facebook.com/docs/graph-api/reference/user/permissions */
const Permissions = Type.Object({
  data: Type.Array(Type.Object({ permission: Type.String(), status: Type.String() })),
})

/** What a token of the app is refused with where the id or the secret of the app is wrong. */
const UNKNOWN_APP = 101

/** What a sign-in is for. */
export type LoginFor<Own extends TProperties> = {
  readonly permissions: readonly string[]
  /** What is asked for, and done without where the person or the app does not have it. */
  readonly optional?: readonly string[]
  /** What is read of each Page, and its shape. */
  readonly fields: string
  readonly page: Own
  /** The account of a Page on which the person may create content; null for none. */
  readonly grantOf: (page: Static<ReturnType<typeof Type.Object<Own>>>, access: MetaAccess) => Grant | null
  /** Said where there are such Pages, and none of them has an account. */
  readonly none?: string
}

/** How accounts are connected by a sign-in at Facebook. */
export function facebookLogin<Own extends TProperties>(
  { api, site }: Origins,
  wanted: LoginFor<Own>,
): OauthConnect {
  const { permissions, optional = [] } = wanted
  return {
    server: () => '',
    register: null,
    publishClient: null,
    // oxlint-disable-next-line require-yield -- the way to Facebook needs no call
    *authorize(work) {
      const query = {
        ...codeRequest(work, [...permissions, ...optional].join(',')),
        // What a person has refused before is asked for again.
        auth_type: 'rerequest',
      }
      return {
        is: 'authorize',
        url: withQuery(new URL(`/${VERSION}/dialog/oauth`, site), query),
        kept: null,
      }
    },
    *exchange(work) {
      const { client } = work
      const first = yield* call(tokenRequest(api, client, codeExchange(work)))
      const short = readBody(first, Token)
      if (short === null) return notExchanged(first)
      const form = { grant_type: 'fb_exchange_token', fb_exchange_token: short.access_token }
      const second = yield* call(tokenRequest(api, client, form))
      const token = readBody(second, Token)
      if (token === null) return notExchanged(second)
      const person = accessFor(client, token.access_token)
      const granted = yield* permissionsGranted(api, person)
      if ('is' in granted) return granted
      const lacking = permissions.filter((one) => !granted.has(one))
      if (lacking.length > 0) {
        const names = lacking.join(', ')
        return refused(
          'missing_scope',
          `Facebook did not grant everything that publishing needs: ${names} is missing. Connect again and allow everything it asks for.`,
        )
      }
      const inBusinesses = granted.has(BUSINESS_PERMISSION)
      const found = yield* findPages(api, person, { ...wanted, inBusinesses })
      if ('failed' in found) return away(found.failed)
      return grantsOf(found, { inBusinesses, wanted, accessWith: (token) => accessFor(client, token) })
    },
  }
}

/** The secret of the app goes in the body alone. */
function tokenRequest(
  api: string,
  { clientId, clientSecret }: NetworkClient,
  form: Readonly<Record<string, string>>,
): HttpRequest {
  const own = { client_id: clientId, client_secret: clientSecret ?? '' }
  return { method: 'POST', url: graphUrl(api, 'oauth/access_token'), form: { ...form, ...own } }
}

function accessFor({ clientSecret }: NetworkClient, accessToken: string): MetaAccess {
  const proof = createHmac('sha256', clientSecret ?? '')
    .update(accessToken)
    .digest('hex')
  return { accessToken, proof }
}

function* permissionsGranted(
  api: string,
  person: MetaAccess,
): Steps<ReadonlySet<string> | Extract<ConnectVerdict, { is: 'unavailable' }>> {
  const response = yield* call(read(api, person, 'me/permissions', {}))
  const body = readBody(response, Permissions)
  if (body === null) return away(response)
  return new Set(body.data.flatMap((one) => (one.status === 'granted' ? [one.permission] : [])))
}

/** The accounts of the Pages on which the person may create content; or why there is none. */
function grantsOf<Own extends TProperties>(
  found: FoundPages<Own>,
  {
    inBusinesses,
    wanted,
    accessWith,
  }: {
    readonly inBusinesses: boolean
    readonly wanted: LoginFor<Own>
    readonly accessWith: (token: string) => MetaAccess
  },
): ExchangeVerdict {
  const usable = found.pages.flatMap(({ page, accessToken, mayCreate }) =>
    accessToken === null || mayCreate === false ? [] : [{ page, access: accessWith(accessToken) }],
  )
  const [first, ...others] = usable.flatMap(({ page, access }) => wanted.grantOf(page, access) ?? [])
  if (first !== undefined) return { is: 'granted', grants: [first, ...others] }
  if (!found.complete)
    return unavailable('Facebook did not list all of your Pages. Create a new link and connect again later.')
  const none = usable.length > 0 ? wanted.none : undefined
  return refused('account_unusable', none ?? whyNoPage(found.pages, inBusinesses))
}

function whyNoPage(
  pages: readonly Pick<FoundPage<never>, 'name' | 'accessToken'>[],
  inBusinesses: boolean,
): string {
  const withAccess = pages.find(({ accessToken }) => accessToken !== null)
  if (withAccess !== undefined)
    return `Your role on the Page ${withAccess.name} doesn't allow creating content. Ask an admin of the Page to give you the task Content, then connect again.`
  const [shared] = pages
  if (shared !== undefined)
    return `Your business portfolio has the Page ${shared.name}, but you have no access to it. Ask an admin of the portfolio to assign you the Page with the task Content, then connect again.`
  return inBusinesses
    ? 'Facebook gave access to no Page. Connect again and choose your Pages, and the business portfolio they belong to, on Facebook.'
    : 'Facebook gave access to no Page. Connect again and choose your Pages on Facebook. If they belong to a business portfolio, also allow access to your portfolios. If Facebook does not ask for that, your server operator has to add the permission for portfolios to the app.'
}

function notExchanged(response: HttpResponse): ConnectVerdict {
  const fault = faultOf(response)
  if (fault === null) return away(response)
  if (fault.code === UNKNOWN_APP || /client secret/i.test(fault.message)) {
    return unavailable(
      `Facebook does not recognize this server's app by its client ID and secret. Ask your server operator to check FACEBOOK_CLIENT_ID and FACEBOOK_CLIENT_SECRET.`,
    )
  }
  return refused(
    'credentials_refused',
    'Facebook did not accept the sign-in. Create a new link and connect again.',
  )
}

function away({ status }: HttpResponse) {
  return unavailable(`Facebook answered the sign-in with status ${status}. Try again later.`)
}
