import type { Post } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import {
  aChannel,
  aWorkspace,
  rowCounts,
  type Answered,
  type AWorkspace,
} from '../../../../test/rigs/fixtures.ts'
import { openFileWorld } from '../../../../test/rigs/file-world.ts'

/* The key of a create may stand in the header, in the body, or in both if it is the same: it is one key. */

const { world, api } = await openFileWorld()

type Place = { workspace: AWorkspace; plan: { state: string; channelIds: string[]; text: string } }

async function aPlace(): Promise<Place> {
  const workspace = await aWorkspace(world.db)
  const channelIds = [await aChannel(world.db, workspace.workspaceId)]
  return { workspace, plan: { state: 'draft', channelIds, text: 'Hello' } }
}

function create(
  { workspace, plan }: Place,
  keys: { header?: string; body?: unknown },
  change = {},
): Promise<Answered> {
  const { header = null, body } = keys
  const key = body === undefined ? {} : { idempotencyKey: body }
  return api.call(workspace, 'POST', '/posts', { confirmed: true, ...key, ...plan, ...change }, header)
}

const ways = {
  header: { header: 'k' },
  quoted: { header: '"k"' },
  body: { body: 'k' },
  both: { header: '"k"', body: 'k' },
}
const names = Object.keys(ways) as (keyof typeof ways)[]

describe.each(names)('a create with its key in: %s', (first) => {
  test.each(names)('is repeated with its key in: %s', async (second) => {
    const place = await aPlace()
    const made = await create(place, ways[first])
    const again = await create(place, ways[second])
    expect([made.status, made.headers['idempotent-replayed']]).toEqual([201, undefined])
    expect([again.status, again.headers['idempotent-replayed'], again.text]).toEqual([201, 'true', made.text])

    const changed = await create(place, ways[second], { text: 'Other' })
    expect(changed.body).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
    const { body } = await api.call(place.workspace, 'GET', '/posts')
    expect(body.items.map(({ postId }: Post) => postId)).toEqual([(made.body as Post).postId])
  })
})

test.each<[string, { header?: string; body?: unknown }, string, string]>([
  ['different in header and body', { header: 'k', body: 'l' }, 'validation_failed', '@Idempotency-Key'],
  ['in neither', {}, 'idempotency_key_required', '/idempotencyKey'],
  ['empty in the body', { body: '' }, 'idempotency_key_required', '/idempotencyKey'],
  [
    'empty in the body beside one in the header',
    { header: 'k', body: '' },
    'idempotency_key_required',
    '/idempotencyKey',
  ],
  ['empty in the header', { header: '""', body: 'k' }, 'idempotency_key_required', '@Idempotency-Key'],
  ['no text', { header: 'k', body: 7 }, 'validation_failed', '/idempotencyKey'],
  ['null', { header: 'k', body: null }, 'validation_failed', '/idempotencyKey'],
  ['malformed in the header', { header: 'two words', body: 'k' }, 'validation_failed', '@Idempotency-Key'],
])('a key that is %s is refused, and nothing is created', async (_what, keys, code, pointer) => {
  const place = await aPlace()
  const before = await rowCounts(world.db)
  const { body } = await create(place, keys)
  expect(body).toMatchObject({
    status: 400,
    code,
    errors: expect.arrayContaining([expect.objectContaining({ pointer })]),
  })
  expect(await rowCounts(world.db)).toEqual(before)
})
