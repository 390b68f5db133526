import { type Command, CommanderError, Help, type Option } from 'commander'
import type { Config } from '../../platform/config/config.ts'
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
    const report = await openReporter(args, console)
    if (error instanceof CommanderError) {
      // Help and version are asked for with success; help in place of a missing command is not.
      if (error.exitCode === 0) return 0
      if (error.code !== 'commander.help')
        report.usage(`${sentenceOf(error.message)} See \`postrider --help\`.`)
      return USAGE_EXIT
    }
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
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => undefined })
    .configureHelp({ showGlobalOptions: true, optionDescription: describeOption })
  for (const child of command.commands) prepare(child, write)
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
