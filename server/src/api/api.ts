import './fastify-types.ts'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { operations as contractOperations, type Operation } from '@postrider/contract'
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyHttpOptions,
  LogController,
} from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import type { RecordAct } from '../platform/act.ts'
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { refuse } from '../platform/refusal.ts'
import type { Route } from '../platform/route.ts'
import { openRequestSpan } from '../platform/tracing.ts'
import { answerFault } from './faults.ts'
import { type Authenticate, gateFor, protectedResourceMetadata } from './gate.ts'
import { parseJson, UnreadableBody } from './json-body.ts'
import { mountOpenApi } from './openapi-routes.ts'
import { mountOperation } from './operation-route.ts'
import { PROBLEM_TYPE, problemOf, problemSender } from './problem.ts'
import { mountProblemPages } from './problem-pages.ts'
import { rateLimit } from './rate-limits.ts'
import { mountReviewPage } from './review-page.ts'
import { type MetricsAccess, mountStatusRoutes, type Readiness } from './status-routes.ts'

export type ApiConfig = {
  /** The address clients use, without a slash at its end. */
  readonly baseUrl: string
  readonly version: string
  /** Requests per minute and credential, for each API process. */
  readonly rateLimitPerMinute: number
  /** How many of these may be writes; as many as there may be requests, when left out. */
  readonly writeLimitPerMinute?: number
  /** Failed authentications per minute and remote address, for each API process; 300 when left out. */
  readonly failedAuthenticationsPerMinute?: number
  /** Whose X-Forwarded-For is believed: nobody's, that of so many proxies in front, or of proxies at these addresses. */
  readonly trustProxy: false | number | readonly string[]
  readonly metrics: MetricsAccess
}

export type ApiParts = {
  readonly db: Db
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  /** Writes into the audit log what callers have changed. */
  readonly recordAct: RecordAct
  readonly config: ApiConfig
  readonly log: Log
  readonly metrics: Metrics
  readonly readiness: () => Promise<Readiness>
  /** What must be routed; the contract's operations when left out. */
  readonly operations?: readonly Operation[]
}

const BODY_LIMIT = 1_048_576

/**
 * The HTTP edge of the Agent API. Throws when an operation has no route, or a route is there twice or for nothing.
 * Not listening yet: more may be registered before `listen` or `inject`.
 */
export function buildApi(parts: ApiParts): FastifyInstance {
  const { db, config, log, metrics } = parts
  const operations = parts.operations ?? contractOperations
  const routes = matchRoutes(operations, parts.routes)
  const sendProblem = problemSender(config.baseUrl)

  const options: FastifyHttpOptions<Server> = {
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: believedProxies(config.trustProxy),
    bodyLimit: BODY_LIMIT,
    // Refused below, in words: Node's own answer has none.
    http: { requireHostHeader: false },
    // A large file on a slow line takes its time; whoever sends anything else has less (see operation-route).
    requestTimeout: 3_600_000,
    return503OnClosing: false,
    genReqId: () => uuidv7(),
    requestIdHeader: false,
    frameworkErrors: (error, request, reply) => {
      // Raised before routing: no hook runs, and no decoration is there.
      Object.assign(request, {
        caller: null,
        operationId: 'other',
        idempotentReplay: false,
        fault: null,
        span: null,
      })
      prepareAnswer(request, reply)
      answer(error, request, reply)
      recordRequest(request, reply)
    },
    clientErrorHandler: (error, socket) => answerUnparsed(error, socket, config.baseUrl),
  }
  const app = fastify(options)
  // One logger for all: a child per request costs more than writing the line does.
  app.setChildLoggerFactory((logger) => logger)
  // Clients that announce a large body wait for a go-ahead; whatever else is expected is ignored.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.server.on('connect', (_request, socket: Socket) =>
    answerUnparsed(new Error('CONNECT'), socket, config.baseUrl),
  )

  function answer(fault: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { refusal, httpStatus, ours } = answerFault(fault)
    if (ours) request.fault = fault
    return sendProblem(request, reply, refusal, httpStatus)
  }

  function recordRequest(request: FastifyRequest, reply: FastifyReply): void {
    const { operationId, caller, fault } = request
    const { statusCode } = reply.raw
    const durationMs = reply.elapsedTime
    request.span?.end(operationId, statusCode, { 'postrider.request_id': request.id })
    metrics.countRequest(operationId, statusCode, durationMs / 1_000)
    const line = {
      operation: operationId,
      status: statusCode,
      ...(request.problemCode === null ? {} : { code: request.problemCode }),
      durationMs: Math.round(durationMs * 100) / 100,
      requestId: request.id,
      ...(caller === null ? {} : { workspaceId: caller.workspaceId, credentialId: caller.credential.id }),
      ...(request.idempotentReplay ? { idempotentReplay: true } : {}),
      ...(fault === null ? {} : { err: fault }),
    }
    if (fault === null) log.info(line, 'request')
    else log.error(line, 'request')
  }

  app.decorateRequest('caller', null)
  app.decorateRequest('operationId', 'other')
  app.decorateRequest('problemCode', null)
  app.decorateRequest('idempotentReplay', false)
  app.decorateRequest('fault', null)
  app.decorateRequest('span', null)

  app.addHook('onRequest', (request, reply, done) => {
    prepareAnswer(request, reply)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      sendProblem(request, reply, refuse('malformed_request', 'Send the header `Host`.'))
      return
    }
    // Before the body is parsed: an address that does not exist has no opinion on bodies.
    if (request.is404) {
      sendProblem(request, reply, nothingHere(request))
      return
    }
    request.span = openRequestSpan(request.method, request.headers)
    if (request.span === null) done()
    else request.span.within(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    recordRequest(request, reply)
    done()
  })
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, nothingHere(request)))
  app.setErrorHandler((fault, request, reply) => answer(fault, request, reply))

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      refuseOtherTypes(request)
      done(null, parseJson(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })

  const metadataPath = '/.well-known/oauth-protected-resource'
  const gate = {
    db,
    authenticate: parts.authenticate,
    metadataUrl: `${config.baseUrl}${metadataPath}`,
    requests: rateLimit('default', config.rateLimitPerMinute),
    writes: config.writeLimitPerMinute === undefined ? null : rateLimit('writes', config.writeLimitPerMinute),
    failures: rateLimit('failures', config.failedAuthenticationsPerMinute ?? 300),
    sendProblem,
  }
  const basePath = new URL(config.baseUrl).pathname.replace(/\/$/, '')
  for (const route of routes) {
    const { recordAct } = parts
    mountOperation(app, route, { db, gate: gateFor(route.operation, gate), sendProblem, basePath, recordAct })
  }
  const metadata = protectedResourceMetadata(config.baseUrl)
  app.get(metadataPath, (request, reply) => {
    request.operationId = 'protectedResourceMetadata'
    return reply.send(metadata)
  })
  mountProblemPages(app, config.baseUrl, sendProblem)
  mountReviewPage(app, config.baseUrl, sendProblem)
  mountOpenApi(app, { baseUrl: config.baseUrl, basePath, version: config.version, operations })
  mountStatusRoutes(app, { readiness: parts.readiness, metrics, metricsAccess: config.metrics, sendProblem })
  return app
}

/** Fastify itself believes no number of proxies, since a client that reaches it directly could forge them. */
function believedProxies(
  trusted: ApiConfig['trustProxy'],
): false | string[] | ((address: string, hop: number) => boolean) {
  if (trusted === false) return false
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : [...trusted]
}

/** What every answer carries. Routes that serve pages relax the policy and the caching for themselves. */
function prepareAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  reply.header('cache-control', 'no-store')
  reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  reply.header('x-content-type-options', 'nosniff')
  reply.header('referrer-policy', 'no-referrer')
}

function matchRoutes(operations: readonly Operation[], routes: readonly Route[]): Route[] {
  const byId = new Map<string, Route>()
  for (const route of routes) {
    if (byId.has(route.operation.id)) throw new Error(`The operation ${route.operation.id} has two routes.`)
    byId.set(route.operation.id, route)
  }
  const matched = operations.map((operation) => {
    const route = byId.get(operation.id)
    if (route === undefined) throw new Error(`The operation ${operation.id} has no route.`)
    byId.delete(operation.id)
    return route
  })
  if (byId.size > 0)
    throw new Error(`No operation is declared for the routes ${[...byId.keys()].join(', ')}.`)
  return matched
}

function nothingHere(request: FastifyRequest) {
  return refuse(
    'not_found',
    `There is no ${request.method} at this address. The API is described at /openapi.`,
  )
}

/** Throws UnreadableBody where the headers call the body something else than JSON in UTF-8, or call it two things. */
function refuseOtherTypes(request: FastifyRequest): void {
  // Node keeps the first of several and drops the rest, which somebody on the way may have gone by.
  const names = request.raw.rawHeaders.filter((text, index) => index % 2 === 0 && isContentType(text))
  if (names.length > 1) throw new UnreadableBody('Send the header `Content-Type` once.')
  const type = request.headers['content-type'] ?? ''
  if (type === 'application/json') return
  const charset = /;\s*charset="?([^";\s]+)/i.exec(type)?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new UnreadableBody(
      'JSON is sent in UTF-8 only. Leave the charset out, or send `charset=utf-8`.',
      415,
    )
  }
}

function isContentType(name: string): boolean {
  return name.length === 12 && name.toLowerCase() === 'content-type'
}

/** Answers what the HTTP parser could not read: there is no request, only a socket. */
function answerUnparsed(error: Error & { code?: string }, socket: Socket, baseUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [httpStatus, reason, detail] = unparsedAnswer(error.code)
  const requestId = uuidv7()
  const problem = problemOf(refuse('malformed_request', detail), { baseUrl, path: '', requestId, httpStatus })
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${httpStatus} ${reason}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function unparsedAnswer(code: string | undefined): [number, string, string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return [
      431,
      'Request Header Fields Too Large',
      'The headers and the address together are larger than 16 KiB.',
    ]
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [408, 'Request Timeout', 'The request did not arrive in time.']
  return [400, 'Bad Request', 'This is no HTTP/1.1 request that could be answered here.']
}
