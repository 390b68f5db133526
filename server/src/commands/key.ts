import { permissionNames } from '@postrider/contract'
import type { Command } from 'commander'
import { createKey, listKeys, revokeKey, type AgentKey } from '../identity/key-store.ts'
import { parseExpiry, parseId, parsePermissions } from './arguments.ts'
import { CommandFault, WrongUsage } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { instantCell, table } from './output.ts'
import { chooseWorkspace, ownerOf, withDatabase, workspaceOption } from './session.ts'

type InWorkspace = { workspace?: string }
type CreateOptions = InWorkspace & { name: string; permissions: string; expires?: string }

/** `postrider key …` */
export function addKeyCommands(program: Command, { config, output }: CommandLine): void {
  const key = program.command('key').description('agent keys')

  key
    .command('create')
    .description('create an agent key, which is shown this once')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(workspaceOption())
    .option('--permissions <list>', `"all", or some of ${permissionNames.join(',')}`, 'all')
    .option('--expires <when>', 'a time from now (30d, 12h) or an instant; never when left out')
    .action(async (options: CreateOptions, command: Command) => {
      const name = options.name.trim()
      if (name === '') throw new WrongUsage('--name must not be empty.')
      const permissions = parsePermissions(options.permissions)
      const expiresAt = options.expires === undefined ? null : parseExpiry(options.expires, new Date())
      const made = await withDatabase(await config(), async ({ db }) => {
        const workspace = await chooseWorkspace(db, options.workspace)
        const { memberId } = await ownerOf(db, workspace)
        const created = await createKey(db, workspace.workspaceId, { memberId, name, permissions, expiresAt })
        return { ...created, workspaceId: workspace.workspaceId, name, permissions, expiresAt }
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

  key
    .command('revoke')
    .description('end an agent key at once')
    .argument('<keyId>', 'as `key list` shows it')
    .addOption(workspaceOption())
    .action(async (keyId: string, options: InWorkspace, command: Command) => {
      const id = parseId('keyId', keyId)
      const revoked = await withDatabase(await config(), async ({ db }) =>
        revokeKey(db, (await chooseWorkspace(db, options.workspace)).workspaceId, id),
      )
      if (revoked === null)
        throw new CommandFault(`There is no key ${id} here. \`postrider key list\` shows them.`)
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
  ])
  return table(['KEY', 'NAME', 'BEGINS WITH', 'STANDING', 'LAST USED', 'PERMISSIONS'], rows)
}

function standingOf({ revokedAt, expiresAt }: AgentKey, now: Date): string {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'valid'
  return expiresAt > now ? `valid until ${instantCell(expiresAt, '')}` : 'expired'
}
