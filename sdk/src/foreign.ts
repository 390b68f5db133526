/* What answers that are none of Postrider's say: those of another server, of a proxy or of a page to sign in. */

/** Where an answer sends its reader. */
type Redirect = {
  /** The address of the other server, or all of the other address where it is no place of the API; null where it is not told. */
  readonly to: string | null
  /** Whether what was asked for is there, too. */
  readonly isServer: boolean
}

/** The redirect of an answer to a request for `path` below `baseUrl`; null where it is none. It is not followed: that would take the credential along. */
export function redirectOf(response: Response, baseUrl: string, path: string): Redirect | null {
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)
  if (!isRedirect) return null
  const location = response.headers.get('location')
  if (location === null || !URL.canParse(location, baseUrl)) return { to: null, isServer: false }
  const target = new URL(location, baseUrl + path)
  const place = target.origin + target.pathname
  // A client that sends its requests elsewhere has asked for another path.
  const asked = [path.split('?')[0] ?? path, ...(response.url === '' ? [] : [new URL(response.url).pathname])]
  const same = asked.find((pathname) => place.endsWith(pathname))
  return { to: same === undefined ? place : place.slice(0, -same.length), isServer: same !== undefined }
}

export function sayRedirect({ to, isServer }: Redirect, baseUrl: string): string {
  if (to === null) return `${baseUrl} redirects elsewhere. Use the address that it redirects to.`
  if (isServer) return `${baseUrl} redirects to ${to}. Use that address.`
  return `${baseUrl} redirects to ${to}, which is no address of the API. Check the address, and whether a sign-in page or a proxy answers for it.`
}

/**
 * Whether an answer can be one of Postrider's, by what every answer to the call has, such as `.items[].postId`: another server may answer
 * with JSON of its own. An empty list has none of it: then it is told by the header that every answer has.
 */
export function isAnswerOf(
  { has = '' }: { readonly has?: string },
  data: unknown,
  headers: Pick<Headers, 'has'>,
): boolean {
  return hasPath(data, has.match(/\[\]|\w+/g) ?? [], headers.has(REQUEST_ID))
}

/** The header with the name of a request in the server's log. */
export const REQUEST_ID = 'x-request-id'

function hasPath(data: unknown, [step, ...rest]: readonly string[], isNamed: boolean): boolean {
  if (step === undefined) return true
  if (step === '[]') {
    if (!Array.isArray(data)) return false
    return data.length === 0 ? isNamed : data.every((item) => hasPath(item, rest, isNamed))
  }
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, step)) return false
  return hasPath((data as Record<string, unknown>)[step], rest, isNamed)
}

export function sayNotOurs(baseUrl: string, what: string): string {
  return `${baseUrl} does not answer like a Postrider server (${what}). Check the address, and whether a proxy answers for it.`
}
