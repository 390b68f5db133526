import { v7 as uuidv7 } from 'uuid'
import type { Sql } from '../platform/db.ts'

/** The id of the person with this e-mail address, who is created under the name when there is none. */
export function upsertPerson(sql: Sql, { name, email }: { name: string; email: string }) {
  // An update that changes nothing: `do nothing` would return no row.
  return sql`
    insert into person (id, name, email) values (${uuidv7()}, ${name}, ${email})
    on     conflict (lower(email)) do update set email = person.email
    returning id`
}

/** Creates a person. Throws the unique violation of `person_email` when somebody has the address. */
export async function insertPerson(
  sql: Sql,
  { name, email }: { name: string; email: string },
): Promise<string> {
  const personId = uuidv7()
  await sql`insert into person (id, name, email) values (${personId}, ${name}, ${email})`
  return personId
}
