import type { MailQueue } from '../../mail/mail-store.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { EmailAddress } from '../../../platform/text/email-address.ts'
import { notifyPerson } from '../notify-person.ts'
import { removeTotp } from './second-factor-store.ts'
import { endSessions } from '../session/session-store.ts'

/**
 * An operator takes authenticator app, recovery codes and passkeys from a person who has lost them. Their present holder is
 * signed out, and the person is told by mail.
 */
export async function forgetSecondFactors(
  tx: Tx,
  mail: MailQueue | null,
  person: { personId: string; name: string; email: EmailAddress },
): Promise<{ sessionsEnded: number }> {
  await removeTotp(tx, person.personId)
  await tx`delete from passkey where person_id = ${person.personId}`
  const sessionsEnded = await endSessions(tx, person.personId)
  await notifyPerson(tx, mail, person, 'secondFactorsForgotten', 'operator')
  return { sessionsEnded }
}
