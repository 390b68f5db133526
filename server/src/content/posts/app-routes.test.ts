import { afterAll, expect, test } from 'vitest'
import { openFileWorld } from '../../../test/rigs/file-world.ts'
import { aChannel, aPicture, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { aUser, join, openSite } from '../../../test/rigs/people-world.ts'

const { world, api } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())

test('a media item names the posts that carry it, in any part and on any channel, the newest first', async () => {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const channelIds = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const [mediaId, unused] = [await aPicture(db, workspaceId), await aPicture(db, workspaceId)]
  const viewer = await aUser(db, site.app)
  await join(db, workspaceId, viewer, 'viewer')
  const create = async (idempotencyKey: string, content: object) => {
    const plan = { confirmed: true, idempotencyKey, state: 'draft', channelIds, ...content }
    return (await api.call(workspace, 'POST', '/posts', plan)).body.postId as string
  }
  const first = await create('one', { text: 'With a picture', mediaIds: [mediaId] })
  await create('two', { text: 'Without' })
  const second = await create('three', {
    text: 'Later',
    thread: [{ text: 'In a reply', mediaIds: [mediaId] }],
  })

  const uses = (id: string) => viewer.ask(`GET /workspaces/${workspaceId}/media/${id}/posts`)
  expect((await uses(mediaId)).body).toEqual([
    { postId: second, text: 'Later' },
    { postId: first, text: 'With a picture' },
  ])
  expect((await uses(unused)).body).toEqual([])
  const elsewhere = await aWorkspace(db)
  expect((await uses(await aPicture(db, elsewhere.workspaceId))).body).toMatchObject({ code: 'not_found' })
})
