import type * as OpenTelemetry from '@opentelemetry/api'
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api'

type Api = typeof OpenTelemetry

/** Null until tracing is started: then a span costs one comparison, and OpenTelemetry is not even loaded. */
let active: { api: Api; tracer: Tracer } | null = null

/**
 * Begins to make traces and to send them over OTLP. Call it only when `OTEL_EXPORTER_OTLP_ENDPOINT` is set: the
 * SDK reads that variable, and the other standard `OTEL_…` ones, by itself. `stop` sends what is left.
 */
export async function startTracing(config: { serviceName: string }): Promise<{ stop: () => Promise<void> }> {
  const [api, { NodeSDK }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-node'),
  ])
  // Measurements go to Prometheus and the log to standard output; only traces leave this way.
  const sdk = new NodeSDK({ serviceName: config.serviceName, metricReaders: [], logRecordProcessors: [] })
  sdk.start()
  active = { api, tracer: api.trace.getTracer('postrider') }
  return {
    async stop() {
      active = null
      await sdk.shutdown()
    },
  }
}

/** Runs `work` within a span of this name; a throw marks the span as failed. Without tracing, it only runs `work`. */
export async function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (active === null) return work()
  const { api, tracer } = active
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work()
    } catch (fault) {
      span.recordException(fault instanceof Error ? fault : String(fault))
      span.setStatus({ code: api.SpanStatusCode.ERROR })
      throw fault
    } finally {
      span.end()
    }
  })
}

/** The span of one incoming request. */
export type RequestSpan = {
  /** Runs `work` so that spans begun in it are children of this one. */
  within: <T>(work: () => T) => T
  end: (operation: string, httpStatus: number, attributes: Attributes) => void
}

/** Opens the span of a request, as a child of the caller's where its headers name one. Null without tracing. */
export function openRequestSpan(
  method: string,
  headers: Record<string, string | string[] | undefined>,
): RequestSpan | null {
  if (active === null) return null
  const { api, tracer } = active
  const parent = api.propagation.extract(api.context.active(), headers)
  const span = tracer.startSpan(
    method,
    { kind: api.SpanKind.SERVER, attributes: { 'http.request.method': method } },
    parent,
  )
  return requestSpan(api, span, api.trace.setSpan(parent, span), method)
}

function requestSpan(api: Api, span: Span, own: Context, method: string): RequestSpan {
  return {
    within: (work) => api.context.with(own, work),
    end(operation, httpStatus, attributes) {
      span.updateName(`${method} ${operation}`)
      span.setAttributes({ 'http.response.status_code': httpStatus, ...attributes })
      if (httpStatus >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end()
    },
  }
}
