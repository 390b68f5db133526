import { permissionNames, presetPermissions } from '@postrider/contract/names'
import type { Command } from 'commander'
import { createKey, findKey, limitKey, listKeys, revokeKey, type AgentKey } from '../keys/key-store.ts'
import { holdMembership } from '../members/member-store.ts'
import { stopKey } from '../stop-credential.ts'
import { parseExpiry, parsePermissions } from './arguments.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { addCredentialCommands, type CredentialKind } from './credential-commands.ts'
import {
  addLimitOptions,
  describeLimits,
  type LimitOptions,
  parseLimits,
  readLimitsOf,
} from './limit-options.ts'
import { addListCommand } from './list-command.ts'
import { recordOperator } from './operator.ts'
import { type Columns, instantCell } from './output.ts'
import { inWorkspace, type InWorkspace, ownerOf, workspaceOption } from './session.ts'

type CreateOptions = InWorkspace & LimitOptions & { name: string; permissions: string; expires?: string }

const agentKey: CredentialKind = {
  ...{ command: 'key', idName: 'keyId', nameAs: 'name', noun: 'an agent key' },
  words: {
    ...{ end: 'end an agent key', ended: 'revoked', refused: 'it' },
    called: (name) => `The key "${name}"`,
  },
  actions: { limit: 'limitKey', stop: 'stopKey', revoke: 'revokeKey' },
  ...{ find: findKey, limit: limitKey, stop: stopKey, revoke: revokeKey },
}

/** `postrider key …` */
export function addKeyCommands(program: Command, commandLine: CommandLine): void {
  const { config, output } = commandLine
  const key = program.command('key').description('agent keys')

  const create = key
    .command('create')
    .description('create an agent key, which is shown only once')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(workspaceOption())
    .option(
      '--permissions <list>',
      `"all" (without webhooks:write), or some of ${permissionNames.join(',')}`,
      'all',
    )
    .option('--expires <when>', 'a time from now (30d, 12h) or an instant; never when left out')
  addLimitOptions(create)
  create.action(async (options: CreateOptions, command: Command) => {
    const name = options.name.trim()
    if (name === '') throw new UsageError('--name must not be empty.')
    const permissions = parsePermissions(options.permissions)
    const expiresAt = options.expires === undefined ? null : parseExpiry(options.expires, new Date())
    const sent = parseLimits(options)
    const made = await inWorkspace(config, options, async ({ db, workspace, workspaceId }) => {
      const { memberId } = await ownerOf(db, workspace)
      return db.begin(async (tx) => {
        if ((await holdMembership(tx, workspaceId, memberId)) === null)
          throw new CommandFault(
            'The owner is suspended since a restore, and a key in their name would not work. Run `postrider access confirm` first; `postrider access list` shows the id.',
          )
        const limits = await readLimitsOf(tx, workspaceId, sent)
        const wanted = { name, permissions, expiresAt, limits }
        const created = await createKey(tx, workspaceId, { memberId, ...wanted })
        await recordOperator(tx, workspaceId, 'createKey', {
          subject: { keyId: created.keyId },
          after: { ...wanted, expiresAt: expiresAt?.toISOString() ?? null },
        })
        return { ...created, workspaceId, ...wanted }
      })
    })
    output(command).answer(
      made,
      `${made.key}\n\nThis is the key "${name}" (${made.keyId}). It is not shown again: keep it in a secret store.\n` +
        `To end it: postrider key revoke ${made.keyId}`,
    )
  })

  addListCommand(key, commandLine, {
    description: 'list the agent keys of a workspace',
    ...{ read: listKeys, columns, none: 'The workspace has no agent key.' },
  })
  addCredentialCommands(key, agentKey, commandLine)
}

const columns: Columns<AgentKey> = {
  KEY: ({ keyId }) => keyId,
  NAME: ({ name }) => name,
  'BEGINS WITH': ({ hint }) => hint,
  STANDING: (key) => standingOf(key),
  'LAST USED': ({ lastUsedAt }) => instantCell(lastUsedAt, 'never'),
  PERMISSIONS: ({ permissions }) =>
    String(permissions) === String(presetPermissions) ? 'all' : permissions.join(','),
  LIMITS: ({ limits }) => describeLimits(limits),
}

function standingOf({ revokedAt, suspendedAt, expiresAt }: AgentKey): string {
  if (suspendedAt !== null) return 'suspended since a restore'
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'valid'
  return expiresAt > new Date() ? `valid until ${instantCell(expiresAt, '')}` : 'expired'
}
