import type { HttpRequest, RequestAuthorization } from '../port/calls.ts'

/* What requests of adapters are made of. */

/** An address with these parameters in its query. */
export function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const asked = new URL(url)
  for (const [name, value] of Object.entries(query)) asked.searchParams.set(name, value)
  return asked
}

export function bearer({ accessToken }: { readonly accessToken: string }) {
  return { scheme: 'Bearer', credentials: accessToken } as const
}

/** A request that changes nothing. */
export function get(url: URL, authorization?: RequestAuthorization): HttpRequest {
  return { method: 'GET', url, ...(authorization === undefined ? {} : { authorization }) }
}
