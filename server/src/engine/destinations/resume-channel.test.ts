import { destinationStatusNames } from '@postrider/contract'
import { expect, test } from 'vitest'
import {
  aChannel,
  announced,
  aPost,
  aWorkspace,
  openTransaction,
  snapshotOf,
} from '../../../test/rigs/fixtures.ts'
import { plantMany } from '../../../test/rigs/plant-many.ts'
import { explained, mostRows, statementOf } from '../../../test/rigs/query-plan.ts'
import { untilLocked } from '../../../test/rigs/publishing-store.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import type { ChannelKey } from '../../networks/channels/channel-store.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { DUE_CHANNEL } from './destination-store.ts'
import { expediteLookups } from './reconnect-store.ts'
import { resumeChannel, sweepConnected } from './resume-channel.ts'

const waits = { code: 'reconnect_required', message: 'No.', provider: 'sandbox-short', retryable: false }

test('what waited for the channel is due now, is announced, and wakes the publishers', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const publishAt = new Date(Date.now() - 60_000)
  const { destinationIds, channelIds } = await aPost(db, workspaceId, {
    states: ['reconnect_required'],
    publishAt,
  })
  await db`update destination set error = ${db.json(waits)}, tries = 4, due_at = null`
  const [before] = await db`select control_token from destination`
  const woken = Promise.withResolvers<void>()
  const { unlisten } = await db.listen(DUE_CHANNEL, () => woken.resolve())

  expect(await resumeChannel(db, workspaceId, channelIds[0]!)).toBe(1)
  await woken.promise
  await unlisten()
  const [after] = await db`
    select status, error, tries, publish_at, due_at <= now() as due, expires_at > now() as in_time, control_token
    from   destination where id = ${destinationIds[0]!}`
  expect(after).toMatchObject({
    status: 'scheduled',
    error: null,
    tries: 0,
    publish_at: publishAt,
    due: true,
    in_time: true,
  })
  expect(after!['control_token']).not.toBe(before!['control_token'])
  expect((await announced(db, workspaceId)).map(({ type }) => type)).toEqual(['post.scheduled'])
  expect(await resumeChannel(db, workspaceId, channelIds[0]!)).toBe(0)
})

test('a thread that was interrupted for it goes on, keeps its status, and wakes the publishers', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  const states = ['partially_published'] as const
  const [waiting, refused] = [
    await aPost(db, workspaceId, { states, texts: ['a', 'b'], channelIds: [channelId] }),
    await aPost(db, workspaceId, { states, texts: ['a', 'b'], channelIds: [channelId] }),
  ]
  await db`update destination set due_at = null, check_again_at = null, error = ${db.json(waits)}`
  await db`
    update destination set error = ${db.json({ ...waits, code: 'content_refused' })}
    where  id = ${refused.destinationIds[0]!}`
  const woken = Promise.withResolvers<void>()
  const { unlisten } = await db.listen(DUE_CHANNEL, () => woken.resolve())

  expect(await resumeChannel(db, workspaceId, channelId)).toBe(1)
  await woken.promise
  await unlisten()
  const rows = await db`select id, status, due_at <= now() as due from destination order by id`
  expect([...rows]).toEqual([
    { id: waiting.destinationIds[0], status: 'partially_published', due: true },
    { id: refused.destinationIds[0], status: 'partially_published', due: null },
  ])
  expect(await announced(db, workspaceId)).toEqual([])
})

test('nothing else moves: not what is past its allowed time, on another channel, of another workspace or in another status', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const stranger = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  for (const status of destinationStatusNames) {
    const channelIds = [channelId]
    if (status === 'reconnect_required' || status === 'checking') continue
    await aPost(db, workspaceId, { states: [status], channelIds })
  }
  const publishAt = new Date(Date.now() - 25 * 3_600_000)
  await aPost(db, workspaceId, { states: ['reconnect_required'], channelIds: [channelId], publishAt })
  await aPost(db, workspaceId, { states: ['reconnect_required'] })
  await aPost(db, stranger.workspaceId, { states: ['reconnect_required'] })

  const before = [await snapshotOf(db, workspaceId), await snapshotOf(db, stranger.workspaceId)]
  expect(await resumeChannel(db, workspaceId, channelId)).toBe(0)
  expect(await resumeChannel(db, stranger.workspaceId, channelId)).toBe(0)
  expect([await snapshotOf(db, workspaceId), await snapshotOf(db, stranger.workspaceId)]).toEqual(before)
})

test('what is in doubt on the channel is looked for at once, and on no other one', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const [reconnected, other] = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  for (const channelId of [reconnected, other]) {
    await aPost(db, workspaceId, { states: ['checking'], channelIds: [channelId] })
  }
  expect(await resumeChannel(db, workspaceId, reconnected)).toBe(0)
  expect(await sweepConnected(db)()).toBe(0)
  const rows = await db`
    select channel_id as "channelId", status, due_at <= now() as due from destination order by id`
  expect([...rows]).toEqual([
    { channelId: reconnected, status: 'checking', due: true },
    { channelId: other, status: 'checking', due: false },
  ])
  expect(await announced(db, workspaceId)).toEqual([])
})

test('a sweep takes up what waits on channels that are connected, and on no others', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const [connected, refused] = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  await db`update channel set connection_status = 'reconnect_required' where id = ${refused}`
  for (const channelId of [connected, refused]) {
    await aPost(db, workspaceId, { states: ['reconnect_required'], channelIds: [channelId] })
  }

  expect(await sweepConnected(db)()).toBe(1)
  const rows = await db`select channel_id as "channelId", status from destination order by id`
  expect([...rows]).toEqual([
    { channelId: connected, status: 'scheduled' },
    { channelId: refused, status: 'reconnect_required' },
  ])
  expect((await announced(db, workspaceId)).map(({ type }) => type)).toEqual(['post.scheduled'])
  expect(await sweepConnected(db)()).toBe(0)
})

/** So many channels of a workspace, on each of which so many destinations wait for it to be connected. */
async function aDisconnectedWorkspace(db: Db, of: { channels: number; each: number }): Promise<string> {
  const { workspaceId } = await aWorkspace(db)
  await plantMany(db, workspaceId, of)
  await db`update channel set connection_status = 'reconnect_required' where workspace_id = ${workspaceId}`
  await db`update destination set status = 'reconnect_required', due_at = null where workspace_id = ${workspaceId}`
  return workspaceId
}

test('whoever connects a channel waits for some of a long backlog, and a sweep takes up the rest', async () => {
  await using world = await openWorld()
  const { db } = world
  const workspaceId = await aDisconnectedWorkspace(db, { channels: 1, each: 2_100 })
  const [channel] = await db<
    { id: string }[]
  >`update channel set connection_status = 'connected' returning id`
  const left = () => db`select from destination where status = 'reconnect_required'`

  expect(await resumeChannel(db, workspaceId, channel!.id)).toBe(2_100)
  expect(await left()).toHaveLength(100)
  expect(await sweepConnected(db)()).toBe(100)
  expect(await left()).toHaveLength(0)
})

test('a sweep reads no more than a row for each channel that is waited for, and goes round them', async () => {
  await using world = await openWorld()
  const { db } = world
  await aDisconnectedWorkspace(db, { channels: 30, each: 50 })
  await db`vacuum analyze`
  const reading = await statementOf(world, 'waited_for', (one) => sweepConnected(one, 20)())
  expect(mostRows(await explained(db, reading, { byIndex: true }))).toBeLessThanOrEqual(20)

  await db`
    update channel set connection_status = 'connected'
    where  id = (select id from channel order by workspace_id desc, id desc limit 1)`
  const sweep = sweepConnected(db, 20)
  expect([await sweep(), await sweep(), await sweep()]).toEqual([0, 50, 0])
})

test('one that is settled meanwhile keeps no other doubt from being looked for at once', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await plantMany(db, workspaceId, { channels: 1, each: 600 })
  await db`update destination set status = 'checking', due_at = now() + interval '1 hour', check_again_at = now() + interval '1 hour'`
  const [channel] = await db<{ id: string }[]>`select id from channel`
  const settling = await openTransaction(db)
  await settling.tx`
    update destination set due_at = now() where id = (select id from destination order by id limit 1)`

  const resuming = resumeChannel(db, workspaceId, channel!.id)
  await untilLocked(db, 'with of_channels')
  await settling.commit()

  expect(await resuming).toBe(0)
  expect(await db`select from destination where due_at > now()`).toHaveLength(0)
})

test.for([['never analyzed'], ['analyzed before'], ['analyzed']] as const)(
  'what is in doubt on a channel is found without reading what is on others, in a database that was %s',
  async ([state]) => {
    await using world = await openWorld()
    const { db } = world
    const { workspaceId } = await aWorkspace(db)
    await plantMany(db, workspaceId, { channels: 40, each: 20, settled: 20 })
    if (state === 'analyzed before') await db`vacuum analyze`
    await db`
      update destination set status = 'checking', due_at = now() + interval '1 hour', check_again_at = now() + interval '1 hour'
      where  status = 'scheduled'`
    if (state === 'analyzed') await db`vacuum analyze`
    const channels = await db<ChannelKey[]>`
      select workspace_id as "workspaceId", id as "channelId" from channel limit 2`
    const reading = await statementOf(world, 'of_channels', (one) => expediteLookups(one, channels, 100))
    await db`update destination set due_at = now() + interval '1 hour' where status = 'checking'`
    expect(mostRows(await explained(db, reading, { byIndex: true }))).toBeLessThanOrEqual(40)
  },
)
