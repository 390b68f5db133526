import type { Sql, Tx } from '../../../platform/postgres/db.ts'
import { uuidv7 } from '../../../platform/text/uuid.ts'

/** A passkey as its person sees it. */
export type Passkey = {
  readonly passkeyId: string
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** What an authenticator gave to be kept. */
export type NewPasskey = {
  readonly credentialId: Buffer
  /** In COSE form. */
  readonly publicKey: Buffer
  readonly counter: number
  readonly transports: readonly string[]
  readonly name: string
}

/** A passkey with what it takes to check a signature of it. */
export type StoredPasskey = Omit<NewPasskey, 'name'> & {
  readonly passkeyId: string
  readonly personId: string
}

/** The passkeys of a person, oldest first. */
export async function listPasskeys(sql: Sql, personId: string): Promise<Passkey[]> {
  return sql<Passkey[]>`
    select id as "passkeyId", name, created_at as "createdAt", last_used_at as "lastUsedAt"
    from   passkey
    where  person_id = ${personId}
    order  by id`
}

/** The passkeys of a person, as their authenticators know them. */
export async function listCredentials(
  sql: Sql,
  personId: string,
): Promise<{ credentialId: Buffer; transports: string[] }[]> {
  return sql<{ credentialId: Buffer; transports: string[] }[]>`
    select credential_id as "credentialId", transports from passkey where person_id = ${personId} order by id`
}

/** Throws the unique violation of `passkey_credential_id_key` when the credential is known. */
export async function insertPasskey(tx: Tx, personId: string, passkey: NewPasskey): Promise<string> {
  const id = uuidv7()
  const { credentialId, publicKey, counter, transports, name } = passkey
  await tx`
    insert into passkey (id, person_id, credential_id, public_key, counter, transports, name)
    values (${id}, ${personId}, ${credentialId}, ${publicKey}, ${counter}, ${[...transports]}::text[], ${name})`
  return id
}

/** The passkey with this credential id; null when there is none. */
export async function findPasskey(sql: Sql, credentialId: Buffer): Promise<StoredPasskey | null> {
  const [row] = await sql<StoredPasskey[]>`
    select id as "passkeyId", person_id as "personId", credential_id as "credentialId", public_key as "publicKey",
           counter::float8 as counter, transports
    from   passkey
    where  credential_id = ${credentialId}`
  return row ?? null
}

/**
 * Notes a use with the count that the authenticator signed. False when that count was seen before: then there are two
 * authenticators with this key (WebAuthn, 6.1.1). Those that do not count always say zero.
 */
export async function usePasskey(tx: Tx, passkeyId: string, counter: number): Promise<boolean> {
  const { count } = await tx`
    update passkey set counter = ${counter}, last_used_at = now()
    where  id = ${passkeyId} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`
  return count === 1
}

/** Gives a passkey another name, and gives the one before; null when the person has none such. */
export async function renamePasskey(
  tx: Tx,
  personId: string,
  passkeyId: string,
  name: string,
): Promise<string | null> {
  const [row] = await tx<{ before: string }[]>`
    update passkey k set name = ${name}
    from   passkey o
    where  k.id = ${passkeyId} and k.person_id = ${personId} and o.id = k.id
    returning o.name as before`
  return row?.before ?? null
}

/** Removes a passkey, and gives its name; null when the person has none such. */
export async function deletePasskey(tx: Tx, personId: string, passkeyId: string): Promise<string | null> {
  const [row] = await tx<{ name: string }[]>`
    delete from passkey where id = ${passkeyId} and person_id = ${personId} returning name`
  return row?.name ?? null
}
