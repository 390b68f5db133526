import { expect, test } from 'vitest'
import { openNetwork } from './test-network.ts'

test('an accepted post is answered in full, looked up, listed and counted', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()

  const created = await network.post(ada, 'Hello')

  expect(created).toMatchObject({
    httpStatus: 201,
    body: {
      id: expect.stringMatching(/^\d{16}$/),
      status: 'published',
      text: 'Hello',
      inReplyTo: null,
      mediaIds: [],
      createdAt: '2026-01-01T12:00:00.000Z',
      account: { id: ada.id, handle: 'ada' },
    },
  })
  const { body } = created as { body: any }
  expect(body.url).toBe(`${network.url}/@ada/${body.id}`)
  const found = await network.call('GET', `/api/v1/posts/${body.id}`, undefined, network.as(ada))
  expect(found).toMatchObject({ httpStatus: 200, body })
  expect(await network.publicTexts(ada)).toEqual(['Hello'])
  expect((await network.call('GET', '/control/requests')).body).toEqual({
    received: 1,
    byOutcome: { created: 1 },
  })
})

test('ids sort by time even within a millisecond and when the clock goes back', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const ids: string[] = []
  for (const step of [0, 0, -5000, 10_000]) {
    network.moveClock(step)
    ids.push(((await network.post(ada, 'tick')) as { body: { id: string } }).body.id)
  }
  expect(ids).toEqual([...new Set(ids)].toSorted())
})

test('me tells who the token belongs to', async () => {
  await using network = await openNetwork()
  const grace = await network.aMember('grace', { profile: 'professional' })
  expect((await network.call('GET', '/api/v1/accounts/me', undefined, network.as(grace))).body).toEqual({
    id: grace.id,
    handle: 'grace',
    displayName: 'grace',
    profile: 'professional',
    maxCharacters: 3000,
    url: `${network.url}/@grace`,
  })
})

test.each([
  ['text_empty', 422, { text: ' \n ' }],
  ['text_too_long', 422, { text: 'x'.repeat(281) }],
  ['text_too_long', 422, { text: '日'.repeat(141) }],
  ['parent_not_found', 422, { text: 'x', inReplyTo: '1795251262540000' }],
  ['parent_not_found', 422, { text: 'x', inReplyTo: 'nonsense' }],
  ['media_not_found', 422, { text: 'x', mediaIds: ['med_1'] }],
  ['unknown_directive', 422, { text: '#sandbox:typo' }],
  ['invalid_request', 400, { text: 'x', inreplyto: '1' }],
  ['invalid_request', 400, { text: 1 }],
  ['invalid_request', 400, { text: 'x\0y' }],
  ['invalid_request', 400, {}],
])('refuses with %s (%i) and stores nothing', async (code, httpStatus, body) => {
  await using network = await openNetwork()
  const ada = await network.aMember()

  expect(await network.call('POST', '/api/v1/posts', body, network.as(ada))).toMatchObject({
    httpStatus,
    body: { error: { code, message: expect.any(String) } },
  })
  expect(await network.storedTexts()).toEqual([])
  expect((await network.call('GET', '/control/requests')).body).toEqual({
    received: 1,
    byOutcome: { [code]: 1 },
  })
})

test('accepts a text exactly at the limit', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const grace = await network.aMember('grace', { profile: 'professional' })
  expect(await network.post(ada, '日'.repeat(140))).toMatchObject({ httpStatus: 201 })
  expect(await network.post(grace, '👍'.repeat(3000))).toMatchObject({ httpStatus: 201 })
  expect(await network.post(grace, '👍'.repeat(3001))).toMatchObject({ httpStatus: 422 })
})

test('an authorization ends at its time, and a new token is good for as long again', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember('ada', { authorizedSeconds: 3_600 })
  expect(ada).toMatchObject({ authorizedUntil: '2026-01-01T13:00:00.000Z' })
  const restore = (body: object) => network.call('POST', `/control/accounts/${ada.id}/restore`, body)
  const me = (token: string) =>
    network.call('GET', '/api/v1/accounts/me', undefined, network.as({ ...ada, token }))

  network.moveClock(3_599_999)
  expect(await network.post(ada, 'in time')).toMatchObject({ httpStatus: 201 })
  network.moveClock(1)
  const refused = { httpStatus: 401, body: { error: { code: 'invalid_token' } } }
  expect(await network.post(ada, 'too late')).toMatchObject(refused)
  expect(await me(ada.token)).toMatchObject(refused)
  await restore({})
  expect(await me(ada.token)).toMatchObject(refused)

  const { body } = await restore({ newToken: true })
  expect(body).toMatchObject({ authorizedUntil: '2026-01-01T14:00:00.000Z' })
  expect((await me(body.token)).httpStatus).toBe(200)
  network.moveClock(3_600_000)
  expect(await me(body.token)).toMatchObject(refused)
  expect(await network.storedTexts()).toEqual(['in time'])
})

test('an unknown, revoked or absent token is refused; a restored one works again', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const refused = { httpStatus: 401, body: { error: { code: 'invalid_token' } } }

  expect(await network.post({ ...ada, token: 'sbx_no' }, 'x')).toMatchObject(refused)
  expect(await network.call('GET', '/api/v1/accounts/me')).toMatchObject(refused)
  await network.call('POST', `/control/accounts/${ada.id}/revoke`)
  expect(await network.post(ada, 'x')).toMatchObject(refused)
  await network.call('POST', `/control/accounts/${ada.id}/restore`)
  expect(await network.post(ada, 'x')).toMatchObject({ httpStatus: 201 })

  const restored = await network.call('POST', `/control/accounts/${ada.id}/restore`, { newToken: true })
  expect(await network.post(ada, 'x')).toMatchObject(refused)
  expect(await network.post({ ...ada, token: restored.body.token }, 'x')).toMatchObject({ httpStatus: 201 })
})

test('an account may list only its own posts', async () => {
  await using network = await openNetwork()
  const [ada, grace] = [await network.aMember('ada'), await network.aMember('grace')]
  expect(
    await network.call('GET', `/api/v1/accounts/${grace.id}/posts`, undefined, network.as(ada)),
  ).toMatchObject({ httpStatus: 403, body: { error: { code: 'forbidden' } } })
})

test('the list goes newest first between two exclusive ids, replies included', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const ids: string[] = []
  for (const text of ['a', 'b', 'c', 'd']) {
    const inReplyTo = ids.at(-1)
    const seen = await network.post(ada, inReplyTo === undefined ? text : { text, inReplyTo })
    ids.push((seen as { body: { id: string } }).body.id)
  }
  const list = async (query: string) => {
    const path = `/api/v1/accounts/${ada.id}/posts?${query}`
    const { httpStatus, body } = await network.call('GET', path, undefined, network.as(ada))
    return httpStatus === 200 ? body.items.map(({ text }: { text: string }) => text).join('') : httpStatus
  }
  expect(await list('')).toBe('dcba')
  expect(await list('limit=2')).toBe('dc')
  expect(await list(`sinceId=${ids[1]}`)).toBe('dc')
  expect(await list(`beforeId=${ids[2]}&limit=1`)).toBe('b')
  expect(await list('limit=0')).toBe(400)
  expect(await list('limit=101')).toBe(400)
  expect(await list('sinceId=x')).toBe(400)
  expect(await list('since=1')).toBe(400)
})

test('without keys every accepted create is a new post, and duplicates cannot hide', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember()
  const key = { 'idempotency-key': 'k1' }
  const first = (await network.post(ada, 'Twice', key)) as { body: { id: string } }
  await network.post(ada, 'Twice', key)
  await network.post(ada, 'Once')
  await network.post(ada, { text: 'Twice', inReplyTo: first.body.id })

  expect((await network.call('GET', '/control/creates/duplicates')).body).toEqual({
    total: 1,
    items: [{ accountId: ada.id, text: 'Twice', inReplyTo: null, count: 2 }],
  })
  expect((await network.call('GET', `/control/creates?accountId=${ada.id}&text=Twice`)).body).toEqual({
    total: 3,
    byText: [
      { accountId: ada.id, text: 'Twice', inReplyTo: null, count: 2 },
      { accountId: ada.id, text: 'Twice', inReplyTo: first.body.id, count: 1 },
    ],
  })
})

test('an account with keys answers a repeated key with the first post for one hour', async () => {
  await using network = await openNetwork()
  const ada = await network.aMember('ada', { idempotency: 'key' })
  const key = { 'idempotency-key': 'k1' }

  const first = (await network.post(ada, 'Once', key)) as { body: unknown; httpStatus: number }
  network.moveClock(3_599_000)
  const again = await network.post(ada, 'Once', key)

  expect(first.httpStatus).toBe(201)
  expect(again).toMatchObject({ httpStatus: 200, body: first.body })
  expect((again as { headers: Headers }).headers.get('idempotent-replayed')).toBe('true')
  expect(await network.storedTexts()).toEqual(['Once'])

  network.moveClock(2000)
  expect(await network.post(ada, 'Once', key)).toMatchObject({ httpStatus: 201 })
  expect(await network.storedTexts()).toEqual(['Once', 'Once'])
})

test('an image is uploaded, posted, served as what it is; anything else is refused', async () => {
  await using network = await openNetwork()
  const [ada, grace] = [await network.aMember('ada'), await network.aMember('grace')]
  const upload = (bytes: Buffer<ArrayBuffer>) =>
    fetch(`${network.url}/api/v1/media?altText=A%20dune`, {
      method: 'POST',
      headers: { ...network.as(ada), 'content-type': 'image/png' },
      body: bytes,
    })
  const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(32)])

  const medium: any = await (await upload(png)).json()
  expect(medium).toMatchObject({ contentType: 'image/png', sizeBytes: 40, altText: 'A dune' })
  expect(await network.post(ada, { text: 'Look', mediaIds: [medium.id] })).toMatchObject({ httpStatus: 201 })
  const mute = await network.post(ada, { text: ' ', mediaIds: [medium.id] })
  expect(mute).toMatchObject({ httpStatus: 201 })
  const page = await (await fetch((mute as { body: { url: string } }).body.url)).text()
  expect(page).toContain('alt="A dune"')
  expect(page).not.toContain('class="text"')
  expect(await network.post(grace, { text: 'Look', mediaIds: [medium.id] })).toMatchObject({
    httpStatus: 422,
  })

  const served = await fetch(medium.url)
  expect(served.headers.get('content-type')).toBe('image/png')
  expect(served.headers.get('x-content-type-options')).toBe('nosniff')
  expect(Buffer.from(await served.arrayBuffer())).toEqual(png)
  expect((await upload(Buffer.from('<svg onload="alert(1)">'))).status).toBe(400)
})
