import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { hashSecret, newSecret } from '../../platform/sealing/bearer-secret.ts'

export type StepKind = 'second_factor' | 'passkey_sign_in' | 'passkey_registration' | 'passkey_proof' | 'oidc'

/**
 * What a browser has begun and has to finish within minutes: a sign-in that a code is asked for, a ceremony with a passkey
 * (WebAuthn), or an attempt to sign in at the issuer.
 */
export type Step = {
  readonly personId: string | null
  readonly sessionId: string | null
  readonly facts: Readonly<Record<string, string>>
}

const LONGEST = '10 minutes'

/** Begins a step, and gives the secret by which its browser goes on with it. */
export async function beginStep(
  sql: Sql,
  kind: StepKind,
  { personId = null, sessionId = null, facts = {} }: Partial<Step>,
): Promise<string> {
  const secret = newSecret()
  await sql`
    insert into ceremony (token_hash, kind, person_id, session_id, facts, expires_at)
    values (${hashSecret(secret)}, ${kind}, ${personId}, ${sessionId}, ${sql.json(facts)}, now() + ${LONGEST}::interval)`
  return secret
}

/** A step that is under way; null when it is unknown, of another kind, or over. */
export async function findStep(sql: Sql, kind: StepKind, secret: string): Promise<Step | null> {
  const [row] = await sql<Step[]>`
    select person_id as "personId", session_id as "sessionId", facts
    from   ceremony
    where  token_hash = ${hashSecret(secret)} and kind = ${kind} and expires_at > now()`
  return row ?? null
}

/** Ends a step, for one of those who try at once; null for the others. */
export async function endStep(tx: Tx, kind: StepKind, secret: string): Promise<Step | null> {
  const [row] = await tx<Step[]>`
    delete from ceremony
    where  token_hash = ${hashSecret(secret)} and kind = ${kind} and expires_at > now()
    returning person_id as "personId", session_id as "sessionId", facts`
  return row ?? null
}
