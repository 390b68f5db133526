import { noApprovalPolicy, noLimits, permissionNames, type Role, roleHas } from '@postrider/contract/names'
import { asCaller } from '../keys/authenticate.ts'
import { findMember } from '../members/member-store.ts'
import type { Caller } from '../operations/route.ts'
import type { Sql } from '../platform/db.ts'
import type { OccurrenceParts } from './make-occurrences.ts'

type HolderOf = (
  sql: Sql,
  credential: { readonly type: Caller['credential']['type']; readonly id: string },
) => Promise<Caller | null>

/** The caller in whose name a series publishes, as they are now: a credential with what it may do, or a member with the rights of their role. */
export function seriesCaller(holderOf: HolderOf): OccurrenceParts['holderOf'] {
  return (sql, { type, id }, workspaceId) =>
    type === 'person' ? memberHolder(sql, workspaceId, id) : holderOf(sql, { type, id })
}

async function memberHolder(sql: Sql, workspaceId: string, memberId: string): Promise<Caller | null> {
  const find = (again: Sql) => findMember(again, workspaceId, memberId)
  const row = await find(sql)
  if (row === null) return null
  const { personId, name, email, role } = row
  const permissions = permissionsOf(role)
  const credential = { id: memberId, type: 'person', name, permissions, expiresAt: null } as const
  const caller: Caller = {
    workspaceId,
    credential: { ...credential, limits: noLimits, approval: noApprovalPolicy },
    member: { id: memberId, personId, name, email, role },
  }
  return asCaller(caller, row, find)
}

function permissionsOf(role: Role) {
  return permissionNames.filter((name) => roleHas(role, name))
}
