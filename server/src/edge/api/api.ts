import './http/fastify-types.ts'
import type { Server } from 'node:http'
import fastify, { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify'
import type { RecordAct } from '../operations/act.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type IsTrouble, troubleReporter } from '../../platform/loops/report-trouble.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Metrics } from '../../platform/process/metrics.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { CONNECTION_RULES, type ConnectionRules } from './http/connections.ts'
import { httpServer } from './http/http-server.ts'
import { acceptJson } from './request/json-body.ts'
import { keepOneName } from './request/own-name.ts'
import { mountFamily, type OperationFamily } from './operation/operation-family.ts'
import { siteOf } from '../../platform/outbound/site.ts'
import { problemSender } from './documents/problem.ts'
import { mountProblemPages } from './documents/problem-pages.ts'
import { requestLifecycle, type RequestLifecycle, type SendNotFoundPage } from './http/request-lifecycle.ts'
import { type MetricsAccess, type Ailment, mountStatusRoutes, type Readiness } from './http/status-routes.ts'

export type ApiConfig = {
  /** The address clients use, without a slash at its end. */
  readonly baseUrl: string
  readonly version: string
  /** Whose X-Forwarded-For is believed: none, that of so many proxies in front, or of proxies at these addresses. */
  readonly trustProxy: false | number | readonly string[]
  readonly metrics: MetricsAccess
  /** How many connections may be open, and how long a slow one is borne with. */
  readonly connections?: Partial<ConnectionRules>
}

export type ApiParts = {
  readonly db: Db
  readonly families: readonly OperationFamily[]
  /** Mounts what is no operation: pages. */
  readonly mounts?: readonly ((app: FastifyInstance) => void)[]
  /** What a browser is shown at an address where nothing is; without it, a problem. */
  readonly sendNotFoundPage?: SendNotFoundPage
  /** Writes into the audit log what callers have changed. */
  readonly recordAct: RecordAct
  readonly config: ApiConfig
  readonly log: Log
  /** That of the process; one of its own when left out. */
  readonly isTrouble?: IsTrouble
  readonly metrics: Metrics
  readonly readiness: () => Promise<Readiness>
  readonly ailment?: () => Ailment | null
  readonly warnings: () => Promise<readonly string[]>
}

/**
 * The HTTP edge: families of operations, and what belongs to none. Throws unless each operation has exactly one route.
 * Not listening yet: more may be registered before `listen` or `inject`.
 */
export function buildApi(parts: ApiParts): FastifyInstance {
  const { db, recordAct, config, log, metrics } = parts
  const { baseUrl, version } = config
  const sendProblem = problemSender(baseUrl)
  const lifecycle = requestLifecycle({
    sendProblem,
    secure: siteOf(baseUrl).secure,
    log,
    isTrouble: parts.isTrouble ?? troubleReporter(log),
    metrics,
    sendNotFoundPage: parts.sendNotFoundPage,
  })

  const app = openServer(config, log, lifecycle)
  lifecycle.attach(app)
  keepOneName(app, baseUrl)
  acceptJson(app)
  const mounting = { db, recordAct, sendProblem, baseUrl, version }
  for (const family of parts.families) mountFamily(app, family, mounting)
  for (const mount of parts.mounts ?? []) mount(app)
  mountProblemPages(app, baseUrl, sendProblem)
  const { readiness, warnings, ailment = () => null } = parts
  mountStatusRoutes(app, {
    readiness,
    warnings,
    ailment,
    metrics,
    metricsAccess: config.metrics,
    sendProblem,
  })
  return app
}

function openServer(
  { baseUrl, trustProxy, connections }: ApiConfig,
  log: Log,
  lifecycle: RequestLifecycle,
): FastifyInstance {
  const http = httpServer({ baseUrl, log, rules: { ...CONNECTION_RULES, ...connections } })
  const options: FastifyHttpOptions<Server> = {
    serverFactory: http.create,
    // Answered for in http-server, with every other event of a socket.
    clientErrorHandler: () => undefined,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: believedProxies(trustProxy),
    return503OnClosing: false,
    genReqId: uuidv7,
    requestIdHeader: false,
    frameworkErrors: lifecycle.refuseUnrouted,
    // No route has a schema of Fastify's: operations check and write by their own, and Fastify would load its compilers for none.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
  }
  const app = fastify(options)
  // One logger for all: a child per request costs more than writing the line does.
  app.setChildLoggerFactory((logger) => logger)
  app.addHook('preClose', (done) => {
    http.stopServing()
    done()
  })
  return app
}

function noCompiler(): never {
  throw new Error('A route has a schema of Fastify’s.')
}

/** Fastify itself believes no number of proxies, since a client that reaches it directly could forge them. */
function believedProxies(
  trusted: ApiConfig['trustProxy'],
): false | string[] | ((address: string, hop: number) => boolean) {
  if (trusted === false) return false
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : [...trusted]
}
