import { type Permission, roleHas } from '@postrider/contract'
import { type CredentialKind, narrowingOf, revokedMeanwhile } from '../identity/authenticate.ts'
import { findTokenHolder, joinGrant } from './grant-store.ts'

/** The form of the authorization server's opaque tokens: 256 bits in base64url. */
const ACCESS_TOKEN = /^[A-Za-z0-9_-]{43}$/

/**
 * Access tokens for the resource, looked up by our own statement: the authorization server need not be loaded for it. A
 * token may do what the person ticked, as far as it was asked for and the member may do it still.
 */
export function accessTokens(resource: string): CredentialKind {
  return {
    recognises: (secret) => ACCESS_TOKEN.test(secret),
    async find(sql, secret) {
      const holder = await findTokenHolder(sql, secret, resource)
      if (holder === null) return null
      const { workspaceId, grantId, clientName, expiresAt, memberId, personId } = holder
      const scope = new Set(holder.scope.split(' '))
      const permissions = holder.permissions.filter(
        (permission: Permission) => scope.has(permission) && roleHas(holder.role, permission),
      )
      return {
        workspaceId,
        credential: {
          ...{ id: grantId, type: 'oauth', name: clientName, permissions, expiresAt },
          ...narrowingOf(holder),
        },
        hold: async (tx) => ((await joinGrant(tx, workspaceId, grantId)) ? null : revokedMeanwhile()),
        member: { id: memberId, personId, name: holder.memberName, email: holder.memberEmail },
      }
    },
  }
}
