import { type Destination, noApprovalPolicy, noLimits, type Post } from '@postrider/contract'
import { afterAll, expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aChannel, aWorkspace, openTransaction, untilBlocked } from '../../../../test/rigs/fixtures.ts'
import { aUser, join, openSite } from '../../../../test/rigs/people-world.ts'

const { world, api } = await openFileWorld()
const { db } = world
const site = await openSite(db)
afterAll(() => site[Symbol.asyncDispose]())
const workspace = await aWorkspace(db)
const { workspaceId } = workspace
const editor = await aUser(db, site.app)
await join(db, workspaceId, editor, 'editor')

const SOON = '2027-12-01T09:00:00.000Z'
const AN_ID = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
const LATER = '2027-12-02T10:00:00.000Z'

const channels = (count: number) =>
  Promise.all(Array.from({ length: count }, () => aChannel(db, workspaceId)))

async function aPost(plan: object): Promise<Post> {
  const body = { confirmed: true, idempotencyKey: crypto.randomUUID(), ...plan }
  const { status, body: post } = await api.call(workspace, 'POST', '/posts', body)
  expect({ status, post }).toMatchObject({ status: 201 })
  return post as Post
}

const on = (post: Post, channelId: string): Destination =>
  post.destinations.find((one) => one.channelId === channelId)!

/** A channel of a post as a revision names it. */
const named = (post: Post, channelId: string) => ({
  channelId,
  controlToken: on(post, channelId).controlToken,
})

async function revise({ postId, editToken }: Post, change: object) {
  const body = { confirmed: true, editToken, targets: [], ...change }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  return editor.ask(`POST /workspaces/${workspaceId}/posts/${postId}/revise`, body, headers)
}

async function read({ postId }: Post): Promise<Post> {
  return (await api.call(workspace, 'GET', `/posts/${postId}`)).body
}

/** What is published where and when. */
const outcome = (post: Post) =>
  post.destinations.map(({ channelId, status, publishAt, parts }) => [
    channelId,
    status,
    publishAt,
    parts.map(({ text }) => text).join(' / '),
  ])

/** The texts that it is found by. */
const searched = async ({ postId }: Post) => {
  const [row] = await db<{ folded: string[] }[]>`
    select folded from unindexed_post where post_id = ${postId}
    union all select folded from post_search where post_id = ${postId}
    limit  1`
  return row?.folded
}

const eventsOf = async ({ postId }: Post) => {
  const rows = await db<
    { type: string }[]
  >`select type from outbox_event where post_id = ${postId} and destination_id is not null order by seq`
  return rows.map(({ type }) => type)
}

test('text, time and channels change at once, and what is said of each is what became of it', async () => {
  const [a = '', b = '', c = '', d = ''] = await channels(4)
  const post = await aPost({ state: 'scheduled', publishAt: SOON, channelIds: [a, b, c], text: 'Before' })
  const answer = await revise(post, {
    targets: [
      { ...named(post, a), text: 'After', publishAt: LATER },
      { channelId: d, text: 'After', publishAt: LATER },
    ],
    cancel: [named(post, b)],
  })
  expect(answer.status).toBe(200)
  const after = answer.body as Post
  expect(outcome(after)).toEqual(
    expect.arrayContaining([
      [a, 'scheduled', LATER, 'After'],
      [b, 'cancelled', SOON, 'Before'],
      // Named nowhere: as it was.
      [c, 'scheduled', SOON, 'Before'],
      [d, 'scheduled', LATER, 'After'],
    ]),
  )
  expect(after.destinations).toHaveLength(4)
  expect(on(after, d).expiresAt! > LATER).toBe(true)
  // Two channels say the same, and share it; what left keeps what it had.
  expect(after.content).toEqual({ text: 'After' })
  expect([on(after, b).content, on(after, c).content]).toEqual([{ text: 'Before' }, { text: 'Before' }])
  expect((await eventsOf(post)).toSorted((x, y) => x.localeCompare(y))).toEqual([
    'post.cancelled',
    ...Array.from({ length: 5 }, () => 'post.scheduled'),
  ])
})

test('a draft on several channels is scheduled at once', async () => {
  const [a = '', b = ''] = await channels(2)
  const post = await aPost({ state: 'draft', channelIds: [a, b], text: 'Both' })
  const { body } = await revise(post, {
    targets: [a, b].map((id) => ({ ...named(post, id), publishAt: SOON })),
  })
  expect(outcome(body)).toEqual(
    expect.arrayContaining([
      [a, 'scheduled', SOON, 'Both'],
      [b, 'scheduled', SOON, 'Both'],
    ]),
  )
  expect(body.content).toEqual({ text: 'Both' })
})

test('channels that come to say the same share it', async () => {
  const [a = '', b = ''] = await channels(2)
  const targets = [
    { channelId: a, text: 'One' },
    { channelId: b, text: 'Two' },
  ]
  const post = await aPost({ state: 'draft', targets })
  const { body } = await revise(post, { targets: [{ ...named(post, b), text: 'One' }] })
  expect([body.content, ...body.destinations.map(({ content }: Destination) => content)]).toEqual([
    { text: 'One' },
    null,
    null,
  ])
})

test('a post is found by what it says on a channel that is added, and no longer by what it said before', async () => {
  const [a = '', b = ''] = await channels(2)
  const post = await aPost({ state: 'scheduled', publishAt: SOON, channelIds: [a], text: 'Before' })
  expect(await searched(post)).toEqual(['before'])
  const added = await revise(post, { targets: [{ channelId: b, text: 'Added', publishAt: LATER }] })
  expect(await searched(post)).toEqual(['added', 'before'])
  await revise(added.body, { targets: [{ ...named(added.body, a), text: 'After' }] })
  expect(await searched(post)).toEqual(['added', 'after'])
})

test.each<[string, (post: Post, a: string, b: string) => object, object]>([
  [
    'a text that does not fit',
    (post, a) => ({ targets: [{ ...named(post, a), text: 'x'.repeat(281), publishAt: LATER }] }),
    { status: 422, body: { code: 'post_not_publishable' } },
  ],
  [
    'a time that is past',
    (post, a, b) => ({
      targets: [
        { ...named(post, a), text: 'y', publishAt: LATER },
        { ...named(post, b), publishAt: '2020-01-01T00:00:00.000Z' },
      ],
    }),
    { body: { code: 'publish_time_in_past' } },
  ],
  [
    'a channel that changed since',
    (post, a, b) => ({
      targets: [{ ...named(post, a), text: 'y' }],
      cancel: [{ channelId: b, controlToken: 'what it had before' }],
    }),
    { status: 409, body: { code: 'stale_control_token' } },
  ],
  [
    'a channel that the post has already',
    (_post, a) => ({ targets: [{ channelId: a, text: 'again' }] }),
    { body: { code: 'channel_unavailable' } },
  ],
  [
    'a channel of nobody',
    () => ({ targets: [{ channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', text: 'new' }] }),
    { body: { code: 'channel_unavailable' } },
  ],
  [
    'a channel that is named twice',
    (post, a) => ({
      targets: [named(post, a)].map((one) => ({ ...one, text: 'y' })),
      cancel: [named(post, a)],
    }),
    { status: 400, body: { code: 'validation_failed' } },
  ],
  [
    'no channel that is left',
    (post, a, b) => ({ cancel: [named(post, a), named(post, b)] }),
    { status: 400, body: { code: 'validation_failed' } },
  ],
])('%s is refused, and nothing of the rest is done', async (_what, change, refused) => {
  const [a = '', b = ''] = await channels(2)
  const post = await aPost({ state: 'scheduled', publishAt: SOON, channelIds: [a, b], text: 'Before' })
  expect(await revise(post, change(post, a, b))).toMatchObject(refused)
  const { editToken, destinations } = await read(post)
  expect({ editToken, destinations }).toEqual({ editToken: post.editToken, destinations: post.destinations })
})

test('what somebody edited meanwhile is not written over, and what is over cannot be revised', async () => {
  const [a = ''] = await channels(1)
  const post = await aPost({ state: 'draft', channelIds: [a], text: 'Before' })
  const change = { targets: [{ ...named(post, a), text: 'Mine' }] }
  expect((await revise({ ...post, editToken: 'an older one' }, change)).body).toMatchObject({
    code: 'stale_edit_token',
  })
  await api.call(workspace, 'POST', `/posts/${post.postId}/cancel`, { confirmed: true, ...named(post, a) })
  const over = await read(post)
  expect((await revise(over, { targets: [{ channelId: a, text: 'x' }] })).body).toMatchObject({
    code: 'invalid_state',
  })
})

test('a channel that was cancelled does not come back', async () => {
  const [a = '', b = ''] = await channels(2)
  const post = await aPost({ state: 'scheduled', publishAt: SOON, channelIds: [a, b], text: 'Before' })
  const { body } = await revise(post, { cancel: [named(post, b)] })
  expect((await revise(body, { targets: [{ channelId: b, text: 'Again' }] })).body).toMatchObject({
    code: 'channel_unavailable',
  })
})

test('what waits for approval waits with its new content, time and channels', async () => {
  const [a = '', b = ''] = await channels(2)
  const post = await aPost({ state: 'immediate', channelIds: [a], text: 'Before' })
  const { body } = await revise(post, {
    targets: [
      { ...named(post, a), text: 'After', publishAt: SOON },
      { channelId: b, text: 'After', publishAt: SOON },
    ],
  })
  expect(body.reviewStatus).toBe('pending')
  expect(outcome(body)).toEqual(
    expect.arrayContaining([
      [a, 'draft', SOON, 'After'],
      [b, 'draft', SOON, 'After'],
    ]),
  )
  const { body: requests } = await editor.ask(`GET /workspaces/${workspaceId}/approvals`)
  const [{ approvalId }] = requests.filter(({ postId }: Post) => postId === post.postId)
  const request = await editor.ask(`GET /workspaces/${workspaceId}/approvals/${approvalId}`)
  expect(request.body.unchanged).toBe(true)
  expect(request.body.destinations).toMatchObject(
    [a, b].map((channelId) => ({ channelId, publishAt: SOON, parts: [{ text: 'After' }] })),
  )
})

/** What an agent is answered that changes the channels of a post. */
const change = async ({ postId, editToken }: Post, asked: object, as = workspace) =>
  (await api.call(as, 'POST', `/posts/${postId}/channels`, { confirmed: true, editToken, ...asked })).body

test('an agent adds channels with what the post shares, or with their own, and removes others', async () => {
  const [a = '', b = '', c = '', d = ''] = await channels(4)
  const thread = [{ text: 'More' }]
  const post = await aPost({
    state: 'scheduled',
    publishAt: SOON,
    channelIds: [a, b],
    text: 'Shared',
    thread,
  })
  const after = await change(post, {
    add: [{ channelId: c }, { channelId: d, text: 'Own', thread: [], publishAt: LATER }],
    remove: [b],
  })
  expect(outcome(after)).toEqual(
    expect.arrayContaining([
      [a, 'scheduled', SOON, 'Shared / More'],
      [b, 'cancelled', SOON, 'Shared / More'],
      [c, 'draft', null, 'Shared / More'],
      [d, 'scheduled', LATER, 'Own'],
    ]),
  )
  expect([after.content, on(after, c).content]).toEqual([{ text: 'Shared', thread }, null])
  // Whoever comes with the token of before learns what changed.
  expect(await change(post, { remove: [a] })).toMatchObject({
    code: 'stale_edit_token',
    changed: ['channels'],
  })
})

test.each<[string, (a: string, b: string) => object, object]>([
  ['nothing', () => ({}), { code: 'validation_failed', errors: [{ pointer: '/add' }] }],
  ['an empty list', () => ({ add: [] }), { code: 'validation_failed', errors: [{ pointer: '/add' }] }],
  [
    'a channel that it has',
    (a) => ({ add: [{ channelId: a }] }),
    { errors: [{ pointer: '/add/0/channelId' }] },
  ],
  [
    'one that it has not',
    () => ({ remove: [AN_ID] }),
    { code: 'channel_unavailable', errors: [{ pointer: '/remove/0' }] },
  ],
  ['one of nobody', () => ({ add: [{ channelId: AN_ID }] }), { code: 'channel_unavailable' }],
  [
    'all that it has',
    (a, b) => ({ remove: [a, b] }),
    { code: 'validation_failed', errors: [{ pointer: '/add' }] },
  ],
  [
    'one twice',
    () => ({ add: [{ channelId: AN_ID }], remove: [AN_ID] }),
    { errors: [{ code: 'duplicate' }] },
  ],
  ['a field of another command', (a) => ({ remove: [a], cancel: [] }), { code: 'validation_failed' }],
])('an agent that adds or removes %s is refused', async (_, asked, refused) => {
  const [a = '', b = ''] = await channels(2)
  const post = await aPost({ state: 'scheduled', publishAt: SOON, channelIds: [a, b], text: 'Before' })
  expect(await change(post, asked(a, b))).toMatchObject(refused)
  expect((await read(post)).editToken).toBe(post.editToken)
})

test('no channel is added once one has begun, not even while a publisher takes it', async () => {
  const [a = '', b = ''] = await channels(2)
  const post = await aPost({ state: 'scheduled', publishAt: SOON, channelIds: [a], text: 'Before' })
  const claiming = await openTransaction(db)
  await claiming.tx`
    update destination set status = 'publishing', fence = fence + 1, lease_until = now() + interval '1 minute'
    where  workspace_id = ${workspaceId} and post_id = ${post.postId}`
  const asking = change(post, { add: [{ channelId: b }] })
  await untilBlocked(db)
  await claiming.commit()
  expect(await asking).toMatchObject({ code: 'invalid_state', currentStatus: 'publishing' })
  expect((await read(post)).destinations).toHaveLength(1)
})

test('a policy and the limits of a credential hold for channels that are added', async () => {
  const [a = '', b = '', c = ''] = await channels(3)
  const as = (more: object) => {
    const credential = { ...workspace.caller.credential, id: crypto.randomUUID(), ...more }
    return { ...workspace, caller: { ...workspace.caller, credential } }
  }
  const post = await aPost({ state: 'draft', channelIds: [a], text: 'Before' })
  const add = [{ channelId: b }]
  const drafts = as({ limits: { ...noLimits, draftsOnly: true } })
  const timed = [{ channelId: b, publishAt: SOON }]
  expect(await change(post, { add: timed }, drafts)).toMatchObject({ code: 'credential_limit' })
  const elsewhere = as({ limits: { ...noLimits, channelIds: [a] } })
  expect(await change(post, { add }, elsewhere)).toMatchObject({ code: 'credential_limit' })
  const near = as({ limits: { ...noLimits, publishWithinHours: 24 } })
  expect(await change(post, { add: timed }, near)).toMatchObject({ code: 'credential_limit' })

  const added = await change(post, { add }, drafts)
  expect(added).toMatchObject({ reviewStatus: 'not_required' })
  const watched = as({ approval: { ...noApprovalPolicy, all: true } })
  const asked = await change(added, { add: [{ channelId: c, publishAt: SOON }] }, watched)
  expect(asked).toMatchObject({ reviewStatus: 'pending' })
  expect(outcome(asked)).toContainEqual([c, 'draft', SOON, 'Before'])
  // What is taken away was seen, and needs nobody again.
  const less = await change(asked, { remove: [b] }, watched)
  expect(less.approval.reviewUrl).toBe(asked.approval.reviewUrl)
})
