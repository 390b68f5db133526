import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { openEdge } from '../../../test/rigs/edge.ts'
import { openRequestSpan, startTracing } from './tracing.ts'

afterEach(() => vi.unstubAllEnvs())

/** What a collector receives of one request, with the paths that it is sent to. */
async function collected(): Promise<string> {
  const sent: string[] = []
  const collector = createServer((request, response) => {
    request.setEncoding('latin1')
    request.on('data', (piece: string) => sent.push(`${request.url} ${piece}`))
    request.on('end', () => response.end())
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const { port } = collector.address() as AddressInfo
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`)
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json')
  const tracing = await startTracing({ serviceName: 'postrider-test' })
  try {
    await using edge = await openEdge()
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await edge.app.inject({ url: '/agent/v1/me', headers: { authorization: 'Bearer x', traceparent } })
  } finally {
    await tracing.stop()
    await new Promise((resolve) => collector.close(resolve))
  }
  return sent.join('')
}

test('without a collector no span is made', () => {
  expect(openRequestSpan('GET', {})).toBeNull()
})

test('a request arrives at the collector as a span of its caller’s trace', async () => {
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=rehearsal')
  const all = await collected()
  expect(all).toContain('/v1/traces')
  expect(all).not.toMatch(/\/v1\/(metrics|logs)/)
  for (const value of ['postrider-test', 'rehearsal']) expect(all).toContain(`{"stringValue":"${value}"}`)
  const spans = (JSON.parse(all.slice(all.indexOf('{'))) as Sent).resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap((scope) => scope.spans),
  )
  expect(spans).toEqual([expect.objectContaining({ name: 'GET readMe', parentSpanId: 'b7ad6b7169203331' })])
})

test('the sampler of the environment decides which traces are kept', async () => {
  vi.stubEnv('OTEL_TRACES_SAMPLER', 'traceidratio')
  vi.stubEnv('OTEL_TRACES_SAMPLER_ARG', '0')
  expect(await collected()).toBe('')
})

type Sent = {
  resourceSpans: { scopeSpans: { spans: { name: string; parentSpanId?: string }[] }[] }[]
}
