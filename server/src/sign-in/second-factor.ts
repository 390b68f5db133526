import type { Tx } from '../platform/db.ts'
import type { Keyring } from '../platform/sealing.ts'
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
    return (await acceptTotp(tx, keyring, personId, digits, { confirmed: true })) ? 'totp' : null
  }
  const codeHash = hashRecoveryCode(code)
  const accepted = codeHash !== null && (await acceptRecoveryCode(tx, personId, codeHash))
  return accepted ? 'recovery_code' : null
}

/** Accepts a code of the authenticator app; the first one confirms an app that is not confirmed yet. */
export async function acceptTotp(
  tx: Tx,
  keyring: Pick<Keyring, 'unseal'>,
  personId: string,
  digits: string,
  { confirmed }: { confirmed: boolean },
): Promise<boolean> {
  const totp = await readTotp(tx, keyring, personId, { confirmed })
  const step = totp === null ? null : matchingStep(totp.secret, digits, totp.now)
  return step !== null && acceptStep(tx, personId, step)
}
