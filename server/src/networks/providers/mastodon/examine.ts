import Type from 'typebox'
import { msUntil, readBody } from '../shared/answers.ts'
import type { Limits } from '../port/bounds.ts'
import type { HttpResponse } from '../port/calls.ts'
import {
  accepted,
  examined,
  examinedRefusal,
  namedVersion,
  notSaid,
  SUSPENDED,
} from '../port/examinations.ts'
import { covers } from '../shared/oauth-code.ts'
import type { Examine, Quota } from '../port/port.ts'
import { call, tryCall } from '../port/procedure.ts'
import { errorOf, read, refusalOf } from './answers.ts'
import { mastodonAuthorization } from './authorization.ts'
import { accountShown, readInstance } from './connecting.ts'

const DOCS = 'https://docs.joinmastodon.org'
const READ = '2026-11'

/**
 * An instance says what its server takes, and of a token which scopes its app has: from 4.3, and servers of other software may not. A
 * token has no more than its app.
 */
export function examineWith(defaults: Limits, scope: string): Examine {
  return {
    told: {
      access: {
        by: 'GET /api/v1/accounts/verify_credentials',
        source: `${DOCS}/methods/accounts/#verify_credentials`,
        read: READ,
      },
      scopes: {
        by: 'GET /api/v1/apps/verify_credentials',
        source: `${DOCS}/methods/apps/#verify_credentials`,
        read: '2026-11-29',
      },
      quota: { by: 'the headers `x-ratelimit-…`', source: `${DOCS}/api/rate-limits/`, read: READ },
      limits: { by: 'GET /api/v2/instance', source: `${DOCS}/methods/instance/#v2`, read: READ },
      version: {
        by: '`version` in GET /api/v2/instance',
        source: `${DOCS}/entities/Instance/#version`,
        read: READ,
      },
    },
    *ask({ authorization: stored, now }) {
      const authorization = mastodonAuthorization(stored)
      const response = yield* call(read(authorization, '/api/v1/accounts/verify_credentials'))
      const quotas = quotaIn(response, now)
      const instance = yield* readInstance(authorization.server, defaults)
      const told =
        'is' in instance
          ? // It is no instance any more, or not as this code knows one.
            { version: instance.is === 'refused' ? { name: 'v2', answered: false } : null, quotas }
          : {
              version: namedVersion(instance.version),
              account: { subscription: null, limits: instance.limits },
              quotas,
            }
      const app = yield* tryCall(read(authorization, '/api/v1/apps/verify_credentials'))
      const scopes = app === null ? undefined : readBody(app, App)?.scopes
      const missing =
        scopes === undefined
          ? null
          : { scopes: scope.split(' ').filter((one) => !covers(scopes.join(' '), one)) }
      if (accountShown(response)) return examined(accepted(), { ...told, missing })
      const error = errorOf(response)
      if (response.status === 403 && error !== null && /scope/i.test(error))
        return examined(accepted(), { ...told, missing: missing ?? { scopes: ['read:accounts'] } })
      const refused = examinedRefusal(response, refusalOf(response), SUSPENDED)
      const access = response.status === 404 ? notSaid(response) : refused.access
      return examined(access, { ...told, missing, quotas: [...refused.quotas, ...quotas] })
    },
  }
}

const App = Type.Object({ scopes: Type.Array(Type.String()) })

function quotaIn(response: HttpResponse, now: Date): Quota[] {
  const { headers, status } = response
  const left = headers['x-ratelimit-remaining'] ?? ''
  const of = headers['x-ratelimit-limit'] ?? ''
  if (status === 429 || !/^\d{1,9}$/.test(left)) return []
  const resetsInMs = msUntil(Date.parse(headers['x-ratelimit-reset'] ?? ''), response, now)
  return [{ unit: 'calls', left: Number(left), of: /^\d{1,9}$/.test(of) ? Number(of) : null, resetsInMs }]
}
