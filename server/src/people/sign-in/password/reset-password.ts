import type { Sql } from '../../../platform/postgres/db.ts'
import type { EmailAddress } from '../../../platform/text/email-address.ts'
import type { Refusal } from '../../../edge/operations/refusal.ts'
import { writeInTransaction } from '../../../edge/operations/write-transaction.ts'
import { consumeLink, findLink, makeLink, type Link } from '../link/link-store.ts'
import { hashPassword, passwordFault } from './password.ts'
import { findByEmail, lockPerson, setPassword } from '../person-sign-in-store.ts'
import { notifyPerson } from '../notify-person.ts'
import { personalAct } from '../personal-act.ts'
import { proveEmail } from '../link/prove-email.ts'
import { type ClientInfo, endSessions } from '../session/session-store.ts'
import { linkHasExpired, linkIsUsed, unknownLink, weakPassword } from '../link/set-up-owner.ts'
import type { PeopleParts } from '../sign-in.ts'
import { clearTries, perAccount } from './throttle-store.ts'

/** The secret of a link to set a new password; null when no account has this e-mail address. */
export async function makeResetLink(
  sql: Sql,
  email: EmailAddress,
  { byMail }: { byMail: boolean },
): Promise<{ secret: string; personId: string; name: string; email: EmailAddress } | null> {
  const person = await findByEmail(sql, email)
  if (person === null) return null
  const { personId, name } = person
  return {
    secret: await makeLink(sql, 'reset', { personId, workspaceId: null, byMail }),
    personId,
    name,
    email: person.email,
  }
}

/** What a reset link opens; a refusal for one that is used, expired or none. */
export async function openResetLink(
  { db }: Pick<PeopleParts, 'db'>,
  secret: string,
): Promise<Link | Refusal<'link_not_valid'>> {
  const link = await findLink(db, 'reset', secret)
  if (link === null) return unknownLink()
  if (link.is === 'used') return linkIsUsed()
  return link.is === 'expired' ? linkHasExpired('Request a new one.') : link
}

/**
 * Gives a person a new password by a link, and ends all their sessions: holders of the old one are out. It does not sign
 * in, so that a second factor is still asked for. A link that came by mail proves the address; `proof` is what is to be told
 * of that.
 */
export async function resetPassword(
  parts: PeopleParts,
  secret: string,
  password: string,
  client: ClientInfo,
): Promise<
  { personId: string; email: string; proof?: string } | Refusal<'link_not_valid' | 'validation_failed'>
> {
  const link = await openResetLink(parts, secret)
  if ('refused' in link) return link
  const { personId, email, byMail } = link
  const fault = await passwordFault(password, { email })
  if (fault !== null) return weakPassword(fault)
  const passwordHash = await hashPassword(password)

  return writeInTransaction(parts.db, async (tx) => {
    const person = await lockPerson(tx, personId)
    if (person === null) return unknownLink()
    if (!(await consumeLink(tx, 'reset', secret))) return linkIsUsed()
    await setPassword(tx, personId, passwordHash)
    const sessionsEnded = await endSessions(tx, personId)
    await parts.recordAct(tx, personalAct(person, client, 'resetPassword', { after: { sessionsEnded } }))
    await notifyPerson(tx, parts.mail, person, 'password', client)
    // Not of codes: the second factor holds against those who read the mail.
    await clearTries(tx, [perAccount(person.email)])
    const proof = byMail ? await proveEmail(tx, parts, person, client) : null
    return proof === null ? { personId, email } : { personId, email, proof }
  })
}
