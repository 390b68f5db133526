import { EditConflictError, isProblem, PostriderError, ProblemError } from '@postrider/sdk'
import { CliError, type Exit, exits } from './exits.ts'

/** What went wrong: for people, for programs, and as an exit code. */
export type Report = { readonly exit: Exit; readonly message: string; readonly json: object }

export function reportOf(error: unknown): Report {
  if (error instanceof CliError) {
    return { exit: error.exit, message: error.message, json: { message: error.message, ...error.facts } }
  }
  if (error instanceof EditConflictError) {
    const { message, fields } = error
    return { exit: exits.failed, message, json: { code: 'edit_conflict', message, fields } }
  }
  if (error instanceof PostriderError) return reportOfCall(error)
  const message = error instanceof Error ? error.message : String(error)
  return { exit: exits.failed, message, json: { message } }
}

function reportOfCall(error: PostriderError): Report {
  const { operation, outcome, idempotencyKey, attempts, message } = error
  const facts = { operation, outcome, idempotencyKey, attempts }
  const said =
    outcome === 'unknown'
      ? `${message.split(' Whether it has happened')[0] ?? message}\nWhether it has happened is not known. The same command with \`--idempotency-key ${idempotencyKey}\` finds out, and never does it twice.`
      : message
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
