import type { Command } from 'commander'
import {
  createWorkspace,
  listWorkspaces,
  lockWorkspace,
  updateWorkspace,
  type Workspace,
} from '../members/workspace-store.ts'
import type { Tx } from '../platform/db.ts'
import { type EmailAddress, parseEmail } from '../platform/email-address.ts'
import { parseHours, parseTimeZone } from './arguments.ts'
import { UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { APPROVAL_HELP, describePolicy, parsePolicy } from './limit-options.ts'
import { recordOperator } from './operator.ts'
import { type Columns, instantCell, table } from './output.ts'
import { inWorkspace, withDatabase } from './session.ts'

type CreateOptions = {
  name: string
  ownerName: string
  ownerEmail: string
  timeZone: string
  allowedHours: string
}

type UpdateOptions = { name?: string; allowedHours?: string; timeZone?: string; approval?: string }

/** `postrider workspace …` */
export function addWorkspaceCommands(program: Command, line: CommandLine): void {
  const workspace = program.command('workspace').description('workspaces and their owners')
  addCreate(workspace, line)
  addUpdate(workspace, line)
  addList(workspace, line)
}

function addCreate(workspace: Command, { config, output }: CommandLine): void {
  workspace
    .command('create')
    .description('create a workspace and its owner')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--owner-name <name>', 'who owns it')
    .requiredOption('--owner-email <address>', 'how the owner is reached')
    .option('--time-zone <zone>', 'IANA name, such as Europe/Vienna', 'UTC')
    .option('--allowed-hours <hours>', 'how long after its time a post may still go out', '24')
    .action(async (options: CreateOptions, command: Command) => {
      const wanted = {
        name: named('--name', options.name),
        timeZone: parseTimeZone(options.timeZone),
        allowedHours: parseHours('--allowed-hours', options.allowedHours),
        owner: { name: named('--owner-name', options.ownerName), email: emailIn(options.ownerEmail) },
      }
      const create = async (tx: Tx) => {
        const made = await createWorkspace(tx, wanted)
        await recordOperator(tx, made.workspaceId, 'createWorkspace', { after: wanted })
        return made
      }
      const { workspaceId } = await withDatabase(await config(), ({ db }) => db.begin(create), {
        creates: true,
      })
      output(command).answer(
        { workspaceId, name: wanted.name, timeZone: wanted.timeZone, allowedHours: wanted.allowedHours },
        `Created the workspace "${wanted.name}" (${workspaceId}).\n` +
          `Next: postrider key create --workspace ${workspaceId} --name my-agent`,
      )
    })
}

function addUpdate(workspace: Command, { config, output }: CommandLine): void {
  workspace
    .command('update')
    .description("change a workspace's name, time zone, publishing deadline or approval policy")
    .argument('[id or name]', 'not needed when there is only one')
    .option('--name <name>', 'what it is called from now on')
    .option(
      '--allowed-hours <hours>',
      'how long after its time a post may still go out, if it gets its time from now on',
    )
    .option('--time-zone <zone>', 'IANA name, such as Europe/Vienna')
    .option('--approval <policy>', APPROVAL_HELP)
    .action(async (which: string | undefined, options: UpdateOptions, command: Command) => {
      const wanted = {
        ...(options.name === undefined ? {} : { name: named('--name', options.name) }),
        ...(options.allowedHours === undefined
          ? {}
          : { allowedHours: parseHours('--allowed-hours', options.allowedHours) }),
        ...(options.timeZone === undefined ? {} : { timeZone: parseTimeZone(options.timeZone) }),
        ...(options.approval === undefined
          ? {}
          : { approvalPolicy: parsePolicy('--approval', options.approval) }),
      }
      if (Object.keys(wanted).length === 0) {
        throw new UsageError('Give --name, --time-zone, --allowed-hours or --approval.')
      }
      const where = which === undefined ? {} : { workspace: which }
      const { workspaceId, name } = await inWorkspace(config, where, async ({ db, workspace: chosen }) => {
        await db.begin(async (tx) => {
          const before = (await lockWorkspace(tx, chosen.workspaceId)) ?? chosen
          await updateWorkspace(tx, chosen.workspaceId, wanted)
          const names = Object.keys(wanted) as (keyof typeof wanted)[]
          await recordOperator(tx, chosen.workspaceId, 'updateWorkspace', {
            before: Object.fromEntries(names.map((name) => [name, before[name]])),
            after: wanted,
          })
        })
        return chosen
      })
      output(command).answer({ workspaceId, ...wanted }, `The workspace "${wanted.name ?? name}" is changed.`)
    })
}

function addList(workspace: Command, { config, output }: CommandLine): void {
  workspace
    .command('list')
    .description('list all workspaces')
    .action(async (_options: object, command: Command) => {
      const workspaces = await withDatabase(await config(), ({ db }) => listWorkspaces(db))
      output(command).answer(
        workspaces,
        workspaces.length === 0 ? 'There is no workspace yet.' : table(columns, workspaces),
      )
    })
}

const columns: Columns<Workspace> = {
  WORKSPACE: ({ workspaceId }) => workspaceId,
  NAME: ({ name }) => name,
  'TIME ZONE': ({ timeZone }) => timeZone,
  'WAITS FOR APPROVAL': ({ approvalPolicy }) => describePolicy(approvalPolicy),
  CREATED: ({ createdAt }) => instantCell(createdAt, ''),
}

function named(option: string, text: string): string {
  const name = text.trim()
  if (name === '') throw new UsageError(`${option} must not be empty.`)
  return name
}

function emailIn(text: string): EmailAddress {
  const email = parseEmail(text)
  if (email !== null) return email
  throw new UsageError(`--owner-email must be an e-mail address, and "${text}" is not.`)
}
