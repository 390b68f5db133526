import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChannel, anApproval, aPost } from '../../../test/rigs/fixtures.ts'
import { type LiveMessage, openLiveStream } from '../../../test/rigs/live-stream.ts'
import { aPerson, client, join } from '../../../test/rigs/people-world.ts'
import { openRunningApp, type RunningApp } from '../../../test/rigs/running-app.ts'
import { openSession } from '../../people/sign-in/session/session-store.ts'
import { siteOf } from '../../platform/outbound/site.ts'
import { cancel } from '../../engine/destinations/destination-store.ts'
import { announce } from '../../engine/outbox/outbox-store.ts'

let app: RunningApp
beforeAll(async () => {
  app = await openRunningApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const listen = (cookie: string, lastEventId?: string) =>
  openLiveStream(`${app.baseUrl}/app/api/workspaces/${app.workspace.workspaceId}/live`, {
    cookie,
    lastEventId,
  })

async function aMember() {
  const person = await aPerson(app.db, { password: false })
  const memberId = await join(app.db, app.workspace.workspaceId, person, 'viewer')
  return {
    memberId,
    personId: person.personId,
    cookie: `postrider=${await openSession(app.db, person.personId, client)}`,
  }
}

/** Cancels a scheduled post by the API, which records one event. */
async function anEvent(): Promise<string> {
  const { workspaceId } = app.workspace
  const channelId = await aChannel(app.db, workspaceId)
  const { postId } = await aPost(app.db, workspaceId, { channelIds: [channelId], states: ['scheduled'] })
  const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
  const [{ controlToken }] = body.destinations
  const cancelled = await app.ask('POST', `/agent/v1/posts/${postId}/cancel`, {
    headers: { 'idempotency-key': postId },
    body: { confirmed: true, channelId, controlToken },
  })
  expect(cancelled.status).toBe(200)
  return postId
}

const postsOf = ({ data }: LiveMessage) =>
  (JSON.parse(data) as { data: { post: { postId: string } } }[]).map((event) => event.data.post.postId)

test('who listens is told of a change, and who comes back misses none', async () => {
  const { cookie } = await aMember()
  const one = await listen(cookie)
  await one.next('ready')
  const first = await anEvent()
  const told = (await one.next('changed'))!
  expect(postsOf(told)).toEqual([first])
  one.close()

  const missed = [await anEvent(), await anEvent(), await anEvent()]
  const two = await listen(cookie, told.id)
  expect(postsOf((await two.next('changed'))!)).toEqual(missed)
  two.close()
})

test('who listens is told when a request for approval is made, and when it is decided', async () => {
  const { workspaceId } = app.workspace
  const { cookie } = await aMember()
  const stream = await listen(cookie)
  const { id } = (await stream.next('ready'))!
  const channelId = await aChannel(app.db, workspaceId)
  const { postId } = await aPost(app.db, workspaceId, { channelIds: [channelId] })
  const approvalId = await anApproval(app.db, workspaceId, postId)
  expect(await stream.next('changed')).toMatchObject({ id, data: '[]' })
  await app.db`update approval set status = 'rejected', decided_at = now() where id = ${approvalId}`
  expect(await stream.next('changed')).toMatchObject({ id, data: '[]' })
  stream.close()
})

test('a position of another history is told to refetch everything', async () => {
  const { cookie } = await aMember()
  const stream = await listen(cookie, '999999:01a20041-25fa-71aa-93c9-29aae92566db')
  expect(await stream.next('reset')).toMatchObject({ event: 'reset' })
  stream.close()
})

test('nobody has more than six streams, however they are opened', async () => {
  const { cookie } = await aMember()
  const streams = await Promise.all(Array.from({ length: 8 }, () => listen(cookie)))
  expect(Map.groupBy(streams, ({ status }) => status).get(200)).toHaveLength(6)
  for (const { close } of streams) close()
})

test('a stream is no use of its session, which ends while nobody is there', async () => {
  const [idle, removed] = [await aMember(), await aMember()]
  await app.db`update session set seen_at = now() - interval '2 minutes'`
  const stream = await listen(idle.cookie)
  await stream.next('ready')
  const other = await listen(removed.cookie)
  await other.next('ready')
  await app.db`update member set removed_at = now() where id = ${removed.memberId}`
  // All that are open are looked at together: the other one's end shows that this one was.
  expect(await other.next('reset')).toBeNull()
  const me = { key: null, headers: { cookie: idle.cookie, 'x-postrider-idle': '1' } }
  const at = siteOf(app.baseUrl).url
  expect((await app.ask('GET', '/app/api/me', { ...me, at })).status).toBe(200)
  const seen = () => app.db`select from session where seen_at > now() - interval '1 minute'`
  expect(await seen()).toEqual([])
  expect((await app.ask('GET', '/app/api/me', { ...me, at, headers: { cookie: idle.cookie } })).status).toBe(
    200,
  )
  expect(await seen()).toHaveLength(1)
  await app.db`update session set seen_at = now() - interval '8 days'`
  expect(await stream.next('reset')).toBeNull()
})

test('the stream of a member who was removed ends', async () => {
  const { cookie, memberId } = await aMember()
  const stream = await listen(cookie)
  await stream.next('ready')
  await app.db`update member set removed_at = now() where id = ${memberId}`
  expect(await stream.next('reset')).toBeNull()
})

test('a member who is removed is told nothing more, not even what happens in the same moment', async () => {
  const { cookie, memberId } = await aMember()
  const stream = await listen(cookie)
  await stream.next('ready')
  const { workspaceId } = app.workspace
  const channelId = await aChannel(app.db, workspaceId)
  const { destinationIds } = await aPost(app.db, workspaceId, {
    channelIds: [channelId],
    states: ['scheduled'],
  })
  await app.db.begin(async (tx) => {
    await tx`update member set removed_at = now() where id = ${memberId}`
    await announce(tx, await cancel(tx, workspaceId, destinationIds, { type: 'person', name: 'Ada' }))
  })
  expect(await stream.next('changed')).toBeNull()
})

test('who has signed out hears of nothing that happens after', async () => {
  // As often as it takes to be sure that no look at the sessions came first.
  for (let round = 0; round < 3; round++) {
    const { cookie, personId } = await aMember()
    const [stream, other] = [await listen(cookie), await listen((await aMember()).cookie)]
    await Promise.all([stream.next('ready'), other.next('ready')])
    await app.db`delete from session where person_id = ${personId}`
    const postId = await anEvent()
    expect(postsOf((await other.next('changed'))!)).toEqual([postId])
    expect(await stream.next('changed', 'reset')).toBeNull()
    other.close()
  }
})

test('strangers get none', async () => {
  const { cookie } = await aMember()
  const elsewhere = await fetch(
    `${app.baseUrl}/app/api/workspaces/01a20041-25fa-71aa-93c9-29aae92566db/live`,
    {
      headers: { cookie },
    },
  )
  expect(elsewhere.status).toBe(404)
  expect((await listen('')).status).toBe(401)
  const withKey = await fetch(`${app.baseUrl}/app/api/workspaces/${app.workspace.workspaceId}/live`, {
    headers: { authorization: `Bearer ${app.key}` },
  })
  expect(withKey.status).toBe(401)
})

test('all streams end with the server', async () => {
  const own = await openRunningApp()
  const person = await aPerson(own.db, { password: false })
  await join(own.db, own.workspace.workspaceId, person, 'viewer')
  const cookie = `postrider=${await openSession(own.db, person.personId, client)}`
  const answer = await fetch(`${own.baseUrl}/app/api/workspaces/${own.workspace.workspaceId}/live`, {
    headers: { cookie },
  })
  await own[Symbol.asyncDispose]()
  expect(await answer.text()).toContain('event: ready')
})
