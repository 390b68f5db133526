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
