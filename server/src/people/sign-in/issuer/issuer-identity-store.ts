import type { Sql, Tx } from '../../../platform/postgres/db.ts'
import type { EmailAddress } from '../../../platform/text/email-address.ts'

/** Who a person is at an issuer: the subject names them for good there, whatever else changes. */
export type Identity = { readonly issuer: string; readonly subject: string }

/** Whose identity this is; null for one without a person. */
export async function findIdentity(sql: Sql, { issuer, subject }: Identity): Promise<string | null> {
  const [row] = await sql<{ personId: string }[]>`
    select person_id as "personId" from person_identity where issuer = ${issuer} and subject = ${subject}`
  return row?.personId ?? null
}

/** Makes an identity a person's; false when a person has it already. */
export async function insertIdentity(
  tx: Tx,
  personId: string,
  { issuer, subject }: Identity,
): Promise<boolean> {
  const { count } = await tx`
    insert into person_identity (issuer, subject, person_id) values (${issuer}, ${subject}, ${personId})
    on     conflict do nothing`
  return count === 1
}

/** Whether a person has an identity at this issuer. */
export async function hasIdentity(sql: Sql, personId: string, issuer: string): Promise<boolean> {
  const rows = await sql`select from person_identity where person_id = ${personId} and issuer = ${issuer}`
  return rows.length > 0
}

/** Takes a person's identities at this issuer away; false when there were none. */
export async function deleteIdentities(tx: Tx, personId: string, issuer: string): Promise<boolean> {
  const { count } = await tx`
    delete from person_identity where person_id = ${personId} and issuer = ${issuer}`
  return count > 0
}

/** Whether there is an invitation to this address that can still be accepted. */
export async function isInvited(sql: Sql, email: EmailAddress): Promise<boolean> {
  const rows = await sql`
    select from invitation
    where  email = ${email} and accepted_at is null and revoked_at is null and expires_at > now()
    limit  1`
  return rows.length > 0
}
