import {
  type ApprovalPolicy,
  noApprovalPolicy,
  noLimits,
  Post,
  type DestinationStatus,
} from '@postrider/contract'
import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import {
  aChannel,
  anApproval,
  announced,
  aPost,
  type AWorkspace,
  aWorkspace,
  snapshotOf,
} from '../../../../test/rigs/fixtures.ts'
import { hoursAhead, openFileWorld } from '../../../../test/rigs/file-world.ts'

/* A draft gets its time on all of its channels by one command, or on none. */

const { world, api } = await openFileWorld()
const { db } = world

async function aScene(...states: DestinationStatus[]) {
  const workspace = await aWorkspace(db)
  const { postId, destinationIds } = await aPost(db, workspace.workspaceId, { states, texts: ['one', 'two'] })
  const drafts = destinationIds.filter((_, place) => states[place] === 'draft')
  await db`update destination set publish_at = null where id = any(${drafts}::uuid[])`
  return { workspace, postId, post: await api.read(workspace, postId) }
}

type Scene = Awaited<ReturnType<typeof aScene>>

const publishAt = hoursAhead(30)
const schedule = ({ workspace, postId, post }: Scene, more: object = {}, key?: string) =>
  api.command(workspace, postId, 'schedule', { editToken: post.editToken, publishAt, ...more }, key)

const eventsOf = async ({ workspaceId }: AWorkspace) =>
  (await announced(db, workspaceId)).map(({ type }) => type)

test('every draft is scheduled, once, and all else stays as it is', async () => {
  const scene = await aScene('draft', 'scheduled', 'draft', 'cancelled', 'published')
  const { status, body } = await schedule(scene, {}, 'k')
  expect(status).toBe(200)
  expect(Check(Post, body)).toBe(true)
  expect(body).toEqual(await api.read(scene.workspace, scene.postId))
  const after = (body as Post).destinations
  expect(after.map((one) => [one.status, one.publishAt === publishAt])).toEqual([
    ['scheduled', true],
    ['scheduled', false],
    ['scheduled', true],
    ['cancelled', false],
    ['published', false],
  ])
  for (const place of [1, 3, 4]) expect(after[place]).toEqual(scene.post.destinations[place])
  for (const place of [0, 2])
    expect(after[place]!.controlToken).not.toBe(scene.post.destinations[place]!.controlToken)
  expect(body.editToken).not.toBe(scene.post.editToken)
  expect(body.latestChange).toMatchObject({ fields: ['status', 'publishAt'] })
  expect(await eventsOf(scene.workspace)).toEqual(['post.scheduled', 'post.scheduled'])

  const again = await schedule(scene, {}, 'k')
  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', body])
  expect(await eventsOf(scene.workspace)).toHaveLength(2)
})

test('each channel takes a posting time of its own, or none takes one', async () => {
  const scene = await aScene('draft', 'draft')
  const [first, second] = scene.post.destinations.map(({ channelId }) => channelId)
  await db`update channel set posting_times = '{540}' where id = ${first!}`
  const queue = { publishAt: { queue: 'next' } }
  const before = await snapshotOf(db, scene.workspace.workspaceId)
  expect((await schedule(scene, queue)).body).toMatchObject({
    code: 'post_not_publishable',
    issues: [{ code: 'posting_times_missing', pointer: '/publishAt/queue', channelId: second }],
  })
  expect(await snapshotOf(db, scene.workspace.workspaceId)).toEqual(before)
  await db`update channel set posting_times = '{1980}' where id = ${second!}`
  const { body } = await schedule(scene, queue)
  expect(body.destinations).toMatchObject([{ queued: true }, { queued: true }])
  expect(body.destinations[0].publishAt).not.toBe(body.destinations[1].publishAt)
})

test.each<[string, DestinationStatus[], object, object]>([
  [
    'when nothing is a draft, whatever the token',
    ['published', 'scheduled'],
    { editToken: 'x' },
    { code: 'invalid_state', currentStatus: 'scheduled', allowedStatuses: ['draft'] },
  ],
  ['with a stale token', ['draft', 'scheduled'], { editToken: 'x' }, { code: 'stale_edit_token' }],
  [
    'with a channel and its token beside that of the post',
    ['draft'],
    { channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', controlToken: 'x' },
    {
      code: 'validation_failed',
      errors: [
        { pointer: '/channelId', code: 'not_allowed' },
        { pointer: '/controlToken', code: 'not_allowed' },
      ],
    },
  ],
  [
    'with a channel alone',
    ['draft'],
    { editToken: undefined, channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11' },
    { code: 'validation_failed', errors: [{ pointer: '/controlToken', code: 'required' }] },
  ],
  ['without a time', ['draft'], { publishAt: undefined }, { errors: [{ pointer: '/publishAt' }] }],
  ['by a shift', ['draft'], { shift: 'P1D' }, { errors: [{ pointer: '/shift' }] }],
  [
    'at a time that is past',
    ['draft'],
    { publishAt: '2020-01-01T09:00:00Z' },
    { code: 'publish_time_in_past' },
  ],
])('it is refused %s, and nothing changes', async (_when, states, more, problem) => {
  const scene = await aScene(...states)
  const before = await snapshotOf(db, scene.workspace.workspaceId)
  expect((await schedule(scene, more)).body).toMatchObject(problem)
  expect(await snapshotOf(db, scene.workspace.workspaceId)).toEqual(before)
})

test('nothing is scheduled where one of the channels is switched off', async () => {
  const scene = await aScene('draft', 'draft')
  await db`update channel set enabled = false where id = ${scene.post.destinations[1]!.channelId}`
  const before = await snapshotOf(db, scene.workspace.workspaceId)
  expect((await schedule(scene)).body).toMatchObject({ code: 'channel_unavailable' })
  expect(await snapshotOf(db, scene.workspace.workspaceId)).toEqual(before)
})

test('a draft that waits for approval is published by that, and says where', async () => {
  const scene = await aScene('draft', 'draft')
  await anApproval(db, scene.workspace.workspaceId, scene.postId)
  expect((await schedule(scene)).body).toMatchObject({
    code: 'invalid_state',
    currentStatus: 'draft',
    reviewUrl: expect.stringContaining('http'),
  })
})

/** The same workspace by a credential of these limits, for which this policy holds. */
function limited(
  { caller, ...workspace }: AWorkspace,
  limits: object,
  policy: Partial<ApprovalPolicy> = {},
): AWorkspace {
  const credential = {
    ...caller.credential,
    limits: { ...noLimits, ...limits },
    approval: { ...noApprovalPolicy, ...policy },
  }
  return { ...workspace, caller: { ...caller, credential } }
}

test.each<[string, (mine: string) => object]>([
  ['channelIds', (mine) => ({ channelIds: [mine] })],
  ['draftsOnly', () => ({ draftsOnly: true })],
  ['publishWithinHours', () => ({ publishWithinHours: 1 })],
])('a credential does not schedule beyond its %s', async (limit, limits) => {
  const scene = await aScene('draft', 'draft')
  const workspace = limited(scene.workspace, limits(scene.post.destinations[0]!.channelId))
  const before = await snapshotOf(db, workspace.workspaceId)
  expect((await schedule({ ...scene, workspace })).body).toMatchObject({ code: 'credential_limit', limit })
  expect(await snapshotOf(db, workspace.workspaceId)).toEqual(before)
})

test('what a policy has wait stays a draft on all channels, with one request for approval', async () => {
  const scene = await aScene('draft', 'draft')
  const workspace = limited(scene.workspace, {}, { all: true })
  const { status, body } = await schedule({ ...scene, workspace })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    reviewStatus: 'pending',
    destinations: [
      { status: 'draft', publishAt },
      { status: 'draft', publishAt },
    ],
  })
  const [{ requests }] = await db<[{ requests: number }]>`
    select count(*)::int as requests from approval where workspace_id = ${workspace.workspaceId}`
  expect(requests).toBe(1)
})

test("another workspace's post is not there", async () => {
  const [scene, workspace] = [await aScene('draft'), await aWorkspace(db)]
  expect((await schedule({ ...scene, workspace })).body).toMatchObject({ status: 404, code: 'not_found' })
})

test('a post whose other channels are added as drafts is scheduled on these, and keeps its time', async () => {
  const scene = await aScene('scheduled')
  const { workspace, postId, post } = scene
  const channelId = await aChannel(db, workspace.workspaceId)
  const added = await api.command(workspace, postId, 'channels', {
    editToken: post.editToken,
    add: [{ channelId }],
  })
  expect(added.status).toBe(200)
  const { body } = await schedule({ ...scene, post: added.body })
  expect(body.destinations.map((one: any) => [one.status, one.publishAt])).toEqual([
    ['scheduled', post.destinations[0]!.publishAt],
    ['scheduled', publishAt],
  ])
})
