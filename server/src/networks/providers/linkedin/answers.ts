import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { Refusal } from '../port/port.ts'
import { bearer } from '../shared/requests.ts'
import { NOT_SHOWN_YET, notOffered, rateLimited, rejected } from '../port/verdicts.ts'
import { API_VERSION } from './api-version.ts'
import type { LinkedinAuthorization } from './authorization.ts'

/*
 * LinkedIn's versioned API (https://learn.microsoft.com/en-us/linkedin/marketing/versioning). An error is
 * `{ status, message, code, serviceErrorCode }` (https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling).
 */

export const VERSION = API_VERSION.name

const ApiError = Type.Object({
  status: Type.Integer(),
  message: Type.String(),
  code: Type.Optional(Type.String()),
  serviceErrorCode: Type.Optional(Type.Integer()),
})

/** A request to the API, authorised, in the version that this code was written for. */
export function apiRequest(
  api: string,
  authorization: Pick<LinkedinAuthorization, 'accessToken'>,
  path: string,
  rest: Partial<HttpRequest> = {},
): HttpRequest {
  return {
    method: 'GET',
    url: new URL(path, api),
    authorization: bearer(authorization),
    ...rest,
    headers: { 'linkedin-version': VERSION, 'x-restli-protocol-version': '2.0.0', ...rest.headers },
  }
}

/** The error that an answer carries; null where it carries none of its own status. */
export function errorOf(response: HttpResponse): Static<typeof ApiError> | null {
  const body = jsonOf(response)
  return response.status >= 400 && Check(ApiError, body) && body.status === response.status ? body : null
}

/** What every authorised call can be refused for before anything is done: null for whatever else it is. */
export function refusalOf(
  response: HttpResponse,
  authorization: Pick<LinkedinAuthorization, 'accessSince'>,
): Refusal | null {
  const { status } = response
  if (status === 429) return rateLimited(untilMidnightMs(response))
  const error = errorOf(response)
  if (error === null) return null
  // A refresh tells whether the authorization is over, where there is a refresh token.
  if (status === 401) {
    if (!isRevoked(response)) return { is: 'expired' }
    return isNew(authorization, response) ? NOT_SHOWN_YET : { is: 'reauthorize' }
  }
  if (status === 405 || error.message.startsWith('No virtual resource')) return notOffered('LinkedIn')
  if (error.message.startsWith('Unpermitted fields')) return NO_PRODUCT
  if (status === 403) {
    return rejected(
      'permission_refused',
      "LinkedIn does not let this account post here: it is restricted, or its role on the page doesn't allow it. Sign in to LinkedIn to check, then reconnect the channel.",
    )
  }
  // https://github.com/PipedreamHQ/pipedream/issues/854 (2021-01-27).
  if (status === 404 && /^Resource \S+ does not exist/.test(error.message)) return NO_PRODUCT
  if (status === 426) {
    return rejected(
      'not_published',
      `LinkedIn has ended version ${VERSION} of its API. Ask your server operator to upgrade Postrider, then retry.`,
    )
  }
  return null
}

/** The app lacks the product that has the call, or a field of it. */
const NO_PRODUCT = rejected(
  'permission_refused',
  "LinkedIn does not let this server's app post. Ask your server operator to check the app's products in the LinkedIn developer portal, then retry.",
)

/**
 * LinkedIn also says so of tokens that it has just given out, for some seconds: https://github.com/tomasvotava/fastapi-sso/issues/196
 * (2024-09-19), https://github.com/jclusso/omniauth-linkedin-openid/issues/6 (2024-09-17).
 */
export function isRevoked(response: HttpResponse): boolean {
  return response.status === 401 && errorOf(response)?.code === 'REVOKED_ACCESS_TOKEN'
}

const NEW_MS = 60_000

/** Whether the access token was given within a minute before the answer, by LinkedIn's own clock. */
function isNew(
  { accessSince = '' }: Pick<LinkedinAuthorization, 'accessSince'>,
  { headers }: HttpResponse,
): boolean {
  return Date.parse(headers['date'] ?? '') - Date.parse(accessSince) < NEW_MS
}

/** Limits are daily and reset at midnight UTC (https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/rate-limits). */
function untilMidnightMs({ headers }: HttpResponse): number | null {
  const date = new Date(headers['date'] ?? '')
  if (Number.isNaN(date.getTime())) return null
  return new Date(date).setUTCHours(24, 0, 0, 0) - date.getTime()
}
