import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'
import { type WorkspaceLabel, workspaceLabels } from './workspace-labels.ts'

/** The measurements of this process. Features register their own metrics on `registry`, under `postrider_…` names. */
export type Metrics = {
  readonly registry: Registry
  readonly workspaceLabel: WorkspaceLabel
  /** Counts one answered request. `operation` is a name from a closed list, never a path. */
  readonly countRequest: (
    operation: string,
    httpStatus: number,
    seconds: number,
    workspaceId?: string | null,
  ) => void
  /** Counts one request that was answered with 500. */
  readonly countFault: () => void
  /** The text that Prometheus reads, and its media type. */
  readonly render: () => Promise<{ contentType: string; text: string }>
}

const NEVER_MS = 2 ** 31 - 1

/**
 * Those of Node itself. The quantiles of the lag of the event loop are not among them: they hang on a timer that wakes the
 * process a hundred times a second, which is most of what one costs that has nothing to do.
 */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS })
  for (const quantile of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
    registry.removeSingleMetric(`nodejs_eventloop_lag_${quantile}_seconds`)
}

/**
 * A registry of its own, so that several may live in one process. `process: true` adds those of Node itself; `workspaces` says how many of
 * them are told apart.
 */
export function createMetrics(options: { process?: boolean; workspaces?: number } = {}): Metrics {
  const registry = new Registry()
  if (options.process === true) collectProcessMetrics(registry)
  const requests = new Counter({
    name: 'postrider_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['operation', 'status'] as const,
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'postrider_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  const faults = new Counter({
    name: 'postrider_http_faults_total',
    help: 'Requests answered with 500: faults of the server itself.',
    registers: [registry],
  })
  const ofWorkspaces = new Counter({
    name: 'postrider_workspace_requests_total',
    help: 'Requests in a workspace.',
    labelNames: ['workspace'] as const,
    registers: [registry],
  })
  const workspaceLabel = workspaceLabels(options.workspaces ?? 0)
  // Looking labels up costs more than counting; there are few pairs.
  const known = new Map<
    string,
    { count: Counter.Internal; time: Histogram.Internal<'operation' | 'status'> }
  >()

  return {
    registry,
    workspaceLabel,
    countRequest(operation, httpStatus, seconds, workspaceId = null) {
      const pair = `${operation} ${httpStatus}`
      let series = known.get(pair)
      if (series === undefined) {
        const labels = { operation, status: String(httpStatus) }
        series = { count: requests.labels(labels), time: durations.labels(labels) }
        known.set(pair, series)
      }
      series.count.inc()
      series.time.observe(seconds)
      if (workspaceId !== null) ofWorkspaces.inc({ workspace: workspaceLabel(workspaceId) })
    },
    countFault: () => faults.inc(),
    async render() {
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}
