import type { Tx } from '../../../platform/postgres/db.ts'
import type { Keyring } from '../../../platform/sealing/sealing.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import { acceptRecoveryCode, acceptStep, readTotp } from './second-factor-store.ts'
import { matchingStep } from './totp.ts'

/** Accepts a code of the person's confirmed authenticator app, or a recovery code, once; null for any other text. */
export async function checkSecondFactor(
  tx: Tx,
  keyring: Pick<Keyring, 'unseal'>,
  personId: string,
  code: string,
): Promise<'totp' | 'recovery_code' | null> {
  const digits = code.replaceAll(/\s/g, '')
  if (/^\d{6}$/.test(digits)) {
    const totp = await readTotp(tx, keyring, personId, { confirmed: true })
    return (await acceptCode(tx, personId, digits, totp)) ? 'totp' : null
  }
  const codeHash = hashRecoveryCode(code)
  const accepted = codeHash !== null && (await acceptRecoveryCode(tx, personId, codeHash))
  return accepted ? 'recovery_code' : null
}

/** Confirms the authenticator app that the person was offered, by its first code; false when the code is wrong. */
export async function confirmTotp(
  tx: Tx,
  keyring: Pick<Keyring, 'unseal'>,
  personId: string,
  digits: string,
): Promise<boolean> {
  const totp = await readTotp(tx, keyring, personId, { confirmed: false })
  return acceptCode(tx, personId, digits, totp)
}

/** Accepts a code that this app shows now, once. */
async function acceptCode(
  tx: Tx,
  personId: string,
  digits: string,
  totp: Awaited<ReturnType<typeof readTotp>>,
): Promise<boolean> {
  const step = totp === null ? null : matchingStep(totp.secret, digits, totp.now)
  return step !== null && acceptStep(tx, personId, step)
}
