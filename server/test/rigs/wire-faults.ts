import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openOutbound } from '../../src/platform/outbound/outbound-http.ts'
import type { CallAnswer } from '../../src/networks/providers/port/calls.ts'
import type { LookupWork } from '../../src/networks/providers/port/port.ts'
import { runProcedure } from '../../src/networks/providers/port/procedure.ts'
import { openSender } from '../../src/networks/providers/port/send-request.ts'
import { openFaultProxy, wireFaults, type FaultProxy } from './fault-proxy.ts'
import { openHttpDouble, type Answered, type HttpDouble } from '../doubles/http-double.ts'
import type { NetworkCalls } from './network-calls.ts'

/** What every fault on the wire proves of a publish call, and of a look for it: nothing. */
export function testWireFaults({ at, calls, looked }: NetworkCalls): void {
  const { work, published } = calls.post
  let answered: Answered = published
  let network: HttpDouble
  let proxy: FaultProxy
  const outboundFor = (totalMs: number) =>
    openOutbound({
      connectMs: 1_000,
      totalMs,
      bodyMaxBytes: 10_000,
      userAgent: 'test',
      rules: { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] },
    })
  /** The other one is for answers that take longer than anybody waits. */
  const [patient, impatient] = [outboundFor(1_000), outboundFor(200)]
  const callBy = (outbound: typeof patient) =>
    openSender({ call: outbound.call, talk: outbound.talk, totalMs: 1_000 })
  let call = callBy(patient)

  beforeAll(async () => {
    network = await openHttpDouble(async ({ method, url = '' }) => {
      if (method !== 'GET') return answered
      return typeof looked === 'function' ? looked(url) : looked
    })
    proxy = await openFaultProxy(new URL(network.url))
  })
  afterAll(async () => {
    await patient.close()
    await impatient.close()
    await proxy[Symbol.asyncDispose]()
    await network[Symbol.asyncDispose]()
  })

  function workAt(origin: string): LookupWork {
    const now = new Date()
    return { ...work(origin), armedAt: now, now, knownRemoteIds: [] }
  }

  /** What the engine makes of the answer to a publish call, or of none. */
  async function publish(origin = proxy.url.origin): Promise<string> {
    const adapter = await at(origin).load()
    const answer: CallAnswer = await call(adapter.publish.request(workAt(origin)))
    if (!answer.arrived) return answer.maybeSent ? 'unknown' : 'not sent'
    return adapter.publish.judge(answer.response, workAt(origin)).is
  }

  /** What a look comes to; null for a network that cannot be looked at. */
  async function look(): Promise<string | null> {
    const { lookup } = await at(proxy.url.origin).load()
    if (lookup === null) return null
    const tools = {
      call,
      wait: async () => undefined,
      readCard: async () => ({ card: null, lack: null, done: async () => undefined }),
    }
    const { signal } = new AbortController()
    const ran = await runProcedure(lookup, workAt(proxy.url.origin), tools, {
      signal,
      maxCalls: 2,
      maxWaitMs: 0,
    })
    return ran.is === 'done' ? ran.outcome.is : ran.is
  }

  describe(`${at('http://127.0.0.1').provider} on a bad line`, () => {
    beforeEach(() => {
      answered = published
    })

    test('without a fault, what was published is told', async () => {
      proxy.fault = null
      expect(await publish()).toBe('published')
      expect([null, 'found', 'absent']).toContain(await look())
    })

    test.each(wireFaults)('%s leaves the call in doubt, and a look without a result', async (fault) => {
      proxy.fault = fault
      call = callBy(fault === 'a slow drip' ? impatient : patient)
      expect(await publish()).toBe('unknown')
      expect([null, 'silent', 'unavailable']).toContain(await look())
    })

    /** LinkedIn says it all in a header: there, no body is needed. */
    const saysInHeaders = published.body === undefined

    test.runIf(!saysInHeaders)('an answer in another charset leaves the call in doubt', async () => {
      proxy.fault = null
      call = callBy(patient)
      const bytes = Buffer.from(JSON.stringify(published.body), 'utf16le')
      answered = {
        ...published,
        body: bytes,
        headers: { 'content-type': 'application/json; charset=utf-16le' },
      }
      expect(await publish()).toBe('unknown')
    })

    test.each([200, 201, 400, 403, 503])(
      'an answer of 30 MB with the status %i leaves the call in doubt, and is not read to its end',
      async (status) => {
        proxy.fault = null
        call = callBy(patient)
        const body = Buffer.alloc(30_000_000, ' ')
        body.write(JSON.stringify(published.body ?? {}))
        answered = { ...published, status, body }
        expect(await publish()).toBe('unknown')
      },
    )

    test('where nobody listens, nothing was sent', async () => {
      call = callBy(patient)
      expect(await publish('http://127.0.0.1:1')).toBe('not sent')
    })
  })
}
