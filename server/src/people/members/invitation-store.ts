import type { Role } from '@postrider/contract'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import type { EmailAddress } from '../../platform/text/email-address.ts'
import { hashSecret, newSecret } from '../../platform/sealing/bearer-secret.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'

const LASTS = '7 days'

export type NewInvitation = {
  readonly workspaceId: string
  readonly email: EmailAddress
  readonly role: Role
  /** The member who invites. */
  readonly invitedBy: string
  /** Whether the link goes to the address, and nowhere else. */
  readonly byMail: boolean
}

export type Invitation = {
  readonly invitationId: string
  readonly email: EmailAddress
  readonly role: Role
  readonly invitedBy: string
  readonly byMail: boolean
  readonly expiresAt: Date
  readonly createdAt: Date
}

/** Makes an invitation, and gives the secret of the link; one before for the same address is withdrawn. */
export async function insertInvitation(
  tx: Tx,
  { workspaceId, email, role, invitedBy, byMail }: NewInvitation,
): Promise<{ invitationId: string; secret: string; expiresAt: Date }> {
  await tx`
    update invitation set revoked_at = now()
    where  workspace_id = ${workspaceId} and email = ${email} and accepted_at is null and revoked_at is null`
  const [invitationId, secret] = [uuidv7(), newSecret()]
  const [row] = await tx<[{ expiresAt: Date }]>`
    insert into invitation (workspace_id, id, token_hash, email, role, by_mail, invited_by, expires_at)
    values (${workspaceId}, ${invitationId}, ${hashSecret(secret)}, ${email}, ${role}, ${byMail}, ${invitedBy},
            now() + ${LASTS}::interval)
    returning expires_at as "expiresAt"`
  return { invitationId, secret, expiresAt: row.expiresAt }
}

/** The invitations of a workspace that are open, oldest first. */
export async function listInvitations(sql: Sql, workspaceId: string): Promise<Invitation[]> {
  return sql<Invitation[]>`
    select i.id as "invitationId", i.email, i.role, p.name as "invitedBy", i.by_mail as "byMail",
           i.expires_at as "expiresAt", i.created_at as "createdAt"
    from   invitation i
    join   member m on m.workspace_id = i.workspace_id and m.id = i.invited_by
    join   person p on p.id = m.person_id
    where  i.workspace_id = ${workspaceId} and i.accepted_at is null and i.revoked_at is null and i.expires_at > now()
    order  by i.id`
}

/** Withdraws an open invitation, and gives what it was; null when there is none such. */
export async function revokeInvitation(
  tx: Tx,
  workspaceId: string,
  invitationId: string,
): Promise<{ email: EmailAddress; role: Role } | null> {
  const [row] = await tx<{ email: EmailAddress; role: Role }[]>`
    update invitation set revoked_at = now()
    where  workspace_id = ${workspaceId} and id = ${invitationId} and accepted_at is null and revoked_at is null
    returning email, role`
  return row ?? null
}

/** Withdraws the open invitations that a person has sent, in all workspaces, and says how many. */
export async function revokeInvitationsOf(tx: Tx, personId: string): Promise<number> {
  const { count } = await tx`
    update invitation i set revoked_at = now()
    from   member m
    where  m.workspace_id = i.workspace_id and m.id = i.invited_by and m.person_id = ${personId}
    and    i.accepted_at is null and i.revoked_at is null and i.expires_at > now()`
  return count
}

/** An invitation as its link opens it. */
export type OpenedInvitation = {
  readonly workspaceId: string
  readonly invitationId: string
  readonly workspaceName: string
  readonly inviterName: string
  readonly inviterRole: Role
  readonly email: EmailAddress
  readonly role: Role
  readonly byMail: boolean
  /** Whether there is an account with the address. */
  readonly known: boolean
  readonly is: 'good' | 'used' | 'revoked' | 'expired'
}

/** The invitation with this secret; null when there never was one. */
export async function findInvitation(sql: Sql, secret: string): Promise<OpenedInvitation | null> {
  const [row] = await sql<OpenedInvitation[]>`
    select i.workspace_id as "workspaceId", i.id as "invitationId", w.name as "workspaceName", p.name as "inviterName",
           m.role as "inviterRole", i.email, i.role, i.by_mail as "byMail",
           exists (select from person k where k.email = i.email) as known,
           case when i.accepted_at is not null then 'used'
                when i.revoked_at is not null or m.removed_at is not null then 'revoked'
                when i.expires_at <= now() then 'expired' else 'good' end as is
    from   invitation i
    join   workspace w on w.id = i.workspace_id
    join   member m on m.workspace_id = i.workspace_id and m.id = i.invited_by
    join   person p on p.id = m.person_id
    where  i.token_hash = ${hashSecret(secret)}`
  return row ?? null
}

/** Whether an invitation can be accepted. */
export async function isOpenInvitation(
  sql: Sql,
  workspaceId: string,
  invitationId: string,
): Promise<boolean> {
  const rows = await sql`
    select from invitation i
    join   member m on m.workspace_id = i.workspace_id and m.id = i.invited_by
    where  i.workspace_id = ${workspaceId} and i.id = ${invitationId} and i.accepted_at is null and i.revoked_at is null
    and    i.expires_at > now() and m.removed_at is null`
  return rows.length === 1
}

/** Uses an invitation up, for one of those who come at once; false for the others. */
export async function consumeInvitation(
  tx: Tx,
  { workspaceId, invitationId }: Pick<OpenedInvitation, 'workspaceId' | 'invitationId'>,
): Promise<boolean> {
  const { count } = await tx`
    update invitation set accepted_at = now()
    where  workspace_id = ${workspaceId} and id = ${invitationId} and accepted_at is null and revoked_at is null
    and    expires_at > now()`
  return count === 1
}

/** Withdraws every open invitation of every workspace. */
export async function revokeAllInvitations(tx: Tx): Promise<void> {
  await tx`update invitation set revoked_at = now() where revoked_at is null and accepted_at is null`
}

/** Removes at most `limit` invitations whose time was over more than `days` ago; says how many. */
export async function pruneInvitations(sql: Sql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from invitation
    where  ctid in (select ctid from invitation where expires_at < now() - ${days} * interval '1 day' limit ${limit})`
  return count
}
