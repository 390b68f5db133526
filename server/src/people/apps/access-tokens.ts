import { type Permission, roleHas } from '@postrider/contract'
import { asCaller, type CredentialKind, narrowingOf } from '../keys/authenticate.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import type { Caller } from '../../edge/operations/route.ts'
import { hashSecret } from '../../platform/sealing/bearer-secret.ts'
import { findGrantHolder, findTokenHolder, type TokenHolder } from './app-grant-store.ts'

/** The form of the authorization server's opaque tokens: 256 bits in base64url. */
const ACCESS_TOKEN = /^[A-Za-z0-9_-]{43}$/

/**
 * Access tokens for the resource, looked up by our own statement: the authorization server need not be loaded for it. A
 * token may do what the person ticked, as far as it was asked for and the member may do it still.
 */
export function accessTokens(resource: string): CredentialKind {
  return {
    recognises: (secret) => ACCESS_TOKEN.test(secret),
    find: (sql, secret) => {
      const hash = hashSecret(secret)
      return findHolder(sql, (own) => findTokenHolder(own, hash, resource))
    },
    type: 'oauth',
    findById: (sql, id) => findHolder(sql, (own) => findGrantHolder(own, id)),
  }
}

async function findHolder(sql: Sql, look: (sql: Sql) => Promise<TokenHolder | null>): Promise<Caller | null> {
  const holder = await look(sql)
  if (holder === null) return null
  const { workspaceId, grantId, clientName, expiresAt, memberId, personId } = holder
  const scope = new Set(holder.scope.split(' '))
  const permissions = holder.permissions.filter(
    (permission: Permission) => scope.has(permission) && roleHas(holder.role, permission),
  )
  const caller: Caller = {
    workspaceId,
    credential: {
      id: grantId,
      type: 'oauth' as const,
      name: clientName,
      permissions,
      expiresAt,
      ...narrowingOf(holder),
    },
    member: {
      id: memberId,
      personId,
      name: holder.memberName,
      email: holder.memberEmail,
      role: holder.role,
    },
  }
  return asCaller(caller, holder, look)
}
