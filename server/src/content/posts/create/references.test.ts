import { expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aChannel, aWorkspace } from '../../../../test/rigs/fixtures.ts'

/* A reference is the client's own name for a post: a workspace has each once, whatever becomes of keys and of the post. */

const { world, api } = await openFileWorld()

async function aPlace() {
  const workspace = await aWorkspace(world.db)
  const channelIds = [await aChannel(world.db, workspace.workspaceId)]
  const create = (reference: string, key: string, path = '/posts') => {
    const post = { state: 'draft', channelIds, text: key, reference }
    const body = path === '/posts' ? post : { posts: [{ ...post, idempotencyKey: key }] }
    return api.call(workspace, 'POST', path, { confirmed: true, ...body }, path === '/posts' ? key : null)
  }
  const list = async (reference: string) => {
    const { status, body } = await api.call(
      workspace,
      'GET',
      `/posts?reference=${encodeURIComponent(reference)}`,
    )
    expect(status).toBe(200)
    return body.items.map((post: { reference: string }) => post.reference) as string[]
  }
  return { workspace, create, list }
}

test('is that of one post, also once its key is forgotten and the post is cancelled', async () => {
  const { workspace, create } = await aPlace()
  const made = await create('plan/one', 'a')
  expect(made).toMatchObject({ status: 201, body: { reference: 'plan/one', latestChange: null } })
  expect((await create('plan/one', 'a')).headers['idempotent-replayed']).toBe('true')
  await world.db`delete from idempotency_record`
  const { postId, editToken } = made.body
  await api.command(workspace, postId, 'cancel', { editToken }, 'c')
  expect(await create('plan/one', 'a')).toMatchObject({
    status: 409,
    body: { code: 'already_exists', detail: expect.stringContaining(postId) },
  })
  expect((await create('plan/one', 'b', '/posts/batch')).body.results).toMatchObject([
    { status: 409, problem: { code: 'already_exists' } },
  ])
  expect(await (await aPlace()).create('plan/one', 'a')).toMatchObject({ status: 201 })
})

test('is that of one post, however many are created at once', async () => {
  const { create, list } = await aPlace()
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => create('plan/race', `r${n}`)))
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    201,
    ...Array<number>(11).fill(409),
  ])
  expect(await list('plan/race')).toEqual(['plan/race'])
})

test('is found as a whole, or by how it begins', async () => {
  const { create, list } = await aPlace()
  for (const reference of ['plan/a', 'plan/b~2', 'plans/a', 'Plan/a', 'plan%'])
    await create(reference, reference)
  expect(await list('plan/a')).toEqual(['plan/a'])
  expect(await list('plan/*')).toEqual(['plan/b~2', 'plan/a'])
  expect(await list('plan*')).toEqual(['plan%', 'plans/a', 'plan/b~2', 'plan/a'])
  expect(await list('none*')).toEqual([])
})

test('an edit says whose the latest change is', async () => {
  const { workspace, create } = await aPlace()
  const { postId, editToken } = (await create('plan/edited', 'e')).body
  const edited = await api.command(workspace, postId, 'edit', { editToken, content: { text: 'Other' } }, 'x')
  expect(edited.body.latestChange).toMatchObject({ by: { type: 'agent_key' }, fields: ['text'] })
})
