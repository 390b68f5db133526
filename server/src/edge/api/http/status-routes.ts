import type { FastifyInstance } from 'fastify'
import type { SchemaStatus } from '../../../platform/postgres/migrate.ts'
import type { Metrics } from '../../../platform/process/metrics.ts'
import { commit, version } from '../../../platform/process/version.ts'
import { refuse } from '../../operations/refusal.ts'
import type { SendProblem } from '../documents/problem.ts'

/** Whether this process can do its work, and who does the rest. */
export type Readiness = {
  /** `stopping` while it still works, and is about to end. */
  readonly status: 'ready' | 'not_ready' | 'stopping'
  readonly database: 'reachable' | 'unreachable' | 'not_writable' | 'unknown'
  /** Why it is not ready, in words for an operator, with the code of the fault and without addresses. */
  readonly reason: string | null
  readonly schema: SchemaStatus | 'unknown'
  /** Every worker of the last day that has not signed off, those that have died among them. */
  readonly workers: readonly {
    readonly roles: readonly string[]
    readonly heartbeatAgeSeconds: number
    readonly alive: boolean
  }[]
}

/** What no waiting mends; null while there is no such thing. */
export type Ailment = { readonly status: 'database_down'; readonly message: string }

export type MetricsAccess = 'open' | 'off' | { readonly bearer: string }

/** Mounts what operators and orchestrators ask: is it alive, can it work, what does it measure. */
export function mountStatusRoutes(
  app: FastifyInstance,
  options: {
    readiness: () => Promise<Readiness>
    ailment: () => Ailment | null
    /** What is late, failed or missing, whichever process is to blame: no reason to take requests from this one. */
    warnings: () => Promise<readonly string[]>
    metrics: Metrics
    metricsAccess: MetricsAccess
    sendProblem: SendProblem
  },
): void {
  const { readiness, warnings, ailment, metrics, metricsAccess, sendProblem } = options

  app.get('/healthz', async (request, reply) => {
    request.operationId = 'healthz'
    const found = ailment()
    return reply.code(found === null ? 200 : 503).send(found ?? { status: 'ok' })
  })

  app.get('/readyz', async (request, reply) => {
    request.operationId = 'readyz'
    const [found, late] = await Promise.all([readiness(), warnings()])
    return reply
      .code(found.status === 'ready' ? 200 : 503)
      .send({ ...found, warnings: late, version, commit })
  })

  if (metricsAccess === 'off') return
  app.get('/metrics', async (request, reply) => {
    request.operationId = 'metrics'
    if (metricsAccess !== 'open' && request.headers.authorization !== `Bearer ${metricsAccess.bearer}`) {
      reply.header('www-authenticate', 'Bearer')
      return sendProblem(
        request,
        reply,
        refuse('invalid_credential', 'The metrics need the token of the configuration.'),
      )
    }
    const { contentType, text } = await metrics.render()
    return reply.header('content-type', contentType).send(text)
  })
}
