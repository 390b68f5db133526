import type { Operation } from '@postrider/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Db, Tx } from '../platform/db.ts'
import { fingerprintOf, type Outcome, type Recorded, withIdempotency } from '../platform/idempotency.ts'
import { isRefusal } from '../platform/refusal.ts'
import type { Caller, OutsideContext, Route } from '../platform/route.ts'
import { pathOf, type SendProblem } from './problem.ts'
import { type CheckedRequest, compileRequestCheck, type RawRequest } from './request-check.ts'
import { forSerialising } from './schema-shape.ts'

export type MountOptions = {
  db: Db
  gate: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | void>
  sendProblem: SendProblem
  /** What stands before every path in an address that clients see; empty, or such as `/postrider`. */
  basePath: string
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Mounts one operation: the gate, then the rules of its request, then replay or handler, then its answer. */
export function mountOperation(app: FastifyInstance, route: Route, options: MountOptions): void {
  const { operation } = route
  const { status, schema } = operation.answer
  const [method, path] = splitAddress(operation.at)
  const check = compileRequestCheck(operation)
  const handle = route.handle as (
    input: unknown,
    context: { caller: Caller; sql: Db | Tx },
  ) => Promise<unknown>
  const handleOutside = route.handle as (
    input: unknown,
    context: Omit<OutsideContext<Operation>, 'render'> & { render: (answer: unknown) => Recorded },
  ) => Promise<Outcome>
  const locate = route.location as ((answer: unknown) => string) | undefined
  const { db, gate, sendProblem, basePath } = options

  async function carryOut(
    request: FastifyRequest,
    reply: FastifyReply,
    input: CheckedRequest,
    caller: Caller,
  ): Promise<Outcome> {
    const asJson = reply.getSerializationFunction(String(status)) as AsJson
    if (operation.idempotency === undefined) {
      const answer = await handle(input, { caller, sql: db })
      return isRefusal(answer) ? answer : { status, body: asJson(answer), replayed: false }
    }
    const { idempotencyKey: key, body } = input
    if (key === null) throw new Error(`${operation.id} passed its check without an idempotency key`)
    const fingerprint = fingerprintOf(operation.id, pathOf(request.url), body)
    const once = { workspaceId: caller.workspaceId, operation: operation.id, key, fingerprint }
    if (route.keepsRecord === true) {
      const render = (answer: unknown) => ({ status, body: asJson(answer) })
      return handleOutside(input, { caller, db, request: once, gone: whenGone(reply), render })
    }
    return withIdempotency(db, once, async (tx) => {
      const answer = await handle(input, { caller, sql: tx })
      return isRefusal(answer) ? answer : { status, body: asJson(answer) }
    })
  }

  app.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: { response: { [status]: forSerialising(schema) } },
    onRequest: gate,
    handler: async (request, reply) => {
      const checked = check(rawRequest(request))
      if (isRefusal(checked)) return sendProblem(request, reply, checked)
      const { caller } = request
      if (caller === null) throw new Error(`${operation.id} was reached without a caller`)

      const outcome = await carryOut(request, reply, checked, caller)
      if (isRefusal(outcome)) return sendProblem(request, reply, outcome)
      if (outcome.replayed) {
        request.idempotentReplay = true
        reply.header('idempotent-replayed', 'true')
      }
      if (locate !== undefined && outcome.status === 201) {
        reply.header('location', `${basePath}${locate(JSON.parse(outcome.body))}`)
      }
      return reply.code(outcome.status).header('content-type', JSON_TYPE).send(outcome.body)
    },
  })
}

type AsJson = (answer: unknown) => string

/** Aborts when the connection closes before the answer is written. */
function whenGone(reply: FastifyReply): AbortSignal {
  const leaving = new AbortController()
  const { raw } = reply
  if (raw.destroyed) leaving.abort()
  else raw.once('close', () => raw.writableEnded || leaving.abort())
  return leaving.signal
}

/** `GET /a/{id}` as its method and its path. */
export function splitAddress(at: string): ['GET' | 'POST', string] {
  const [method, path] = at.split(' ')
  if ((method !== 'GET' && method !== 'POST') || path === undefined)
    throw new Error(`${at} is no operation's address`)
  return [method, path]
}

function rawRequest(request: FastifyRequest): RawRequest {
  const url = request.raw.url ?? '/'
  const mark = url.indexOf('?')
  return {
    params: request.params,
    query: request.query as Record<string, unknown>,
    queryText: mark === -1 ? '' : url.slice(mark + 1),
    body: request.body,
    idempotencyHeader: request.headers['idempotency-key'],
  }
}
