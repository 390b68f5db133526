import { type CredentialLimits, noLimits } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import {
  aChannel,
  aPost,
  type AWorkspace,
  aWorkspace,
  announced,
  snapshotOf,
} from '../../../../test/rigs/fixtures.ts'

const { world, api } = await openFileWorld()
const { db } = world

/** A workspace, somebody in it with these limits, and their key to two channels. */
async function aLimited(limits: (channelIds: [string, string]) => Partial<CredentialLimits>) {
  const workspace = await aWorkspace(db)
  const { workspaceId, caller } = workspace
  const channelIds: [string, string] = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const credential = { ...caller.credential, limits: { ...noLimits, ...limits(channelIds) } }
  const limited: AWorkspace = { ...workspace, caller: { ...caller, credential } }
  return { limited, free: workspace, workspaceId, mine: channelIds[0], other: channelIds[1] }
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const draft = (...channelIds: string[]) => ({ confirmed: true, state: 'draft', channelIds, text: 'Hello' })
const scheduled = (hours: number, ...channelIds: string[]) => ({
  ...draft(...channelIds),
  state: 'scheduled',
  publishAt: inHours(hours),
})

/** The edge knows credentials by their workspace: whoever asks last is who asks. */
const create = (as: AWorkspace, body: object, key?: string) => api.call(as, 'POST', '/posts', body, key)

async function expectLimit(
  { limited, workspaceId }: { limited: AWorkspace; workspaceId: string },
  limit: string,
  act: (as: AWorkspace) => ReturnType<typeof create>,
) {
  const before = await snapshotOf(db, workspaceId)
  const { status, body } = await act(limited)
  expect({ status, code: body.code, limit: body.limit }).toEqual({
    status: 403,
    code: 'credential_limit',
    limit,
  })
  expect(body.detail).toMatch(/ask an owner or admin to change the limit/)
  expect(await snapshotOf(db, workspaceId)).toEqual(before)
}

describe('a credential that is limited to channels', () => {
  test('posts to its own, and to none besides', async () => {
    const scene = await aLimited(([mine]) => ({ channelIds: [mine] }))
    const { limited, mine, other } = scene
    expect((await create(limited, scheduled(1, mine))).status).toBe(201)
    await expectLimit(scene, 'channelIds', (as) => create(as, scheduled(1, mine, other)))
    await expectLimit(scene, 'channelIds', (as) =>
      api.call(as, 'POST', '/post-checks', { state: 'draft', channelIds: [other], text: 'x' }),
    )
  })

  test('sees the posts that have one of its channels, whole, and no others', async () => {
    const { limited, free, workspaceId, mine, other } = await aLimited(([mine]) => ({ channelIds: [mine] }))
    const own = (await create(free, scheduled(1, mine))).body.postId
    const mixed = (await create(free, scheduled(2, mine, other))).body.postId
    const foreign = (await create(free, scheduled(3, other))).body.postId

    const listed = (await api.call(limited, 'GET', '/posts')).body.items
    expect(listed.map(({ postId }: { postId: string }) => postId)).toEqual([mixed, own])
    expect((await api.call(limited, 'GET', `/posts/${foreign}`)).status).toBe(404)
    expect((await api.read(limited, mixed)).destinations).toHaveLength(2)
    const { body: calendar } = await api.call(limited, 'GET', `/calendar?from=${inHours(0)}&to=${inHours(9)}`)
    expect(calendar.map((entry: { channelId: string }) => entry.channelId)).toEqual([mine, mine])
    const { body: channels } = await api.call(limited, 'GET', '/channels')
    expect(channels.map((channel: { channelId: string }) => channel.channelId)).toEqual([mine])
    const { body: events } = await api.call(limited, 'GET', '/events')
    expect(events.items).toHaveLength(2)
    expect(await announced(db, workspaceId)).toHaveLength(4)
    expect(events.items.map((event: any) => event.data.destination.channelId)).toEqual([mine, mine])
  })

  test('changes nothing on the others, with no command, and is told so beforehand', async () => {
    const scene = await aLimited(([mine]) => ({ channelIds: [mine] }))
    const { free, workspaceId, mine, other } = scene
    const channelIds = [mine, other]
    const { postId } = (await create(free, scheduled(2, mine, other))).body
    const post = await api.read(scene.limited, postId)
    const [own, foreign] = channelIds.map((id) => post.destinations.find((one) => one.channelId === id)!)
    expect(own!.allowedActions.cancel).toEqual({ allowed: true, reason: null })
    expect(Object.values(foreign!.allowedActions).map(({ allowed }) => allowed)).not.toContain(true)
    const { editToken } = post
    const on = { channelId: other, controlToken: foreign!.controlToken }
    const publishAt = inHours(3)
    for (const [name, body] of [
      ['reschedule', { ...on, publishAt }],
      ['reschedule', { editToken, publishAt }],
      ['cancel', on],
      ['cancel', { editToken }],
      ['edit', { editToken, content: { text: 'New' } }],
      ['edit', { editToken, content: { targets: [{ channelId: other, text: 'New' }] } }],
    ] as const)
      await expectLimit(scene, 'channelIds', (as) => api.command(as, postId, name, body))
    const failed = await aPost(db, workspaceId, { states: ['failed', 'draft'], channelIds: [other, mine] })
    const [toRetry, toSchedule] = (await api.read(free, failed.postId)).destinations
    await expectLimit(scene, 'channelIds', (as) =>
      api.command(as, failed.postId, 'retry', {
        channelId: other,
        controlToken: toRetry!.controlToken,
        publishAt,
      }),
    )
    const time = { channelId: mine, controlToken: toSchedule!.controlToken, publishAt }
    expect((await api.command(scene.limited, failed.postId, 'schedule', time)).status).toBe(200)
    const edit = { editToken, content: { targets: [{ channelId: mine, text: 'New' }] } }
    expect((await api.command(scene.limited, postId, 'edit', edit)).status).toBe(200)
  })

  test('is answered about a post of other channels as about none, by every command', async () => {
    const { limited, free, workspaceId, other } = await aLimited(([mine]) => ({ channelIds: [mine] }))
    const { postId } = (await create(free, scheduled(2, other))).body
    const { editToken, destinations } = await api.read(free, postId)
    const on = { channelId: other, controlToken: destinations[0]!.controlToken }
    const before = await snapshotOf(db, workspaceId)
    for (const [name, body] of [
      ['reschedule', { ...on, publishAt: inHours(3) }],
      ['reschedule', { editToken, publishAt: inHours(3) }],
      ['schedule', { ...on, publishAt: inHours(3) }],
      ['retry', { ...on, publishAt: inHours(3) }],
      ['cancel', on],
      ['cancel', { editToken }],
      ['edit', { editToken, content: { text: 'New' } }],
    ] as const)
      expect((await api.command(limited, postId, name, body)).body.code).toBe('not_found')
    expect(await snapshotOf(db, workspaceId)).toEqual(before)
  })
})

describe('a credential that is limited to drafts', () => {
  test('writes, edits and cancels drafts, and publishes nothing', async () => {
    const scene = await aLimited(() => ({ draftsOnly: true }))
    const { limited, mine } = scene
    await expectLimit(scene, 'draftsOnly', (as) => create(as, scheduled(1, mine)))
    await expectLimit(scene, 'draftsOnly', (as) => create(as, { ...draft(mine), state: 'immediate' }))
    const { postId, editToken, destinations } = (await create(limited, draft(mine))).body
    expect(destinations[0].allowedActions).toMatchObject({
      edit: { allowed: true },
      cancel: { allowed: true },
      schedule: { allowed: false, reason: expect.stringMatching(/can only check posts and create drafts/) },
    })
    const { controlToken } = destinations[0]
    const time = { channelId: mine, controlToken, publishAt: inHours(1) }
    await expectLimit(scene, 'draftsOnly', (as) => api.command(as, postId, 'schedule', time))
    expect((await api.command(limited, postId, 'edit', { editToken, content: { text: 'New' } })).status).toBe(
      200,
    )
    expect((await api.command(limited, postId, 'cancel', { channelId: mine, controlToken })).status).toBe(200)
  })

  test('changes nothing that has a time', async () => {
    const scene = await aLimited(() => ({ draftsOnly: true }))
    const { free, mine } = scene
    const { postId, editToken, destinations } = (await create(free, scheduled(2, mine))).body
    const on = { channelId: mine, controlToken: destinations[0].controlToken }
    for (const [name, body] of [
      ['reschedule', { ...on, publishAt: inHours(3) }],
      ['reschedule', { editToken, publishAt: inHours(3) }],
      ['cancel', on],
      ['cancel', { editToken }],
      ['edit', { editToken, content: { text: 'New' } }],
    ] as const)
      await expectLimit(scene, 'draftsOnly', (as) => api.command(as, postId, name, body))
  })

  test('is told by a check what it could not create', async () => {
    const { limited, mine } = await aLimited(() => ({ draftsOnly: true, publishWithinHours: 5 }))
    const check = async (plan: object) => (await api.call(limited, 'POST', '/post-checks', plan)).body
    const plan = { state: 'scheduled', channelIds: [mine], text: 'Hello', publishAt: inHours(1) }
    expect(await check(plan)).toMatchObject({
      ready: false,
      issues: [{ code: 'credential_limit', pointer: '/state' }],
    })
    expect(await check({ ...plan, state: 'draft', publishAt: undefined })).toMatchObject({ ready: true })
  })
})

test('a credential that plans so far ahead gives nothing a later time, in a create or by a command', async () => {
  const scene = await aLimited(() => ({ publishWithinHours: 24 }))
  const { limited, mine } = scene
  await expectLimit(scene, 'publishWithinHours', (as) => create(as, scheduled(25, mine)))
  const { postId, editToken, destinations } = (await create(limited, scheduled(23, mine))).body
  const on = { channelId: mine, controlToken: destinations[0].controlToken }
  for (const named of [on, { editToken }])
    await expectLimit(scene, 'publishWithinHours', (as) =>
      api.command(as, postId, 'reschedule', { ...named, publishAt: inHours(25) }),
    )
  expect((await api.command(limited, postId, 'reschedule', { ...on, publishAt: inHours(22) })).status).toBe(
    200,
  )
})

describe('a credential that is limited to posts a day', () => {
  test('creates so many, however many requests come at once', async () => {
    const { limited, workspaceId, mine } = await aLimited(() => ({ postsPerDay: 3 }))
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(limited, draft(mine))))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(9)
    const [row] = await db<{ count: number }[]>`
      select count(*)::int as count from post where workspace_id = ${workspaceId}`
    expect(row!.count).toBe(3)
  })

  test('is counted by what it created, cancelled or not, and not by repeats, commands and others’ posts', async () => {
    const { limited, free, mine } = await aLimited(() => ({ postsPerDay: 2 }))
    const somebody = { ...free.caller.credential, id: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a77' }
    await create({ ...free, caller: { ...free.caller, credential: somebody } }, draft(mine))
    const left = async () => (await api.call(limited, 'GET', '/me')).body.credential.limits.postsLeftToday
    expect(await left()).toBe(2)
    const first = await create(limited, draft(mine), 'one')
    expect((await create(limited, draft(mine), 'one')).headers).toHaveProperty('idempotent-replayed')
    const { postId, editToken } = first.body
    await api.command(limited, postId, 'cancel', { editToken })
    expect(await left()).toBe(1)
    expect((await create(limited, draft(mine))).status).toBe(201)
    expect(await left()).toBe(0)
    expect((await create(limited, draft(mine))).body.limit).toBe('postsPerDay')
    // A repeat is answered as before, whatever is left.
    expect((await create(limited, draft(mine), 'one')).status).toBe(201)
  })

  test('starts from zero with the day of the workspace’s time zone', async () => {
    const { limited, workspaceId, mine } = await aLimited(() => ({ postsPerDay: 1 }))
    await db`update workspace set time_zone = 'Pacific/Kiritimati' where id = ${workspaceId}`
    await create(limited, draft(mine))
    const { dayEndsAt } = (await api.call(limited, 'GET', '/me')).body.credential.limits
    expect(dayEndsAt).toMatch(/T10:00:00.000Z$/)
    const dayBefore = new Date(new Date(dayEndsAt).getTime() - 24 * 3_600_000 - 1)
    await db`update post set created_at = ${dayBefore} where workspace_id = ${workspaceId}`
    expect((await create(limited, draft(mine))).status).toBe(201)
    await db`update post set created_at = ${new Date(dayBefore.getTime() + 1)} where workspace_id = ${workspaceId}`
    expect((await create(limited, draft(mine))).status).toBe(403)
  })
})

test('a credential is used from its networks only, by reads as well', async () => {
  const scene = await aLimited(() => ({ networks: ['198.51.100.0/24', '2001:db8::/32'] }))
  for (const path of ['/me', '/posts', '/channels'])
    await expectLimit(scene, 'networks', (as) => api.call(as, 'GET', path))
  const near = await aLimited(() => ({ networks: ['127.0.0.0/8'] }))
  expect((await api.call(near.limited, 'GET', '/posts')).status).toBe(200)
})

test('GET /me tells the limits, and null where there is none', async () => {
  const { limited, free, mine } = await aLimited(([mine]) => ({ channelIds: [mine], publishWithinHours: 24 }))
  const { limits } = (await api.call(limited, 'GET', '/me')).body.credential
  expect(limits).toMatchObject({
    channelIds: [mine],
    publishWithinHours: 24,
    postsPerDay: null,
    postsLeftToday: null,
  })
  expect(new Date(limits.latestPublishAt).getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000)
  expect((await api.call(free, 'GET', '/me')).body.credential.limits).toEqual({
    channelIds: null,
    label: null,
    postsPerDay: null,
    publishWithinHours: null,
    draftsOnly: false,
    networks: null,
    latestPublishAt: null,
    postsLeftToday: null,
    dayEndsAt: null,
  })
})
