import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, aWorkspace } from '../../../test/rigs/fixtures.ts'
import {
  armed,
  duePost,
  endLeases,
  ending,
  leaseOf,
  published,
  storeOn,
} from '../../../test/rigs/publishing-store.ts'
import type { DraftName } from '../../networks/providers/port/port.ts'
import { pruneLeftovers } from './leftover-store.ts'

const { world } = await openFileWorld()
const { db } = world
const video: DraftName = 'video:7'
const unknown = { is: 'unknown', detail: 'silence' } as const
const rejected = { is: 'rejected', code: 'content_refused', detail: 'No.' } as const

/** One post that is claimed, and whose attempt has noted a video. */
async function aNotedPost() {
  const { workspaceId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  await duePost(db, workspaceId, [channelId])
  const store = storeOn(db)
  const work = (await store.claim(100)).find((one) => one.workspaceId === workspaceId)!
  const attemptId = uuidv7()
  await store.noteDrafts({ ...leaseOf(work), attemptId }, [video])
  const { destinationId } = work
  const leave = async (status: string) => {
    await db`
      update destination set status = ${status}, lease_until = null, leased_by = null,
             published_at = case when ${status} = 'published' then now() end,
             check_again_at = case when ${status} = 'delayed' then now() end, due_at = coalesce(due_at, now())
      where  id = ${destinationId}`
  }
  const due = async () => {
    await db`update network_draft set look_at = now() where destination_id = ${destinationId}`
    return (await store.claimLeftovers(100)).filter((one) => one.destinationId === destinationId)
  }
  const rows = () => db`
    select name, outcome, tries from network_draft where destination_id = ${destinationId} order by name`
  const arm = async () => {
    const intent = { ...leaseOf(work), attemptId, partIndex: 0, key: uuidv7() }
    expect(await store.arm(intent)).toBe(true)
  }
  return { workspaceId, channelId, store, work, attemptId, leave, due, rows, arm }
}

describe('what was made and nobody sees', () => {
  test.each(['draft', 'failed', 'cancelled', 'expired', 'published'])(
    'is removed of what is %s',
    async (status) => {
      const { leave, due } = await aNotedPost()
      await leave(status)
      expect(await due()).toMatchObject([{ name: video, tried: 1, authorizationUnreadable: false }])
    },
  )

  test.each(['scheduled', 'delayed', 'checking', 'reconnect_required', 'publishing'])(
    'is left alone while it is %s, and looked at again',
    async (status) => {
      const { leave, due, rows, store } = await aNotedPost()
      if (status !== 'publishing') await leave(status)
      expect(await due()).toEqual([])
      expect(await rows()).toEqual([{ name: video, outcome: null, tries: 0 }])
      await leave('cancelled')
      expect(await store.claimLeftovers(100)).toEqual([])
      expect(await due()).toHaveLength(1)
    },
  )

  test('is forgotten where its call has shown it, or its owner is told to use it', async () => {
    const shown = await aNotedPost()
    await shown.arm()
    await shown.store.settle(ending(shown.work, shown.attemptId, published))
    expect(await shown.rows()).toEqual([])
    const kept = await aNotedPost()
    await kept.arm()
    const { attempt, ...settlement } = ending(kept.work, kept.attemptId, rejected)
    await kept.store.settle({ ...settlement, attempt: { ...attempt!, keepsDraft: true } })
    expect(await kept.rows()).toEqual([])
  })

  test('stays noted by a call that is in doubt, and is forgotten by the look that finds it out', async () => {
    const { store, work, attemptId, arm, rows, due } = await aNotedPost()
    await arm()
    await store.settle(ending(work, attemptId, unknown))
    expect(await due()).toEqual([])
    await store.settle(ending(work, attemptId, published, true))
    expect(await rows()).toEqual([])
  })

  test('of a worker that was lost is the next one’s, which has what it made before removed', async () => {
    const { store, work, rows, due } = await aNotedPost()
    await endLeases(db)
    const [orphan] = (await store.claimOrphans(100)).filter((one) => one.destinationId === work.destinationId)
    const attemptId = await armed(store, orphan!)
    await store.noteDrafts({ ...leaseOf(orphan!), attemptId }, ['video:8'])
    // The one that is lost may still say what it made: that is no longer its to use.
    await store.noteDrafts({ ...leaseOf(work), attemptId: uuidv7() }, ['video:8', 'video:9'])
    await store.settle(ending(orphan!, attemptId, published))
    expect(await rows()).toMatchObject([{ name: video }, { name: 'video:9' }])
    expect((await due()).map(({ name }) => name).toSorted()).toEqual([video, 'video:9'])
  })

  test('is used by no try that begins after its removal', async () => {
    const { store, work, leave, due, arm, attemptId } = await aNotedPost()
    await arm()
    await store.settle({
      ...ending(work, attemptId, { is: 'deferred', code: 'provider_unavailable', afterMs: null }),
      upload: { partIndex: 0, uploaded: [], checkpoint: 'half', waitedMs: 0 },
    })
    await leave('failed')
    const again = async () => {
      await db`
        update destination set status = 'scheduled', due_at = now(), check_again_at = null where id = ${work.destinationId}`
      await db`update channel_queue set look_at = now() where channel_id = ${work.channelId}`
      return (await store.claim(100)).find((one) => one.destinationId === work.destinationId)
    }
    expect(await again()).toMatchObject({
      formers: [{ partIndex: 0, refusals: 1, discarded: false }],
      upload: { checkpoint: 'half' },
      discarded: [],
    })
    await leave('failed')
    expect(await due()).toHaveLength(1)
    expect(await again()).toMatchObject({
      formers: [{ discarded: true }],
      upload: null,
      discarded: [video],
    })
  })

  test('is tried to remove at growing intervals, until its end is known', async () => {
    const { store, leave, due, rows } = await aNotedPost()
    await leave('expired')
    const [leftover] = await due()
    const [wait] = await db`
      select extract(epoch from look_at - now())::int as s from network_draft where destination_id = ${leftover!.destinationId}`
    expect(wait).toMatchObject({ s: expect.closeTo(60, -1) })
    expect(await due()).toMatchObject([{ tried: 2 }])
    await store.endLeftover(leftover!, 'removed')
    await store.endLeftover(leftover!, 'failed')
    expect(await rows()).toEqual([{ name: video, outcome: 'removed', tries: 2 }])
    expect(await due()).toEqual([])
  })

  test('waits while its channel pauses, and is given up where that was removed', async () => {
    const { channelId, leave, due, rows } = await aNotedPost()
    await leave('cancelled')
    await db`update channel set paused_until = now() + interval '1 hour' where id = ${channelId}`
    expect(await due()).toEqual([])
    await db`update channel set paused_until = null, removed_at = now(), enabled = false where id = ${channelId}`
    expect(await due()).toEqual([])
    expect(await rows()).toEqual([{ name: video, outcome: 'failed', tries: 0 }])
  })

  test('is kept as evidence for as long as attempts are', async () => {
    const { work, leave, due, rows, store } = await aNotedPost()
    await leave('cancelled')
    const [leftover] = await due()
    await store.endLeftover(leftover!, 'removed')
    await db`update network_draft set ended_at = now() - interval '9 days' where destination_id = ${work.destinationId}`
    expect(await pruneLeftovers(db, 10, 100)).toBe(0)
    expect(await pruneLeftovers(db, 8, 100)).toBe(1)
    expect(await rows()).toEqual([])
  })
})
