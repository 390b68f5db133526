import { type CredentialLimits, noLimits } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { hoursAhead, openFileWorld } from '../../../test/rigs/file-world.ts'
import {
  aChannel,
  aGroup,
  aPost,
  aWorkspace,
  type AWorkspace,
  openTransaction,
  untilBlocked,
} from '../../../test/rigs/fixtures.ts'
import { lockSlots } from '../../engine/destinations/queue-slot-store.ts'

/* The id of a channel group stands for its channels: in new posts, checks, batches and filters. */

const { world, api, changingNothing } = await openFileWorld()
const { db } = world

async function aPlace() {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const channel = () => aChannel(db, workspaceId)
  const [one, two, three] = [await channel(), await channel(), await channel()] as const
  const groupId = await aGroup(db, workspaceId, [one, two], 'Brand A')
  const post = (body: object, key: string = crypto.randomUUID()) =>
    api.call(workspace, 'POST', '/posts', { confirmed: true, state: 'draft', ...body }, key)
  return { workspace, workspaceId, one, two, three, groupId, post }
}

/** The same workspace, asked by a key that is narrowed. */
function limitedTo({ caller, ...workspace }: AWorkspace, limits: Partial<CredentialLimits>): AWorkspace {
  const credential = { ...caller.credential, limits: { ...noLimits, ...limits } }
  return { ...workspace, caller: { ...caller, credential } }
}

type Placed = { body: { destinations: { channelId: string; content: { text: string } | null }[] } }
const channelsOf = ({ body }: Placed) => body.destinations.map(({ channelId }) => channelId).toSorted()

describe('a new post', () => {
  test('goes to the channels that the group has, each once, and keeps them when the group changes', async () => {
    const { workspace, workspaceId, one, two, three, groupId, post } = await aPlace()
    const other = await aGroup(db, workspaceId, [two, three])
    const made = await post({ channelIds: [one, groupId, other], text: 'Hello' }, 'k')
    expect(made.status).toBe(201)
    expect(channelsOf(made)).toEqual([one, two, three].toSorted())
    await db`update channel_group set channel_ids = '{}' where workspace_id = ${workspaceId}`
    const again = await post({ channelIds: [one, groupId, other], text: 'Hello' }, 'k')
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(channelsOf(await api.call(workspace, 'GET', `/posts/${made.body.postId}`))).toEqual(
      channelsOf(made),
    )
  })

  test('gives a channel that a target names what is said there, and the others of the group theirs', async () => {
    const { one, two, groupId, post } = await aPlace()
    const made = await post({
      targets: [
        { channelId: groupId, text: 'For all' },
        { channelId: two, text: 'For two' },
      ],
    })
    expect(made.status).toBe(201)
    const texts = made.body.destinations.map(
      ({ channelId, content }: { channelId: string; content: { text: string } }) => [channelId, content.text],
    )
    expect(Object.fromEntries(texts)).toEqual({ [one]: 'For all', [two]: 'For two' })
  })

  test('refuses a channel that two groups give different contents', async () => {
    const { workspace, workspaceId, two, three, groupId, post } = await aPlace()
    const other = await aGroup(db, workspaceId, [two, three])
    const targets = [
      { channelId: groupId, text: 'One' },
      { channelId: other, text: 'Another' },
    ]
    expect(await changingNothing(workspace, () => post({ targets }))).toMatchObject({
      status: 422,
      body: { issues: [{ code: 'channel_duplicate', channelId: two, pointer: '/targets/1/channelId' }] },
    })
  })

  test.each([
    ['an empty group', 'group_empty', async (workspaceId: string) => aGroup(db, workspaceId, [])],
    [
      'the group of another workspace',
      'channel_unknown',
      async () => aGroup(db, (await aWorkspace(db)).workspaceId, []),
    ],
    [
      'a group of a disabled channel',
      'channel_disabled',
      async (workspaceId: string) =>
        aGroup(db, workspaceId, [await aChannel(db, workspaceId, { enabled: false })]),
    ],
  ])('refuses %s, with its place and what would do, and a check says the same', async (_, code, groupOf) => {
    const { workspace, workspaceId, one, post } = await aPlace()
    const channelIds = [one, await groupOf(workspaceId)]
    const issue = { code, severity: 'error', pointer: '/channelIds/1', fix: expect.stringMatching(/\w/) }
    expect(await changingNothing(workspace, () => post({ channelIds, text: 'Hello' }))).toMatchObject({
      status: 422,
      body: { code: 'channel_unavailable', issues: [issue] },
    })
    const check = { state: 'draft', channelIds, text: 'Hello' }
    expect(await api.call(workspace, 'POST', '/post-checks', check)).toMatchObject({
      status: 200,
      body: { ready: false, issues: [issue] },
    })
  })

  test('waits for posting times in one order, also where a channel stands beside a group', async () => {
    const { workspaceId, one, two, three, post } = await aPlace()
    await db`update channel set posting_times = '{540}' where workspace_id = ${workspaceId}`
    const [first, middle, last] = [one, two, three].toSorted()
    const groupId = await aGroup(db, workspaceId, [first!, middle!])
    const other = await openTransaction(db)
    await lockSlots(other.tx, workspaceId, [first!])
    const queued = { state: 'scheduled', publishAt: { queue: 'next' }, channelIds: [last, groupId] }
    const made = post({ ...queued, text: 'Hello' })
    await untilBlocked(db)
    const [free] = await other.tx<{ free: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${`slots ${workspaceId} ${last}`}, 0)) as free`
    await other.commit()
    expect(await made).toMatchObject({ status: 201 })
    expect(free).toEqual({ free: true })
  })

  test('refuses groups with more channels than a post takes', async () => {
    const { workspaceId, one, post } = await aPlace()
    const many = await Promise.all(Array.from({ length: 50 }, () => aChannel(db, workspaceId)))
    const groupId = await aGroup(db, workspaceId, many)
    expect(await post({ channelIds: [groupId], text: 'Hello' })).toMatchObject({ status: 201 })
    expect(await post({ channelIds: [one, groupId], text: 'Hello' })).toMatchObject({
      status: 422,
      body: { issues: [{ code: 'channels_too_many', pointer: '/channelIds/1' }] },
    })
  })

  test('passes over a channel that was removed', async () => {
    const { workspaceId, one, two, groupId, post } = await aPlace()
    await db`update channel set removed_at = now(), enabled = false where workspace_id = ${workspaceId} and id = ${two}`
    expect(channelsOf(await post({ channelIds: [groupId], text: 'Hello' }))).toEqual([one])
  })

  test('is checked and made in a batch as alone', async () => {
    const { workspace, one, two, groupId } = await aPlace()
    const row = { state: 'draft', channelIds: [groupId], text: 'Hello' }
    const check = await api.call(workspace, 'POST', '/post-checks', row)
    expect(channelsOf(check)).toEqual([one, two].toSorted())
    const posts = [{ ...row, idempotencyKey: 'row' }]
    const { body } = await api.call(workspace, 'POST', '/posts/batch', { confirmed: true, posts }, null)
    expect(channelsOf({ body: body.results[0].post })).toEqual([one, two].toSorted())
  })
})

describe('a key that is narrowed to channels', () => {
  test('is refused a group with a channel of others, which is named, and may use one of its own', async () => {
    const { workspace, workspaceId, one, two, groupId } = await aPlace()
    const narrowed = limitedTo(workspace, { channelIds: [one] })
    const check = { state: 'draft', channelIds: [groupId], text: 'Hello' }
    const body = { confirmed: true, ...check }
    const refused = { status: 403, body: { code: 'credential_limit', detail: expect.stringContaining(two) } }
    expect(
      await changingNothing(workspace, () => api.call(narrowed, 'POST', '/posts', body, 'k')),
    ).toMatchObject(refused)
    expect(await api.call(narrowed, 'POST', '/post-checks', check)).toMatchObject(refused)
    const own = await aGroup(db, workspaceId, [one])
    expect(await api.call(narrowed, 'POST', '/posts', { ...body, channelIds: [own] }, 'k')).toMatchObject({
      status: 201,
    })
  })
})

describe('a filter', () => {
  test('by group finds the posts on any of its channels, in the list and the calendar', async () => {
    const { workspace, workspaceId, one, two, three, groupId } = await aPlace()
    const made = await Promise.all(
      [one, two, three].map((id) => aPost(db, workspaceId, { states: ['scheduled'], channelIds: [id] })),
    )
    const wanted = made.slice(0, 2).map(({ postId }) => postId)
    const idsOf = (posts: { postId: string }[]) => posts.map(({ postId }) => postId).toSorted()
    const list = (caller = workspace) => api.call(caller, 'GET', `/posts?channelId=${groupId}`)
    expect(idsOf((await list()).body.items)).toEqual(wanted.toSorted())
    const range = `from=${hoursAhead(0)}&to=${hoursAhead(24)}`
    const calendar = await api.call(workspace, 'GET', `/calendar?${range}&channelId=${groupId}`)
    expect(idsOf(calendar.body)).toEqual(wanted.toSorted())
    const narrowed = limitedTo(workspace, { channelIds: [two, three] })
    expect(idsOf((await list(narrowed)).body.items)).toEqual([wanted[1]])
    const empty = await aGroup(db, workspaceId, [])
    expect((await api.call(workspace, 'GET', `/posts?channelId=${empty}`)).body.items).toEqual([])
  })
})

test('a channel says which groups it is in', async () => {
  const { workspace, one, three, groupId } = await aPlace()
  const { body } = await api.call(workspace, 'GET', '/channels')
  const groups = new Map(body.map((channel: { channelId: string }) => [channel.channelId, channel]))
  expect(groups.get(one)).toMatchObject({ groups: [{ groupId, name: 'Brand A' }] })
  expect(groups.get(three)).toMatchObject({ groups: [] })
})
