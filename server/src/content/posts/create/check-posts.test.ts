import { noLimits } from '@postrider/contract'
import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aChannel, type AWorkspace, aWorkspace } from '../../../../test/rigs/fixtures.ts'

/* Several plans that are checked at once are answered as a list of them would be created. */

const RUNS = Number(process.env['LIST_RUNS'] ?? 25)

const { world, api, changingNothing } = await openFileWorld()
const { db } = world

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const TWICE_A_DAY = Array.from({ length: 7 }, (_, day) => [day * 1_440 + 540, day * 1_440 + 1_080]).flat()

/** A workspace with two channels that have posting times, and one without. */
async function aScene() {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const [queueing, second, plain] = [
    await aChannel(db, workspaceId),
    await aChannel(db, workspaceId),
    await aChannel(db, workspaceId),
  ]
  const queueIds = [queueing, second]
  await db`update channel set posting_times = ${TWICE_A_DAY} where id = any(${queueIds}::uuid[])`
  const check = async (posts: readonly unknown[], as: AWorkspace = workspace) =>
    changingNothing(as, async () => api.call(as, 'POST', '/post-checks/batch', { posts }))
  const create = async (posts: readonly object[], as: AWorkspace = workspace) =>
    api.call(as, 'POST', '/posts/batch', { confirmed: true, idempotencyKey: uuidv7(), posts })
  const row = (text: string, more: object = {}) => ({
    state: 'scheduled',
    publishAt: inHours(5),
    channelIds: [plain],
    text,
    ...more,
  })
  const limitedTo = (limits: object, permissions = workspace.caller.credential.permissions): AWorkspace => ({
    ...workspace,
    caller: {
      ...workspace.caller,
      credential: { ...workspace.caller.credential, permissions, limits: { ...noLimits, ...limits } },
    },
  })
  return { workspace, queueing, second, plain, check, create, row, limitedTo }
}

type Row = { status: number; check?: any; problem?: any }
const rowsOf = ({ body }: { body: any }): Row[] => body.results
const said = (rows: readonly Row[]) => rows.map(({ check, problem }) => problem?.code ?? check.ready)

test('each row is answered by itself, with pointers into the request, and nothing is stored', async () => {
  const { check, row } = await aScene()
  const answer = await check([
    row('a'),
    row('b', { publishAt: undefined }),
    row('c', { tone: 'loud' }),
    row('d', { channelIds: [uuidv7()] }),
    row('x'.repeat(600)),
    row('e', { postId: uuidv7(), state: 'draft', publishAt: undefined }),
    'no row',
    null,
  ])
  expect(answer.status).toBe(200)
  expect(said(rowsOf(answer))).toEqual([
    true,
    'validation_failed',
    'validation_failed',
    false,
    false,
    true,
    'validation_failed',
    'validation_failed',
  ])
  expect(rowsOf(answer).map(({ status }) => status)).toEqual([200, 400, 400, 200, 200, 200, 400, 400])
  const pointers = rowsOf(answer).flatMap(({ check: one, problem }) =>
    (problem?.errors ?? problem?.issues ?? one?.issues ?? []).map(
      ({ pointer }: { pointer: string }) => pointer,
    ),
  )
  expect(pointers).toEqual([
    '/posts/1/publishAt',
    '/posts/2/tone',
    '/posts/3/channelIds/0',
    '/posts/4/text',
    '/posts/6',
    '/posts/7',
  ])
})

test.each([
  ['no row', []],
  ['more than a hundred', Array.from({ length: 101 }, () => ({}))],
])('%s is refused as a whole', async (_what, posts) => {
  const { check } = await aScene()
  const { status, body } = await check(posts)
  expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'validation_failed', '/posts'])
})

test('a row is answered as if those before it were created: posting times, the same text, posts of a day', async () => {
  const { check, row, queueing, limitedTo } = await aScene()
  const queued = (text: string) => row(text, { channelIds: [queueing], publishAt: { queue: 'next' } })
  const answer = await check([queued('one'), queued('two'), row('same'), row('same')])
  const [one, two, , again] = rowsOf(answer)
  expect(Date.parse(two!.check.destinations[0].publishAt)).toBeGreaterThan(
    Date.parse(one!.check.destinations[0].publishAt),
  )
  expect(again!.check.issues).toMatchObject([{ code: 'text_repeated', pointer: '/posts/3/text' }])
  const limited = rowsOf(
    await check([row('a'), row('x'.repeat(600)), row('b'), row('c')], limitedTo({ postsPerDay: 2 })),
  )
  expect(said(limited)).toEqual([true, false, true, false])
  expect(limited[3]!.check.issues).toMatchObject([
    { code: 'credential_limit', message: expect.stringMatching(/0 today.*before this one are 2 more/) },
  ])
})

test('a plan that changes a post is no post of today', async () => {
  const { check, row, limitedTo } = await aScene()
  const as = limitedTo({ postsPerDay: 1 })
  expect(
    said(rowsOf(await check([row('a', { postId: uuidv7() }), row('b'), row('c', { postId: uuidv7() })], as))),
  ).toEqual([true, true, true])
})

test('a credential learns nothing of channels and media that it may not see, and one bad row keeps no other from its answer', async () => {
  const { check, row, queueing, plain, limitedTo } = await aScene()
  const own = limitedTo({ channelIds: [plain] })
  expect(said(rowsOf(await check([row('a', { channelIds: [queueing] }), row('b')], own)))).toEqual([
    'credential_limit',
    true,
  ])
  const blind = limitedTo({}, ['channels:read'])
  expect(said(rowsOf(await check([row('a', { mediaIds: [uuidv7()] }), row('b')], blind)))).toEqual([
    'missing_permission',
    true,
  ])
  const none = await api.call(limitedTo({}, ['posts:write']), 'POST', '/post-checks/batch', {
    posts: [row('a')],
  })
  expect([none.status, none.body.code]).toEqual([403, 'missing_permission'])
})

test(`what is ready of a list is what a batch creates, at the times that were said, in ${RUNS} random lists`, async () => {
  const scene = await aScene()
  const { workspace, queueing, second, plain, row, check, create, limitedTo } = scene
  const when = fc.constantFrom<unknown>(
    { queue: 'next' },
    { queue: 'first' },
    { queue: new Date(Math.ceil(Date.now() / 86_400_000 + 2) * 86_400_000 + 540 * 60_000).toISOString() },
    inHours(30),
    inHours(-1),
  )
  const aRow = fc.record({
    text: fc.constantFrom('a', 'b', 'c', 'd', '', 'x'.repeat(600)),
    publishAt: when,
    channelIds: fc.constantFrom([queueing], [queueing, second], [plain]),
    state: fc.constantFrom('scheduled', 'scheduled', 'scheduled', 'draft', 'immediate'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(aRow, { minLength: 1, maxLength: 8 }), fc.boolean(), async (rows, counted) => {
      await db`update destination set status = 'cancelled', queued = false where workspace_id = ${workspace.workspaceId}`
      const [{ posts }] = await db<[{ posts: number }]>`
        select count(*)::int as posts from post where workspace_id = ${workspace.workspaceId}`
      const as = limitedTo(counted ? { postsPerDay: posts + 3 } : {})
      const list = rows.map(({ text, publishAt, channelIds, state }) =>
        row(text, { channelIds, state, publishAt: state === 'scheduled' ? publishAt : undefined }),
      )
      const checked = rowsOf(await check(list, as))
      const made = (await create(list, as)).body.results as { status: number; post?: any }[]
      expect(checked.map((one) => one.check?.ready === true)).toEqual(
        made.map(({ status }) => status === 201),
      )
      const timesOf = (destinations: any[] = []) =>
        destinations.map(({ channelId, publishAt }) => `${channelId} ${publishAt ?? null}`).toSorted()
      for (const [n, one] of checked.entries())
        if (one.check?.ready === true)
          expect(timesOf(one.check.destinations)).toEqual(timesOf(made[n]!.post.destinations))
    }),
    { numRuns: RUNS },
  )
})
