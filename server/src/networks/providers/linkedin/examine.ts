import Type from 'typebox'
import { readBody } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import { accepted, examined, examinedRefusal, lackingOf } from '../port/examinations.ts'
import type { Examination, Examine, NetworkClient, Origins } from '../port/port.ts'
import { call, tryCall, type Steps } from '../port/procedure.ts'
import { apiRequest, errorOf, refusalOf, VERSION } from './answers.ts'
import { isOrganization, linkedinAuthorization } from './authorization.ts'
import { readMember, readOrganization, scopesOf } from './connecting.ts'

const DOCS = 'https://learn.microsoft.com/en-us/linkedin'
const READ = '2026-11'

/** LinkedIn says of a limit only that it is used up, and of a version only that it is over. */
export function examineAt({ api, site }: Origins, memberScope: string): Examine {
  return {
    told: {
      access: {
        by: 'GET /v2/userinfo, and GET /rest/organizations/{page} for a page',
        source: `${DOCS}/shared/api-guide/concepts/error-handling`,
        read: READ,
      },
      scopes: {
        by: 'POST /oauth/v2/introspectToken, which only reads',
        source: `${DOCS}/shared/authentication/token-introspection`,
        read: '2026-11-29',
      },
      quota: {
        by: 'any call, with 429',
        source: `${DOCS}/shared/api-guide/concepts/rate-limits`,
        read: READ,
        faultsOnly: true,
      },
      version: {
        by: 'GET /rest/organizationAcls, with 426 where the version has ended',
        source: `${DOCS}/marketing/versioning`,
        read: READ,
      },
    },
    *ask({ authorization: stored, client }) {
      const authorization = linkedinAuthorization(stored)
      const { accessToken, author } = authorization
      const ofPage = isOrganization(authorization)
      const token = client === null ? null : yield* introspect(site, client, accessToken)
      const needed = scopesOf(memberScope, ofPage).split(' ')
      const granted = token?.active === true ? token.scope?.split(/[ ,]+/) : undefined
      const scopes = granted === undefined ? null : lackingOf(needed, granted)
      const missing = scopes === null ? null : { scopes }
      const version = yield* askVersion(api, accessToken)
      const member = yield* readMember(api, accessToken)
      if ('status' in member)
        return { ...examinedRefusal(member, refusalOf(member, authorization)), missing, version }
      const endsAt = token?.expires_at === undefined ? null : new Date(token.expires_at * 1_000)
      const lacksPage = ofPage && (yield* isRefusedPage(api, accessToken, author))
      const rights = lacksPage && !scopes?.length ? { rights: ['ADMINISTRATOR'] } : missing
      return examined(accepted(endsAt), { missing: rights, version })
    },
  }
}

/** Whether the member can no longer manage the page that they post as. */
function* isRefusedPage(api: string, accessToken: string, author: string): Steps<boolean> {
  const page = yield* readOrganization(api, accessToken, author.split(':').at(-1) ?? '')
  return 'status' in page && (page.status === 403 || page.status === 404) && errorOf(page) !== null
}

const Token = Type.Object({
  active: Type.Boolean(),
  scope: Type.Optional(Type.String()),
  /** In seconds since 1970. */
  expires_at: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e11 })),
})

function* introspect(site: string, client: NetworkClient, token: string) {
  const { clientId: client_id, clientSecret } = client
  const form = { client_id, client_secret: clientSecret ?? '', token }
  const request: HttpRequest = { method: 'POST', url: new URL('/oauth/v2/introspectToken', site), form }
  const response: HttpResponse | null = yield* tryCall(request)
  return response === null ? null : readBody(response, Token)
}

/** Any call of the versioned API says whether its version is over, whoever may make it. */
function* askVersion(api: string, accessToken: string): Steps<Examination['version']> {
  const query = 'q=roleAssignee&role=ADMINISTRATOR&state=APPROVED&start=0&count=1'
  const response = yield* call(apiRequest(api, { accessToken }, `/rest/organizationAcls?${query}`))
  if (response.status === 200) return { name: VERSION, answered: true }
  switch (errorOf(response)?.status) {
    case 403:
      return { name: VERSION, answered: true }
    case 426:
      return { name: VERSION, answered: false }
    case undefined:
    default:
      return null
  }
}
