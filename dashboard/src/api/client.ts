import type * as contract from '@postrider/contract'
import type { Answer, Input, Operation } from '@postrider/contract'
import { isIdle } from './activity.ts'
import { OURS, placeOf } from './address.ts'
import { noteAnswer } from './away.ts'
import { takeAhead } from './ahead.ts'
import { OfflineError, type Problem, ProblemError } from './problem.ts'
import { limitArrival, noteTime, untilOf, within } from './write-limit.ts'

type PersonsOwn = Extract<(typeof contract.app)[keyof typeof contract.app], Operation>
type Agents = Extract<(typeof contract)[keyof typeof contract], Operation>

/** What is given; a query of which nothing is required may be left out. */
type Given<Shape> = {
  [Key in keyof Shape as Shape[Key] extends undefined ? never : Key & Needed<Shape, Key>]: Shape[Key]
} & {
  [Key in keyof Shape as Shape[Key] extends undefined ? never : Exclude<Key, Needed<Shape, Key>>]?: Shape[Key]
}
type Needed<Shape, Key extends keyof Shape> = Key extends 'query'
  ? Partial<Shape[Key]> extends Shape[Key]
    ? never
    : Key
  : Key
type WithWorkspace<Parts> = Omit<Parts, 'params'> & {
  params: { workspaceId: string } & (Parts extends { params: infer Params } ? Params : unknown)
}

/** Every operation by its id: those that only people have, and those of the Agent API in the workspace that the path names. */
type Calls = {
  [Op in PersonsOwn as Op['id']]: { input: Given<Input<Op>>; answer: Answer<Op> }
} & {
  [Op in Agents as `app${Capitalize<Op['id']>}`]: {
    input: WithWorkspace<Given<Input<Op>>>
    answer: Answer<Op>
  }
}

export type OperationId = keyof Calls
/** What an operation is asked with: its path parameters, query and body, as the contract declares them. */
export type InputOf<Id extends OperationId> = Calls[Id]['input']
export type AnswerOf<Id extends OperationId> = Calls[Id]['answer']

type Options = {
  signal?: AbortSignal
  idempotencyKey?: string
  form?: FormData
  keepalive?: boolean
  /** Until when it may be sent: what needs several requests gives all of them that of its click. */
  until?: number
}

/** What is answered once a file is there, or a model has thought: that can take longer than a click is good for. */
const SLOW: ReadonlySet<OperationId> = new Set(['appUploadMedia', 'appImportPosts', 'appGeneratePostDrafts'])
const SLOW_MS = 3_600_000

/**
 * Calls an operation of the people's API. Throws a ProblemError when the server refused (then nothing was changed), an
 * OfflineError when no answer came, and a LateError when its time was over before it was sent. A write is sent at once or
 * never, and not waited for longer than it is good for. The session travels as a cookie; the header keeps other sites out.
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  { signal, idempotencyKey, form, keepalive = false, until = untilOf() }: Options = {},
): Promise<AnswerOf<Id>> {
  const { body } = input as { body?: unknown }
  const { method, url } = placeOf(id, input)
  const headers = new Headers(OURS)
  if (isIdle()) headers.set('x-postrider-idle', '1')
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey)
  if (body !== undefined) headers.set('content-type', 'application/json')
  const request: RequestInit = { method, headers, credentials: 'same-origin', redirect: 'error', keepalive }
  if (form !== undefined) request.body = form
  else if (body !== undefined) request.body = JSON.stringify(body)

  const ask = (limits: AbortSignal[]) => send<Id>(url, { ...request, signal: AbortSignal.any(limits) })
  const given = signal === undefined ? [] : [signal]
  if (method === 'GET') return ask(given)
  limitArrival(headers, until)
  return within(SLOW.has(id) ? until + SLOW_MS : until, (limit) => ask([limit, ...given]))
}

/** The whole answer: one that breaks off tells no more than none. */
async function send<Id extends OperationId>(url: URL, request: RequestInit): Promise<AnswerOf<Id>> {
  try {
    const answer = await (takeAhead(url, request) ?? fetch(url, request).then(noteTime))
    if (!answer.ok) throw await problemOf(answer)
    const told = answer.status === 204 ? undefined : await answer.json()
    noteAnswer(true)
    return told as AnswerOf<Id>
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    noteAnswer(cause instanceof ProblemError)
    throw cause instanceof ProblemError ? cause : new OfflineError('no answer', { cause })
  }
}

async function problemOf(answer: Response): Promise<Error> {
  const type = answer.headers.get('content-type') ?? ''
  if (!type.startsWith('application/problem+json')) return new OfflineError(`HTTP status ${answer.status}`)
  return new ProblemError((await answer.json()) as Problem)
}
