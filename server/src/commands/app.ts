import type { Command } from 'commander'
import { type ConnectedApp, findGrant, limitGrant, listGrants, revokeGrant } from '../oauth/grant-store.ts'
import { stopApp, stopDetails, type Stopped } from '../stop-credential.ts'
import { parseId } from './arguments.ts'
import { CommandFault } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import {
  addLimitOptions,
  describeLimits,
  type LimitOptions,
  parseLimits,
  readLimitsOf,
} from './limit-options.ts'
import { OPERATOR, recordOperator } from './operator.ts'
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

  const limit = app
    .command('limit')
    .description('change what a connected app is limited to: what is left out limits nothing')
    .argument('<grantId>', 'as `app list` shows it')
    .addOption(workspaceOption())
  addLimitOptions(limit)
  limit.action(async (grantId: string, options: InWorkspace & LimitOptions, command: Command) => {
    const id = parseId('grantId', grantId)
    const sent = parseLimits(options)
    const limited = await withDatabase(await config(), async ({ db }) => {
      const { workspaceId } = await chooseWorkspace(db, options.workspace)
      return db.begin(async (tx) => {
        const limits = await readLimitsOf(tx, workspaceId, sent)
        const before = await findGrant(tx, workspaceId, id)
        if (before === null || !(await limitGrant(tx, workspaceId, id, limits)))
          throw new CommandFault(noSuchApp(id))
        await recordOperator(tx, workspaceId, 'limitApp', {
          subject: { grantId: id },
          before: { limits: before.limits },
          after: { limits },
        })
        return { grantId: id, clientName: before.clientName, limits }
      })
    })
    output(command).answer(limited, `"${limited.clientName}" is now ${describeLimits(limited.limits)}.`)
  })

  app
    .command('stop')
    .description('cut a connected app off, and cancel all that it planned and that has not begun to publish')
    .argument('<grantId>', 'as `app list` shows it')
    .addOption(workspaceOption())
    .action(async (grantId: string, options: InWorkspace, command: Command) => {
      const id = parseId('grantId', grantId)
      const stopped = await withDatabase(await config(), async ({ db }) => {
        const { workspaceId } = await chooseWorkspace(db, options.workspace)
        return db.begin(async (tx) => {
          const done = await stopApp(tx, workspaceId, id, OPERATOR)
          if (done === null) throw new CommandFault(noSuchApp(id))
          await recordOperator(tx, workspaceId, 'stopApp', { subject: { grantId: id }, ...stopDetails(done) })
          return done
        })
      })
      output(command).answer(
        { grantId: id, ...stopped },
        `"${stopped.name}" is cut off. ${describeStop(stopped)}`,
      )
    })

  app
    .command('revoke')
    .description('cut a connected app off at once')
    .argument('<grantId>', 'as `app list` shows it')
    .addOption(workspaceOption())
    .action(async (grantId: string, options: InWorkspace, command: Command) => {
      const id = parseId('grantId', grantId)
      const revoked = await withDatabase(await config(), async ({ db }) => {
        const { workspaceId } = await chooseWorkspace(db, options.workspace)
        return db.begin(async (tx) => {
          const ended = await revokeGrant(tx, workspaceId, id)
          if (ended === null) throw new CommandFault(noSuchApp(id))
          const after = { revokedAt: ended.revokedAt.toISOString() }
          await recordOperator(tx, workspaceId, 'revokeApp', { subject: { grantId: id }, after })
          return ended
        })
      })
      output(command).answer(
        { grantId: id, ...revoked },
        `"${revoked.clientName}" is cut off: requests with its tokens are refused from now on.`,
      )
    })
}

/** What became of the plans of a credential that was stopped. */
export function describeStop({ cancelled, underWay }: Stopped): string {
  const goesOn = underWay === 0 ? '' : ` ${underWay} had begun to publish, and go on.`
  return `What it had planned is cancelled: ${cancelled} in all.${goesOn}`
}

function noSuchApp(id: string): string {
  return `There is no app ${id} here. \`postrider app list\` shows them.`
}

function appTable(apps: readonly ConnectedApp[]): string {
  const rows = apps.map((app) => [
    app.grantId,
    app.clientName,
    app.clientOrigin,
    app.revokedAt === null ? 'connected' : 'revoked',
    instantCell(app.lastUsedAt, 'never'),
    app.permissions.join(','),
    describeLimits(app.limits),
  ])
  const headings = ['APP', 'NAME', 'ACCESS GOES TO', 'STANDING', 'LAST USED', 'PERMISSIONS', 'LIMITS']
  return table(headings, rows)
}
