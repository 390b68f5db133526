import type { Command } from 'commander'
import { createWorkspace, listWorkspaces, updateWorkspace } from '../identity/workspace-store.ts'
import { parseHours, parseTimeZone } from './arguments.ts'
import { UsageError } from './command-fault.ts'
import type { CommandLine } from './command-line.ts'
import { instantCell, table } from './output.ts'
import { chooseWorkspace, withDatabase } from './session.ts'

type CreateOptions = {
  name: string
  ownerName: string
  ownerEmail: string
  timeZone: string
  allowedHours?: string
}

type UpdateOptions = { name?: string; allowedHours?: string }

/** `postrider workspace …` */
export function addWorkspaceCommands(program: Command, { config, output }: CommandLine): void {
  const workspace = program.command('workspace').description('workspaces and their owners')

  workspace
    .command('create')
    .description('create a workspace and its owner')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--owner-name <name>', 'who owns it')
    .requiredOption('--owner-email <address>', 'how the owner is reached')
    .option('--time-zone <zone>', 'IANA name, such as Europe/Vienna', 'UTC')
    .option(
      '--allowed-hours <hours>',
      'how long after its time a post may still go out (default: ALLOWED_TIME_HOURS, or 24)',
    )
    .action(async (options: CreateOptions, command: Command) => {
      const settings = await config()
      const { allowedHours } = options
      const wanted = {
        name: named('--name', options.name),
        timeZone: parseTimeZone(options.timeZone),
        allowedHours:
          allowedHours === undefined
            ? settings.publishing.allowedTimeHours
            : parseHours('--allowed-hours', allowedHours),
        owner: { name: named('--owner-name', options.ownerName), email: emailIn(options.ownerEmail) },
      }
      const { workspaceId } = await withDatabase(settings, ({ db }) => createWorkspace(db, wanted), {
        creates: true,
      })
      output(command).answer(
        { workspaceId, name: wanted.name, timeZone: wanted.timeZone, allowedHours: wanted.allowedHours },
        `Created the workspace "${wanted.name}" (${workspaceId}).\n` +
          `Next: postrider key create --workspace ${workspaceId} --name my-agent`,
      )
    })

  workspace
    .command('update')
    .description('give a workspace another name or allowed time')
    .argument('[id or name]', 'not needed when there is only one')
    .option('--name <name>', 'what it is called from now on')
    .option(
      '--allowed-hours <hours>',
      'how long after its time a post may still go out, if it gets its time from now on',
    )
    .action(async (which: string | undefined, options: UpdateOptions, command: Command) => {
      const wanted = {
        ...(options.name === undefined ? {} : { name: named('--name', options.name) }),
        ...(options.allowedHours === undefined
          ? {}
          : { allowedHours: parseHours('--allowed-hours', options.allowedHours) }),
      }
      if (Object.keys(wanted).length === 0) throw new UsageError('Give --name or --allowed-hours.')
      const { workspaceId, name } = await withDatabase(await config(), async ({ db }) => {
        const chosen = await chooseWorkspace(db, which)
        await updateWorkspace(db, chosen.workspaceId, wanted)
        return chosen
      })
      output(command).answer({ workspaceId, ...wanted }, `The workspace "${wanted.name ?? name}" is changed.`)
    })

  workspace
    .command('list')
    .description('list all workspaces')
    .action(async (_options: object, command: Command) => {
      const workspaces = await withDatabase(await config(), ({ db }) => listWorkspaces(db))
      const rows = workspaces.map(({ workspaceId, name, timeZone, createdAt }) => [
        workspaceId,
        name,
        timeZone,
        instantCell(createdAt, ''),
      ])
      output(command).answer(
        workspaces,
        rows.length === 0
          ? 'There is no workspace yet.'
          : table(['WORKSPACE', 'NAME', 'TIME ZONE', 'CREATED'], rows),
      )
    })
}

function named(option: string, text: string): string {
  const name = text.trim()
  if (name === '') throw new UsageError(`${option} must not be empty.`)
  return name
}

function emailIn(text: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return text
  throw new UsageError(`--owner-email must be an e-mail address, and "${text}" is not.`)
}
