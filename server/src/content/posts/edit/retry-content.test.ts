import type { Post } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import {
  anApproval,
  anAttempt,
  announced,
  aPicture,
  aPost,
  aWorkspace,
  snapshotOf,
  type AWorkspace,
} from '../../../../test/rigs/fixtures.ts'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { storeOn } from '../../../../test/rigs/publishing-store.ts'
import { decideApproval } from '../../../attention/reviews/decide-approval.ts'

/* A text that the network refused is repaired in the retry itself: the merge of an edit, for one destination. */

const { world, api } = await openFileWorld()

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

const refused = { code: 'content_refused', message: 'Too loud.', provider: 'sandbox-short', retryable: false }

type Scene = { workspace: AWorkspace; postId: string; post: Post }

/** A post that both channels share; the first one refused it. */
async function aScene(): Promise<Scene> {
  const workspace = await aWorkspace(world.db)
  const { postId, destinationIds } = await aPost(world.db, workspace.workspaceId, {
    states: ['failed', 'published'],
    texts: ['LOUD', 'and more'],
  })
  await anAttempt(world.db, workspace.workspaceId, destinationIds[0]!, 'rejected')
  await world.db`
    update destination set error = ${world.db.json(refused)} where id = ${destinationIds[0]!}`
  return { workspace, postId, post: await api.read(workspace, postId) }
}

function retry({ workspace, postId, post }: Scene, more: object, publishAt = inAnHour()) {
  const { channelId, controlToken } = post.destinations[0]!
  return api.command(workspace, postId, 'retry', { channelId, controlToken, publishAt, ...more })
}

const eventsOf = async ({ workspace }: Scene) =>
  (await announced(world.db, workspace.workspaceId)).map(({ type }) => type)

test('a refused text is sent again with other words, and what is not named stays', async () => {
  const scene = await aScene()
  expect(scene.post.destinations[0]).toMatchObject({
    error: refused,
    lastError: refused,
    allowedActions: { retry: { allowed: true, reason: null } },
  })
  const publishAt = inAnHour()
  const { status, body } = await retry(scene, { content: { text: 'quiet' } }, publishAt)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    status: 'scheduled',
    publishAt,
    error: null,
    lastError: refused,
    content: { text: 'quiet', thread: [{ text: 'and more' }] },
    parts: [
      { index: 0, status: 'pending', text: 'quiet' },
      { index: 1, status: 'pending', text: 'and more' },
    ],
  })
  const after = await api.read(scene.workspace, scene.postId)
  expect(after.destinations[0]).toEqual(body)
  // The other channel keeps what it has published.
  expect(after.content).toEqual({ text: 'LOUD', thread: [{ text: 'and more' }] })
  expect(after.destinations[1]).toMatchObject({
    status: 'published',
    content: null,
    parts: [{ text: 'LOUD' }, {}],
  })
  expect(after.editToken).not.toBe(scene.post.editToken)
  expect(body.controlToken).not.toBe(scene.post.destinations[0]!.controlToken)
  expect(await eventsOf(scene)).toEqual(['post.scheduled'])
})

test('the new words are what a worker publishes', async () => {
  const scene = await aScene()
  await retry(scene, { content: { text: 'quiet', thread: [] } })
  await world.db`
    update destination set due_at = now() - interval '1 second'
    where  workspace_id = ${scene.workspace.workspaceId} and status = 'scheduled'`
  const store = storeOn(world.db)
  const claimed = (await store.claim(1_000)).filter(({ postId }) => postId === scene.postId)
  expect(claimed.map(({ parts }) => parts.map(({ text, status }) => [text, status]))).toEqual([
    [['quiet', 'pending']],
  ])
})

test('media are added and removed', async () => {
  const scene = await aScene()
  const picture = await aPicture(world.db, scene.workspace.workspaceId)
  const { body } = await retry(scene, { content: { mediaIds: [picture], thread: [] } })
  expect(body).toMatchObject({
    content: { text: 'LOUD', mediaIds: [picture] },
    parts: [{ mediaIds: [picture] }],
  })
})

describe('is refused, and changes nothing,', () => {
  test.each<[string, object, object]>([
    [
      'when the result is not publishable',
      { content: { text: 'x'.repeat(281) } },
      { code: 'post_not_publishable', issues: [{ code: 'text_too_long', pointer: '/content/text' }] },
    ],
    ['when the content names nothing', { content: {} }, { code: 'validation_failed' }],
    ['when the content is null', { content: null }, { code: 'validation_failed' }],
    ['when the content has targets', { content: { targets: [] } }, { code: 'validation_failed' }],
    [
      'when the settings are not known',
      { content: { settings: { loud: true } } },
      { code: 'post_not_publishable', issues: [{ pointer: '/content/settings/loud' }] },
    ],
    [
      'when the token is stale',
      { content: { text: 'a' }, controlToken: 'x' },
      { code: 'stale_control_token' },
    ],
    [
      'when the time is past',
      { content: { text: 'a' }, publishAt: new Date(0).toISOString() },
      { code: 'publish_time_in_past' },
    ],
  ])('%s', async (_name, more, problem) => {
    const scene = await aScene()
    const before = await snapshotOf(world.db, scene.workspace.workspaceId)
    expect((await retry(scene, more)).body).toMatchObject(problem)
    expect(await snapshotOf(world.db, scene.workspace.workspaceId)).toEqual(before)
  })

  test('when a part is out, or may be', async () => {
    const scene = await aScene()
    const [row] = await world.db<{ id: string }[]>`
      select id from destination where post_id = ${scene.postId} and status = 'failed'`
    await anAttempt(world.db, scene.workspace.workspaceId, row!.id, 'unknown')
    const before = await snapshotOf(world.db, scene.workspace.workspaceId)
    expect((await retry(scene, { content: { text: 'a' } })).body).toMatchObject({ code: 'unsafe_retry' })
    expect(await snapshotOf(world.db, scene.workspace.workspaceId)).toEqual(before)
  })
})

describe('of a post that a person has approved', () => {
  async function anApproved(): Promise<Scene> {
    const scene = await aScene()
    await anApproval(world.db, scene.workspace.workspaceId, scene.postId, 'approved')
    return scene
  }

  test('other content waits for a person, and goes out at its time once it is approved', async () => {
    const scene = await anApproved()
    const publishAt = inAnHour()
    const { body } = await retry(scene, { content: { text: 'quiet' } }, publishAt)
    expect(body).toMatchObject({ status: 'draft', publishAt, error: null, lastError: refused })
    expect(body.allowedActions.schedule.allowed).toBe(false)
    expect(await eventsOf(scene)).toEqual([])
    const pending = await api.read(scene.workspace, scene.postId)
    expect(pending).toMatchObject({ reviewStatus: 'pending', destinations: [{}, { status: 'published' }] })

    const { workspaceId, memberId } = scene.workspace
    const approvalId = pending.approval!.reviewUrl.split('/').at(-1)!
    const decision = { workspaceId, approvalId, memberId, memberName: 'Ada', note: null } as const
    await world.db.begin((tx) => decideApproval(tx, { ...decision, verdict: 'approve' }))
    const after = await api.read(scene.workspace, scene.postId)
    expect(after).toMatchObject({
      reviewStatus: 'approved',
      destinations: [{ status: 'scheduled', publishAt }, {}],
    })
    expect(await eventsOf(scene)).toEqual(['post.scheduled'])
  })

  test('the same content needs nobody', async () => {
    const scene = await anApproved()
    expect((await retry(scene, {})).body).toMatchObject({ status: 'scheduled' })
    expect(await api.read(scene.workspace, scene.postId)).toMatchObject({ reviewStatus: 'approved' })
  })
})

test('`lastError` is kept until it is published', async () => {
  const scene = await aScene()
  await retry(scene, {})
  const { db } = world
  const { workspaceId } = scene.workspace
  const read = async () => (await api.read(scene.workspace, scene.postId)).destinations[0]!
  expect(await read()).toMatchObject({ status: 'scheduled', error: null, lastError: refused })

  const later = { ...refused, code: 'rate_limited', retryable: true }
  await db`
    update destination set status = 'delayed', control_token = 'a', error = ${db.json(later)}, check_again_at = now()
    where  workspace_id = ${workspaceId} and status = 'scheduled'`
  expect(await read()).toMatchObject({ error: later, lastError: later })
  await db`
    update destination set status = 'published', control_token = 'b', error = null, check_again_at = null, published_at = now()
    where  workspace_id = ${workspaceId} and status = 'delayed'`
  expect(await read()).toMatchObject({ status: 'published', error: null, lastError: null })
})
