import type { MailQueue } from '../../mail/mail-store.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { EmailAddress } from '../../../platform/text/email-address.ts'
import type { Refusal } from '../../../edge/operations/refusal.ts'
import { hasWayIn } from '../link/link-store.ts'
import { findByEmail } from '../person-sign-in-store.ts'
import { insertResetRequest, type ResetRequest, takeResetRequests } from './reset-request-store.ts'
import { makeResetLink } from './reset-password.ts'
import type { ClientInfo } from '../session/session-store.ts'
import { type PeopleParts, tooManyTries } from '../sign-in.ts'
import { resetLinkUrl } from '../../../platform/outbound/site.ts'
import { resetsPerAccount, resetsPerAddress, takeTry } from './throttle-store.ts'
import { languageOf } from '../../members/person-store.ts'
import { words } from '../words.ts'

/**
 * Notes that a visitor wants a link to set a new password. Whether an account has the address is looked up after the answer,
 * so that work and answer are the same for every address.
 */
export async function requestReset(
  { db }: Pick<PeopleParts, 'db'>,
  email: EmailAddress,
  { address }: ClientInfo,
): Promise<Refusal<'rate_limited'> | null> {
  const waitSeconds = await takeTry(db, [resetsPerAccount(email), resetsPerAddress(address)])
  if (waitSeconds !== null) return tooManyTries(waitSeconds)
  await insertResetRequest(db, { email, address })
  return null
}

const AT_ONCE = 20

/** Makes the links that were asked for, and writes them to those who have an account. */
export async function answerResetRequests(
  parts: Pick<PeopleParts, 'db' | 'recordAct'> & { mail: MailQueue },
): Promise<void> {
  for (let answered = AT_ONCE; answered === AT_ONCE;) {
    answered = await parts.db.begin(async (tx) => {
      const requests = await takeResetRequests(tx, AT_ONCE)
      for (const request of requests) await mailLink(tx, parts, request)
      return requests.length
    })
  }
}

async function mailLink(
  tx: Tx,
  { recordAct, mail }: Pick<PeopleParts, 'recordAct'> & { mail: MailQueue },
  { email, address }: ResetRequest,
): Promise<void> {
  const person = await findByEmail(tx, email)
  // A person who never had a way in gets it from those who made the account.
  if (person === null || !(await hasWayIn(tx, person.personId))) return
  const made = await makeResetLink(tx, email, { byMail: true })
  if (made === null) return
  const { personId, name, secret } = made
  await mail.enqueue(tx, {
    kind: 'password_reset',
    to: made.email,
    hours: 1,
    language: await languageOf(tx, made.email),
    message: () => ({
      subject: words.resetSubject,
      paragraphs: [words.hello(name), words.resetAsked(address)],
      link: { label: words.setPassword, url: resetLinkUrl(mail.baseUrl, secret) },
      after: [words.resetHint, words.ignore],
    }),
  })
  await recordAct(tx, {
    workspaceId: null,
    actor: { type: 'service', id: null, name: 'Postrider', personId },
    action: 'mailResetLink',
    subject: { personId },
    address,
    requestId: null,
  })
}
