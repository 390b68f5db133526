import { v7 as uuidv7 } from 'uuid'
import { beforeEach, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { duePost, ending, leaseOf, storeOn } from '../../../test/rigs/publishing-store.ts'
import type { Conclusion, EngineStore, Work } from './work.ts'

const { world } = await openFileWorld()
const { db } = world
const KEY = '0199c1de-7c3a-8b52-9d0e-5f1f0c3b9a11'
const OTHER_KEY = '0199c1de-7c3a-8b52-9d0e-5f1f0c3b9a12'

let store: EngineStore
let workspaceId: string
let first: { work: Work; attemptId: string }

async function arm(key: string): Promise<{ work: Work; attemptId: string }> {
  const [work] = await store.claim(1)
  const attemptId = uuidv7()
  expect(await store.arm({ ...leaseOf(work!), attemptId, partIndex: 0, key })).toBe(true)
  return { work: work!, attemptId }
}

const end = ({ work, attemptId }: typeof first, conclusion: Conclusion, late = false) =>
  store.settle(ending(work, attemptId, conclusion, late))

const unknown = { is: 'unknown', detail: 'silence' } as const
const out = (remoteId: string) =>
  ({ is: 'published', remoteId, url: `https://example.com/${remoteId}` }) as const

const noteLate = (remoteId = 'r1') =>
  store.noteLatePost(first.work, {
    attemptId: first.attemptId,
    partIndex: 0,
    remoteId,
    url: `https://example.com/${remoteId}`,
  })

const told = async () =>
  (await db`select from outbox_event where workspace_id = ${workspaceId} and type = 'post.duplicate_found'`)
    .length

/** A call is given up, as nothing was found of it: its post waits to be sent again. */
beforeEach(async () => {
  workspaceId = (await aWorkspace(db)).workspaceId
  await duePost(db, workspaceId, [await aChannel(db, workspaceId)])
  store = storeOn(db)
  first = await arm(KEY)
  await end(first, unknown)
  await end(first, { is: 'absent' }, true)
})

test('what is out under the same id is known', async () => {
  await end(await arm(KEY), out('r1'))
  expect(await noteLate()).toBe(null)
  expect(await told()).toBe(0)
  expect(await db`select from late_post where workspace_id = ${workspaceId}`).toEqual([])
})

test('what is out under another id is told, once', async () => {
  await end(await arm(KEY), out('r2'))
  expect(await noteLate()).toBe(null)
  expect(await noteLate()).toBe(null)
  expect(await told()).toBe(1)
})

test.each([
  ['r2', 1],
  ['r1', 0],
])('what is being sent again is told of once it is out as %s: %i times', async (remoteId, times) => {
  const again = await arm(KEY)
  expect(await noteLate()).toBe(null)
  expect(await told()).toBe(0)
  await end(again, out(remoteId))
  expect(await told()).toBe(times)
})

test.each([
  ['of the same content', KEY, true],
  ['of other content', OTHER_KEY, false],
])('a doubt about a call %s is ended by it: %s %s', async (_, key, ends) => {
  const again = await arm(key)
  await end(again, unknown)
  expect(await noteLate()).toBe(ends ? again.attemptId : null)
})

test('what waits is claimed with its proof', async () => {
  expect(await noteLate()).toBe(null)
  const [work] = await store.claim(1)
  expect(work!.late).toEqual({
    attemptId: first.attemptId,
    partIndex: 0,
    remoteId: 'r1',
    url: 'https://example.com/r1',
    key: KEY,
  })
})

test('what has failed keeps it as evidence', async () => {
  await end(await arm(KEY), { is: 'rejected', code: 'content_refused', detail: 'No.' })
  expect(await noteLate()).toBe(null)
  const [row] = await db<
    [{ evidence: unknown[] }]
  >`select evidence from attempt where id = ${first.attemptId}`
  expect(row.evidence.at(-1)).toMatchObject({ by: 'late', verdict: 'published', remoteId: 'r1' })
  expect(await told()).toBe(0)
})
