import type * as OpenTelemetry from '@opentelemetry/api'
import type { Attributes, Tracer } from '@opentelemetry/api'
import type * as Sdk from '@opentelemetry/sdk-trace'
import type { Sampler } from '@opentelemetry/sdk-trace'

type Api = typeof OpenTelemetry

/** Null until tracing is started: then a span costs one comparison, and OpenTelemetry is not even loaded. */
let active: { api: Api; tracer: Tracer } | null = null

/**
 * Begins to make traces and to send them over OTLP. Call it only when `OTEL_EXPORTER_OTLP_ENDPOINT` is set. The exporter reads that
 * variable by itself, and the others for OTLP; those for the resource and the sampler hold, too. `stop` sends what is left.
 */
export async function startTracing(config: { serviceName: string }): Promise<{ stop: () => Promise<void> }> {
  // Of the SDK only these: the whole of it exports logs and metrics as well, and brings gRPC for that.
  const [api, core, resources, sdk] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
  ])
  const named = resources.resourceFromAttributes({ 'service.name': config.serviceName })
  const { envDetector } = resources
  const resource = resources
    .defaultResource()
    .merge(named)
    .merge(resources.detectResources({ detectors: [envDetector] }))
  const sampler = samplerOf(sdk, core.getStringFromEnv('OTEL_TRACES_SAMPLER'), core.getNumberFromEnv)
  const exporter = await openExporter(core.getStringFromEnv)
  const provider = new sdk.TracerProvider({
    resource,
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
    ...(sampler === null ? {} : { sampler }),
  })
  api.propagation.setGlobalPropagator(new core.W3CTraceContextPropagator())
  active = { api, tracer: provider.getTracer('postrider') }
  return {
    async stop() {
      active = null
      await provider.shutdown()
      api.propagation.disable()
    },
  }
}

type ReadText = (name: string) => string | undefined
type ReadNumber = (name: string) => number | undefined

/** Over HTTP, as protobuf unless the environment asks for JSON. */
async function openExporter(read: ReadText) {
  const protocol = read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read('OTEL_EXPORTER_OTLP_PROTOCOL')
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto')
  return new OTLPTraceExporter()
}

/** The sampler that OpenTelemetry's specification gives this name; null for its default, which keeps every trace. */
function samplerOf(sdk: typeof Sdk, name: string | undefined, read: ReadNumber): Sampler | null {
  const [, parentBased, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name ?? '') ?? []
  if (kind === undefined) return null
  const root =
    kind === 'traceidratio'
      ? new sdk.TraceIdRatioBasedSampler(read('OTEL_TRACES_SAMPLER_ARG') ?? 1)
      : kind === 'always_on'
        ? new sdk.AlwaysOnSampler()
        : new sdk.AlwaysOffSampler()
  return parentBased === undefined ? root : new sdk.ParentBasedSampler({ root })
}

/** The span of one incoming request. */
export type RequestSpan = {
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
  return {
    end(operation, httpStatus, attributes) {
      span.updateName(`${method} ${operation}`)
      span.setAttributes({ 'http.response.status_code': httpStatus, ...attributes })
      if (httpStatus >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end()
    },
  }
}
