import type { ApprovalPolicy, CredentialLimits } from '@postrider/contract'
import { type Permission, type Role, roleHas } from '@postrider/contract/names'
import type { Fragment, Sql } from '../../platform/postgres/db.ts'
import { readPolicy, strictest } from '../../edge/operations/approval-policy.ts'
import { readStoredLimits } from '../../edge/operations/credential-limits.ts'
import type { Caller } from '../../edge/operations/route.ts'
import { ChangedMeanwhile } from '../../edge/operations/changed-meanwhile.ts'
import { joinWrites } from '../../edge/operations/credential-lock.ts'
import { hashAgentKey, looksLikeAgentKey } from './agent-key.ts'

/** One kind of secret that opens the Agent API. */
export type CredentialKind = {
  /** Whether the text has the form of this kind; decided without I/O. */
  readonly recognises: (secret: string) => boolean
  /** Its holder; null when it is unknown, expired or revoked. */
  readonly find: (sql: Sql, secret: string) => Promise<Caller | null>
  readonly type: Caller['credential']['type']
  /** The same, by the id of the credential. */
  readonly findById: (sql: Sql, id: string) => Promise<Caller | null>
}

/**
 * Tells who holds a credential; null when it is of no kind, unknown, expired or revoked. It is looked up each time, so that
 * what is revoked is refused from the next request on, in every process.
 */
export function authenticateBy(kinds: readonly CredentialKind[]) {
  return async (sql: Sql, secret: string): Promise<Caller | null> => {
    const kind = kinds.find(({ recognises }) => recognises(secret))
    return kind === undefined ? null : kind.find(sql, secret)
  }
}

/** Tells who holds the credential of an id, for what was begun with it. */
export function holderBy(kinds: readonly CredentialKind[]) {
  return async (sql: Sql, { type, id }: Pick<Caller['credential'], 'type' | 'id'>): Promise<Caller | null> =>
    (await kinds.find((kind) => kind.type === type)?.findById(sql, id)) ?? null
}

type KeyRow = {
  workspaceId: string
  id: string
  name: string
  permissions: Permission[]
  limits: Partial<CredentialLimits>
  approvalPolicy: Partial<ApprovalPolicy>
  expiresAt: Date | null
  memberId: string
  personId: string
  memberName: string
  memberEmail: string
  role: Role
}

export const agentKeys: CredentialKind = {
  recognises: looksLikeAgentKey,
  find: (sql, secret) => {
    const secretHash = hashAgentKey(secret)
    return findKeyHolder(sql, (own) => own`k.secret_hash = ${secretHash}`)
  },
  type: 'agent_key',
  findById: (sql, id) => findKeyHolder(sql, (own) => own`k.id = ${id}`),
}

async function findKeyHolder(sql: Sql, isIt: (sql: Sql) => Fragment): Promise<Caller | null> {
  const row = await findKeyRow(sql, isIt)
  if (row === null) return null
  const { workspaceId, id, name, permissions, expiresAt, memberId, personId, role } = row
  return asCaller(
    {
      workspaceId,
      credential: {
        id,
        type: 'agent_key' as const,
        name,
        expiresAt,
        permissions: grantedTo(role, permissions),
        ...narrowingOf(row),
      },
      member: { id: memberId, personId, name: row.memberName, email: row.memberEmail, role },
    },
    row,
    (again) => findKeyRow(again, isIt),
  )
}

async function findKeyRow(sql: Sql, isIt: (sql: Sql) => Fragment): Promise<KeyRow | null> {
  const [row] = await sql<KeyRow[]>`
      select k.workspace_id as "workspaceId", k.id, k.name, k.permissions, k.limits, w.approval_policy as "approvalPolicy", k.expires_at as "expiresAt",
             m.id as "memberId", p.id as "personId", p.name as "memberName", p.email as "memberEmail", m.role
      from   agent_key k
      join   member m on m.workspace_id = k.workspace_id and m.id = k.member_id
      join   person p on p.id = m.person_id
      join   workspace w on w.id = k.workspace_id
      where  ${isIt(sql)}
      and    k.revoked_at is null
      and    m.removed_at is null
      and    (k.expires_at is null or k.expires_at > now())`
  return row ?? null
}

/** The holder of a credential, who is the same for as long as the row is that they were made of; `findRow` looks it up again. */
export function asCaller(caller: Caller, row: object, findRow: (sql: Sql) => Promise<object | null>): Caller {
  const { credential, member, workspaceId } = caller
  const seen = JSON.stringify(row)
  const confirm = async (sql: Sql) => JSON.stringify(await findRow(sql)) === seen
  return {
    ...caller,
    confirm,
    async hold(tx) {
      // Sent together: the look-up, a statement of its own, sees what the locks were waiting for.
      const [, isSame] = await Promise.all([
        joinWrites(tx, credential.id, member.id, workspaceId),
        confirm(tx),
      ])
      if (!isSame) throw new ChangedMeanwhile()
    },
  }
}

/** What narrows a credential besides its permissions, by what is stored of it and of its workspace. */
export function narrowingOf(row: {
  readonly limits: Partial<CredentialLimits>
  readonly approvalPolicy: Partial<ApprovalPolicy>
}): Pick<Caller['credential'], 'limits' | 'approval'> {
  const limits = readStoredLimits(row.limits)
  const policies = [row.approvalPolicy, limits.approval ?? {}]
  return { limits, approval: strictest(policies.map(readPolicy)) }
}

/** No credential may do more than the member who owns it. */
function grantedTo(role: Role, permissions: readonly Permission[]): Permission[] {
  return permissions.filter((permission) => roleHas(role, permission))
}
