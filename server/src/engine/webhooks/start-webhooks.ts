import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Db } from '../../platform/postgres/db.ts'
import type { Log } from '../../platform/process/log.ts'
import type { TargetRules } from '../../platform/outbound/outbound-guard.ts'
import { openOutbound } from '../../platform/outbound/outbound-http.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import { type IsTrouble, troubleReporter } from '../../platform/loops/report-trouble.ts'
import { inSpan } from '../../platform/process/tracing.ts'
import type { Claimed, Completion } from './delivery-store.ts'
import { startDispatcher, type Dispatcher, type WebhookTask, webhookTasks } from './dispatcher.ts'
import { attemptErrors, retriedErrors } from './retry-policy.ts'
import { openSecrets } from './endpoint-secrets.ts'
import { signingKey, type SigningKey } from './signing.ts'

export type WebhooksParts = {
  readonly db: Db
  readonly keyring: Pick<Keyring, 'unseal'>
  readonly log: Log
  /** That of the process; one of its own when left out. */
  readonly isTrouble?: IsTrouble
  readonly registry: Registry
  readonly rules: TargetRules
  /** How many deliveries may be in flight at once. */
  readonly concurrency: number
  /** Whether the headers of Standard Webhooks are sent beside our own. */
  readonly standardHeaders: boolean
  /** For tests on a short clock; 30 s when left out. */
  readonly leaseMs?: number
  /** Certificates trusted beside the system's. */
  readonly extraCa?: string
}

/** Limits of one delivery (ms): name, TCP and TLS; all of it; reading on after the status. */
const CONNECT_MS = 5_000
const TOTAL_MS = 15_000
const DROP_BODY_AFTER_MS = 1_000
const BODY_MAX_BYTES = 16 * 1_024

const LEASE_MS = 30_000
const FIVE_DAYS_MS = 5 * 86_400_000
/** Single messages lost far apart do not make an endpoint dead. */
const MIN_LOST = 5

/** Starts the dispatcher of this process on its real parts. */
export async function startWebhooks(parts: WebhooksParts): Promise<Dispatcher> {
  const { db, log, registry, keyring, rules, extraCa } = parts
  const metrics = webhookMetrics(registry)
  const outbound = openOutbound({
    connectMs: CONNECT_MS,
    totalMs: TOTAL_MS,
    dropBodyAfterMs: DROP_BODY_AFTER_MS,
    bodyMaxBytes: BODY_MAX_BYTES,
    rules,
    userAgent: 'Postrider-Webhooks/1',
    ...(extraCa === undefined ? {} : { extraCa }),
  })
  const { isTrouble = troubleReporter(log) } = parts
  const onFault = (fault: unknown, doing: WebhookTask) => {
    // The dispatcher goes on from the rows.
    if (isTrouble(fault, doing)) return
    metrics.countFault(doing)
    log.error({ err: fault, doing }, 'webhook fault')
  }

  const dispatcher = await startDispatcher({
    db,
    slots: parts.concurrency,
    leaseMs: parts.leaseMs ?? LEASE_MS,
    sweepEveryMs: (parts.leaseMs ?? LEASE_MS) / 6,
    disablePolicy: { failingMs: FIVE_DAYS_MS, lostAtLeast: MIN_LOST },
    sending: {
      // The address of an endpoint may have a token in it.
      call: (request) =>
        inSpan(
          'call',
          { isCall: true, attributes: { 'http.request.method': request.method } },
          async (span) => {
            const answer = await outbound.call(request)
            if (answer.arrived) span?.set({ 'http.response.status_code': answer.response.status })
            else span?.fail()
            return answer
          },
        ),
      openKeys: keyOpener(keyring, onFault),
      standardHeaders: parts.standardHeaders,
      random: Math.random,
    },
    onAttempt(claimed, completion, stored) {
      metrics.countAttempt(completion)
      log.info({ ...deliveryLine(claimed, completion), ...(stored === 'lost' ? { stored } : {}) }, 'delivery')
    },
    onDisabled: ({ workspaceId, endpointId }) =>
      log.warn(
        { workspaceId, endpointId },
        'a webhook endpoint was disabled: it failed for five days without one success',
      ),
    onAutoReplay: (replayed) => log.info(replayed, 'deliveries that failed are sent again'),
    onFault,
  })
  metrics.watchInFlight(dispatcher.inFlight)
  return {
    ...dispatcher,
    async stop(withinMs) {
      await dispatcher.stop(withinMs)
      await outbound.close()
    },
  }
}

const MAX_OPENED = 1_000

/** Opens secrets, and keeps those of recent endpoints open: each delivery would decrypt the same ones again. */
function keyOpener(keyring: Pick<Keyring, 'unseal'>, onFault: (fault: unknown, doing: WebhookTask) => void) {
  const opened = new Map<string, { sealed: readonly Buffer[]; readonly keys: readonly SigningKey[] }>()
  return ({ endpointId, sealedSecrets }: Claimed): readonly SigningKey[] | null => {
    const known = opened.get(endpointId)
    if (known !== undefined && isEqual(known.sealed, sealedSecrets)) {
      known.sealed = sealedSecrets
      return known.keys
    }
    try {
      const keys = openSecrets(keyring, endpointId, sealedSecrets).map(signingKey)
      if (opened.size >= MAX_OPENED) opened.clear()
      opened.set(endpointId, { sealed: sealedSecrets, keys })
      return keys
    } catch (fault) {
      onFault(fault, 'open secrets')
      return null
    }
  }
}

function isEqual(some: readonly Buffer[], others: readonly Buffer[]): boolean {
  // What was claimed together shares them.
  if (some === others) return true
  return some.length === others.length && some.every((each, place) => others[place]?.equals(each) === true)
}

/** One line for one attempt. Never the body, a secret, a signature or the address, which may hold a token. */
function deliveryLine(claimed: Claimed, { decision, httpStatus, durationMs }: Completion) {
  return {
    workspaceId: claimed.workspaceId,
    endpointId: claimed.endpointId,
    eventId: claimed.eventId,
    type: claimed.eventType,
    attempt: claimed.attempt,
    move: decision.move,
    ...(httpStatus === null ? {} : { httpStatus }),
    ...(decision.error === null ? {} : { error: decision.error }),
    durationMs,
  }
}

function webhookMetrics(registry: Registry) {
  const attempts = new Counter({
    name: 'postrider_webhook_attempts_total',
    help: 'Attempts to deliver an event, by what followed.',
    labelNames: ['move', 'error'] as const,
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'postrider_webhook_attempt_duration_seconds',
    help: 'Time from the begin of an attempt to its answer.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [registry],
  })
  const faults = new Counter({
    name: 'postrider_webhook_faults_total',
    help: 'Faults of the dispatcher itself.',
    labelNames: ['doing'] as const,
    registers: [registry],
  })
  // What appears with its first count hides that one from a rate.
  for (const doing of webhookTasks) faults.inc({ doing }, 0)
  attempts.inc({ move: 'confirm', error: 'none' }, 0)
  for (const error of [...retriedErrors, 'http_status']) attempts.inc({ move: 'defer', error }, 0)
  for (const error of Object.keys(attemptErrors)) attempts.inc({ move: 'exhaust', error }, 0)
  // Looking labels up costs more than counting; there are few pairs.
  const known = new Map<string, Counter.Internal>()
  return {
    countAttempt({ decision, durationMs }: Completion) {
      const { move, error } = decision
      const pair = `${move} ${error}`
      const series = known.get(pair) ?? attempts.labels({ move, error: error ?? 'none' })
      known.set(pair, series)
      series.inc()
      durations.observe(durationMs / 1_000)
    },
    countFault: (doing: WebhookTask) => faults.inc({ doing }),
    watchInFlight(look: Dispatcher['inFlight']) {
      const gauge = new Gauge({
        name: 'postrider_webhook_deliveries_in_flight',
        help: 'Deliveries being sent by this process, by lane.',
        labelNames: ['lane'] as const,
        registers: [registry],
        collect() {
          for (const [lane, count] of Object.entries(look())) gauge.set({ lane }, count)
        },
      })
    },
  }
}
