import { AnswerError, isProblem, PostriderError, sayNotOurs } from '@postrider/sdk'
import { CliError, exits } from './exits.ts'
import { version as own } from './version.ts'

const PATIENCE_MS = 5_000

/**
 * The error that says what a server is, where that is why a command failed: it is too old, and does not know an address or a field
 * of this command line, or it is no Postrider at all and answers with JSON of its own. Any other error is given back as it is.
 * `isWrite`: the command may have changed something there.
 */
export async function explainServer(
  error: unknown,
  server: string | null,
  isWrite: boolean,
): Promise<unknown> {
  if (server === null || !(isUnknownThere(error) || isMisread(error))) return error
  const there = await serverAt(server)
  if (there === 'silent') return error
  if (there === 'other') {
    if (!isMisread(error)) return error
    // What is not understood is told by the client, which knows whether something may have happened.
    if (error instanceof AnswerError) return error
    const exit = isWrite ? exits.unknown : exits.unavailable
    const unknown = isWrite ? ' The result is unknown.' : ''
    return new CliError(exit, sayNotOurs(server, 'with other JSON') + unknown, { code: 'not_postrider' })
  }
  if (!isOlder(there.version, own)) return error
  return new CliError(
    exits.failed,
    `The server at ${server} is version ${there.version}, too old for this command of version ${own}. Update the server.`,
    { code: 'server_too_old', serverVersion: there.version, version: own },
  )
}

/** Whether a server refused what it does not know at all. An address tells it by its words: an item that is gone has the same code. */
function isUnknownThere(error: unknown): boolean {
  if (isProblem(error, 'method_not_allowed')) return true
  if (isProblem(error, 'not_found')) return / at this address\b/.test(error.detail)
  return isProblem(error) && error.errors.some(({ code }) => code === 'unknown_field')
}

/** Whether an answer lacked what a command reads of it, or was none of Postrider's. */
function isMisread(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    (error instanceof AnswerError && error.status >= 200 && error.status < 300) ||
    (error instanceof PostriderError && error.cause instanceof SyntaxError)
  )
}

/** What a server says of itself; `other` where it is none of ours, `silent` where it does not answer. */
async function serverAt(server: string): Promise<{ readonly version: string } | 'other' | 'silent'> {
  let answer: Response
  try {
    answer = await fetch(`${server.replace(/\/+$/, '')}/openapi/json`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
  } catch {
    return 'silent'
  }
  const document = (await answer.json().catch(() => null)) as {
    info?: { title?: unknown; version?: unknown }
  } | null
  const { title, version } = document?.info ?? {}
  const isOurs = typeof title === 'string' && title.includes('Postrider')
  return isOurs && typeof version === 'string' && /^\d+\.\d+\.\d+/.test(version) ? { version } : 'other'
}

function isOlder(one: string, other: string): boolean {
  const numbers = (version: string) => version.split(/[.+-]/).slice(0, 3).map(Number)
  const newer = numbers(other)
  const apart = numbers(one).map((number, index) => number - (newer[index] ?? 0))
  return (apart.find((distance) => distance !== 0) ?? 0) < 0
}
