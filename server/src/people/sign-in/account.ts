import type { app } from '@postrider/contract'
import { changePreferences, preferencesOf, renamePerson } from '../members/person-store.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { isUuid } from '../../platform/text/uuid.ts'
import { hashPassword, passwordFault } from './password/password.ts'
import { setPassword } from './person-sign-in-store.ts'
import { notifyPerson } from './notify-person.ts'
import { personalAct } from './personal-act.ts'
import { hashRecoveryCode, newRecoveryCodes } from './second-factor/recovery-codes.ts'
import { confirmTotp } from './second-factor/second-factor.ts'
import { offerTotp, readTotp, removeTotp, replaceRecoveryCodes } from './second-factor/second-factor-store.ts'
import { type ClientInfo, endSession, endSessions, type SignedIn } from './session/session-store.ts'
import { weakPassword } from './link/set-up-owner.ts'
import { type PeopleParts, wrongCode } from './sign-in.ts'
import { base32, newTotpSecret, totpUri } from './second-factor/totp.ts'
import { refuseUnlessFresh, writeProven, writeSignedIn } from './write-with-proof.ts'

/** Gives a person another name, in every workspace. */
export async function changeName(
  { db, recordAct }: PeopleParts,
  signedIn: SignedIn,
  name: string,
  client: ClientInfo,
): Promise<void> {
  await writeSignedIn(db, signedIn, async (tx) => {
    await renamePerson(tx, signedIn.personId, name)
    const details = { before: { name: signedIn.name }, after: { name } }
    await recordAct(tx, personalAct(signedIn, client, 'changeMyName', details))
  })
}

/** Has calendars and clocks shown to a person in another way. */
export async function preferOtherwise(
  { db, recordAct }: PeopleParts,
  signedIn: SignedIn,
  preferences: app.Preferences,
  client: ClientInfo,
): Promise<void> {
  await writeSignedIn(db, signedIn, async (tx) => {
    const before = await preferencesOf(tx, signedIn.personId)
    await changePreferences(tx, signedIn.personId, preferences)
    const details = { before, after: preferences }
    await recordAct(tx, personalAct(signedIn, client, 'changeMyPreferences', details))
  })
}

/** Gives a person another password; their other sessions end. */
export async function changePassword(
  { db, recordAct, mail }: PeopleParts,
  signedIn: SignedIn,
  password: string,
  client: ClientInfo,
): Promise<{ sessionsEnded: number } | Refusal<'fresh_proof_required' | 'validation_failed'>> {
  const stale = refuseUnlessFresh(signedIn)
  if (stale !== null) return stale
  const fault = await passwordFault(password, signedIn)
  if (fault !== null) return weakPassword(fault)
  const passwordHash = await hashPassword(password)
  return writeProven(db, signedIn, async (tx) => {
    await setPassword(tx, signedIn.personId, passwordHash)
    const sessionsEnded = await endSessions(tx, signedIn.personId, signedIn.sessionId)
    await recordAct(tx, personalAct(signedIn, client, 'changePassword', { after: { sessionsEnded } }))
    await notifyPerson(tx, mail, signedIn, 'password', client)
    return { sessionsEnded }
  })
}

/** A secret for an authenticator app, which counts once a code of it was seen. */
export type OfferedTotp = { readonly secret: string; readonly uri: string }

/** Offers a secret to the person's authenticator app; refused while another app is in use. */
export async function offerAuthenticator(
  { db, keyring }: PeopleParts,
  signedIn: SignedIn,
): Promise<OfferedTotp | Refusal<'fresh_proof_required' | 'already_exists'>> {
  const secret = newTotpSecret()
  return writeProven(db, signedIn, async (tx) => {
    if (await offerTotp(tx, keyring, signedIn.personId, secret)) return viewTotp(secret, signedIn)
    return refuse(
      'already_exists',
      'An authenticator app is set up. Remove it before you set up another one.',
    )
  })
}

/** What was offered last and is not confirmed yet; null for nothing. */
export async function offeredAuthenticator(
  { db, keyring }: PeopleParts,
  signedIn: SignedIn,
): Promise<OfferedTotp | null> {
  const totp = await readTotp(db, keyring, signedIn.personId, { confirmed: false })
  return totp === null ? null : viewTotp(totp.secret, signedIn)
}

function viewTotp(secret: Buffer, { email }: SignedIn): OfferedTotp {
  return { secret: base32(secret), uri: totpUri(secret, { issuer: 'Postrider', account: email }) }
}

/** Turns the second factor on, by a code of the app that was offered a secret; gives the recovery codes, only now. */
export async function confirmAuthenticator(
  { db, keyring, recordAct, mail }: PeopleParts,
  signedIn: SignedIn,
  code: string,
  client: ClientInfo,
): Promise<{ recoveryCodes: string[] } | Refusal<'fresh_proof_required' | 'sign_in_failed'>> {
  return writeProven(db, signedIn, async (tx) => {
    const digits = code.replaceAll(/\s/g, '')
    if (!(await confirmTotp(tx, keyring, signedIn.personId, digits))) return wrongCode()
    await endSessions(tx, signedIn.personId, signedIn.sessionId)
    await recordAct(tx, personalAct(signedIn, client, 'confirmAuthenticator'))
    await notifyPerson(tx, mail, signedIn, 'authenticatorOn', client)
    return { recoveryCodes: await issueRecoveryCodes(tx, signedIn.personId) }
  })
}

/** Turns the second factor off. */
export async function removeAuthenticator(
  { db, recordAct, mail }: PeopleParts,
  signedIn: SignedIn,
  client: ClientInfo,
): Promise<{ removed: boolean } | Refusal<'fresh_proof_required'>> {
  return writeProven(db, signedIn, async (tx) => {
    const removed = await removeTotp(tx, signedIn.personId)
    if (!removed) return { removed }
    await recordAct(tx, personalAct(signedIn, client, 'removeAuthenticator'))
    await notifyPerson(tx, mail, signedIn, 'authenticatorOff', client)
    return { removed }
  })
}

/** Gives new recovery codes; those before are void. */
export async function renewRecoveryCodes(
  { db, recordAct, mail }: PeopleParts,
  signedIn: SignedIn,
  client: ClientInfo,
): Promise<{ recoveryCodes: string[] } | Refusal<'fresh_proof_required' | 'not_found'>> {
  return writeProven(db, signedIn, async (tx, person) => {
    if (!person.secondFactor)
      return refuse('not_found', 'Recovery codes replace an authenticator app. Set one up first.')
    await recordAct(tx, personalAct(signedIn, client, 'renewRecoveryCodes'))
    await notifyPerson(tx, mail, signedIn, 'recoveryCodes', client)
    return { recoveryCodes: await issueRecoveryCodes(tx, signedIn.personId) }
  })
}

/** Signs a browser of the person out, this one or another. */
export async function endOneSession(
  { db, recordAct }: PeopleParts,
  signedIn: SignedIn,
  sessionId: string,
  client: ClientInfo,
): Promise<{ ended: boolean }> {
  if (!isUuid(sessionId)) return { ended: false }
  return writeSignedIn(db, signedIn, async (tx) => {
    const ended = await endSession(tx, signedIn.personId, sessionId)
    const action = sessionId === signedIn.sessionId ? 'signOut' : 'endSession'
    if (ended) await recordAct(tx, personalAct(signedIn, client, action, { subject: { sessionId } }))
    return { ended }
  })
}

/** Signs all other browsers of the person out. */
export async function endOtherSessions(
  { db, recordAct }: PeopleParts,
  signedIn: SignedIn,
  client: ClientInfo,
): Promise<{ ended: number }> {
  return writeSignedIn(db, signedIn, async (tx) => {
    const ended = await endSessions(tx, signedIn.personId, signedIn.sessionId)
    await recordAct(tx, personalAct(signedIn, client, 'endOtherSessions', { after: { ended } }))
    return { ended }
  })
}

async function issueRecoveryCodes(tx: Tx, personId: string): Promise<string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.flatMap((code) => hashRecoveryCode(code) ?? [])
  await replaceRecoveryCodes(tx, personId, hashes)
  return codes
}
