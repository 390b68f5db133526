import { noApprovalPolicy, noLimits, permissionNames, type Role, roleHas } from '@postrider/contract/names'
import { findMember } from '../members/member-store.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { asCaller } from './authenticate.ts'

/** A member in whose name something is done later, with the rights of their present role; null for one who is no longer a member. */
export async function memberHolder(sql: Sql, workspaceId: string, memberId: string): Promise<Caller | null> {
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
