import type { Command } from 'commander'
import { makeOwnerLink } from '../../people/sign-in/link/set-up-owner.ts'
import { ownerLinkUrl } from '../../platform/outbound/site.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { recordOperator } from './operator.ts'
import { inWorkspace, type InWorkspace, workspaceOption } from './session.ts'

/** `postrider owner …` */
export function addOwnerCommands(program: Command, { config, output }: CommandLine): void {
  const owner = program.command('owner').description('the first owner of a workspace')

  owner
    .command('link')
    .description('create a link to become the owner, if no owner can sign in')
    .addOption(workspaceOption())
    .action(async (options: InWorkspace, command: Command) => {
      const link = await inWorkspace(config, options, async ({ db, settings, workspace }) => {
        const { workspaceId, name } = workspace
        const secret = await db.begin(async (tx) => {
          const made = await makeOwnerLink(tx, workspaceId)
          if (made !== null) await recordOperator(tx, workspaceId, 'ownerLink')
          return made
        })
        if (secret === null) {
          throw new CommandFault(
            `The workspace "${name}" has an owner who can sign in. If the password is lost: postrider member reset <email address>. If the owner is suspended since a restore: postrider access list`,
          )
        }
        return { workspaceId, url: ownerLinkUrl(settings.http.baseUrl, secret) }
      })
      output(command).answer(
        link,
        `${link.url}\n\nThe person who opens this link becomes the owner. It works once, for 24 hours.`,
      )
    })
}
