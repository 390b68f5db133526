import type { CallToolResult } from '@modelcontextprotocol/server'
import { type ProblemCode, problems } from '@postrider/contract'
import type { Answered } from '../../edge/operations/idempotency.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import type { OperationCall, Tool } from './tools.ts'
import { nextStepAfter } from './next-steps.ts'

/** What a tool answers: compact JSON of an object. It is sent as it is, since reading and writing it again takes longer than the call. */
export type ToolAnswer = { readonly json: string; readonly isError: boolean; readonly replayed: boolean }

/** Says in the answer that the call was made before. */
export const REPLAYED = 'postrider/replayed'

type Shape = {
  readonly listAs: Tool['listAs'] | undefined
  readonly shownAs: OperationCall['shownAs'] | undefined
}

/** An answer of an operation as a tool gives it: a list comes in a field. */
export function answerOf({ listAs, shownAs }: Shape, { body, replayed }: Answered): ToolAnswer | Refusal {
  const whole = body.startsWith('[') ? `{"${listAs ?? 'items'}":${body}}` : body
  const shown = shownAs?.(JSON.parse(whole) as object)
  if (isRefusal(shown)) return shown
  const json = shown === undefined ? whole : JSON.stringify(shown.answer)
  return { json: replayed ? saidAsReplayed(json) : json, isError: shown?.isError ?? false, replayed }
}

/** Models are not shown `_meta`: so it stands in the answer, too. */
function saidAsReplayed(json: string): string {
  return json === '{}' ? '{"replayed":true}' : `${json.slice(0, -1)},"replayed":true}`
}

/** A refusal as the error of a tool, which models are shown: its code, how to mend it, and what to do next. */
export function errorOf(
  refusal: Refusal,
  { baseUrl, requestId }: { baseUrl: string; requestId: string },
): ToolAnswer {
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
  return { json: JSON.stringify(problem), isError: true, replayed: false }
}

/** The same for the library: twice, for clients that show models the one, the other, or both. */
export function resultOf({ json, isError, replayed }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: 'text', text: json }],
    structuredContent: JSON.parse(json) as Record<string, unknown>,
    ...(isError ? { isError } : {}),
    ...(replayed ? { _meta: { [REPLAYED]: true } } : {}),
  }
}

function nextOf(code: ProblemCode): { next?: string } {
  const next = nextStepAfter(code)
  return next === null ? {} : { next }
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
    .replaceAll(' Send it in the body, or as the header `Idempotency-Key`.', '')
    .replaceAll('The `Idempotency-Key` header', '`idempotencyKey`')
    .replaceAll('`Idempotency-Key`', '`idempotencyKey`')
    .replaceAll('`confirmed`, ', '')
    .replaceAll('`sourceUrl`', '`url`')
}
