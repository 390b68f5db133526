import type { Command } from 'commander'
import { type ConnectedApp, findGrant, limitGrant, listGrants, revokeGrant } from '../apps/app-grant-store.ts'
import { stopApp } from '../stop-credential.ts'
import type { CommandLine } from './command-line.ts'
import { addCredentialCommands, type CredentialKind } from './credential-commands.ts'
import { describeLimits } from './limit-options.ts'
import { instantCell, table } from './output.ts'
import { chooseWorkspace, withDatabase, workspaceOption } from './session.ts'

const connectedApp: CredentialKind = {
  ...{ command: 'app', idName: 'grantId', nameAs: 'clientName', noun: 'a connected app' },
  words: {
    ...{ end: 'cut a connected app off', ended: 'cut off', refused: 'its tokens' },
    called: (name) => `"${name}"`,
  },
  actions: { limit: 'limitApp', stop: 'stopApp', revoke: 'revokeApp' },
  async find(tx, workspaceId, grantId) {
    const grant = await findGrant(tx, workspaceId, grantId)
    return grant === null ? null : { name: grant.clientName, limits: grant.limits }
  },
  limit: limitGrant,
  stop: stopApp,
  async revoke(tx, workspaceId, grantId) {
    const revoked = await revokeGrant(tx, workspaceId, grantId)
    return revoked === null ? null : { name: revoked.clientName, revokedAt: revoked.revokedAt }
  },
}

/** `postrider app …` */
export function addAppCommands(program: Command, commandLine: CommandLine): void {
  const { config, output } = commandLine
  const app = program.command('app').description('apps connected with OAuth')

  app
    .command('list')
    .description('list the connected apps of a workspace')
    .addOption(workspaceOption())
    .action(async (options: { workspace?: string }, command: Command) => {
      const apps = await withDatabase(await config(), async ({ db }) =>
        listGrants(db, (await chooseWorkspace(db, options.workspace)).workspaceId),
      )
      output(command).answer(
        apps,
        apps.length === 0 ? 'No app is connected to the workspace.' : appTable(apps, new Date()),
      )
    })

  addCredentialCommands(app, connectedApp, commandLine)
}

function appTable(apps: readonly ConnectedApp[], now: Date): string {
  const rows = apps.map((app) => [
    app.grantId,
    app.clientName,
    app.clientOrigin,
    standingOf(app, now),
    instantCell(app.lastUsedAt, 'never'),
    app.permissions.join(','),
    describeLimits(app.limits),
  ])
  const headings = ['APP', 'NAME', 'ACCESS GOES TO', 'STANDING', 'LAST USED', 'PERMISSIONS', 'LIMITS']
  return table(headings, rows)
}

function standingOf({ revokedAt, expiresAt }: ConnectedApp, now: Date): string {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'connected'
  return expiresAt > now ? `connected until ${instantCell(expiresAt, '')}` : 'expired'
}
