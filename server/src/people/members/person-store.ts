import type { app } from '@postrider/contract'
import { isUniqueViolation, type Sql, type Tx } from '../../platform/postgres/db.ts'
import type { EmailAddress } from '../../platform/text/email-address.ts'
import { type Language, languageOfReader } from '../../platform/text/language.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'

/** The id of the person with this e-mail address, whom the operator creates under the name when there is none. */
export function upsertPerson(sql: Sql, { name, email }: { name: string; email: EmailAddress }) {
  // An update that changes nothing: `do nothing` would return no row.
  return sql`
    insert into person (id, name, email, by_operator) values (${uuidv7()}, ${name}, ${email}, true)
    on     conflict (email) do update set email = person.email
    returning id`
}

/** Creates a person, of whom it was shown that they read the mail of the address, or not. Throws what `isEmailTaken` knows when the address is taken. */
export async function insertPerson(
  sql: Sql,
  { name, email, proven }: { name: string; email: EmailAddress; proven: boolean },
): Promise<string> {
  const personId = uuidv7()
  await sql`
    insert into person (id, name, email, email_proven_at)
    values (${personId}, ${name}, ${email}, case when ${proven} then now() end)`
  return personId
}

/** Gives a person another name, in every workspace. */
export async function renamePerson(tx: Tx, personId: string, name: string): Promise<void> {
  await tx`update person set name = ${name} where id = ${personId}`
}

/** In which language the person with this address reads; `otherwise` where they have not chosen one, or nobody has it. */
export async function languageOf(
  sql: Sql,
  email: EmailAddress,
  otherwise: Language = languageOfReader(),
): Promise<Language> {
  const [row] = await sql<{ language: Language | null }[]>`select language from person where email = ${email}`
  return row?.language ?? otherwise
}

/**
 * In which language to write to somebody who has chosen none: that of the person on whose behalf, else of the first owner of the workspace
 * who has chosen one.
 */
export async function languageAround(
  sql: Sql,
  { workspaceId, personId }: { readonly workspaceId: string; readonly personId: string },
): Promise<Language> {
  const [row] = await sql<{ language: Language | null }[]>`
    select coalesce(
             (select language from person where id = ${personId}),
             (select p.language
              from   member m
              join   person p on p.id = m.person_id
              where  m.workspace_id = ${workspaceId} and m.removed_at is null and m.role = 'owner'
              and    p.language is not null
              order  by m.id
              limit  1)) as language`
  return row?.language ?? 'en'
}

/** In which language a person reads, and how calendars and clocks are shown to them. */
export async function preferencesOf(sql: Sql, personId: string): Promise<app.Preferences> {
  const [row] = await sql<app.Preferences[]>`
    select week_start as "weekStart", clock, language from person where id = ${personId}`
  return row ?? { weekStart: null, clock: null, language: null }
}

export async function changePreferences(
  tx: Tx,
  personId: string,
  { weekStart, clock, language }: app.Preferences,
): Promise<void> {
  await tx`
    update person set week_start = ${weekStart}, clock = ${clock}, language = ${language}
    where  id = ${personId}`
}

/** Gives a person another password. What the one before may have begun is the caller's to end. */
export async function replacePassword(tx: Tx, personId: string, passwordHash: string): Promise<void> {
  await tx`update person set password_hash = ${passwordHash} where id = ${personId}`
}

/**
 * Gives a person another e-mail address, proven or not. Throws what `isEmailTaken` knows when it is taken. Links that
 * went to the one before are the caller's to end.
 */
export async function replaceEmail(
  tx: Tx,
  personId: string,
  email: EmailAddress,
  { isProven }: { isProven: boolean },
): Promise<void> {
  await tx`
    update person set email = ${email}, email_proven_at = case when ${isProven} then now() end
    where  id = ${personId}`
}

/** Notes that the person reads mail sent to their address; false when that is known. For `proveEmail` alone. */
export async function markEmailProven(tx: Tx, personId: string): Promise<boolean> {
  const { count } = await tx`
    update person set email_proven_at = now() where id = ${personId} and email_proven_at is null`
  return count === 1
}

/** Whether a statement was refused because another person has the e-mail address. */
export function isEmailTaken(fault: unknown): boolean {
  return isUniqueViolation(fault, 'person_address')
}
