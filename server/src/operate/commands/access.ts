import type { Command } from 'commander'
import { frozenWorkspaces } from '../../networks/channels/freeze-store.ts'
import { confirmKey, listSuspendedKeys, revokeKey, type SuspendedKey } from '../../people/keys/key-store.ts'
import {
  confirmMember,
  denyMember,
  findOwner,
  listSuspendedMembers,
  type SuspendedMember,
} from '../../people/members/member-store.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { parseId } from './arguments.ts'
import { CommandFault, UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { describeLimits } from './describe-limits.ts'
import { recordOperator } from './operator.ts'
import { counted, table } from './output.ts'
import { withDatabase } from './session.ts'

type Waiting = { readonly members: readonly SuspendedMember[]; readonly keys: readonly SuspendedKey[] }

/** `postrider access …` */
export function addAccessCommands(program: Command, commandLine: CommandLine): void {
  const { config, output } = commandLine
  const access = program
    .command('access')
    .description('members and agent keys suspended by a restore, in all workspaces')

  access
    .command('list')
    .description('list members and agent keys to confirm after a restore')
    .action(async (_options: object, command: Command) => {
      const waiting = await withDatabase(await config(), ({ db }) => readWaiting(db))
      const none = waiting.members.length + waiting.keys.length === 0
      output(command).answer(waiting, none ? 'Nothing waits to be confirmed.' : suspendedTable(waiting))
    })

  addVerdict(access, commandLine, {
    name: 'confirm',
    description: 'let members and agent keys continue that a restore suspended',
    act: 'confirmAccess',
    memberBy: confirmMember,
    keyBy: confirmKey,
    result: 'go on as in the backup',
  })
  addVerdict(access, commandLine, {
    name: 'deny',
    description: 'permanently exclude members and agent keys that a restore suspended',
    act: 'denyAccess',
    memberBy: denyMember,
    keyBy: revokeKey,
    result: 'stay removed and revoked',
  })
}

type Verdict = {
  readonly name: string
  readonly description: string
  /** As the audit log calls it. */
  readonly act: string
  readonly memberBy: (tx: Tx, workspaceId: string, memberId: string) => Promise<unknown>
  readonly keyBy: (tx: Tx, workspaceId: string, keyId: string) => Promise<unknown>
  readonly result: string
}

function addVerdict(
  access: Command,
  { config, output }: CommandLine,
  { name, description, act, memberBy, keyBy, result }: Verdict,
): void {
  access
    .command(name)
    .description(description)
    .argument('[id...]', 'as `access list` shows them')
    .option('--all', 'all of them', false)
    .action(async (given: string[], { all }: { all: boolean }, command: Command) => {
      if (all === given.length > 0) throw new UsageError('Give ids, or --all and none.')
      const ids = new Set(given.map((id) => parseId('id', id)))
      const done = await withDatabase(await config(), ({ db }) =>
        db.begin(async (tx) => {
          const waiting = await readWaiting(tx)
          const members = waiting.members.filter(({ memberId }) => all || ids.has(memberId))
          const keys = waiting.keys.filter(({ keyId }) => all || ids.has(keyId))
          const known = new Set([...members.map((one) => one.memberId), ...keys.map((one) => one.keyId)])
          const unknown = [...ids].filter((id) => !known.has(id))
          if (unknown.length > 0)
            throw new CommandFault(
              `Nothing with the id ${unknown.join(', ')} waits to be confirmed. \`postrider access list\` shows what does. Nothing was changed.`,
            )
          for (const { workspaceId, memberId } of members) await memberBy(tx, workspaceId, memberId)
          for (const { workspaceId, keyId } of keys) await keyBy(tx, workspaceId, keyId)
          for (const { workspaceId } of members)
            if ((await findOwner(tx, workspaceId)) === null)
              throw new CommandFault(
                'A workspace would have no owner any more. Confirm one first, who can make another the owner. Nothing was changed.',
              )
          if (known.size > 0) await recordOperator(tx, null, act, { after: { ids: [...known] } })
          return { members: members.length, keys: keys.length }
        }),
      )
      output(command).answer(
        done,
        `${counted(done.members, 'member')} and ${counted(done.keys, 'agent key')} ${result}.`,
      )
    })
}

export async function readWaiting(sql: Sql): Promise<Waiting> {
  // Those of a frozen workspace go on with it, where it is to go on.
  const frozen = await frozenWorkspaces(sql)
  const isHere = ({ workspaceId }: { readonly workspaceId: string }) => !frozen.has(workspaceId)
  return {
    members: (await listSuspendedMembers(sql)).filter(isHere),
    keys: (await listSuspendedKeys(sql)).filter(isHere),
  }
}

/** What waits, and what it may do when it is confirmed. */
export function suspendedTable({ members, keys }: Waiting): string {
  return table<SuspendedMember | SuspendedKey>(
    {
      ID: (one) => ('keyId' in one ? one.keyId : one.memberId),
      KIND: (one) => ('keyId' in one ? 'agent key' : 'member'),
      NAME: (one) => ('keyId' in one ? `${one.name} (${one.owner})` : `${one.name} <${one.email}>`),
      WORKSPACE: ({ workspaceName }) => workspaceName,
      MAY: (one) =>
        'keyId' in one ? `${one.permissions.join(',')}; ${describeLimits(one.limits)}` : one.role,
    },
    [...members, ...keys],
  )
}
