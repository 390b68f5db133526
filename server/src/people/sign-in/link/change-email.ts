import { isEmailTaken } from '../../members/person-store.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { EmailAddress } from '../../../platform/text/email-address.ts'
import { isRefusal, refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { consumeLink, findLink, type Link, makeLink } from './link-store.ts'
import { notifyPerson } from '../notify-person.ts'
import { setEmail, type SignInFacts } from '../person-sign-in-store.ts'
import { personalAct } from '../personal-act.ts'
import { proveEmail } from './prove-email.ts'
import type { ClientInfo, SignedIn } from '../session/session-store.ts'
import { emailIsTaken, linkHasExpired, linkIsUsed, unknownLink } from './set-up-owner.ts'
import { type PeopleParts, tooManyTries } from '../sign-in.ts'
import { emailLinkUrl } from '../../../platform/outbound/site.ts'
import { emailLinksPerPerson, mailsToStranger, takeTry } from '../password/throttle-store.ts'
import { refuseUnlessFresh, writeProven, writeSignedIn } from '../write-with-proof.ts'
import { words } from '../words.ts'

/**
 * Gives a person another e-mail address, once they have opened a link that is sent there; at once where no mail is
 * configured. Whether another person has the address is told to those who read its mail alone.
 */
export async function changeEmail(
  parts: PeopleParts,
  signedIn: SignedIn,
  email: EmailAddress,
  client: ClientInfo,
): Promise<{ linkSent: boolean } | Refusal<'fresh_proof_required' | 'already_exists' | 'rate_limited'>> {
  const stale = refuseUnlessFresh(signedIn)
  if (stale !== null) return stale
  const { db, mail } = parts
  const { personId, name } = signedIn
  const waitSeconds = await takeTry(db, [
    emailLinksPerPerson(personId),
    ...(mail === null ? [] : [mailsToStranger(email)]),
  ])
  if (waitSeconds !== null) return tooManyTries(waitSeconds)
  if (mail === null) {
    const done = await unlessTaken(() =>
      writeProven(db, signedIn, (tx, person) =>
        replaceEmail(tx, parts, person, { email, provenIn: null }, client),
      ),
    )
    return isRefusal(done) ? done : { linkSent: false }
  }
  return writeProven(db, signedIn, async (tx) => {
    const secret = await makeLink(tx, 'email', { personId, workspaceId: null, byMail: true, email })
    await mail.enqueue(tx, {
      kind: 'email_change',
      to: email,
      hours: 1,
      language: signedIn.language ?? 'en',
      message: () => ({
        subject: words.emailSubject,
        paragraphs: [words.hello(name), words.emailChange(email)],
        link: { label: words.confirmEmail, url: emailLinkUrl(mail.baseUrl, secret) },
        after: [words.emailHint],
      }),
    })
    return { linkSent: true }
  })
}

/** What such a link opens; a refusal for one that is used, expired or none. */
export async function openEmailLink(
  { db }: Pick<PeopleParts, 'db'>,
  secret: string,
): Promise<(Link & { newEmail: EmailAddress }) | Refusal<'link_not_valid'>> {
  const link = await findLink(db, 'email', secret)
  if (link?.newEmail == null) return unknownLink()
  if (link.is === 'used') return linkIsUsed()
  if (link.is === 'expired') return linkHasExpired('Change the address in your account again.')
  return { ...link, newEmail: link.newEmail }
}

/**
 * A person has opened the link that was sent to their new address, signed in to the account that is to have it: so the reader
 * of that mail and the holder of the account are one. Otherwise an account could get the address of a person who does no more
 * than follow a link, and keep its ways in. `proof` is what is to be told where that proves an address for the first time.
 */
export async function confirmEmail(
  parts: PeopleParts,
  secret: string,
  signedIn: SignedIn | null,
  client: ClientInfo,
): Promise<
  { email: string; proof?: string } | Refusal<'link_not_valid' | 'already_exists' | 'not_signed_in'>
> {
  const link = await openEmailLink(parts, secret)
  if ('refused' in link) return link
  const { personId, newEmail: email } = link
  if (signedIn?.personId !== personId) return refuseOther(link)
  const done = await unlessTaken(() =>
    writeSignedIn(parts.db, signedIn, async (tx, person) => {
      if (!(await consumeLink(tx, 'email', secret))) return linkIsUsed()
      return replaceEmail(tx, parts, person, { email, provenIn: signedIn.sessionId }, client)
    }),
  )
  if (isRefusal(done)) return done
  return done === null ? { email } : { email, proof: done }
}

/** For those who open such a link without being signed in to the account that it is about. */
export function refuseOther({ email }: Link): Refusal<'not_signed_in'> {
  return refuse(
    'not_signed_in',
    `Sign in to the account with ${email} in this browser, then open the link again.`,
  )
}

/** Gives the person the address, and what is to be told where that proves it; `provenIn` is the session that showed it. */
async function replaceEmail(
  tx: Tx,
  parts: PeopleParts,
  person: SignInFacts,
  { email, provenIn }: { email: EmailAddress; provenIn: string | null },
  client: ClientInfo,
): Promise<string | null> {
  const { recordAct, mail } = parts
  await setEmail(tx, person.personId, email, { staysProven: person.emailProven && provenIn !== null })
  const details = { before: { email: person.email }, after: { email } }
  await recordAct(tx, personalAct(person, client, 'changeMyEmail', details))
  // To both: the reader of the one before has to hear of it.
  await notifyPerson(tx, mail, person, 'email', client)
  const changed = { ...person, email }
  await notifyPerson(tx, mail, changed, 'email', client)
  return provenIn === null ? null : proveEmail(tx, parts, changed, client, { keptSession: provenIn })
}

async function unlessTaken<T>(write: () => Promise<T>): Promise<T | Refusal<'already_exists'>> {
  try {
    return await write()
  } catch (fault) {
    if (isEmailTaken(fault)) return emailIsTaken()
    throw fault
  }
}
