import Type from 'typebox'
import { readBody } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import {
  accepted,
  APP_REFUSED,
  examined,
  examinedRefusal,
  lackingOf,
  SUSPENDED,
} from '../port/examinations.ts'
import type { AccessState, Examine, Origins } from '../port/port.ts'
import { tryCall } from '../port/procedure.ts'
import { reasonOf, refusalOf } from './answers.ts'
import { youtubeAuthorization } from './authorization.ts'
import { readAccount } from './connecting.ts'

const READ = '2026-11'
const ERRORS = 'https://developers.google.com/youtube/v3/docs/errors'

/**
 * How much of a project's units is left, only Google's console tells: no call of the Data API does
 * (https://developers.google.com/youtube/v3/determine_quota_cost, 2026-11). The check costs one unit.
 */
export function examineAt(
  { api, token: tokens }: Origins & { readonly token: string },
  scope: string,
): Examine {
  return {
    told: {
      access: {
        by: 'GET /youtube/v3/channels?mine=true',
        source: 'https://developers.google.com/youtube/v3/docs/channels/list',
        read: READ,
      },
      // In no reference of Google's, but asked by many programs, its own library among them (`getTokenInfo`).
      scopes: {
        by: 'GET https://oauth2.googleapis.com/tokeninfo',
        source: 'https://github.com/googleapis/google-auth-library-nodejs',
        read: '2026-11-29',
      },
      quota: { by: 'any call, with `quotaExceeded`', source: ERRORS, read: READ, faultsOnly: true },
    },
    *ask({ authorization }) {
      const { accessToken } = youtubeAuthorization(authorization)
      const asked = yield* tryCall({
        method: 'GET',
        url: new URL('/tokeninfo', tokens),
        authorization: { scheme: 'Bearer', credentials: accessToken, query: { access_token: accessToken } },
      })
      const granted = asked === null ? undefined : readBody(asked, TokenInfo)?.scope
      const missing =
        granted === undefined ? null : { scopes: lackingOf(scope.split(' '), granted.split(' ')) }
      const shown = yield* readAccount(api, accessToken)
      // The account is there, and its channel is not.
      if ('is' in shown) return examined(SUSPENDED, { missing })
      if ('remoteAccountId' in shown) return examined(accepted(), { missing })
      if (reasonOf(shown) === 'insufficientPermissions' && missing !== null && missing.scopes.length > 0)
        return examined(accepted(), { missing })
      return { ...examinedRefusal(shown, refusalOf(shown), refusedTo(shown)), missing }
    },
  }
}

const TokenInfo = Type.Object({ scope: Type.String() })

/** Whose permission is missing: refusals of the project name no account (`ERRORS`). */
function refusedTo(response: HttpResponse): AccessState {
  return reasonOf(response) === 'accessNotConfigured' ? APP_REFUSED : SUSPENDED
}
