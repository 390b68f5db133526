import { expect, test } from 'vitest'
import type { Fault } from './faults.ts'
import { openNetwork } from './test-network.ts'

const broken = { broken: true }
const refusal = (httpStatus: number, code: string) => ({ httpStatus, body: { error: { code } } })
const page = { httpStatus: 200, body: expect.stringContaining('<!doctype html>') }
const accepted = { httpStatus: 201 }

test.each<[Fault, seen: object, stored: boolean]>([
  [{ kind: 'latency', ms: 1 }, accepted, true],
  [{ kind: 'refuse', status: 403, code: 'forbidden' }, refusal(403, 'forbidden'), false],
  [{ kind: 'rate_limit', retryAfterSeconds: 7 }, refusal(429, 'rate_limited'), false],
  [{ kind: 'unauthorized' }, refusal(401, 'invalid_token'), false],
  [{ kind: 'accept_then_drop' }, broken, true],
  [{ kind: 'drop_before' }, broken, false],
  [{ kind: 'accept_then_500' }, refusal(500, 'internal_error'), true],
  [{ kind: 'error_500_before' }, refusal(500, 'internal_error'), false],
  [{ kind: 'garbage' }, page, true],
  [{ kind: 'slow_processing', ms: 50 }, { httpStatus: 202, body: { status: 'processing' } }, true],
  [{ kind: 'outage' }, refusal(503, 'outage'), false],
  [{ kind: 'truncate' }, broken, true],
])('an ordered %j: what the client sees, and whether the post is stored', async (fault, seen, stored) => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  await network.orderFault(fault)

  expect(await network.post(ada, 'Hello')).toMatchObject(seen)
  expect(await network.storedTexts()).toEqual(stored ? ['Hello'] : [])
  expect((await network.call('GET', '/control/requests')).body.byOutcome).toEqual({ [fault.kind]: 1 })

  expect(await network.post(ada, 'Hello')).toMatchObject(accepted)
  expect(await network.storedTexts()).toEqual(stored ? ['Hello', 'Hello'] : ['Hello'])
})

test.each<[directive: string, first: object, stored: boolean, second: object]>([
  ['refuse', refusal(422, 'content_refused'), false, refusal(422, 'content_refused')],
  ['rate-limit', refusal(429, 'rate_limited'), false, accepted],
  ['outage', refusal(503, 'outage'), false, accepted],
  ['unauthorized', refusal(401, 'invalid_token'), false, refusal(401, 'invalid_token')],
  ['accept-then-drop', broken, true, accepted],
  ['accept-then-500', refusal(500, 'internal_error'), true, accepted],
  ['garbage', page, true, accepted],
  ['truncate', broken, true, accepted],
  ['drop', broken, false, accepted],
  ['error-500', refusal(500, 'internal_error'), false, accepted],
  ['slow=1', accepted, true, accepted],
  ['processing=50', { httpStatus: 202 }, true, accepted],
  ['processing-fails', { httpStatus: 202 }, true, accepted],
])(
  '#sandbox:%s: the first try, whether it stores, and the second',
  async (directive, first, stored, second) => {
    await using network = await openNetwork()
    const ada = await network.aMember()
    const text = `Hello #sandbox:${directive}`

    expect(await network.post(ada, text)).toMatchObject(first)
    expect(await network.storedTexts()).toEqual(stored ? [text] : [])
    expect(await network.post(ada, text)).toMatchObject(second)
  },
)

test.each([
  ['#sandbox:rate-limit', '5'],
  ['#sandbox:rate-limit=30', '30'],
  ['#sandbox:outage', '5'],
])('%s tells when to come back: %s seconds', async (text, seconds) => {
  await using network = await openNetwork()
  const seen = await network.post(await network.aMember(), text)
  expect((seen as { headers: Headers }).headers.get('retry-after')).toBe(seconds)
})

test.each(['ordered', 'directed'])(
  'a hanging create (%s) is stored and public though no answer comes',
  async (how) => {
    await using network = await openNetwork()
    const ada = await network.aMember()
    if (how === 'ordered') await network.orderFault({ kind: 'hang' })
    const text = how === 'ordered' ? 'Hello' : 'Hello #sandbox:hang'
    let answered = false
    const attempt = network.post(ada, text).then((seen) => {
      answered = 'httpStatus' in seen
      return seen
    })

    await expect.poll(() => network.publicTexts(ada)).toEqual([text])
    expect(answered).toBe(false)
    await network.close()
    expect(await attempt).toEqual(broken)
  },
)

test('stopping does not wait for a delayed create, and stores nothing of it', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const attempt = network.post(ada, 'Hello #sandbox:slow=600000')
  await expect
    .poll(async () => (await network.call('GET', '/control/requests')).body.byOutcome)
    .toEqual({ latency: 1 })
  expect(await network.storedTexts()).toEqual([])
  await network.close()
  expect(await attempt).toEqual(broken)
})

test('a delayed create is stored even when the client has gone', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const gone = new AbortController()
  const attempt = fetch(`${network.url}/api/v1/posts`, {
    method: 'POST',
    headers: { ...network.as(ada), 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Late #sandbox:slow=150' }),
    signal: gone.signal,
  })
  await expect
    .poll(async () => (await network.call('GET', '/control/requests')).body.byOutcome)
    .toEqual({ latency: 1 })
  gone.abort()
  await expect(attempt).rejects.toThrow('aborted')
  await expect.poll(() => network.publicTexts(ada)).toEqual(['Late #sandbox:slow=150'])
})

test('a revoked account stays revoked until it is restored, then the post is accepted', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const text = 'Hello #sandbox:unauthorized'
  await network.post(ada, text)

  expect(await network.post(ada, 'Anything')).toMatchObject({ httpStatus: 401 })
  await network.call('POST', `/control/accounts/${ada.id}/restore`)
  expect(await network.post(ada, text)).toMatchObject(accepted)
})

test('a post in processing is hidden until its time, then public', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const grace = await network.aMember('grace')
  const { body } = (await network.post(ada, 'Hello #sandbox:processing=5000')) as { body: { id: string } }
  const look = (member = ada) =>
    network.call('GET', `/api/v1/posts/${body.id}`, undefined, network.as(member))
  const reply = { text: 'Too early', inReplyTo: body.id }

  expect((await look()).body).toEqual({ id: body.id, status: 'processing' })
  expect(await look(grace)).toMatchObject(refusal(404, 'post_not_found'))
  expect(await network.publicTexts(ada)).toEqual([])
  expect(await network.call('GET', `/@ada/${body.id}`)).toMatchObject({ httpStatus: 404 })
  expect(await network.post(ada, reply)).toMatchObject(refusal(422, 'parent_not_found'))

  network.moveClock(5000)
  expect((await look()).body).toMatchObject({ id: body.id, status: 'published', url: expect.any(String) })
  expect(await network.publicTexts(ada)).toEqual(['Hello #sandbox:processing=5000'])
  expect(await network.call('GET', `/@ada/${body.id}`)).toMatchObject({ httpStatus: 200 })
})

test('a post whose processing fails says so and never becomes public, but is counted', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const text = 'Hello #sandbox:processing-fails=1000'
  const { body } = (await network.post(ada, text)) as { body: { id: string } }

  network.moveClock(1000)

  expect((await network.call('GET', `/api/v1/posts/${body.id}`, undefined, network.as(ada))).body).toEqual({
    id: body.id,
    status: 'failed',
    error: { code: 'processing_failed', message: expect.any(String) },
  })
  expect(await network.publicTexts(ada)).toEqual([])
  expect(await network.storedTexts()).toEqual([text])
})

test('directives of one text take turns; account, text and parent each have turns of their own', async () => {
  await using network = await openNetwork()
  const [ada, grace] = [await network.aMember('ada'), await network.aMember('grace')]
  const text = '#sandbox:rate-limit #sandbox:drop'

  expect(await network.post(ada, text)).toMatchObject({ httpStatus: 429 })
  expect(await network.post(ada, text)).toEqual(broken)
  const root = (await network.post(ada, text)) as { httpStatus: number; body: { id: string } }
  expect(root.httpStatus).toBe(201)

  expect(await network.post(grace, text)).toMatchObject({ httpStatus: 429 })
  expect(await network.post(ada, `${text} `)).toMatchObject({ httpStatus: 429 })
  expect(await network.post(ada, { text, inReplyTo: root.body.id })).toMatchObject({ httpStatus: 429 })
})

test('an outage strikes every API call, the caller unknown or not, until it is lifted', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const outage = await network.orderFault({ kind: 'outage', retryAfterSeconds: 9 }, {}, 'always')

  for (const headers of [network.as(ada), {}]) {
    const seen = await network.call('GET', '/api/v1/accounts/me', undefined, headers)
    expect(seen).toMatchObject(refusal(503, 'outage'))
    expect(seen.headers.get('retry-after')).toBe('9')
  }
  expect(await network.post(ada, 'x')).toMatchObject({ httpStatus: 503 })
  await network.call('DELETE', `/control/faults/${outage.id}`)
  expect(await network.post(ada, 'x')).toMatchObject(accepted)
})

test('a look-up can be struck too, and creates are then spared', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  await network.orderFault({ kind: 'rate_limit', retryAfterSeconds: 3 }, { calls: 'read' })

  expect(await network.post(ada, 'x')).toMatchObject(accepted)
  const look = () => network.call('GET', '/api/v1/accounts/me', undefined, network.as(ada))
  expect(await look()).toMatchObject(refusal(429, 'rate_limited'))
  expect(await look()).toMatchObject({ httpStatus: 200 })
})

test('a fault waits for a create that would have been accepted', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  await network.orderFault({ kind: 'accept_then_drop' })

  expect(await network.post(ada, ' ')).toMatchObject(refusal(422, 'text_empty'))
  expect(await network.post(ada, 'x')).toEqual(broken)
})

test('a replayed key stores nothing even when its answer is spoilt', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember('ada', { idempotency: 'key' })
  await network.orderFault({ kind: 'accept_then_drop' }, {}, 2)
  const key = { 'idempotency-key': 'k' }

  expect(await network.post(ada, 'x', key)).toEqual(broken)
  expect(await network.post(ada, 'x', key)).toEqual(broken)
  expect(await network.post(ada, 'x', key)).toMatchObject({ httpStatus: 200, body: { status: 'published' } })
  expect(await network.storedTexts()).toEqual(['x'])
})
