import { EditConflictError, isProblem, PostriderError, ProblemError } from '@postrider/sdk'
import { CliError, type Exit, exits } from './exits.ts'

/** What went wrong: for people, for programs, and as an exit code. */
export type Report = { readonly exit: Exit; readonly message: string; readonly json: object }

/** `key`: what the command takes as --idempotency-key to find out what it did; null where it is just run again. */
export function reportOf(error: unknown, key: string | null = null): Report {
  if (error instanceof CliError) {
    return { exit: error.exit, message: error.message, json: { message: error.message, ...error.facts } }
  }
  if (error instanceof EditConflictError) {
    const { message, fields } = error
    return { exit: exits.failed, message, json: { code: 'edit_conflict', message, fields } }
  }
  if (error instanceof PostriderError) return reportOfCall(error, key)
  const message = error instanceof Error ? error.message : String(error)
  return { exit: exits.failed, message, json: { message } }
}

function reportOfCall(error: PostriderError, key: string | null): Report {
  const { operation, outcome, attempts, message } = error
  const idempotencyKey = error.idempotencyKey === null ? null : key
  const facts = { operation, outcome, idempotencyKey, attempts }
  const said = outcome === 'unknown' ? unknown(error, idempotencyKey) : message
  return {
    exit: exitOf(error),
    message: withIssues(said, error),
    json: error instanceof ProblemError ? { ...error.problem, ...facts } : { message, ...facts },
  }
}

function withIssues(said: string, error: PostriderError): string {
  if (!isProblem(error, 'post_not_publishable')) return said
  const lines = (error.problem.issues ?? []).map(
    ({ pointer, message, fix }) => `\n  ${pointer}: ${message} ${fix}`,
  )
  return said + lines.join('')
}

function exitOf(error: PostriderError): Exit {
  if (error.outcome === 'unknown') return exits.unknown
  if (!(error instanceof ProblemError)) return exits.unavailable
  if (error.status === 401 || error.status === 403) return exits.credential
  if (error.status === 404) return exits.notFound
  return error.status === 429 || error.status >= 500 ? exits.unavailable : exits.failed
}

/** What is to be done where nobody knows whether it has happened. */
function unknown({ message, idempotencyKey }: PostriderError, key: string | null): string {
  if (idempotencyKey === null) return message
  const how = key === null ? 'The same command' : `The same command with \`--idempotency-key ${key}\``
  return `${message.split(' The result is unknown')[0] ?? message}\nThe result is unknown. ${how} finds out without a second effect.`
}
