import { type Command, CommanderError } from 'commander'
import type { Config } from '../config/config.ts'
import { WrongUsage } from './command-fault.ts'
import { explainFault } from './explain-fault.ts'
import { openOutput, type Output } from './output.ts'

/** What every command is given. */
export type CommandLine = {
  config(): Promise<Config>
  output(command: Command): Output
  /** Asks whoever runs the command for a secret. */
  askSecret(prompt: string): Promise<string>
}

export type Console = {
  env: Readonly<Record<string, string | undefined>>
  /** Standard output. */
  write(text: string): void
  /** Standard error. */
  complain(text: string): void
  /** Whether a person sits in front of it. */
  isTerminal: boolean
}

export const USAGE_EXIT = 2

/**
 * Runs one command line and gives its exit code: 0 done, 1 it could not be done, 2 it was not understood. What went
 * wrong is said in a sentence on standard error; the stack follows only with LOG_LEVEL=debug.
 */
export async function runCommandLine(
  args: readonly string[],
  program: Command,
  { env, complain, write }: Console,
): Promise<number> {
  prepare(program, write)
  try {
    await program.parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version are asked for with success; help in place of a missing command is not.
      if (error.exitCode === 0) return 0
      if (error.code !== 'commander.help')
        complain(`${sentenceOf(error.message)} See \`postrider --help\`.\n`)
      return USAGE_EXIT
    }
    complain(`${explainFault(error)}\n`)
    if (env['LOG_LEVEL'] === 'debug' && error instanceof Error) complain(`${error.stack}\n`)
    return error instanceof WrongUsage ? USAGE_EXIT : 1
  }
}

/** The output a command writes to, JSON or not as its `--json` says. */
export function outputTo(write: (text: string) => void): (command: Command) => Output {
  return (command) => openOutput({ json: command.optsWithGlobals<{ json?: boolean }>().json === true }, write)
}

/** Settings hold for a command and those added to it later only one by one, so they are set on all at the end. */
function prepare(command: Command, write: (text: string) => void): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => undefined })
    .configureHelp({ showGlobalOptions: true })
  for (const child of command.commands) prepare(child, write)
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
