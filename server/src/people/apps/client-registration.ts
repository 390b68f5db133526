import { type Permission, permissionNames } from '@postrider/contract'

/** That of a device, whose person decides in a browser elsewhere (RFC 8628). */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** The grants that are offered; what a client asks for besides is left out, not refused. */
const GRANT_TYPES = ['authorization_code', 'refresh_token', DEVICE_GRANT]
const USUAL_GRANT_TYPES = ['authorization_code', 'refresh_token']

/**
 * A registration (RFC 7591) as the authorization server takes it. Real clients ask for all they know, such as the password
 * grant or `openid profile`: section 2 of the RFC lets a server answer with less. Anything that is no JSON object is
 * handed on as it is, and refused there.
 */
export function narrowRegistration(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const { grant_types: grants, response_types: responses, scope, ...rest } = body as Record<string, unknown>
  const kept = Array.isArray(grants) ? known(grants, GRANT_TYPES, USUAL_GRANT_TYPES) : USUAL_GRANT_TYPES
  // Without codes, nobody is sent back to the client: it needs no address for that.
  const answersBy = kept.includes('authorization_code') ? ['code'] : []
  return {
    ...rest,
    ...(Array.isArray(grants) ? { grant_types: kept } : {}),
    ...(Array.isArray(responses) || answersBy.length === 0 ? { response_types: answersBy } : {}),
    ...(typeof scope === 'string' ? { scope: narrowScope(scope) } : {}),
  }
}

function known(asked: readonly unknown[], offered: readonly string[], usual: readonly string[]): string[] {
  const kept = offered.filter((one) => asked.includes(one))
  return kept.length === 0 ? [...usual] : kept
}

/** What is offered of a scope. One of which nothing is offered is left as it is, and refused. */
function narrowScope(scope: string): string {
  const offered = knownPermissions(scope)
  return offered.length === 0 ? scope : offered.join(' ')
}

/** The permissions that a scope names. */
export function knownPermissions(scope: string): Permission[] {
  const asked = scope.split(' ')
  return permissionNames.filter((name) => asked.includes(name))
}

/**
 * Schemes of applications have the form of a domain name turned round (RFC 8252, 7.1): one without a dot may be a program of the
 * system, such as `ms-msdt:` or `intent:`, which acts on what it is opened with. These belong to clients that have no other.
 */
const SCHEMES_WITHOUT_DOT = ['https:', 'http:', 'cursor:']

/** What is wrong with where a client wants answers to go; null when nothing is. What is no list of addresses is the library's to refuse. */
export function redirectFault(addresses: unknown): string | null {
  if (!Array.isArray(addresses)) return null
  for (const address of addresses) {
    if (typeof address !== 'string' || !URL.canParse(address)) continue
    // `URL` reads over tabs and line ends, which a header would not.
    if (/[\s\p{Cc}]/u.test(address))
      return 'redirect_uris must have no spaces, line ends or control characters'
    const { protocol, username, password } = new URL(address)
    if (username !== '' || password !== '') return 'redirect_uris must have no user information'
    if (!protocol.includes('.') && !SCHEMES_WITHOUT_DOT.includes(protocol))
      return `redirect_uris must be https, http on a loopback address, or a scheme such as com.example.app (RFC 8252, 7.1), not ${protocol}`
  }
  return null
}
