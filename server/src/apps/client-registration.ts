import { type Permission, permissionNames } from '@postrider/contract'

/** The grants that are offered; what a client asks for besides is left out, not refused. */
const GRANT_TYPES = ['authorization_code', 'refresh_token']

/**
 * A registration (RFC 7591) as the authorization server takes it. Real clients ask for all they know, such as the device
 * grant or `openid profile`: section 2 of the RFC lets a server answer with less. Anything that is no JSON object is
 * handed on as it is, and refused there.
 */
export function narrowRegistration(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const { grant_types: grants, response_types: responses, scope, ...rest } = body as Record<string, unknown>
  return {
    ...rest,
    ...(Array.isArray(grants) ? { grant_types: known(grants, GRANT_TYPES) } : {}),
    ...(Array.isArray(responses) ? { response_types: known(responses, ['code']) } : {}),
    ...(typeof scope === 'string' ? { scope: narrowScope(scope) } : {}),
  }
}

function known(asked: readonly unknown[], offered: readonly string[]): string[] {
  const kept = offered.filter((one) => asked.includes(one))
  return kept.length === 0 ? [...offered] : kept
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
