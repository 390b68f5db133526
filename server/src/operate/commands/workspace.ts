import type { Command } from 'commander'
import { createWorkspace, listWorkspaces, type Workspace } from '../../people/members/workspace-store.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { type EmailAddress, parseEmail } from '../../platform/text/email-address.ts'
import { faultOfLine } from '../../platform/outbound/line-fault.ts'
import { cellOf } from '../../content/imports/csv-cells.ts'
import { readUsage } from '../monitoring/usage-store.ts'
import { parseHours, parseTime, parseTimeZone } from './arguments.ts'
import { UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { describePolicy } from './describe-limits.ts'
import { addMoveCommands } from './move-workspace.ts'
import { recordOperator } from './operator.ts'
import { type Columns, instantCell, table } from './output.ts'
import { withDatabase } from './session.ts'

type CreateOptions = {
  name: string
  ownerName: string
  ownerEmail: string
  timeZone: string
  allowedHours: string
}

/** `postrider workspace …` */
export function addWorkspaceCommands(program: Command, line: CommandLine): void {
  const workspace = program
    .command('workspace')
    .description('workspaces and their owners; `workspace update` uses the API')
  addCreate(workspace, line)
  addList(workspace, line)
  addUsage(workspace, line)
  addMoveCommands(workspace, line)
}

function addCreate(workspace: Command, { config, output }: CommandLine): void {
  workspace
    .command('create')
    .description('create a workspace and its owner')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--owner-name <name>', 'who owns it')
    .requiredOption('--owner-email <address>', 'how the owner is reached')
    .option('--time-zone <zone>', 'IANA name, such as Europe/Vienna', 'UTC')
    .option('--allowed-hours <hours>', 'publishing deadline: how late a post can still be published', '24')
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

function addUsage(workspace: Command, { config, output }: CommandLine): void {
  workspace
    .command('usage')
    .description('print what each workspace used in a time, as CSV: posts, publishing calls, bytes')
    .requiredOption('--from <time>', 'from this time, such as 2026-11-01T00:00Z')
    .requiredOption('--to <time>', 'until before this time, such as 2026-12-01T00:00Z')
    .action(async (options: { from: string; to: string }, command: Command) => {
      const range = { from: parseTime('--from', options.from), to: parseTime('--to', options.to) }
      if (range.to <= range.from) throw new UsageError('--to must be later than --from.')
      const rows = await withDatabase(await config(), ({ db }) => readUsage(db, range))
      const lines = rows.map(({ workspaceId, name, posts, calls, uploadedBytes, storedBytes }) =>
        [workspaceId, cellOf(name), posts, calls, uploadedBytes, storedBytes].join(','),
      )
      const heading = 'workspaceId,name,posts,calls,uploadedBytes,storedBytes'
      output(command).answer(rows, [heading, ...lines].join('\n'))
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
  const fault = faultOfLine(option, name)
  if (fault !== null) throw new UsageError(fault)
  return name
}

function emailIn(text: string): EmailAddress {
  const email = parseEmail(text)
  if (email !== null) return email
  throw new UsageError(`--owner-email must be an e-mail address, and "${text}" is not.`)
}
