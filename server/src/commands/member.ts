import type { Command } from 'commander'
import { listMembers, type ListedMember } from '../members/member-store.ts'
import type { Config } from '../config/config.ts'
import { type MailQueue, mailQueue } from '../mail/mail-store.ts'
import { forgetSecondFactors } from '../sign-in/forget-second-factors.ts'
import { makeResetLink } from '../sign-in/reset-password.ts'
import { resetLinkUrl } from '../platform/site.ts'
import type { Database } from '../platform/database.ts'
import { parseEmail } from '../platform/email-address.ts'
import { openSecrets } from '../secrets/open-secrets.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { escapeControlCharacters, table } from './output.ts'
import { chooseWorkspace, withDatabase, workspaceOption } from './session.ts'

/** `postrider member …` */
export function addMemberCommands(program: Command, { config, output }: CommandLine): void {
  const member = program.command('member').description('people, and how they get back in')

  member
    .command('list')
    .description('list the members of a workspace')
    .addOption(workspaceOption())
    .action(async (options: { workspace?: string }, command: Command) => {
      const members = await withDatabase(await config(), async ({ db }) =>
        listMembers(db, (await chooseWorkspace(db, options.workspace)).workspaceId),
      )
      output(command).answer(members, memberTable(members))
    })

  member
    .command('reset')
    .description('make a link with which a person sets a new password')
    .argument('<e-mail address>', 'whose')
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
            throw new CommandFault(`Nobody has the e-mail address "${escapeControlCharacters(typed)}".`)
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
        `${link.url}\n\nWhoever opens this sets the password of ${link.email}. It works once, for 24 hours.`,
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

function memberTable(members: readonly ListedMember[]): string {
  const rows = members.map(({ memberId, name, email, role, keys }) => [
    memberId,
    escapeControlCharacters(name),
    escapeControlCharacters(email),
    role,
    String(keys),
  ])
  return table(['MEMBER', 'NAME', 'E-MAIL', 'ROLE', 'KEYS'], rows)
}
