import type { app } from '@postrider/contract'
import { afterAll, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { bulkPartsOf } from '../../../test/rigs/bulk-parts.ts'
import type { GivenRun } from '../../../test/rigs/bulk-process.ts'
import { aChannel, aPost, announced } from '../../../test/rigs/fixtures.ts'
import { openScene } from '../../../test/rigs/people-requests.ts'
import { openSite } from '../../../test/rigs/people-world.ts'
import { killAtEachRoundTrip } from '../../../test/rigs/round-trip-kills.ts'
import { endMembership, setRole } from '../../people/members/member-store.ts'
import { endCredentials } from '../../app/stop-credential.ts'
import { nextLookInMs, pruneRuns } from './bulk-run-store.ts'
import { stopRestoredRuns } from './restored-runs-store.ts'
import { startBulkRunLoop, workOne, workRuns } from './work-runs.ts'

/*
 * What is done with several posts is done once for each, by the server: without a browser, through kills, stops and undos, and no
 * longer than its member may.
 */

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

const faults: unknown[] = []
const parts = bulkPartsOf(db, (fault) => void faults.push(fault))

const HOUR = 3_600_000
/** Whole, for what is compared with what a database keeps. */
const inHours = (hours: number) => new Date(Math.ceil(Date.now() / HOUR + hours) * HOUR)

type Status = 'scheduled' | 'draft' | 'published'

/** Posts on two channels each, with times of their own, and what asks for runs on them. */
async function aScene(count: number, states: readonly [Status, Status] = ['scheduled', 'scheduled']) {
  const scene = await openScene(db, site.app)
  const { workspaceId, owner, ask, read } = scene
  const channelIds = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const [{ memberId }] = await db<[{ memberId: string }]>`
    select id as "memberId" from member where workspace_id = ${workspaceId} and person_id = ${owner.personId}`
  const posts: { postId: string; editToken: string; at: Date }[] = []
  for (let n = 0; n < count; n++) {
    const at = inHours(24 * (n + 2))
    const { postId } = await aPost(db, workspaceId, { states, channelIds, publishAt: at })
    posts.push({ postId, editToken: (await read(`/posts/${postId}`)).editToken, at })
  }
  const start = async (body: object, of = posts): Promise<app.BulkRun> => {
    const sent = of.map(({ postId, editToken }) => ({ postId, editToken }))
    const answer = await ask('/bulk-runs', { confirmed: true, posts: sent, ...body })
    expect(answer.status).toBe(201)
    return answer.body
  }
  const run = async (runId: string): Promise<app.BulkRun> => read(`/bulk-runs/${runId}`)
  /** By how many hours each channel of each post was moved. */
  const movedBy = async () => {
    const rows = await db<{ postId: string; publishAt: Date }[]>`
      select post_id as "postId", publish_at as "publishAt" from destination where workspace_id = ${workspaceId} order by post_id, id`
    return posts.map(({ postId, at }) =>
      rows
        .filter((row) => row.postId === postId)
        .map(({ publishAt }) => (publishAt.getTime() - at.getTime()) / HOUR),
    )
  }
  const statuses = async () => {
    const rows = await db<{ status: string }[]>`
      select status from destination where workspace_id = ${workspaceId} order by post_id, id`
    return rows.map(({ status }) => status)
  }
  const due = (runId: string) => ({ workspaceId, runId, memberId })
  return { ...scene, memberId, channelIds, posts, start, run, movedBy, statuses, due }
}

/** That many posts, with both channels moved by so many hours. */
const all = (posts: number, byHours: number) => Array.from({ length: posts }, () => [byHours, byHours])

const move = { action: 'move', minutes: 90 * 60 } as const

test('all that is scheduled of each post is moved, in its own transaction with its audit entry, and back', async () => {
  const { start, run, movedBy, acts, workspaceId, ask } = await aScene(3)
  const { runId, status } = await start(move)
  expect(status).toBe('running')
  await workRuns(parts)
  expect(await run(runId)).toMatchObject({
    status: 'done',
    posts: 3,
    done: 3,
    left: 0,
    unchanged: 0,
    canUndo: true,
  })
  expect(await movedBy()).toEqual([1, 2, 3].map(() => [90, 90]))
  const first = { action: 'startBulkRun', by: 'person' }
  const each = { action: 'movePost', by: 'person' }
  expect([...(await acts())]).toEqual([first, each, each, each])
  expect((await announced(db, workspaceId)).map(({ type }) => type)).toEqual(Array(6).fill('post.scheduled'))

  expect((await ask(`/bulk-runs/${runId}/undo`)).body).toMatchObject({ status: 'undoing', canUndo: false })
  await workRuns(parts)
  expect(await run(runId)).toMatchObject({ status: 'undone', done: 0, undone: 3 })
  expect(await movedBy()).toEqual([1, 2, 3].map(() => [0, 0]))
  expect((await ask(`/bulk-runs/${runId}/undo`)).body).toMatchObject({ code: 'invalid_state' })
  expect(faults).toEqual([])
})

test('the clock of the workspace decides how long a day is', async () => {
  const { start, movedBy, workspaceId, posts } = await aScene(1)
  await db`update workspace set time_zone = 'Europe/Berlin' where id = ${workspaceId}`
  // The clocks are put forward in the night to 28 March 2027.
  posts[0]!.at = new Date('2027-03-27T12:00:00Z')
  await db`update destination set publish_at = ${posts[0]!.at} where workspace_id = ${workspaceId}`
  await start({ action: 'move', minutes: 1_440 })
  await workRuns(parts)
  expect(await movedBy()).toEqual([[23, 23]])
})

test('a post that was changed since it was selected is left, with the reason, and so is one of another workspace', async () => {
  const { start, run, movedBy, posts, read, ask, channelIds } = await aScene(3)
  const [, second, third] = posts
  const { destinations } = await read(`/posts/${second!.postId}`)
  const { controlToken } = destinations[0]
  const publishAt = new Date(second!.at.getTime() + HOUR).toISOString()
  await ask(`/posts/${second!.postId}/reschedule`, {
    confirmed: true,
    channelId: channelIds[0],
    controlToken,
    publishAt,
  })
  const strange = await aScene(1)
  const { runId } = await start(move, [posts[0]!, second!, strange.posts[0]!, third!])
  await workRuns(parts)
  expect(await run(runId)).toMatchObject({
    status: 'done',
    posts: 4,
    done: 2,
    unchanged: 2,
    refusals: [
      { postId: second!.postId, code: 'stale_edit_token', text: 'Hello' },
      { postId: strange.posts[0]!.postId, code: 'not_found', text: '' },
    ],
  })
  expect(await movedBy()).toEqual([
    [90, 90],
    [1, 0],
    [90, 90],
  ])
  expect(await strange.movedBy()).toEqual([[0, 0]])
})

test('what is moved back is what the run has left; what somebody changed since stays', async () => {
  const { start, run, movedBy, posts, read, ask } = await aScene(2)
  const { runId } = await start(move)
  await workRuns(parts)
  const { editToken } = await read(`/posts/${posts[0]!.postId}`)
  await ask(`/posts/${posts[0]!.postId}/reschedule`, { confirmed: true, editToken, shift: 'PT1H' })
  await ask(`/bulk-runs/${runId}/undo`)
  await workRuns(parts)
  expect(await movedBy()).toEqual([
    [91, 91],
    [0, 0],
  ])
  expect(await run(runId)).toMatchObject({
    status: 'undone',
    done: 1,
    undone: 1,
    unchanged: 1,
    refusals: [{ postId: posts[0]!.postId, code: 'stale_edit_token' }],
  })
})

test('it can be stopped and undone in the middle', async () => {
  const { start, run, movedBy, due, ask } = await aScene(4)
  const { runId } = await start(move)
  for (let n = 0; n < 2; n++) expect(await workOne(parts, due(runId))).toBe(true)
  expect(await run(runId)).toMatchObject({ status: 'running', done: 2, left: 2 })
  expect((await ask(`/bulk-runs/${runId}/stop`)).body).toMatchObject({
    status: 'stopped',
    done: 2,
    left: 2,
    canUndo: true,
  })
  await workRuns(parts)
  expect(await movedBy()).toEqual([
    [90, 90],
    [90, 90],
    [0, 0],
    [0, 0],
  ])
  expect((await ask(`/bulk-runs/${runId}/stop`)).body).toMatchObject({
    code: 'invalid_state',
    currentStatus: 'stopped',
  })
  await ask(`/bulk-runs/${runId}/undo`)
  await workRuns(parts)
  expect(await movedBy()).toEqual(all(4, 0))
})

test('a run that goes on is undone without being stopped first', async () => {
  const { start, run, movedBy, due, ask } = await aScene(3)
  const { runId } = await start(move)
  await workOne(parts, due(runId))
  expect((await ask(`/bulk-runs/${runId}/undo`)).body).toMatchObject({ status: 'undoing' })
  await workRuns(parts)
  expect(await movedBy()).toEqual(all(3, 0))
  expect(await run(runId)).toMatchObject({ status: 'undone', undone: 1, left: 2 })
})

const ends = {
  'made a viewer': (workspaceId: string, memberId: string) =>
    db.begin((tx) => setRole(tx, workspaceId, memberId, 'viewer')),
  removed: (workspaceId: string, memberId: string) =>
    db.begin((tx) => endMembership(tx, workspaceId, memberId, endCredentials)),
}

test.for(Object.entries(ends))('it stops in the middle once its member is %s', async ([, end]) => {
  const { start, movedBy, due, workspaceId, memberId } = await aScene(3)
  const { runId } = await start(move)
  await workOne(parts, due(runId))
  await end(workspaceId, memberId)
  await workRuns(parts)
  expect(await movedBy()).toEqual([
    [90, 90],
    [0, 0],
    [0, 0],
  ])
  const [row] = await db`select status, reason from bulk_run where id = ${runId}`
  expect(row).toEqual({ status: 'stopped', reason: 'The member who started it can no longer change posts.' })
})

test('of several processes each post is one’s', async () => {
  const { start, run, movedBy, workspaceId } = await aScene(8)
  const { runId } = await start(move)
  await Promise.all([1, 2, 3, 4].map(() => workRuns(parts)))
  await workRuns(parts)
  expect(await movedBy()).toEqual(all(8, 90))
  expect(await announced(db, workspaceId)).toHaveLength(16)
  expect(await run(runId)).toMatchObject({ status: 'done', done: 8 })
})

test('killed at any moment, it moves each post once', { timeout: 300_000 }, async () => {
  const CASES = 40
  const scenes = await Promise.all(Array.from({ length: CASES }, () => aScene(2)))
  const runs = await Promise.all(scenes.map((scene) => scene.start(move)))
  const given = scenes.map(({ due }, n) => ({ given: due(runs[n]!.runId) satisfies GivenRun }))
  const roundTrips = await killAtEachRoundTrip(world, 'bulk-process.ts', 'bulk', given)
  expect(roundTrips).toBeGreaterThan(8)
  const done = new Set<number>()
  for (const [n, { movedBy, acts, workspaceId, run, due }] of scenes.entries()) {
    const { runId } = runs[n]!
    const left = await movedBy()
    for (const channels of left) expect([0, 90]).toContain(channels[0])
    done.add(left.filter(([first]) => first === 90).length)
    while (await workOne(parts, due(runId))) continue
    expect(await movedBy()).toEqual([
      [90, 90],
      [90, 90],
    ])
    expect((await acts()).filter(({ action }) => action === 'movePost')).toHaveLength(2)
    expect(await announced(db, workspaceId)).toHaveLength(4)
    expect(await run(runId)).toMatchObject({ status: 'done', done: 2, unchanged: 0 })
  }
  expect(done).toEqual(new Set([0, 1, 2]))
})

test('a cancel waits for its undo, cancels what is scheduled, and leaves drafts', async () => {
  const { start, run, statuses, due, ask } = await aScene(2, ['scheduled', 'draft'])
  const stopped = await start({ action: 'cancel' })
  expect(stopped).toMatchObject({ status: 'waiting', canUndo: false })
  await workRuns(parts)
  expect((await ask(`/bulk-runs/${stopped.runId}/stop`)).body).toMatchObject({
    status: 'stopped',
    done: 0,
    left: 2,
  })
  expect(await statuses()).toEqual(['scheduled', 'draft', 'scheduled', 'draft'])

  const { runId } = await start({ action: 'cancel' })
  await db`update bulk_run set look_at = now() where id = ${runId}`
  await workRuns(parts)
  expect(await run(runId)).toMatchObject({ status: 'done', done: 2, canUndo: false })
  expect(await statuses()).toEqual(['cancelled', 'draft', 'cancelled', 'draft'])
  expect(await workOne(parts, due(runId))).toBe(false)
  expect((await ask(`/bulk-runs/${runId}/undo`)).body).toMatchObject({ code: 'invalid_state' })
})

test('a cancel of what is due in a moment waits for nothing', async () => {
  const { start, posts, workspaceId } = await aScene(1)
  await db`update destination set publish_at = now() + interval '30 seconds', due_at = now() + interval '30 seconds' where workspace_id = ${workspaceId}`
  expect(await start({ action: 'cancel' }, posts)).toMatchObject({ status: 'running' })
})

test('drafts are discarded and sent for approval', async () => {
  const { start, run, statuses, read, posts } = await aScene(2, ['draft', 'draft'])
  const sent = await start({ action: 'submit' }, posts.slice(0, 1))
  const gone = await start({ action: 'discard' }, posts.slice(1))
  await db`update bulk_run set look_at = now() where id = ${gone.runId}`
  await workRuns(parts)
  expect(await run(sent.runId)).toMatchObject({ status: 'done', done: 1 })
  expect(await read(`/posts/${posts[0]!.postId}`)).toMatchObject({ reviewStatus: 'pending' })
  expect(await statuses()).toEqual(['draft', 'draft', 'cancelled', 'cancelled'])
})

test('a restored database goes on with none', async () => {
  const { start, run, movedBy } = await aScene(1)
  const { runId } = await start(move)
  await db.begin(stopRestoredRuns)
  await workRuns(parts)
  expect(await movedBy()).toEqual([[0, 0]])
  expect(await run(runId)).toMatchObject({ status: 'stopped', reason: expect.stringContaining('backup') })
})

test('what a newer release has begun beside this one is left to it', async () => {
  const { start, run, statuses } = await aScene(1, ['draft', 'draft'])
  const { runId } = await start({ action: 'discard' })
  // As its migration leaves the table.
  await db`alter table bulk_run drop constraint bulk_run_action_check`
  await db`update bulk_run set action = 'polish', look_at = now() where id = ${runId}`
  expect(await nextLookInMs(db)).toBeNull()
  await workRuns(parts)
  expect(await statuses()).toEqual(['draft', 'draft'])
  await db`update bulk_run set action = 'discard' where id = ${runId}`
  await workRuns(parts)
  expect(await run(runId)).toMatchObject({ status: 'done', done: 1 })
})

test('a started server does it, and ends what it began', async () => {
  const { start, run } = await aScene(2)
  const loop = startBulkRunLoop(parts, (error) => faults.push(error))
  const { runId } = await start(move)
  await expect.poll(async () => (await run(runId)).status).toBe('done')
  await loop.stop()
  expect(faults).toEqual([])
})

test.for([
  [{ action: 'move' }, '/minutes'],
  [{ action: 'move', minutes: 0 }, '/minutes'],
  [{ action: 'cancel', minutes: 5 }, '/minutes'],
] as const)('%j is refused', async ([body, pointer]) => {
  const { ask, posts } = await aScene(1)
  const sent = posts.map(({ postId, editToken }) => ({ postId, editToken }))
  const answer = await ask('/bulk-runs', { confirmed: true, posts: sent, ...body })
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
  const twice = await ask('/bulk-runs', { confirmed: true, action: 'submit', posts: [...sent, ...sent] })
  expect(twice.body.errors).toMatchObject([{ pointer: '/posts/1/postId', code: 'duplicate' }])
})

test('a list tells what goes on and what has just ended, each to its workspace', async () => {
  const { start, read } = await aScene(1)
  const { runId } = await start(move)
  await workRuns(parts)
  expect(await read('/bulk-runs')).toMatchObject([{ runId, status: 'done', isMine: true, startedBy: 'Olga' }])
  expect(await (await aScene(0)).read('/bulk-runs')).toEqual([])
  await db`update bulk_run set ended_at = now() - interval '11 minutes' where id = ${runId}`
  expect(await read('/bulk-runs')).toEqual([])
})

test('what became of posts is kept for its days, and the run as long', async () => {
  const { start, run } = await aScene(2)
  const [old, open, young] = [await start(move), await start({ action: 'cancel' }), await start(move)]
  await workRuns(parts)
  const ids = [old.runId, open.runId]
  await db`update bulk_run set created_at = now() - interval '31 days' where id = any(${ids}::uuid[])`
  let removed = 0
  for (let round = 0; round < 3; round++) removed += await db.begin((tx) => pruneRuns(tx, 30, 1))
  expect(removed).toBe(3)
  expect(await db`select from bulk_run where id = ${old.runId}`).toEqual([])
  expect([await run(open.runId), await run(young.runId)]).toMatchObject([{ posts: 2 }, { posts: 2 }])
})
