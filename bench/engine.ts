import { setTimeout as delay } from 'node:timers/promises'
import { openAuthorization } from '../server/src/networks/channels/authorization.ts'
import type { Db } from '../server/src/platform/postgres/db.ts'
import { decideOutcome } from '../server/src/engine/publication/decide-outcome.ts'
import { publicationStore } from '../server/src/engine/queue/engine-store.ts'
import type { EngineStore, Work } from '../server/src/engine/queue/work.ts'
import {
  cpuSeconds,
  cpuSecondsOfFamily,
  type Figure,
  interleave,
  quantile,
  ratio,
  requestsPerSecond,
  startBeside,
  whole,
} from './measuring.ts'
import { runGraphileWorker, runPgBoss, soon } from './peers.ts'
import { createDatabase, openBeside, type Product } from './product.ts'
import { announceDue, forgetPosts, type Place, seedChannels, seedPosts } from './seeding.ts'

const CHANNELS = { workspaces: 10, channels: 1_000 }
/** How many places the product's publisher has when nothing else is said. */
const CONCURRENCY = 512
const WARM_UPS = 10

/**
 * Claims to published, beside the same statements alone, beside job queues that make the same call, and beside what the
 * sandbox network itself can take.
 */
export async function measureEngine(product: Product): Promise<Figure[]> {
  const jobs = { count: 4_000, concurrency: CONCURRENCY }
  const network = await startBeside('fast-network.ts')
  const places = await seedChannels(product.db, product.keyring, network.url, CHANNELS)
  await using bareDatabase = await openBeside(product, 'bench_bare')
  await using graphileDatabase = await createDatabase(product, 'bench_graphile_worker')
  await using bossDatabase = await createDatabase(product, 'bench_pg_boss')
  const bare = await openBare(bareDatabase.db, product, network.url)
  const peerOn = ({ name }: { name: string }) => ({ host: product.socketDir, database: name })
  const cpu = new Map<string, number>()
  /** Notes what a measurement costs the process that makes the calls, and the database, without the seeding. */
  const costing =
    (name: string, pid: number, measure: (onSeeded: () => void) => Promise<number>) => async () => {
      const used = () => cpuSeconds([pid]) + cpuSecondsOfFamily(product.postmasterPid)
      let before = Number.NaN
      const rate = await measure(() => (before = used()))
      cpu.set(name, ((used() - before) / jobs.count) * 1_000)
      return rate
    }
  try {
    const peerJobs = { ...jobs, networkUrl: network.url }
    const rates = await interleave(5, {
      engine: costing('engine', product.pid, (onSeeded) =>
        publishAll(product.db, places, jobs.count, onSeeded),
      ),
      statements: () => bare.settleAll(jobs.count),
      graphile: costing('graphile', process.pid, (onSeeded) =>
        runGraphileWorker(peerOn(graphileDatabase), { ...peerJobs, onSeeded }),
      ),
      boss: costing('boss', process.pid, (onSeeded) =>
        runPgBoss(peerOn(bossDatabase), { ...peerJobs, onSeeded }),
      ),
    })
    const sandbox = await sandboxLimit()
    const row = (name: string, rate: number, aim: string): Figure => [
      name,
      whole(rate),
      ratio(rates.engine, rate),
      aim,
    ]
    const cost = (name: string) => `${(cpu.get(name) ?? Number.NaN).toFixed(2)} ms`
    return [
      ['published per second, by the engine', whole(rates.engine), '', ''],
      row('the same calls per second by graphile-worker', rates.graphile, '≥ 1.00'),
      row('the same calls per second by pg-boss', rates.boss, ''),
      row('the same statements, no engine and no calls', rates.statements, ''),
      row('posts per second the sandbox network takes', sandbox, ''),
      [
        'CPU for each: engine, graphile-worker, pg-boss',
        ['engine', 'graphile', 'boss'].map(cost).join(', '),
        '',
        '',
      ],
    ]
  } finally {
    await network.stop()
  }
}

/** From the time a post is due to the arrival of its call at the network. */
export async function measureStartDelay(product: Product): Promise<Figure[]> {
  const network = await startBeside('fast-network.ts')
  const places = await seedChannels(product.db, product.keyring, network.url, CHANNELS)
  const rows: Figure[] = []
  await forgetPosts(product.db)
  try {
    // Each connection plans its statements once.
    for (let n = 0; n < WARM_UPS; n++) await startDelays(product.db, places, network.url, 1, 250)
    const alone: number[] = []
    for (let n = 0; n < 30; n++) alone.push(...(await startDelays(product.db, places, network.url, 1, 250)))
    rows.push(delayRow('1 at a time, idle server, 30 times', alone, '< 25 ms'))
    const many = () => startDelays(product.db, places, network.url, 100, 1_000)
    rows.push(delayRow('100 in the same second, 100 channels, the first time', await many(), '< 60 ms'))
    const again: number[] = []
    for (let n = 0; n < 9; n++) again.push(...(await many()))
    rows.push(delayRow('the same, nine times more', again, '< 60 ms'))
    rows.push(
      delayRow(
        '10,000 in the same second, 1,000 channels, 10 workspaces',
        await startDelays(product.db, places, network.url, 10_000, 2_000),
        '',
      ),
    )
    return rows
  } finally {
    await network.stop()
  }
}

function delayRow(name: string, delays: readonly number[], aim: string): Figure {
  return [name, ...[0.5, 0.99].map((share) => `${quantile(delays, share).toFixed(0)} ms`), aim]
}

async function publishAll(
  db: Db,
  places: readonly Place[],
  count: number,
  onSeeded: () => void,
): Promise<number> {
  await forgetPosts(db)
  const dueAt = soon()
  await seedPosts(db, places, { count, status: 'scheduled', dueAt, word: 'engine' })
  onSeeded()
  await announceDue(db)
  await untilPublished(db, count)
  const [took] = await db<{ seconds: number }[]>`
    select extract(epoch from max(published_at) - ${dueAt}::timestamptz)::float8 as seconds from destination`
  return count / (took?.seconds ?? 0)
}

async function startDelays(
  db: Db,
  places: readonly Place[],
  networkUrl: string,
  count: number,
  aheadMs: number,
): Promise<number[]> {
  const dueAt = new Date(Date.now() + aheadMs)
  await seedPosts(db, places, { count, status: 'scheduled', dueAt, word: 'delay' })
  await announceDue(db)
  await untilEnded(db)
  const answer = await fetch(`${networkUrl}/arrivals`)
  const arrivals = (await answer.json()) as [text: string, atMs: number][]
  if (arrivals.length !== count) throw new Error(`${arrivals.length} of ${count} posts came.`)
  return arrivals.map(([, atMs]) => atMs - dueAt.getTime())
}

async function untilEnded(db: Db): Promise<void> {
  for (;;) {
    const rows = await db`
      select from destination where status in ('scheduled', 'publishing', 'delayed', 'checking') limit 1`
    if (rows.length === 0) return
    await delay(50)
  }
}

async function untilPublished(db: Db, count: number): Promise<void> {
  await untilEnded(db)
  const [row] = await db<{ published: number }[]>`
    select count(*)::int as published from destination where status = 'published'`
  if (row?.published !== count) throw new Error(`${row?.published} of ${count} were published.`)
}

/** A database on which the engine's statements run with nothing around them. */
async function openBare(db: Db, { keyring }: Product, networkUrl: string) {
  const places = await seedChannels(db, keyring, networkUrl, CHANNELS)
  const store = publicationStore(db, {
    workerId: '01900000-0000-7000-8000-000000000001',
    leaseMs: 60_000,
    perWorkspace: CONCURRENCY,
    openAuthorization: (sealed, channelId) => openAuthorization(keyring, channelId, sealed),
  })
  return {
    async settleAll(count: number): Promise<number> {
      await forgetPosts(db)
      await seedPosts(db, places, { count, status: 'scheduled', dueAt: new Date(), word: 'bare' })
      const begun = performance.now()
      let settled = 0
      while (settled < count) {
        const claimed = await store.claim(CONCURRENCY)
        await Promise.all(claimed.map((work, n) => settleOne(store, work, settled + n)))
        settled += claimed.length
      }
      return (count / (performance.now() - begun)) * 1_000
    },
  }
}

let attempts = 0

async function settleOne(store: EngineStore, work: Work, n: number): Promise<void> {
  const { workspaceId, destinationId, fence } = work
  const attemptId = `01900000-0000-7000-8000-${String(attempts++).padStart(12, '0')}`
  await store.arm({ workspaceId, destinationId, fence, attemptId, partIndex: 0, key: attemptId })
  const url = `http://127.0.0.1/${n}`
  const conclusion = { is: 'published', remoteId: String(n), url } as const
  const standing = {
    status: 'publishing',
    provider: work.provider,
    parts: work.parts,
    partIndex: 0,
    tries: 0,
  } as const
  const evidence = { by: 'publish', verdict: 'published', httpStatus: 201, durationMs: 1 }
  await store.settle({
    workspaceId,
    destinationId,
    fence,
    attempt: { id: attemptId, partIndex: 0, conclusion: 'published', evidence, inferred: false },
    outcome: decideOutcome(standing, conclusion, 0),
  })
}

/** The sandbox network alone, in a process of its own that keeps its posts in memory. */
async function sandboxLimit(): Promise<number> {
  const network = await startBeside('sandbox.ts')
  try {
    const answer = await fetch(`${network.url}/control/accounts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle: 'bench', profile: 'short' }),
    })
    const { token } = (await answer.json()) as { token: string }
    return await requestsPerSecond({
      url: network.url,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      make: (n) => ({ path: '/api/v1/posts', body: JSON.stringify({ text: `bench ${n}` }) }),
    })
  } finally {
    await network.stop()
  }
}
