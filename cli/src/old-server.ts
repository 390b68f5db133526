import { isProblem } from '@postrider/sdk'
import { CliError, exits } from './exits.ts'
import { version as own } from './version.ts'

const PATIENCE_MS = 5_000

/**
 * The error that says that a server is too old, where that is why it refused: it does not know an address or a field of this
 * command line, and is of an older version. Any other error is given back as it is.
 */
export async function explainOldServer(error: unknown, server: string | null): Promise<unknown> {
  if (server === null || !isUnknownThere(error)) return error
  const version = await versionOf(server)
  if (version === null || !isOlder(version, own)) return error
  return new CliError(
    exits.failed,
    `The server at ${server} is version ${version}, too old for this command of version ${own}. Update the server.`,
    { code: 'server_too_old', serverVersion: version, version: own },
  )
}

/** Whether a server refused what it does not know at all. An address tells it by its words: an item that is gone has the same code. */
function isUnknownThere(error: unknown): boolean {
  if (isProblem(error, 'method_not_allowed')) return true
  if (isProblem(error, 'not_found')) return / at this address\b/.test(error.detail)
  return isProblem(error) && error.errors.some(({ code }) => code === 'unknown_field')
}

/** What a server says of itself; null where it does not tell. */
async function versionOf(server: string): Promise<string | null> {
  try {
    const answer = await fetch(`${server.replace(/\/+$/, '')}/openapi/json`, {
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const { info } = (await answer.json()) as { info?: { version?: unknown } }
    return typeof info?.version === 'string' && /^\d+\.\d+\.\d+/.test(info.version) ? info.version : null
  } catch {
    return null
  }
}

function isOlder(one: string, other: string): boolean {
  const numbers = (version: string) => version.split(/[.+-]/).slice(0, 3).map(Number)
  const newer = numbers(other)
  const apart = numbers(one).map((number, index) => number - (newer[index] ?? 0))
  return (apart.find((distance) => distance !== 0) ?? 0) < 0
}
