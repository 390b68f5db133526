import { type DestinationStatus, noLimits, permissionNames } from '@postrider/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { openDatabaseProxy } from '../../../../test/rigs/database-proxy.ts'
import { openEdge } from '../../../../test/rigs/edge.ts'
import { aChannel, aPost, aWorkspace, wiredRoutes } from '../../../../test/rigs/fixtures.ts'
import { hoursAhead, openFileWorld } from '../../../../test/rigs/file-world.ts'
import { agentKeys, authenticateBy } from '../../../people/keys/authenticate.ts'
import { createKey, limitKey, revokeKey } from '../../../people/keys/key-store.ts'
import { EVENTS_CHANNEL } from '../../../engine/outbox/outbox-store.ts'
import { openDb } from '../../../platform/postgres/db.ts'

/*
 * How often each kind of request waits for the database, its credential included: counted between the two, over one
 * connection.
 */

const { world } = await openFileWorld()

const proxy = await openDatabaseProxy(world.connection)
const db = openDb({ url: proxy.url, applicationName: 'counted', max: 1 })
const edge = await openEdge({ db, ...wiredRoutes(db), authenticate: authenticateBy([agentKeys]) })
const { workspaceId, memberId } = await aWorkspace(world.db)
const channelId = await aChannel(world.db, workspaceId)

const named = { memberId, name: 'counted', permissions: permissionNames, expiresAt: null }
const { key } = await createKey(world.db, workspaceId, named)
afterAll(async () => {
  await edge[Symbol.asyncDispose]()
  await db.end()
  await proxy[Symbol.asyncDispose]()
})

// Whoever follows events is told of them after the commit: no request waits for that.
let signals = 0
proxy.rewrite = (bytes) => {
  if (bytes.includes(EVENTS_CHANNEL)) signals += 1
  return bytes
}

/** Asks, and counts the round trips. */
async function counted(method: 'GET' | 'POST', path: string, body?: object, secret = key) {
  const before = proxy.syncs - signals
  const answer = await edge.app.inject({
    method,
    url: `/agent/v1${path}`,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(body === undefined || 'idempotencyKey' in body ? {} : { 'idempotency-key': crypto.randomUUID() }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify({ confirmed: true, ...body }) }),
  })
  return { status: answer.statusCode, body: answer.json(), roundTrips: proxy.syncs - signals - before }
}

const plan = () => ({
  idempotencyKey: crypto.randomUUID(),
  state: 'scheduled',
  text: 'a post',
  channelIds: [channelId],
  publishAt: hoursAhead(1),
})

const aPostIn = (status: DestinationStatus) =>
  aPost(world.db, workspaceId, { states: [status], channelIds: [channelId] })

test.for([
  ['who am I', '/me'],
  ['a page of posts', '/posts?limit=20'],
  ['the channels', '/channels'],
] as const)('%s is one round trip, credential included', async ([, path]) => {
  await counted('GET', path)
  expect(await counted('GET', path)).toMatchObject({ status: 200, roundTrips: 1 })
})

test('a post is one round trip, credential included', async () => {
  const { postId } = await aPostIn('scheduled')
  await counted('GET', '/me')
  expect(await counted('GET', `/posts/${postId}`)).toMatchObject({ status: 200, roundTrips: 1 })
})

test('what takes a moment goes out with what others ask in the same turn, and a search by itself', async () => {
  const { postId } = await aPostIn('scheduled')
  const other = await createKey(world.db, workspaceId, named)
  const post = `/posts/${postId}`
  for (const secret of [key, other.key]) await counted('GET', '/me', undefined, secret)
  const trips = async (...paths: string[]) => {
    const before = proxy.syncs
    const answers = await Promise.all(paths.map((path) => counted('GET', path)))
    return { statuses: answers.map(({ status }) => status), roundTrips: proxy.syncs - before }
  }
  expect(await trips(post, '/me', '/posts', post)).toEqual({ statuses: [200, 200, 200, 200], roundTrips: 1 })
  expect(await trips(post, '/posts?q=post', '/posts?status=failed')).toMatchObject({ roundTrips: 3 })
  expect(await trips(post, `${post}?include=history`)).toMatchObject({ roundTrips: 2 })

  await revokeKey(world.db, workspaceId, other.keyId)
  const both = await Promise.all([counted('GET', post, undefined, other.key), counted('GET', post)])
  expect(both).toMatchObject([{ status: 401 }, { status: 200 }])
})

test('what is remembered of a credential lets nobody in: it is refused from its revocation on, and sees what it may by now', async () => {
  const workspace = await aWorkspace(world.db)
  const other = await createKey(world.db, workspace.workspaceId, { ...named, memberId: workspace.memberId })
  const { postId, channelIds } = await aPost(world.db, workspace.workspaceId)
  const read = () => counted('GET', `/posts/${postId}`, undefined, other.key)
  expect([await read(), await read()]).toMatchObject([
    { status: 200, roundTrips: 2 },
    { status: 200, roundTrips: 1 },
  ])

  const limits = { ...noLimits, channelIds: [crypto.randomUUID()] }
  await limitKey(world.db, workspace.workspaceId, other.keyId, limits)
  expect(await read()).toMatchObject({ status: 404 })
  await limitKey(world.db, workspace.workspaceId, other.keyId, { ...noLimits, channelIds })
  expect([await read(), await read()]).toMatchObject([{ status: 200 }, { status: 200, roundTrips: 1 }])

  await world.db`update agent_key set permissions = '{channels:read}' where id = ${other.keyId}`
  expect(await read()).toMatchObject({ status: 403, body: { code: 'missing_permission' } })
  await world.db`update agent_key set permissions = '{posts:read}' where id = ${other.keyId}`
  expect([await read(), await read()]).toMatchObject([{ status: 200 }, { status: 200, roundTrips: 1 }])

  await revokeKey(world.db, workspace.workspaceId, other.keyId)
  expect(await read()).toMatchObject({ status: 401, body: { code: 'invalid_credential' } })
  expect(await read()).toMatchObject({ status: 401, body: { code: 'invalid_credential' } })
})

test('a request that asks the database nothing is refused all the same once its credential is revoked', async () => {
  const other = await createKey(world.db, workspaceId, named)
  const wrong = () => counted('GET', '/posts?limit=0', undefined, other.key)
  await counted('GET', '/me', undefined, other.key)
  expect(await wrong()).toMatchObject({ status: 400, roundTrips: 1 })
  await revokeKey(world.db, workspaceId, other.keyId)
  expect(await wrong()).toMatchObject({ status: 401 })
})

const now = () => ({ ...plan(), state: 'immediate', publishAt: undefined })

test.for([
  ['a create', plan],
  ['one that asks for approval', now],
] as const)('%s is two round trips, credential included', async ([, body]) => {
  await counted('GET', '/me')
  expect(await counted('POST', '/posts', body())).toMatchObject({ status: 201, roundTrips: 2 })
})

test.for([
  ['schedule', 'draft', { publishAt: hoursAhead(2) }],
  ['reschedule', 'scheduled', { publishAt: hoursAhead(2) }],
  ['retry', 'failed', { publishAt: hoursAhead(2) }],
  ['cancel', 'scheduled', {}],
] as const)('to %s is two round trips, credential included', async ([verb, status, more]) => {
  const { postId } = await aPostIn(status)
  const { body: post } = await counted('GET', `/posts/${postId}`)
  const { controlToken } = post.destinations[0]
  const answer = await counted('POST', `/posts/${postId}/${verb}`, { channelId, controlToken, ...more })
  expect(answer).toMatchObject({ status: 200, roundTrips: 2 })
})

test('an edit is two round trips, credential included', async () => {
  const { postId } = await aPostIn('scheduled')
  const { body: post } = await counted('GET', `/posts/${postId}`)
  const content = { text: 'other words' }
  const answer = await counted('POST', `/posts/${postId}/edit`, { editToken: post.editToken, content })
  expect(answer).toMatchObject({ status: 200, roundTrips: 2 })
})

describe('a write by a credential that has changed since it was looked up last', () => {
  /** A key that is remembered, with a post that it has made, and then changed. */
  async function changedKey(change: (keyId: string) => Promise<unknown>) {
    const other = await createKey(world.db, workspaceId, named)
    const asked = plan()
    const create = (body: object) => counted('POST', '/posts', body, other.key)
    expect(await create(asked)).toMatchObject({ status: 201, roundTrips: 3 })
    expect(await create(plan())).toMatchObject({ status: 201, roundTrips: 2 })
    await change(other.keyId)
    return { asked, create }
  }
  const posts = async () => (await world.db`select id from post where workspace_id = ${workspaceId}`).length
  const revoke = (keyId: string) => revokeKey(world.db, workspaceId, keyId)

  test.for([
    ['revoked', revoke, 401, 'invalid_credential'],
    [
      'expired',
      (id: string) => world.db`update agent_key set expires_at = now() where id = ${id}`,
      401,
      'invalid_credential',
    ],
    [
      'without the permission',
      (id: string) => world.db`update agent_key set permissions = '{posts:read}' where id = ${id}`,
      403,
      'missing_permission',
    ],
    [
      'for other channels',
      (id: string) => limitKey(world.db, workspaceId, id, { ...noLimits, channelIds: [crypto.randomUUID()] }),
      403,
      'credential_limit',
    ],
  ] as const)('%s, is refused, and leaves nothing', async ([, change, status, code]) => {
    const { create } = await changedKey(change)
    const before = await posts()
    expect(await create(plan())).toMatchObject({ status, body: { code } })
    expect(await posts()).toBe(before)
  })

  test.for([
    ['a repeat', (asked: object) => asked],
    [
      'a key of another request',
      ({ idempotencyKey }: ReturnType<typeof plan>) => ({ ...plan(), idempotencyKey }),
    ],
    ['a body that is not valid', () => ({ ...plan(), text: 17 })],
    ['a plan that cannot be carried out', () => ({ ...plan(), publishAt: hoursAhead(-30) })],
  ] as const)('%s is answered as without a credential', async ([, options]) => {
    const { asked, create } = await changedKey(revoke)
    expect(await create(options(asked))).toMatchObject({ status: 401, body: { code: 'invalid_credential' } })
  })

  test('over its limit of writes, is refused as without a credential', async () => {
    await using narrow = await openEdge({
      db,
      ...wiredRoutes(db),
      authenticate: authenticateBy([agentKeys]),
      limits: { writesPerMinute: 1 },
    })
    const other = await createKey(world.db, workspaceId, named)
    const create = () =>
      narrow.app.inject({
        method: 'POST',
        url: '/agent/v1/posts',
        payload: { confirmed: true, ...plan() },
        headers: { authorization: `Bearer ${other.key}` },
      })
    expect([(await create()).statusCode, (await create()).statusCode]).toEqual([201, 429])
    await revoke(other.keyId)
    expect((await create()).statusCode).toBe(401)
  })

  test('wider than before, may do at once what it was given', async () => {
    const other = await createKey(world.db, workspaceId, { ...named, permissions: ['posts:read'] })
    await counted('GET', '/me', undefined, other.key)
    const { postId } = await aPostIn('scheduled')
    const { body: post } = await counted('GET', `/posts/${postId}`)
    const cancel = () =>
      counted(
        'POST',
        `/posts/${postId}/cancel`,
        { channelId, controlToken: post.destinations[0].controlToken },
        other.key,
      )
    expect(await cancel()).toMatchObject({ status: 403 })
    await world.db`update agent_key set permissions = ${[...permissionNames]} where id = ${other.keyId}`
    expect(await cancel()).toMatchObject({ status: 200 })
  })
})
