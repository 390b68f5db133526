import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { type WorkspaceLabel, workspaceLabels } from '../../platform/process/workspace-labels.ts'
import type { MoveName } from '../destinations/destination-states.ts'
import { type AttemptReport, type EngineTask, engineTasks } from './engine-port.ts'
import type { Conclusion, Subject } from '../queue/work.ts'

export type PublicationMetrics = {
  countSettlement(report: AttemptReport): void
  countExpired(ended: readonly Owned[]): void
  countClaim(lateMs: number): void
  countFault(doing: EngineTask): void
  watchInFlight(inFlight: () => number): void
}

/** Whose it is, and where it was to be published. */
type Owned = Pick<Subject, 'workspaceId' | 'provider'>

/** How many workspaces are told apart where nothing else is said. */
const USUAL_WORKSPACES = 200

/** How a destination ends by a move, where that is counted by workspace. */
const ENDS: Readonly<Partial<Record<MoveName | 'next_part', 'published' | 'failed'>>> = {
  confirm: 'published',
  reject: 'failed',
}

/** Every move that can follow from a conclusion; `none`: no call was made. */
export const settlementMoves: Readonly<
  Record<Conclusion['is'] | 'none', readonly (MoveName | 'next_part')[]>
> = {
  published: ['confirm', 'next_part', 'interrupt'],
  rejected: ['reject', 'interrupt'],
  deferred: ['defer', 'interrupt', 'requeue'],
  reauthorize: ['deauthorize', 'interrupt', 'requeue'],
  absent: ['requeue', 'interrupt'],
  unknown: ['lose'],
  none: ['requeue', 'interrupt', 'defer', 'deauthorize', 'reject'],
}

/** The engine's metrics for Prometheus. Its counters begin at 0: what appears with its first count hides that one from a rate. */
export function publicationMetrics(
  registry: Registry,
  providers: readonly string[],
  workspaceLabel: WorkspaceLabel = workspaceLabels(USUAL_WORKSPACES),
): PublicationMetrics {
  const registers = [registry]
  const settlements = new Counter({
    name: 'postrider_settlements_total',
    help: 'Ends of attempts and leases, by provider, conclusion of the call (none: no call) and move.',
    labelNames: ['provider', 'conclusion', 'move'] as const,
    registers,
  })
  const calls = new Histogram({
    name: 'postrider_provider_call_duration_seconds',
    help: 'Time that publish calls took.',
    labelNames: ['provider', 'conclusion'] as const,
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  const lag = new Histogram({
    name: 'postrider_claim_lag_seconds',
    help: 'Time from the moment a destination was due to its claim.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600],
    registers,
  })
  const faults = new Counter({
    name: 'postrider_engine_faults_total',
    help: 'Faults of the engine itself, by what it was doing.',
    labelNames: ['doing'] as const,
    registers,
  })
  const ended = new Counter({
    name: 'postrider_posts_ended_total',
    help: 'Destinations that this process ended, by workspace, provider and result.',
    labelNames: ['workspace', 'provider', 'result'] as const,
    registers,
  })
  const countEnd = ({ workspaceId, provider }: Owned, result: 'published' | 'failed' | 'expired') =>
    ended.inc({ workspace: workspaceLabel(workspaceId), provider, result })
  for (const doing of engineTasks) faults.inc({ doing }, 0)
  for (const provider of providers)
    for (const [conclusion, moves] of Object.entries(settlementMoves))
      for (const move of moves) settlements.inc({ provider, conclusion, move }, 0)

  return {
    countSettlement({ subject, attempt, outcome, settled }) {
      const { provider } = subject
      const conclusion = attempt?.conclusion ?? 'none'
      settlements.inc({ provider, conclusion, move: outcome.move ?? 'next_part' })
      const durationMs = attempt?.evidence['durationMs']
      const result = ENDS[outcome.move ?? 'next_part']
      if (settled && result !== undefined) countEnd(subject, result)
      if (typeof durationMs === 'number') calls.observe({ provider, conclusion }, durationMs / 1000)
    },
    countExpired(expired) {
      for (const one of expired) countEnd(one, 'expired')
    },
    countClaim: (lateMs) => lag.observe(lateMs / 1000),
    countFault: (doing) => faults.inc({ doing }),
    watchInFlight(inFlight) {
      const gauge: Gauge = new Gauge({
        name: 'postrider_publications_in_flight',
        help: 'Destinations this process is publishing now.',
        registers,
        collect() {
          gauge.set(inFlight())
        },
      })
    },
  }
}
