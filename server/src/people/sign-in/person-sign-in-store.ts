import { replaceEmail, replacePassword } from '../members/person-store.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import type { EmailAddress } from '../../platform/text/email-address.ts'

/** What signing in needs to know of a person. */
export type SignInFacts = {
  readonly personId: string
  readonly name: string
  readonly email: EmailAddress
  readonly passwordHash: string | null
  /** Whether it was shown that they read mail sent to their address. */
  readonly emailProven: boolean
  /** Whether an authenticator app is asked for a code besides the password. */
  readonly secondFactor: boolean
  /** Whether they were not confirmed since a restore, in any workspace of theirs. */
  readonly suspended: boolean
}

function signInColumns(sql: Sql) {
  return sql`
    p.id as "personId", p.name, p.email, p.password_hash as "passwordHash", p.email_proven_at is not null as "emailProven",
    exists (select from totp t where t.person_id = p.id and t.confirmed_at is not null) as "secondFactor",
    exists (select from member m where m.person_id = p.id and m.suspended_at is not null)
    and not exists (select from member m where m.person_id = p.id and m.removed_at is null) as suspended`
}

/** The person with this e-mail address; null for none. */
export async function findByEmail(sql: Sql, email: EmailAddress): Promise<SignInFacts | null> {
  const [row] = await sql<SignInFacts[]>`
    select ${signInColumns(sql)} from person p where p.email = ${email}`
  return row ?? null
}

/** A person, kept from any other change of how they sign in until the transaction ends. */
export async function lockPerson(tx: Tx, personId: string): Promise<SignInFacts | null> {
  const [locked] = await tx`select from person where id = ${personId} for no key update`
  if (locked === undefined) return null
  // A statement of its own: what it sees is as new as the lock.
  const [row] = await tx<SignInFacts[]>`select ${signInColumns(tx)} from person p where p.id = ${personId}`
  return row ?? null
}

/**
 * Gives a person a password; every link that could set another one, or change the address, is void, and so is every
 * sign-in that still waits for a code: it may have begun with the password before.
 */
export async function setPassword(tx: Tx, personId: string, passwordHash: string): Promise<void> {
  await replacePassword(tx, personId, passwordHash)
  await tx`delete from ceremony where person_id = ${personId} and kind = 'second_factor'`
  await tx`
    update one_time_link set used_at = now()
    where  person_id = ${personId} and kind in ('reset', 'email') and used_at is null`
}

/**
 * Gives a person another e-mail address, proven or not; links that went to the one before are void. Throws what
 * `isEmailTaken` knows when another person has it.
 */
export async function setEmail(
  tx: Tx,
  personId: string,
  email: EmailAddress,
  { staysProven }: { staysProven: boolean },
): Promise<void> {
  await replaceEmail(tx, personId, email, { isProven: staysProven })
  await tx`
    update one_time_link set used_at = now()
    where  person_id = ${personId} and kind in ('reset', 'email') and used_at is null`
}
