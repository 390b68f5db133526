import type { MailQueue } from '../mail/mail-store.ts'
import type { RecordAct } from '../../edge/operations/act.ts'
import type { Db, Tx } from '../../platform/postgres/db.ts'
import type { EmailAddress } from '../../platform/text/email-address.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import { beginStep, endStep, findStep } from './sign-in-step-store.ts'
import { knownBrowserId } from './session/known-browser.ts'
import { passwordFits } from './password/password.ts'
import { findByEmail, lockPerson, type SignInFacts } from './person-sign-in-store.ts'
import { failedSignIn, personalAct } from './personal-act.ts'
import { checkSecondFactor } from './second-factor/second-factor.ts'
import { openSession, renewSession, type SignedIn, type ClientInfo } from './session/session-store.ts'
import {
  giveBackTry,
  perAccount,
  perAddress,
  perKnownBrowser,
  perKnownBrowsers,
  perSecondFactor,
  perSession,
  takeTry,
  type Limit,
} from './password/throttle-store.ts'
import { holdPerson } from './write-with-proof.ts'

export type PeopleParts = {
  readonly db: Db
  readonly keyring: Pick<Keyring, 'seal' | 'unseal'>
  readonly recordAct: RecordAct
  /** Null where no mail is configured. */
  readonly mail: MailQueue | null
  /** Stops all agent keys and connected apps that act in a person's name, and gives what they are called. */
  readonly stopCredentials: (
    tx: Tx,
    person: { readonly personId: string; readonly name: string },
    client: ClientInfo,
  ) => Promise<StoppedCredentials>
}

export type StoppedCredentials = { readonly keys: readonly string[]; readonly apps: readonly string[] }

/** Signed in, with the secret of the session; or a code is asked for, under the secret of the step. */
export type Entry =
  | {
      readonly is: 'signed_in'
      readonly personId: string
      readonly secret: string
      readonly twoFactors: boolean
    }
  | { readonly is: 'second_factor'; readonly secret: string }

/**
 * Signs a person in by e-mail address and password. An unknown address is answered alike and after the same
 * work: one look-up and one hash. Tries are counted before it is known how they end; only failures remain counted.
 */
export async function signInWithPassword(
  { db, keyring, recordAct }: PeopleParts,
  { email, password }: { email: EmailAddress; password: string },
  client: ClientInfo,
): Promise<Entry | Refusal<'sign_in_failed' | 'rate_limited'>> {
  const person = await findByEmail(db, email)
  const browserId = knownBrowserId(keyring, client.known, person?.personId, { twoFactors: false })
  const limits = limitsOf({ browserId, personId: person?.personId }, perAccount(email), client)
  const waitSeconds = await takeTry(db, limits)
  if (waitSeconds !== null) return tooManyTries(waitSeconds)
  const fits = await passwordFits(password, person?.passwordHash ?? null)
  const entry =
    person === null || !fits
      ? wrongPassword()
      : await db.begin(async (tx) => {
          const locked = await lockPerson(tx, person.personId)
          // It was changed while it was hashed: what fitted then does not open anything now.
          if (locked === null || locked.passwordHash !== person.passwordHash) return wrongPassword()
          return signIn(tx, recordAct, locked, client, 'password')
        })
  if (!isRefusal(entry)) await giveBackTry(db, limits)
  else await recordAct(db, failedSignIn(person?.personId ?? null, client, 'password'))
  return entry
}

/** What is tried in a browser that its person has used before is counted for that browser alone. */
function limitsOf(
  { browserId, personId }: { browserId: string | null; personId: string | undefined },
  others: Limit,
  { address }: ClientInfo,
): Limit[] {
  if (browserId === null || personId === undefined) return [others, perAddress(address)]
  return [perKnownBrowser(browserId), perKnownBrowsers(personId)]
}

/**
 * Signs in whom a password, a passkey or an issuer has shown to be this person. A passkey is two factors in one. What a backup knows
 * of a person may have been withdrawn since: a person who is suspended by its restore is refused.
 */
export async function signIn(
  tx: Tx,
  recordAct: RecordAct,
  { personId, secondFactor, name, suspended }: SignInFacts,
  client: ClientInfo,
  by: 'password' | 'passkey' | 'oidc' | 'link',
): Promise<Entry | Refusal<'sign_in_failed'>> {
  if (suspended) return refuseSuspended()
  if (secondFactor && by !== 'passkey') {
    return {
      is: 'second_factor',
      secret: await beginStep(tx, 'second_factor', { personId, facts: { by } }),
    }
  }
  const secret = await openSession(tx, personId, client)
  await recordAct(tx, personalAct({ personId, name }, client, 'signIn', { after: { by } }))
  return { is: 'signed_in', personId, secret, twoFactors: by === 'passkey' }
}

/** Goes on with a sign-in by a code of the authenticator app, or by a recovery code. */
export async function signInWithCode(
  { db, keyring, recordAct }: PeopleParts,
  { step: secret, code }: { step: string; code: string },
  client: ClientInfo,
): Promise<Entry | Refusal<'sign_in_failed' | 'rate_limited'>> {
  const begun = await findStep(db, 'second_factor', secret)
  if (begun?.personId == null) return tookTooLong()
  const { personId } = begun
  const browserId = knownBrowserId(keyring, client.known, personId, { twoFactors: true })
  const limits = limitsOf({ browserId, personId }, perSecondFactor(personId), client)
  const waitSeconds = await takeTry(db, limits)
  if (waitSeconds !== null) return tooManyTries(waitSeconds)

  const entry = await db.begin(async (tx): Promise<Entry | Refusal<'sign_in_failed'>> => {
    const person = await lockPerson(tx, personId)
    if (person === null) return tookTooLong()
    const factor = await checkSecondFactor(tx, keyring, personId, code)
    if (factor === null) return wrongCode()
    if ((await endStep(tx, 'second_factor', secret)) === null) return tookTooLong()
    const opened = await openSession(tx, personId, client)
    const after = { by: begun.facts['by'] ?? 'password', secondFactor: factor }
    await recordAct(tx, personalAct(person, client, 'signIn', { after }))
    return { is: 'signed_in', personId, secret: opened, twoFactors: true }
  })
  if (!isRefusal(entry)) await giveBackTry(db, limits)
  else await recordAct(db, failedSignIn(personId, client, 'second factor'))
  return entry
}

/**
 * A signed-in person shows once more who they are: with the password, and the code if there is an authenticator
 * app. The session gets another secret, which is given back.
 */
export async function proveAgain(
  { db, keyring }: PeopleParts,
  signedIn: SignedIn,
  { password, code }: { password: string; code: string | null },
): Promise<{ secret: string } | Refusal<'sign_in_failed' | 'rate_limited'>> {
  // Of its own: what is tried elsewhere does not keep a signed-in person from it.
  const limits = [perSession(signedIn.sessionId)]
  const waitSeconds = await takeTry(db, limits)
  if (waitSeconds !== null) return tooManyTries(waitSeconds)
  const person = await findByEmail(db, signedIn.email)
  const fits = await passwordFits(password, person?.passwordHash ?? null)
  if (person === null || !fits) return wrongPassword()

  const proved = await db.begin(async (tx) => {
    const { person: locked } = await holdPerson(tx, signedIn)
    if (locked.passwordHash !== person.passwordHash) return wrongPassword()
    if (locked.secondFactor) {
      const factor = await checkSecondFactor(tx, keyring, locked.personId, code ?? '')
      if (factor === null) return wrongCode()
    }
    const secret = await renewSession(tx, signedIn.sessionId)
    return secret === null ? tookTooLong() : { secret }
  })
  if (!isRefusal(proved)) await giveBackTry(db, limits)
  return proved
}

export function tooManyTries(seconds: number): Refusal<'rate_limited'> {
  const minutes = Math.ceil(seconds / 60)
  const detail = `Too many tries. Wait ${minutes} minute${minutes === 1 ? '' : 's'}, then try again.`
  return refuse('rate_limited', detail, { retryAfterSeconds: seconds })
}

function wrongPassword(): Refusal<'sign_in_failed'> {
  return refuse('sign_in_failed', 'Wrong email or password.')
}

function refuseSuspended(): Refusal<'sign_in_failed'> {
  return refuse(
    'sign_in_failed',
    'This server was restored from a backup. Your account is suspended until your server operator confirms it (`postrider access confirm`).',
  )
}

export function wrongCode(): Refusal<'sign_in_failed'> {
  return refuse(
    'sign_in_failed',
    'The code is wrong or was already used. Wait for the next one in your app, or use a recovery code.',
  )
}

export function tookTooLong(): Refusal<'sign_in_failed'> {
  return refuse('sign_in_failed', 'This sign-in expired. Start over.')
}
