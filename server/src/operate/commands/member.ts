import type { Command } from 'commander'
import type { Config } from '../../platform/config/config.ts'
import { type MailQueue, mailQueue } from '../../people/mail/mail-store.ts'
import { forgetSecondFactors } from '../../people/sign-in/second-factor/forget-second-factors.ts'
import { makeResetLink } from '../../people/sign-in/password/reset-password.ts'
import { resetLinkUrl } from '../../platform/outbound/site.ts'
import type { Database } from '../../platform/embedded-postgres/database.ts'
import { parseEmail } from '../../platform/text/email-address.ts'
import { openSecrets } from '../secrets/open-secrets.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { escapeControlCharacters } from './output.ts'
import { withDatabase } from './session.ts'

/** `postrider member …` */
export function addMemberCommands(program: Command, commandLine: CommandLine): void {
  const { config, output } = commandLine
  const member = program.command('member').description('reset passwords; `member list` uses the API')

  member
    .command('reset')
    .description('create a link to set a new password')
    .argument('<email address>', 'whose')
    .option(
      '--second-factor',
      'also forget their authenticator app, recovery codes and passkeys, and end their sessions',
      false,
    )
    .action(async (typed: string, options: { secondFactor: boolean }, command: Command) => {
      const settings = await config()
      const link = await withDatabase(settings, async (database) => {
        const mail = options.secondFactor ? await mailOf(settings, database) : null
        return database.db.begin(async (tx) => {
          const email = parseEmail(typed)
          const made = email === null ? null : await makeResetLink(tx, email, { byMail: false })
          if (made === null)
            throw new CommandFault(`No person has the e-mail address "${escapeControlCharacters(typed)}".`)
          const forgotten = options.secondFactor ? await forgetSecondFactors(tx, mail, made) : {}
          await recordOperator(tx, null, 'resetLink', {
            subject: { personId: made.personId },
            after: { secondFactorForgotten: options.secondFactor, ...forgotten },
          })
          return { email: made.email, url: resetLinkUrl(settings.http.baseUrl, made.secret) }
        })
      })
      output(command).answer(
        link,
        `${link.url}\n\nThe person who opens this link sets the password of ${link.email}. It works once, for 24 hours.`,
      )
    })
}

/** Takes mail in that a running server sends; null where no mail is configured. */
async function mailOf(
  { mail, secretKeys, http }: Config,
  { db, dataDir }: Database,
): Promise<MailQueue | null> {
  if (mail === null) return null
  const { keyring } = await openSecrets(db, { secretKeys, dataDir })
  return mailQueue(keyring, http.baseUrl)
}
