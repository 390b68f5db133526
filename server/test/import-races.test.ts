import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { overlookedChannels } from './simulation/store-twins.ts'
import { openServerRig } from './rigs/server-rig.ts'

/*
 * Imports at once, and beside creates on the same channels: all are answered, no row is lost, and no posting time is taken twice. With
 * `IMPORT_ROWS=5000`, as large as an import may be.
 */

const ROWS = Number(process.env['IMPORT_ROWS'] ?? 500)
/** Of each of several at once. */
const ROWS_AT_ONCE = Math.ceil(ROWS * 0.16)
const AT_ONCE = 4
const CHANNELS = 4
const AGENTS = 3
const HOURLY = Array.from({ length: 7 * 24 }, (_, hour) => hour * 60)

type Rig = Awaited<ReturnType<typeof openScene>>
type When = (row: number) => object

const inQueue: When = (n) => ({ publishAt: n % 5 === 0 ? 'first' : 'next' })
/** In the order of their rows, one import later than the other. */
const inOrder: When = (n) => ({ publishAt: new Date(Date.UTC(2027, 5, 1) + n * 60_000).toISOString() })

async function openScene() {
  const rig = await openServerRig({ channels: CHANNELS, database: 'shared' })
  await rig.db`update channel set posting_times = ${HOURLY}`
  await rig.serve('api')
  const { baseUrl, key, channelIds } = rig
  const ask = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const payload = JSON.stringify({ confirmed: true, ...body })
    const begunMs = performance.now()
    const answer = await fetch(`${baseUrl}/agent/v1${path}`, { method: 'POST', headers, body: payload })
    const text = await answer.text()
    return { status: answer.status, text, ms: performance.now() - begunMs }
  }
  /** The rows name the channels one after the other, from one on. */
  const imported = (rows: number, when: When, from: number) => {
    const posts = Array.from({ length: rows }, (_, n) => ({
      id: `row-${n}`,
      channels: [channelIds[(n + from) % CHANNELS]],
      text: randomUUID(),
      ...when(n + from * rows),
    }))
    return ask('/posts/import', { format: 'plan', file: JSON.stringify({ plan: randomUUID(), posts }) })
  }
  const created = (n: number) => {
    const when = n % 2 === 0 ? { publishAt: { queue: 'next' } } : inOrder(-n)
    const post = { channelIds: [channelIds[n % CHANNELS]], text: randomUUID(), state: 'scheduled', ...when }
    return ask('/posts', { idempotencyKey: randomUUID(), ...post })
  }
  return Object.assign(rig, { imported, created })
}

/** How many posts there are, and of these in queues; each posting time of a channel is held once. */
async function countPosts({ db }: Rig) {
  const [row] = await db<{ posts: number; queued: number; held: number }[]>`
    select count(*)::int as posts, count(*) filter (where queued)::int as queued,
           count(distinct (channel_id, publish_at)) filter (where queued)::int as held
    from   destination where status = 'scheduled'`
  const { posts, queued, held } = row!
  expect(held).toBe(queued)
  return { posts, queued }
}

/** Channels in whose queues a posting time is free before the last. */
const channelsWithGaps = ({ db }: Rig) => db`
  select channel_id from destination where queued
  group  by channel_id
  having count(*) <> 1 + extract(epoch from max(publish_at) - min(publish_at)) / 3600`

const said = (answers: readonly { status: number; text: string }[]) =>
  answers.map(({ status, text }) => (status < 300 ? status : `${status} ${text.slice(0, 300)}`))

test.each<[string, When]>([
  ['take posting times', inQueue],
  ['have times in plain order', inOrder],
])('imports at once whose rows %s are all carried out', { timeout: 600_000 }, async (_, when) => {
  await using rig = await openScene()
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) => rig.imported(ROWS_AT_ONCE, when, n)),
  )
  expect(said(answers)).toEqual(answers.map(() => 200))
  const posts = AT_ONCE * ROWS_AT_ONCE
  expect(await countPosts(rig)).toEqual({ posts, queued: when === inQueue ? posts : 0 })
  expect(await channelsWithGaps(rig)).toEqual([])
  expect(await overlookedChannels(rig.db)).toEqual([])
})

test('creates on the channels of an import are answered beside it', { timeout: 600_000 }, async () => {
  await using rig = await openScene()
  let isOver = false
  const importing = rig.imported(ROWS, inQueue, 0).finally(() => (isOver = true))
  const creates: Awaited<ReturnType<typeof rig.created>>[] = []
  await Promise.all(
    Array.from({ length: AGENTS }, async (_, agent) => {
      for (let n = agent; !isOver; n += AGENTS) creates.push(await rig.created(n))
    }),
  )
  const answer = await importing
  expect(said([answer])).toEqual([200])
  expect(new Set(said(creates))).toEqual(new Set([201]))
  const { posts } = await countPosts(rig)
  expect(posts).toBe(ROWS + creates.length)
  expect(await overlookedChannels(rig.db)).toEqual([])
  const slowest = Math.max(...creates.map(({ ms }) => ms))
  if (process.env['IMPORT_ROWS'] !== undefined)
    console.log(
      `import of ${ROWS}: ${(answer.ms / 1_000).toFixed(1)} s; beside it ${creates.length} creates, the slowest ${slowest.toFixed(0)} ms`,
    )
})
