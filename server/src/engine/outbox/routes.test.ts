import { type Answer, type app, type listEvents, noLimits } from '@postrider/contract'
import { expect, test } from 'vitest'
import { aWorkspace } from '../../../test/rigs/fixtures.ts'
import { openWebhookWorld, type WebhookWorld } from '../../../test/rigs/webhook-world.ts'
import { cursors } from '../../edge/operations/cursor.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import { pruneEvents } from '../webhooks/delivery-retention-store.ts'
import { SCANNED } from './event-feed-store.ts'
import { eventLogRoutes, eventRoutes } from './routes.ts'

type Reply = Answer<typeof listEvents> | Refusal

/** Asks the route as the edge does once a request has passed its schemas. */
async function ask(
  world: WebhookWorld,
  query: { cursor?: string; limit?: number; since?: string; type?: string; postId?: string },
  workspaceId = world.workspaceId,
) {
  const [route] = eventRoutes({ cursors: cursors(Buffer.alloc(32, 7)) })
  const handle = route!.handle as (input: object, context: object) => Promise<Reply>
  return handle({ query }, { caller: { workspaceId, credential: { limits: noLimits } }, sql: world.db })
}

function page(reply: Reply): Answer<typeof listEvents> {
  if (isRefusal(reply)) throw new Error(reply.refused)
  return reply
}

test('a receiver that was down reads on from where it stood, and the envelopes are those of the webhooks', async () => {
  await using world = await openWebhookWorld()
  const ids = [
    await world.happens('scheduled'),
    await world.happens('published'),
    await world.happens('failed'),
  ]
  const first = page(await ask(world, { limit: 2 }))
  expect(first).toMatchObject({ items: [{ id: ids[0] }, { id: ids[1] }], hasMore: true })
  const second = page(await ask(world, { limit: 2, cursor: first.nextCursor }))
  expect(second).toMatchObject({ items: [{ id: ids[2] }], hasMore: false })
  expect(page(await ask(world, { cursor: second.nextCursor }))).toMatchObject({ items: [], hasMore: false })
  const later = await world.happens('published')
  expect(page(await ask(world, { cursor: second.nextCursor })).items.map(({ id }) => id)).toEqual([later])

  const [recorded] = await world.db<{ body: Buffer }[]>`select body from outbox_event order by seq limit 1`
  expect(JSON.stringify(first.items[0])).toBe(recorded?.body.toString())
})

test('a cursor that was changed, or is of another workspace, is refused', async () => {
  await using world = await openWebhookWorld()
  await world.happens()
  const { nextCursor } = page(await ask(world, {}))
  const changed = `${nextCursor.startsWith('A') ? 'B' : 'A'}${nextCursor.slice(1)}`
  for (const reply of [
    await ask(world, { cursor: changed }),
    await ask(world, { cursor: 'x' }),
    await ask(world, { cursor: nextCursor }, '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'),
  ])
    expect(reply).toMatchObject({ refused: 'invalid_cursor' })
})

test('a cursor whose events are gone is refused with the cursor to continue with', async () => {
  await using world = await openWebhookWorld()
  await world.happens('published', { at: new Date(Date.now() - 40 * 86_400_000) })
  const { nextCursor } = page(await ask(world, {}))
  await world.happens('published', { at: new Date(Date.now() - 40 * 86_400_000) })
  await pruneEvents(world.db, 30, 100)
  const kept = await world.happens()

  const refusal = await ask(world, { cursor: nextCursor })
  expect(refusal).toMatchObject({ refused: 'cursor_expired', facts: { oldestCursor: expect.any(String) } })
  const oldestCursor = isRefusal(refusal) ? refusal.facts.oldestCursor : undefined
  expect(page(await ask(world, { cursor: oldestCursor! })).items.map(({ id }) => id)).toEqual([kept])
})

test('people look through the events page by page, the latest first, and see none of another workspace', async () => {
  await using world = await openWebhookWorld()
  const [route] = eventLogRoutes({ cursors: cursors(Buffer.alloc(32, 7)) })
  const handle = route!.handle as unknown as (
    input: object,
    context: object,
  ) => Promise<Answer<typeof app.listEventLog>>
  const look = (query: object, { workspaceId }: { workspaceId: string } = world) =>
    handle({ query }, { caller: { workspaceId }, sql: world.db })
  const ids = [
    await world.happens('scheduled'),
    await world.happens('published'),
    await world.happens('failed'),
  ]
  const first = await look({ limit: 2 })
  expect(first.items.map(({ id }) => id)).toEqual([ids[2], ids[1]])
  const second = await look({ limit: 2, cursor: first.nextCursor })
  expect(second).toMatchObject({ items: [{ id: ids[0] }], nextCursor: null })
  const { workspaceId } = await aWorkspace(world.db)
  expect(await look({}, { workspaceId })).toEqual({ items: [], nextCursor: null })
  expect(await look({ cursor: first.nextCursor }, { workspaceId })).toMatchObject({
    refused: 'invalid_cursor',
  })
})

test('filters leave out what is not asked for, and the cursor goes on within the same ones only', async () => {
  await using world = await openWebhookWorld()
  const [mine, others] = ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a12']
  const happens = (status: 'scheduled' | 'published', postId: string, at: string) =>
    world.happens(status, { postId, at: new Date(at) })
  const ids = [
    await happens('scheduled', mine, '2026-11-20T09:00:00Z'),
    await happens('scheduled', others, '2026-11-20T10:00:00Z'),
    // Recorded later than the next one, though it happened before it.
    await happens('published', mine, '2026-11-21T09:00:01Z'),
    await happens('published', others, '2026-11-21T09:00:00Z'),
    await happens('scheduled', mine, '2026-11-21T10:00:00Z'),
  ]
  const found = async (query: object) => {
    const { items, hasMore } = page(await ask(world, query))
    return [...items.map(({ id }) => ids.indexOf(id)), hasMore]
  }
  expect(await found({ postId: mine })).toEqual([0, 2, 4, false])
  expect(await found({ type: 'post.published' })).toEqual([2, 3, false])
  expect(await found({ type: 'post.scheduled', postId: mine, limit: 1 })).toEqual([0, true])
  expect(await found({ since: '2026-11-21T09:00:01Z' })).toEqual([2, 4, false])
  expect(await found({ since: '2026-11-21T10:00:01+01:00', type: 'post.published' })).toEqual([2, false])
  expect(await found({ since: '2020-01-01T00:00:00Z' })).toEqual([0, 1, 2, 3, 4, false])
  expect(await found({ since: '2027-01-01T00:00:00Z' })).toEqual([false])

  const asked = { postId: mine, since: '2026-11-20T00:00:00Z', limit: 2 }
  const first = page(await ask(world, asked))
  expect(first.hasMore).toBe(true)
  const next = await found({ ...asked, cursor: first.nextCursor })
  expect(next).toEqual([4, false])
  for (const other of [{}, { postId: others }, { ...asked, since: '2026-11-20T00:00:01Z' }])
    expect(await ask(world, { ...other, cursor: first.nextCursor })).toMatchObject({
      refused: 'invalid_cursor',
    })
})

test('a page looks at a bounded number of events, and whoever follows it misses none', async () => {
  await using world = await openWebhookWorld()
  const { db, workspaceId } = world
  const wanted = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
  const first = await world.happens('published', { postId: wanted })
  await db`
    insert into outbox_event (workspace_id, id, type, post_id, destination_id, body, created_at)
    select workspace_id, gen_random_uuid(), type, gen_random_uuid(), destination_id, body, created_at
    from   outbox_event, generate_series(1, ${SCANNED + 5}) where workspace_id = ${workspaceId}`
  const last = await world.happens('published', { postId: wanted })
  const ids: string[] = []
  let sizes = 0
  for (let cursor: string | undefined, more = true; more; sizes += 1) {
    const { items, nextCursor, hasMore } = page(
      await ask(world, { postId: wanted, ...(cursor === undefined ? {} : { cursor }) }),
    )
    ids.push(...items.map(({ id }) => id))
    ;[cursor, more] = [nextCursor, hasMore]
  }
  expect([ids, sizes]).toEqual([[first, last], 2])
})
