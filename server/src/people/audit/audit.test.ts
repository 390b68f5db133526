import { expect, test } from 'vitest'
import { aChannel, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { hoursAhead, openFileWorld } from '../../../test/rigs/file-world.ts'
import { listActs, recordAct } from './audit-store.ts'

const { world, api } = await openFileWorld()

const entriesOf = async (workspaceId: string) => [
  ...(await world.db`
    select actor_type, actor_id, actor_name, person_id, action, subject, before, after, address, request_id
    from   audit_entry where workspace_id = ${workspaceId} order by seq`),
]

async function aDraft() {
  const workspace = await aWorkspace(world.db)
  const channelId = await aChannel(world.db, workspace.workspaceId)
  const body = {
    confirmed: true,
    idempotencyKey: 'k',
    state: 'draft',
    channelIds: [channelId],
    text: 'Hello',
  }
  const answer = await api.call(workspace, 'POST', '/posts', body, null)
  expect(answer.status).toBe(201)
  return { workspace, channelId, body, post: answer.body, answer }
}

test('an export is recorded with what was asked for, and another read is not', async () => {
  const workspace = await aWorkspace(world.db)
  expect((await api.call(workspace, 'GET', '/posts?label=news', undefined, null)).status).toBe(200)
  const answer = await api.call(workspace, 'GET', '/posts/export?format=json&label=news', undefined, null)
  expect(answer.status).toBe(200)
  expect((await api.call(workspace, 'GET', '/posts/export?format=xml', undefined, null)).status).toBe(400)
  expect(await entriesOf(workspace.workspaceId)).toMatchObject([
    {
      actor_name: 'test key',
      person_id: workspace.caller.member.personId,
      action: 'exportPosts',
      after: { format: 'json', label: 'news' },
      address: '127.0.0.1',
      request_id: answer.headers['x-request-id'],
    },
  ])
})

test('a write says who did what, to what, from where and in which request', async () => {
  const { workspace, post, answer } = await aDraft()
  const { credential, member } = workspace.caller
  expect(await entriesOf(workspace.workspaceId)).toEqual([
    {
      actor_type: 'agent_key',
      actor_id: credential.id,
      actor_name: 'test key',
      person_id: member.personId,
      action: 'createPost',
      subject: { postId: post.postId },
      before: null,
      after: null,
      address: '127.0.0.1',
      request_id: answer.headers['x-request-id'],
    },
  ])
})

test('a replay, a refusal and a read are no acts', async () => {
  const { workspace, body, post } = await aDraft()
  expect((await api.call(workspace, 'POST', '/posts', body, null)).headers).toHaveProperty(
    'idempotent-replayed',
  )
  const stale = { editToken: 'stale', content: { text: 'Other' } }
  expect((await api.command(workspace, post.postId, 'edit', stale)).status).toBe(409)
  await api.read(workspace, post.postId)
  expect(await entriesOf(workspace.workspaceId)).toHaveLength(1)
})

test('entries are neither changed nor removed, unless by what keeps to their retention', async () => {
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await recordAct(db, {
    workspaceId,
    action: 'test',
    address: null,
    requestId: null,
    actor: { type: 'operator', id: null, name: 'root', personId: null },
  })
  const refused = /append-only/
  await expect(
    db`update audit_entry set action = 'other' where workspace_id = ${workspaceId}`,
  ).rejects.toThrow(refused)
  await expect(db`delete from audit_entry where workspace_id = ${workspaceId}`).rejects.toThrow(refused)
  await expect(db`truncate audit_entry`).rejects.toThrow(refused)
  expect(await entriesOf(workspaceId)).toHaveLength(1)
})

test('an edit and a command say what was there before and what is there since', async () => {
  const { workspace, post } = await aDraft()
  const [{ channelId, controlToken }] = post.destinations
  const content = { text: 'Other', thread: [{ text: 'More' }] }
  await api.command(workspace, post.postId, 'edit', { editToken: post.editToken, content })
  const publishAt = hoursAhead(24)
  await api.command(workspace, post.postId, 'schedule', { channelId, controlToken, publishAt })
  const { editToken } = await api.read(workspace, post.postId)
  await api.command(workspace, post.postId, 'cancel', { editToken })
  expect((await entriesOf(workspace.workspaceId)).slice(1)).toMatchObject([
    {
      action: 'editPost',
      before: [{ channelIds: [channelId], text: 'Hello', settings: {} }],
      after: [{ channelIds: [channelId], ...content }],
    },
    {
      action: 'scheduleDestination',
      subject: { postId: post.postId, channelId },
      before: { status: 'draft', publishAt: null },
      after: { status: 'scheduled', publishAt },
    },
    {
      action: 'cancelDestination',
      before: [{ channelId, status: 'scheduled' }],
      after: [{ channelId, status: 'cancelled' }],
    },
  ])
  const [entries] = [JSON.stringify(await entriesOf(workspace.workspaceId))]
  for (const token of [editToken, controlToken]) expect(entries).not.toContain(token)
})

test('acts are found by who did them and what they did, wherever they stand', async () => {
  const { workspaceId } = await aWorkspace(world.db)
  const act = (name: string, action: string) =>
    recordAct(world.db, {
      workspaceId,
      action,
      address: null,
      requestId: null,
      actor: { type: 'person', id: null, name, personId: null },
    })
  await act('Ada', 'createPost')
  await act('Grace', 'appCreatePost')
  for (let more = 0; more < 3; more++) await act('Grace', 'editPost')
  const found = async (who: string | null, actions: string[] | null) =>
    (await listActs(world.db, workspaceId, { who, actions, before: null, limit: 2 })).map(
      ({ actorName, action }) => `${actorName} ${action}`,
    )
  expect(await found('Ada', null)).toEqual(['Ada createPost'])
  const both = ['createPost', 'appCreatePost']
  expect(await found(null, both)).toEqual(['Grace appCreatePost', 'Ada createPost'])
  expect(await found('Grace', both)).toEqual(['Grace appCreatePost'])
})
