import { afterAll, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, anApproval, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { aUser, join, openSite } from '../../../test/rigs/people-world.ts'

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

const HOUR_MS = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS)

async function aViewer() {
  const { workspaceId } = await aWorkspace(db)
  const viewer = await aUser(db, site.app)
  await join(db, workspaceId, viewer, 'viewer')
  const today = async (from = '2026-11-23') => {
    const { status, body } = await viewer.ask(`GET /workspaces/${workspaceId}/today?from=${from}`)
    return { status, body }
  }
  return { workspaceId, today }
}

const idsOf = (entries: { postId: string }[]) => entries.map(({ postId }) => postId)

test('next are eight posts with all their channels; last are six, the latest first', async () => {
  const { workspaceId, today } = await aViewer()
  const channelIds = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const planned: string[] = []
  for (const hour of [9, 1, 8, 2, 7, 3, 6, 4, 5]) {
    const options = { channelIds, publishAt: inHours(hour), states: ['scheduled', 'scheduled'] as const }
    planned[hour] = (await aPost(db, workspaceId, { ...options, states: [...options.states] })).postId
  }
  // Over, cancelled, without a time, or due for so long that it is no longer next.
  await aPost(db, workspaceId, { channelIds, publishAt: inHours(1), states: ['cancelled', 'failed'] })
  await aPost(db, workspaceId, { channelIds, states: ['draft'] })
  await aPost(db, workspaceId, { channelIds, publishAt: inHours(-72), states: ['delayed'] })
  const waiting = await aPost(db, workspaceId, { channelIds, states: ['draft'] })
  await anApproval(db, workspaceId, waiting.postId, 'pending')
  await db`update destination set publish_at = ${inHours(0.5)} where post_id = ${waiting.postId}`
  const published: string[] = []
  for (const hour of [-7, -1, -6, -2, -5, -3, -4]) {
    const post = await aPost(db, workspaceId, { channelIds, states: ['published', 'published'] })
    await db`update destination set published_at = ${inHours(hour)} where post_id = ${post.postId}`
    published[-hour] = post.postId
  }

  const { body } = await today()
  const twice = (ids: readonly string[]) => ids.flatMap((id) => [id, id])
  expect(idsOf(body.next)).toEqual([waiting.postId, ...twice(planned.slice(1, 8))])
  expect(body.next[0]).toMatchObject({ reviewStatus: 'pending', status: 'draft' })
  expect(idsOf(body.published)).toEqual(twice(published.slice(1, 7)))
})

test('the week is counted by the days of the workspace, for each channel', async () => {
  const { workspaceId, today } = await aViewer()
  await db`update workspace set time_zone = 'Europe/Berlin' where id = ${workspaceId}`
  const [channelId, other] = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const at = (time: string, states: ('scheduled' | 'failed' | 'cancelled')[]) =>
    aPost(db, workspaceId, { channelIds: [channelId, other], publishAt: new Date(time), states })
  // The last minute before the week, its first and last one, and the first after it; the clocks change in it.
  await at('2026-10-18T21:59:00Z', ['scheduled'])
  await at('2026-10-18T22:00:00Z', ['scheduled', 'failed'])
  await at('2026-10-25T22:59:00Z', ['scheduled', 'cancelled'])
  await at('2026-10-25T23:00:00Z', ['scheduled'])
  const none = { published: 0, planned: 0, troubled: 0 }
  const { body } = await today('2026-10-19')
  const sorted = body.week.toSorted((a: { channelId: string }) => (a.channelId === channelId ? -1 : 1))
  expect(sorted).toEqual(
    expect.arrayContaining([
      { ...none, day: '2026-10-19', channelId, planned: 1 },
      { ...none, day: '2026-10-19', channelId: other, troubled: 1 },
      { ...none, day: '2026-10-25', channelId, planned: 1 },
    ]),
  )
  expect(sorted).toHaveLength(3)
  expect(await today('9999-12-31')).toMatchObject({ status: 200, body: { week: [] } })
  for (const day of ['2026-99-99', '2026-02-30', '0001-01-01'])
    expect(await today(day)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
})
