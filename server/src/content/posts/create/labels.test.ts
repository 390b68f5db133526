import { type CredentialLimits, type DestinationStatus, noLimits } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { hoursAhead, openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aChannel, anApproval, aPost, aWorkspace, type AWorkspace } from '../../../../test/rigs/fixtures.ts'

/* Labels of posts: by what they are found, what a key can be limited to, and what became of the posts that have one. */

const { world, api, changingNothing } = await openFileWorld()
const { db } = world

/** The same workspace, asked by a key that is limited. */
function limitedTo({ caller, ...workspace }: AWorkspace, limits: Partial<CredentialLimits>): AWorkspace {
  const credential = { ...caller.credential, limits: { ...noLimits, ...limits } }
  return { ...workspace, caller: { ...caller, credential } }
}

async function aPlace() {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const channelId = await aChannel(db, workspaceId)
  const create = (labels: string[] | undefined, more: object = {}, as = workspace) =>
    api.call(as, 'POST', '/posts', {
      confirmed: true,
      idempotencyKey: crypto.randomUUID(),
      state: 'draft',
      channelIds: [channelId],
      text: 'Hello',
      ...(labels === undefined ? {} : { labels }),
      ...more,
    })
  const label = (postIds: string[], change: object, as = workspace) =>
    api.call(as, 'POST', '/posts/labels', { confirmed: true, postIds, ...change })
  const read = async (path: string, as = workspace) => (await api.call(as, 'GET', path)).body
  return { workspace, workspaceId, channelId, create, label, read }
}
const idsOf = (posts: { postId: string }[]) => posts.map(({ postId }) => postId)

describe('a post', () => {
  test('has the labels that it was created with, each once whatever its case', async () => {
    const { create, read } = await aPlace()
    const made = await create([' Spring ', 'SPRING', 'Cafe\u0301', 'Zażółć'])
    expect(made).toMatchObject({ status: 201, body: { labels: ['Spring', 'Café', 'Zażółć'] } })
    expect((await read(`/posts/${made.body.postId}`)).labels).toEqual(['Spring', 'Café', 'Zażółć'])
    expect(await read('/labels')).toEqual({ labels: ['Café', 'Spring', 'Zażółć'] })
    expect((await create(undefined)).body.labels).toEqual([])
  })

  test.each<[string, object, string]>([
    ['an empty label', { labels: [' '] }, '/labels/0'],
    ['a label of 51 characters', { labels: ['x'.repeat(51)] }, '/labels/0'],
    ['a label with a line break', { labels: ['a\nb'] }, '/labels/0'],
    ['more than 20 labels', { labels: Array.from({ length: 21 }, (_, n) => `l${n}`) }, '/labels'],
  ])('is refused with %s, with its place', async (_, more, pointer) => {
    const { workspace, create } = await aPlace()
    const answer = await changingNothing(workspace, () => create(undefined, more))
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
  })

  test('keeps as sent what would be longer composed than a label may be, and gives it up by its name', async () => {
    const { create, label, read } = await aPlace()
    const sent = '\uFB2C'.repeat(50)
    const made = await create([sent])
    expect(made).toMatchObject({ status: 201, body: { labels: [sent] } })
    const { postId } = made.body
    for (const name of [sent, '\uFB2C'])
      expect(idsOf((await read(`/posts?label=${encodeURIComponent(name)}`)).items)).toEqual(
        name === sent ? [postId] : [],
      )
    const [shown] = (await read('/labels')).labels
    expect((await label([postId], { remove: [shown] })).body).toEqual({ posts: [{ postId, labels: [] }] })
  })

  test('is found by a label in the list, the calendar and the feed, whatever the case', async () => {
    const { workspaceId, create, read } = await aPlace()
    const time = { state: 'scheduled', publishAt: hoursAhead(3) }
    const spring = (await create(['Spring'], time)).body.postId
    const both = (await create(['spring', 'Rare'], time)).body.postId
    await create([], time)
    expect(idsOf((await read('/posts?label=SPRING')).items)).toEqual([both, spring])
    expect(idsOf((await read('/posts?label=rare&status=scheduled&q=hello')).items)).toEqual([both])
    expect((await read('/posts?label=none')).items).toEqual([])
    const range = `from=${hoursAhead(1)}&to=${hoursAhead(6)}`
    const calendar = await read(`/calendar?${range}&label=Spring`)
    expect(
      calendar.map(({ postId, labels }: { postId: string; labels: string[] }) => [postId, labels]),
    ).toEqual([
      [spring, ['Spring']],
      [both, ['spring', 'Rare']],
    ])
    const { items } = await read('/events?label=rare')
    expect(items.map((event: { data: { post: { postId: string } } }) => event.data.post.postId)).toEqual([
      both,
    ])
    // The first page of a list that goes on keeps its filter.
    const page = await read('/posts?label=spring&limit=1')
    const next = await read(`/posts?label=spring&limit=1&cursor=${page.nextCursor}`)
    expect(idsOf([...page.items, ...next.items])).toEqual([both, spring])
    const other = `/posts?label=rare&limit=1&cursor=${page.nextCursor}`
    expect(await read(other)).toMatchObject({ code: 'invalid_cursor' })
    expect(workspaceId).toBeTruthy()
  })
})

describe('labels are added and removed', () => {
  test('of posts in any status, and what was approved stays approved', async () => {
    const { workspace, workspaceId, channelId, label, read } = await aPlace()
    const made = await Promise.all(
      (['published', 'scheduled', 'checking', 'cancelled'] as const).map((state) =>
        aPost(db, workspaceId, { states: [state], channelIds: [channelId] }),
      ),
    )
    const ids = idsOf(made)
    await anApproval(db, workspaceId, ids[1]!, 'approved')
    const before = await read(`/posts/${ids[1]}`)
    const answer = await label(ids, { add: ['Spring', 'x'], remove: ['y'] })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body.posts).toEqual(ids.map((postId) => ({ postId, labels: ['Spring', 'x'] })))
    const after = await read(`/posts/${ids[1]}`)
    expect(after).toMatchObject({ ...before, labels: ['Spring', 'x'], updatedAt: expect.anything() })
    expect(after.reviewStatus).toBe('approved')
    expect((await label(ids, { remove: ['SPRING', 'X'] })).body.posts[0].labels).toEqual([])
    expect(await read('/labels')).toEqual({ labels: [] })
    const { items } = await read(`/events?type=post.edited&postId=${ids[0]}`)
    expect(items.map((event: { data: { changed: string[] } }) => event.data.changed)).toEqual([
      ['labels'],
      ['labels'],
    ])
    // What changes nothing tells nobody.
    await label(ids, { remove: ['Spring'] })
    expect((await read(`/events?type=post.edited&postId=${ids[0]}`)).items).toHaveLength(2)
    expect(workspace.workspaceId).toBe(workspaceId)
  })

  test('by many at once: each has what it asked for', async () => {
    const { create, label, read } = await aPlace()
    const { postId } = (await create(['kept'])).body
    const names = Array.from({ length: 12 }, (_, n) => `l${n}`)
    const answers = await Promise.all(names.map((name) => label([postId], { add: [name] })))
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    expect((await read(`/posts/${postId}`)).labels.toSorted()).toEqual(['kept', ...names].toSorted())
  })

  test.each<[string, (postId: string) => object, object]>([
    ['nothing to do', (id) => ({ postIds: [id] }), { status: 400, body: { errors: [{ pointer: '/add' }] } }],
    [
      'one unknown post among others',
      (id) => ({ postIds: [id, crypto.randomUUID()], add: ['a'] }),
      { status: 404, body: { errors: [{ pointer: '/postIds/1' }] } },
    ],
    [
      'too many labels for one of them',
      (id) => ({ postIds: [id], add: Array.from({ length: 20 }, (_, n) => `n${n}`) }),
      { status: 400, body: { errors: [{ pointer: '/postIds/0', code: 'out_of_range' }] } },
    ],
  ])('of no post with %s', async (_, body, refused) => {
    const { workspace, create, label } = await aPlace()
    const { postId } = (await create(['own'])).body
    const { postIds, ...change } = body(postId) as { postIds: string[] }
    expect(await changingNothing(workspace, () => label(postIds, change))).toMatchObject(refused)
  })
})

describe('a key that is limited to a label', () => {
  async function limited() {
    const place = await aPlace()
    const agent = limitedTo(place.workspace, { label: 'Spring' })
    const time = { state: 'scheduled', publishAt: hoursAhead(3) }
    const own = (await place.create(['spring', 'Own'], time)).body
    const foreign = (await place.create(['autumn', 'Foreign'], time)).body
    return { ...place, agent, own, foreign, time }
  }

  test('creates only what has it, alone and in a batch, and a check says so before', async () => {
    const { workspace, agent, create, channelId } = await limited()
    const refused = { status: 403, body: { code: 'credential_limit', limit: 'label' } }
    for (const labels of [undefined, ['autumn']])
      expect(await changingNothing(workspace, () => create(labels, {}, agent))).toMatchObject(refused)
    expect(await create(['SPRING'], {}, agent)).toMatchObject({ status: 201 })
    const plan = { state: 'draft', channelIds: [channelId], text: 'Hello' }
    const check = (await api.call(agent, 'POST', '/post-checks', plan)).body
    expect(check).toMatchObject({ ready: false })
    expect(check.issues[0]).toMatchObject({ code: 'credential_limit', pointer: '/labels' })
    const labelled = { ...plan, labels: ['spring'] }
    expect((await api.call(agent, 'POST', '/post-checks', labelled)).body).toMatchObject({ ready: true })
    const posts = [plan, labelled].map((post, n) => ({
      ...post,
      idempotencyKey: `row ${n}`.replace(' ', '-'),
    }))
    const { body } = await api.call(agent, 'POST', '/posts/batch', { confirmed: true, posts }, null)
    expect(body.results).toMatchObject([{ status: 403 }, { status: 201 }])
    expect((await api.call(agent, 'GET', '/me')).body.credential.limits.label).toBe('Spring')
  })

  test('sees only what has it', async () => {
    const { agent, own, foreign, read } = await limited()
    expect(idsOf((await read('/posts', agent)).items)).toEqual([own.postId])
    expect((await read('/posts?label=autumn', agent)).items).toEqual([])
    expect((await read('/posts?q=hello', agent)).items).toHaveLength(1)
    expect(idsOf((await read('/posts?status=scheduled', agent)).items)).toEqual([own.postId])
    const range = `from=${hoursAhead(1)}&to=${hoursAhead(6)}`
    expect(idsOf(await read(`/calendar?${range}`, agent))).toEqual([own.postId])
    expect(await read(`/posts/${foreign.postId}`, agent)).toMatchObject({ code: 'not_found' })
    const { items } = await read('/events', agent)
    expect(items.map((event: { data: { post: { postId: string } } }) => event.data.post.postId)).toEqual([
      own.postId,
    ])
    expect(await read('/labels', agent)).toEqual({ labels: ['Own', 'spring'] })
    expect(await read('/labels/results?label=autumn', agent)).toMatchObject({ posts: 0, statuses: {} })
  })

  test('is not told which post has a reference that it does not see', async () => {
    const { create, agent } = await limited()
    const { postId } = (await create(['autumn'], { reference: 'a' })).body
    const taken = async (as?: AWorkspace) => (await create(['spring'], { reference: 'a' }, as)).body
    expect(await taken()).toMatchObject({ code: 'already_exists', detail: expect.stringContaining(postId) })
    expect(await taken(agent)).toMatchObject({
      code: 'already_exists',
      detail: 'The reference `a` belongs to another post. Choose another reference.',
    })
  })

  test('changes nothing else, and does not take its label away', async () => {
    const { workspace, agent, own, foreign, channelId, label } = await limited()
    const { editToken, destinations } = foreign
    const on = { channelId, controlToken: destinations[0].controlToken }
    const missing = { status: 404, body: { code: 'not_found' } }
    const commands = [
      ['edit', { editToken, content: { text: 'Changed' } }],
      ['reschedule', { ...on, publishAt: hoursAhead(9) }],
      ['cancel', on],
      ['cancel', { editToken }],
      ['channels', { editToken, remove: [channelId] }],
    ] as const
    for (const [verb, body] of commands) {
      const asked = () => api.command(agent, foreign.postId, verb, body, crypto.randomUUID())
      expect(await changingNothing(workspace, asked)).toMatchObject(missing)
    }
    const add = () => label([foreign.postId], { add: ['spring'] }, agent)
    expect(await changingNothing(workspace, add)).toMatchObject(missing)
    const remove = () => label([own.postId], { remove: ['Spring'] }, agent)
    expect(await changingNothing(workspace, remove)).toMatchObject({
      status: 403,
      body: { code: 'credential_limit', limit: 'label' },
    })
    expect(await label([own.postId], { add: ['more'], remove: ['own'] }, agent)).toMatchObject({
      status: 200,
    })
    const edit = { editToken: own.editToken, content: { text: 'Changed' } }
    expect(await api.command(agent, own.postId, 'edit', edit, 'e')).toMatchObject({ status: 200 })
  })
})

test('the results of a label count its posts by status and channel', async () => {
  const { workspace, workspaceId, channelId, label, read } = await aPlace()
  const other = await aChannel(db, workspaceId)
  const states = ['published', 'published', 'failed', 'scheduled', 'draft'] as const
  const made = []
  for (const state of states)
    made.push(await aPost(db, workspaceId, { states: [state, state], channelIds: [channelId, other] }))
  await aPost(db, workspaceId, { states: ['failed'], channelIds: [channelId] })
  await label(idsOf(made), { add: ['Spring sale'] })
  const statuses = { published: 2, failed: 1, scheduled: 1, draft: 1 }
  const results = await read('/labels/results?label=spring%20SALE')
  expect(results).toMatchObject({
    label: 'Spring sale',
    posts: 5,
    statuses: { published: 4, failed: 2, scheduled: 2, draft: 2 },
    firstPublishedAt: expect.any(String),
    lastPublishedAt: expect.any(String),
    nextPublishAt: expect.any(String),
  })
  const byChannel = Object.fromEntries(
    results.channels.map((one: { channelId: string; statuses: object }) => [one.channelId, one.statuses]),
  )
  expect(byChannel).toEqual({ [channelId]: statuses, [other]: statuses })
  expect(idsOf(results.troubled)).toEqual([made[2]!.postId, made[2]!.postId])
  const narrowed = limitedTo(workspace, { channelIds: [other] })
  expect(await read('/labels/results?label=spring%20sale', narrowed)).toMatchObject({ statuses })
  expect(await read('/labels/results?label=none')).toMatchObject({ label: 'none', posts: 0, channels: [] })
})

test('the results of a label in a range count by the time of publication, and the range before beside them', async () => {
  const { workspaceId, channelId, label, read } = await aPlace()
  const other = await aChannel(db, workspaceId)
  const day = (n: number) => new Date(Date.UTC(2027, 0, n, 9))
  const post = async (states: DestinationStatus[], { at, out }: { at: Date | null; out?: Date }) => {
    const made = await aPost(db, workspaceId, {
      states,
      channelIds: [channelId, other].slice(0, states.length),
    })
    await db`
      update destination set publish_at = ${at}, published_at = case when status = 'published' then ${out ?? at}::timestamptz end
      where  workspace_id = ${workspaceId} and post_id = ${made.postId}`
    return made
  }
  const made = [
    await post(['published', 'failed'], { at: day(11) }),
    await post(['scheduled'], { at: day(19) }),
    // Planned before the range, and published in it.
    await post(['published'], { at: day(10), out: day(12) }),
    await post(['published'], { at: day(1) }),
    await post(['failed'], { at: day(9) }),
    await post(['draft'], { at: null }),
    await post(['published'], { at: day(20) }),
    await post(['published'], { at: new Date(day(1).getTime() - 1) }),
  ]
  await label(idsOf(made), { add: ['Sale'] })
  const [from, to] = [day(10).toISOString(), day(20).toISOString()]
  expect(await read(`/labels/results?label=sale&from=${from}&to=${to}`)).toMatchObject({
    posts: 3,
    statuses: { published: 2, failed: 1, scheduled: 1 },
    firstPublishedAt: day(11).toISOString(),
    lastPublishedAt: day(12).toISOString(),
    nextPublishAt: day(19).toISOString(),
    before: { from: day(0).toISOString(), to: from, posts: 3, statuses: { published: 2, failed: 1 } },
    troubled: [{ postId: made[0]!.postId, channelId: other }],
  })
  const refused = async (query: string) => (await read(`/labels/results?label=sale&${query}`)).errors
  expect(await refused(`from=${from}`)).toMatchObject([{ pointer: '?to', code: 'required' }])
  expect(await refused(`to=${to}`)).toMatchObject([{ pointer: '?from', code: 'required' }])
  expect(await refused(`from=${to}&to=${from}`)).toMatchObject([{ pointer: '?to', code: 'out_of_range' }])
  expect(await refused(`from=${from}&to=2030-01-01T00:00:00Z`)).toMatchObject([{ code: 'out_of_range' }])
})
