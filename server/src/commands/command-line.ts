import { type Command, CommanderError, Help, type Option } from 'commander'
import type { Config } from '../config/config.ts'
import { ConfigFault, UsageError } from './command-fault.ts'
import { explainFault } from './explain-fault.ts'
import { namedAsCalled, openOutput, type Output } from './output.ts'

/** What every command is given. */
export type CommandLine = {
  config(): Promise<Config>
  env: Console['env']
  output(command: Command): Output
  /** Says on standard error what is going on. */
  note(text: string): void
  /** Asks whoever runs the command for a secret. */
  askSecret(prompt: string): Promise<string>
}

export type Console = {
  env: Readonly<Record<string, string | undefined>>
  /** Standard output. */
  write(text: string): void
  /** Standard error. */
  writeError(text: string): void
  /** Whether a person reads standard error. */
  isTerminal: boolean
  /** Whether a person reads standard output. */
  isOutputTerminal: boolean
  /** What has to be typed for `postrider`. */
  calledAs: string
}

export const USAGE_EXIT = 2

/**
 * Runs one command line and gives its exit code: 0 done, 1 it could not be done, 2 it was not understood. What went
 * wrong is written to standard error, as a sentence or with `--json` as a problem; the stack follows only with
 * LOG_LEVEL=debug.
 */
export async function runCommandLine(
  args: readonly string[],
  program: Command,
  { env, writeError, write, calledAs }: Console,
): Promise<number> {
  prepare(program, write)
  const report = (code: CommandProblem, fault: string) => {
    const detail = namedAsCalled(fault, calledAs)
    writeError(args.includes('--json') ? `${problemText(code, detail)}\n` : `${detail}\n`)
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version are asked for with success; help in place of a missing command is not.
      if (error.exitCode === 0) return 0
      if (error.code !== 'commander.help')
        report('usage_error', `${sentenceOf(error.message)} See \`postrider --help\`.`)
      return USAGE_EXIT
    }
    report(problemOf(error), explainFault(error))
    if (env['LOG_LEVEL'] === 'debug' && error instanceof Error) writeError(`${error.stack}\n`)
    return error instanceof UsageError ? USAGE_EXIT : 1
  }
}

const problemTitles = {
  usage_error: 'The command line is not understood',
  invalid_settings: 'The settings are not valid',
  command_failed: 'The command could not be carried out',
} as const
type CommandProblem = keyof typeof problemTitles

function problemOf(error: unknown): CommandProblem {
  if (error instanceof UsageError) return 'usage_error'
  return error instanceof ConfigFault ? 'invalid_settings' : 'command_failed'
}

/** A problem as in RFC 9457, for programs. */
function problemText(code: CommandProblem, detail: string): string {
  return JSON.stringify({ type: 'about:blank', title: problemTitles[code], detail, code }, null, 2)
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
