import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IsTrouble } from '../../../platform/loops/report-trouble.ts'
import type { Log } from '../../../platform/process/log.ts'
import type { Metrics } from '../../../platform/process/metrics.ts'
import { type Refusal, refuse } from '../../operations/refusal.ts'
import type { Caller, PersonalCaller } from '../../operations/route.ts'
import { openRequestSpan } from '../../../platform/process/tracing.ts'
import { answerFault } from '../operation/faults.ts'
import { type KnownMethods, recordMethods } from './known-methods.ts'
import { pathOf, type SendProblem } from '../documents/problem.ts'
import { findHeaderFault } from './request-headers.ts'

/** What happens to every request, whatever it asks for. */
export type RequestLifecycle = {
  /** The steps of a request that is routed. */
  readonly attach: (app: FastifyInstance) => void
  /** All of it at once, for what is refused before any hook runs. */
  readonly refuseUnrouted: (fault: unknown, request: FastifyRequest, reply: FastifyReply) => void
}

/** Shows a person that there is no page at an address. */
export type SendNotFoundPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
) => Promise<void>

/** What a request carries from the beginning. */
const UNKNOWN = {
  caller: null,
  confirmCaller: null,
  countWrites: null,
  operationId: 'other',
  problemCode: null,
  idempotentReplay: false,
  fault: null,
  span: null,
} as const

/** Asked every few seconds by machines. */
const PROBES: ReadonlySet<string> = new Set(['healthz', 'readyz', 'metrics'])

/** Where programs ask, of which some accept HTML without meaning it. */
const FOR_PROGRAMS = /^\/(?:agent|app|mcp|oauth|\.well-known)(?:\/|$)/

export function requestLifecycle(parts: {
  sendProblem: SendProblem
  /** Whether people open the server by https. */
  secure: boolean
  log: Log
  isTrouble: IsTrouble
  metrics: Metrics
  /** Left out where no pages are served. */
  sendNotFoundPage?: SendNotFoundPage | undefined
}): RequestLifecycle {
  const { sendProblem, log, isTrouble, metrics, sendNotFoundPage, secure } = parts

  function answerThrown(fault: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { refusal, httpStatus, ours } = answerFault(fault)
    if (ours) request.fault = fault
    return sendProblem(request, reply, refusal, httpStatus)
  }

  function record(request: FastifyRequest, { raw: { statusCode }, elapsedTime }: FastifyReply): void {
    const { operationId, fault } = request
    request.span?.end(operationId, statusCode, { 'postrider.request_id': request.id })
    metrics.countRequest(operationId, statusCode, elapsedTime / 1_000, request.caller?.workspaceId)
    if (statusCode === 500) metrics.countFault()
    // Told once for all requests that meet it.
    if (fault !== null && isTrouble(fault, operationId)) request.fault = null
    const level = request.fault !== null ? 'error' : PROBES.has(operationId) ? 'debug' : 'info'
    if (log.isLevelEnabled(level)) log[level](logLine(request, statusCode, elapsedTime), 'request')
  }

  return {
    attach(app) {
      const answerUnrouted = unroutedAnswer(sendProblem, recordMethods(app), sendNotFoundPage)
      for (const [name, value] of Object.entries<unknown>(UNKNOWN)) app.decorateRequest(name, value)
      app.addHook('onRequest', (request, reply, done) => {
        setCommonHeaders(request, reply, secure)
        const fault = findHeaderFault(request.raw)
        if (fault !== null) {
          sendProblem(request, reply, fault)
          return
        }
        // 404 before body parsing.
        if (request.is404) {
          answerUnrouted(request, reply)
          return
        }
        // Probes would be most of what is traced.
        if (!PROBES.has(request.routeOptions.url?.slice(1) ?? ''))
          request.span = openRequestSpan(request.method, request.headers)
        done()
      })
      // Once the body is read: what is read of a socket knows of no request.
      app.addHook('preHandler', (request, _reply, done) => {
        if (request.span === null) done()
        else request.span.goOn(done)
      })
      // Where the body is wanted. A client that was refused before need not send it.
      app.addHook('preParsing', (request, reply, _payload, done) => {
        if (expectsContinue(request)) reply.raw.writeContinue()
        done()
      })
      app.addHook('onResponse', (request, reply, done) => {
        record(request, reply)
        done()
      })
      app.setNotFoundHandler(answerUnrouted)
      app.setErrorHandler(answerThrown)
    },
    refuseUnrouted(fault, request, reply) {
      Object.assign(request, UNKNOWN)
      setCommonHeaders(request, reply, secure)
      answerThrown(fault, request, reply)
      record(request, reply)
    },
  }
}

/**
 * Answers where nothing is: a browser by a page, whatever else by a problem. A path that is there says which methods it has
 * (RFC 9110, 15.5.6).
 */
function unroutedAnswer(
  sendProblem: SendProblem,
  methodsOf: KnownMethods,
  sendNotFoundPage: SendNotFoundPage | undefined,
) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = pathOf(request.raw.url ?? '/')
    const methods = methodsOf(path)
    const isUnknown = methods.length === 0 || methods.includes(request.method)
    const refusal = isUnknown ? nothingHere(request) : noSuchMethod(request, methods)
    if (!isUnknown) reply.header('allow', methods.join(', '))
    if (sendNotFoundPage === undefined || !opensPage(request, path))
      return sendProblem(request, reply, refusal)
    // Fastify goes on with the request once a hook's promise settles: this one is kept from it.
    sendNotFoundPage(request, reply, refusal).catch((fault: unknown) => reply.send(fault))
    return reply
  }
}

/** Whether a person opens the address in a browser. */
function opensPage({ method, headers }: FastifyRequest, path: string): boolean {
  const opens = (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '')
  return opens && !FOR_PROGRAMS.test(path)
}

function logLine(request: FastifyRequest, status: number, elapsedMs: number): Record<string, unknown> {
  const { operationId, caller, fault, problemCode } = request
  // The pattern of the route: ids and secrets stay out of the log.
  const { url: path } = request.routeOptions ?? {}
  return {
    operation: operationId,
    method: request.method,
    ...(path === undefined ? {} : { path }),
    address: request.ip,
    status,
    ...(problemCode === null ? {} : { code: problemCode }),
    durationMs: Math.round(elapsedMs * 100) / 100,
    requestId: request.id,
    ...(caller?.workspaceId == null ? {} : { workspaceId: caller.workspaceId }),
    ...(caller === null ? {} : partyIn(caller)),
    ...(request.idempotentReplay ? { idempotentReplay: true } : {}),
    ...(fault === null ? {} : { err: fault }),
  }
}

/** By which credential it came, and of a member, in which role: what a session or a key may do is never more than that. */
function partyIn(caller: Caller | PersonalCaller): Record<string, unknown> {
  if (caller.workspaceId !== null) {
    const { credential, member } = caller
    return { credential: credential.type, credentialId: credential.id, role: member.role }
  }
  return caller.credential === null ? {} : { credential: 'person', credentialId: caller.credential.id }
}

/** RFC 9110, 10.1.1. */
function expectsContinue({ raw }: FastifyRequest): boolean {
  return (
    raw.headers.expect !== undefined &&
    raw.httpVersion === '1.1' &&
    /\b100-continue\b/i.test(raw.headers.expect)
  )
}

/** A year: what browsers ask of sites that mean it. Subdomains are others' business. */
const HSTS = 'max-age=31536000'

/** What every answer carries. Routes that serve pages relax the policy and the caching for themselves. */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply, secure: boolean): void {
  // Told by plain http, it would be ignored (RFC 6797, 8.1).
  if (secure) reply.header('strict-transport-security', HSTS)
  reply.header('x-request-id', request.id)
  reply.header('cache-control', 'no-store')
  reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  reply.header('x-content-type-options', 'nosniff')
  reply.header('referrer-policy', 'no-referrer')
}

function noSuchMethod({ method }: FastifyRequest, methods: readonly string[]) {
  const detail = `There is no ${method} at this address; it has ${methods.join(', ')}. The API is described at /openapi.`
  return refuse('method_not_allowed', detail)
}

function nothingHere(request: FastifyRequest) {
  return refuse(
    'not_found',
    `There is no ${request.method} at this address. The API is described at /openapi.`,
  )
}
