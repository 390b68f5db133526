import type { PostCheck } from '@postrider/contract'
import { expect, test } from 'vitest'
import { aChannel, aPost, aWorkspace, rowCounts } from '../../../../test/rigs/fixtures.ts'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'

const { world, api } = await openFileWorld()
const workspace = await aWorkspace(world.db)

const hours = (n: number) => new Date(Date.now() + n * 3_600_000)

async function check(channelId: string, text: string, publishAt: Date): Promise<PostCheck> {
  const plan = { state: 'scheduled', channelIds: [channelId], text, publishAt: publishAt.toISOString() }
  const answer = await api.call(workspace, 'POST', '/post-checks', plan)
  expect(answer.status).toBe(200)
  return answer.body as PostCheck
}

test('a text that another post says on the channel within a day is a warning, and stays publishable', async () => {
  const channelId = await aChannel(world.db, workspace.workspaceId)
  await aPost(world.db, workspace.workspaceId, {
    states: ['scheduled'],
    texts: ['Twice'],
    channelIds: [channelId],
    publishAt: hours(30),
  })
  const before = await rowCounts(world.db)

  const { ready, issues } = await check(channelId, 'Twice', hours(7))
  expect(ready).toBe(true)
  expect(issues).toMatchObject([{ code: 'text_repeated', severity: 'warning', channelId, pointer: '/text' }])
  expect(await rowCounts(world.db)).toEqual(before)
})

test('a post that is changed is no repetition of itself, and of another post it still is', async () => {
  const channelIds = [await aChannel(world.db, workspace.workspaceId)]
  const options = { states: ['scheduled'] as const, texts: ['Twice'], channelIds, publishAt: hours(7) }
  const { postId } = await aPost(world.db, workspace.workspaceId, options)
  const plan = { state: 'scheduled', channelIds, text: 'Twice', publishAt: hours(7).toISOString(), postId }
  const issues = async () => (await api.call(workspace, 'POST', '/post-checks', plan)).body['issues']
  expect(await issues()).toEqual([])
  await aPost(world.db, workspace.workspaceId, options)
  expect(await issues()).toMatchObject([{ code: 'text_repeated' }])
})

test.each([
  ['says something else', 'Once', 7],
  ['is more than a day away', 'Twice', 55],
])('no warning when the plan %s', async (_what, text, ahead) => {
  const channelId = await aChannel(world.db, workspace.workspaceId)
  const options = {
    states: ['scheduled'] as const,
    texts: ['Twice'],
    channelIds: [channelId],
    publishAt: hours(30),
  }
  await aPost(world.db, workspace.workspaceId, options)
  expect((await check(channelId, text, hours(ahead))).issues).toEqual([])
})

test.each(['draft', 'failed', 'cancelled', 'expired'] as const)(
  'what is %s does not go out, and is no repetition',
  async (status) => {
    const channelId = await aChannel(world.db, workspace.workspaceId)
    await aPost(world.db, workspace.workspaceId, {
      states: [status],
      texts: ['Twice'],
      channelIds: [channelId],
    })
    expect((await check(channelId, 'Twice', hours(1))).issues).toEqual([])
  },
)

test('other channels and other workspaces may say it', async () => {
  const stranger = await aWorkspace(world.db)
  await aPost(world.db, stranger.workspaceId, { states: ['published'], texts: ['Twice'] })
  await aPost(world.db, workspace.workspaceId, { states: ['published'], texts: ['Twice'] })
  const channelId = await aChannel(world.db, workspace.workspaceId)
  expect((await check(channelId, 'Twice', hours(1))).issues).toEqual([])
})
