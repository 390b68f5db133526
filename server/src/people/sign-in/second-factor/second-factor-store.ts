import type { Sql, Tx } from '../../../platform/postgres/db.ts'
import type { Keyring } from '../../../platform/sealing/sealing.ts'

/** Keeps a secret that the person's authenticator app has yet to show that it has; one before it is forgotten. */
export async function offerTotp(
  sql: Sql,
  keyring: Pick<Keyring, 'seal'>,
  personId: string,
  secret: Buffer,
): Promise<boolean> {
  const sealed = keyring.seal(secret, totpContext(personId))
  const { count } = await sql`
    insert into totp as t (person_id, sealed) values (${personId}, ${sealed})
    on     conflict (person_id) do update set sealed = excluded.sealed, created_at = now()
    where  t.confirmed_at is null`
  return count === 1
}

/** The secret of a person's authenticator app, and the database's time; null when they have none such, or its key was lost. */
export async function readTotp(
  sql: Sql,
  keyring: Pick<Keyring, 'unseal'>,
  personId: string,
  { confirmed }: { confirmed: boolean },
): Promise<{ secret: Buffer; now: Date } | null> {
  const [row] = await sql<{ sealed: Buffer; now: Date }[]>`
    select sealed, now() as now
    from   totp
    where  person_id = ${personId} and (confirmed_at is not null) = ${confirmed} and sealed <> ''`
  return row === undefined
    ? null
    : { secret: keyring.unseal(row.sealed, totpContext(personId)), now: row.now }
}

/** Accepts the code of a time step, unless it or a later one was accepted before: no code is good twice. */
export async function acceptStep(tx: Tx, personId: string, step: number): Promise<boolean> {
  const { count } = await tx`
    update totp set last_step = ${step}, confirmed_at = coalesce(confirmed_at, now())
    where  person_id = ${personId} and last_step < ${step}`
  return count === 1
}

/** Accepts a recovery code, once. */
export async function acceptRecoveryCode(tx: Tx, personId: string, codeHash: Buffer): Promise<boolean> {
  const { count } = await tx`
    update recovery_code set used_at = now()
    where  person_id = ${personId} and code_hash = ${codeHash} and used_at is null`
  return count === 1
}

/** Gives a person new recovery codes in place of those they have. */
export async function replaceRecoveryCodes(
  tx: Tx,
  personId: string,
  codeHashes: readonly Buffer[],
): Promise<void> {
  await tx`delete from recovery_code where person_id = ${personId}`
  await tx`
    insert into recovery_code (person_id, code_hash)
    select ${personId}, decode(hex, 'hex') from unnest(${codeHashes.map((one) => one.toString('hex'))}::text[]) as hex`
}

/** Takes authenticator app and recovery codes away; false when there was no app. */
export async function removeTotp(tx: Tx, personId: string): Promise<boolean> {
  await tx`delete from recovery_code where person_id = ${personId}`
  const { count } = await tx`delete from totp where person_id = ${personId}`
  return count === 1
}

export type SecondFactorState = { readonly totp: boolean; readonly recoveryCodesLeft: number }

export async function secondFactorOf(sql: Sql, personId: string): Promise<SecondFactorState> {
  const [row] = await sql<SecondFactorState[]>`
    select exists (select from totp where person_id = ${personId} and confirmed_at is not null) as totp,
           (select count(*)::int from recovery_code where person_id = ${personId} and used_at is null) as "recoveryCodesLeft"`
  return row ?? { totp: false, recoveryCodesLeft: 0 }
}

/** What the secret of an authenticator app is sealed for. */
export function totpContext(personId: string): string {
  return `totp:${personId}`
}
