import { afterAll, describe, expect, test } from 'vitest'
import { connectParts } from '../../../test/rigs/connect-world.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { aUser, join, openSite } from '../../../test/rigs/people-world.ts'

/* What the page Channels does: the networks on offer, connecting by a form, by a link, and again. */

const { world } = await openFileWorld()
const { db } = world
const connect = connectParts(db)
const site = await openSite(db, { connect })
afterAll(() => site[Symbol.asyncDispose]())

async function anOwner() {
  const { workspaceId } = await aWorkspace(db)
  const owner = await aUser(db, site.app, 'Olga')
  await join(db, workspaceId, owner, 'owner')
  const post = (path: string, body?: unknown) => owner.ask(`POST /workspaces/${workspaceId}${path}`, body)
  const get = async (path: string) => (await owner.ask(`GET /workspaces/${workspaceId}${path}`)).body
  return { workspaceId, owner, post, get }
}

const ada = { provider: 'example', fields: { name: 'ada', token: 't' } }

test('each network comes with the ways to connect it, and one that is not set up with the settings that it needs', async () => {
  const { get } = await anOwner()
  const plain = { description: '', required: true, example: '' }
  expect(await get('/networks')).toEqual([
    {
      provider: 'example',
      displayName: 'Example',
      signIn: true,
      needs: [],
      fields: [
        { ...plain, name: 'name', title: 'Name', secret: false },
        { ...plain, name: 'token', title: 'Token', secret: true },
      ],
    },
    {
      provider: 'instagram',
      displayName: 'Instagram',
      fields: null,
      signIn: false,
      // One app at Meta is for both.
      needs: ['FACEBOOK_CLIENT_ID', 'FACEBOOK_CLIENT_SECRET'],
    },
    {
      provider: 'x',
      displayName: 'X',
      fields: null,
      signIn: false,
      needs: ['X_CLIENT_ID', 'X_CLIENT_SECRET'],
    },
  ])
})

test('an account is connected by a form, and the audit log names the person and no secret', async () => {
  const { workspaceId, owner, post, get } = await anOwner()
  const { status, body } = await post('/channels/connect', ada)
  expect(status).toBe(200)
  expect(body).toMatchObject({ handle: 'ada', reconnected: false, resumed: 0 })
  expect(await get('/channels')).toMatchObject([
    { channelId: body.channelId, provider: 'example', enabled: true },
  ])
  const acts = await db`
    select action, person_id as "personId", after from audit_entry where workspace_id = ${workspaceId}`
  expect(acts).toEqual([
    { action: 'connectChannel', personId: owner.personId, after: { provider: 'example', handle: 'ada' } },
  ])
})

test.each([
  ['a field that is wrong', { ...ada, fields: { name: 'a', token: 't' } }, '/fields/name', 'invalid_field'],
  ['a field that is missing', { ...ada, fields: { name: 'ada' } }, '/fields/token', 'invalid_field'],
  [
    'an account without the permission',
    { ...ada, fields: { name: 'reader', token: 't' } },
    '/fields',
    'missing_scope',
  ],
  ['a network that is not there', { ...ada, provider: 'nowhere' }, '/provider', 'not_offered'],
])('%s is refused next to what is wrong, and nothing is stored', async (_, body, pointer, code) => {
  const { post, get } = await anOwner()
  const answer = await post('/channels/connect', body)
  expect(answer.body).toMatchObject({ status: 400, code: 'validation_failed', errors: [{ pointer, code }] })
  expect(await get('/channels')).toEqual([])
})

test('a network that does not answer is told as away for now', async () => {
  const { post } = await anOwner()
  const answer = await post('/channels/connect', { ...ada, fields: { name: 'ada', token: 'wrong' } })
  expect(answer.body).toMatchObject({
    status: 503,
    code: 'not_ready',
    detail: 'The example network is not there.',
  })
})

describe('a channel that is to be connected again', () => {
  test('takes its own account, and what waited for it goes on', async () => {
    const { workspaceId, post, get } = await anOwner()
    const { channelId } = (await post('/channels/connect', ada)).body
    await db`update channel set connection_status = 'reconnect_required' where id = ${channelId}`
    await aPost(db, workspaceId, { channelIds: [channelId], states: ['reconnect_required'] })
    expect((await post('/channels/connect', { ...ada, channelId })).body).toEqual({
      channelId,
      handle: 'ada',
      reconnected: true,
      resumed: 1,
    })
    expect(await get('/channels')).toMatchObject([{ connectionStatus: 'connected' }])
  })

  test('takes no other account', async () => {
    const { post } = await anOwner()
    const { channelId } = (await post('/channels/connect', ada)).body
    const other = { provider: 'example', channelId, fields: { name: 'bob', token: 't' } }
    expect((await post('/channels/connect', other)).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/fields', code: 'another_account' }],
    })
  })

  test('of another workspace is as unknown as one that is nowhere', async () => {
    const [mine, theirs] = [await anOwner(), await anOwner()]
    const { channelId } = (await theirs.post('/channels/connect', ada)).body
    expect((await mine.post('/channels/connect', { ...ada, channelId })).body).toMatchObject({
      errors: [{ code: 'channel_gone' }],
    })
    const link = await mine.post('/channels/link', { provider: 'example', channelId })
    expect(link.status).toBe(404)
  })
})

test('a link opens the page of its network, for the workspace and the person who made it', async () => {
  const { workspaceId, owner, post } = await anOwner()
  const { status, body } = await post('/channels/link', { provider: 'example' })
  expect(status).toBe(201)
  const url = new URL(body.url)
  expect(url.pathname).toBe('/connect/example')
  const [flow] = await db<
    { actor: unknown }[]
  >`select actor from connect_flow where workspace_id = ${workspaceId}`
  expect(flow?.actor).toMatchObject({ type: 'person', personId: owner.personId })
})

test('who loses the right while the network is asked connects nothing', async () => {
  const parts = connectParts(db)
  const { workspaceId } = await aWorkspace(db)
  const slow = {
    ...parts,
    tools: {
      ...parts.tools,
      call: async (...asked: Parameters<typeof parts.tools.call>) => {
        await db`update member set role = 'viewer' where workspace_id = ${workspaceId}`
        return parts.tools.call(...asked)
      },
    },
  }
  await using other = await openSite(db, { connect: slow })
  const owner = await aUser(db, other.app)
  await join(db, workspaceId, owner, 'owner')
  const { body } = await owner.ask(`POST /workspaces/${workspaceId}/channels/connect`, ada)
  expect(body).toMatchObject({ status: 403, code: 'missing_permission' })
  expect(await db`select from channel where workspace_id = ${workspaceId}`).toEqual([])
})

test('channels say when a post last went out there, and how long they are paused', async () => {
  const { workspaceId, get } = await anOwner()
  const channelId = await aChannel(db, workspaceId)
  expect(await get('/channels')).toMatchObject([{ lastPublishedAt: null, pausedUntil: null }])
  const publishedAt = new Date('2026-11-01T10:00:00Z')
  const { destinationIds } = await aPost(db, workspaceId, { channelIds: [channelId], states: ['published'] })
  await db`update destination set published_at = ${publishedAt} where id = ${destinationIds[0]!}`
  const [paused] = await db<{ until: Date }[]>`
    update channel set paused_until = now() + interval '1 hour' where id = ${channelId}
    returning paused_until as until`
  expect(await get('/channels')).toMatchObject([
    { lastPublishedAt: publishedAt.toISOString(), pausedUntil: paused!.until.toISOString() },
  ])
  await db`update channel set paused_until = now() - interval '1 second' where id = ${channelId}`
  expect(await get('/channels')).toMatchObject([{ pausedUntil: null }])
})
