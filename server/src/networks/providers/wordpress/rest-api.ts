import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, retryAfterMs } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { Refusal } from '../port/port.ts'
import { get, withQuery } from '../shared/requests.ts'
import { AWAY, rateLimited, rejected } from '../port/verdicts.ts'
import type { WordpressAuthorization } from './authorization.ts'

/* Calls of WordPress's REST API (https://developer.wordpress.org/rest-api/), and how it says no. */

/** The address of a route, such as `wp/v2/posts`, below the root of a site. */
export function routeOf(root: string, route: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(root)
  const plain = url.searchParams.get('rest_route')
  if (plain === null) return withQuery(new URL(route, url), query)
  return withQuery(url, { rest_route: `${plain}${route}`, ...query })
}

/** https://developer.wordpress.org/rest-api/using-the-rest-api/authentication/#basic-authentication-with-application-passwords */
export function basic({ user, password }: Pick<WordpressAuthorization, 'user' | 'password'>) {
  return { scheme: 'Basic', credentials: Buffer.from(`${user}:${password}`).toString('base64') } as const
}

/** A request that changes nothing. */
export function read(
  authorization: WordpressAuthorization,
  route: string,
  query: Readonly<Record<string, string>> = {},
): HttpRequest {
  return get(routeOf(authorization.root, route, query), basic(authorization))
}

export function write(
  authorization: WordpressAuthorization,
  route: string,
  json: unknown,
  query: Readonly<Record<string, string>> = {},
): HttpRequest {
  const url = routeOf(authorization.root, route, query)
  return { method: 'POST', url, authorization: basic(authorization), json }
}

/** https://developer.wordpress.org/rest-api/using-the-rest-api/: an error says its status itself, which no page of a proxy does. */
const ApiError = Type.Object({
  code: Type.String(),
  data: Type.Object({ status: Type.Integer(), term_id: Type.Optional(Type.Integer()) }),
})

/** The error that an answer carries; null where it carries none. */
export function errorOf(response: HttpResponse): Static<typeof ApiError> | null {
  const body = jsonOf(response)
  return Check(ApiError, body) && body.data.status === response.status && response.status >= 400 ? body : null
}

/**
 * What every call can be refused for before anything is done: null for whatever else it is. With 401, a site refuses whoever it does not
 * know, by any code that a plugin may choose ("restx_logged_out": https://github.com/WP-API/WP-API/issues/2432, 2016-04-15); a user it
 * knows is refused with 403. One in maintenance refuses everybody, with 401 too
 * (https://github.com/Automattic/maintenance-mode-wp/issues/20, 2017-10-03).
 */
export function refusalOf(response: HttpResponse): Refusal | null {
  const { status, headers } = response
  if (status === 429) return rateLimited(retryAfterMs(headers))
  const error = errorOf(response)
  if (error === null) return null
  if (status === 401 && /maintenance/.test(error.code)) return AWAY
  if (status === 404 && error.code === 'rest_no_route') return AWAY
  if (status === 401) return { is: 'reauthorize' }
  if (status === 403 && error.code.startsWith('rest_')) {
    return rejected(
      'permission_refused',
      'The site does not let this user do that. A post needs the role Author, and a new category the role Editor.',
    )
  }
  return null
}

/** https://developer.wordpress.org/rest-api/extending-the-rest-api/adding-custom-endpoints/#arguments */
export function isInvalid(response: HttpResponse): boolean {
  const code = errorOf(response)?.code
  return code === 'rest_invalid_param' || code === 'rest_missing_callback_param'
}

/** What a site does not take as a post, or as a term of one. */
export function contentRefusal(response: HttpResponse): Refusal | null {
  if (response.status !== 400) return null
  return isInvalid(response) || errorOf(response)?.code === 'empty_content'
    ? rejected('content_refused', 'The site refuses the post as invalid.')
    : null
}
