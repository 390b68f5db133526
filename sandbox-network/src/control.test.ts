import { expect, test } from 'vitest'
import { openNetwork } from './test-network.ts'

test('a handle belongs to one account, in any letter case', async () => {
  await using network = await openNetwork()
  await network.aMember('ada')
  expect(await network.call('POST', '/control/accounts', { handle: 'ADA', profile: 'short' })).toMatchObject({
    httpStatus: 409,
    body: { error: { code: 'handle_taken' } },
  })
})

test('accounts are listed without their tokens', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember('ada')
  const { body } = await network.call('GET', '/control/accounts')
  expect(body.items).toEqual([
    {
      id: ada.id,
      handle: 'ada',
      displayName: 'ada',
      profile: 'short',
      maxCharacters: 280,
      url: `${network.url}/@ada`,
      idempotency: 'none',
      revoked: false,
      authorizedUntil: null,
    },
  ])
})

test.each([
  ['POST', '/control/accounts', { handle: 'ada', profile: 'short', admin: true }],
  ['POST', '/control/accounts', { handle: 'a b', profile: 'short' }],
  ['POST', '/control/accounts', { handle: 'ada', profile: 'long' }],
  ['POST', '/control/faults', { fault: { kind: 'unheard_of' } }],
  ['POST', '/control/faults', { fault: { kind: 'latency' } }],
  ['POST', '/control/faults', { fault: { kind: 'hang', ms: 5 } }],
  ['POST', '/control/faults', { fault: { kind: 'hang' }, times: 0 }],
  ['POST', '/control/faults', { fault: { kind: 'hang' }, times: 1e308 }],
  ['POST', '/control/faults', { fault: { kind: 'hang' }, times: 1_000_001 }],
  ['POST', '/control/faults', { fault: { kind: 'latency', ms: 1e308 } }],
  ['POST', '/control/faults', { fault: { kind: 'rate_limit', retryAfterSeconds: 1e308 } }],
  ['POST', '/control/accounts', { handle: 'ada', profile: 'short', maxCharacters: 1e308 }],
  ['POST', '/control/accounts', { handle: 'ada', profile: 'short', authorizedSeconds: 1e308 }],
  ['POST', '/control/faults', { fault: { kind: 'hang' }, match: { text: 'x' } }],
  ['POST', '/control/reset', { posts: true }],
  ['GET', '/control/creates?handle=ada', undefined],
])('%s %s with %j is refused as invalid_request', async (method, path, body) => {
  await using network = await openNetwork()
  expect(await network.call(method, path, body)).toMatchObject({
    httpStatus: 400,
    body: { error: { code: 'invalid_request' } },
  })
})

test('a form or script of another site cannot pull the levers', async () => {
  await using network = await openNetwork()
  const origin = { origin: 'https://elsewhere.example' }
  expect(await network.call('POST', '/control/reset', {}, origin)).toMatchObject({ httpStatus: 403 })
  const plain = { 'content-type': 'text/plain' }
  expect(await network.call('POST', '/control/reset', {}, plain)).toMatchObject({ httpStatus: 415 })
})

test('fault plans are listed with how often they fired, and removed', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const first = await network.orderFault({ kind: 'error_500_before' }, { accountId: ada.id }, 2)
  const second = await network.orderFault({ kind: 'hang' }, { textIncludes: 'never' }, 'always')
  await network.post(ada, 'x')

  expect((await network.call('GET', '/control/faults')).body.items).toEqual([
    { id: first.id, match: { accountId: ada.id }, fault: { kind: 'error_500_before' }, times: 2, fired: 1 },
    { id: second.id, match: { textIncludes: 'never' }, fault: { kind: 'hang' }, times: 'always', fired: 0 },
  ])
  expect(await network.call('DELETE', `/control/faults/${first.id}`)).toMatchObject({ httpStatus: 204 })
  expect(await network.call('DELETE', `/control/faults/${first.id}`)).toMatchObject({ httpStatus: 404 })
  expect(await network.call('DELETE', '/control/faults')).toMatchObject({ httpStatus: 204 })
  expect((await network.call('GET', '/control/faults')).body.items).toEqual([])
})

test('a reset forgets posts, faults and counts, and keeps accounts unless told otherwise', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember('ada', { idempotency: 'key' })
  const first = (await network.post(ada, 'x #sandbox:slow=0', { 'idempotency-key': 'k' })) as { body: any }
  await network.post(ada, { text: 'y', inReplyTo: first.body.id })
  await network.orderFault({ kind: 'hang' })

  expect(await network.call('POST', '/control/reset')).toMatchObject({ httpStatus: 204 })
  expect(await network.storedTexts()).toEqual([])
  expect((await network.call('GET', '/control/faults')).body.items).toEqual([])
  expect((await network.call('GET', '/control/requests')).body).toEqual({ received: 0, byOutcome: {} })
  expect(await network.post(ada, 'x')).toMatchObject({ httpStatus: 201 })

  await network.call('POST', '/control/reset', { accounts: true })
  expect((await network.call('GET', '/control/accounts')).body.items).toEqual([])
  expect(await network.post(ada, 'x')).toMatchObject({ httpStatus: 401 })
})
