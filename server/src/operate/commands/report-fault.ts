import type { Console } from './console.ts'
import { ConfigFault, UsageError } from './command-fault.ts'
import { explainFault } from './explain-fault.ts'
import { namedAsCalled } from './output.ts'

const problemTitles = {
  usage_error: 'The command line is not understood',
  invalid_settings: 'The settings are not valid',
  command_failed: 'The command could not be carried out',
} as const
type CommandProblem = keyof typeof problemTitles

/** Tells on standard error what went wrong or is odd: each time a sentence or two, which say what to do. */
export type Reporter = {
  fault(error: unknown): void
  warning(sentence: string): void
}

type Caller = Pick<Console, 'env' | 'writeError' | 'isTerminal' | 'calledAs'>

/**
 * People get sentences, and programs that ask with `--json` a problem. What the server says goes into its log, from its first line on:
 * where that is JSON, so is why it did not start.
 */
export async function openReporter(args: readonly string[], caller: Caller): Promise<Reporter> {
  return args.find((arg) => !arg.startsWith('-')) === 'serve' && isReadByMachines(caller)
    ? logReporter(caller)
    : textReporter(args, caller)
}

/** As for the log of the server; settings that are wrong are read here, too. */
function isReadByMachines({ env, isTerminal }: Caller): boolean {
  return env['LOG_PRETTY'] === 'off' || (env['LOG_PRETTY'] !== 'on' && !isTerminal)
}

function textReporter(args: readonly string[], { env, writeError, calledAs }: Caller): Reporter {
  const report = (code: CommandProblem, text: string) => {
    const detail = namedAsCalled(text, calledAs)
    writeError(args.includes('--json') ? `${problemText(code, detail)}\n` : `${detail}\n`)
  }
  return {
    fault(error) {
      report(problemOf(error), explainFault(error))
      if (env['LOG_LEVEL'] === 'debug' && error instanceof Error) writeError(`${error.stack}\n`)
    },
    warning: (sentence) => writeError(`${sentence}\n`),
  }
}

async function logReporter({ env, writeError, calledAs }: Caller): Promise<Reporter> {
  // Loaded only here: the other commands answer sooner without it.
  const { createLog } = await import('../../platform/process/log.ts')
  const log = createLog({ level: 'warn', destination: { write: writeError } })
  const report = (code: CommandProblem, text: string, more: object = {}) =>
    log.fatal({ code, detail: namedAsCalled(text, calledAs), ...more }, 'the server did not start')
  return {
    fault: (error) =>
      report(problemOf(error), explainFault(error), env['LOG_LEVEL'] === 'debug' ? { err: error } : {}),
    warning: (sentence) => log.warn(sentence),
  }
}

function problemOf(error: unknown): CommandProblem {
  if (error instanceof UsageError) return 'usage_error'
  return error instanceof ConfigFault ? 'invalid_settings' : 'command_failed'
}

/** A problem as in RFC 9457, for programs. */
function problemText(code: CommandProblem, detail: string): string {
  return JSON.stringify({ type: 'about:blank', title: problemTitles[code], detail, code }, null, 2)
}
