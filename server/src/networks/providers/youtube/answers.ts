import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, retryAfterMs } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import type { Refusal } from '../port/port.ts'
import { notOffered, rateLimited, rejected } from '../port/verdicts.ts'

/*
 * Errors of Google's APIs: `{ error: { code, message, errors: [{ reason, domain, message }] } }`
 * (https://developers.google.com/youtube/v3/docs/errors, and of all its APIs .../docs/core_errors).
 */

const ApiError = Type.Object({
  error: Type.Object({
    code: Type.Integer(),
    errors: Type.Array(Type.Object({ reason: Type.String({ minLength: 1 }) }), { minItems: 1 }),
  }),
})

/** Newer services leave `errors` out, and name a `status` instead (https://google.aip.dev/193). */
const NewError = Type.Object({ error: Type.Object({ code: Type.Integer(), message: Type.String() }) })

/** Whether an answer carries an error of its own status in either form. */
export function isRefused(response: HttpResponse): boolean {
  const body = jsonOf(response)
  return (
    response.status >= 400 &&
    response.status < 500 &&
    Check(NewError, body) &&
    body.error.code === response.status
  )
}

/** The reason of an error that an answer carries of its own status; null for every other answer. */
export function reasonOf(response: HttpResponse): string | null {
  const body = jsonOf(response)
  const { status } = response
  if (status < 400 || status >= 500 || !Check(ApiError, body) || body.error.code !== status) return null
  return body.error.errors[0]?.reason ?? null
}

/** Whether there is no such call: a thing that is not there has other words. */
export function isNoCall(response: HttpResponse): boolean {
  const body = jsonOf(response)
  return isRefused(response) && Check(NewError, body) && /^method not found/i.test(body.error.message)
}

/** "… and limit 'Video Uploads per day'": https://github.com/googleapis/google-api-python-client/issues/2753 (2026-05-27). */
function isDaily(response: HttpResponse): boolean {
  const body = jsonOf(response)
  return Check(NewError, body) && /\bper day\b/i.test(body.error.message)
}

/** What every authorised call can be refused for before anything is done: null for whatever else it is. */
export function refusalOf(response: HttpResponse): Refusal | null {
  const { status, headers } = response
  if (status === 429)
    return rateLimited(isDaily(response) ? untilMidnightMs(response) : retryAfterMs(headers))
  const reason = reasonOf(response)
  switch (reason) {
    case 'youtubeSignupRequired':
      return rejected(
        'permission_refused',
        'This Google account has no YouTube channel any more. Create one on YouTube, then retry.',
      )
    case 'quotaExceeded':
    case 'dailyLimitExceeded':
      return rateLimited(untilMidnightMs(response))
    case 'rateLimitExceeded':
    case 'userRateLimitExceeded':
      return rateLimited(retryAfterMs(headers))
    case 'uploadLimitExceeded':
      // Of the channel, within 24 hours (https://support.google.com/youtube/answer/4348264).
      return rateLimited(UPLOAD_PAUSE_MS)
    case 'insufficientPermissions':
      return { is: 'reauthorize' }
    case 'accountClosed':
    case 'accountSuspended':
    case 'channelClosed':
    case 'channelSuspended':
    case 'authenticatedUserAccountClosed':
    case 'authenticatedUserAccountSuspended':
      return rejected(
        'permission_refused',
        'YouTube has closed or suspended this channel. Sign in to YouTube to see why.',
      )
    case 'accessNotConfigured':
      return rejected(
        'permission_refused',
        "The YouTube Data API is not enabled for this server's app. Ask your server operator to enable it in the Google Cloud console, then retry.",
      )
    case 'forbidden':
      return status === 403
        ? rejected(
            'permission_refused',
            'YouTube does not let this channel do that. Sign in to YouTube to see why.',
          )
        : null
    case null:
    default:
      if (isNoCall(response)) return notOffered('YouTube')
      // Of 401 there are more reasons than any page lists ("authorizationRequired":
      // https://github.com/googleapis/google-api-dotnet-client/issues/1264, 2018-07-31), and newer services give none.
      return status === 401 && isRefused(response) ? { is: 'expired' } : null
  }
}

const UPLOAD_PAUSE_MS = 3_600_000
const DAY_S = 86_400

/** Quotas are daily and reset at midnight Pacific time (https://developers.google.com/youtube/data/determine_quota_cost). */
export function untilMidnightMs({ headers }: HttpResponse): number | null {
  const date = new Date(headers['date'] ?? '')
  if (Number.isNaN(date.getTime())) return null
  const parts = PACIFIC.formatToParts(date)
  const value = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value ?? '0')
  return (DAY_S - (value('hour') * 3_600 + value('minute') * 60 + value('second'))) * 1_000
}

const PACIFIC = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
