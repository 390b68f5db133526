import type { Permission, Post } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { aChannel, aPicture, aPost, aWorkspace, type AWorkspace } from '../../../test/rigs/fixtures.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'

const { world, api } = await openFileWorld()

const later = () => new Date(Date.now() + 7_200_000).toISOString()

/** The same workspace, by a key that may do only this. */
function restricted(workspace: AWorkspace, permissions: readonly Permission[]): AWorkspace {
  const credential = { ...workspace.caller.credential, permissions }
  return { ...workspace, caller: { ...workspace.caller, credential } }
}

describe('a key without `media:read`', () => {
  test('sees no details of media, in whatever answer a post comes', async () => {
    const workspace = await aWorkspace(world.db)
    const writer = restricted(workspace, ['posts:read', 'posts:write'])
    const channelId = await aChannel(world.db, workspace.workspaceId)
    const mediaId = await aPicture(world.db, workspace.workspaceId)
    const plan = { state: 'draft', channelIds: [channelId], text: 'Look', mediaIds: [mediaId] }
    const body = { confirmed: true, idempotencyKey: crypto.randomUUID(), ...plan }

    const created = (await api.call(writer, 'POST', '/posts', body)).body as Post
    expect(created).toMatchObject({ content: { mediaIds: [mediaId] }, media: [] })
    expect(await api.read(writer, created.postId)).toEqual(created)
    const change = { editToken: created.editToken, content: { text: 'Look here' } }
    const edited = await api.command(writer, created.postId, 'edit', change)
    expect(edited.body).toMatchObject({ content: { text: 'Look here', mediaIds: [mediaId] }, media: [] })

    expect((await api.read(workspace, created.postId)).media).toMatchObject([{ mediaId, altText: 'A gate' }])
  })
})

describe('an answer that is repeated', () => {
  test('shows media to those alone who may read it by then', async () => {
    const workspace = await aWorkspace(world.db)
    const writer = restricted(workspace, ['posts:read', 'posts:write'])
    const channelId = await aChannel(world.db, workspace.workspaceId)
    const mediaId = await aPicture(world.db, workspace.workspaceId)
    const plan = { state: 'draft', channelIds: [channelId], text: 'Look', mediaIds: [mediaId] }
    const body = { confirmed: true, idempotencyKey: crypto.randomUUID(), ...plan }
    const create = async (by: AWorkspace) => (await api.call(by, 'POST', '/posts', body)).body as Post

    const created = await create(workspace)
    expect(created.media).toMatchObject([{ mediaId }])
    expect(await create(writer)).toEqual({ ...created, media: [] })
    expect(await create(workspace)).toEqual(created)
  })

  test.each([
    ['reschedule', { publishAt: later() }],
    ['cancel', {}],
  ] as const)('does so after the %s of a whole post', async (name, more) => {
    const workspace = await aWorkspace(world.db)
    const writer = restricted(workspace, ['posts:read', 'posts:write'])
    const channelId = await aChannel(world.db, workspace.workspaceId)
    const mediaId = await aPicture(world.db, workspace.workspaceId)
    const plan = { state: 'scheduled', publishAt: later(), channelIds: [channelId], text: 'Look' }
    const body = { confirmed: true, ...plan, mediaIds: [mediaId] }
    const { postId, editToken } = (await api.call(workspace, 'POST', '/posts', body)).body as Post
    const command = async (by: AWorkspace) =>
      (await api.command(by, postId, name, { editToken, ...more }, 'shared')).body

    const answered = await command(workspace)
    expect(answered.media).toMatchObject([{ mediaId }])
    expect(await command(writer)).toEqual({ ...answered, media: [] })
  })
})

describe('`allowedActions` says what the command would answer', () => {
  test.each([
    ['draft', 'schedule'],
    ['scheduled', 'reschedule'],
    ['failed', 'retry'],
  ] as const)('of a %s destination on a disabled channel: no %s', async (status, command) => {
    const workspace = await aWorkspace(world.db)
    const { postId } = await aPost(world.db, workspace.workspaceId, { states: [status] })
    await world.db`update channel set enabled = false where workspace_id = ${workspace.workspaceId}`
    const [destination] = (await api.read(workspace, postId)).destinations
    const { channelId, controlToken, allowedActions } = destination!

    const body = { channelId, controlToken, publishAt: later() }
    const answer = await api.command(workspace, postId, command, body)
    expect(answer.body).toMatchObject({ code: 'channel_unavailable', detail: allowedActions[command].reason })
    expect(allowedActions[command].allowed).toBe(false)
    expect(allowedActions.cancel.allowed).toBe(status !== 'failed')
  })

  test('of a channel to reconnect: what is due waits for it', async () => {
    const workspace = await aWorkspace(world.db)
    const { postId } = await aPost(world.db, workspace.workspaceId)
    await world.db`
      update channel set connection_status = 'reconnect_required' where workspace_id = ${workspace.workspaceId}`
    const [destination] = (await api.read(workspace, postId)).destinations
    const { channelId, controlToken, allowedActions } = destination!
    expect(allowedActions.schedule).toEqual({ allowed: true, reason: null })
    const body = { channelId, controlToken, publishAt: later() }
    expect((await api.command(workspace, postId, 'schedule', body)).status).toBe(200)
  })

  test('to a key that may only read: nothing', async () => {
    const workspace = await aWorkspace(world.db)
    const { postId } = await aPost(world.db, workspace.workspaceId)
    const reader = restricted(workspace, ['posts:read'])
    const [destination] = (await api.read(reader, postId)).destinations
    for (const action of Object.values(destination!.allowedActions)) {
      expect(action).toEqual({ allowed: false, reason: 'This needs the permission `posts:write`.' })
    }
  })
})
