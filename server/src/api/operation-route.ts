import type { Bytes, Operation } from '@postrider/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import type { ActDetails, RecordAct } from '../platform/act.ts'
import type { Db, Tx } from '../platform/db.ts'
import {
  findAnswer,
  fingerprintOf,
  type Outcome,
  type Recorded,
  withIdempotency,
} from '../platform/idempotency.ts'
import { isRefusal, type Refusal } from '../platform/refusal.ts'
import type { Caller, OutsideContext, Route } from '../platform/route.ts'
import { auditedAct } from './audited.ts'
import { sendBytes } from './bytes-answer.ts'
import { readForm } from './form-body.ts'
import { readIdempotencyHeader } from './idempotency-key.ts'
import { pathOf, type SendProblem } from './problem.ts'
import {
  type CheckedRequest,
  compileRequestCheck,
  type RawRequest,
  refuseViolations,
} from './request-check.ts'
import { forSerialising } from './schema-shape.ts'

export type MountOptions = {
  db: Db
  gate: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | void>
  sendProblem: SendProblem
  /** What stands before every path in an address that clients see; empty, or such as `/postrider`. */
  basePath: string
  recordAct: RecordAct
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Mounts one operation: the gate, then the rules of its request, then replay or handler, then its answer. */
export function mountOperation(app: FastifyInstance, route: Route, options: MountOptions): void {
  const { operation } = route
  const { status, schema, bytes } = operation.answer
  const [method, path] = splitAddress(operation.at)
  const check = compileRequestCheck(operation)
  const handle = route.handle as (
    input: unknown,
    context: { caller: Caller; sql: Db | Tx; audit: (details: ActDetails) => void },
    file?: unknown,
  ) => Promise<unknown>
  const handleOutside = route.handle as (
    input: unknown,
    context: Omit<OutsideContext<Operation>, 'render'> & { render: (answer: unknown) => Recorded },
  ) => Promise<Outcome>
  const locate = route.location as ((answer: unknown) => string) | undefined
  const { db, gate, sendProblem, basePath, recordAct } = options

  async function answerWrite(request: FastifyRequest, caller: Caller, asJson: AsJson): Promise<Outcome> {
    const checked = check(rawRequest(request))
    if (isRefusal(checked)) return checked
    const act = auditedAct(operation, request, { caller, params: checked.params, recordAct })
    const once = { ...onceOf(request, checked, caller, checked.body), audit: act.record }
    return withIdempotency(db, once, async (tx) => {
      const answer = await handle(checked, { caller, sql: tx, audit: act.say })
      return isRefusal(answer) ? answer : { status, body: asJson(answer) }
    })
  }

  /** The handler asks somebody outside, and keeps the record itself. */
  async function answerOutside(request: FastifyRequest, reply: FastifyReply, caller: Caller, asJson: AsJson) {
    const checked = check(rawRequest(request))
    if (isRefusal(checked)) return checked
    // Where none is asked for, a request without a key has one that nobody else can know.
    const idempotencyKey =
      checked.idempotencyKey ?? (operation.idempotency === 'optional header' ? uuidv7() : null)
    const act = auditedAct(operation, request, { caller, params: checked.params, recordAct })
    const once = {
      ...onceOf(request, { ...checked, idempotencyKey }, caller, checked.body),
      audit: act.record,
    }
    const render = (answer: unknown) => ({ status, body: asJson(answer) })
    return handleOutside(checked, { caller, db, request: once, gone: whenGone(reply), render })
  }

  /** Receives and prepares the file first: the transaction only writes, and may be tried again. */
  async function answerUpload(request: FastifyRequest, caller: Caller, asJson: AsJson): Promise<Outcome> {
    const { receive } = route
    if (operation.file === undefined || receive === undefined)
      throw new Error(`${operation.id} takes no file`)
    // Without a key nothing can come of it, so that not a byte is worth receiving.
    const header = readIdempotencyHeader(request.headers['idempotency-key'])
    if ('violation' in header) return refuseViolations([header.violation])
    const form = await readForm(request.raw, {
      file: operation.file.field,
      fields: operation.body,
      receive: (file) => receive(file, caller),
    })
    if (isRefusal(form)) return form
    const { fields, upload, violations } = form
    try {
      const checked = check({ ...rawRequest(request), body: fields }, violations)
      if (isRefusal(checked)) return checked
      if (upload === null) throw new Error(`${operation.id} passed its check without a file`)

      const act = auditedAct(operation, request, { caller, params: checked.params, recordAct })
      const content = { ...fields, [operation.file.field]: upload.sha256 }
      const once = { ...onceOf(request, checked, caller, content), audit: act.record }
      const known = await findAnswer(db, once)
      if (known !== null) return known
      const prepared = await upload.prepare()
      if (isRefusal(prepared)) return prepared
      const outcome = await withIdempotency(db, once, async (tx) => {
        const answer = await handle(checked, { caller, sql: tx, audit: act.say }, prepared.value)
        return isRefusal(answer) ? answer : { status, body: asJson(answer) }
      })
      // Not after a throw: then the transaction may have been committed, and the item needs what was prepared.
      if (isRefusal(outcome) || outcome.replayed) await prepared.abandon()
      return outcome
    } finally {
      await upload?.dispose()
    }
  }

  async function read(request: FastifyRequest, caller: Caller): Promise<unknown> {
    const checked = check(rawRequest(request))
    return isRefusal(checked) ? checked : handle(checked, { caller, sql: db, audit: () => undefined })
  }

  async function answerRead(request: FastifyRequest, caller: Caller, asJson: AsJson): Promise<Outcome> {
    const answer = await read(request, caller)
    return isRefusal(answer) ? answer : { status, body: asJson(answer), replayed: false }
  }

  async function answerBytes(request: FastifyRequest, reply: FastifyReply, caller: Caller) {
    const answer = await read(request, caller)
    return isRefusal(answer)
      ? sendProblem(request, reply, answer)
      : sendBytes(request, reply, answer as Bytes)
  }

  function onceOf(
    request: FastifyRequest,
    { idempotencyKey: key }: CheckedRequest,
    caller: Caller,
    body: unknown,
  ) {
    if (key === null) throw new Error(`${operation.id} passed its check without an idempotency key`)
    const fingerprint = fingerprintOf(operation.id, pathOf(request.url), body)
    return { workspaceId: caller.workspaceId, operation: operation.id, key, fingerprint }
  }

  const mount = (to: FastifyInstance) =>
    to.route({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      ...(bytes === undefined ? { schema: { response: { [status]: forSerialising(schema) } } } : {}),
      onRequest: operation.file === undefined ? [limitTime(app), gate] : gate,
      handler: async (request, reply) => {
        const { caller } = request
        if (caller === null) throw new Error(`${operation.id} was reached without a caller`)
        if (bytes !== undefined) return answerBytes(request, reply, caller)
        const asJson = reply.getSerializationFunction(String(status)) as AsJson
        const outcome =
          operation.idempotency === undefined
            ? await answerRead(request, caller, asJson)
            : route.keepsRecord === true
              ? await answerOutside(request, reply, caller, asJson)
              : operation.file === undefined
                ? await answerWrite(request, caller, asJson)
                : await answerUpload(request, caller, asJson)
        if (isRefusal(outcome)) {
          if (operation.file !== undefined) endUnread(request)
          return sendProblem(request, reply, outcome)
        }
        return sendOutcome(request, reply, outcome)
      },
    })

  function sendOutcome(request: FastifyRequest, reply: FastifyReply, outcome: Exclude<Outcome, Refusal>) {
    if (outcome.replayed) {
      request.idempotentReplay = true
      reply.header('idempotent-replayed', 'true')
    }
    if (locate !== undefined && outcome.status === 201) {
      reply.header('location', `${basePath}${locate(JSON.parse(outcome.body))}`)
    }
    return reply.code(outcome.status).header('content-type', JSON_TYPE).send(outcome.body)
  }

  if (operation.file === undefined) mount(app)
  else void app.register(async (scope) => void mount(readingForms(scope)))
}

/** Leaves the body of a form in its socket: the handler reads it. Everything else is refused by its type. */
function readingForms(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return scope
}

const BODY_MS = 120_000
const UNREAD_MS = 10_000

/** Whoever sends a body that fits into a moment has a moment for it. */
function limitTime({ server }: FastifyInstance) {
  return async ({ raw }: FastifyRequest): Promise<void> => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers
    if (length === '0' && encoding === undefined) return
    const late = () => Object.assign(new Error('a body took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    const timer = setTimeout(() => server.emit('clientError', late(), raw.socket), BODY_MS)
    raw.once('close', () => clearTimeout(timer))
    raw.once('end', () => clearTimeout(timer))
  }
}

/** A client that was refused may go on sending for a moment, so that it comes to read the answer. */
function endUnread({ raw }: FastifyRequest): void {
  if (raw.complete) return
  const timer = setTimeout(() => raw.complete || raw.destroy(), UNREAD_MS).unref()
  raw.once('close', () => clearTimeout(timer))
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
