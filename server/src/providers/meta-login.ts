import { createHmac } from 'node:crypto'
import Type, { type Static, type TProperties } from 'typebox'
import { readBody } from './answers.ts'
import type { HttpRequest, HttpResponse } from './calls.ts'
import { faultOf, graphUrl, read, VERSION, type MetaAccess } from './meta-graph.ts'
import { codeExchange, codeRequest } from './oauth-code.ts'
import type { ConnectVerdict, ExchangeVerdict, Grant, NetworkClient, OauthConnect, Origins } from './port.ts'
import { call, type Steps } from './procedure.ts'
import { withQuery } from './requests.ts'
import { refused, unavailable } from './verdicts.ts'

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
const Paging = Type.Optional(
  Type.Object({
    cursors: Type.Optional(Type.Object({ after: Type.Optional(Type.String()) })),
    next: Type.Optional(Type.String()),
  }),
)

const PAGES_AT_ONCE = 100
/** Of an agency's Pages; whoever has more chooses fewer of them on Facebook's own page. */
const MAX_LISTS = 5
/** What a token of the app is refused with where the id or the secret of the app is wrong. */
const UNKNOWN_APP = 101

/** What a sign-in is for. */
export type LoginFor<Own extends TProperties> = {
  readonly permissions: readonly string[]
  /** What is read of each Page, and its shape. */
  readonly fields: string
  readonly page: Own
  /** The account of a Page on which the person may create content; null for none. */
  readonly grantOf: (page: Static<ReturnType<typeof Type.Object<Own>>>, access: MetaAccess) => Grant | null
  /** Said where there is no such account. */
  readonly none: string
}

/** How accounts are connected by a sign-in at Facebook. */
export function facebookLogin<Own extends TProperties>(
  { api, site }: Origins,
  wanted: LoginFor<Own>,
): OauthConnect {
  const { permissions } = wanted
  return {
    server: () => '',
    register: null,
    publishClient: null,
    // oxlint-disable-next-line require-yield -- the way to Facebook needs no call
    *authorize(work) {
      const query = {
        ...codeRequest(work, permissions.join(',')),
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
      const lacking = yield* permissionsLacking(api, person, permissions)
      if ('is' in lacking) return lacking
      const [missing] = lacking
      if (missing !== undefined) {
        const names = lacking.join(', ')
        return refused(
          'missing_scope',
          `Facebook did not grant everything that publishing needs: ${names} is missing. Connect again and allow everything it asks for.`,
        )
      }
      return yield* readPages(api, client, person, wanted)
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

/** Which of the permissions were not granted. */
function* permissionsLacking(
  api: string,
  person: MetaAccess,
  permissions: readonly string[],
): Steps<readonly string[] | Extract<ConnectVerdict, { is: 'unavailable' }>> {
  const response = yield* call(read(api, person, 'me/permissions', {}))
  const body = readBody(response, Permissions)
  if (body === null) return away(response)
  const granted = new Set(body.data.flatMap((one) => (one.status === 'granted' ? [one.permission] : [])))
  return permissions.filter((one) => !granted.has(one))
}

/**
 * The accounts of the Pages on which the person may create content
 * (https://developers.facebook.com/docs/graph-api/reference/user/accounts).
 */
function* readPages<Own extends TProperties>(
  api: string,
  client: NetworkClient,
  person: MetaAccess,
  { fields, page: own, grantOf, none }: LoginFor<Own>,
): Steps<ExchangeVerdict> {
  const Page = Type.Object(own)
  const Pages = Type.Object({
    data: Type.Array(
      Type.Object({
        access_token: Type.Optional(Type.String({ minLength: 1 })),
        tasks: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    paging: Paging,
  })
  const Own = Type.Object({ data: Type.Array(Page) })
  const grants: Grant[] = []
  let after: string | undefined
  for (let list = 0; list < MAX_LISTS; list++) {
    const query = {
      fields: `${fields},access_token,tasks`,
      limit: String(PAGES_AT_ONCE),
      ...(after === undefined ? {} : { after }),
    }
    const response = yield* call(read(api, person, 'me/accounts', query))
    const body = readBody(response, Pages)
    const pages = readBody(response, Own)
    if (body === null || pages === null) return away(response)
    for (const [place, { access_token: accessToken, tasks = [] }] of body.data.entries()) {
      const page = pages.data[place]
      if (accessToken === undefined || page === undefined || !tasks.includes('CREATE_CONTENT')) continue
      const grant = grantOf(page, accessFor(client, accessToken))
      if (grant !== null) grants.push(grant)
    }
    after = body.paging?.cursors?.after
    // The address of the next list has the token in it: it is asked for by its cursor.
    if (body.paging?.next === undefined || after === undefined) break
  }
  const [first, ...others] = grants
  if (first === undefined) return refused('account_unusable', none)
  return { is: 'granted', grants: [first, ...others] }
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
