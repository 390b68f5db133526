import type { Bytes } from '@postrider/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RecordAct } from '../../operations/act.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { answerIn, type Answered } from '../../operations/idempotency.ts'
import { isRefusal } from '../../operations/refusal.ts'
import type { Route } from '../../operations/route.ts'
import { type Asked, compileOperation, readAnswer } from './answer-operation.ts'
import { sendBytes } from '../http/bytes-answer.ts'
import { sendCompressed } from '../http/compressed-answer.ts'
import { readForm } from '../request/form-body.ts'
import { readJsonOf } from '../request/json-body.ts'
import { callerOf, disconnectSignal, jsonOperation } from '../request/json-operation.ts'
import { pathOf, type SendProblem } from '../documents/problem.ts'

/**
 * What stands before an operation, before a byte of its body is read: leaves the caller on the request, or answers. With
 * `mayRecall` it may leave a caller of before, whom the operation has to confirm before it answers.
 */
export type Gate = (
  request: FastifyRequest,
  reply: FastifyReply,
  options?: { readonly mayRecall?: boolean },
) => Promise<FastifyReply | void>

export type MountOptions = {
  readonly db: Db
  readonly recordAct: RecordAct
  readonly gate: Gate
  readonly sendProblem: SendProblem
}

type Answerer = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Mounts one operation: the gate, then the rules of its request, then replay or handler, then its answer. */
export function mountOperation(app: FastifyInstance, route: Route, options: MountOptions): void {
  const { operation } = route
  const { bytes } = operation.answer
  const [method, path] = splitAddress(operation.at)
  const answer = bytes === undefined ? jsonAnswerer(route, options) : bytesAnswerer(route, options)
  const mayRecall = route.pipelined === true

  const mount = (to: FastifyInstance) =>
    to.route({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: (request, reply) => options.gate(request, reply, { mayRecall }),
      handler: answer,
    })
  const { file, bodyMebibytes } = operation
  if (bodyMebibytes !== undefined)
    void app.register(async (scope) => void mount(readLarger(scope, bodyMebibytes)))
  else if (file === undefined) mount(app)
  else void app.register(async (scope) => void mount(leaveBodyUnread(scope)))
}

function jsonAnswerer(route: Route, options: MountOptions): Answerer {
  const { gate, sendProblem } = options
  const run = jsonOperation(route, options)
  const locate = route.location as ((answer: unknown) => string) | undefined
  // What the dashboard reads can be hundreds of channels or a month of posts. No other site can have a browser read it: the session's
  // cookie is not sent for it, so that nobody learns a secret from the lengths. What is written, and what agents read, goes as it is.
  const isLong = route.operation.at.startsWith('GET /app/')

  return async (request, reply) => {
    const enterAgain = async () => {
      // Where the gate answers, this waits until the answer is sent.
      await gate(request, reply)
      return !reply.sent
    }
    const outcome = await run({ request, enterAgain }, () => askedBy(request, reply))
    if (outcome === null) return reply
    if (isRefusal(outcome)) return sendProblem(request, reply, outcome)
    if (locate !== undefined && outcome.status === 201) {
      reply.header('location', locate(answerIn(outcome)))
    }
    return sendAnswered(request, reply, outcome, isLong)
  }
}

function bytesAnswerer(route: Route, options: MountOptions): Answerer {
  const { sendProblem } = options
  const compiled = compileOperation(route, options)
  return async (request, reply) => {
    const asked = askedBy(request, reply)
    const answer = await readAnswer(compiled, { asked, caller: callerOf(request, route.operation) })
    return isRefusal(answer)
      ? sendProblem(request, reply, answer)
      : sendBytes(request, reply, answer as Bytes, sendProblem)
  }
}

function askedBy(request: FastifyRequest, reply: FastifyReply): Asked {
  const url = request.raw.url ?? '/'
  const mark = url.indexOf('?')
  return {
    id: request.id,
    ip: request.ip,
    path: pathOf(url),
    input: {
      params: request.params,
      query: request.query as Record<string, unknown>,
      queryText: mark === -1 ? '' : url.slice(mark + 1),
      body: request.body,
      idempotencyHeader: request.headers['idempotency-key'],
    },
    confirmCaller: request.confirmCaller,
    countWrites: request.countWrites,
    readForm: (rules) => readForm(request.raw, rules),
    gone: () => disconnectSignal(reply),
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

export function sendAnswered(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body, replayed }: Answered,
  isLong = false,
): FastifyReply | Promise<FastifyReply> {
  if (replayed) {
    request.idempotentReplay = true
    reply.header('idempotent-replayed', 'true')
  }
  reply.code(status).header('content-type', JSON_TYPE)
  return isLong ? sendCompressed(request, reply, body) : reply.send(body)
}

/** Reads JSON of up to so many mebibytes. */
function readLarger(scope: FastifyInstance, mebibytes: number): FastifyInstance {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', readJsonOf(mebibytes * 1_048_576))
  return scope
}

/** Leaves the body of a form in its socket: the handler reads it. Everything else is refused by its type. */
export function leaveBodyUnread(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return scope
}

const METHODS = ['GET', 'POST', 'DELETE'] as const

/** `GET /a/{id}` as its method and its path. */
export function splitAddress(at: string): [(typeof METHODS)[number], string] {
  const [name, path] = at.split(' ')
  const method = METHODS.find((one) => one === name)
  if (method === undefined || path === undefined) throw new Error(`${at} is no operation's address`)
  return [method, path]
}
