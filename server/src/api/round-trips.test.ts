import { type DestinationStatus, permissionNames } from '@postrider/contract'
import { afterAll, expect, test } from 'vitest'
import { openDatabaseProxy } from '../../test/database-proxy.ts'
import { openEdge } from '../../test/edge.ts'
import { aChannel, aPost, aWorkspace, wiredRoutes } from '../../test/fixtures.ts'
import { hoursAhead, openFileWorld } from '../../test/file-world.ts'
import { agentKeys, authenticateBy } from '../identity/authenticate.ts'
import { createKey } from '../identity/key-store.ts'
import { EVENTS_CHANNEL } from '../outbox/outbox-store.ts'
import { openDb } from '../platform/db.ts'

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
async function counted(method: 'GET' | 'POST', path: string, body?: object) {
  const before = proxy.syncs - signals
  const answer = await edge.app.inject({
    ...{ method, url: `/agent/v1${path}` },
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(body === undefined || 'idempotencyKey' in body ? {} : { 'idempotency-key': crypto.randomUUID() }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify({ confirmed: true, ...body }) }),
  })
  return { status: answer.statusCode, body: answer.json(), roundTrips: proxy.syncs - signals - before }
}

const plan = () => ({
  ...{ idempotencyKey: crypto.randomUUID(), state: 'scheduled', text: 'a post' },
  ...{ channelIds: [channelId], publishAt: hoursAhead(1) },
})

const aPostIn = (status: DestinationStatus) =>
  aPost(world.db, workspaceId, { states: [status], channelIds: [channelId] })

test.for([
  ['who am I', '/me'],
  ['a page of posts', '/posts?limit=20'],
  ['the channels', '/channels'],
] as const)('%s is one round trip beside the credential', async ([, path]) => {
  expect(await counted('GET', path)).toMatchObject({ status: 200, roundTrips: 2 })
})

test('a post is one round trip beside the credential', async () => {
  const { postId } = await aPostIn('scheduled')
  expect(await counted('GET', `/posts/${postId}`)).toMatchObject({ status: 200, roundTrips: 2 })
})

test('a create is two round trips beside the credential, and so is one that asks for approval', async () => {
  expect(await counted('POST', '/posts', plan())).toMatchObject({ status: 201, roundTrips: 3 })
  expect(
    await counted('POST', '/posts', { ...plan(), state: 'immediate', publishAt: undefined }),
  ).toMatchObject({ status: 201, roundTrips: 3 })
})

test.for([
  ['schedule', 'draft', { publishAt: hoursAhead(2) }],
  ['reschedule', 'scheduled', { publishAt: hoursAhead(2) }],
  ['retry', 'failed', { publishAt: hoursAhead(2) }],
  ['cancel', 'scheduled', {}],
] as const)('to %s is two round trips beside the credential', async ([verb, status, more]) => {
  const { postId } = await aPostIn(status)
  const { body: post } = await counted('GET', `/posts/${postId}`)
  const { controlToken } = post.destinations[0]
  const answer = await counted('POST', `/posts/${postId}/${verb}`, { channelId, controlToken, ...more })
  expect(answer).toMatchObject({ status: 200, roundTrips: 3 })
})

test('an edit is two round trips beside the credential', async () => {
  const { postId } = await aPostIn('scheduled')
  const { body: post } = await counted('GET', `/posts/${postId}`)
  const content = { text: 'other words' }
  const answer = await counted('POST', `/posts/${postId}/edit`, { editToken: post.editToken, content })
  expect(answer).toMatchObject({ status: 200, roundTrips: 3 })
})
