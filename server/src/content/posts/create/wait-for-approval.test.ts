import { type ApprovalPolicy, noApprovalPolicy } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aChannel, announced, aPost, type AWorkspace, aWorkspace } from '../../../../test/rigs/fixtures.ts'
import { readsOf } from '../../../../test/rigs/query-plan.ts'
import { listApprovals } from '../../approvals/approval-store.ts'
import { isRefusal } from '../../../edge/operations/refusal.ts'
import { decideApproval } from '../../../attention/reviews/decide-approval.ts'
import { waitsForApproval } from './wait-for-approval.ts'

const { world, api } = await openFileWorld()
const { db } = world

/** A workspace with a channel, and a credential that this policy holds for. */
async function aPoliced(policy: Partial<ApprovalPolicy>) {
  const workspace = await aWorkspace(db)
  const { workspaceId, caller } = workspace
  const credential = { ...caller.credential, approval: { ...noApprovalPolicy, ...policy } }
  const person = { ...caller.credential, type: 'person' as const }
  const agent: AWorkspace = { ...workspace, caller: { ...caller, credential } }
  return {
    workspaceId,
    agent,
    channelId: await aChannel(db, workspaceId),
    free: workspace,
    person: { ...workspace, caller: { ...caller, credential: { ...person, approval: credential.approval } } },
  }
}

type Scene = Awaited<ReturnType<typeof aPoliced>>

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

async function create({ channelId }: Scene, as: AWorkspace, publishAt: string | null) {
  const body = { confirmed: true, channelIds: [channelId], text: 'Hello' }
  const more = publishAt === null ? { state: 'draft' } : { state: 'scheduled', publishAt }
  const answer = await api.call(as, 'POST', '/posts', { ...body, ...more })
  expect(answer.status).toBe(201)
  return answer.body
}

/** What a command answers, given the tokens as they are now. */
async function command(
  { channelId }: Scene,
  as: AWorkspace,
  postId: string,
  name: string,
  body: object = {},
) {
  const { editToken, destinations } = await api.read(as, postId)
  const { controlToken } = destinations[0]!
  const tokens = name === 'edit' ? { editToken } : { channelId, controlToken }
  const answer = await api.command(as, postId, name, { ...tokens, ...body })
  expect(answer.status).toBe(200)
  return answer.body
}

async function stateOf({ free }: Scene, postId: string) {
  const { reviewStatus, destinations } = await api.read(free, postId)
  return [destinations[0]!.status, reviewStatus]
}

async function approve({ workspaceId, free }: Scene, postId: string) {
  const request = (await listApprovals(db, workspaceId, { all: false })).find((one) => one.postId === postId)
  const decision = { verdict: 'approve', memberId: free.memberId, memberName: 'Ada', note: null } as const
  const { approvalId } = request!
  const decided = await db.begin((tx) => decideApproval(tx, { workspaceId, approvalId, ...decision }))
  expect(isRefusal(decided)).toBe(false)
}

const waits = ['draft', 'pending']
const goes = ['scheduled', 'not_required']

test('what waits has its time, is asked about with an expiry, announces nothing, and keeps its time when approved', async () => {
  const scene = await aPoliced({ all: true })
  const { agent, workspaceId } = scene
  const publishAt = inMinutes(90)
  const post = await create(scene, agent, publishAt)
  expect(post).toMatchObject({
    reviewStatus: 'pending',
    approval: { status: 'pending', reviewUrl: expect.any(String), expiresAt: expect.any(String) },
    destinations: [
      { status: 'draft', publishAt, expiresAt: null, allowedActions: { schedule: { allowed: false } } },
    ],
  })
  expect(await announced(db, workspaceId)).toEqual([])
  const { body: listed } = await api.call(agent, 'GET', '/posts?reviewStatus=pending')
  expect(listed.items.map(({ postId }: { postId: string }) => postId)).toEqual([post.postId])

  await approve(scene, post.postId)
  expect((await api.read(agent, post.postId)).destinations).toMatchObject([
    { status: 'scheduled', publishAt },
  ])
  expect((await announced(db, workspaceId)).map(({ type }) => type)).toEqual(['post.scheduled'])
})

describe('a policy that has everything wait', () => {
  test('holds for creates, schedules, edits and retries with other content, and for no draft', async () => {
    const scene = await aPoliced({ all: true })
    const { agent, free, workspaceId } = scene
    const draft = await create(scene, agent, null)
    expect(await stateOf(scene, draft.postId)).toEqual(['draft', 'not_required'])
    const proposed = await command(scene, agent, draft.postId, 'schedule', { publishAt: inMinutes(90) })
    expect(proposed).toMatchObject({ status: 'draft', publishAt: expect.any(String) })
    expect(await stateOf(scene, draft.postId)).toEqual(waits)

    const theirs = await create(scene, free, inMinutes(90))
    expect(await stateOf(scene, theirs.postId)).toEqual(goes)
    await command(scene, agent, theirs.postId, 'edit', { content: { text: 'Other' } })
    expect(await stateOf(scene, theirs.postId)).toEqual(waits)

    const failed = await aPost(db, workspaceId, { states: ['failed'], channelIds: [scene.channelId] })
    await command(scene, agent, failed.postId, 'retry', {
      publishAt: inMinutes(90),
      content: { text: 'Other' },
    })
    expect(await stateOf(scene, failed.postId)).toEqual(waits)
  })

  test('holds for nothing that a person writes, and not for a mere change of time', async () => {
    const scene = await aPoliced({ all: true })
    const { agent, person, free } = scene
    const own = await create(scene, person, inMinutes(90))
    expect(await stateOf(scene, own.postId)).toEqual(goes)
    const theirs = await create(scene, free, inMinutes(90))
    await command(scene, agent, theirs.postId, 'reschedule', { publishAt: inMinutes(120) })
    expect(await stateOf(scene, theirs.postId)).toEqual(goes)
  })
})

describe('a policy that has wait what is due soon', () => {
  test('leaves what is due later alone, until a command pulls it nearer', async () => {
    const scene = await aPoliced({ withinMinutes: 60 })
    const { agent } = scene
    const near = await create(scene, agent, inMinutes(30))
    expect(await stateOf(scene, near.postId)).toEqual(waits)
    const { postId } = await create(scene, agent, inMinutes(90))
    expect(await stateOf(scene, postId)).toEqual(goes)
    await command(scene, agent, postId, 'edit', { content: { text: 'Other' } })
    await command(scene, agent, postId, 'reschedule', { publishAt: inMinutes(80) })
    expect(await stateOf(scene, postId)).toEqual(goes)
    const publishAt = inMinutes(1)
    expect(await command(scene, agent, postId, 'reschedule', { publishAt })).toMatchObject({
      status: 'draft',
      publishAt,
    })
    expect(await stateOf(scene, postId)).toEqual(waits)
  })

  test('holds for a post that is moved as a whole', async () => {
    const { agent, workspaceId } = await aPoliced({ withinMinutes: 60 })
    const states = ['scheduled', 'publishing', 'scheduled'] as const
    const { postId } = await aPost(db, workspaceId, { states, publishAt: new Date(inMinutes(90)) })
    const move = async (publishAt: string) => {
      const { editToken } = await api.read(agent, postId)
      return (await api.command(agent, postId, 'reschedule', { editToken, publishAt })).body
    }
    const [far, near] = [inMinutes(80), inMinutes(1)]
    const [moved, begun] = [{ status: 'scheduled', publishAt: far }, { status: 'publishing' }]
    expect(await move(far)).toMatchObject({
      reviewStatus: 'not_required',
      destinations: [moved, begun, moved],
    })
    const asked = { status: 'draft', publishAt: near }
    expect(await move(near)).toMatchObject({
      reviewStatus: 'pending',
      destinations: [asked, begun, asked],
    })
  })

  test('holds for schedules and retries at such a time, and for edits so shortly before', async () => {
    const scene = await aPoliced({ withinMinutes: 60 })
    const { agent, free, workspaceId, channelId } = scene
    const draft = await create(scene, agent, null)
    await command(scene, agent, draft.postId, 'schedule', { publishAt: inMinutes(1) })
    const edited = await create(scene, free, inMinutes(30))
    await command(scene, agent, edited.postId, 'edit', { content: { text: 'Other' } })
    const failed = await aPost(db, workspaceId, { states: ['failed'], channelIds: [channelId] })
    await command(scene, agent, failed.postId, 'retry', { publishAt: inMinutes(1) })
    for (const { postId } of [draft, edited, failed]) expect(await stateOf(scene, postId)).toEqual(waits)

    // Approved, a retry publishes every part of it.
    await approve(scene, failed.postId)
    const { destinations } = await api.read(free, failed.postId)
    expect(destinations).toMatchObject([{ status: 'scheduled', parts: [{ status: 'pending' }] }])
  })
})

test('the first posts wait until so many were approved, however many drafts came before', async () => {
  const scene = await aPoliced({ firstPosts: 2 })
  const { agent } = scene
  for (let drafts = 0; drafts < 3; drafts++) await create(scene, agent, null)
  const left = async () => (await api.call(agent, 'GET', '/me')).body.credential.approval.firstPostsLeft
  const posts = []
  for (let number = 0; number < 3; number++) posts.push(await create(scene, agent, inMinutes(90)))
  for (const { postId } of posts) expect(await stateOf(scene, postId)).toEqual(waits)
  expect(await left()).toBe(2)
  await approve(scene, posts[0].postId)
  expect(await left()).toBe(1)
  await approve(scene, posts[1].postId)
  expect(await left()).toBe(0)
  const trusted = await create(scene, agent, inMinutes(90))
  expect(await stateOf(scene, trusted.postId)).toEqual(goes)
})

test('approved posts are counted only as far as the policy asks, and where they decide', async () => {
  const { agent, workspaceId } = await aPoliced({ firstPosts: 2 })
  const { id, approval } = agent.caller.credential
  await db`
    with posts as (
      insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name, created_by_id)
      select ${workspaceId}, gen_random_uuid(), '{"text":"x"}', 't', 'agent_key', 'k', ${id} from generate_series(1, 100)
      returning id
    )
    insert into approval (workspace_id, id, post_id, content_digest, status, expires_at, decided_at)
    select ${workspaceId}, gen_random_uuid(), id, '', 'approved', now(), now() from posts`
  const rowsFor = async (policy: Partial<ApprovalPolicy>, times: (string | null)[], waiting: boolean) => {
    const asked = { approval: { ...approval, ...policy }, credentialId: id }
    const { rows } = await readsOf(world, async (sql) => {
      const publication = { times, isNew: true }
      expect(await waitsForApproval(sql, workspaceId, asked, publication, new Date())).toBe(waiting)
    })
    return rows
  }
  expect(await rowsFor({}, [inMinutes(90)], false)).toBeLessThan(10)
  expect(await rowsFor({}, [null], false)).toBe(0)
  expect(await rowsFor({ all: true }, [inMinutes(90)], true)).toBe(0)
  expect(await rowsFor({ withinMinutes: 60 }, [inMinutes(30)], true)).toBe(0)
  expect((await api.call(agent, 'GET', '/me')).body.credential.approval.firstPostsLeft).toBe(0)
})

describe('an approval', () => {
  test('schedules what has a time, and none of the drafts beside it that were never given one', async () => {
    const scene = await aPoliced({ all: true })
    const { agent, free, workspaceId, channelId } = scene
    const other = await aChannel(db, workspaceId)
    const body = { confirmed: true, state: 'draft', channelIds: [channelId, other], text: 'Hello' }
    const { postId } = (await api.call(agent, 'POST', '/posts', body)).body
    await command(scene, agent, postId, 'schedule', { publishAt: inMinutes(90) })
    await approve(scene, postId)
    const { destinations } = await api.read(free, postId)
    expect(destinations.map(({ status }) => status)).toEqual(['scheduled', 'draft'])
  })

  test('of a channel that was cancelled meanwhile publishes nothing else', async () => {
    const scene = await aPoliced({ all: true })
    const { agent, free, workspaceId, channelId } = scene
    const other = await aChannel(db, workspaceId)
    const body = { confirmed: true, state: 'draft', channelIds: [channelId, other], text: 'Hello' }
    const { postId } = (await api.call(agent, 'POST', '/posts', body)).body
    await command(scene, agent, postId, 'schedule', { publishAt: inMinutes(90) })
    await command(scene, agent, postId, 'cancel')
    await approve(scene, postId)
    const { destinations } = await api.read(free, postId)
    expect(destinations.map(({ status }) => status)).toEqual(['cancelled', 'draft'])
  })

  test('is closed with the post that waits for it', async () => {
    const scene = await aPoliced({ all: true })
    const { agent, workspaceId } = scene
    const { postId } = await create(scene, agent, inMinutes(90))
    await command(scene, agent, postId, 'cancel')
    expect(await stateOf(scene, postId)).toEqual(['cancelled', 'rejected'])
    expect(await listApprovals(db, workspaceId, { all: false })).toEqual([])
  })

  test('makes the edit token stale that was read before it was asked for', async () => {
    const scene = await aPoliced({ withinMinutes: 60 })
    const { agent } = scene
    const { postId, editToken } = await create(scene, agent, inMinutes(90))
    await command(scene, agent, postId, 'reschedule', { publishAt: inMinutes(1) })
    const stale = await api.command(agent, postId, 'edit', { editToken, content: { text: 'Other' } })
    expect(stale.body).toMatchObject({ code: 'stale_edit_token', changed: ['reviewStatus', 'publishAt'] })
  })
})

test('GET /me tells a credential what waits for a person', async () => {
  const { agent, free } = await aPoliced({ withinMinutes: 5 })
  const none = { all: false, firstPosts: null, firstPostsLeft: null }
  expect((await api.call(agent, 'GET', '/me')).body.credential.approval).toEqual({
    ...none,
    withinMinutes: 5,
  })
  expect((await api.call(free, 'GET', '/me')).body.credential.approval).toEqual({
    ...none,
    withinMinutes: null,
  })
})
