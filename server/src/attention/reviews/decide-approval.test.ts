import { randomBytes } from 'node:crypto'
import type { Post } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import {
  aChannel,
  anApproval,
  aPost,
  anActor,
  announced,
  aWorkspace,
  openTransaction,
  untilBlocked,
  type AWorkspace,
} from '../../../test/rigs/fixtures.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { editPost } from '../../content/posts/edit/edit-post.ts'
import { cancelDestination } from '../../content/posts/command/command-destination.ts'
import { providers } from '../../networks/providers/registry.ts'
import { expire } from '../../engine/destinations/expire-store.ts'
import { contentDigest } from '../../content/approvals/approval.ts'
import { listApprovals, reviewedOf } from '../../content/approvals/approval-store.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import { decideApproval, type Decision } from './decide-approval.ts'

const { world, api, changingNothing, eventsOf } = await openFileWorld()

const options = { providers, baseUrl: 'https://postrider.test' }

type Scene = { workspace: AWorkspace; post: Post; approvalId: string; channelIds: string[] }

/** An immediate post on two channels, which waits for a person. */
async function aScene(): Promise<Scene> {
  const workspace = await aWorkspace(world.db)
  const channelIds = [
    await aChannel(world.db, workspace.workspaceId),
    await aChannel(world.db, workspace.workspaceId),
  ]
  const plan = { state: 'immediate', channelIds, text: 'Now', thread: [{ text: 'and then' }] }
  const { status, body } = await api.call(workspace, 'POST', '/posts', {
    confirmed: true,
    idempotencyKey: 'k',
    ...plan,
  })
  expect(status).toBe(201)
  const [request] = await listApprovals(world.db, workspace.workspaceId, { all: false })
  return { workspace, post: body as Post, approvalId: request!.approvalId, channelIds }
}

function decide(
  { workspace, approvalId }: Scene,
  verdict: Decision['verdict'],
  change: Partial<Decision> = {},
): ReturnType<typeof decideApproval> {
  const { workspaceId, memberId } = workspace
  const who = { memberId, memberName: 'Ada' }
  const decision = { workspaceId, approvalId, verdict, ...who, note: null, ...change }
  return world.db.begin((tx) => decideApproval(tx, decision))
}

const read = ({ workspace, post }: Scene) => api.read(workspace, post.postId)

function edit(scene: Scene, post: Post, text: string) {
  return api.command(scene.workspace, post.postId, 'edit', { editToken: post.editToken, content: { text } })
}

function cancel({ workspace }: Scene, post: Post, place: number) {
  const { channelId, controlToken } = post.destinations[place]!
  return api.command(workspace, post.postId, 'cancel', { channelId, controlToken })
}

/** What those are told whose decision does not count. */
const refusals = {
  not_found: { refused: 'not_found' },
  closed: { refused: 'invalid_state', detail: expect.stringContaining('closed') },
  changed: { refused: 'invalid_state', detail: expect.stringMatching(/^This post changed/) },
  cancelled: { refused: 'invalid_state', detail: expect.stringContaining('cancelled or has expired') },
}

async function expectRefused(
  { workspace }: Scene,
  deciding: () => ReturnType<typeof decideApproval>,
  why: keyof typeof refusals,
): Promise<void> {
  expect(await changingNothing(workspace, deciding)).toMatchObject(refusals[why])
}

test('a decision about something else than what is there counts for nothing', async () => {
  const scene = await aScene()
  for (const seen of [randomBytes(32), Buffer.alloc(0)])
    for (const verdict of ['approve', 'reject'] as const)
      await expectRefused(scene, () => decide(scene, verdict, { seen }), 'changed')
})

test('content that came into the draft without a request of its own is not approved, seen or not', async () => {
  const scene = await aScene()
  const { workspaceId } = scene.workspace
  await world.db`
    update part p set text = 'Nobody asked about this'
    from   destination d
    where  d.workspace_id = ${workspaceId} and p.destination_id = d.id and d.post_id = ${scene.post.postId}`
  const seen = contentDigest(await reviewedOf(world.db, workspaceId, scene.post.postId))
  for (const change of [{ seen }, {}])
    await expectRefused(scene, () => decide(scene, 'approve', change), 'changed')
  // To reject it is still possible: nothing goes out by that.
  expect(await decide(scene, 'reject', { seen })).toMatchObject({ approvalId: scene.approvalId })
})

test('granted: every destination is scheduled for now, once, and announced', async () => {
  const scene = await aScene()
  const before = await read(scene)
  expect(before).toMatchObject({ reviewStatus: 'pending', approval: { status: 'pending', decidedAt: null } })
  const { requestedAt, expiresAt } = before.approval!
  expect(Date.parse(expiresAt) - Date.parse(requestedAt)).toBe(7 * 24 * 3_600_000)
  expect(await decide(scene, 'approve', { note: 'Fine.' })).toMatchObject({ approvalId: expect.any(String) })

  const after = await read(scene)
  expect(after).toMatchObject({
    reviewStatus: 'approved',
    approval: { status: 'approved', note: 'Fine.', decidedAt: after.updatedAt },
  })
  expect(after.editToken).not.toBe(before.editToken)
  for (const [place, destination] of after.destinations.entries()) {
    expect(destination).toMatchObject({ status: 'scheduled', publishAt: after.updatedAt })
    expect(Date.parse(destination.expiresAt!) - Date.parse(after.updatedAt)).toBe(24 * 3_600_000)
    expect(destination.controlToken).not.toBe(before.destinations[place]!.controlToken)
  }
  const events = await announced(world.db, scene.workspace.workspaceId)
  expect(events).toMatchObject(
    scene.channelIds.map((channelId) => ({
      type: 'post.scheduled',
      data: { destination: { channelId, publishAt: after.updatedAt, status: 'scheduled' } },
    })),
  )
  const [row] = await world.db`select decided_by, note from approval where id = ${scene.approvalId}`
  expect(row).toEqual({ decided_by: scene.workspace.memberId, note: 'Fine.' })
})

test('rejected: it stays a draft that cannot be scheduled, and nothing is announced', async () => {
  const scene = await aScene()
  const before = await read(scene)
  expect(await decide(scene, 'reject', { note: 'Not this.' })).toMatchObject({
    approvalId: expect.any(String),
  })

  const after = await read(scene)
  expect(after).toMatchObject({
    reviewStatus: 'rejected',
    approval: { status: 'rejected', note: 'Not this.', decidedAt: expect.any(String) },
  })
  expect(after.editToken).not.toBe(before.editToken)
  expect(after.destinations).toMatchObject([
    { status: 'draft', publishAt: null, allowedActions: { schedule: { allowed: false } } },
    { status: 'draft', publishAt: null, allowedActions: { schedule: { allowed: false } } },
  ])
  expect(await eventsOf(scene)).toEqual([])
})

test.each(['approve', 'reject'] as const)('after %s no other decision counts', async (verdict) => {
  const scene = await aScene()
  expect(await decide(scene, verdict)).toMatchObject({ approvalId: expect.any(String) })
  await expectRefused(scene, () => decide(scene, 'approve'), 'closed')
  await expectRefused(scene, () => decide(scene, 'reject'), 'closed')
})

test('of two decisions at once, the first counts', async () => {
  const scene = await aScene()
  const { workspaceId, memberId } = scene.workspace
  const first = await openTransaction(world.db)
  const decision = { workspaceId, memberId, memberName: 'Ada', approvalId: scene.approvalId, note: null }
  expect(await decideApproval(first.tx, { ...decision, verdict: 'reject' })).toMatchObject({
    approvalId: expect.any(String),
  })
  const second = decide(scene, 'approve')
  await untilBlocked(world.db)
  await first.commit()
  expect(await second).toMatchObject({ ...refusals.closed, facts: { currentStatus: 'rejected' } })
  expect(await eventsOf(scene)).toEqual([])
})

test('a decision that does not count has what was written beside it rolled back', async () => {
  const scene = await aScene()
  await decide(scene, 'reject')
  const { workspaceId, memberId } = scene.workspace
  const again = {
    workspaceId,
    memberId,
    memberName: 'Ada',
    approvalId: scene.approvalId,
    note: null,
  } as const
  const deciding = () =>
    world.db.begin(async (tx) => {
      await tx`update post set updated_at = now() where id = ${scene.post.postId}`
      return decideApproval(tx, { ...again, verdict: 'approve' })
    })
  await expectRefused(scene, deciding, 'closed')
})

test('of many decisions at once, one counts', async () => {
  const scene = await aScene()
  const decided = await Promise.all(Array.from({ length: 6 }, () => decide(scene, 'approve')))
  expect(decided.filter((each) => !isRefusal(each))).toHaveLength(1)
  expect(await eventsOf(scene)).toEqual(['post.scheduled', 'post.scheduled'])
})

test('a request stands for seven days; then nothing is published, and an edit asks again', async () => {
  const scene = await aScene()
  const { workspaceId } = scene.workspace
  const age = (time: string) => world.db`
    update approval set requested_at = requested_at - ${time}::interval, expires_at = expires_at - ${time}::interval
    where  workspace_id = ${workspaceId}`
  await age('6 days 23 hours 59 minutes')
  expect(await listApprovals(world.db, workspaceId, { all: false })).toHaveLength(1)
  await age('1 minute')

  const lapsed = await read(scene)
  expect(lapsed).toMatchObject({
    reviewStatus: 'rejected',
    approval: {
      status: 'expired',
      reason: expect.stringContaining('Expired without a decision'),
      decidedAt: null,
    },
  })
  expect(await listApprovals(world.db, workspaceId, { all: false })).toEqual([])
  expect(await listApprovals(world.db, workspaceId, { all: true })).toMatchObject([{ status: 'expired' }])
  await expectRefused(scene, () => decide(scene, 'approve'), 'closed')
  await expectRefused(scene, () => decide(scene, 'reject'), 'closed')

  expect((await edit(scene, lapsed, 'Again')).status).toBe(200)
  expect(await listApprovals(world.db, workspaceId, { all: false })).toMatchObject([{ status: 'pending' }])
  expect(await eventsOf(scene)).toEqual([])
})

test.each([
  [
    'text',
    (id: string) => world.db`update part set text = 'Changed' where destination_id = ${id} and index = 1`,
  ],
  ['settings', (id: string) => world.db`update destination set settings = '{"a":1}' where id = ${id}`],
  ['thread', (id: string) => world.db`delete from part where destination_id = ${id} and index = 1`],
] as const)(
  'content whose %s is not what was asked about is not approved, and may be rejected',
  async (_what, change) => {
    const scene = await aScene()
    const [row] = await world.db<{ id: string }[]>`
    select id from destination where post_id = ${scene.post.postId} order by id desc`
    await change(row!.id)
    await expectRefused(scene, () => decide(scene, 'approve'), 'changed')
    expect(await decide(scene, 'reject')).toMatchObject({ approvalId: expect.any(String) })
  },
)

test('an edit closes the request: only the new words can be approved', async () => {
  const scene = await aScene()
  await edit(scene, scene.post, 'Other words')
  await expectRefused(scene, () => decide(scene, 'approve'), 'closed')
  const [renewed] = await listApprovals(world.db, scene.workspace.workspaceId, { all: false })
  expect(await decide({ ...scene, approvalId: renewed!.approvalId }, 'approve')).toMatchObject({
    approvalId: expect.any(String),
  })
  expect(await eventsOf(scene)).toEqual(['post.scheduled', 'post.scheduled'])
})

test('what is cancelled meanwhile is left out; the rest was seen, and may be approved', async () => {
  const scene = await aScene()
  expect((await cancel(scene, scene.post, 0)).status).toBe(200)
  expect(await decide(scene, 'approve')).toMatchObject({ approvalId: expect.any(String) })
  expect((await read(scene)).destinations.map(({ status }) => status)).toEqual(['cancelled', 'scheduled'])
  expect(await eventsOf(scene)).toEqual(['post.cancelled', 'post.scheduled'])
})

test('a post of which all is cancelled closes its request', async () => {
  const scene = await aScene()
  const { workspaceId } = scene.workspace
  await cancel(scene, scene.post, 0)
  expect(await read(scene)).toMatchObject({ reviewStatus: 'pending' })
  await cancel(scene, scene.post, 1)
  expect(await read(scene)).toMatchObject({
    reviewStatus: 'rejected',
    approval: { status: 'rejected', reason: expect.stringContaining('cancelled'), decidedAt: null },
  })
  expect(await listApprovals(world.db, workspaceId, { all: false })).toEqual([])
  expect(await listApprovals(world.db, workspaceId, { all: true })).toMatchObject([{ status: 'superseded' }])
  await expectRefused(scene, () => decide(scene, 'approve'), 'cancelled')
  await expectRefused(scene, () => decide(scene, 'reject'), 'cancelled')
})

test('a request that is still open for a post of which all is cancelled approves and rejects nothing', async () => {
  const workspace = await aWorkspace(world.db)
  const { workspaceId } = workspace
  const { postId } = await aPost(world.db, workspaceId, { states: ['cancelled', 'cancelled'] })
  const approvalId = await anApproval(world.db, workspaceId, postId)
  const scene = { workspace, post: await api.read(workspace, postId), approvalId, channelIds: [] }
  await expectRefused(scene, () => decide(scene, 'approve'), 'cancelled')
  await expectRefused(scene, () => decide(scene, 'reject'), 'cancelled')
})

test('a post of which all has expired closes its request', async () => {
  const workspace = await aWorkspace(world.db)
  const { workspaceId } = workspace
  const longAgo = new Date(Date.now() - 25 * 3_600_000)
  const post = await aPost(world.db, workspaceId, { states: ['scheduled', 'scheduled'], publishAt: longAgo })
  await anApproval(world.db, workspaceId, post.postId)
  await world.db`update destination set status = 'expired', due_at = null where workspace_id = ${workspaceId}`
  expect(await api.read(workspace, post.postId)).toMatchObject({
    reviewStatus: 'rejected',
    approval: { status: 'rejected', reason: expect.stringContaining('expired') },
  })
})

test('the latest request is the one that the database saw last, whatever the clocks of the hosts say', async () => {
  const scene = await aScene()
  const { workspaceId } = scene.workspace
  // As a host names it whose clock is 20 seconds ahead.
  const ahead = uuidv7({ msecs: Date.now() + 20_000 })
  await world.db`update approval set id = ${ahead} where id = ${scene.approvalId}`

  const { status, body } = await edit(scene, scene.post, 'Text that nobody has seen')
  expect([status, body.reviewStatus]).toEqual([200, 'pending'])
  const after = await read(scene)
  expect(after).toMatchObject({ reviewStatus: 'pending', approval: { status: 'pending' } })
  const [{ channelId, controlToken, allowedActions }] = after.destinations as [Post['destinations'][0]]
  expect(allowedActions.schedule.allowed).toBe(false)
  const publishAt = new Date(Date.now() + 3_600_000).toISOString()
  const scheduled = await api.command(scene.workspace, after.postId, 'schedule', {
    channelId,
    controlToken,
    publishAt,
  })
  expect(scheduled.body).toMatchObject({ status: 409, code: 'invalid_state' })
  const [renewed] = await listApprovals(world.db, workspaceId, { all: false })
  expect(after.approval!.reviewUrl).toContain(renewed!.approvalId)
})

test('what was rescheduled, edited and approved again goes out at its time', async () => {
  const scene = await aScene()
  await decide(scene, 'approve')
  const publishAt = new Date(Date.now() + 3_600_000).toISOString()
  const [{ channelId, controlToken }] = (await read(scene)).destinations as [Post['destinations'][0]]
  const command = { channelId, controlToken, publishAt }
  expect((await api.command(scene.workspace, scene.post.postId, 'reschedule', command)).status).toBe(200)
  expect((await edit(scene, await read(scene), 'Other words')).body.destinations).toMatchObject([
    { status: 'draft', publishAt },
    { status: 'draft' },
  ])
  const [renewed] = await listApprovals(world.db, scene.workspace.workspaceId, { all: false })
  await decide({ ...scene, approvalId: renewed!.approvalId }, 'approve')
  const after = await read(scene)
  expect(after.destinations).toMatchObject([
    { status: 'scheduled', publishAt },
    { status: 'scheduled', publishAt: after.updatedAt },
  ])
})

test('a request of another workspace is not there, and a stranger decides nothing', async () => {
  const [scene, stranger] = [await aScene(), await aScene()]
  const { workspaceId, memberId } = stranger.workspace
  for (const verdict of ['approve', 'reject'] as const) {
    await expectRefused(scene, () => decide(scene, verdict, { workspaceId, memberId }), 'not_found')
    await expectRefused(scene, () => decide(scene, verdict, { approvalId: uuidv7() }), 'not_found')
  }
  await changingNothing(scene.workspace, () =>
    expect(decide(scene, 'approve', { memberId })).rejects.toThrow('foreign key'),
  )
})

test('no credential of the API decides', async () => {
  const scene = await aScene()
  const { postId } = scene.post
  for (const path of [`/posts/${postId}/approve`, `/approvals/${scene.approvalId}/approve`]) {
    const answer = await api.call(scene.workspace, 'POST', path, { confirmed: true })
    expect(answer.body).toMatchObject({ status: 404, code: 'not_found' })
  }
  expect(await read(scene)).toMatchObject({ reviewStatus: 'pending' })
})

describe('at once with the agent', () => {
  const decisionOf = ({ workspace, approvalId }: Scene): Decision => ({
    workspaceId: workspace.workspaceId,
    memberId: workspace.memberId,
    memberName: 'Ada',
    approvalId,
    verdict: 'approve',
    note: null,
  })

  test('an approval that is first makes the edit stale', async () => {
    const scene = await aScene()
    const first = await openTransaction(world.db)
    expect(await decideApproval(first.tx, decisionOf(scene))).toMatchObject({
      approvalId: expect.any(String),
    })
    const edited = edit(scene, scene.post, 'Other words')
    await untilBlocked(world.db)
    await first.commit()
    expect((await edited).body).toMatchObject({ code: 'stale_edit_token' })
    expect((await read(scene)).content).toMatchObject({ text: 'Now' })
  })

  test('an edit that is first closes what was to be approved', async () => {
    const scene = await aScene()
    const { workspaceId } = scene.workspace
    const { postId, editToken } = scene.post
    const first = await openTransaction(world.db)
    const body = { confirmed: true, editToken, content: { text: 'Other words' } } as const
    await editPost(first.tx, { workspaceId, postId }, body, anActor, options)
    const approved = decide(scene, 'approve')
    await untilBlocked(world.db)
    await first.commit()
    expect(await approved).toMatchObject(refusals.closed)
    expect(await eventsOf(scene)).toEqual([])
    expect(await read(scene)).toMatchObject({ reviewStatus: 'pending', content: { text: 'Other words' } })
  })

  test('a cancel that is first is left out', async () => {
    const scene = await aScene()
    const { channelId, controlToken } = scene.post.destinations[1]!
    const { workspaceId } = scene.workspace
    const first = await openTransaction(world.db)
    const key = { workspaceId, postId: scene.post.postId, channelId, controlToken }
    await cancelDestination(first.tx, key, anActor, options)
    const approved = decide(scene, 'approve')
    await untilBlocked(world.db)
    await first.commit()
    expect(await approved).toMatchObject({ approvalId: expect.any(String) })
    expect((await read(scene)).destinations.map(({ status }) => status)).toEqual(['scheduled', 'cancelled'])
  })

  test('of two cancels, the one that is last closes the request', async () => {
    const scene = await aScene()
    const { workspaceId } = scene.workspace
    const { channelId, controlToken } = scene.post.destinations[0]!
    const first = await openTransaction(world.db)
    const key = { workspaceId, postId: scene.post.postId, channelId, controlToken }
    await cancelDestination(first.tx, key, anActor, options)
    const second = cancel(scene, scene.post, 1)
    await Promise.race([second, untilBlocked(world.db)])
    await first.commit()
    expect((await second).status).toBe(200)
    expect(await read(scene)).toMatchObject({ reviewStatus: 'rejected', approval: { status: 'rejected' } })
    await expectRefused(scene, () => decide(scene, 'approve'), 'cancelled')
  })

  test('what expires waits for no cancel of a draft beside it', async () => {
    const workspace = await aWorkspace(world.db)
    const { workspaceId } = workspace
    const publishAt = new Date(Date.now() - 25 * 3_600_000)
    const post = await aPost(world.db, workspaceId, { states: ['draft', 'draft', 'scheduled'], publishAt })
    await anApproval(world.db, workspaceId, post.postId)
    const { destinations } = await api.read(workspace, post.postId)
    const { channelId, controlToken } = destinations[0]!
    const first = await openTransaction(world.db)
    const key = { workspaceId, postId: post.postId, channelId, controlToken }
    await cancelDestination(first.tx, key, anActor, options)
    expect(await expire(world.db, 10)).toHaveLength(1)
    await first.commit()
    const after = await api.read(workspace, post.postId)
    expect(after.destinations.map(({ status }) => status)).toEqual(['cancelled', 'draft', 'expired'])
    expect(after.reviewStatus).toBe('pending')
  })

  test('edits, cancels and decisions get along: of edit and decision, one is done', async () => {
    for (let round = 0; round < 8; round++) {
      const scene = await aScene()
      const [edited, decided, cancelled] = await Promise.all([
        edit(scene, scene.post, 'Other words'),
        decide(scene, round % 2 === 0 ? 'approve' : 'reject'),
        cancel(scene, scene.post, round % 2),
      ])
      expect([200, 409]).toContain(edited.status)
      expect([200, 409]).toContain(cancelled.status)
      expect(isRefusal(decided)).toBe(edited.status !== 409)
    }
  })
})
