import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback, LOOPBACK, underOneName } from './loopback.ts'

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

export function siteOf(baseUrl: string): Site {
  const { protocol, hostname, port, origin } = new URL(underOneName(baseUrl))
  const named = (name: string) => `http://${name}${port === '' ? '' : `:${port}`}`
  return {
    url: origin,
    secure: protocol === 'https:',
    host: hostname,
    origins: new Set(isLoopback(origin) ? LOOPBACK.map(named) : [origin]),
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

/** Where the issuer sends browsers back to. */
export function issuerReturnUrl(baseUrl: string): string {
  return `${siteOf(baseUrl).url}/sign-in/issuer/callback`
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
