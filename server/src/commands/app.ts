import type { Command } from 'commander'
import { type ConnectedApp, findGrant, limitGrant, listGrants, revokeGrant } from '../apps/app-grant-store.ts'
import { stopApp } from '../stop-credential.ts'
import type { CommandLine } from './command-line.ts'
import { addCredentialCommands, type CredentialKind } from './credential-commands.ts'
import { describeLimits } from './limit-options.ts'
import { addListCommand } from './list-command.ts'
import { type Columns, instantCell } from './output.ts'

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
  const app = program.command('app').description('apps connected with OAuth')
  addListCommand(app, commandLine, {
    description: 'list the connected apps of a workspace',
    ...{ read: listGrants, columns, none: 'No app is connected to the workspace.' },
  })
  addCredentialCommands(app, connectedApp, commandLine)
}

const columns: Columns<ConnectedApp> = {
  APP: ({ grantId }) => grantId,
  NAME: ({ clientName }) => clientName,
  'ACCESS GOES TO': ({ clientOrigin }) => clientOrigin,
  STANDING: (app) => standingOf(app),
  'LAST USED': ({ lastUsedAt }) => instantCell(lastUsedAt, 'never'),
  PERMISSIONS: ({ permissions }) => permissions.join(','),
  LIMITS: ({ limits }) => describeLimits(limits),
}

function standingOf({ revokedAt, expiresAt }: ConnectedApp): string {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'connected'
  return expiresAt > new Date() ? `connected until ${instantCell(expiresAt, '')}` : 'expired'
}
