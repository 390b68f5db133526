import { run as runInCli } from '../../../cli/src/run.ts'
import { isClientCommand, isOperatorCommand } from '../../src/commands/client-commands.ts'
import type { Console } from '../../src/commands/console.ts'
import { runCommandLine } from '../../src/commands/command-line.ts'
import { openProgram, runClientCommand, runOperatorCommand } from '../../src/commands/run.ts'

export type CommandRun = { exitCode: number; said: string; errors: string }

/** For programs that are inspected, and not run. */
export const silentConsole: Console = {
  ...{ env: {}, isTerminal: false, isOutputTerminal: false, calledAs: 'postrider' },
  write: () => undefined,
  writeError: () => undefined,
}

/** `postrider …` as a person types it, with these settings, in this process. What goes over the API needs the server of these settings. */
export function commandLineWith(env: Record<string, string>, secrets: readonly string[] = []) {
  const left = [...secrets]
  return async (...args: string[]): Promise<CommandRun> => {
    let said = ''
    let errors = ''
    const write = (text: string) => void (said += text)
    const writeError = (text: string) => void (errors += text)
    const console = { ...silentConsole, env, write, writeError }
    if (isOperatorCommand(args) || isClientCommand(args)) {
      const { signal } = new AbortController()
      const runIn = isOperatorCommand(args) ? runOperatorCommand : runClientCommand
      const exitCode = await runIn(args, console, (line, { env: within }) =>
        runInCli(line, { env: within, write, writeError, signal }),
      )
      return { exitCode, said, errors }
    }
    const program = await openProgram(args, console, async () => left.shift() ?? '')
    return { exitCode: await runCommandLine(args, program, console), said, errors }
  }
}
