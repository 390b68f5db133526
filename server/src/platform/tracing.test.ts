import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openEdge } from '../../test/rigs/edge.ts'
import { inSpan, openRequestSpan, startTracing } from './tracing.ts'

afterEach(() => vi.unstubAllEnvs())

test('without a collector no span is made, and work is only run', async () => {
  expect(openRequestSpan('GET', {})).toBeNull()
  expect(await inSpan('work', {}, async () => 7)).toBe(7)
})

describe('with a collector', () => {
  test('requests and what happens in them arrive as one trace', async () => {
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
      await using edge = await openEdge({
        authenticate: () => inSpan('look up the key', {}, async () => null),
      })
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      await edge.app.inject({ url: '/agent/v1/me', headers: { authorization: 'Bearer x', traceparent } })
      await expect(inSpan('publish', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    } finally {
      await tracing.stop()
      await new Promise((resolve) => collector.close(resolve))
    }
    const all = sent.join('')
    expect(all).toContain('/v1/traces')
    expect(all).not.toMatch(/\/v1\/(metrics|logs)/)
    const spans = (JSON.parse(all.slice(all.indexOf('{'))) as Sent).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    )
    const named = (name: string) => spans.find((span) => span.name === name)
    expect(named('GET readMe')).toMatchObject({ parentSpanId: 'b7ad6b7169203331' })
    expect(named('look up the key')).toMatchObject({ parentSpanId: named('GET readMe')?.spanId })
    expect(named('publish')).toMatchObject({ status: { code: 2 } })
  })
})

type Sent = {
  resourceSpans: {
    scopeSpans: { spans: { name: string; spanId: string; parentSpanId?: string; status: object }[] }[]
  }[]
}
