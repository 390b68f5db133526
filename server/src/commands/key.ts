import { permissionNames } from '@postrider/contract'
import type { Command } from 'commander'
import { createKey, findKey, limitKey, listKeys, revokeKey, type AgentKey } from '../identity/key-store.ts'
import { parseExpiry, parseId, parsePermissions } from './arguments.ts'
import { CommandFault, UsageError } from './command-fault.ts'
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
import { stopDetails, stopKey } from '../stop-credential.ts'
import { describeStop } from './app.ts'
import { chooseWorkspace, ownerOf, withDatabase, workspaceOption } from './session.ts'

type InWorkspace = { workspace?: string }
type CreateOptions = InWorkspace & LimitOptions & { name: string; permissions: string; expires?: string }

/** `postrider key …` */
export function addKeyCommands(program: Command, { config, output }: CommandLine): void {
  const key = program.command('key').description('agent keys')

  const create = key
    .command('create')
    .description('create an agent key, which is shown this once')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(workspaceOption())
    .option('--permissions <list>', `"all", or some of ${permissionNames.join(',')}`, 'all')
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

  const limit = key
    .command('limit')
    .description('change what an agent key is limited to: what is left out limits nothing')
    .argument('<keyId>', 'as `key list` shows it')
    .addOption(workspaceOption())
  addLimitOptions(limit)
  limit.action(async (keyId: string, options: InWorkspace & LimitOptions, command: Command) => {
    const id = parseId('keyId', keyId)
    const sent = parseLimits(options)
    const limited = await withDatabase(await config(), async ({ db }) => {
      const { workspaceId } = await chooseWorkspace(db, options.workspace)
      return db.begin(async (tx) => {
        const limits = await readLimitsOf(tx, workspaceId, sent)
        const before = await findKey(tx, workspaceId, id)
        if (before === null || !(await limitKey(tx, workspaceId, id, limits)))
          throw new CommandFault(noSuchKey(id))
        await recordOperator(tx, workspaceId, 'limitKey', {
          subject: { keyId: id },
          before: { limits: before.limits },
          after: { limits },
        })
        return { keyId: id, name: before.name, limits }
      })
    })
    output(command).answer(limited, `The key "${limited.name}" is now ${describeLimits(limited.limits)}.`)
  })

  key
    .command('stop')
    .description('end an agent key, and cancel all that it planned and that has not begun to publish')
    .argument('<keyId>', 'as `key list` shows it')
    .addOption(workspaceOption())
    .action(async (keyId: string, options: InWorkspace, command: Command) => {
      const id = parseId('keyId', keyId)
      const stopped = await withDatabase(await config(), async ({ db }) => {
        const { workspaceId } = await chooseWorkspace(db, options.workspace)
        return db.begin(async (tx) => {
          const done = await stopKey(tx, workspaceId, id, OPERATOR)
          if (done === null) throw new CommandFault(noSuchKey(id))
          await recordOperator(tx, workspaceId, 'stopKey', { subject: { keyId: id }, ...stopDetails(done) })
          return done
        })
      })
      output(command).answer(
        { keyId: id, ...stopped },
        `The key "${stopped.name}" is revoked. ${describeStop(stopped)}`,
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

  key
    .command('revoke')
    .description('end an agent key at once')
    .argument('<keyId>', 'as `key list` shows it')
    .addOption(workspaceOption())
    .action(async (keyId: string, options: InWorkspace, command: Command) => {
      const id = parseId('keyId', keyId)
      const revoked = await withDatabase(await config(), async ({ db }) => {
        const { workspaceId } = await chooseWorkspace(db, options.workspace)
        return db.begin(async (tx) => {
          const ended = await revokeKey(tx, workspaceId, id)
          if (ended === null) throw new CommandFault(noSuchKey(id))
          const after = { revokedAt: ended.revokedAt.toISOString() }
          await recordOperator(tx, workspaceId, 'revokeKey', { subject: { keyId: id }, after })
          return ended
        })
      })
      output(command).answer(
        { keyId: id, ...revoked },
        `The key "${revoked.name}" is revoked: requests with it are refused from now on.`,
      )
    })
}

function keyTable(keys: readonly AgentKey[], now: Date): string {
  const rows = keys.map((key) => [
    key.keyId,
    key.name,
    key.hint,
    standingOf(key, now),
    instantCell(key.lastUsedAt, 'never'),
    key.permissions.length === permissionNames.length ? 'all' : key.permissions.join(','),
    describeLimits(key.limits),
  ])
  return table(['KEY', 'NAME', 'BEGINS WITH', 'STANDING', 'LAST USED', 'PERMISSIONS', 'LIMITS'], rows)
}

function noSuchKey(id: string): string {
  return `There is no key ${id} here. \`postrider key list\` shows them.`
}

function standingOf({ revokedAt, expiresAt }: AgentKey, now: Date): string {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'valid'
  return expiresAt > now ? `valid until ${instantCell(expiresAt, '')}` : 'expired'
}
