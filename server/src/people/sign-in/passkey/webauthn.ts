import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { NewPasskey, StoredPasskey } from './passkey-store.ts'
import type { Site } from '../../../platform/outbound/site.ts'

/** What a browser's `PublicKeyCredential.toJSON()` gives: untrusted, and not validated yet. */
export type SentCredential = Readonly<Record<string, unknown>>

/** What can be read of a credential before it is checked; null for what is none. */
export type CredentialHead = {
  readonly credentialId: Buffer
  /** The challenge that it says it answers. */
  readonly challenge: string
  /** Whose account the authenticator takes it for: the bytes of a UUID. */
  readonly userHandle: Buffer | null
}

/** EdDSA, ES256, RS256: what authenticators have, and what Node checks without calling it experimental. */
const ALGORITHMS = [-8, -7, -257]
const TIMEOUT_MS = 300_000
const BASE64URL = /^[\w-]{1,1400}$/

/** The library is large, and there may never be a passkey here. */
const load = () => import('@simplewebauthn/server')

/** Whether browsers have passkeys on this site: they need https or localhost, and a name. */
export function hasPasskeys({ secure, host }: Site): boolean {
  return host === 'localhost' || (secure && !/^[\d.]+$|^\[/.test(host))
}

/** What the browser is asked for a new passkey. */
export async function creationOptions(
  { host }: Site,
  challenge: string,
  person: { readonly personId: string; readonly name: string; readonly email: string },
  known: readonly { readonly credentialId: Buffer; readonly transports: readonly string[] }[],
): Promise<Record<string, unknown>> {
  const { generateRegistrationOptions } = await load()
  const options = await generateRegistrationOptions({
    rpName: 'Postrider',
    rpID: host,
    userID: new Uint8Array(userHandleOf(person.personId)),
    userName: person.email,
    userDisplayName: person.name,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId.toString('base64url') })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  return { ...options }
}

/** What the browser is asked for a sign-in: any passkey of ours, and that its person is verified. */
export async function requestOptions({ host }: Site, challenge: string): Promise<Record<string, unknown>> {
  const { generateAuthenticationOptions } = await load()
  const options = await generateAuthenticationOptions({
    rpID: host,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: TIMEOUT_MS,
    userVerification: 'required',
  })
  return { ...options }
}

export function headOf(sent: SentCredential): CredentialHead | null {
  const { id, response } = sent
  if (typeof id !== 'string' || !BASE64URL.test(id) || typeof response !== 'object' || response === null)
    return null
  const { clientDataJSON, userHandle = null } = response as Record<string, unknown>
  const challenge = typeof clientDataJSON === 'string' ? challengeIn(clientDataJSON) : null
  if (challenge === null) return null
  if (userHandle !== null && (typeof userHandle !== 'string' || !BASE64URL.test(userHandle))) return null
  return {
    credentialId: Buffer.from(id, 'base64url'),
    challenge,
    userHandle: userHandle === null ? null : Buffer.from(userHandle, 'base64url'),
  }
}

function challengeIn(clientDataJSON: string): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
      challenge?: unknown
    }
    return typeof challenge === 'string' && BASE64URL.test(challenge) ? challenge : null
  } catch {
    return null
  }
}

/** The passkey that an authenticator has made for this challenge on this site; null when it is not proven. */
export async function checkCreated(
  site: Site,
  challenge: string,
  sent: SentCredential,
): Promise<Omit<NewPasskey, 'name'> | null> {
  const { verifyRegistrationResponse } = await load()
  const checked = await verifyRegistrationResponse({
    response: sent as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge,
    ...expectedOf(site),
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
    // The library says by throwing what does not hold.
  }).catch(() => null)
  if (checked?.verified !== true) return null
  const { id, publicKey, counter } = checked.registrationInfo.credential
  return {
    credentialId: Buffer.from(id, 'base64url'),
    publicKey: Buffer.from(publicKey),
    counter,
    transports: transportsIn(sent),
  }
}

/** The count of an authenticator that has signed this challenge for this site with this passkey; null when none has. */
export async function checkSigned(
  site: Site,
  challenge: string,
  sent: SentCredential,
  { credentialId, publicKey }: StoredPasskey,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await load()
  const checked = await verifyAuthenticationResponse({
    response: sent as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    ...expectedOf(site),
    requireUserVerification: true,
    // The count is compared where it is stored, so that of two at once one is refused.
    credential: { id: credentialId.toString('base64url'), publicKey: new Uint8Array(publicKey), counter: 0 },
    // The library says by throwing what does not hold.
  }).catch(() => null)
  return checked?.verified === true ? checked.authenticationInfo.newCounter : null
}

function expectedOf({ url, host }: Site) {
  return { expectedOrigin: new URL(url).origin, expectedRPID: host }
}

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

function transportsIn({ response }: SentCredential): string[] {
  const { transports } = response as { transports?: unknown }
  return Array.isArray(transports) ? TRANSPORTS.filter((one) => transports.includes(one)) : []
}

/** The bytes of the person's id: what authenticators keep beside the key. */
export function userHandleOf(personId: string): Buffer {
  return Buffer.from(personId.replaceAll('-', ''), 'hex')
}
