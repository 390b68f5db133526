import { run as runInCli } from '../../../cli/src/run.ts'
import { isClientCommand, isOperatorCommand } from '../../src/operate/commands/client-commands.ts'
import type { Console } from '../../src/operate/commands/console.ts'
import { runCommandLine } from '../../src/operate/commands/command-line.ts'
import { openProgram, runClientCommand, runOperatorCommand } from '../../src/app/run.ts'

export type CommandRun = { exitCode: number; said: string; errors: string }

/** For programs that are inspected, and not run. */
export const silentConsole: Console = {
  env: {},
  isTerminal: false,
  isOutputTerminal: false,
  calledAs: 'postrider',
  write: () => undefined,
  writeError: () => undefined,
}

/** The person there: what they answer where a secret is asked for, and what is told while the command runs. */
export type AtTerminal = { readonly secrets?: readonly string[]; readonly hear?: (text: string) => void }

/** `postrider …` as a person types it, with these settings, in this process. What goes over the API needs the server of these settings. */
export function commandLineWith(env: Record<string, string>, { secrets = [], hear }: AtTerminal = {}) {
  const left = [...secrets]
  return async (...args: string[]): Promise<CommandRun> => {
    let said = ''
    let errors = ''
    const write = (text: string) => void (said += text)
    const writeError = (text: string) => {
      errors += text
      hear?.(text)
    }
    const console = { ...silentConsole, env, write, writeError }
    if (isOperatorCommand(args) || isClientCommand(args)) {
      const { signal } = new AbortController()
      const runIn = isOperatorCommand(args) ? runOperatorCommand : runClientCommand
      const exitCode = await runIn(args, console, (line, { env: within }) =>
        runInCli(line, {
          env: within,
          write,
          writeError,
          signal,
          askSecret: async () => left.shift() ?? '',
        }),
      )
      return { exitCode, said, errors }
    }
    const program = await openProgram(args, console)
    return { exitCode: await runCommandLine(args, program, console), said, errors }
  }
}
