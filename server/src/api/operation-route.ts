import type { Bytes, Operation } from '@postrider/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RecordAct } from '../operations/act.ts'
import type { Db } from '../platform/db.ts'
import type { Answered, Outcome } from '../operations/idempotency.ts'
import { isRefusal } from '../operations/refusal.ts'
import type { Caller, PersonalCaller, Restricted, Route } from '../operations/route.ts'
import { type Asking, compileOperation, readAnswer, runOperation } from './answer-operation.ts'
import { answerWriter } from './answer-writer.ts'
import { sendBytes } from './bytes-answer.ts'
import type { SendProblem } from './problem.ts'

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
  /** What stands before every path in an address that clients see; empty, or such as `/postrider`. */
  readonly basePath: string
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
  if (operation.file === undefined) mount(app)
  else void app.register(async (scope) => void mount(leaveBodyUnread(scope)))
}

function jsonAnswerer(route: Route, options: MountOptions): Answerer {
  const { operation } = route
  const { gate, sendProblem, basePath } = options
  const compiled = compileOperation(route, options)
  const asJson = answerWriter(operation.answer.schema)
  const locate = route.location as ((answer: unknown) => string) | undefined
  const restricted = route.restricted as Restricted<unknown> | undefined

  /** Null where the gate has answered. */
  async function run(request: FastifyRequest, reply: FastifyReply): Promise<Outcome | null> {
    const asking = (): Asking => ({
      ...{ request, reply, asJson, letInAgain },
      caller: callerOf(request, operation),
    })
    const letInAgain = async () => {
      // Where the gate answers, this waits until the answer is sent.
      await gate(request, reply)
      return reply.sent ? null : asking()
    }
    return runOperation(compiled, asking())
  }

  return async (request, reply) => {
    const outcome = await run(request, reply)
    if (outcome === null) return reply
    const caller = callerOf(request, operation)
    if (isRefusal(outcome)) return sendProblem(request, reply, outcome)
    if (locate !== undefined && outcome.status === 201) {
      reply.header('location', `${basePath}${locate(JSON.parse(outcome.body))}`)
    }
    return sendAnswered(request, reply, { ...outcome, body: bodyFor(caller, outcome, restricted) })
  }
}

function bytesAnswerer(route: Route, options: MountOptions): Answerer {
  const { sendProblem } = options
  const compiled = compileOperation(route, options)
  return async (request, reply) => {
    const caller = callerOf(request, route.operation)
    const answer = await readAnswer(compiled, { request, reply, caller })
    return isRefusal(answer)
      ? sendProblem(request, reply, answer)
      : sendBytes(request, reply, answer as Bytes)
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

function sendAnswered(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body, replayed }: Answered,
): FastifyReply {
  if (replayed) {
    request.idempotentReplay = true
    reply.header('idempotent-replayed', 'true')
  }
  return reply.code(status).header('content-type', JSON_TYPE).send(body)
}

/** A first answer is made for its caller; a replayed one may have been made for another. */
function bodyFor(
  caller: Caller | PersonalCaller,
  { body, replayed }: Answered,
  restricted: Restricted<unknown> | undefined,
): string {
  if (!replayed || restricted === undefined) return body
  const mayRead = caller.workspaceId !== null && caller.credential.permissions.includes(restricted.permission)
  return mayRead ? body : JSON.stringify(restricted.without(JSON.parse(body)))
}

function callerOf({ caller }: FastifyRequest, { id }: Operation): Caller | PersonalCaller {
  if (caller === null) throw new Error(`${id} was reached without a caller`)
  return caller
}

/** Leaves the body of a form in its socket: the handler reads it. Everything else is refused by its type. */
function leaveBodyUnread(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return scope
}

/** `GET /a/{id}` as its method and its path. */
export function splitAddress(at: string): ['GET' | 'POST', string] {
  const [method, path] = at.split(' ')
  if ((method !== 'GET' && method !== 'POST') || path === undefined)
    throw new Error(`${at} is no operation's address`)
  return [method, path]
}
