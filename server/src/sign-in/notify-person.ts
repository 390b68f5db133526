import type { MailQueue } from '../mail/mail-store.ts'
import type { Sql } from '../platform/db.ts'
import type { EmailAddress } from '../platform/email-address.ts'
import type { ClientInfo } from './session-store.ts'
import { siteOf } from '../platform/site.ts'

/** What of how a person signs in has changed, as a sentence. */
const notices = {
  email: 'The e-mail address of your account was changed.',
  password: 'Your password was changed.',
  authenticatorOn: 'An authenticator app was set up for your account.',
  authenticatorOff: 'The authenticator app of your account was removed.',
  passkeyAdded: 'A passkey was added to your account.',
  passkeyRemoved: 'A passkey of your account was removed.',
  passkeyCopied: 'A passkey of your account seems to have been copied. The sign-in was refused.',
  issuerConnected:
    'Your account was connected with your account at the identity provider, which signs you in from now on.',
  issuerDisconnected: 'Your account is no longer connected with the identity provider.',
  secondFactorsForgotten:
    'The authenticator app, the recovery codes and the passkeys of your account were removed, and its sessions ended.',
  emailProven: 'It was shown for the first time that you read the mail sent to your address.',
  recoveryCodes: 'New recovery codes were made for your account. Those before do not work any more.',
} as const
type Notice = keyof typeof notices

const HOURS = 72

/**
 * Writes to a person that how they sign in has changed, in the transaction of the change; nothing without mail. It was done
 * by a client, or by an operator at the command line.
 */
export async function notifyPerson(
  sql: Sql,
  mail: MailQueue | null,
  { name, email }: { name: string; email: EmailAddress },
  what: Notice | { readonly notice: Notice; readonly more: string },
  by: ClientInfo | 'operator',
): Promise<void> {
  const { notice, more } = typeof what === 'string' ? { notice: what, more: null } : what
  const where =
    by === 'operator'
      ? 'It was done at the command line of the server.'
      : `It was done from the address ${by.address}, with ${by.userAgent ?? 'an unknown program'}.`
  await mail?.enqueue(sql, {
    kind: 'notice',
    to: email,
    hours: HOURS,
    message: {
      subject: notices[notice].replace(/\.$|\. .*/, ''),
      paragraphs: [`Hello ${name},`, notices[notice], ...(more === null ? [] : [more]), where],
      link: { label: 'See how you sign in', url: `${siteOf(mail.baseUrl).url}/account` },
      after: ['If this was not you, set a new password at once, and tell the operator of this server.'],
    },
  })
}
