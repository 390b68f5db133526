import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFaultProxy, wireFaults, type FaultProxy } from '../../../test/fault-proxy.ts'
import { openOutbound } from '../../platform/outbound-http.ts'
import type { CallAnswer, LookupWork } from '../port.ts'
import { runProcedure } from '../procedure.ts'
import { openSender } from '../send-request.ts'
import { bluesky } from './bluesky.ts'

const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const rkey = '3k2aaaaaaaaa2'
const uri = `at://${did}/app.bsky.feed.post/${rkey}`
const cid = 'bafyreie5cvv4h45feadgeuwhbcutmh6t2ceseocckahdoe6uat64zmz454'
const value = { createdAt: '2026-11-21T09:00:00.000Z' }

let upstream: Server
let proxy: FaultProxy
const outbound = openOutbound({
  ...{ connectMs: 1_000, totalMs: 1_000, bodyMaxBytes: 10_000, userAgent: 'test' },
  rules: { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] },
})
const send = openSender({ call: outbound.call, totalMs: 1_000 })

beforeAll(async () => {
  upstream = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ uri, cid, value }))
  })
  await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening))
  proxy = await openFaultProxy(new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`))
})
afterAll(async () => {
  await outbound.close()
  await proxy[Symbol.asyncDispose]()
  await new Promise((closed) => upstream.close(closed))
})

const adapter = await bluesky.load()
function work(): LookupWork {
  const grant = {
    ...{ kind: 'password', server: proxy.url.origin, did, handle: 'alice.example' },
    ...{ accessToken: 'a', refreshToken: 'r', accessEndsAt: '2026-11-21T11:00:00.000Z' },
  }
  const part = { grant, text: 'Hello', media: [], settings: {}, parent: null, root: null, files: [] }
  const prepared = { rkey, record: { ...value, text: 'Hello' }, gates: [] }
  return { ...part, prepared, idempotencyKey: 'k', armedAt: new Date(), knownRemoteIds: [] }
}

/** What the engine makes of an answer, or of none. */
function verdictOf(answer: CallAnswer): string {
  if (!answer.arrived) return answer.maybeSent ? 'unknown' : 'not sent'
  return adapter.publish.judge(answer.response, work()).is
}

async function look() {
  if (adapter.lookup === null) throw new Error('it has no lookup')
  const tools = {
    call: send,
    wait: async () => undefined,
    readCard: async () => ({ card: null, done: async () => undefined }),
  }
  const { signal } = new AbortController()
  const ran = await runProcedure(adapter.lookup, work(), tools, { signal, maxCalls: 2, maxWaitMs: 0 })
  return ran.is === 'done' ? ran.outcome.is : ran.is
}

test('without a fault, what was written is told and found', async () => {
  proxy.fault = null
  expect(verdictOf(await send(adapter.publish.request(work())))).toBe('published')
  expect(await look()).toBe('found')
})

test.each(wireFaults)('%s leaves the call in doubt, and a look without a result', async (fault) => {
  proxy.fault = fault
  expect(verdictOf(await send(adapter.publish.request(work())))).toBe('unknown')
  expect(['silent', 'unavailable']).toContain(await look())
})

test('where nobody listens, nothing was sent', async () => {
  const grant = { ...work().grant, server: 'http://127.0.0.1:1' }
  expect(verdictOf(await send(adapter.publish.request({ ...work(), grant })))).toBe('not sent')
})
