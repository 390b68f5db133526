import { type Command, CommanderError, Help, type Option } from 'commander'
import type { Config } from '../../platform/config/config.ts'
import { OPERATOR_COMMANDS } from './client-commands.ts'
import { UsageError } from './command-fault.ts'
import { openOutput, type Output } from './output.ts'
import { openReporter } from './report-fault.ts'
import type { Console } from './console.ts'

/** What every command is given. */
export type CommandLine = {
  config(): Promise<Config>
  env: Console['env']
  output(command: Command): Output
  /** Says on standard error what is going on. */
  note(text: string): void
}

export const USAGE_EXIT = 2

/**
 * Runs one command line and gives its exit code: 0 done, 1 it could not be done, 2 it was not understood. What went
 * wrong is told on standard error, with its stack only where LOG_LEVEL=debug.
 */
export async function runCommandLine(
  args: readonly string[],
  program: Command,
  console: Console,
): Promise<number> {
  prepare(program, console.write)
  try {
    await program.parseAsync(args, { from: 'user' })
    const exitCode = Number(process.exitCode ?? 0)
    // What a command found wrong is not said of the next one in this process.
    process.exitCode = undefined
    return exitCode
  } catch (error) {
    // Help and version are asked for with success; help in place of a missing command is not.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_EXIT
    const report = await openReporter(args, console)
    report.fault(error)
    return error instanceof UsageError ? USAGE_EXIT : 1
  }
}

/** The output a command writes to, JSON or not as its `--json` says. */
export function outputTo(to: Pick<Console, 'write' | 'calledAs'>): (command: Command) => Output {
  return (command) => openOutput({ json: command.optsWithGlobals<{ json?: boolean }>().json === true }, to)
}

/** How this process was called, by what npm says of it; `postrider` where a shell or a container found it. */
export function calledAs(env: Console['env']): string {
  const script = env['npm_lifecycle_event']
  if (script === 'npx') return 'npx postrider'
  return script === 'start' || script === 'postrider' ? 'npm run postrider --' : 'postrider'
}

/** Settings hold for a command and those added to it later only one by one, so they are set on all at the end. */
function prepare(command: Command, write: (text: string) => void): void {
  command
    .exitOverride((error) => {
      throw error.exitCode === 0 || error.code === 'commander.help'
        ? error
        : new UsageError(usageSentence(error, command))
    })
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => undefined })
    .configureHelp({ showGlobalOptions: true, optionDescription: describeOption, visibleOptions })
  for (const child of command.commands) prepare(child, write)
}

/** What was not understood, with the command that was called and what that takes. */
function usageSentence({ code, message }: CommanderError, called: Command): string {
  const command = namedBy(called)
  const name = pathOf(command)
  const isLeaf = command.commands.length === 0
  if (code === 'commander.unknownCommand' || (code === 'commander.excessArguments' && !isLeaf))
    return unknownCommand(command, message)
  if (code !== 'commander.excessArguments')
    return `\`${name}\`: ${sentenceOf(message)} See \`${name} --help\`.`
  const takes = command.registeredArguments.map((argument) => `<${argument.name()}>`)
  const got = `"${command.args.slice(takes.length).join(' ')}"`
  const what =
    takes.length === 0 ? `no argument, and got ${got}` : `only ${takes.join(' ')}, and got ${got} too`
  return `\`${name}\` takes ${what}. See \`${name} --help\`.`
}

function unknownCommand(command: Command, message: string): string {
  const name = pathOf(command)
  const meant = /\(Did you mean [^)]*\)/.exec(message)?.[0]
  // Of the program itself, `--help` names those of the API, too.
  const takes = command.parent === null ? '' : `It takes ${ANY_OF.format(commandsIn(command))}. `
  return `\`${name}\` has no command "${command.args[0] ?? ''}"${meant === undefined ? '.' : ` ${meant}.`} ${takes}See \`${name} --help\`.`
}

const ANY_OF = new Intl.ListFormat('en', { type: 'disjunction' })

/** Its own, and those that go over the API by the same first word. */
function commandsIn(group: Command): string[] {
  const first = `${group.name()} `
  const overTheApi = OPERATOR_COMMANDS.filter((name) => name.startsWith(first))
  return [
    ...group.commands.map((command) => command.name()),
    ...overTheApi.map((name) => name.slice(first.length)),
  ]
}

/** `doctor` for its command `server`, unless that was called by its name. */
function namedBy(called: Command): Command {
  const { parent } = called
  return parent === null || parent.parent === null || parent.args[0] === called.name() ? called : parent
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** Those of a group are those of the command that it runs by its word alone, too. */
function visibleOptions(command: Command): Option[] {
  // Commander keeps it, and has no word for it.
  const { ['_defaultCommandName']: name } = command as { readonly _defaultCommandName?: string | null }
  const alone = command.commands.find((child) => child.name() === name)?.options ?? []
  return [...alone, ...new Help().visibleOptions(command)]
}

/** Says of an option that it is required, too. */
function describeOption(option: Option): string {
  const description = new Help().optionDescription(option)
  return option.mandatory ? `${description} (required)` : description
}

/** `error: unknown option '--nmae'\n(Did you mean --name?)` as a sentence. */
export function sentenceOf(message: string): string {
  const text = message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .trim()
  const capital = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.?!)]$/.test(capital) ? capital : `${capital}.`
}
