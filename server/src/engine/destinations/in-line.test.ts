import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  aChannel,
  anApi,
  announced,
  aPost,
  aWorkspace,
  type AnApi,
  type AWorkspace,
} from '../../../test/rigs/fixtures.ts'
import { armed, ending, published, storeOn } from '../../../test/rigs/publishing-store.ts'
import { explained, mostRows, statementOf } from '../../../test/rigs/query-plan.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { outageStore } from '../queue/outage-store.ts'
import type { EngineStore } from '../queue/work.ts'
import { claimable, settled } from './destination-states.ts'

/* What is due on a channel that publishes something else first, as it is read. */

let world: World
let api: AnApi
let workspace: AWorkspace
let channelId: string
beforeAll(async () => {
  world = await openWorld()
  api = await anApi(world.db)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})
beforeEach(async () => {
  workspace = await aWorkspace(world.db)
  channelId = await aChannel(world.db, workspace.workspaceId)
})

/** Posts that are due on the channel, the first since so many minutes and each of the others a second later. */
async function due(count: number, status: (typeof claimable)[number] = 'scheduled', minutes = 1) {
  const postIds: string[] = []
  for (let n = 0; n < count; n += 1) {
    const publishAt = new Date(Date.now() - minutes * 60_000 + n * 1_000)
    const { postId } = await aPost(world.db, workspace.workspaceId, {
      states: [status],
      channelIds: [channelId],
      publishAt,
    })
    postIds.push(postId)
  }
  return postIds
}

const read = (postIds: readonly string[]) => Promise.all(postIds.map((postId) => api.read(workspace, postId)))

async function waitReasons(postIds: readonly string[]) {
  return (await read(postIds)).map(({ destinations: [one] }) => one!.waitReason)
}

const behind = (posts: string) => `Waits behind ${posts} on this channel, which publishes one at a time.`

/** What an end of a hold writes for every post, if anything: the tokens, and the events of the workspace. */
const written = async () => ({
  tokens: await world.db`
    select p.edit_token, d.control_token, d.status
    from   destination d
    join   post p on p.workspace_id = d.workspace_id and p.id = d.post_id
    where  d.workspace_id = ${workspace.workspaceId}
    order  by d.id`,
  events: (await announced(world.db, workspace.workspaceId)).length,
})

/** Claims what the channel publishes next, in the workspace of this test. */
async function claimNext(store: EngineStore) {
  const works = (await store.claim(1_000)).filter((work) => work.channelId === channelId)
  expect(works).toHaveLength(1)
  return works[0]!
}

const holds = {
  async 'a pause that its provider asked for'() {
    await world.db`update channel set paused_until = now() + interval '10 minutes' where id = ${channelId}`
    return {
      code: 'rate_limited',
      end: async () => void (await world.db`update channel set paused_until = now() where id = ${channelId}`),
    }
  },
  async 'an outage of its network'() {
    const origin = `https://${channelId}.test`
    const { workspaceId } = workspace
    const networks = outageStore(world.db, { onOutage: () => {}, onRecovery: () => {} })
    const others = [await aChannel(world.db, workspaceId), await aChannel(world.db, workspaceId)]
    await world.db`update channel set provider_origin = ${origin} where workspace_id = ${workspaceId}`
    for (const failed of [channelId, ...others])
      await networks.recordFailure({ origin, workspaceId, channelId: failed, probe: null })
    return { code: 'provider_unavailable', end: () => networks.recordSuccess(origin) }
  },
}

test.each(Object.entries(holds))('after %s, what waits in line says so', async (_, hold) => {
  const { db } = world
  const postIds = await due(4)
  const { code, end } = await hold()
  const store = storeOn(db)
  await store.claim(1_000)
  expect(await store.announceHolds(100)).toBe(4)
  for (const { destinations } of await read(postIds))
    expect(destinations).toMatchObject([
      { status: 'delayed', error: { code }, checkAgainAt: expect.any(String), waitReason: null },
    ])

  const before = await written()
  await end()
  await db`update destination set check_again_at = now() - interval '5 minutes' where workspace_id = ${workspace.workspaceId}`
  const waiting = async (ids: readonly string[], reasons: readonly string[]) => {
    expect(await waitReasons(ids)).toEqual(reasons)
    for (const { destinations } of await read(ids))
      expect(destinations).toMatchObject([
        { status: 'delayed', error: null, checkAgainAt: null, lastError: { code } },
      ])
  }
  await waiting(postIds.slice(1), [behind('1 post'), behind('2 posts'), behind('3 posts')])
  expect(await waitReasons(postIds.slice(0, 1))).toEqual([null])
  expect(await written()).toEqual(before)

  const work = await claimNext(store)
  expect(work.postId).toBe(postIds[0])
  await waiting(postIds.slice(1), [behind('1 post'), behind('2 posts'), behind('3 posts')])

  await store.settle(ending(work, await armed(store, work), published))
  expect((await read(postIds.slice(0, 1)))[0]!.destinations).toMatchObject([
    { status: 'published', waitReason: null },
  ])
  await waiting(postIds.slice(2), [behind('1 post'), behind('2 posts')])
})

test('after a pause that an attempt met, it waits in line, too', async () => {
  const { db } = world
  const [first] = await due(1)
  const store = storeOn(db)
  const work = await claimNext(store)
  const later = await due(1, 'scheduled', 0.5)
  const limited = { is: 'deferred', code: 'rate_limited', afterMs: 60_000 } as const
  await store.settle(ending(work, await armed(store, work), limited))
  const { destinations } = await api.read(workspace, first!)
  expect(destinations).toMatchObject([{ status: 'delayed', error: { code: 'rate_limited' } }])

  await db`update channel set paused_until = now() where id = ${channelId}`
  await db`update destination set due_at = now(), check_again_at = now() where id = ${work.destinationId}`
  expect(await waitReasons(later)).toEqual([null])
  expect((await api.read(workspace, first!)).destinations).toMatchObject([
    { status: 'delayed', error: null, checkAgainAt: null, waitReason: behind('1 post') },
  ])
})

test.each(claimable)('what is %s and due waits in line, and counts for those behind it', async (status) => {
  const [, second] = await due(2, status)
  const last = await due(1, 'scheduled', 0.5)
  expect(await waitReasons([second!, ...last])).toEqual([behind('1 post'), behind('2 posts')])
})

test('what is over, not due, past its time or of another channel is behind nothing, and nothing is behind it', async () => {
  const { db } = world
  const { workspaceId } = workspace
  for (const status of settled)
    await aPost(db, workspaceId, {
      states: [status],
      channelIds: [channelId],
      publishAt: new Date(Date.now() - 120_000),
    })
  await aPost(db, workspaceId, { states: ['scheduled'], publishAt: new Date(Date.now() - 120_000) })
  const [expired] = await due(1, 'scheduled', 2)
  await db`update destination set expires_at = now() where post_id = ${expired!}`
  const postIds = [...(await due(1)), ...(await due(1, 'scheduled', -60))]
  expect(await waitReasons(postIds)).toEqual([null, null])
})

test('an occurrence that waits for an earlier one of its series stands in nobody’s way', async () => {
  const { db } = world
  const [doubtful, occurrence, other, last] = await due(4)
  await db`update destination set series_id = gen_random_uuid() where post_id = ${doubtful!}`
  await db`
    update destination set series_id = (select series_id from destination where post_id = ${doubtful!})
    where  post_id = ${occurrence!}`
  await db`update destination set status = 'checking', check_again_at = now() where post_id = ${doubtful!}`
  expect(await waitReasons([occurrence!, other!, last!])).toEqual([
    'Waits until it is known whether the previous occurrence was published on this channel.',
    null,
    behind('1 post'),
  ])
})

test('on a channel that is disabled, nothing is said to be in line', async () => {
  const postIds = await due(2)
  await world.db`update channel set enabled = false where id = ${channelId}`
  expect(await waitReasons(postIds)).toEqual([null, null])
})

test('of a long line, a hundred are counted', async () => {
  const postIds = await due(120, 'scheduled', 5)
  expect(await waitReasons(postIds.slice(100, 103))).toEqual([
    behind('100 posts'),
    behind('more than 100 posts'),
    behind('more than 100 posts'),
  ])
  const readLast = async (db: Db) => {
    await using other = await anApi(db)
    await other.read(workspace, postIds[119]!)
  }
  const statement = await statementOf(world, 'destination_head applies', readLast)
  // The planner knows the table as it is, and not as it was for a moment while it was filled.
  await world.db`analyze`
  expect(mostRows(await explained(world.db, statement, { byIndex: true }))).toBeLessThanOrEqual(103)
})

test('what leaves the line by a command is not said to be in it', async () => {
  const postIds = await due(2)
  const { controlToken } = (await api.read(workspace, postIds[1]!)).destinations[0]!
  const { body } = await api.call(workspace, 'POST', `/posts/${postIds[1]!}/cancel`, {
    channelId,
    controlToken,
    confirmed: true,
  })
  expect(body).toMatchObject({ status: 'cancelled', waitReason: null })
})
