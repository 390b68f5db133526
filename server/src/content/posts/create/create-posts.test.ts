import { noApprovalPolicy, noLimits } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import {
  aChannel,
  type AWorkspace,
  aWorkspace,
  openTransaction,
  rowCounts,
  untilBlocked,
} from '../../../../test/rigs/fixtures.ts'
import { lockSlots } from '../../../engine/destinations/queue-slot-store.ts'

const { world, api, changingNothing } = await openFileWorld()
const { db } = world
const publishAt = '2027-12-01T09:00:00.000Z'

async function aScene() {
  const workspace = await aWorkspace(db)
  const channelId = await aChannel(db, workspace.workspaceId)
  const row = (text: string, more: object = {}) => ({
    idempotencyKey: uuidv7(),
    state: 'scheduled',
    publishAt,
    channelIds: [channelId],
    text,
    ...more,
  })
  const batch = async (posts: readonly unknown[], more: object = {}, as: AWorkspace = workspace) =>
    api.call(as, 'POST', '/posts/batch', { confirmed: true, posts, ...more })
  const texts = async () => {
    const rows = await db<{ text: string }[]>`
      select text from part where workspace_id = ${workspace.workspaceId} order by text`
    return rows.map(({ text }) => text)
  }
  return { workspace, row, batch, texts }
}

type Result = { status: number; replayed?: boolean; post?: { postId: string }; problem?: { code: string } }
const outcomes = ({ body }: { body: any }) =>
  body.results.map(({ status, problem }: Result) => problem?.code ?? status)
const idsIn = ({ body }: { body: any }) => body.results.map(({ post }: Result) => post?.postId)

test('each row is a create of its own: a bad one says what is wrong with it, and the others are created', async () => {
  const { batch, row, texts } = await aScene()
  const answer = await batch([
    row('a'),
    row('b', { publishAt: undefined }),
    row('c', { tone: 'loud' }),
    row('d', { channelIds: [uuidv7()] }),
    row('x'.repeat(600)),
    { ...row('e'), idempotencyKey: undefined },
    'no row',
    row('f', { state: 'draft', publishAt: undefined }),
  ])
  expect(answer.status).toBe(200)
  expect(outcomes(answer)).toEqual([
    201,
    'validation_failed',
    'validation_failed',
    'channel_unavailable',
    'post_not_publishable',
    'idempotency_key_required',
    'validation_failed',
    201,
  ])
  const pointers = answer.body.results.flatMap(({ problem }: any) =>
    (problem?.errors ?? problem?.issues ?? []).map(({ pointer }: { pointer: string }) => pointer),
  )
  expect(pointers).toEqual([
    '/posts/1/publishAt',
    '/posts/2/tone',
    '/posts/3/channelIds/0',
    '/posts/4/text',
    '/posts/5/idempotencyKey',
    '/posts/6',
  ])
  expect(await texts()).toEqual(['a', 'f'])
})

test('a batch that is sent again has no further effect, and goes on where it was cut', async () => {
  const { batch, row, texts, workspace } = await aScene()
  const rows = [row('a'), row('b'), row('c')]
  const first = await batch(rows.slice(0, 2))
  const again = await batch(rows)
  expect(idsIn(again).slice(0, 2)).toEqual(idsIn(first))
  expect(again.body.results.map(({ replayed = false }: Result) => replayed)).toEqual([true, true, false])
  expect((await batch(rows)).body.results.map(({ post }: Result) => post)).toEqual(
    again.body.results.map(({ post }: Result) => post),
  )
  expect(await texts()).toEqual(['a', 'b', 'c'])
  const alone = await api.call(workspace, 'POST', '/posts', { confirmed: true, ...rows[0] })
  expect([alone.headers['idempotent-replayed'], alone.body.postId]).toEqual(['true', idsIn(first)[0]])
  const changed = await batch([{ ...rows[0], text: 'other' }])
  expect(outcomes(changed)).toEqual(['idempotency_key_reused'])
})

test('equal batches at once make each post once', async () => {
  const { batch, row, texts } = await aScene()
  const rows = ['a', 'b', 'c', 'd'].map((text) => row(text))
  const answers = await Promise.all([
    ...Array.from({ length: 3 }, () => batch(rows)),
    ...Array.from({ length: 3 }, () => batch(rows, { allOrNothing: true })),
  ])
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const last = await batch(rows)
  for (const answer of answers) {
    for (const [n, id] of idsIn(answer).entries()) expect([undefined, idsIn(last)[n]]).toContain(id)
  }
  expect(await texts()).toEqual(['a', 'b', 'c', 'd'])
})

test.each([{ allOrNothing: true }, { dryRun: true }])(
  'rows in one transaction wait for posting times in one order, whatever theirs (%j)',
  async (together) => {
    const { workspace, batch, row } = await aScene()
    const { workspaceId } = workspace
    await aChannel(db, workspaceId)
    const channels = await db<{ id: string }[]>`
      update channel set posting_times = '{540}' where workspace_id = ${workspaceId} returning id`
    const [first, last] = channels.map(({ id }) => id).toSorted()
    const other = await openTransaction(db)
    await lockSlots(other.tx, workspaceId, [first!])
    const rows = [last, first].map((id) => row('a', { publishAt: { queue: 'next' }, channelIds: [id] }))
    const answer = batch(rows, together)
    await untilBlocked(db)
    const [free] = await other.tx<{ free: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${`slots ${workspaceId} ${last}`}, 0)) as free`
    await other.commit()
    const status = 'dryRun' in together ? 200 : 201
    expect(outcomes(await answer)).toEqual([status, status])
    expect(free).toEqual({ free: true })
  },
)

test('two rows with one key are told apart by nothing: the second is refused', async () => {
  const { batch, row, texts } = await aScene()
  const one = row('a')
  for (const more of [{}, { allOrNothing: true }]) {
    const answer = await batch([one, { ...one, text: 'b' }], more)
    expect(answer.body.results[1].problem).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/posts/1/idempotencyKey', code: 'repeated' }],
    })
  }
  expect(await texts()).toEqual(['a'])
})

test('all or nothing: one bad row keeps all from being created, and their keys stay unused', async () => {
  const { batch, row, texts, workspace } = await aScene()
  const rows = [row('a'), row('', { text: '' }), row('c')]
  const refused = await changingNothing(workspace, () => batch(rows, { allOrNothing: true }))
  expect(outcomes(refused)).toEqual(['batch_refused', 'post_not_publishable', 'batch_refused'])
  const mended = rows.with(1, { ...rows[1]!, text: 'b' })
  const done = await batch(mended, { allOrNothing: true })
  expect(outcomes(done)).toEqual([201, 201, 201])
  const again = await batch(mended, { allOrNothing: true })
  expect(again.body.results.map(({ replayed }: Result) => replayed)).toEqual([true, true, true])
  expect(idsIn(again)).toEqual(idsIn(done))
  expect(await texts()).toEqual(['a', 'b', 'c'])
})

test('all at once count towards the limit of a day, and each has its audit entry and its event', async () => {
  const { batch, row, workspace } = await aScene()
  const { workspaceId, caller } = workspace
  const limits = { ...noLimits, postsPerDay: 2 }
  const limited = { ...workspace, caller: { ...caller, credential: { ...caller.credential, limits } } }
  const rows = [row('a'), row('b'), row('c')]
  const over = await batch(rows, { allOrNothing: true }, limited)
  expect(outcomes(over)).toEqual(['batch_refused', 'batch_refused', 'credential_limit'])
  expect(outcomes(await batch(rows, {}, limited))).toEqual([201, 201, 'credential_limit'])
  expect(
    await db`select from audit_entry where workspace_id = ${workspaceId} and action = 'createPost'`,
  ).toHaveLength(2)
  expect(await db`select from outbox_event where workspace_id = ${workspaceId}`).toHaveLength(2)
})

test('a dry run says what would come of each row, and changes nothing', async () => {
  const { batch, row, workspace, texts } = await aScene()
  const rows = [row('a'), row('', { text: '' }), row('c')]
  for (const allOrNothing of [false, true]) {
    const dry = await changingNothing(workspace, () => batch(rows, { dryRun: true, allOrNothing }))
    expect(outcomes(dry)).toEqual(
      allOrNothing
        ? ['batch_refused', 'post_not_publishable', 'batch_refused']
        : [200, 'post_not_publishable', 200],
    )
  }
  expect(outcomes(await batch(rows))).toEqual([201, 'post_not_publishable', 201])
  const known = await batch(rows, { dryRun: true })
  expect(known.body.results[0]).toMatchObject({ status: 201, replayed: true })
  expect(await texts()).toEqual(['a', 'c'])
})

test('a dry run of one create answers what it would create, and leaves its key unused', async () => {
  const { row, workspace } = await aScene()
  const approval = { ...noApprovalPolicy, all: true }
  const { caller } = workspace
  const waiting = { ...workspace, caller: { ...caller, credential: { ...caller.credential, approval } } }
  const body = { confirmed: true, ...row('a') }
  const before = await rowCounts(db)
  const dry = await api.call(waiting, 'POST', '/posts', { ...body, dryRun: true })
  expect(dry).toMatchObject({ status: 200, body: { reviewStatus: 'pending', content: { text: 'a' } } })
  expect(dry.headers['location']).toBeUndefined()
  const refused = await api.call(waiting, 'POST', '/posts', { ...body, text: '', dryRun: true })
  expect(refused).toMatchObject({ status: 422, body: { code: 'post_not_publishable' } })
  expect(await rowCounts(db)).toEqual(before)
  const real = await api.call(waiting, 'POST', '/posts', { ...body, dryRun: false })
  expect(real.status).toBe(201)
  expect((await api.call(waiting, 'POST', '/posts', { ...body, dryRun: true })).body.postId).toBe(
    real.body.postId,
  )
})

test('the batch itself is checked as any request', async () => {
  const { batch, row, workspace } = await aScene()
  expect((await batch([])).status).toBe(400)
  expect((await batch(Array.from({ length: 101 }, () => row('a')))).status).toBe(400)
  expect((await batch([row('a')], { atomic: true })).body.errors).toMatchObject([{ pointer: '/atomic' }])
  const unconfirmed = await api.call(workspace, 'POST', '/posts/batch', { posts: [row('a')] })
  expect(unconfirmed.body.code).toBe('confirmation_required')
})
