import { insertPerson, isEmailTaken } from '../members/person-store.ts'
import type { Tx } from '../platform/db.ts'
import { type EmailAddress, parseEmail } from '../platform/email-address.ts'
import { isRefusal, refuse, type Refusal } from '../operations/refusal.ts'
import { writeInTransaction } from '../operations/write-transaction.ts'
import { beginCeremony, endCeremony } from './sign-in-step-store.ts'
import { deleteIdentities, findIdentity, insertIdentity, isInvited } from './issuer-identity-store.ts'
import { hasWayIn } from './link-store.ts'
import { notifyPerson } from './notify-person.ts'
import type { OidcClient, OidcSettings, ProviderUser } from './issuer-client.ts'
import { findByEmail, lockPerson, type SignInFacts } from './person-sign-in-store.ts'
import { personalAct } from './personal-act.ts'
import { proveEmail } from './prove-email.ts'
import type { ClientInfo, SignedIn } from './session-store.ts'
import { emailIsTaken } from './set-up-owner.ts'
import { enter, type Entry, type PeopleParts, tookTooLong, tooManyTries } from './sign-in.ts'
import { providerSignIns, takeTry } from './throttle-store.ts'
import { refuseUnlessFresh, writeProven, writeSignedIn } from './write-signed-in.ts'

export type ProviderParts = PeopleParts & { readonly oidc: OidcClient }

/** A browser on its way to the provider, with the secret by which it is known when it comes back. */
export type OnTheWay = { readonly secret: string; readonly to: URL }

/** Sends a browser to the provider: to sign in, or, when somebody is signed in and says so, to connect their account. */
export async function beginAtProvider(
  { db, oidc }: ProviderParts,
  { next, connects }: { next: string; connects: SignedIn | null },
  { address }: ClientInfo,
): Promise<OnTheWay | Refusal<'not_ready' | 'rate_limited' | 'fresh_proof_required'>> {
  const stale = connects === null ? null : refuseUnlessFresh(connects)
  if (stale !== null) return stale
  const waitSeconds = await takeTry(db, [providerSignIns(address)])
  if (waitSeconds !== null) return tooManyTries(waitSeconds)
  const secret =
    connects === null
      ? await beginCeremony(db, 'oidc', { facts: { next } })
      : await writeProven(db, connects, (tx) => {
          const { personId, sessionId } = connects
          return beginCeremony(tx, 'oidc', { personId, sessionId, facts: { next } })
        })
  if (isRefusal(secret)) return secret
  const to = await oidc.begin(secret)
  return isRefusal(to) ? to : { secret, to }
}

/** Let in, or connected; and where the browser goes on to. */
export type Returned = { readonly entry: Entry | null; readonly next: string }
type Refused = Refusal<'not_ready' | 'sign_in_failed' | 'already_exists'>

/** Takes a browser in that comes back from the provider. Whatever comes of it, its secret is spent. */
export async function returnFromProvider(
  parts: ProviderParts,
  { secret, search, signedIn }: { secret: string; search: string; signedIn: SignedIn | null },
  client: ClientInfo,
): Promise<Returned | Refused> {
  const { db, oidc } = parts
  const ceremony = await db.begin((tx) => endCeremony(tx, 'oidc', secret))
  if (ceremony === null) return tookTooLong()
  const user = await oidc.finish(secret, search)
  if (isRefusal(user)) return user
  const next = ceremony.facts['next'] ?? '/account'
  if (ceremony.sessionId !== null) {
    // Whoever was signed in when it began must be the one who is now.
    if (signedIn?.sessionId !== ceremony.sessionId) return tookTooLong()
    const refusal = await connect(parts, signedIn, user, client)
    return refusal ?? { entry: null, next }
  }
  try {
    const entry = await writeInTransaction(db, (tx) => letIn(tx, parts, user, client))
    return isRefusal(entry) ? entry : { entry, next }
  } catch (fault) {
    // Somebody else has made an account with the address in this very moment.
    if (isEmailTaken(fault)) return emailIsTaken()
    throw fault
  }
}

async function letIn(
  tx: Tx,
  parts: ProviderParts,
  user: ProviderUser,
  client: ClientInfo,
): Promise<Entry | Refusal<'sign_in_failed' | 'already_exists'>> {
  const found = (await findIdentity(tx, user)) ?? (await adopt(tx, parts, user, client))
  if (typeof found !== 'string') return found
  const person = await lockPerson(tx, found)
  // Asked again under the lock: it may have been withdrawn until then.
  const isTheirs = (await findIdentity(tx, user)) === found
  return person === null || !isTheirs ? tookTooLong() : enter(tx, parts.recordAct, person, client, 'oidc')
}

/**
 * Whose account the provider's user gets, who comes for the first time. An address that the provider has not verified
 * could be anybody's. One that nobody has proven here may have been given by somebody else, who would keep their way into
 * the account: it is connected only while nobody can sign in to it.
 */
async function adopt(
  tx: Tx,
  parts: ProviderParts,
  user: ProviderUser,
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
      `Nobody has invited ${email} to this server. Ask for an invitation to this address, then sign in again.`,
    )
  }
  const name = oneLine(user.name ?? '') || email
  const personId = await insertPerson(tx, { name, email, proven: true })
  await link(tx, parts, { personId, name, email }, user, client)
  return personId
}

/** A name as the provider has it, without what a page or a mail could not show. */
function oneLine(name: string): string {
  return name
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 100)
    .trim()
    .toWellFormed()
}

type Whose = { readonly personId: string; readonly name: string; readonly email: EmailAddress }

async function link(
  tx: Tx,
  { recordAct, mail }: ProviderParts,
  person: Whose,
  { issuer, subject }: ProviderUser,
  client: ClientInfo,
): Promise<boolean> {
  if (!(await insertIdentity(tx, person.personId, { issuer, subject }))) return false
  await recordAct(tx, personalAct(person, client, 'connectProvider', { after: { issuer, subject } }))
  await notifyPerson(tx, mail, person, 'providerConnected', client)
  return true
}

/** Somebody who is signed in connects their account with the provider's, whatever its address. */
async function connect(
  parts: ProviderParts,
  signedIn: SignedIn,
  user: ProviderUser,
  client: ClientInfo,
): Promise<Refusal<'already_exists' | 'sign_in_failed'> | null> {
  return writeSignedIn(parts.db, signedIn, async (tx) => {
    if (await link(tx, parts, signedIn, user, client)) return null
    if ((await findIdentity(tx, user)) === signedIn.personId) return null
    const { name } = parts.oidc.settings
    return refuse(
      'already_exists',
      `This account of ${name} belongs to another account here. Sign in with it instead.`,
    )
  })
}

/** Takes the connection with the provider from an account. The last way to sign in stays. */
export async function disconnectProvider(
  { db, recordAct, mail, oidc }: ProviderParts,
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
    await recordAct(tx, personalAct(signedIn, client, 'disconnectProvider', { before: { issuer } }))
    await notifyPerson(tx, mail, signedIn, 'providerDisconnected', client)
    return { done: true }
  })
}

function refuseUnverified({ name }: OidcSettings): Refusal<'sign_in_failed'> {
  return refuse(
    'sign_in_failed',
    `${name} does not say that it has verified your e-mail address, which is needed the first time. Verify it there, or sign in in another way and connect the two at your account.`,
  )
}

function refuseAddress({ name }: OidcSettings): Refusal<'sign_in_failed'> {
  return refuse(
    'sign_in_failed',
    `${name} gives an e-mail address for you that this server does not accept. It looks like ada@example.com, with ASCII characters only before the @. Change it there, then sign in again.`,
  )
}

function refuseUnproven(
  { oidc, mail }: ProviderParts,
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
    `There is an account with ${email} here of which nobody has shown that the address is theirs. If it is yours, sign in ${how}, and connect it with ${name} at your account.${reset} If it is not, tell whoever runs this server.`,
  )
}
