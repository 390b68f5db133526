import type { Tx } from '../platform/db.ts'
import { removeTotp } from './second-factor-store.ts'

/** Takes authenticator app, recovery codes and passkeys from a person who has lost them. */
export async function forgetSecondFactors(tx: Tx, personId: string): Promise<void> {
  await removeTotp(tx, personId)
  await tx`delete from passkey where person_id = ${personId}`
}
