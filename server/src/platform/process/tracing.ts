import type { AsyncLocalStorage } from 'node:async_hooks'
import type * as OpenTelemetry from '@opentelemetry/api'
import type { Attributes, Span, Tracer } from '@opentelemetry/api'
import type * as Sdk from '@opentelemetry/sdk-trace'
import type { Sampler } from '@opentelemetry/sdk-trace'

type Api = typeof OpenTelemetry

/** Null until tracing is started: then a span costs one comparison, and OpenTelemetry is not even loaded. */
let active: Active | null = null

type Active = {
  readonly api: Api
  readonly tracer: Tracer
  /** The span that is open where something runs. */
  readonly open: AsyncLocalStorage<Span>
  readonly ids: ChosenIds
}

/** What the next span is to have in place of a random id. */
type ChosenIds = { traceId: string | null; spanId: string | null }

/**
 * Begins to make traces and to send them over OTLP. Call it only when `OTEL_EXPORTER_OTLP_ENDPOINT` is set. The exporter reads that
 * variable by itself, and the others for OTLP; those for the resource and the sampler hold, too. `stop` sends what is left.
 */
export async function startTracing(config: { serviceName: string }): Promise<{ stop: () => Promise<void> }> {
  // Of the SDK only these: the whole of it exports logs and metrics as well, and brings gRPC for that.
  const [{ AsyncLocalStorage }, api, core, resources, sdk] = await Promise.all([
    import('node:async_hooks'),
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
  const ids: ChosenIds = { traceId: null, spanId: null }
  const random = new sdk.RandomIdGenerator()
  const provider = new sdk.TracerProvider({
    resource,
    idGenerator: {
      generateTraceId: () => ids.traceId ?? random.generateTraceId(),
      generateSpanId: () => ids.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
    ...(sampler === null ? {} : { sampler }),
  })
  api.propagation.setGlobalPropagator(new core.W3CTraceContextPropagator())
  active = { api, tracer: provider.getTracer('postrider'), open: new AsyncLocalStorage(), ids }
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
  /** Goes on with the request, so that what is done then knows whose span it is. */
  goOn: (next: () => void) => void
  end: (operation: string, httpStatus: number, attributes: Attributes) => void
}

/** Opens the span of a request, as a child of the caller's where its headers name one. Null without tracing. */
export function openRequestSpan(
  method: string,
  headers: Record<string, string | string[] | undefined>,
): RequestSpan | null {
  if (active === null) return null
  const { api, tracer, open } = active
  const parent = api.propagation.extract(api.context.active(), headers)
  const span = tracer.startSpan(
    method,
    { kind: api.SpanKind.SERVER, attributes: { 'http.request.method': method } },
    parent,
  )
  return {
    goOn: (next) => open.run(span, next),
    end(operation, httpStatus, attributes) {
      span.updateName(`${method} ${operation}`)
      span.setAttributes({ 'http.response.status_code': httpStatus, ...attributes })
      if (httpStatus >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end()
    },
  }
}

/** A span that is open, to say more of it; null without tracing. */
type OpenSpan = { readonly set: (attributes: Attributes) => void; readonly fail: () => void } | null

type SpanFacts = {
  readonly attributes?: Attributes
  /** Somebody else is asked. */
  readonly isCall?: true
  /** It belongs to this post, and not to what runs around it. */
  readonly postId?: string
  /** When it began (ms since 1970), where its first step is over: the step is a span of its own. */
  readonly first?: { readonly step: string; readonly sinceMs: number }
}

/** Does something within a span of its own, below the one that is open. Without tracing it is only done. */
export function inSpan<T>(name: string, facts: SpanFacts, run: (span: OpenSpan) => Promise<T>): Promise<T> {
  if (active === null) return run(null)
  const { api, open } = active
  const span = startSpan(active, name, facts)
  const fail = () => span.setStatus({ code: api.SpanStatusCode.ERROR })
  return open
    .run(span, () => run({ set: (attributes) => void span.setAttributes(attributes), fail }))
    .catch((fault: unknown) => {
      fail()
      throw fault
    })
    .finally(() => span.end())
}

function startSpan(parts: Active, name: string, facts: SpanFacts): Span {
  const { api, tracer, open } = parts
  const { attributes = {}, isCall, postId, first } = facts
  const kind = isCall === true ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL
  const startTime = first === undefined ? {} : { startTime: first.sinceMs }
  const options = { kind, attributes, ...startTime }
  const around = open.getStore()
  const parent = around === undefined ? api.ROOT_CONTEXT : api.trace.setSpan(api.ROOT_CONTEXT, around)
  const span =
    postId === undefined
      ? tracer.startSpan(name, options, parent)
      : startOfPost(parts, name, postId, { ...options, links: [{ context: creationOf(parts, postId) }] })
  if (first !== undefined)
    tracer.startSpan(first.step, startTime, api.trace.setSpan(api.ROOT_CONTEXT, span)).end()
  return span
}

/**
 * The trace of a post has its id, so that whichever process publishes it, weeks later, needs nothing that was stored. It begins with
 * its creation, which is linked with the request that it came by.
 */
export function traceCreation(postId: string): void {
  if (active === null) return
  const { api, open } = active
  const request = open.getStore()
  const links = request === undefined ? [] : [{ context: request.spanContext() }]
  const { spanId } = creationOf(active, postId)
  const span = startOfPost(active, 'create', postId, { kind: api.SpanKind.INTERNAL, links }, spanId)
  span.end()
  request?.addLink({ context: span.spanContext() })
}

/** Its span, as every process knows it. */
function creationOf({ api }: Active, postId: string) {
  const traceId = postId.replaceAll('-', '')
  return { traceId, spanId: traceId.slice(16), traceFlags: api.TraceFlags.SAMPLED }
}

function startOfPost(
  { api, tracer, ids }: Active,
  name: string,
  postId: string,
  options: OpenTelemetry.SpanOptions,
  spanId: string | null = null,
): Span {
  ids.traceId = postId.replaceAll('-', '')
  ids.spanId = spanId
  try {
    return tracer.startSpan(name, options, api.ROOT_CONTEXT)
  } finally {
    ids.traceId = null
    ids.spanId = null
  }
}

/** Says more of the span that is open. */
export function noteOnSpan(attributes: Attributes): void {
  active?.open.getStore()?.setAttributes(attributes)
}
