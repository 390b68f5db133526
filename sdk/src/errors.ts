import type { Problem, ProblemCode } from './api.ts'

/**
 * What is known of the effect of a request that failed. `none`: it has not happened. `unknown`: it may have happened,
 * since no answer came, or one that does not tell; the same call with the same idempotency key finds out, safely.
 */
export type Outcome = 'none' | 'unknown'

type Facts = {
  readonly operation: string
  readonly outcome: Outcome
  readonly idempotencyKey: string | null
  readonly attempts: number
  readonly cause?: unknown
}

/** Every error of the client is one of these. */
export class PostriderError extends Error {
  /** The `operationId` of what was asked for. */
  readonly operation: string
  readonly outcome: Outcome
  /** The key under which the write was sent; null for reads, and where the operation takes none. Pass it again to learn what became of an unknown outcome. */
  readonly idempotencyKey: string | null
  /** How often it was sent. */
  readonly attempts: number

  constructor(message: string, { operation, outcome, idempotencyKey, attempts, cause }: Facts) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = new.target.name
    this.operation = operation
    this.outcome = outcome
    this.idempotencyKey = idempotencyKey
    this.attempts = attempts
  }
}

/** The server answered with a problem (RFC 9457): `code` says which one, `detail` what to do. */
export class ProblemError<Code extends string = ProblemCode> extends PostriderError {
  readonly problem: Problem & { readonly code: Code }
  readonly code: Code
  readonly status: number
  /** What to do, for this request. */
  readonly detail: string
  /** The name of the request in the server's log. */
  readonly requestId: string
  /** Which fields break a rule; empty where none is named. */
  readonly errors: NonNullable<Problem['errors']>

  constructor(problem: Problem & { readonly code: Code }, facts: Facts) {
    const fields = (problem.errors ?? []).map(({ pointer, detail }) => `\n  ${pointer}: ${detail}`)
    super(`${problem.title}: ${problem.detail}${fields.join('')}`, facts)
    this.problem = problem
    this.code = problem.code
    this.status = problem.status
    this.detail = problem.detail
    this.requestId = problem.requestId
    this.errors = problem.errors ?? []
  }
}

/** No answer came: the connection failed, or the time for it was over. */
export class ConnectionError extends PostriderError {}

/** The answer is not one of Postrider's: a proxy's page, for one, or another server. */
export class AnswerError extends PostriderError {
  readonly status: number

  constructor(message: string, status: number, facts: Facts) {
    super(message, facts)
    this.status = status
  }
}

/** Somebody changed, meanwhile, the very fields that an edit was to change. `current` is the post as it is now. */
export class EditConflictError<Post> extends Error {
  readonly current: Post
  /** The fields that differ: `text`, or `<channelId>.text` for one channel. */
  readonly fields: readonly string[]

  constructor(fields: readonly string[], current: Post) {
    super(`Somebody changed ${fields.join(', ')} meanwhile; nothing was edited. \`current\` is the post now.`)
    this.name = 'EditConflictError'
    this.fields = fields
    this.current = current
  }
}

/** Whether an error is a problem with one of these codes; of any code when none is given. */
export function isProblem<Code extends ProblemCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is ProblemError<Code> {
  return error instanceof ProblemError && (codes.length === 0 || codes.includes(error.code as Code))
}
