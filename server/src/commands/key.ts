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
import { recordOperator } from './operator.ts'
import { instantCell, table } from './output.ts'
import { chooseWorkspace, ownerOf, withDatabase, workspaceOption } from './session.ts'

type InWorkspace = { workspace?: string }
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
    const made = await withDatabase(await config(), async ({ db }) => {
      const workspace = await chooseWorkspace(db, options.workspace)
      const { memberId } = await ownerOf(db, workspace)
      const { workspaceId } = workspace
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

  key
    .command('list')
    .description('list the agent keys of a workspace')
    .addOption(workspaceOption())
    .action(async (options: InWorkspace, command: Command) => {
      const keys = await withDatabase(await config(), async ({ db }) =>
        listKeys(db, (await chooseWorkspace(db, options.workspace)).workspaceId),
      )
      output(command).answer(
        keys,
        keys.length === 0 ? 'The workspace has no agent key.' : keyTable(keys, new Date()),
      )
    })

  addCredentialCommands(key, agentKey, commandLine)
}

function keyTable(keys: readonly AgentKey[], now: Date): string {
  const rows = keys.map((key) => [
    key.keyId,
    key.name,
    key.hint,
    standingOf(key, now),
    instantCell(key.lastUsedAt, 'never'),
    String(key.permissions) === String(presetPermissions) ? 'all' : key.permissions.join(','),
    describeLimits(key.limits),
  ])
  return table(['KEY', 'NAME', 'BEGINS WITH', 'STANDING', 'LAST USED', 'PERMISSIONS', 'LIMITS'], rows)
}

function standingOf({ revokedAt, suspendedAt, expiresAt }: AgentKey, now: Date): string {
  if (suspendedAt !== null) return 'suspended since a restore'
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'valid'
  return expiresAt > now ? `valid until ${instantCell(expiresAt, '')}` : 'expired'
}
