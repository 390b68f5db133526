import { eventTypeNames, type Post, postEventTypeNames } from '@postrider/contract'
import { expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, aWorkspace, type AWorkspace } from '../../../test/rigs/fixtures.ts'
import { listApprovals } from '../../content/approvals/approval-store.ts'
import { decideApproval } from './decide-approval.ts'
import { undoDecision } from './undo-decision.ts'

const { world, api } = await openFileWorld()
const { db } = world

async function anEndpoint({ workspaceId }: AWorkspace, eventTypes: readonly string[]): Promise<string> {
  const [endpoint] = await db<[{ id: string }]>`
    insert into endpoint (workspace_id, id, url, event_types)
    values (${workspaceId}, gen_random_uuid(), 'https://hooks.example.com/', ${[...eventTypes]})
    returning id`
  return endpoint.id
}

/** What an endpoint is owed, in the order in which it was recorded. */
async function owed(endpointId: string): Promise<string[]> {
  const rows = await db<{ type: string }[]>`
    select d.event_type as type from delivery d join outbox_event e on e.id = d.event_id
    where  d.endpoint_id = ${endpointId} order by e.seq`
  return rows.map(({ type }) => type)
}

async function create(workspace: AWorkspace, more: object): Promise<Post> {
  const body = { confirmed: true, idempotencyKey: JSON.stringify(more), text: 'Words', ...more }
  const made = await api.call(workspace, 'POST', '/posts', body)
  expect(made.status).toBe(201)
  return made.body as Post
}

const eventsIn = async (workspace: AWorkspace, query = '') =>
  ((await api.call(workspace, 'GET', `/events${query}`)).body as { items: { type: string; data: object }[] })
    .items

test('drafts, edits and approvals are in the feed, and sent to endpoints that name them alone', async () => {
  const workspace = await aWorkspace(db)
  const { workspaceId, memberId } = workspace
  const channelIds = [await aChannel(db, workspaceId)]
  const plain = await anEndpoint(workspace, eventTypeNames)
  const named = await anEndpoint(workspace, postEventTypeNames)

  const draft = await create(workspace, { state: 'draft', channelIds })
  const content = { text: 'Other words' }
  const edited = await api.command(workspace, draft.postId, 'edit', { editToken: draft.editToken, content })
  expect(edited.status).toBe(200)
  const { postId, approval } = await create(workspace, { state: 'immediate', channelIds })
  const [request] = await listApprovals(db, workspaceId, { all: false })
  const { approvalId } = request!
  const decision = { workspaceId, approvalId, memberId, memberName: 'Ada', note: 'Fine.' }
  await db.begin((tx) => decideApproval(tx, { ...decision, verdict: 'approve' }))
  const baseUrl = new URL(approval!.reviewUrl).origin
  await db.begin((tx) => undoDecision(tx, { workspaceId, approvalId, memberName: 'Ada', baseUrl }))

  const items = await eventsIn(workspace)
  const by = { type: 'person', name: 'Ada' }
  const asked = { status: 'pending', reviewUrl: approval!.reviewUrl, expiresAt: approval!.expiresAt }
  expect(items.map(({ type, data }) => ({ type, data }))).toMatchObject([
    { type: 'post.created', data: { post: { postId: draft.postId }, channelIds } },
    { type: 'post.edited', data: { post: { postId: draft.postId }, channelIds, changed: ['text'] } },
    { type: 'post.created', data: { post: { postId }, channelIds } },
    { type: 'approval.requested', data: { post: { postId }, channelIds, approval: asked } },
    { type: 'approval.decided', data: { by, approval: { status: 'approved', note: 'Fine.' } } },
    { type: 'post.scheduled' },
    { type: 'approval.requested', data: { by, approval: asked } },
  ])
  expect(await owed(plain)).toEqual(['post.scheduled'])
  expect(await owed(named)).toEqual(items.map(({ type }) => type).filter((type) => type !== 'post.scheduled'))
  expect(await eventsIn(workspace, '?type=post.edited')).toHaveLength(1)
})

test('what is scheduled at once is announced once, and what a credential does not see is not in its feed', async () => {
  const workspace = await aWorkspace(db)
  const channelIds = [await aChannel(db, workspace.workspaceId)]
  const publishAt = new Date(Date.now() + 3_600_000).toISOString()
  await create(workspace, { state: 'scheduled', publishAt, channelIds })
  expect((await eventsIn(workspace)).map(({ type }) => type)).toEqual(['post.scheduled'])

  await create(workspace, { state: 'draft', channelIds })
  const { credential } = workspace.caller
  const limits = { ...credential.limits, channelIds: [await aChannel(db, workspace.workspaceId)] }
  const narrowed = { ...workspace, caller: { ...workspace.caller, credential: { ...credential, limits } } }
  expect(await eventsIn(narrowed)).toEqual([])
})
