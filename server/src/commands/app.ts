import type { Command } from 'commander'
import { type ConnectedApp, listGrants, revokeGrant } from '../oauth/grant-store.ts'
import { parseId } from './arguments.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { instantCell, table } from './output.ts'
import { chooseWorkspace, withDatabase, workspaceOption } from './session.ts'

type InWorkspace = { workspace?: string }

/** `postrider app …` */
export function addAppCommands(program: Command, { config, output }: CommandLine): void {
  const app = program.command('app').description('apps that were let in with OAuth')

  app
    .command('list')
    .description('list the connected apps of a workspace')
    .addOption(workspaceOption())
    .action(async (options: InWorkspace, command: Command) => {
      const apps = await withDatabase(await config(), async ({ db }) =>
        listGrants(db, (await chooseWorkspace(db, options.workspace)).workspaceId),
      )
      output(command).answer(
        apps,
        apps.length === 0 ? 'No app is connected to the workspace.' : appTable(apps),
      )
    })

  app
    .command('revoke')
    .description('cut a connected app off at once')
    .argument('<grantId>', 'as `app list` shows it')
    .addOption(workspaceOption())
    .action(async (grantId: string, options: InWorkspace, command: Command) => {
      const id = parseId('grantId', grantId)
      const revoked = await withDatabase(await config(), async ({ db }) =>
        revokeGrant(db, (await chooseWorkspace(db, options.workspace)).workspaceId, id),
      )
      if (revoked === null)
        throw new CommandFault(`There is no app ${id} here. \`postrider app list\` shows them.`)
      output(command).answer(
        { grantId: id, ...revoked },
        `"${revoked.clientName}" is cut off: requests with its tokens are refused from now on.`,
      )
    })
}

function appTable(apps: readonly ConnectedApp[]): string {
  const rows = apps.map((app) => [
    app.grantId,
    app.clientName,
    app.clientOrigin,
    app.revokedAt === null ? 'connected' : 'revoked',
    instantCell(app.lastUsedAt, 'never'),
    app.permissions.join(','),
  ])
  return table(['APP', 'NAME', 'ACCESS GOES TO', 'STANDING', 'LAST USED', 'PERMISSIONS'], rows)
}
