import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import type { Refusal } from '../port/port.ts'
import { notOffered, rateLimited, rejected } from '../port/verdicts.ts'
import { rateLimitMs } from './rate-limits.ts'

/*
 * Errors of X's API: `{ title, detail, type, status }`, where `type` is an address whose end names the error, or
 * `about:blank` for one without a name (https://docs.x.com/x-api/fundamentals/response-codes-and-errors).
 */

const ApiProblem = Type.Object({
  title: Type.String({ minLength: 1 }),
  type: Type.String({ minLength: 1 }),
  detail: Type.Optional(Type.String()),
  /** What is wrong with each parameter, where the detail says no more than that one is. */
  errors: Type.Optional(Type.Array(Type.Object({ message: Type.Optional(Type.String()) }))),
})

/** The error that an answer carries: `name` is the end of its type, null for one without a name; `detail` all that it says in words. */
export type Problem = { readonly name: string | null; readonly detail: string }

export function problemOf(response: HttpResponse): Problem | null {
  const body = jsonOf(response)
  if (response.status < 400 || !Check(ApiProblem, body)) return null
  // The same names stand under api.x.com and api.twitter.com.
  const name = /\/problems\/([a-z0-9-]+)$/.exec(body.type)?.[1] ?? null
  const { detail = '', errors = [] } = body
  return { name, detail: [detail, ...errors.map(({ message = '' }) => message)].join('\n') }
}

/** https://docs.x.com/x-api/fundamentals/response-codes-and-errors: `usage-capped` names its period, and no time. */
const UsageCap = Type.Object({
  type: Type.String({ pattern: '/problems/usage-capped$' }),
  period: Type.Enum(['Daily', 'Monthly']),
})
const DAY_MS = 24 * 3_600_000

/** Until the end of the period of a usage cap, by X's own clock, but a day at most, since a cap may be raised; null for no usage cap. */
function usageCapMs(response: HttpResponse): number | null {
  const now = new Date(response.headers['date'] ?? '')
  const body = jsonOf(response)
  if (Number.isNaN(now.getTime()) || !Check(UsageCap, body)) return null
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const end = body.period === 'Daily' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1)
  return Math.min(end - now.getTime(), DAY_MS)
}

/** What every authorised call can be refused for before anything is done: null for whatever else it is. */
export function refusalOf(response: HttpResponse): Refusal | null {
  const { status } = response
  if (status === 429) return rateLimited(usageCapMs(response) ?? rateLimitMs(response))
  const problem = problemOf(response)
  if (problem === null) return null
  if (status === 401) return { is: 'expired' }
  if (status === 402) {
    return rejected(
      'permission_refused',
      'The app has no credits left at X. Ask your server operator to buy some in the X developer console, then retry.',
    )
  }
  // Of a thing that is not there it has a name.
  if ((status === 404 || status === 405) && problem.name === null) return notOffered('X')
  if (status !== 403) return null
  switch (problem.name) {
    case 'user-suspended':
      return rejected(
        'permission_refused',
        'X has suspended or locked this account. Sign in to X to see why.',
      )
    case 'client-forbidden':
    case 'client-not-enrolled':
    case 'unsupported-authentication':
      return rejected(
        'permission_refused',
        "X does not allow this server's app to do that. Ask your server operator to check its access level and permissions in the X developer console.",
      )
    case null:
    default:
      return null
  }
}
