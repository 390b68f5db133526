import type { MailQueue } from '../mail/mail-store.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import type { EmailAddress } from '../../platform/text/email-address.ts'
import type { ClientInfo } from './session/session-store.ts'
import { siteOf } from '../../platform/outbound/site.ts'
import { languageOf } from '../members/person-store.ts'
import { type Words, words } from './words.ts'

type Notice = keyof Words['notices']

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
  const where = () =>
    by === 'operator' ? words.byOperator : words.byClient(by.address, by.userAgent ?? words.unknownProgram)
  await mail?.enqueue(sql, {
    kind: 'notice',
    to: email,
    hours: HOURS,
    language: await languageOf(sql, email),
    message: () => ({
      subject: words.notices[notice].replace(/\.$|\. .*/, ''),
      paragraphs: [words.hello(name), words.notices[notice], ...(more === null ? [] : [more]), where()],
      link: { label: words.seeAccount, url: `${siteOf(mail.baseUrl).url}/account` },
      after: [words.notYou],
    }),
  })
}
