import type { Role } from '@postrider/contract'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { type EmailAddress, parseEmail } from '../../platform/text/email-address.ts'
import { isUuid, uuidv7 } from '../../platform/text/uuid.ts'
import { stopWrites } from '../../edge/operations/credential-lock.ts'

export type Member = { memberId: string; name: string; email: EmailAddress; role: Role }

/** A member as lists show it. */
export type ListedMember = Member & {
  readonly createdAt: Date
  /** How many of their agent keys work; they end with the membership. */
  readonly keys: number
}

function memberColumns(sql: Sql) {
  return sql`m.id as "memberId", p.name, p.email, m.role`
}

/**
 * The workspace's first owner, in whose name the operator acts when no other member is named. One who is suspended since a restore
 * is given only where there is no other.
 */
export async function findOwner(sql: Sql, workspaceId: string): Promise<Member | null> {
  const [owner] = await sql<Member[]>`
    select ${memberColumns(sql)}
    from   member m
    join   person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.role = 'owner' and (m.removed_at is null or m.suspended_at is not null)
    order  by m.removed_at is not null, m.id
    limit  1`
  return owner ?? null
}

/** The member of the workspace with this id or this e-mail address. */
export async function findMember(
  sql: Sql,
  workspaceId: string,
  idOrEmail: string,
): Promise<(Member & { readonly personId: string }) | null> {
  const id = idOrEmail.toLowerCase()
  const [member] = await sql<(Member & { readonly personId: string })[]>`
    select ${memberColumns(sql)}, p.id as "personId"
    from   member m
    join   person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.removed_at is null
    and    (m.id = ${isUuid(id) ? id : null} or p.email = ${parseEmail(idOrEmail)})`
  return member ?? null
}

/** The members of a workspace, those who have been in it longest first. */
export async function listMembers(sql: Sql, workspaceId: string): Promise<ListedMember[]> {
  return sql<ListedMember[]>`
    select ${memberColumns(sql)}, m.created_at as "createdAt",
           (select count(*)::int from agent_key k
            where  k.workspace_id = m.workspace_id and k.member_id = m.id and k.revoked_at is null
            and    (k.expires_at is null or k.expires_at > now())) as keys
    from   member m
    join   person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.removed_at is null
    order  by m.id`
}

/** A person's role in a workspace; null when they are no member. */
export async function findMembership(
  sql: Sql,
  workspaceId: string,
  personId: string,
): Promise<{ memberId: string; role: Role } | null> {
  const [row] = await sql<{ memberId: string; role: Role }[]>`
    select id as "memberId", role
    from   member
    where  workspace_id = ${workspaceId} and person_id = ${personId} and removed_at is null`
  return row ?? null
}

/** The same, locked until the transaction ends. */
export async function holdMembership(tx: Sql, workspaceId: string, memberId: string): Promise<Role | null> {
  const [row] = await tx<{ role: Role }[]>`
    select role from member
    where  workspace_id = ${workspaceId} and id = ${memberId} and removed_at is null
    for    share`
  return row?.role ?? null
}

/** The members of a workspace and what they are; locked until the transaction ends. */
export async function lockMembers(tx: Tx, workspaceId: string): Promise<ReadonlyMap<string, Member>> {
  await tx`select from workspace where id = ${workspaceId} for no key update`
  const members = await tx<Member[]>`
    select ${memberColumns(tx)}
    from   member m
    join   person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.removed_at is null`
  return new Map(members.map((member) => [member.memberId, member]))
}

/** Makes a person a member, or again one; null when they are one. */
export async function insertMember(
  tx: Tx,
  { workspaceId, personId, role }: { workspaceId: string; personId: string; role: Role },
): Promise<string | null> {
  const [row] = await tx<{ memberId: string }[]>`
    insert into member as m (workspace_id, id, person_id, role)
    values (${workspaceId}, ${uuidv7()}, ${personId}, ${role})
    on     conflict (workspace_id, person_id) do update
    set    role = excluded.role, removed_at = null, suspended_at = null
    where  m.removed_at is not null
    returning id as "memberId"`
  return row?.memberId ?? null
}

/** A member whom a restore has suspended. */
export type SuspendedMember = Member & { readonly workspaceId: string; readonly workspaceName: string }

/**
 * Takes every member out of their workspaces, or out of this one, until they are confirmed: they may have been removed, or given another role or password,
 * after a backup that was restored.
 */
export async function suspendAllMembers(tx: Tx, workspaceId: string | null = null): Promise<void> {
  await tx`
    update member set removed_at = now(), suspended_at = now()
    where  removed_at is null and (${workspaceId}::uuid is null or workspace_id = ${workspaceId})`
}

/** Takes those in again who were suspended at this time, to the microsecond. */
export async function resumeMembers(tx: Tx, workspaceId: string, suspendedAt: string): Promise<void> {
  await tx`
    update member set removed_at = null, suspended_at = null
    where  workspace_id = ${workspaceId} and suspended_at = ${suspendedAt}::timestamptz`
}

/** The members who wait to be confirmed, of all workspaces. */
export async function listSuspendedMembers(sql: Sql): Promise<SuspendedMember[]> {
  return sql<SuspendedMember[]>`
    select m.workspace_id as "workspaceId", w.name as "workspaceName", ${memberColumns(sql)}
    from   member m
    join   workspace w on w.id = m.workspace_id
    join   person p on p.id = m.person_id
    where  m.suspended_at is not null
    order  by m.id`
}

/** Takes a member in again who waits for it; false for any other. */
export async function confirmMember(tx: Tx, workspaceId: string, memberId: string): Promise<boolean> {
  const { count } = await tx`
    update member set removed_at = null, suspended_at = null
    where  workspace_id = ${workspaceId} and id = ${memberId} and suspended_at is not null`
  return count === 1
}

/** Leaves a member out for good who waits to be confirmed. */
export async function denyMember(tx: Tx, workspaceId: string, memberId: string): Promise<void> {
  await tx`
    update member set suspended_at = null
    where  workspace_id = ${workspaceId} and id = ${memberId} and suspended_at is not null`
}

/** Writes by the member's keys and apps that are under way are waited for. */
export async function setRole(tx: Tx, workspaceId: string, memberId: string, role: Role): Promise<void> {
  await stopWrites(tx, memberId)
  await tx`update member set role = ${role} where workspace_id = ${workspaceId} and id = ${memberId}`
}

/** Ends the agent keys and the connected apps of a member; says how many keys worked. */
export type EndCredentials = (tx: Tx, workspaceId: string, memberId: string) => Promise<number>

/** Takes a member out of a workspace, with their open invitations and credentials, and says how many keys ended. */
export async function endMembership(
  tx: Tx,
  workspaceId: string,
  memberId: string,
  endCredentials: EndCredentials,
): Promise<number> {
  await stopWrites(tx, memberId)
  await tx`update member set removed_at = now() where workspace_id = ${workspaceId} and id = ${memberId}`
  await tx`
    update invitation set revoked_at = now()
    where  workspace_id = ${workspaceId} and invited_by = ${memberId} and accepted_at is null and revoked_at is null`
  return endCredentials(tx, workspaceId, memberId)
}
