import { noLimits } from '@postrider/contract'
import { expect, test } from 'vitest'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'
import { aChannel, type AWorkspace, aWorkspace } from '../../../../test/rigs/fixtures.ts'
import type { GivenPosts } from '../../../../test/rigs/posts-process.ts'
import { killAtEachRoundTrip } from '../../../../test/rigs/round-trip-kills.ts'
import { pruneIdempotency } from '../../../edge/operations/idempotency.ts'

/* A batch with one key for all of its rows. What agents do with it is in doors/mcp/create-posts.test.ts. */

const { world, api, changingNothing } = await openFileWorld()
const { db } = world

const TOO_LONG = 'x'.repeat(600)

async function aScene() {
  const workspace = await aWorkspace(db)
  const { workspaceId } = workspace
  const channelId = await aChannel(db, workspaceId)
  const row = (text: string, more: object = {}) => ({
    state: 'draft',
    channelIds: [channelId],
    text,
    ...more,
  })
  const bodyOf = (texts: readonly string[], more: object = {}) => ({
    confirmed: true,
    idempotencyKey: 'week',
    posts: texts.map((text) => row(text)),
    ...more,
  })
  return {
    workspace,
    row,
    bodyOf,
    send: (texts: readonly string[], more: object = {}, as: AWorkspace = workspace) =>
      api.call(as, 'POST', '/posts/batch', bodyOf(texts, more), null),
    made: async () => {
      const rows = await db<{ text: string }[]>`
        select text from part where workspace_id = ${workspaceId} order by text`
      return rows.map(({ text }) => text)
    },
    found: async (as: AWorkspace = workspace) =>
      (await api.call(as, 'GET', '/posts?idempotencyKey=week')).body.items.map(
        ({ text }: { text: string }) => text,
      ),
  }
}

type Result = { status: number; replayed?: boolean; post?: { postId: string }; problem?: { code: string } }
const outcomes = ({ body }: { body: any }) =>
  body.results.map(({ status, problem }: Result) => problem?.code ?? status)
const replayed = ({ body }: { body: any }) => body.results.map((one: Result) => one.replayed === true)

test('what was made is answered again, by the header too; nothing is written for it', async () => {
  const { send, workspace, found } = await aScene()
  const first = await send(['a', 'b'])
  expect([outcomes(first), first.headers['idempotent-replayed']]).toEqual([[201, 201], undefined])
  const again = await changingNothing(workspace, () => send(['a', 'b']))
  expect([replayed(again), again.headers['idempotent-replayed']]).toEqual([[true, true], 'true'])
  expect(again.body.results.map(({ post }: Result) => post)).toEqual(
    first.body.results.map(({ post }: Result) => post),
  )
  expect(await found()).toEqual(['b', 'a'])
})

test('a list with more new rows than were refused is another list, and makes nothing', async () => {
  const { send, workspace, made } = await aScene()
  await send(['a', TOO_LONG])
  for (const texts of [
    ['a', 'b', 'c'],
    ['a', 'a', 'b'],
    ['a', TOO_LONG, 'b'],
  ])
    expect((await changingNothing(workspace, () => send(texts))).body.code).toBe('idempotency_key_reused')
  expect(outcomes(await send(['a', 'b']))).toEqual([201, 201])
  expect(await made()).toEqual(['a', 'b'])
})

test('a row has no key beside that of the batch, and a row that is no request is corrected like any other', async () => {
  const { send, row, made } = await aScene()
  const first = await send([], { posts: [row('a'), row('b', { idempotencyKey: 'own' }), 'no row'] })
  expect(outcomes(first)).toEqual([201, 'validation_failed', 'validation_failed'])
  expect(first.body.results[1].problem.errors).toMatchObject([
    { pointer: '/posts/1/idempotencyKey', code: 'not_allowed' },
  ])
  expect(replayed(await send(['a', 'b', 'c']))).toEqual([true, false, false])
  expect(await made()).toEqual(['a', 'b', 'c'])
})

test('all or nothing: what was made before stays, and of the rest all is made or nothing', async () => {
  const { send, workspace, made } = await aScene()
  const all = { allOrNothing: true }
  const refused = await changingNothing(workspace, () => send(['a', TOO_LONG], all))
  expect(outcomes(refused)).toEqual(['batch_refused', 'post_not_publishable'])
  await send(['a', TOO_LONG, TOO_LONG])
  const more = await changingNothing(workspace, () => send(['a', 'b', TOO_LONG], all))
  expect(outcomes(more)).toEqual([201, 'batch_refused', 'post_not_publishable'])
  expect(outcomes(await send(['a', 'b', 'c'], all))).toEqual([201, 201, 201])
  expect(await made()).toEqual(['a', 'b', 'c'])
})

test('a dry run says what would come of each row, and leaves the key as it is', async () => {
  const { send, workspace, made } = await aScene()
  const dry = { dryRun: true }
  const unused = await changingNothing(workspace, () => send(['a', TOO_LONG], dry))
  expect(outcomes(unused)).toEqual([200, 'post_not_publishable'])
  await send(['b', TOO_LONG])
  const used = await changingNothing(workspace, () => send(['b', 'c'], dry))
  expect([outcomes(used), replayed(used)]).toEqual([
    [201, 200],
    [true, false],
  ])
  expect((await changingNothing(workspace, () => send(['c'], dry))).body.code).toBe('idempotency_key_reused')
  expect(await made()).toEqual(['b'])
})

test('a row that was refused for a limit is made once the limit allows it', async () => {
  const { send, workspace, made } = await aScene()
  const { caller } = workspace
  const limits = { ...noLimits, postsPerDay: 2 }
  const limited = { ...workspace, caller: { ...caller, credential: { ...caller.credential, limits } } }
  expect(outcomes(await send(['a', 'b', 'c'], {}, limited))).toEqual([201, 201, 'credential_limit'])
  expect(outcomes(await send(['a', 'b', 'c']))).toEqual([201, 201, 201])
  expect(await made()).toEqual(['a', 'b', 'c'])
  const entries = await db`
    select from audit_entry where workspace_id = ${workspace.workspaceId} and action = 'createPost'`
  expect(entries).toHaveLength(3)
})

test('who may not read media is not shown it of what another one made', async () => {
  const { send, workspace } = await aScene()
  await send(['a'])
  await db`
    update idempotency_record set body = replace(convert_from(body, 'utf8'), '"media":[]', '"media":[{"altText":"secret"}]')::bytea
    where workspace_id = ${workspace.workspaceId}`
  const { caller } = workspace
  const permissions = caller.credential.permissions.filter((one) => one !== 'media:read')
  const other = { ...workspace, caller: { ...caller, credential: { ...caller.credential, permissions } } }
  expect((await send(['a'])).body.results[0].post.media).toHaveLength(1)
  expect((await send(['a'], {}, other)).body.results[0].post.media).toEqual([])
})

test('a key is kept from the last call on that made something', async () => {
  const { send, workspace, made } = await aScene()
  await send(['a', TOO_LONG])
  await db`
    update idempotency_record set created_at = now() - interval '6 days' where workspace_id = ${workspace.workspaceId}`
  await send(['a', 'b'])
  await db`
    update idempotency_record set created_at = created_at - interval '2 days' where workspace_id = ${workspace.workspaceId}`
  await pruneIdempotency(db, 7, 1_000)
  expect(replayed(await send(['a', 'b']))).toEqual([true, true])
  expect(await made()).toEqual(['a', 'b'])
})

test('killed at any moment and sent again, it makes each post once', { timeout: 300_000 }, async () => {
  const CASES = 14
  const scenes = await Promise.all(Array.from({ length: CASES }, aScene))
  const texts = ['a', TOO_LONG, 'c', 'c']
  const cases = scenes.map(({ workspace, bodyOf }) => ({
    given: { workspace, body: bodyOf(texts) } satisfies GivenPosts,
  }))
  const roundTrips = await killAtEachRoundTrip(world, 'posts-process.ts', 'create', cases)
  expect(roundTrips).toBeGreaterThan(4)
  let [whole, none] = [0, 0]
  for (const [n, { send, made, found }] of scenes.entries()) {
    const left = await made()
    expect([[], ['a', 'c', 'c']]).toContainEqual(left)
    if (left.length === 0) none += 1
    else whole += 1
    expect((await found()).toSorted()).toEqual(left)
    // Some agents correct at once what they never heard was refused.
    const again = await send(n % 2 === 0 ? texts : ['a', 'b', 'c', 'c'])
    expect(replayed(again).filter(Boolean)).toHaveLength(left.length)
    expect(await made()).toEqual(n % 2 === 0 ? ['a', 'c', 'c'] : ['a', 'b', 'c', 'c'])
  }
  expect({ whole: whole > 0, none: none > 0 }).toEqual({ whole: true, none: true })
})
