import type { IncomingHttpHeaders } from 'node:http'

/** The address under which people open the server in a browser. */
export type Site = {
  /** Without a slash at its end. */
  readonly url: string
  readonly secure: boolean
  /** The name that passkeys are bound to. */
  readonly host: string
  /** What `Origin` may say in a request of our own pages. */
  readonly origins: ReadonlySet<string>
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']

/**
 * On the own machine people open `localhost`: passkeys work there, and not at `127.0.0.1`. Cookies do not know the two for
 * one, so that links lead to the former.
 */
export function siteOf(baseUrl: string): Site {
  const url = new URL(baseUrl)
  const { protocol, port, pathname } = url
  const loopback = protocol === 'http:' && LOOPBACK.includes(url.hostname)
  const named = (hostname: string) => `${protocol}//${hostname}${port === '' ? '' : `:${port}`}`
  const host = loopback ? 'localhost' : url.hostname
  return {
    url: `${named(host)}${pathname.replace(/\/$/, '')}`,
    secure: protocol === 'https:',
    host,
    origins: new Set(loopback ? LOOPBACK.map(named) : [url.origin]),
  }
}

/**
 * Whether a request comes from a page of our own. Browsers tell by `Sec-Fetch-Site` (on https and localhost) and by
 * `Origin`, which pages cannot forge; a write of which neither says so is refused.
 */
export function isOwnPage({ origins }: Site, headers: IncomingHttpHeaders): boolean {
  const { origin } = headers
  const fetchSite = headers['sec-fetch-site']
  if (fetchSite !== undefined && fetchSite !== 'same-origin') return false
  if (origin !== undefined) return origins.has(origin)
  return fetchSite === 'same-origin'
}

/** Where a page is, when it was asked for under another name of this machine (`host`, the header); null when it was not. */
export function canonicalAddress(
  { url, host }: Site,
  asked: string | undefined,
  path: string,
): string | null {
  if (host !== 'localhost' || !/^(127\.0\.0\.1|\[::1\])(:\d+)?$/.test(asked ?? '')) return null
  // Put together, and not resolved: `//elsewhere/` is a path here.
  return `${new URL(url).origin}${path}`
}

/** Where the identity provider sends browsers back to. */
export function providerReturnUrl(baseUrl: string): string {
  return `${siteOf(baseUrl).url}/sign-in/provider/callback`
}

/** The address of the link with which a person becomes the owner. */
export function ownerLinkUrl(baseUrl: string, secret: string): string {
  return `${siteOf(baseUrl).url}/set-up/${secret}`
}

/** The address of the link with which a person sets a new password. */
export function resetLinkUrl(baseUrl: string, secret: string): string {
  return `${siteOf(baseUrl).url}/reset-password/${secret}`
}

/** The address of the link with which a person proves that they read mail sent to an address. */
export function emailLinkUrl(baseUrl: string, secret: string): string {
  return `${siteOf(baseUrl).url}/confirm-email/${secret}`
}

/** The address of the link with which a person accepts an invitation. */
export function invitationUrl(baseUrl: string, secret: string): string {
  return `${siteOf(baseUrl).url}/invitation/${secret}`
}
