import { destinationStatusNames, noLimits, type ReviewStatus } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { aChannel, anApproval, aPost, aWorkspace, type AWorkspace } from '../../../test/rigs/fixtures.ts'
import { openFileWorld } from '../../../test/rigs/file-world.ts'

const { world, api } = await openFileWorld()

async function list(workspace: AWorkspace, query: Record<string, string>) {
  const { status, body } = await api.call(workspace, 'GET', `/posts?${new URLSearchParams(query).toString()}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return (body.items as { postId: string }[]).map(({ postId }) => postId)
}

async function calendar(workspace: AWorkspace, query: Record<string, string> = {}) {
  const range = { from: '2026-12-01T00:00:00Z', to: '2026-12-31T00:00:00Z' }
  const { status, body } = await api.call(
    ...([workspace, 'GET', `/calendar?${new URLSearchParams({ ...range, ...query }).toString()}`] as const),
  )
  expect({ status, body }).toMatchObject({ status: 200 })
  return (body as { postId: string }[]).map(({ postId }) => postId)
}

const at = (day: number) => new Date(Date.UTC(2026, 11, day, 9))
const iso = (day: number) => at(day).toISOString()

describe('posts', () => {
  test('of each status, by its own name', async () => {
    const workspace = await aWorkspace(world.db)
    const channelIds = [await aChannel(world.db, workspace.workspaceId)]
    const made = new Map<string, string>()
    for (const status of destinationStatusNames) {
      const post = await aPost(world.db, workspace.workspaceId, { states: [status], channelIds })
      made.set(status, post.postId)
    }
    const neighbours: Record<string, string[]> = {
      published: ['partially_published'],
      scheduled: ['delayed'],
    }
    for (const status of destinationStatusNames) {
      const expected = [status, ...(neighbours[status] ?? [])].map((name) => made.get(name))
      expect(new Set(await list(workspace, { status }))).toEqual(new Set(expected))
    }
  })

  test('on one channel, in one status and at a time: one destination has all of it', async () => {
    const workspace = await aWorkspace(world.db)
    const { workspaceId } = workspace
    const [one, two] = [await aChannel(world.db, workspaceId), await aChannel(world.db, workspaceId)]
    const channelIds = [one, two]
    const { postId } = await aPost(world.db, workspaceId, {
      states: ['scheduled', 'failed'],
      channelIds,
      publishAt: at(10),
    })
    const other = await aPost(world.db, workspaceId, { states: ['draft'], channelIds: [one] })

    expect(await list(workspace, { channelId: one })).toEqual([other.postId, postId])
    expect(await list(workspace, { channelId: two })).toEqual([postId])
    expect(await list(workspace, { channelId: one, status: 'scheduled' })).toEqual([postId])
    expect(await list(workspace, { channelId: one, status: 'failed' })).toEqual([])
    expect(await list(workspace, { channelId: two, status: 'failed', from: iso(10), to: iso(11) })).toEqual([
      postId,
    ])
    expect(await list(workspace, { from: iso(10) })).toEqual([postId])
    expect(await list(workspace, { from: iso(11) })).toEqual([])
    expect(await list(workspace, { to: iso(10) })).toEqual([])
    expect(await list(workspace, { to: iso(11) })).toEqual([postId])
    const stranger = await aWorkspace(world.db)
    expect(await list(stranger, { channelId: one })).toEqual([])
  })

  test('by review status, as a read tells it', async () => {
    const workspace = await aWorkspace(world.db)
    const { workspaceId } = workspace
    const channelIds = [await aChannel(world.db, workspaceId)]
    const found: Record<ReviewStatus, string[]> = {
      not_required: [],
      pending: [],
      approved: [],
      rejected: [],
    }
    for (const request of [null, 'pending', 'approved', 'rejected', 'expired', 'superseded'] as const) {
      const { postId } = await aPost(world.db, workspaceId, { channelIds })
      if (request !== null) await anApproval(world.db, workspaceId, postId, request)
      found[(await api.read(workspace, postId)).reviewStatus].unshift(postId)
    }
    for (const [reviewStatus, postIds] of Object.entries(found)) {
      expect(await list(workspace, { reviewStatus })).toEqual(postIds)
    }
    expect(found.rejected).toHaveLength(3)
  })

  test('by author', async () => {
    const workspace = await aWorkspace(world.db)
    const { postId } = await aPost(world.db, workspace.workspaceId)
    expect(await list(workspace, { author: 'test key' })).toEqual([postId])
    expect(await list(workspace, { author: 'test' })).toEqual([])
  })

  test('by the credential that created them, and not by a name that two have', async () => {
    const workspace = await aWorkspace(world.db)
    const { caller, workspaceId } = workspace
    const channelIds = [await aChannel(world.db, workspaceId)]
    const [one, two] = await Promise.all(
      [1, 2].map(async () => {
        const credential = { ...caller.credential, id: crypto.randomUUID() }
        const plan = { confirmed: true, state: 'draft', channelIds, text: 'Hello' }
        const as = { ...workspace, caller: { ...caller, credential } }
        return (await api.call(as, 'POST', '/posts', plan)).body
      }),
    )
    expect(one.createdBy).toEqual({ ...two.createdBy, id: one.createdBy.id })
    expect((await api.read(workspace, one.postId)).createdBy).toEqual(one.createdBy)
    expect(await list(workspace, { createdById: one.createdBy.id })).toEqual([one.postId])
    expect(await list(await aWorkspace(world.db), { createdById: one.createdBy.id })).toEqual([])
  })

  test('that changed since a time, themselves or on a channel, with the tokens of their next command', async () => {
    const workspace = await aWorkspace(world.db)
    const { workspaceId } = workspace
    const posts = await Promise.all(
      [1, 2, 3].map(() => aPost(world.db, workspaceId, { states: ['scheduled'] })),
    )
    const [quiet, edited, moved] = posts.map(({ postId }) => postId)
    await world.db`update post set updated_at = '2026-01-01Z' where workspace_id = ${workspaceId}`
    await world.db`update destination set updated_at = '2026-01-01Z' where workspace_id = ${workspaceId}`
    const updatedSince = '2026-06-01T00:00:00Z'
    expect(await list(workspace, { updatedSince })).toEqual([])

    const { editToken } = await api.read(workspace, edited!)
    await api.command(workspace, edited!, 'edit', { editToken, content: { text: 'Better' } })
    const [{ body: page }] = [await api.call(workspace, 'GET', '/posts')]
    const { destinations } = page.items.find(({ postId }: { postId: string }) => postId === moved)
    const { channelId, controlToken } = destinations[0]
    expect((await api.command(workspace, moved!, 'cancel', { channelId, controlToken })).status).toBe(200)
    expect(new Set(await list(workspace, { updatedSince }))).toEqual(new Set([edited, moved]))
    expect(await list(workspace, { updatedSince: '2026-01-01T00:00:00Z' })).toContain(quiet)
  })

  test.each([
    ['to', '1970-01-01T00:00:00Z', []],
    ['to', '9999-12-31T23:59:59Z', ['planned']],
    ['from', '1970-01-01T00:00:00Z', ['planned']],
    ['from', '9999-12-31T23:59:59Z', []],
  ])('%s %s, however far away that is, with and without other filters', async (end, time, expected) => {
    const workspace = await aWorkspace(world.db)
    const { postId } = await aPost(world.db, workspace.workspaceId, { states: ['scheduled'] })
    const found = expected.map(() => postId)
    for (const more of [{}, { status: 'scheduled' }, { author: 'test key' }, { q: 'Hello' }, { limit: '1' }])
      expect(await list(workspace, { [end]: time, ...more })).toEqual(found)
  })

  test('by the idempotency key of their create, however it was sent', async () => {
    const [workspace, stranger] = [await aWorkspace(world.db), await aWorkspace(world.db)]
    const channelIds = [await aChannel(world.db, workspace.workspaceId)]
    const plan = { confirmed: true, state: 'draft', channelIds, text: 'Hello' }
    const one = await api.call(workspace, 'POST', '/posts', { ...plan, idempotencyKey: 'in-body' })
    const two = await api.call(workspace, 'POST', '/posts', plan, '"in header"'.replace(' ', '-'))
    expect(await list(workspace, { idempotencyKey: 'in-body' })).toEqual([one.body.postId])
    expect(await list(workspace, { idempotencyKey: 'in-header' })).toEqual([two.body.postId])
    expect(await list(workspace, { idempotencyKey: 'in-body', status: 'published' })).toEqual([])
    expect(await list(workspace, { idempotencyKey: 'never' })).toEqual([])
    expect(await list(stranger, { idempotencyKey: 'in-body' })).toEqual([])
  })

  test.each([
    [{ from: '2026-12-02T00:00:00Z', to: '2026-12-01T00:00:00Z' }, '?to'],
    [{ from: '2026-12-02' }, '?from'],
    [{ channelId: 'x' }, '?channelId'],
    [{ status: 'gone' }, '?status'],
    [{ reviewStatus: 'maybe' }, '?reviewStatus'],
    [{ author: '' }, '?author'],
    [{ createdById: 'Ada' }, '?createdById'],
    [{ updatedSince: '2026-12-01' }, '?updatedSince'],
    [{ idempotencyKey: 'a b' }, '?idempotencyKey'],
  ])('are refused to be listed by %j', async (query, pointer) => {
    const workspace = await aWorkspace(world.db)
    const path = `/posts?${new URLSearchParams(query as Record<string, string>).toString()}`
    const { body } = await api.call(workspace, 'GET', path)
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] })
  })

  test('a cursor is good for its filters only', async () => {
    const workspace = await aWorkspace(world.db)
    const channelIds = [await aChannel(world.db, workspace.workspaceId)]
    for (let n = 0; n < 2; n++) await aPost(world.db, workspace.workspaceId, { channelIds })
    const filters = `channelId=${channelIds[0]!}&author=test%20key&limit=1`
    const { body } = await api.call(workspace, 'GET', `/posts?${filters}`)
    const page = await api.call(workspace, 'GET', `/posts?${filters}&cursor=${body.nextCursor}`)
    expect(page.body.items).toHaveLength(1)
    for (const other of ['limit=1', `channelId=${channelIds[0]!}`, `${filters}&reviewStatus=not_required`]) {
      const answer = await api.call(workspace, 'GET', `/posts?${other}&cursor=${body.nextCursor}`)
      expect(answer.body).toMatchObject({ code: 'invalid_cursor' })
    }
  })
})

describe('the calendar', () => {
  test('has the tokens that a read has', async () => {
    const workspace = await aWorkspace(world.db)
    const { postId } = await aPost(world.db, workspace.workspaceId, {
      states: ['scheduled'],
      publishAt: at(10),
    })
    const { editToken, destinations } = await api.read(workspace, postId)
    const { body } = await api.call(
      workspace,
      'GET',
      '/calendar?from=2026-12-01T00:00:00Z&to=2026-12-31T00:00:00Z',
    )
    expect(body).toMatchObject([{ postId, editToken, controlToken: destinations[0]!.controlToken }])
  })

  test('of one channel, in one status, with drafts or without', async () => {
    const workspace = await aWorkspace(world.db)
    const { workspaceId } = workspace
    const [one, two] = [await aChannel(world.db, workspaceId), await aChannel(world.db, workspaceId)]
    const { postId } = await aPost(world.db, workspaceId, {
      states: ['scheduled', 'delayed'],
      channelIds: [one, two],
      publishAt: at(10),
    })
    const draft = await aPost(world.db, workspaceId, { states: ['draft'], channelIds: [one] })
    await world.db`update destination set publish_at = ${at(11)} where post_id = ${draft.postId}`

    expect(await calendar(workspace)).toEqual([postId, postId])
    expect(await calendar(workspace, { channelId: two })).toEqual([postId])
    expect(await calendar(workspace, { status: 'delayed' })).toEqual([postId])
    expect(await calendar(workspace, { status: 'scheduled' })).toEqual([postId, postId])
    expect(await calendar(workspace, { includeDrafts: 'true' })).toEqual([postId, postId, draft.postId])
    expect(await calendar(workspace, { includeDrafts: 'false' })).toEqual([postId, postId])
    expect(await calendar(workspace, { status: 'draft' })).toEqual([draft.postId])
    const range = 'from=2026-12-01T00:00:00Z&to=2026-12-02T00:00:00Z'
    const { body } = await api.call(workspace, 'GET', `/calendar?${range}&includeDrafts=yes`)
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '?includeDrafts' }] })
  })
})

describe('drafts without a time are in no range', () => {
  /** A workspace with so many drafts without a time, one with a time that waits for approval, and one that is scheduled. */
  async function aScene(undated: number) {
    const workspace = await aWorkspace(world.db)
    const { workspaceId } = workspace
    const channelId = await aChannel(world.db, workspaceId)
    const make = async (state: 'draft' | 'scheduled', publishAt: Date, texts = ['Hello']) =>
      aPost(world.db, workspaceId, { states: [state], channelIds: [channelId], publishAt, texts })
    await make('scheduled', at(10))
    const dated = await make('draft', at(11))
    await world.db`update destination set publish_at = ${at(11)} where post_id = ${dated.postId}`
    const drafts: string[] = []
    for (let n = 0; n < undated; n++) drafts.push((await make('draft', at(12))).postId)
    await world.db`update destination set publish_at = null where post_id = any(${drafts}::uuid[])`
    const count = async (query: Record<string, string>, as = workspace) => {
      const { body } = await api.call(as, 'GET', `/posts?${new URLSearchParams(query).toString()}`)
      return body.undatedDrafts as number | undefined
    }
    return { workspace, workspaceId, channelId, drafts, count }
  }
  const range = { from: iso(9), to: iso(13) }

  test('and are counted, by all else that is asked for', async () => {
    const { workspace, workspaceId, drafts, count, channelId } = await aScene(3)
    expect(await count(range)).toBe(3)
    expect(await count({ from: iso(20) })).toBe(3)
    expect(await count({ to: iso(1) })).toBe(3)
    expect(await count({ ...range, status: 'draft' })).toBe(3)
    expect(await count({ ...range, status: 'scheduled' })).toBe(0)
    expect(await count({ ...range, channelId })).toBe(3)
    expect(await count({ ...range, channelId: await aChannel(world.db, workspaceId) })).toBe(0)
    expect(await count({ ...range, q: 'hello' })).toBe(3)
    expect(await count({ ...range, q: 'goodbye' })).toBe(0)
    expect(await count({ ...range, idempotencyKey: 'none' })).toBe(0)
    await api.call(workspace, 'POST', '/posts/labels', {
      confirmed: true,
      postIds: drafts.slice(1),
      add: ['A'],
    })
    expect(await count({ ...range, label: 'a' })).toBe(2)
    const stranger = await aWorkspace(world.db)
    expect(await count(range, stranger)).toBe(0)
    const limits = { ...noLimits, label: 'A' }
    const credential = { ...workspace.caller.credential, limits }
    expect(await count(range, { ...workspace, caller: { ...workspace.caller, credential } })).toBe(2)
  })

  test('up to a hundred, and only beside a range, on its first page', async () => {
    const { workspace, count } = await aScene(101)
    expect(await count(range)).toBe(100)
    expect(await count({})).toBeUndefined()
    expect(await count({ status: 'draft' })).toBeUndefined()
    const wide = { ...range, limit: '1' }
    const { body } = await api.call(workspace, 'GET', `/posts?${new URLSearchParams(wide).toString()}`)
    expect(body).toMatchObject({ undatedDrafts: 100, nextCursor: expect.any(String) })
    expect(await count({ ...wide, cursor: body.nextCursor })).toBeUndefined()
  })

  test('and are not counted where too many posts would have to be read', async () => {
    const { workspaceId, channelId, count } = await aScene(1)
    await world.db`
      with posted as (
        insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
        select ${workspaceId}, gen_random_uuid(), '{"text": "one of many"}', n, 'agent_key', 'test key'
        from   generate_series(1, 21000) n
        returning id
      )
      insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at)
      select ${workspaceId}, gen_random_uuid(), id, ${channelId}, 'sandbox-short', 'draft', id, ${at(20)} from posted`
    expect(await count(range)).toBeUndefined()
    expect(await count({ ...range, status: 'scheduled' })).toBe(0)
  })
})
