import { type Keyring, tryUnseal } from '../../../platform/sealing/sealing.ts'
import { uuidv7 } from '../../../platform/text/uuid.ts'

/*
 * A browser in which a person has signed in before, or has set a password by a link, keeps a sealed proof of it. Its wrong
 * passwords are counted apart, so that others cannot use up its tries. The proof alone does not sign in. Its wrong codes are counted
 * apart only where it was made by two factors: otherwise a stranger who has the password, or reads the mail, could collect
 * proofs, and try codes with each.
 */

const CONTEXT = 'known-browser'

/** What a browser keeps from now on. Each has an id of its own, under which its tries are counted. */
export function makeKnownBrowser(
  keyring: Pick<Keyring, 'seal'>,
  { personId, twoFactors }: { personId: string; twoFactors: boolean },
): string {
  const proof = `${personId} ${uuidv7()} ${twoFactors ? '2' : '1'}`
  return Buffer.from(keyring.seal(proof, CONTEXT)).toString('base64url')
}

/** The id of a browser that this person has used before, with two factors where that is asked; null for any other. */
export function knownBrowserId(
  keyring: Pick<Keyring, 'unseal'>,
  proof: string | null | undefined,
  personId: string | undefined,
  { twoFactors }: { twoFactors: boolean },
): string | null {
  if (proof == null || personId === undefined) return null
  const opened = tryUnseal(keyring, Buffer.from(proof, 'base64url'), CONTEXT)
  const [whose, browserId = null, factors] = opened?.toString().split(' ') ?? []
  return whose === personId && (!twoFactors || factors === '2') ? browserId : null
}
