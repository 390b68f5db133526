import type { CommandName, Post } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import {
  anApproval,
  aPost,
  aWorkspace,
  type Answered,
  type AWorkspace,
} from '../../../../test/rigs/fixtures.ts'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { storeOn } from '../../../../test/rigs/publishing-store.ts'
import { decideApproval } from '../../../attention/reviews/decide-approval.ts'

/* Whoever comes with a token that was replaced is told who replaced it, when, and what changed; never the new token. */

const { world, api } = await openFileWorld()

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

/** The same workspace, by a key of another name. */
function by(workspace: AWorkspace, name: string): AWorkspace {
  const credential = { ...workspace.caller.credential, id: uuidv7(), name }
  return { ...workspace, caller: { ...workspace.caller, credential } }
}

async function aScene(state: 'draft' | 'scheduled' | 'delayed' = 'scheduled', publishAt = inHours(1)) {
  const workspace = await aWorkspace(world.db)
  const { postId } = await aPost(world.db, workspace.workspaceId, {
    states: [state],
    publishAt: new Date(publishAt),
  })
  return { workspace, postId, post: await api.read(workspace, postId) }
}

function give(
  workspace: AWorkspace,
  { postId, editToken, destinations }: Post,
  name: CommandName,
  more = {},
) {
  const [{ channelId, controlToken }] = destinations as [Post['destinations'][0]]
  const body =
    name === 'edit'
      ? { editToken, content: { text: 'Other' }, ...more }
      : { channelId, controlToken, ...(name === 'cancel' ? {} : { publishAt: inHours(3) }), ...more }
  return api.command(workspace, postId, name, body)
}

function expectStale({ body, text }: Answered, code: string, facts: object, after: Post): void {
  expect(body).toMatchObject({ status: 409, code, ...facts })
  expect(Math.abs(Date.now() - Date.parse(body.changedAt))).toBeLessThan(600_000)
  for (const token of [after.editToken, ...after.destinations.map(({ controlToken }) => controlToken)]) {
    expect(text).not.toContain(token)
  }
}

test('another key has rescheduled it', async () => {
  const { workspace, postId, post } = await aScene()
  expect((await give(by(workspace, 'Planner'), post, 'reschedule')).status).toBe(200)
  const answer = await give(workspace, post, 'cancel')
  const facts = {
    currentStatus: 'scheduled',
    changedBy: { type: 'agent_key', name: 'Planner' },
    changed: ['publishAt', 'expiresAt'],
  }
  expectStale(answer, 'stale_control_token', facts, await api.read(workspace, postId))
})

test('another key has given it its time', async () => {
  const { workspace, postId, post } = await aScene('draft')
  expect((await give(by(workspace, 'Planner'), post, 'schedule')).status).toBe(200)
  const answer = await give(workspace, post, 'cancel')
  const facts = {
    changedBy: { type: 'agent_key', name: 'Planner' },
    changed: ['status', 'publishAt', 'expiresAt'],
  }
  expectStale(answer, 'stale_control_token', facts, await api.read(workspace, postId))
})

const paused = { code: 'rate_limited', message: 'A pause.', provider: 'sandbox-short', retryable: true }

test('the engine has changed it', async () => {
  const { workspace, postId, post } = await aScene('scheduled', inHours(-1))
  const store = storeOn(world.db)
  await store.claim(1_000)
  await world.db`
    update destination
    set    status = 'delayed', control_token = 'from the engine', lease_until = null, leased_by = null,
           check_again_at = now(), error = ${world.db.json(paused)}
    where  post_id = ${postId}`
  const answer = await give(workspace, post, 'cancel')
  const facts = {
    currentStatus: 'delayed',
    changedBy: { type: 'service', name: expect.any(String) },
    changed: ['status', 'checkAgainAt', 'error'],
  }
  expectStale(answer, 'stale_control_token', facts, await api.read(workspace, postId))
})

test('another key has edited it', async () => {
  const { workspace, postId, post } = await aScene()
  const content = { text: 'Other', thread: [{ text: 'and more' }] }
  expect((await give(by(workspace, 'Writer'), post, 'edit', { content })).status).toBe(200)
  const answer = await give(workspace, post, 'edit')
  const facts = {
    currentStatus: 'scheduled',
    changedBy: { type: 'agent_key', name: 'Writer' },
    changed: ['text', 'thread'],
  }
  expectStale(answer, 'stale_edit_token', facts, await api.read(workspace, postId))
})

test('a person has decided about it', async () => {
  const { workspace, postId, post } = await aScene('draft')
  const { workspaceId, memberId } = workspace
  const approvalId = await anApproval(world.db, workspaceId, postId)
  const decision = { workspaceId, approvalId, memberId, memberName: 'Ada', note: null } as const
  await world.db.begin((tx) => decideApproval(tx, { ...decision, verdict: 'approve' }))

  const after = await api.read(workspace, postId)
  const changedBy = { type: 'person', name: 'Ada' }
  const edited = await give(workspace, post, 'edit')
  expectStale(edited, 'stale_edit_token', { changedBy, changed: ['reviewStatus'] }, after)
  const cancelled = await give(workspace, post, 'cancel')
  const changed = ['status', 'publishAt', 'expiresAt']
  expectStale(cancelled, 'stale_control_token', { changedBy, changed }, after)
})

test('nobody has changed it since it was created: the token was never one of its', async () => {
  const { workspace, postId, post } = await aScene()
  const { type, name } = post.createdBy
  const facts = { changedBy: { type, name }, changed: [], changedAt: post.createdAt }
  const edited = await give(workspace, post, 'edit', { editToken: 'never given' })
  expectStale(edited, 'stale_edit_token', facts, await api.read(workspace, postId))
  const cancelled = await give(workspace, post, 'cancel', { controlToken: 'never given' })
  expectStale(cancelled, 'stale_control_token', facts, await api.read(workspace, postId))
})

test('the state is judged before the token', async () => {
  const { workspace, post } = await aScene()
  expect((await give(workspace, post, 'cancel')).status).toBe(200)
  for (const name of ['reschedule', 'cancel', 'retry', 'schedule'] as const) {
    const answer = await give(workspace, post, name)
    expect(answer.body).toMatchObject({ code: 'invalid_state', currentStatus: 'cancelled' })
  }
})
