import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChannel, aPost, rowCounts } from './rigs/fixtures.ts'
import { type Answer, openRunningApp, type RunningApp } from './rigs/running-app.ts'

let app: RunningApp
let channelId: string
beforeAll(async () => {
  app = await openRunningApp({ apps: 2 })
  channelId = await aChannel(app.db, app.workspace.workspaceId)
})
afterAll(() => app[Symbol.asyncDispose]())

function create(idempotencyKey: string, change: object = {}, at = app.baseUrl): Promise<Answer> {
  const plan = {
    state: 'scheduled',
    publishAt: '2027-01-01T09:00:00Z',
    channelIds: [channelId],
    text: 'Once',
  }
  return app.ask('POST', '/agent/v1/posts', {
    at,
    body: { confirmed: true, idempotencyKey, ...plan, ...change },
  })
}

const wasReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

test('100 equal creates at once, on two servers, make one post, and everyone is told of that one', async () => {
  expect(app.otherUrl).not.toBe(app.baseUrl)
  const before = await rowCounts(app.db)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => create('equal', {}, n % 2 === 0 ? app.baseUrl : app.otherUrl)),
  )

  const made = answers.filter(({ status }) => status === 201)
  const fresh = made.filter((answer) => !wasReplayed(answer))
  expect(fresh).toHaveLength(1)
  for (const { text, headers } of made) {
    expect(text).toBe(fresh[0]!.text)
    expect(headers.get('location')).toBe(`/agent/v1/posts/${fresh[0]!.body.postId}`)
  }
  for (const { status, body, headers } of answers.filter((answer) => answer.status !== 201)) {
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'idempotency_in_progress' })
    expect(headers.get('retry-after')).toBe('1')
  }
  const {
    post = 0,
    destination = 0,
    part = 0,
    post_search = 0,
    outbox_event = 0,
    idempotency_record = 0,
    audit_entry = 0,
  } = before
  expect(await rowCounts(app.db)).toEqual({
    ...before,
    // Uses that processes have taken ahead.
    rate_count: expect.any(Number),
    post: post + 1,
    destination: destination + 1,
    part: part + 1,
    post_search: post_search + 1,
    outbox_event: outbox_event + 1,
    idempotency_record: idempotency_record + 1,
    audit_entry: audit_entry + 1,
  })

  for (const at of [app.baseUrl, app.otherUrl]) {
    const again = await create('equal', {}, at)
    expect({ status: again.status, text: again.text, replayed: wasReplayed(again) }).toEqual({
      status: 201,
      text: fresh[0]!.text,
      replayed: true,
    })
  }
})

test('a hundred different keys at once make a hundred posts', async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => create(`own-${n}`, {}, n % 2 === 0 ? app.baseUrl : app.otherUrl)),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(answers.map(({ body }) => body.postId)).size).toBe(100)
})

test.each([
  ['another text', { text: 'Twice' }],
  ['another time', { publishAt: '2027-01-01T09:00:01Z' }],
  ['the same time written differently', { publishAt: '2027-01-01T10:00:00+01:00' }],
  ['one field more', { thread: [] }],
])('a key that was used is refused with %s, and makes nothing', async (name, change) => {
  await create(`changed ${name}`.replaceAll(' ', '-'))
  const before = await rowCounts(app.db)
  const { status, body } = await create(`changed ${name}`.replaceAll(' ', '-'), change, app.otherUrl)
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'idempotency_key_reused' })
  expect(await rowCounts(app.db)).toEqual(before)
})

test('fields in another order are the same request', async () => {
  const first = await create('order')
  const body = JSON.parse(
    `{"text":"Once","channelIds":["${channelId}"],"publishAt":"2027-01-01T09:00:00Z","state":"scheduled",` +
      `"idempotencyKey":"order","confirmed":true}`,
  ) as object
  const again = await app.ask('POST', '/agent/v1/posts', { body })
  expect({ text: again.text, replayed: wasReplayed(again) }).toEqual({ text: first.text, replayed: true })
})

test.each([
  ['a refused one', { text: '' }, 'post_not_publishable'],
  ['one without confirmation', { confirmed: false }, 'confirmation_required'],
  ['a late one', { publishAt: '2020-01-01T00:00:00Z' }, 'publish_time_in_past'],
])('%s leaves its key usable', async (name, change, code) => {
  const key = `refused ${name}`.replaceAll(' ', '-')
  for (const at of [app.baseUrl, app.otherUrl]) expect((await create(key, change, at)).body.code).toBe(code)
  const made = await create(key)
  expect({ status: made.status, replayed: wasReplayed(made) }).toEqual({ status: 201, replayed: false })
})

test('100 equal cancels at once are one cancel', async () => {
  const { body: post } = await create('to-cancel')
  const { controlToken } = post.destinations[0]
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      app.ask('POST', `/agent/v1/posts/${post.postId}/cancel`, {
        at: n % 2 === 0 ? app.baseUrl : app.otherUrl,
        body: { confirmed: true, channelId, controlToken },
        // Bare and quoted, it is one key.
        headers: { 'idempotency-key': n % 3 === 0 ? '"cancel-it"' : 'cancel-it' },
      }),
    ),
  )
  const done = answers.filter(({ status }) => status === 200)
  expect(done.filter((answer) => !wasReplayed(answer))).toHaveLength(1)
  expect(new Set(done.map(({ text }) => text)).size).toBe(1)
  for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'idempotency_in_progress' })
  }
  const [events] = await app.db<{ count: number }[]>`
    select count(*)::int from outbox_event where post_id = ${post.postId} and type = 'post.cancelled'`
  expect(events).toEqual({ count: 1 })
})

test('a server has posts indexed for search, those of other processes, too', async () => {
  const { postId } = await aPost(app.db, app.workspace.workspaceId, { channelIds: [channelId] })
  const indexed = () => app.db`select from post_search where post_id = ${postId}`
  await expect.poll(indexed, { timeout: 20_000 }).toHaveLength(1)
  expect(await app.db`select from unindexed_post where post_id = ${postId}`).toEqual([])
})
