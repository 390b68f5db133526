import { v7 as uuidv7 } from 'uuid'
import { isUniqueViolation, type Sql } from '../platform/db.ts'
import type { EmailAddress } from '../platform/email-address.ts'

/** The id of the person with this e-mail address, who is created under the name when there is none. */
export function upsertPerson(sql: Sql, { name, email }: { name: string; email: EmailAddress }) {
  // An update that changes nothing: `do nothing` would return no row.
  return sql`
    insert into person (id, name, email) values (${uuidv7()}, ${name}, ${email})
    on     conflict (email) do update set email = person.email
    returning id`
}

/** Creates a person, of whom it was shown that they read the mail of the address, or not. Throws what `isEmailTaken` knows when somebody has the address. */
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

/** Whether a statement was refused because another person has the e-mail address. */
export function isEmailTaken(fault: unknown): boolean {
  return isUniqueViolation(fault, 'person_address') || isUniqueViolation(fault, 'person_email')
}
