import { createHmac } from 'node:crypto'
import Type from 'typebox'
import { readBody } from '../answers.ts'
import type { HttpRequest, HttpResponse } from '../calls.ts'
import type { Adapter, ConnectVerdict, Grant, NetworkClient, Origins } from '../port.ts'
import { call, type Steps } from '../procedure.ts'
import { codeExchange, codeRequest } from '../oauth-code.ts'
import { withQuery } from '../requests.ts'
import { accountOf, refused, unavailable } from '../verdicts.ts'
import { facebookAuthorization, type FacebookAuthorization } from './authorization.ts'
import { PERMISSIONS } from './permissions.ts'
import { faultOf, graphUrl, read, refusalOf, VERSION } from './graph.ts'

/*
 * Facebook Login (https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow): the code is exchanged for a
 * token of the person, that for one of 60 days, and with that one the tokens of their Pages are read, which have no end
 * (https://developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived). Nothing of the person is kept.
 */

const Token = Type.Object({ access_token: Type.String({ minLength: 1 }) })
/** https://developers.facebook.com/docs/graph-api/reference/user/permissions */
const Permissions = Type.Object({
  data: Type.Array(Type.Object({ permission: Type.String(), status: Type.String() })),
})
const Page = Type.Object({
  id: Type.String({ pattern: '^[0-9]+$' }),
  name: Type.String({ minLength: 1 }),
  username: Type.Optional(Type.String({ minLength: 1 })),
  picture: Type.Optional(
    Type.Object({ data: Type.Optional(Type.Object({ url: Type.Optional(Type.String()) })) }),
  ),
})
/** https://developers.facebook.com/docs/graph-api/reference/user/accounts */
const Pages = Type.Object({
  data: Type.Array(
    Type.Intersect([
      Page,
      Type.Object({
        access_token: Type.Optional(Type.String({ minLength: 1 })),
        tasks: Type.Optional(Type.Array(Type.String())),
      }),
    ]),
  ),
  paging: Type.Optional(
    Type.Object({
      cursors: Type.Optional(Type.Object({ after: Type.Optional(Type.String()) })),
      next: Type.Optional(Type.String()),
    }),
  ),
})

const FIELDS = 'id,name,username,picture{url}'
const PAGES_AT_ONCE = 100
/** Of an agency's Pages; whoever has more chooses fewer of them on Facebook's own page. */
const MAX_LISTS = 5
/** What a token of the app is refused with where the id or the secret of the app is wrong. */
const UNKNOWN_APP = 101

/** How Pages are connected, and how their authorizations are checked. */
export function connectingTo({ api, site }: Origins): Pick<Adapter, 'oauth' | 'profile'> {
  return {
    oauth: {
      server: () => '',
      register: null,
      publishClient: null,
      // oxlint-disable-next-line require-yield -- the way to Facebook needs no call
      *authorize(work) {
        const query = {
          ...codeRequest(work, PERMISSIONS.join(',')),
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
        const lacking = yield* permissionsLacking(api, person)
        if ('is' in lacking) return lacking
        const [missing] = lacking
        if (missing !== undefined) {
          const names = lacking.join(', ')
          return refused(
            'missing_scope',
            `Facebook did not grant everything that publishing needs: ${names} is missing. Connect again and allow everything it asks for.`,
          )
        }
        return yield* readPages(api, client, person)
      },
    },
    *profile({ authorization }) {
      const access = facebookAuthorization(authorization)
      const response = yield* call(read(api, access, access.pageId, { fields: FIELDS }))
      const page = readBody(response, Page)
      if (page !== null && page.id === access.pageId) return { is: 'profile', account: accountOfPage(page) }
      if (refusalOf(response)?.is === 'reauthorize') return { is: 'reauthorize' }
      return unavailable(`Facebook answered with status ${response.status}.`)
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

function accessFor({ clientSecret }: NetworkClient, accessToken: string) {
  const proof = createHmac('sha256', clientSecret ?? '')
    .update(accessToken)
    .digest('hex')
  return { accessToken, proof }
}

type Person = ReturnType<typeof accessFor>

/** Which of the permissions were not granted. */
function* permissionsLacking(
  api: string,
  person: Person,
): Steps<readonly string[] | Extract<ConnectVerdict, { is: 'unavailable' }>> {
  const response = yield* call(read(api, person, 'me/permissions', {}))
  const body = readBody(response, Permissions)
  if (body === null) return away(response)
  const granted = new Set(body.data.flatMap((one) => (one.status === 'granted' ? [one.permission] : [])))
  return PERMISSIONS.filter((one) => !granted.has(one))
}

/** The Pages on which the person may create content. */
function* readPages(
  api: string,
  client: NetworkClient,
  person: Person,
): Steps<ConnectVerdict | { readonly is: 'granted'; readonly grants: readonly [Grant, ...Grant[]] }> {
  const grants: Grant[] = []
  let after: string | undefined
  for (let list = 0; list < MAX_LISTS; list++) {
    const query = {
      fields: `${FIELDS},access_token,tasks`,
      limit: String(PAGES_AT_ONCE),
      ...(after === undefined ? {} : { after }),
    }
    const response = yield* call(read(api, person, 'me/accounts', query))
    const body = readBody(response, Pages)
    if (body === null) return away(response)
    for (const { access_token: accessToken, tasks = [], ...page } of body.data) {
      if (accessToken === undefined || !tasks.includes('CREATE_CONTENT')) continue
      const authorization: FacebookAuthorization = { pageId: page.id, ...accessFor(client, accessToken) }
      grants.push({ authorization, account: accountOfPage(page) })
    }
    after = body.paging?.cursors?.after
    // The address of the next list has the token in it: it is asked for by its cursor.
    if (body.paging?.next === undefined || after === undefined) break
  }
  const [first, ...others] = grants
  if (first === undefined) {
    return refused(
      'account_unusable',
      'Facebook gave access to no Page on which you may create content. Connect again and choose your Pages on Facebook; your role there has to allow creating content.',
    )
  }
  return { is: 'granted', grants: [first, ...others] }
}

function accountOfPage({ id, name, username = id, picture }: Type.Static<typeof Page>) {
  return accountOf({
    ...{ remoteAccountId: id, displayName: name, handle: username },
    avatar: picture?.data?.url,
  })
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
