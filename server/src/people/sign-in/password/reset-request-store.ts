import type { Sql, Tx } from '../../../platform/postgres/db.ts'
import type { EmailAddress } from '../../../platform/text/email-address.ts'
import { uuidv7 } from '../../../platform/text/uuid.ts'

/** A visitor from a network address asked for a link to set a new password for an e-mail address. */
export type ResetRequest = { readonly email: EmailAddress; readonly address: string }

export async function insertResetRequest(sql: Sql, { email, address }: ResetRequest): Promise<void> {
  await sql`insert into reset_request (id, email, address) values (${uuidv7()}, ${email}, ${address})`
}

/** Takes the oldest requests out, at most so many; they are back where the transaction is undone. */
export async function takeResetRequests(tx: Tx, limit: number): Promise<ResetRequest[]> {
  return tx<ResetRequest[]>`
    delete from reset_request
    where  id in (select id from reset_request order by id limit ${limit} for update skip locked)
    returning email, address`
}
