import { afterAll, expect, test } from 'vitest'
import { openFileWorld } from '../../test/rigs/file-world.ts'
import { aChannel, announced, anApproval, aPost, aWorkspace } from '../../test/rigs/fixtures.ts'
import { aUser, join, openSite } from '../../test/rigs/people-world.ts'
import { storeProfile } from '../networks/channels/authorization-store.ts'
import { addChannel } from '../networks/channels/connect-channel.ts'
import { makeKeyring } from '../platform/sealing/sealing.ts'

/* A channel is called what a person calls it, and goes with what is planned for it or without. */

const { world } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())
const keyring = makeKeyring([Buffer.alloc(32, 1)])

async function aScene() {
  const { workspaceId } = await aWorkspace(db)
  const admin = await aUser(db, site.app)
  await join(db, workspaceId, admin, 'admin')
  const channelId = await aChannel(db, workspaceId, { displayName: 'Acme', remoteAccountId: 'acc_1' })
  const ask = (path: string, body: object) => admin.ask(`POST /workspaces/${workspaceId}${path}`, body)
  return {
    workspaceId,
    channelId,
    rename: (name: string | null) => ask(`/channels/${channelId}`, { name }),
    remove: (posts: 'cancel' | 'keep') => ask(`/channels/${channelId}/remove`, { posts }),
    enable: () => ask(`/channels/${channelId}/enable`, {}),
    listed: async () => (await admin.ask(`GET /workspaces/${workspaceId}/channels`)).body,
    aPost: async (state: Parameters<typeof aPost>[2]) =>
      (await aPost(db, workspaceId, { ...state, channelIds: [channelId] })).postId,
  }
}

const account = {
  provider: 'sandbox-short',
  remoteAccountId: 'acc_1',
  displayName: 'Acme Inc',
  handle: 'acme',
  avatarUrl: null,
  subscription: null,
  limits: null,
}

const statusesOf = async (workspaceId: string) => {
  const rows = await db<{ id: string; status: string }[]>`
    select post_id as id, status from destination where workspace_id = ${workspaceId}`
  return Object.fromEntries(rows.map(({ id, status }) => [id, status]))
}

test('a name that a person gave stays, until they give it back to the network', async () => {
  const { workspaceId, channelId, rename, listed } = await aScene()
  expect(await rename(' Our main account ')).toMatchObject({
    status: 200,
    body: { displayName: 'Our main account', renamed: true },
  })
  await storeProfile(db, { workspaceId, channelId }, account)
  await addChannel(db, keyring, { ...account, workspaceId, authorization: {} })
  expect(await listed()).toMatchObject([{ displayName: 'Our main account', handle: 'acme' }])
  expect(await rename('  ')).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  expect(await rename(null)).toMatchObject({ body: { renamed: false } })
  await storeProfile(db, { workspaceId, channelId }, account)
  expect(await listed()).toMatchObject([{ displayName: 'Acme Inc', renamed: false }])
})

test('what is planned is cancelled with the channel or waits; what was published and drafts stay', async () => {
  for (const posts of ['cancel', 'keep'] as const) {
    const scene = await aScene()
    const { workspaceId, channelId, remove, listed } = scene
    const [planned, late] = [
      await scene.aPost({ states: ['scheduled'] }),
      await scene.aPost({ states: ['delayed'] }),
    ]
    const waiting = await scene.aPost({ states: ['draft'] })
    await anApproval(db, workspaceId, waiting)
    const [out, draft] = [
      await scene.aPost({ states: ['published'] }),
      await scene.aPost({ states: ['draft'] }),
    ]
    expect(await listed()).toMatchObject([{ planned: 2 }])

    expect(await remove(posts)).toMatchObject({
      status: 200,
      body: { cancelled: posts === 'cancel' ? 3 : 0 },
    })
    const [was, wasLate, wasWaiting] =
      posts === 'cancel' ? ['cancelled', 'cancelled', 'cancelled'] : ['scheduled', 'delayed', 'draft']
    expect(await statusesOf(workspaceId)).toEqual({
      [planned]: was,
      [late]: wasLate,
      [waiting]: wasWaiting,
      [out]: 'published',
      [draft]: 'draft',
    })
    const told = (await announced(db, workspaceId)).filter(({ type }) => type === 'post.cancelled')
    expect(told).toHaveLength(posts === 'cancel' ? 3 : 0)
    expect(await listed()).toEqual([])
    const [left] =
      await db`select authorization_sealed as sealed, enabled from channel where id = ${channelId}`
    expect(left).toMatchObject({ sealed: Buffer.alloc(0), enabled: false })
    expect(await remove(posts)).toMatchObject({ status: 404 })
    expect(await scene.enable()).toMatchObject({ status: 404 })

    const again = await addChannel(db, keyring, { ...account, workspaceId, authorization: {} })
    expect(again).toEqual({ channelId, reconnected: true })
    expect(await listed()).toMatchObject([{ channelId, enabled: true, connectionStatus: 'connected' }])
  }
})

test('a channel stays, with all that is planned, while something is published there or is in doubt', async () => {
  for (const status of ['publishing', 'checking', 'partially_published'] as const) {
    const scene = await aScene()
    const [planned, busy] = [
      await scene.aPost({ states: ['scheduled'] }),
      await scene.aPost({ states: [status] }),
    ]
    expect(await scene.remove('cancel')).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
    expect(await statusesOf(scene.workspaceId)).toEqual({ [planned]: 'scheduled', [busy]: status })
    expect(await scene.listed()).toMatchObject([{ enabled: true, connectionStatus: 'connected' }])
    // A thread that was refused for good is over.
    if (status !== 'partially_published') continue
    await db`update destination set expires_at = null, due_at = null where post_id = ${busy}`
    expect(await scene.remove('keep')).toMatchObject({ status: 200 })
  }
})
