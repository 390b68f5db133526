import type { CallToolResult } from '@modelcontextprotocol/server'
import { type ProblemCode, problems } from '@postrider/contract'
import type { Answered } from '../operations/idempotency.ts'
import type { Refusal } from '../operations/refusal.ts'
import type { OperationCall, Tool } from './tools.ts'
import { nextStepAfter } from './next-steps.ts'

type Shape = {
  readonly listAs: Tool['listAs'] | undefined
  readonly shownAs: OperationCall['shownAs'] | undefined
}

/** An answer as a tool gives it: the same compact JSON for clients that show models the one, the other, or both. */
export function resultOf({ listAs, shownAs }: Shape, { body, replayed }: Answered): CallToolResult {
  const answer: unknown = JSON.parse(body)
  const whole = Array.isArray(answer) ? { [listAs ?? 'items']: answer } : (answer as object)
  const result = asJson(shownAs === undefined ? whole : shownAs(whole))
  return replayed ? { ...result, _meta: { 'postrider/replayed': true } } : result
}

/** A refusal as the error of a tool, which models are shown: its code, how to mend it, and what to do next. */
export function errorOf(refusal: Refusal, { baseUrl, requestId }: { baseUrl: string; requestId: string }) {
  const { refused: code, detail, facts } = refusal
  const { errors, ...rest } = facts
  const problem = {
    code,
    title: problems[code].title,
    fix: inArguments(detail),
    ...(errors === undefined ? {} : { errors: errors.map(errorInArguments) }),
    ...rest,
    ...nextOf(code),
    page: `${baseUrl}/problems/${code}`,
    requestId,
  }
  return { ...asJson(problem), isError: true }
}

function nextOf(code: ProblemCode): { next?: string } {
  const next = nextStepAfter(code)
  return next === null ? {} : { next }
}

function asJson(value: object): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
  }
}

type FieldError = NonNullable<Refusal['facts']['errors']>[number]

/** A tool has arguments where a request has a body, a query and headers. */
function errorInArguments({ pointer, detail, ...rest }: FieldError): FieldError {
  return { pointer: argumentAt(pointer), detail: inArguments(detail), ...rest }
}

function argumentAt(pointer: string): string {
  if (pointer === '@Idempotency-Key') return '/idempotencyKey'
  if (pointer === '/sourceUrl') return '/url'
  return pointer.startsWith('?') ? `/${pointer.slice(1)}` : pointer
}

function inArguments(sentence: string): string {
  return sentence
    .replaceAll('The `Idempotency-Key` header', '`idempotencyKey`')
    .replaceAll('`Idempotency-Key`', '`idempotencyKey`')
    .replaceAll('`confirmed`, ', '')
    .replaceAll('`sourceUrl`', '`url`')
}
