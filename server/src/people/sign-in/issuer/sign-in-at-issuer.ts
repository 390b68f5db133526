import { toLine } from '@postrider/contract/names'
import { insertPerson, isEmailTaken } from '../../members/person-store.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type EmailAddress, parseEmail } from '../../../platform/text/email-address.ts'
import { isRefusal, refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { writeInTransaction } from '../../../edge/operations/write-transaction.ts'
import { beginStep, endStep, type Step } from '../sign-in-step-store.ts'
import { deleteIdentities, findIdentity, insertIdentity, isInvited } from './issuer-identity-store.ts'
import { hasWayIn } from '../link/link-store.ts'
import { notifyPerson } from '../notify-person.ts'
import type { OidcClient, OidcSettings, IssuerUser } from './issuer-client.ts'
import { findByEmail, lockPerson, type SignInFacts } from '../person-sign-in-store.ts'
import { failedSignIn, personalAct } from '../personal-act.ts'
import { proveEmail } from '../link/prove-email.ts'
import type { ClientInfo, SignedIn } from '../session/session-store.ts'
import { emailIsTaken } from '../link/set-up-owner.ts'
import { signIn, type Entry, type PeopleParts, tookTooLong, tooManyTries } from '../sign-in.ts'
import { issuerSignIns, takeTry } from '../password/throttle-store.ts'
import { refuseUnlessFresh, writeProven } from '../write-with-proof.ts'

export type IssuerParts = PeopleParts & { readonly oidc: OidcClient }

/** A browser on its way to the issuer, with the secret by which it is known when it comes back. */
export type InTransit = { readonly secret: string; readonly to: URL }

/** Sends a browser to the issuer: to sign in, or to connect the account of a signed-in person. */
export async function beginAtIssuer(
  { db, oidc }: IssuerParts,
  { next, connects }: { next: string; connects: SignedIn | null },
  { address }: ClientInfo,
): Promise<InTransit | Refusal<'not_ready' | 'rate_limited' | 'fresh_proof_required'>> {
  const stale = connects === null ? null : refuseUnlessFresh(connects)
  if (stale !== null) return stale
  const waitSeconds = await takeTry(db, [issuerSignIns(address)])
  if (waitSeconds !== null) return tooManyTries(waitSeconds)
  const secret =
    connects === null
      ? await beginStep(db, 'oidc', { facts: { next } })
      : await writeProven(db, connects, (tx) => {
          const { personId, sessionId } = connects
          return beginStep(tx, 'oidc', { personId, sessionId, facts: { next } })
        })
  if (isRefusal(secret)) return secret
  const to = await oidc.begin(secret)
  return isRefusal(to) ? to : { secret, to }
}

/** Let in, or connected; and where the browser goes on to. */
export type Returned = { readonly entry: Entry | null; readonly next: string }
type Refused = Refusal<'not_ready' | 'sign_in_failed' | 'already_exists' | 'fresh_proof_required'>

/** Takes a browser in that comes back from the issuer. Whatever comes of it, its secret is spent. */
export async function returnFromIssuer(
  parts: IssuerParts,
  { secret, search, signedIn }: { secret: string; search: string; signedIn: SignedIn | null },
  client: ClientInfo,
): Promise<Returned | Refused> {
  const { db, oidc } = parts
  const attempt = await db.begin((tx) => endStep(tx, 'oidc', secret))
  if (attempt === null) return tookTooLong()
  const user = await oidc.finish(secret, search)
  if (attempt.sessionId === null) return letIn(parts, attempt, user, client)
  if (isRefusal(user)) return user
  // The person who was signed in when it began must be the one who is now.
  if (signedIn?.sessionId !== attempt.sessionId) return tookTooLong()
  const refusal = await connect(parts, signedIn, user, client)
  return refusal ?? { entry: null, next: nextOf(attempt) }
}

function nextOf({ facts }: Step): string {
  return facts['next'] ?? '/account'
}

/** Each attempt was counted when it began, and ends once: so what is recorded of those that fail is bounded, too. */
async function letIn(
  parts: IssuerParts,
  attempt: Step,
  user: Awaited<ReturnType<OidcClient['finish']>>,
  client: ClientInfo,
): Promise<Returned | Refused> {
  const { db, recordAct } = parts
  const entry = isRefusal(user) ? user : await enter(parts, user, client)
  if (!isRefusal(entry)) return { entry, next: nextOf(attempt) }
  // Of an issuer that is away nobody has been refused.
  if (entry.refused !== 'not_ready')
    await recordAct(db, failedSignIn(isRefusal(user) ? null : await holderOf(db, user), client, 'oidc'))
  return entry
}

/** Whom the issuer's user would be here; null for nobody. */
async function holderOf(db: PeopleParts['db'], user: IssuerUser): Promise<string | null> {
  const known = await findIdentity(db, user)
  if (known !== null) return known
  const email = user.email === null ? null : parseEmail(user.email)
  return email === null ? null : ((await findByEmail(db, email))?.personId ?? null)
}

async function enter(
  parts: IssuerParts,
  user: IssuerUser,
  client: ClientInfo,
): Promise<Entry | Refusal<'sign_in_failed' | 'already_exists'>> {
  try {
    return await writeInTransaction(parts.db, (tx) => signInIssuerUser(tx, parts, user, client))
  } catch (fault) {
    // Another request has made an account with the address in this very moment.
    if (isEmailTaken(fault)) return emailIsTaken()
    throw fault
  }
}

async function signInIssuerUser(
  tx: Tx,
  parts: IssuerParts,
  user: IssuerUser,
  client: ClientInfo,
): Promise<Entry | Refusal<'sign_in_failed' | 'already_exists'>> {
  const found = (await findIdentity(tx, user)) ?? (await findAccount(tx, parts, user, client))
  if (typeof found !== 'string') return found
  const person = await lockPerson(tx, found)
  // Asked again under the lock: it may have been withdrawn until then.
  const isTheirs = (await findIdentity(tx, user)) === found
  return person === null || !isTheirs ? tookTooLong() : signIn(tx, parts.recordAct, person, client, 'oidc')
}

/**
 * Whose account the issuer's user gets, who comes for the first time. An address that the issuer has not verified
 * could be anyone's. One that was never proven here may have been given by another person, who would keep their way into
 * the account: it is connected only while it has no way to sign in.
 */
async function findAccount(
  tx: Tx,
  parts: IssuerParts,
  user: IssuerUser,
  client: ClientInfo,
): Promise<string | Refusal<'sign_in_failed' | 'already_exists'>> {
  const { settings } = parts.oidc
  if (user.email === null || !user.emailVerified) return refuseUnverified(settings)
  const email = parseEmail(user.email)
  if (email === null) return refuseAddress(settings)
  const known = await findByEmail(tx, email)
  if (known !== null) {
    const person = await lockPerson(tx, known.personId)
    if (person === null) return tookTooLong()
    if (!person.emailProven && (await hasWayIn(tx, person.personId))) return refuseUnproven(parts, person)
    await proveEmail(tx, parts, person, client)
    await link(tx, parts, person, user, client)
    return person.personId
  }
  const domain = email.slice(email.indexOf('@') + 1)
  if (!settings.domains.includes(domain) && !(await isInvited(tx, email))) {
    return refuse(
      'sign_in_failed',
      `${email} has not been invited to this server. Ask for an invitation to this address, then sign in again.`,
    )
  }
  const name = shortLine(user.name ?? '') || email
  const personId = await insertPerson(tx, { name, email, proven: true })
  await link(tx, parts, { personId, name, email }, user, client)
  return personId
}

/** A name as the issuer has it, as long as a name here can be, in one line; empty where nothing of it could be seen. */
function shortLine(name: string): string {
  return toLine(Array.from(toLine(name)).slice(0, 100).join(''))
}

type Whose = { readonly personId: string; readonly name: string; readonly email: EmailAddress }

async function link(
  tx: Tx,
  { recordAct, mail }: IssuerParts,
  person: Whose,
  { issuer, subject }: IssuerUser,
  client: ClientInfo,
): Promise<boolean> {
  if (!(await insertIdentity(tx, person.personId, { issuer, subject }))) return false
  await recordAct(tx, personalAct(person, client, 'connectIssuer', { after: { issuer, subject } }))
  await notifyPerson(tx, mail, person, 'issuerConnected', client)
  return true
}

/**
 * A signed-in person connects their account with the issuer's, whatever its address. Their proof of identity has to be
 * fresh still: they may have been away for as long as a sign-in lasts.
 */
async function connect(
  parts: IssuerParts,
  signedIn: SignedIn,
  user: IssuerUser,
  client: ClientInfo,
): Promise<Refusal<'already_exists' | 'fresh_proof_required'> | null> {
  return writeProven(parts.db, signedIn, async (tx) => {
    if (await link(tx, parts, signedIn, user, client)) return null
    if ((await findIdentity(tx, user)) === signedIn.personId) return null
    const { name } = parts.oidc.settings
    return refuse(
      'already_exists',
      `This account of ${name} belongs to another account here. Sign in with it instead.`,
    )
  })
}

/** Takes the connection with the issuer from an account. The last way to sign in stays. */
export async function disconnectIssuer(
  { db, recordAct, mail, oidc }: IssuerParts,
  signedIn: SignedIn,
  client: ClientInfo,
): Promise<{ done: true } | Refusal<'fresh_proof_required' | 'invalid_state'>> {
  const stale = refuseUnlessFresh(signedIn)
  if (stale !== null) return stale
  const { issuer } = oidc.settings
  return writeProven(db, signedIn, async (tx) => {
    if (!(await deleteIdentities(tx, signedIn.personId, issuer))) return { done: true }
    if (!(await hasWayIn(tx, signedIn.personId)))
      return refuse(
        'invalid_state',
        'This is your only way to sign in. Set a password or add a passkey first.',
      )
    await recordAct(tx, personalAct(signedIn, client, 'disconnectIssuer', { before: { issuer } }))
    await notifyPerson(tx, mail, signedIn, 'issuerDisconnected', client)
    return { done: true }
  })
}

function refuseUnverified({ name }: OidcSettings): Refusal<'sign_in_failed'> {
  return refuse(
    'sign_in_failed',
    `${name} does not say that it has verified your email address, which is needed the first time. Verify it there, or sign in another way and connect the two in your account.`,
  )
}

function refuseAddress({ name }: OidcSettings): Refusal<'sign_in_failed'> {
  return refuse(
    'sign_in_failed',
    `${name} gives an email address for you that this server does not accept. It must look like ada@example.com, with only ASCII characters before the @. Change it there, then sign in again.`,
  )
}

function refuseUnproven(
  { oidc, mail }: IssuerParts,
  { email, passwordHash }: SignInFacts,
): Refusal<'already_exists'> {
  const { name } = oidc.settings
  const reset =
    mail === null
      ? ''
      : ' If you cannot, set a new password by mail (“Forgot your password?”), and come back.'
  const how = passwordHash === null ? 'as you did before' : 'with its password'
  return refuse(
    'already_exists',
    `An account with ${email} already exists here, but its address was never confirmed. If it is yours, sign in ${how}, and connect it with ${name} in your account.${reset} If it isn't, tell your server operator.`,
  )
}
