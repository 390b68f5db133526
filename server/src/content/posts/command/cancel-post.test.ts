import { Post, type DestinationStatus } from '@postrider/contract'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import {
  anApproval,
  announced,
  aPost,
  aWorkspace,
  snapshotOf,
  type AWorkspace,
} from '../../../../test/rigs/fixtures.ts'
import { hoursAhead, openFileWorld } from '../../../../test/rigs/file-world.ts'

const { world, api } = await openFileWorld()

async function aScene(...states: DestinationStatus[]) {
  const workspace = await aWorkspace(world.db)
  const { postId } = await aPost(world.db, workspace.workspaceId, { states, texts: ['one', 'two'] })
  return { workspace, postId, post: await api.read(workspace, postId) }
}

type Scene = Awaited<ReturnType<typeof aScene>>

const cancel = ({ workspace, postId, post }: Scene, more: object = {}, key?: string) =>
  api.command(workspace, postId, 'cancel', { editToken: post.editToken, ...more }, key)

const eventsOf = async ({ workspaceId }: AWorkspace) =>
  (await announced(world.db, workspaceId)).map(({ type }) => type)

test('every destination that can be cancelled is, once, and the others stay as they are', async () => {
  const scene = await aScene('scheduled', 'published', 'draft', 'delayed', 'failed', 'cancelled')
  const { status, body } = await cancel(scene, {}, 'k')
  expect(status).toBe(200)
  expect(Check(Post, body)).toBe(true)
  expect(body).toEqual(await api.read(scene.workspace, scene.postId))
  expect((body as Post).destinations.map((one) => one.status)).toEqual([
    'cancelled',
    'published',
    'cancelled',
    'cancelled',
    'failed',
    'cancelled',
  ])
  expect((body as Post).destinations[0]!.parts.map((part) => part.status)).toEqual(['skipped', 'skipped'])
  const tokens = (post: Post) => post.destinations.map(({ controlToken }) => controlToken)
  const changed = tokens(body as Post).map((token, place) => token !== tokens(scene.post)[place])
  expect(changed).toEqual([true, false, true, true, false, false])
  expect(await eventsOf(scene.workspace)).toEqual(['post.cancelled', 'post.cancelled', 'post.cancelled'])

  const again = await cancel(scene, {}, 'k')
  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', body])
  expect(await eventsOf(scene.workspace)).toHaveLength(3)
})

test('a cancelled post closes its request for approval', async () => {
  const scene = await aScene('draft', 'draft')
  await anApproval(world.db, scene.workspace.workspaceId, scene.postId)
  expect((await cancel(scene)).body).toMatchObject({
    reviewStatus: 'rejected',
    approval: { status: 'rejected', reason: expect.stringContaining('cancelled') },
  })
})

test.each<[string, DestinationStatus[], object, object]>([
  [
    'when nothing is left to cancel, whatever the token',
    ['published', 'cancelled'],
    { editToken: 'x' },
    { code: 'invalid_state', currentStatus: 'published' },
  ],
  [
    'with a stale token',
    ['scheduled'],
    { editToken: 'x' },
    { code: 'stale_edit_token', currentStatus: 'scheduled' },
  ],
  [
    'with a channel beside the token of the post',
    ['scheduled'],
    { channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11' },
    { code: 'validation_failed', errors: [{ pointer: '/channelId', code: 'not_allowed' }] },
  ],
  [
    'without any token',
    ['scheduled'],
    { editToken: undefined },
    {
      code: 'validation_failed',
      errors: [
        { pointer: '/channelId', code: 'required' },
        { pointer: '/controlToken', code: 'required' },
      ],
    },
  ],
])('it is refused %s, and nothing changes', async (_when, states, more, problem) => {
  const scene = await aScene(...states)
  const before = await snapshotOf(world.db, scene.workspace.workspaceId)
  expect((await cancel(scene, more)).body).toMatchObject(problem)
  expect(await snapshotOf(world.db, scene.workspace.workspaceId)).toEqual(before)
})

test("another workspace's post is not there", async () => {
  const [scene, stranger] = [await aScene('scheduled'), await aWorkspace(world.db)]
  const { editToken } = scene.post
  const answer = await api.command(stranger, scene.postId, 'cancel', { editToken })
  expect(answer.body).toMatchObject({ status: 404, code: 'not_found' })
})

describe('with a time, the edit token moves the post', () => {
  const publishAt = hoursAhead(30)
  const move = ({ workspace, postId, post }: Scene, more: object = {}, key?: string) =>
    api.command(workspace, postId, 'reschedule', { editToken: post.editToken, publishAt, ...more }, key)

  test('what is scheduled moves, once, and what is a draft, has begun or is over stays as it is', async () => {
    const scene = await aScene('scheduled', 'publishing', 'scheduled', 'draft', 'published', 'cancelled')
    const { status, body } = await move(scene, {}, 'k')
    expect(status).toBe(200)
    expect(Check(Post, body)).toBe(true)
    expect(body).toEqual(await api.read(scene.workspace, scene.postId))
    const after = (body as Post).destinations
    expect(after.map((one) => [one.status, one.publishAt === publishAt])).toEqual([
      ['scheduled', true],
      ['publishing', false],
      ['scheduled', true],
      ['draft', false],
      ['published', false],
      ['cancelled', false],
    ])
    for (const place of [0, 2]) {
      expect(after[place]!.controlToken).not.toBe(scene.post.destinations[place]!.controlToken)
      expect(Date.parse(after[place]!.expiresAt!)).toBeGreaterThan(Date.parse(publishAt))
    }
    for (const place of [1, 3, 4, 5]) expect(after[place]).toEqual(scene.post.destinations[place])
    expect(await eventsOf(scene.workspace)).toEqual(['post.scheduled', 'post.scheduled'])

    const again = await move(scene, {}, 'k')
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', body])
    expect(await eventsOf(scene.workspace)).toHaveLength(2)
  })

  test('by a duration, each from its own time', async () => {
    const scene = await aScene('scheduled', 'scheduled', 'draft')
    const { workspace, postId } = scene
    const [first] = scene.post.destinations
    const { controlToken, channelId } = first!
    await api.command(workspace, postId, 'reschedule', { channelId, controlToken, publishAt })
    const before = await api.read(workspace, postId)
    const shift = async (by: string) => {
      const { editToken } = await api.read(workspace, postId)
      return api.command(workspace, postId, 'reschedule', { editToken, shift: by })
    }
    for (const [by, hours] of [
      ['P1DT30M', 24.5],
      ['-PT1H', 23.5],
      ['P1W', 191.5],
    ] as const) {
      expect((await shift(by)).status).toBe(200)
      const after = await api.read(workspace, postId)
      for (const place of [0, 1]) {
        const [was, is] = [before, after].map((post) => Date.parse(post.destinations[place]!.publishAt!))
        expect((is! - was!) / 3_600_000).toBe(hours)
      }
      expect(after.destinations[2]).toEqual(before.destinations[2])
    }
    expect((await shift('-P30D')).body).toMatchObject({ code: 'publish_time_in_past' })
    for (const by of ['P1Y', 'P1M', 'PT0M', 'P', 'PT', '1D', 'P1.5D', '+P1D', 'P99999D'])
      expect((await shift(by)).body).toMatchObject({
        code: 'validation_failed',
        errors: [{ pointer: '/shift' }],
      })
  })

  test('nothing moves where one of the channels is switched off', async () => {
    const scene = await aScene('scheduled', 'scheduled')
    const { channelId } = scene.post.destinations[1]!
    await world.db`update channel set enabled = false where id = ${channelId}`
    const before = await snapshotOf(world.db, scene.workspace.workspaceId)
    expect((await move(scene)).body).toMatchObject({ code: 'channel_unavailable' })
    expect(await snapshotOf(world.db, scene.workspace.workspaceId)).toEqual(before)
  })

  test.each([
    [{ shift: 'P1D', publishAt }, '/shift'],
    [{}, '/publishAt'],
  ])('and is refused with %j', async (times, pointer) => {
    const scene = await aScene('scheduled')
    const { workspace, postId, post } = scene
    const [{ channelId, controlToken } = {}] = post.destinations
    for (const scope of [{ editToken: post.editToken }, { channelId, controlToken }])
      expect((await api.command(workspace, postId, 'reschedule', { ...scope, ...times })).body).toMatchObject(
        { code: 'validation_failed', errors: [{ pointer }] },
      )
    const alone = { channelId, controlToken, shift: 'P1D' }
    expect((await api.command(workspace, postId, 'reschedule', alone)).body).toMatchObject({
      errors: [{ pointer: '/shift', code: 'not_allowed' }],
    })
  })

  const anId = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
  test.each<[string, DestinationStatus[], object, object]>([
    [
      'when nothing is scheduled, whatever the token',
      ['draft', 'published'],
      { editToken: 'x' },
      {
        code: 'invalid_state',
        currentStatus: 'draft',
        allowedStatuses: ['scheduled', 'partially_published'],
      },
    ],
    [
      'with a stale token',
      ['publishing', 'scheduled'],
      { editToken: 'x' },
      { code: 'stale_edit_token', currentStatus: 'publishing' },
    ],
    [
      'with a token that is none',
      ['scheduled'],
      { editToken: 7 },
      { code: 'validation_failed', errors: [{ pointer: '/editToken' }] },
    ],
    [
      'with a channel and its token beside that of the post',
      ['scheduled'],
      { channelId: anId, controlToken: 'x' },
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
      ['scheduled'],
      { editToken: undefined, channelId: anId },
      { code: 'validation_failed', errors: [{ pointer: '/controlToken', code: 'required' }] },
    ],
    [
      'at a time that does not exist',
      ['scheduled'],
      { publishAt: '2027-02-30T09:00:00Z' },
      { code: 'validation_failed', errors: [{ pointer: '/publishAt' }] },
    ],
    [
      'at a time that is past',
      ['scheduled'],
      { publishAt: '2020-01-01T09:00:00Z' },
      { code: 'publish_time_in_past' },
    ],
    [
      'more than two years ahead',
      ['scheduled'],
      { publishAt: hoursAhead(3 * 366 * 24) },
      { code: 'post_not_publishable' },
    ],
  ])('it is refused %s, and nothing changes', async (_when, states, more, problem) => {
    const scene = await aScene(...states)
    const before = await snapshotOf(world.db, scene.workspace.workspaceId)
    expect((await move(scene, more)).body).toMatchObject(problem)
    expect(await snapshotOf(world.db, scene.workspace.workspaceId)).toEqual(before)
  })

  test("another workspace's post is not there", async () => {
    const [scene, workspace] = [await aScene('scheduled'), await aWorkspace(world.db)]
    expect((await move({ ...scene, workspace })).body).toMatchObject({ status: 404, code: 'not_found' })
  })
})
