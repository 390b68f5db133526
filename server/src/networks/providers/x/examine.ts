import type { HttpResponse } from '../port/calls.ts'
import { accepted, APP_REFUSED, examined, examinedRefusal, SUSPENDED } from '../port/examinations.ts'
import type { AccessState, Examine, Origins } from '../port/port.ts'
import { problemOf, refusalOf } from './answers.ts'
import { xAuthorization } from './authorization.ts'
import { readAccount } from './connecting.ts'

/** X's own description of its API, version 2.167. */
const DESCRIPTION = { source: 'https://api.x.com/2/openapi.json', read: '2026-11-29' }
const ERRORS = 'https://docs.x.com/x-api/fundamentals/response-codes-and-errors'

/**
 * X tells the scopes of a token in the answers that give one alone: connecting compares them. What is left of its limits stands in the
 * answers to posts alone; `GET /2/usage/tweets` takes no token of an account, but one that only the app has, as X's description says.
 */
export function examineAt({ api }: Origins): Examine {
  return {
    told: {
      access: { by: 'GET /2/users/me', ...DESCRIPTION },
      quota: { by: 'any call, with 402 or 429', source: ERRORS, read: '2026-11', faultsOnly: true },
      limits: { by: '`subscription_type` in GET /2/users/me', ...DESCRIPTION },
    },
    *ask({ authorization }) {
      const shown = yield* readAccount(api, xAuthorization(authorization).accessToken)
      if ('account' in shown) return examined(accepted(), { account: shown.account })
      return examinedRefusal(shown, refusalOf(shown), refusedTo(shown))
    },
  }
}

/** Whose permission is missing: X names the account as suspended, and all else is the app's. */
function refusedTo(response: HttpResponse): AccessState {
  return problemOf(response)?.name === 'user-suspended' ? SUSPENDED : APP_REFUSED
}
