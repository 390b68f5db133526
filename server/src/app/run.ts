import { Command } from 'commander'
import { readEnvironment } from '../platform/config/config.ts'
import { release } from '../platform/process/version.ts'
import {
  CLIENT_COMMANDS,
  isClientCommand,
  isOperatorCommand,
  OPERATOR_COMMANDS,
  runClient,
  type Within,
} from '../operate/commands/client-commands.ts'
import type { Console } from '../operate/commands/console.ts'
import { calledAs, type CommandLine, outputTo, runCommandLine } from '../operate/commands/command-line.ts'
import { readSettings } from '../operate/commands/read-settings.ts'
import { openReporter } from '../operate/commands/report-fault.ts'

type Parts = { readonly console: Console; readonly commandLine: CommandLine }
type AddCommands = (program: Command, parts: Parts) => void

/**
 * Each command, by the word that calls it, and what loads it: a command loads only what it needs, since loading takes
 * most of its time.
 */
const commands: Readonly<Record<string, () => Promise<AddCommands>>> = {
  serve: async () => {
    const { addServeCommand } = await import('./serve.ts')
    return (program, { console }) => addServeCommand(program, console)
  },
  migrate: async () => usual((await import('../operate/commands/migrate.ts')).addMigrateCommand),
  workspace: async () => usual((await import('../operate/commands/workspace.ts')).addWorkspaceCommands),
  owner: async () => usual((await import('../operate/commands/owner.ts')).addOwnerCommands),
  member: async () => usual((await import('../operate/commands/member.ts')).addMemberCommands),
  mcp: async () => usual((await import('../operate/commands/mcp.ts')).addMcpCommand),
  doctor: async () => usual((await import('../operate/commands/doctor.ts')).addDoctorCommands),
  reseal: async () => usual((await import('../operate/commands/reseal.ts')).addResealCommand),
  media: async () => usual((await import('../operate/commands/media.ts')).addMediaCommands),
  backup: async () => usual((await import('../operate/commands/backup.ts')).addBackupCommand),
  access: async () => usual((await import('../operate/commands/access.ts')).addAccessCommands),
  restore: async () => usual((await import('../operate/commands/restore.ts')).addRestoreCommand),
  restored: async () => usual((await import('../operate/commands/restored.ts')).addRestoredCommands),
}

function usual(add: (program: Command, commandLine: CommandLine) => void): AddCommands {
  return (program, { commandLine }) => add(program, commandLine)
}

/** `postrider …`: runs one command line of this process, and gives its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const { env, warnings } = readEnvironment()
  if (isClientCommand(args)) return runClientCommand(args, { env, calledAs: calledAs(env) }, runClient)
  const console: Console = {
    env,
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY,
    isOutputTerminal: process.stdout.isTTY,
    calledAs: calledAs(env),
  }
  const report = await openReporter(args, console)
  for (const warning of warnings) report.warning(warning)
  if (isOperatorCommand(args)) return runOperatorCommand(args, console, runClient)
  return runCommandLine(args, await openProgram(args, console), console)
}

type RunIn = (args: readonly string[], within: Within) => Promise<number>

/** Has the command line of `cli/` do it, with what proves that the operator of this machine asks. */
export async function runOperatorCommand(
  args: readonly string[],
  console: Console,
  runIn: RunIn,
): Promise<number> {
  // Help needs no settings.
  if (args.some((arg) => ['--help', '-h'].includes(arg))) return runIn(args, console)
  try {
    return await runIn(args, await withAccess(args, console))
  } catch (error) {
    const report = await openReporter(args, console)
    report.fault(error)
    return 1
  }
}

/** The same of what takes a login, and where there is none, is done for the operator of this machine. */
export async function runClientCommand(
  args: readonly string[],
  caller: Pick<Console, 'env' | 'calledAs'>,
  runIn: RunIn,
): Promise<number> {
  // Where these are no settings of a server, the client asks for a login.
  return runIn(args, await withAccess(args, caller).catch(() => caller))
}

async function withAccess(
  args: readonly string[],
  caller: Pick<Console, 'env' | 'calledAs'>,
): Promise<Within> {
  const { operatorAccess } = await import('../operate/commands/operator-access.ts')
  const { env, makeToken } = await operatorAccess(args, readSettings(caller.env), caller)
  return { env: { ...caller.env, ...env }, makeToken }
}

/** The program with the commands that these arguments need. */
export async function openProgram(args: readonly string[], console: Console): Promise<Command> {
  const commandLine = {
    config: async () => readSettings(console.env),
    env: console.env,
    output: outputTo(console),
    note: (text: string) => console.writeError(`${text}\n`),
  }
  const program = new Command('postrider')
    .description('Publishes posts to social networks: never twice, never lost, never a guess.')
    .commandsGroup(
      'On the machine of the server, using its settings and database, whether the server runs or not:',
    )
    .version(release)
    .option('--json', 'print JSON, including errors')
    .addHelpText('after', `\n${overTheApi()}`)
  for (const load of wanted(args)) (await load())(program, { console, commandLine })
  return program
}

/** What `--help` says of the commands that `cli/` runs. */
function overTheApi(): string {
  return `Over the API of the running server on this machine, as its operator, without a login:
  ${OPERATOR_COMMANDS.join(', ')}

Over the API of any server with a login, or as the operator of the server on this machine:
  ${CLIENT_COMMANDS.join(', ')}

See \`postrider <command> --help\`.
`
}

/** The command that is called; all commands where help is wanted, or none of them is meant. */
function wanted(args: readonly string[]): (() => Promise<AddCommands>)[] {
  const [name = ''] = args.filter((arg) => !arg.startsWith('-'))
  const called = Object.hasOwn(commands, name) ? commands[name] : undefined
  return called === undefined ? Object.values(commands) : [called]
}
