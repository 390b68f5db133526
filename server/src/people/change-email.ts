import { isEmailTaken } from '../identity/person-store.ts'
import type { Tx } from '../platform/db.ts'
import type { EmailAddress } from '../platform/email-address.ts'
import type { Refusal } from '../platform/refusal.ts'
import { writeInTransaction } from '../platform/write-transaction.ts'
import { consumeLink, findLink, type Link, makeLink } from './link-store.ts'
import { notifyPerson } from './notify-person.ts'
import { lockPerson, setEmail } from './person-sign-in-store.ts'
import { personalAct } from './personal-act.ts'
import type { ClientInfo, SignedIn } from './session-store.ts'
import { emailIsTaken, linkHasExpired, linkIsUsed, unknownLink } from './set-up-owner.ts'
import { type PeopleParts, tooManyTries } from './sign-in.ts'
import { emailLinkUrl } from './site.ts'
import { emailLinksPerPerson, takeTry } from './throttle-store.ts'
import { refuseUnlessFresh, writeProven } from './write-signed-in.ts'

/**
 * Gives a person another e-mail address, once they have opened a link that is sent there; at once where no mail is
 * configured. Whether somebody else has the address is told to those who read its mail, and to nobody else.
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
  const waitSeconds = await takeTry(db, [emailLinksPerPerson(personId)])
  if (waitSeconds !== null) return tooManyTries(waitSeconds)
  if (mail === null) {
    const to = { personId, email, proven: false }
    const refusal = await unlessTaken(() =>
      writeProven(db, signedIn, (tx) => replaceEmail(tx, parts, to, client)),
    )
    return refusal ?? { linkSent: false }
  }
  return writeProven(db, signedIn, async (tx) => {
    const secret = await makeLink(tx, 'email', { personId, workspaceId: null, byMail: true, email })
    await mail.enqueue(tx, {
      kind: 'email_change',
      to: email,
      hours: 1,
      message: {
        subject: 'Confirm your e-mail address for Postrider',
        paragraphs: [`Hello ${name},`, `your account is to have the e-mail address ${email}.`],
        link: { label: 'Confirm the address', url: emailLinkUrl(mail.baseUrl, secret) },
        after: [
          'The link works once, for an hour. If this was not you, ignore this mail: nothing has changed.',
        ],
      },
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
  if (link.is === 'expired') return linkHasExpired('Change the address at your account once more.')
  return { ...link, newEmail: link.newEmail }
}

/** Somebody has opened the link that was sent to the new address. */
export async function confirmEmail(
  parts: PeopleParts,
  secret: string,
  client: ClientInfo,
): Promise<{ email: string } | Refusal<'link_not_valid' | 'already_exists'>> {
  const link = await openEmailLink(parts, secret)
  if ('refused' in link) return link
  const { personId, newEmail: email } = link
  const refusal = await unlessTaken(() =>
    writeInTransaction(parts.db, async (tx) => {
      if (!(await consumeLink(tx, 'email', secret))) return linkIsUsed()
      return replaceEmail(tx, parts, { personId, email, proven: true }, client)
    }),
  )
  return refusal ?? { email }
}

async function replaceEmail(
  tx: Tx,
  { recordAct, mail }: PeopleParts,
  { personId, email, proven }: { personId: string; email: EmailAddress; proven: boolean },
  client: ClientInfo,
): Promise<null> {
  const person = await lockPerson(tx, personId)
  if (person === null) throw new Error('a person vanished who was about to get another address')
  await setEmail(tx, personId, email, { proven })
  const details = { before: { email: person.email }, after: { email } }
  await recordAct(tx, personalAct(person, client, 'changeMyEmail', details))
  // To both: whoever reads the one before has to hear of it.
  await notifyPerson(tx, mail, person, 'email', client)
  await notifyPerson(tx, mail, { ...person, email }, 'email', client)
  return null
}

async function unlessTaken<T>(write: () => Promise<T>): Promise<T | Refusal<'already_exists'>> {
  try {
    return await write()
  } catch (fault) {
    if (isEmailTaken(fault)) return emailIsTaken()
    throw fault
  }
}
