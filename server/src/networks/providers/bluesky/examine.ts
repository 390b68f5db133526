import Type from 'typebox'
import { msUntil, readBody } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import { accepted, examined, examinedRefusal, lackingOf, SUSPENDED } from '../port/examinations.ts'
import type { Examine, Quota } from '../port/port.ts'
import { call } from '../port/procedure.ts'
import { blueskyAuthorization, type BlueskyAuthorization, scopeOfJwt } from './authorization.ts'
import { SCOPE } from './connecting.ts'
import { errorOf, query, refusalOf } from './xrpc.ts'

const READ = '2026-11'
const XRPC = 'https://atproto.com/specs/xrpc'

/** The account's server says how the account is; the token says its scopes itself. */
export const examine: Examine = {
  told: {
    access: {
      by: 'com.atproto.server.getSession',
      source: 'https://docs.bsky.app/docs/api/com-atproto-server-get-session',
      read: READ,
    },
    scopes: { by: 'the claim `scope` of the token', source: 'https://atproto.com/specs/oauth', read: READ },
    quota: {
      by: 'the headers `ratelimit-…`',
      source: 'https://docs.bsky.app/docs/advanced-guides/rate-limits',
      read: '2026-11-29',
    },
    version: {
      by: 'any call, with 501 or `MethodNotImplemented`',
      source: XRPC,
      read: READ,
      faultsOnly: true,
    },
  },
  *ask({ authorization: stored, now }) {
    const authorization = blueskyAuthorization(stored)
    const method = 'com.atproto.server.getSession'
    const response = yield* call(query(authorization.server, method, {}, authorization))
    const missing = missingIn(authorization)
    const quotas = quotaIn(response, now)
    const refusal = refusalOf(response)
    const session = readBody(response, Session)
    if (session?.did === authorization.did) {
      // An account that is suspended, deactivated or taken down still has sessions.
      return examined(session.active === false ? SUSPENDED : accepted(), { missing, quotas })
    }
    if (response.status === 403 && refusal?.is === 'rejected')
      return examined(accepted(), { missing: lacked(authorization, missing), quotas })
    const gone = response.status === 501 || errorOf(response) === 'MethodNotImplemented'
    const version = gone ? { name: method, answered: false } : null
    const refused = examinedRefusal(response, refusal, SUSPENDED)
    return { ...refused, missing, version, quotas: [...refused.quotas, ...quotas] }
  },
}

const Session = Type.Object({ did: Type.String(), active: Type.Optional(Type.Boolean()) })

/** What an app password gives (https://atproto.com/specs/xrpc#app-passwords), or the account's own password. */
const PASSWORDS: readonly string[] = [
  'com.atproto.appPass',
  'com.atproto.appPassPrivileged',
  'com.atproto.access',
]

type Scopes = { readonly scopes: readonly string[] } | null

function missingIn({ kind, accessToken }: BlueskyAuthorization): Scopes {
  const granted = scopeOfJwt(accessToken)?.split(' ')
  if (granted === undefined) return null
  if (kind === 'oauth') return { scopes: lackingOf(SCOPE.split(' '), granted) }
  return { scopes: granted.some((one) => PASSWORDS.includes(one)) ? [] : ['com.atproto.appPass'] }
}

/** The server does not let the session read itself: where the token does not say what it lacks, it is all. */
function lacked({ kind }: BlueskyAuthorization, missing: Scopes): Scopes {
  if (missing !== null && missing.scopes.length > 0) return missing
  return { scopes: kind === 'oauth' ? SCOPE.split(' ') : ['com.atproto.appPass'] }
}

function quotaIn(response: HttpResponse, now: Date): Quota[] {
  const { headers, status } = response
  const {
    'ratelimit-remaining': left = '',
    'ratelimit-limit': of = '',
    'ratelimit-reset': reset = '',
  } = headers
  if (status === 429 || !/^\d{1,9}$/.test(left) || !/^\d{1,11}$/.test(reset)) return []
  const resetsInMs = msUntil(Number(reset) * 1_000, response, now)
  return [{ unit: 'calls', left: Number(left), of: /^\d{1,9}$/.test(of) ? Number(of) : null, resetsInMs }]
}
