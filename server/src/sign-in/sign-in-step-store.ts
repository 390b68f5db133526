import type { Sql, Tx } from '../platform/db.ts'
import { hashSecret, newSecret } from '../platform/bearer-secret.ts'

export type CeremonyKind =
  | 'second_factor'
  | 'passkey_sign_in'
  | 'passkey_registration'
  | 'passkey_proof'
  | 'oidc'

/** What a browser has begun and has to finish within minutes. */
export type Ceremony = {
  readonly personId: string | null
  readonly sessionId: string | null
  readonly facts: Readonly<Record<string, string>>
}

const LONGEST = '10 minutes'

/** Begins a ceremony, and gives the secret by which its browser goes on with it. */
export async function beginCeremony(
  sql: Sql,
  kind: CeremonyKind,
  { personId = null, sessionId = null, facts = {} }: Partial<Ceremony>,
): Promise<string> {
  const secret = newSecret()
  await sql`
    insert into ceremony (token_hash, kind, person_id, session_id, facts, expires_at)
    values (${hashSecret(secret)}, ${kind}, ${personId}, ${sessionId}, ${sql.json(facts)}, now() + ${LONGEST}::interval)`
  return secret
}

/** A ceremony that is under way; null when it is unknown, of another kind, or over. */
export async function findCeremony(sql: Sql, kind: CeremonyKind, secret: string): Promise<Ceremony | null> {
  const [row] = await sql<Ceremony[]>`
    select person_id as "personId", session_id as "sessionId", facts
    from   ceremony
    where  token_hash = ${hashSecret(secret)} and kind = ${kind} and expires_at > now()`
  return row ?? null
}

/** Ends a ceremony, for one of those who try at once; null for the others. */
export async function endCeremony(tx: Tx, kind: CeremonyKind, secret: string): Promise<Ceremony | null> {
  const [row] = await tx<Ceremony[]>`
    delete from ceremony
    where  token_hash = ${hashSecret(secret)} and kind = ${kind} and expires_at > now()
    returning person_id as "personId", session_id as "sessionId", facts`
  return row ?? null
}
