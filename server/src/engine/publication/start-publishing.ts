import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import { openAuthorization } from '../../networks/channels/authorization.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { elapsedClock } from '../../platform/process/elapsed-clock.ts'
import type { Log } from '../../platform/process/log.ts'
import type { TargetRules } from '../../platform/outbound/outbound-guard.ts'
import { openOutbound } from '../../platform/outbound/outbound-http.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import type { Authorization, Providers } from '../../networks/providers/port/port.ts'
import { recorded, type CallRecorder } from '../../networks/providers/port/record-call.ts'
import { openSender } from '../../networks/providers/port/send-request.ts'
import { absenceCountsAfterMs, type CallTimes, callTimes } from './call-times.ts'
import type { AttemptReport, MediaSource, NetworkAccess } from './engine-port.ts'
import { outageStore } from '../queue/outage-store.ts'
import type { WorkspaceLabel } from '../../platform/process/workspace-labels.ts'
import { publicationMetrics } from './publication-metrics.ts'
import { publicationStore } from '../queue/engine-store.ts'
import { startPublisher, type Publisher } from './publisher.ts'
import { usualHeartbeatTimes } from '../../platform/postgres/worker-store.ts'
import { type IsTrouble, troubleReporter } from '../../platform/loops/report-trouble.ts'
import { inSpan, noteOnSpan } from '../../platform/process/tracing.ts'
import type { Call } from '../../networks/providers/port/calls.ts'
import type { EngineStore } from '../queue/work.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'

export type PublishingParts = {
  /** Notes each call to a network. */
  readonly recorder?: CallRecorder | null
  readonly db: Db
  /** A pool of one connection that is kept, for the heartbeat alone. */
  readonly heartbeatDb: Db
  readonly keyring: Keyring
  readonly providers: Providers
  readonly media: MediaSource
  readonly log: Log
  /** That of the process; one of its own when left out. */
  readonly isTrouble?: IsTrouble
  readonly registry: Registry
  readonly workspaceLabel?: WorkspaceLabel
  readonly roles: readonly string[]
  readonly concurrency: number
  readonly leaseMs: number
  readonly callTimeoutMs: number
  /** The address of this server, for networks that want to know who calls. */
  readonly baseUrl: string
  /** How long a call may be held up on its way; the usual time when left out. */
  readonly lateCallMs?: number
  /** Left out where only the sandbox network is spoken to. */
  readonly networks?: NetworkAccess
  /** Where calls to providers may go. */
  readonly rules: TargetRules
}

const CONNECT_MS = 5_000
const ANSWER_MAX_BYTES = 1024 * 1024

/** Starts the publisher of this process on its real parts. */
export async function startPublishing(parts: PublishingParts): Promise<Publisher> {
  const { db, providers, log, leaseMs, concurrency, callTimeoutMs } = parts
  const metrics = publicationMetrics(parts.registry, [...providers.keys()], parts.workspaceLabel)
  const { isTrouble = troubleReporter(log) } = parts
  const worker = { id: uuidv7(), roles: parts.roles, host: hostname(), pid: process.pid }
  const outbound = openOutbound({
    connectMs: CONNECT_MS,
    totalMs: callTimeoutMs,
    bodyMaxBytes: ANSWER_MAX_BYTES,
    rules: parts.rules,
    userAgent: 'Postrider/1',
  })

  const usualTimes = callTimes({ leaseMs, callTimeoutMs })
  const times = { ...usualTimes, lateCallMs: parts.lateCallMs ?? usualTimes.lateCallMs }
  const publisher = await startPublisher({
    db,
    heartbeatDb: parts.heartbeatDb,
    worker,
    leaseMs,
    heartbeatEveryMs: usualHeartbeatTimes.heartbeatEveryMs,
    concurrency,
    maxWaitMs: 5_000,
    engine: {
      store: tracedStore(
        publicationStore(db, {
          workerId: worker.id,
          leaseMs,
          absenceCountsAfterMs: looksAtMs(times, providers),
          perWorkspace: Math.max(1, Math.ceil(concurrency * 0.75)),
          onExpired: metrics.countExpired,
          openAuthorization: (sealed, channelId) => tryOpenAuthorization(parts, channelId, sealed),
        }),
      ),
      providers,
      call: tracedCall(
        recorded(
          openSender({
            call: outbound.call,
            talk: outbound.talk,
            totalMs: callTimeoutMs,
            serverAddress: parts.baseUrl,
          }),
          parts.recorder ?? null,
        ),
      ),
      media: parts.media,
      ...(parts.networks === undefined ? {} : { networks: parts.networks }),
      clock: elapsedClock(),
      wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
      random: Math.random,
      newId: uuidv7,
      ...times,
      outages: outageStore(db, {
        onOutage: (scope) => log.warn(scope, 'a network is treated as unavailable'),
        onRecovery: (origin) => log.info({ origin }, 'a network is back'),
      }),
      observe(report) {
        metrics.countSettlement(report)
        noteOnSpan({
          'postrider.conclusion': report.attempt?.conclusion ?? 'none',
          'postrider.move': report.outcome.move ?? 'next_part',
        })
        log.info(attemptLine(report), report.attempt === null ? 'publication' : 'attempt')
      },
      onAdapterFault({ provider, adapterFunction, cause }, { workspaceId, destinationId, channelId }) {
        metrics.countFault('adapter')
        log.error(
          { err: cause, provider, adapterFunction, workspaceId, destinationId, channelId },
          'an adapter failed',
        )
      },
    },
    onClaim: ({ lateMs }) => metrics.countClaim(lateMs),
    onFault(fault, doing) {
      // The engine goes on from the rows.
      if (isTrouble(fault, doing)) return
      metrics.countFault(doing)
      log.error({ err: fault, doing }, 'engine fault')
    },
  })
  metrics.watchInFlight(publisher.inFlight)
  return {
    ...publisher,
    async stop(withinMs) {
      await publisher.stop(withinMs)
      await outbound.close()
    },
  }
}

/** Before a call it is recorded that it is made, and after it what came of it: both are steps in the trace of a post. */
function tracedStore(store: EngineStore): EngineStore {
  return {
    ...store,
    arm: (intent) => inSpan('arm', {}, () => store.arm(intent)),
    settle: (settlement) => inSpan('settle', {}, () => store.settle(settlement)),
  }
}

/** Of the address only the host, since a path may have a token in it. */
function tracedCall(call: Call): Call {
  return (request, ...rest) => {
    const attributes = { 'http.request.method': request.method, 'server.address': request.url.hostname }
    return inSpan('call', { attributes, isCall: true }, async (span) => {
      const answer = await call(request, ...rest)
      if (answer.arrived) span?.set({ 'http.response.status_code': answer.response.status })
      else {
        span?.set({ 'error.type': answer.reason })
        span?.fail()
      }
      return answer
    })
  }
}

/** When it begins to count at one of these networks that nothing of a call is there. */
function looksAtMs(times: CallTimes, providers: Providers): number[] {
  const ages = [...providers.values()].flatMap((facts) =>
    (['answered', 'once', 'repeated'] as const).map((calls) => absenceCountsAfterMs(times, facts, calls)),
  )
  return [...new Set(ages)]
}

/** Null for an authorization that none of this server's keys decrypts. */
function tryOpenAuthorization(
  { keyring, log }: PublishingParts,
  channelId: string,
  sealed: Buffer,
): Authorization | null {
  try {
    return openAuthorization(keyring, channelId, sealed)
  } catch (fault) {
    log.error(
      { err: fault, channelId },
      'the authorization of a channel cannot be decrypted with the secret keys of this process',
    )
    return null
  }
}

/** One line for one settlement: what was tried, what came of it, what follows. */
function attemptLine({ subject, attempt, outcome, settled }: AttemptReport) {
  return {
    workspaceId: subject.workspaceId,
    postId: subject.postId,
    channelId: subject.channelId,
    destinationId: subject.destinationId,
    provider: subject.provider,
    ...(attempt === null
      ? {}
      : {
          attemptId: attempt.id,
          part: attempt.partIndex,
          conclusion: attempt.conclusion,
          evidence: attempt.evidence,
        }),
    move: outcome.move ?? 'next_part',
    ...(outcome.error === null ? {} : { error: outcome.error.code }),
    ...(settled ? {} : { settled }),
  }
}
