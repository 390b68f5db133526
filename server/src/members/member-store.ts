import type { Role } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import type { Sql, Tx } from '../platform/db.ts'
import { type EmailAddress, parseEmail } from '../platform/email-address.ts'
import { isUuid } from '../platform/uuid.ts'
import { stopWrites } from '../operations/credential-lock.ts'

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

/** The workspace's first owner, in whose name a key is made when nobody else is named. */
export async function findOwner(sql: Sql, workspaceId: string): Promise<Member | null> {
  const [owner] = await sql<Member[]>`
    select ${memberColumns(sql)}
    from   member m
    join   person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.role = 'owner' and m.removed_at is null
    order  by m.id
    limit  1`
  return owner ?? null
}

/** The member of the workspace with this id or this e-mail address. */
export async function findMember(sql: Sql, workspaceId: string, idOrEmail: string): Promise<Member | null> {
  const id = idOrEmail.toLowerCase()
  const [member] = await sql<Member[]>`
    select ${memberColumns(sql)}
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

/** What somebody is in a workspace; null when they are no member. */
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

/** The same, and nobody changes it until the transaction ends. */
export async function holdMembership(tx: Sql, workspaceId: string, memberId: string): Promise<Role | null> {
  const [row] = await tx<{ role: Role }[]>`
    select role from member
    where  workspace_id = ${workspaceId} and id = ${memberId} and removed_at is null
    for    share`
  return row?.role ?? null
}

/** The members of a workspace and what they are; nobody changes them until the transaction ends. */
export async function lockMembers(tx: Tx, workspaceId: string): Promise<ReadonlyMap<string, Member>> {
  await tx`select from workspace where id = ${workspaceId} for no key update`
  const members = await tx<Member[]>`
    select ${memberColumns(tx)}
    from   member m
    join   person p on p.id = m.person_id
    where  m.workspace_id = ${workspaceId} and m.removed_at is null`
  return new Map(members.map((member) => [member.memberId, member]))
}

/** Makes a person a member, or again one; null when they are one. None of the apps that they had let in comes back. */
export async function insertMember(
  tx: Tx,
  { workspaceId, personId, role }: { workspaceId: string; personId: string; role: Role },
): Promise<string | null> {
  const [row] = await tx<{ memberId: string }[]>`
    insert into member as m (workspace_id, id, person_id, role)
    values (${workspaceId}, ${uuidv7()}, ${personId}, ${role})
    on     conflict (workspace_id, person_id) do update set role = excluded.role, removed_at = null
    where  m.removed_at is not null
    returning id as "memberId"`
  if (row === undefined) return null
  // A release that leaves grants alone may have taken them out.
  await revokeGrants(tx, workspaceId, row.memberId)
  return row.memberId
}

/** Writes by the member's keys and apps that are under way are waited for. */
export async function setRole(tx: Tx, workspaceId: string, memberId: string, role: Role): Promise<void> {
  await stopWrites(tx, memberId)
  await tx`update member set role = ${role} where workspace_id = ${workspaceId} and id = ${memberId}`
}

/** Takes a member out of a workspace, with their agent keys, connected apps and open invitations, and says how many keys ended. */
export async function endMembership(tx: Tx, workspaceId: string, memberId: string): Promise<number> {
  await stopWrites(tx, memberId)
  await tx`update member set removed_at = now() where workspace_id = ${workspaceId} and id = ${memberId}`
  await tx`
    update invitation set revoked_at = now()
    where  workspace_id = ${workspaceId} and invited_by = ${memberId} and accepted_at is null and revoked_at is null`
  await revokeGrants(tx, workspaceId, memberId)
  const { count } = await tx`
    update agent_key set revoked_at = now()
    where  workspace_id = ${workspaceId} and member_id = ${memberId} and revoked_at is null`
  return count
}

/** Cuts off all apps that a member has let in, with what the authorization server keeps of them. */
async function revokeGrants(tx: Tx, workspaceId: string, memberId: string): Promise<void> {
  await tx`
    with revoked as (
      update oauth_grant set revoked_at = now()
      where  workspace_id = ${workspaceId} and member_id = ${memberId} and revoked_at is null
      returning grant_hash
    )
    delete from oauth_artifact
    where  grant_hash = any (array(select grant_hash from revoked))
    or     (model = 'Grant' and id_hash = any (array(select grant_hash from revoked)))`
}
