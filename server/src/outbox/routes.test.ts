import { type Answer, type app, type listEvents, noLimits } from '@postrider/contract'
import { expect, test } from 'vitest'
import { aWorkspace } from '../../test/rigs/fixtures.ts'
import { openWebhookWorld, type WebhookWorld } from '../../test/rigs/webhook-world.ts'
import { cursors } from '../operations/cursor.ts'
import { isRefusal, type Refusal } from '../operations/refusal.ts'
import { pruneEvents } from '../webhooks/delivery-retention-store.ts'
import { eventLogRoutes, eventRoutes } from './routes.ts'

type Reply = Answer<typeof listEvents> | Refusal

/** Asks the route as the edge does once a request has passed its schemas. */
async function ask(
  world: WebhookWorld,
  query: { cursor?: string; limit?: number },
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
