import {
  cpuSeconds,
  cpuSecondsOfFamily,
  type Figure,
  interleave,
  median,
  ratio,
  requestsPerSecond,
} from './measuring.ts'
import type { Product } from './product.ts'
import { connectChannels, forgetPosts, seedPosts } from './seeding.ts'

const CHANNELS = 50
const POSTS = 100_000
const ROUNDS = 9
const LATER = new Date('2027-12-01T09:00:30Z')

/** Creates that take a posting time, beside those with a time of their own: one after the other, among 100,000 queued posts. */
export async function measureQueue(product: Product): Promise<Figure[]> {
  const { db, url, key, keyring } = product
  await forgetPosts(db)
  const [{ workspaceId }] = await db<[{ workspaceId: string }]>`
    select workspace_id as "workspaceId" from agent_key where revoked_at is null limit 1`
  const places = await connectChannels(db, keyring, 'http://127.0.0.1:9', {
    workspaceIds: [workspaceId],
    channels: CHANNELS,
  })
  const hourly = Array.from({ length: 168 }, (_, hour) => hour * 60)
  await db`update workspace set time_zone = 'UTC' where id = ${workspaceId}`
  await db`
    update channel set posting_times = ${hourly}::smallint[]
    where  workspace_id = ${workspaceId} and id = any(${places.map(({ channelId }) => channelId)}::uuid[])`
  await seedPosts(db, places, { count: POSTS, status: 'scheduled', dueAt: LATER, word: 'queued' })
  await db`
    with placed as (
      select id, date_trunc('hour', now()) + row_number() over (partition by channel_id order by id) * interval '1 hour' as at
      from   destination where workspace_id = ${workspaceId}
    )
    update destination d
    set    queued = true, publish_at = placed.at, due_at = placed.at, expires_at = placed.at + interval '1 day'
    from   placed where d.workspace_id = ${workspaceId} and d.id = placed.id`
  await db`vacuum analyze`

  let made = 0
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const create =
    (publishAt: unknown, connections = 1) =>
    () =>
      requestsPerSecond({
        url,
        headers,
        method: 'POST',
        seconds: 1,
        connections,
        make: () => ({
          path: '/agent/v1/posts',
          body: JSON.stringify({
            confirmed: true,
            idempotencyKey: `queue-${made++}`,
            state: 'scheduled',
            publishAt,
            text: `Post ${made}`,
            channelIds: [places[made % CHANNELS]?.channelId],
          }),
        }),
      })
  const used = () => cpuSeconds([product.pid]) + cpuSecondsOfFamily(product.postmasterPid)
  const cpu = new Map<string, number[]>()
  /** The same, with the milliseconds of CPU that each create took of the server and the database. */
  const counted = (name: string, run: () => Promise<number>) => async () => {
    const [before, sent] = [used(), made]
    const rate = await run()
    cpu.set(name, [...(cpu.get(name) ?? []), ((used() - before) / (made - sent)) * 1_000])
    return rate
  }
  const plain = LATER.toISOString()
  const one = await interleave(ROUNDS, {
    plain: counted('plain', create(plain)),
    next: counted('next', create({ queue: 'next' })),
    first: counted('first', create({ queue: 'first' })),
  })
  const many = await interleave(3, { plain: create(plain, 32), next: create({ queue: 'next' }, 32) })
  const ms = (rate: number) => `${(1_000 / rate).toFixed(2)} ms`
  const cpuOf = (name: string) => median(cpu.get(name) ?? [])
  const costs = (name: string) => `${cpuOf(name).toFixed(2)} ms (${ratio(cpuOf(name), cpuOf('plain'))})`
  return [
    ['a create with a time of its own', ms(one.plain), '', costs('plain'), ''],
    [
      'the same with the next posting time',
      ms(one.next),
      ratio(one.plain, one.next),
      costs('next'),
      '≤ 1.50',
    ],
    [
      'with the first free one, behind 2,000 that are taken',
      ms(one.first),
      ratio(one.plain, one.first),
      costs('first'),
      '',
    ],
    [
      'next posting times of 50 channels at 32 connections, per second',
      many.next.toFixed(0),
      ratio(many.plain, many.next),
      '',
      '',
    ],
  ]
}
