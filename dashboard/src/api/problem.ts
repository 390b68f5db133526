import type { ProblemCode } from '@postrider/contract'
import { problemWords } from '../terms/problem-words.ts'
import { words } from '../ui/words.ts'

/** What the server answers instead of what was asked for (RFC 9457), as the dashboard uses it. */
export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
  readonly requestId: string
  readonly errors?: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[]
  readonly [more: string]: unknown
}

/** The server refused: nothing was changed. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

/** No answer came: whether anything was changed is not known. */
export class OfflineError extends Error {
  override name = 'OfflineError'
}

/** It would have been sent too long after it was asked for, and was not: nothing was changed. */
export class LateError extends OfflineError {
  override name = 'LateError'
}

/** How long the server asks to wait before it is asked again; null where it does not ask for that. */
export function pauseOf(error: unknown): number | null {
  if (!isProblem(error, 'rate_limited') && !isProblem(error, 'not_ready')) return null
  const { retryAfterSeconds: seconds } = error.problem
  return (typeof seconds === 'number' ? seconds : 1) * 1_000
}

/** Whether the error is a refusal with this code. */
export function isProblem(error: unknown, code: ProblemCode): error is ProblemError {
  return error instanceof ProblemError && error.problem.code === code
}

/** What was said of one field or what is in it; `pointer` is a JSON Pointer into the body, as in `/email`. */
export function fieldError(error: unknown, pointer: string): string | null {
  if (!(error instanceof ProblemError)) return null
  const found = error.problem.errors?.find((one) => isAt(one.pointer, pointer))
  return found === undefined ? null : problemWords({ ...error.problem, detail: found.detail }).detail
}

function isAt(pointer: string, field: string): boolean {
  return pointer === field || pointer.startsWith(`${field}/`)
}

/** Whether every fault that was found belongs to one of these fields, so that nothing is left to say at the top. */
export function isAboutFields(error: unknown, pointers: readonly string[]): boolean {
  const errors = error instanceof ProblemError ? (error.problem.errors ?? []) : []
  return errors.length > 0 && errors.every(({ pointer }) => pointers.some((field) => isAt(pointer, field)))
}

type Explained = { title: string; detail: string; requestId: string | null; help: string | null }

/** The error in words for a person. A fault of the dashboard itself is told as such. */
export function explainProblem(error: unknown): Explained {
  if (error instanceof ProblemError) {
    const { requestId, type } = error.problem
    const { title, detail } = problemWords(error.problem)
    return { title, detail, requestId, help: type }
  }
  if (error instanceof LateError)
    return { title: words.lateTitle, detail: words.late, requestId: null, help: null }
  if (error instanceof OfflineError) {
    const detail = words.offline
    return { title: words.offlineTitle, detail, requestId: null, help: null }
  }
  const what = error instanceof Error ? error.message : String(error)
  const detail = words.pageFailed(what)
  return { title: words.pageFailedTitle, detail, requestId: null, help: null }
}
