import { isUniqueViolation, type Tx } from '../../../platform/postgres/db.ts'
import { isRefusal, refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { commitDespiteRefusal } from '../../../edge/operations/write-transaction.ts'
import { isUuid } from '../../../platform/text/uuid.ts'
import { beginStep, type StepKind, type Step, endStep } from '../sign-in-step-store.ts'
import { hasWayIn } from '../link/link-store.ts'
import { notifyPerson } from '../notify-person.ts'
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  listCredentials,
  renamePasskey,
  usePasskey,
} from './passkey-store.ts'
import { lockPerson } from '../person-sign-in-store.ts'
import { failedSignIn, personalAct } from '../personal-act.ts'
import { type ClientInfo, renewSession, type SignedIn } from '../session/session-store.ts'
import { type Entry, signIn, type PeopleParts, tookTooLong, tooManyTries } from '../sign-in.ts'
import type { Site } from '../../../platform/outbound/site.ts'
import { giveBackTry, perAddress, takeTry } from '../password/throttle-store.ts'
import { holdPerson, refuseUnlessFresh, writeProven, writeSignedIn } from '../write-with-proof.ts'
import {
  checkCreated,
  checkSigned,
  creationOptions,
  hasPasskeys,
  headOf,
  requestOptions,
  type SentCredential,
  userHandleOf,
} from './webauthn.ts'

export type PasskeyParts = PeopleParts & { readonly site: Site }

type Options = { readonly options: Record<string, unknown> }
const MOST = 20

/** Offers a challenge for a new passkey; it is good once, for the session that asked, within minutes. */
export async function offerPasskey(
  { db, site }: PasskeyParts,
  signedIn: SignedIn,
): Promise<Options | Refusal<'fresh_proof_required' | 'invalid_state'>> {
  const refusal = refuseUnlessFresh(signedIn) ?? refuseUnlessPossible(site)
  if (refusal !== null) return refusal
  const { personId, sessionId } = signedIn
  const known = await listCredentials(db, personId)
  if (known.length >= MOST)
    return refuse('invalid_state', `You have ${MOST} passkeys. Remove one that you do not use.`)
  const challenge = await writeProven(db, signedIn, (tx) =>
    beginStep(tx, 'passkey_registration', { personId, sessionId }),
  )
  if (isRefusal(challenge)) return challenge
  return { options: await creationOptions(site, challenge, signedIn, known) }
}

/** Keeps a passkey that answers such a challenge. */
export async function registerPasskey(
  { db, site, recordAct, mail }: PasskeyParts,
  signedIn: SignedIn,
  { name, credential }: { name: string; credential: SentCredential },
  client: ClientInfo,
): Promise<{ passkeyId: string } | Refusal<'fresh_proof_required' | 'sign_in_failed' | 'already_exists'>> {
  const stale = refuseUnlessFresh(signedIn)
  if (stale !== null) return stale
  const answered = await endAnswered(db, 'passkey_registration', credential)
  if (answered?.ceremony.sessionId !== signedIn.sessionId) return tookTooLong()
  const made = await checkCreated(site, answered.challenge, credential)
  if (made === null) return notAccepted()
  try {
    return await writeProven(db, signedIn, async (tx) => {
      const passkeyId = await insertPasskey(tx, signedIn.personId, { ...made, name })
      const details = { subject: { passkeyId }, after: { name } }
      await recordAct(tx, personalAct(signedIn, client, 'registerPasskey', details))
      await notifyPerson(tx, mail, signedIn, 'passkeyAdded', client)
      return { passkeyId }
    })
  } catch (fault) {
    if (isUniqueViolation(fault, 'passkey_credential_id_key'))
      return refuse('already_exists', 'This passkey is already registered.')
    throw fault
  }
}

/** Gives a passkey another name. */
export async function changePasskeyName(
  { db, recordAct }: PasskeyParts,
  signedIn: SignedIn,
  { passkeyId, name }: { passkeyId: string; name: string },
  client: ClientInfo,
): Promise<{ done: true } | Refusal<'not_found'>> {
  if (!isUuid(passkeyId)) return noSuchPasskey()
  return writeSignedIn(db, signedIn, async (tx) => {
    const before = await renamePasskey(tx, signedIn.personId, passkeyId, name)
    if (before === null) return noSuchPasskey()
    const details = { subject: { passkeyId }, before: { name: before }, after: { name } }
    await recordAct(tx, personalAct(signedIn, client, 'renamePasskey', details))
    return { done: true }
  })
}

/** Removes a passkey: it opens nothing from then on. The last way to sign in stays. */
export async function removePasskey(
  { db, recordAct, mail }: PasskeyParts,
  signedIn: SignedIn,
  passkeyId: string,
  client: ClientInfo,
): Promise<{ done: true } | Refusal<'fresh_proof_required' | 'not_found' | 'invalid_state'>> {
  const stale = refuseUnlessFresh(signedIn)
  if (stale !== null) return stale
  if (!isUuid(passkeyId)) return noSuchPasskey()
  return writeProven(db, signedIn, async (tx) => {
    const name = await deletePasskey(tx, signedIn.personId, passkeyId)
    if (name === null) return noSuchPasskey()
    if (!(await hasWayIn(tx, signedIn.personId)))
      return refuse('invalid_state', 'This is your only way to sign in. Set a password first.')
    const details = { subject: { passkeyId }, before: { name } }
    await recordAct(tx, personalAct(signedIn, client, 'removePasskey', details))
    await notifyPerson(tx, mail, signedIn, 'passkeyRemoved', client)
    return { done: true }
  })
}

/** Offers a challenge to a visitor with a passkey; who that is, its answer says. */
export async function beginPasskeySignIn({
  db,
  site,
}: PasskeyParts): Promise<Options | Refusal<'invalid_state'>> {
  const refusal = refuseUnlessPossible(site)
  if (refusal !== null) return refusal
  return { options: await requestOptions(site, await beginStep(db, 'passkey_sign_in', {})) }
}

/** Signs in the person whose passkey has answered such a challenge. It is two factors in one: no code is asked for. */
export async function signInWithPasskey(
  parts: PasskeyParts,
  credential: SentCredential,
  client: ClientInfo,
): Promise<Entry | Refusal<'sign_in_failed' | 'rate_limited'>> {
  const { db, recordAct } = parts
  const limits = [perAddress(client.address)]
  const waitSeconds = await takeTry(db, limits)
  if (waitSeconds !== null) return tooManyTries(waitSeconds)
  const used = await answeredBy(parts, 'passkey_sign_in', credential)
  // The use of a copy is recorded.
  const entry = isRefusal(used)
    ? used
    : await commitDespiteRefusal(db, async (tx): Promise<Entry | Refusal<'sign_in_failed'>> => {
        const person = await lockPerson(tx, used.personId)
        if (person === null) return notAccepted()
        if (!(await usePasskey(tx, used.passkeyId, used.counter)))
          return refuseClone(tx, parts, person, used, client)
        return signIn(tx, recordAct, person, client, 'passkey')
      })
  if (!isRefusal(entry)) await giveBackTry(db, limits)
  else await recordAct(db, failedSignIn(await holderOf(db, credential), client, 'passkey'))
  return entry
}

/** Whose passkey a credential names, whether it has answered or not; null for none. */
async function holderOf(db: PeopleParts['db'], credential: SentCredential): Promise<string | null> {
  const head = headOf(credential)
  return head === null ? null : ((await findPasskey(db, head.credentialId))?.personId ?? null)
}

/** Offers a signed-in person a challenge, to show once more who they are. */
export async function beginPasskeyProof(
  { db, site }: PasskeyParts,
  signedIn: SignedIn,
): Promise<Options | Refusal<'invalid_state'>> {
  const refusal = refuseUnlessPossible(site)
  if (refusal !== null) return refusal
  const { personId, sessionId } = signedIn
  const challenge = await writeSignedIn(db, signedIn, (tx) =>
    beginStep(tx, 'passkey_proof', { personId, sessionId }),
  )
  return { options: await requestOptions(site, challenge) }
}

/** A signed-in person shows with a passkey of theirs who they are. The session gets another secret. */
export async function proveWithPasskey(
  parts: PasskeyParts,
  signedIn: SignedIn,
  credential: SentCredential,
  client: ClientInfo,
): Promise<{ secret: string } | Refusal<'sign_in_failed'>> {
  const used = await answeredBy(parts, 'passkey_proof', credential)
  if (isRefusal(used)) return used
  if (used.ceremony.sessionId !== signedIn.sessionId || used.personId !== signedIn.personId)
    return notAccepted()
  // The use of a copy is recorded.
  return commitDespiteRefusal(parts.db, async (tx) => {
    await holdPerson(tx, signedIn)
    if (!(await usePasskey(tx, used.passkeyId, used.counter)))
      return refuseClone(tx, parts, signedIn, used, client)
    const secret = await renewSession(tx, signedIn.sessionId)
    return secret === null ? tookTooLong() : { secret }
  })
}

type Answered = { readonly challenge: string; readonly ceremony: Step }

/** Ends what the credential says it answers: whatever comes of it, that challenge is spent. Null when it is not under way. */
async function endAnswered(
  db: PeopleParts['db'],
  kind: StepKind,
  credential: SentCredential,
): Promise<Answered | null> {
  const head = headOf(credential)
  const ceremony = head === null ? null : await db.begin((tx) => endStep(tx, kind, head.challenge))
  return head === null || ceremony === null ? null : { challenge: head.challenge, ceremony }
}

type Used = {
  readonly passkeyId: string
  readonly personId: string
  readonly counter: number
  readonly ceremony: Step
}

/** The passkey that has answered a challenge, by its signature; its count is not compared yet. */
async function answeredBy(
  { db, site }: PasskeyParts,
  kind: StepKind,
  credential: SentCredential,
): Promise<Used | Refusal<'sign_in_failed'>> {
  const answered = await endAnswered(db, kind, credential)
  if (answered === null) return tookTooLong()
  const head = headOf(credential)
  const passkey = head === null ? null : await findPasskey(db, head.credentialId)
  if (passkey === null || head?.userHandle?.equals(userHandleOf(passkey.personId)) !== true)
    return notAccepted()
  const counter = await checkSigned(site, answered.challenge, credential, passkey)
  if (counter === null) return notAccepted()
  const { passkeyId, personId } = passkey
  return { passkeyId, personId, counter, ceremony: answered.ceremony }
}

/** There is a copy of the key. Neither of the two is let in with a count that was seen, and its person hears of it. */
async function refuseClone(
  tx: Tx,
  { recordAct, mail }: PasskeyParts,
  person: Pick<SignedIn, 'personId' | 'name' | 'email'>,
  { passkeyId, counter }: Used,
  client: ClientInfo,
): Promise<Refusal<'sign_in_failed'>> {
  const details = { subject: { passkeyId }, after: { counter } }
  await recordAct(tx, personalAct(person, client, 'refuseCopiedPasskey', details))
  await notifyPerson(tx, mail, person, 'passkeyCopied', client)
  return refuse(
    'sign_in_failed',
    'This passkey seems to be a copy: it was used more often than it says. Sign in with your password, and remove it.',
  )
}

function refuseUnlessPossible(site: Site): Refusal<'invalid_state'> | null {
  if (hasPasskeys(site)) return null
  return refuse(
    'invalid_state',
    'Passkeys need HTTPS or localhost, and a host name. Ask your server operator to set BASE_URL to one.',
  )
}

function notAccepted(): Refusal<'sign_in_failed'> {
  return refuse('sign_in_failed', 'The passkey was not accepted. Try again, or sign in with your password.')
}

function noSuchPasskey(): Refusal<'not_found'> {
  return refuse('not_found', "You don't have this passkey.")
}
