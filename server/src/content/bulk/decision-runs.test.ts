import type { app } from '@postrider/contract'
import { afterAll, expect, test } from 'vitest'
import { bulkPartsOf } from '../../../test/rigs/bulk-parts.ts'
import type { GivenRun } from '../../../test/rigs/bulk-process.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, anApproval, aPost } from '../../../test/rigs/fixtures.ts'
import { openScene } from '../../../test/rigs/people-requests.ts'
import { aUser, join, openSite } from '../../../test/rigs/people-world.ts'
import { killAtEachRoundTrip } from '../../../test/rigs/round-trip-kills.ts'
import { setRole } from '../../people/members/member-store.ts'
import { workOne, workRuns } from './work-runs.ts'

/* Several requests are decided by the server, each once and only as it was seen, by whoever may decide, until they no longer may. */

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

const faults: unknown[] = []
const parts = bulkPartsOf(db, (fault) => void faults.push(fault))

type Request = { readonly approvalId: string; readonly postId: string; readonly digest: string }

/** Drafts on a channel that wait for approval, and an approver who has looked at each. */
async function aScene(count: number) {
  const scene = await openScene(db, site.app)
  const { workspaceId, read } = scene
  const channelIds = [await aChannel(db, workspaceId)]
  const user = await aUser(db, site.app)
  const memberId = await join(db, workspaceId, user, 'approver')
  const ask = (path: string, body?: unknown) =>
    user.ask(`POST /workspaces/${workspaceId}${path}`, body, { 'idempotency-key': crypto.randomUUID() })
  const requests: Request[] = []
  for (let n = 0; n < count; n++) {
    const { postId } = await aPost(db, workspaceId, { states: ['draft'], channelIds, texts: [`Post ${n}`] })
    const approvalId = await anApproval(db, workspaceId, postId)
    requests.push({ approvalId, postId, digest: (await read(`/approvals/${approvalId}`)).digest })
  }
  const send = async (verdict: 'approve' | 'reject', of: readonly Request[] = requests, more: object = {}) =>
    ask('/approvals/decide', {
      verdict,
      requests: of.map(({ approvalId, digest }) => ({ approvalId, digest })),
      ...more,
    })
  const start = async (...how: Parameters<typeof send>): Promise<app.BulkRun> => {
    const answer = await send(...how)
    expect(answer).toMatchObject({ status: 201 })
    return answer.body
  }
  const run = async (runId: string): Promise<app.BulkRun> => read(`/bulk-runs/${runId}`)
  const statuses = async () => {
    const rows = await db<{ status: string }[]>`
      select status from approval where workspace_id = ${workspaceId} order by seq`
    return rows.map(({ status }) => status)
  }
  const due = (runId: string) => ({ workspaceId, runId, memberId })
  return { ...scene, user, memberId, requests, send, start, run, statuses, due, ask }
}

/** What was announced of decisions. */
const decisions = (workspaceId: string) =>
  db`select from outbox_event where workspace_id = ${workspaceId} and type = 'approval.decided'`

const all = (count: number, status: string) => Array.from({ length: count }, () => status)

test('each request is approved once, with an entry and an event, and can be taken back as a whole', async () => {
  const { start, run, statuses, workspaceId, ask, requests } = await aScene(3)
  const begun = await start('approve')
  expect(begun).toMatchObject({ action: 'approve', status: 'running', posts: 3, left: 3, canUndo: false })
  await workRuns(parts)
  expect(await run(begun.runId)).toMatchObject({ status: 'done', done: 3, unchanged: 0, canUndo: true })
  expect(await statuses()).toEqual(all(3, 'approved'))
  const posts = await db<{ status: string }[]>`
    select status from destination where workspace_id = ${workspaceId}`
  expect(posts.map(({ status }) => status)).toEqual(all(3, 'scheduled'))
  const acts = await db<{ action: string; subject: object; after: object }[]>`
    select action, subject, after from audit_entry where workspace_id = ${workspaceId} order by seq`
  const [started, ...decided] = acts
  expect(started).toMatchObject({ action: 'decideApprovals', after: { verdict: 'approve', requests: 3 } })
  expect(decided).toEqual(
    requests.map(({ approvalId, postId }) => ({
      action: 'decideApproval',
      subject: { approvalId, postId, runId: begun.runId },
      after: { verdict: 'approve', note: null },
    })),
  )
  expect(await decisions(workspaceId)).toHaveLength(3)

  expect((await ask(`/bulk-runs/${begun.runId}/undo`)).body).toMatchObject({ status: 'undoing' })
  await workRuns(parts)
  expect(await run(begun.runId)).toMatchObject({ status: 'undone', done: 0, undone: 3 })
  expect(await statuses()).toEqual(all(3, 'pending'))
  const undone = await db<{ action: string }[]>`
    select action from audit_entry where workspace_id = ${workspaceId} order by seq desc limit 3`
  expect(undone.map(({ action }) => action)).toEqual(all(3, 'undoDecision'))
  expect(faults).toEqual([])
})

test('a rejection says why to each author, and what is rejected stays a draft', async () => {
  const { start, statuses, requests, read } = await aScene(2)
  await start('reject', requests, { note: ' Not now ' })
  await workRuns(parts)
  expect(await statuses()).toEqual(['rejected', 'rejected'])
  for (const { postId } of requests)
    expect(await read(`/posts/${postId}`)).toMatchObject({
      approval: { status: 'rejected', note: 'Not now' },
      destinations: [{ status: 'draft' }],
    })
})

test('what is no longer as it was seen, or was decided meanwhile, is left, with the reason', async () => {
  const { start, run, statuses, requests, read, ask, workspaceId } = await aScene(4)
  const [first, second, third] = requests
  // Somebody edits one after it was looked at, and decides about another one.
  await db`update part set text = 'Other' where workspace_id = ${workspaceId} and destination_id in (
    select id from destination where post_id = ${first!.postId})`
  await ask(`/approvals/${second!.approvalId}/decide`, { verdict: 'reject', digest: second!.digest })
  const unseen = { ...third!, digest: '' }
  const { runId } = await start('approve', [first!, second!, unseen, requests[3]!])
  await workRuns(parts)
  const ended = await run(runId)
  expect(ended).toMatchObject({ status: 'done', done: 1, unchanged: 3 })
  expect(ended.refusals.map(({ postId, code }) => [postId, code])).toEqual(
    [first!, second!, third!].map(({ postId }) => [postId, 'invalid_state']),
  )
  expect(await statuses()).toEqual(['pending', 'rejected', 'pending', 'approved'])
  expect(await read('/approvals')).toHaveLength(2)
})

test('a decision that is taken back too late stays, and the others wait again', async () => {
  const { start, run, statuses, requests, ask } = await aScene(2)
  const { runId } = await start('approve')
  await workRuns(parts)
  await db`update destination set status = 'cancelled', due_at = null where post_id = ${requests[0]!.postId}`
  await ask(`/bulk-runs/${runId}/undo`)
  await workRuns(parts)
  expect(await run(runId)).toMatchObject({ status: 'undone', done: 1, undone: 1, unchanged: 1 })
  expect(await statuses()).toEqual(['approved', 'pending'])
})

test('it is stopped in the middle, by those who may decide and by no one else', async () => {
  const { start, statuses, due, ask, workspaceId } = await aScene(3)
  const { runId } = await start('approve')
  await workOne(parts, due(runId))
  for (const role of ['editor', 'viewer'] as const) {
    const user = await aUser(db, site.app)
    await join(db, workspaceId, user, role)
    for (const end of ['stop', 'undo'])
      expect(
        (await user.ask(`POST /workspaces/${workspaceId}/bulk-runs/${runId}/${end}`)).body,
      ).toMatchObject({ status: 403, code: 'missing_permission', requiredPermission: 'approvals:decide' })
  }
  expect((await ask(`/bulk-runs/${runId}/stop`)).body).toMatchObject({ status: 'stopped', done: 1, left: 2 })
  await workRuns(parts)
  expect(await statuses()).toEqual(['approved', 'pending', 'pending'])
})

test('an approver neither stops nor undoes what is done with posts', async () => {
  const { ask, bulkRun } = await aScene(0)
  const runId = await bulkRun()
  for (const end of ['stop', 'undo'])
    expect((await ask(`/bulk-runs/${runId}/${end}`)).body).toMatchObject({
      code: 'missing_permission',
      requiredPermission: 'posts:write',
    })
})

test('it stops in the middle once its member may no longer decide', async () => {
  const { start, statuses, due, memberId, workspaceId } = await aScene(3)
  const { runId } = await start('approve')
  await workOne(parts, due(runId))
  await db.begin((tx) => setRole(tx, workspaceId, memberId, 'editor'))
  await workRuns(parts)
  expect(await statuses()).toEqual(['approved', 'pending', 'pending'])
  const [row] = await db`select status, reason from bulk_run where id = ${runId}`
  expect(row).toEqual({
    status: 'stopped',
    reason: 'The member who started it can no longer approve or reject posts.',
  })
})

test('killed at any moment, it decides about each once', { timeout: 300_000 }, async () => {
  const CASES = 80
  const scenes = await Promise.all(Array.from({ length: CASES }, () => aScene(2)))
  const runs = await Promise.all(scenes.map((scene) => scene.start('approve')))
  const given = scenes.map(({ due }, n) => ({ given: due(runs[n]!.runId) satisfies GivenRun }))
  const roundTrips = await killAtEachRoundTrip(world, 'bulk-process.ts', 'bulk', given)
  expect(roundTrips).toBeGreaterThan(8)
  const done = new Set<number>()
  for (const [n, { statuses, workspaceId, run, due }] of scenes.entries()) {
    const { runId } = runs[n]!
    done.add((await statuses()).filter((status) => status === 'approved').length)
    while (await workOne(parts, due(runId))) continue
    expect(await statuses()).toEqual(['approved', 'approved'])
    expect(await decisions(workspaceId)).toHaveLength(2)
    const acts = await db`
      select from audit_entry where workspace_id = ${workspaceId} and action = 'decideApproval'`
    expect(acts).toHaveLength(2)
    expect(await run(runId)).toMatchObject({ status: 'done', done: 2, unchanged: 0 })
  }
  expect(done).toEqual(new Set([0, 1, 2]))
})

test('of several processes each request is one’s', async () => {
  const { start, run, statuses, workspaceId } = await aScene(8)
  const { runId } = await start('approve')
  await Promise.all([1, 2, 3, 4].map(() => workRuns(parts)))
  await workRuns(parts)
  expect(await statuses()).toEqual(all(8, 'approved'))
  expect(await decisions(workspaceId)).toHaveLength(8)
  expect(await run(runId)).toMatchObject({ status: 'done', done: 8 })
})

test('a request that is none, or of another workspace, and one that is listed twice, are refused at once', async () => {
  const { send, requests, statuses } = await aScene(2)
  const [first, second] = requests
  const strange = await aScene(1)
  const unknown = await send('approve', [first!, strange.requests[0]!])
  expect(unknown).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/requests/1/approvalId', code: 'unknown' }] },
  })
  const twice = await send('approve', [first!, second!, first!])
  expect(twice.body.errors).toMatchObject([{ pointer: '/requests/2/approvalId', code: 'duplicate' }])
  for (const wrong of [{ verdict: 'maybe' }, { requests: [] }, { note: 'x'.repeat(2_001) }])
    expect(await send('approve', requests, wrong)).toMatchObject({ status: 400 })
  await workRuns(parts)
  expect([await statuses(), await strange.statuses()]).toEqual([['pending', 'pending'], ['pending']])
  expect(await db`select from bulk_run where member_id = any(${[strange.memberId]}::uuid[])`).toEqual([])
})
