import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { Agent } from 'undici'
import { v7 as uuidv7 } from 'uuid'
import { announce } from '../server/src/engine/outbox/outbox-store.ts'
import type { Change } from '../server/src/engine/outbox/envelope.ts'
import type { Db } from '../server/src/platform/postgres/db.ts'
import { createLog } from '../server/src/platform/process/log.ts'
import { makeKeyring } from '../server/src/platform/sealing/sealing.ts'
import { startWebhooks } from '../server/src/engine/webhooks/start-webhooks.ts'
import { cpuSeconds, type Figure, interleave, quantile, ratio, startBeside, whole } from './measuring.ts'
import { openBeside, type Product } from './product.ts'
import { forgetEndpoints, newIds, seedEndpoint } from './seeding.ts'
import { measureBesidePublishing } from './webhooks-beside-publishing.ts'

const HEALTHY = 200
const HANGING = 60
const BACKLOG_OF_EACH = 500
const EVENTS_PER_SECOND = 100
const SECONDS = 20
const DRAINED = 20_000
const ENDPOINTS_DRAINED = 50
/** How many requests the bare loop has under way; the dispatcher has as many places. */
const CONCURRENCY = 256
/** As the product opens it for its dispatcher. */
const POOL = { max: 4, byIndex: true }

const keyring = makeKeyring([randomBytes(32)])
const rules = { httpsOnly: true, trustedOrigins: 'any', trustedNetworks: [] } as const

/** The product while it publishes; then the dispatcher on a database of its own: endpoints that hang beside healthy ones, and a backlog beside the same requests alone. */
export async function measureWebhooks(product: Product): Promise<Figure[]> {
  const besidePublishing = await measureBesidePublishing(product)
  await using beside = await openBeside(product, 'bench_webhooks', POOL)
  const receivers = await startBeside('webhook-receivers.ts')
  try {
    return [
      ...besidePublishing,
      ...(await measureFairness(beside.db, receivers.url)),
      ...(await measureThroughput(product, beside.db, receivers)),
    ]
  } finally {
    await receivers.stop()
  }
}

/** New workspaces with one endpoint each, at these addresses. */
async function seedEndpoints(db: Db, urls: readonly string[]): Promise<string[]> {
  const workspaceIds = await newIds(db, urls.length)
  await db`insert into workspace (id, name) select id, 'bench' from unnest(${workspaceIds}::uuid[]) id`
  for (const [n, workspaceId] of workspaceIds.entries())
    await seedEndpoint(db, keyring, { workspaceId, url: urls[n] ?? '', eventTypes: ['post.published'] })
  return workspaceIds
}

function urlsOf(origin: string, path: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${origin}/${path}/${n}`)
}

function aChange(workspaceId: string): Change {
  return {
    workspaceId,
    destinationId: uuidv7(),
    postId: uuidv7(),
    channelId: uuidv7(),
    provider: 'sandbox-short',
    status: 'published',
    publishAt: new Date(),
    releaseUrl: 'https://short.example/p/1',
    checkAgainAt: null,
    error: null,
    at: new Date(),
  }
}

async function recordBacklog(db: Db, workspaceIds: readonly string[], ofEach: number): Promise<void> {
  for (const workspaceId of workspaceIds) {
    const changes = Array.from({ length: ofEach }, () => aChange(workspaceId))
    await db.begin((tx) => announce(tx, changes))
  }
}

function startDispatcher(db: Db, registry = new Registry()) {
  return startWebhooks({
    db,
    keyring,
    rules,
    concurrency: CONCURRENCY,
    standardHeaders: true,
    log: createLog({ level: 'silent' }),
    registry,
  })
}

async function takeArrivals(receiversUrl: string): Promise<[id: string, atMs: number][]> {
  const answer = await fetch(`${receiversUrl}/arrivals`)
  return (await answer.json()) as [id: string, atMs: number][]
}

/** From commit to arrival at healthy endpoints, while others with a backlog hang. */
async function measureFairness(db: Db, receiversUrl: string): Promise<Figure[]> {
  const healthy = await seedEndpoints(db, urlsOf(receiversUrl, 'healthy', HEALTHY))
  await recordBacklog(db, await seedEndpoints(db, urlsOf(receiversUrl, 'hang', HANGING)), BACKLOG_OF_EACH)
  const dispatcher = await startDispatcher(db)
  const committed = new Map<string, number>()
  const begunMs = Date.now()
  const writing: Promise<void>[] = []
  for (let n = 0; n < SECONDS * EVENTS_PER_SECOND; n++) {
    const dueMs = begunMs + (n * 1_000) / EVENTS_PER_SECOND
    if (dueMs > Date.now()) await delay(dueMs - Date.now())
    writing.push(recordOne(db, healthy[n % HEALTHY] ?? '', committed))
  }
  await Promise.all(writing)
  await delay(2_000)
  const arrivals = new Map(await takeArrivals(receiversUrl))
  await dispatcher.stop(0)
  const waits = [...committed].map(([id, atMs]) => ({ atMs, ms: (arrivals.get(id) ?? Infinity) - atMs }))
  const row = (name: string, some: readonly { ms: number }[], aim: string): Figure => {
    const ms = some.map((wait) => wait.ms)
    return [name, `p50 ${quantile(ms, 0.5)} ms, p99 ${quantile(ms, 0.99)} ms`, '', aim]
  }
  const settledIn = waits.filter(({ atMs }) => atMs >= begunMs + (SECONDS / 2) * 1_000)
  return [
    row(`to ${HEALTHY} healthy endpoints beside ${HANGING} that hang`, waits, ''),
    row('the same in the second half', settledIn, 'p99 < 250 ms'),
  ]
}

async function recordOne(db: Db, workspaceId: string, committed: Map<string, number>): Promise<void> {
  const change = aChange(workspaceId)
  await db.begin((tx) => announce(tx, [change]))
  const atMs = Date.now()
  const [event] = await db<{ id: string }[]>`
    select id from outbox_event where workspace_id = ${workspaceId} and destination_id = ${change.destinationId}`
  committed.set(event?.id ?? '', atMs)
}

/** A backlog, beside the same requests with nothing around them: no rows, no signatures, no checks. */
async function measureThroughput(product: Product, db: Db, receivers: { url: string }): Promise<Figure[]> {
  await forgetEndpoints(db)
  await db`truncate outbox_event cascade`
  const workspaceIds = await seedEndpoints(db, urlsOf(receivers.url, 'healthy', ENDPOINTS_DRAINED))
  await recordBacklog(db, workspaceIds.slice(0, 1), 1)
  const [event] = await db<[{ body: Buffer }]>`select body from outbox_event`
  const databaseCpu = async () =>
    new Map((await product.databasePids()).map((pid) => [pid, cpuSeconds([pid])]))
  const cpu = { node: [] as number[], database: [] as number[] }

  const { dispatched, bare } = await interleave(3, {
    async dispatched() {
      await recordBacklog(db, workspaceIds, DRAINED / ENDPOINTS_DRAINED)
      await db`vacuum analyze delivery`
      const before = { node: process.cpuUsage(), database: await databaseCpu() }
      const begunMs = performance.now()
      const registry = new Registry()
      const dispatcher = await startDispatcher(db, registry)
      while ((await settledBy(registry)) < DRAINED) await delay(25)
      const tookMs = performance.now() - begunMs
      const { user, system } = process.cpuUsage(before.node)
      cpu.node.push((user + system) / DRAINED)
      const spent = [...(await databaseCpu())].map(([pid, total]) => total - (before.database.get(pid) ?? 0))
      cpu.database.push((spent.reduce((sum, one) => sum + one, 0) * 1e6) / DRAINED)
      await dispatcher.stop(1_000)
      const arrived = new Set((await takeArrivals(receivers.url)).map(([id]) => id)).size
      if (arrived < DRAINED) throw new Error(`${arrived} of ${DRAINED} events arrived.`)
      return (DRAINED / tookMs) * 1_000
    },
    async bare() {
      const perSecond = await sendBare(receivers.url, event.body)
      await takeArrivals(receivers.url)
      return perSecond
    },
  })
  const micros = (of: readonly number[]) => `${quantile(of, 0.5).toFixed(0)} µs`
  return [
    ['deliveries per second, by the dispatcher', whole(dispatched), '', ''],
    ['the same requests alone', whole(bare), ratio(dispatched, bare), '≥ 0.50'],
    ['CPU of a delivery: the dispatcher, PostgreSQL', `${micros(cpu.node)}, ${micros(cpu.database)}`, '', ''],
  ]
}

async function sendBare(origin: string, body: Buffer): Promise<number> {
  const agent = new Agent({ pipelining: 1 })
  let sent = 0
  const begunMs = performance.now()
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (sent < DRAINED) {
        sent += 1
        const response = await agent.request({
          origin,
          path: `/healthy/${sent % ENDPOINTS_DRAINED}`,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-service-event-id': String(sent) },
          body,
        })
        await response.body.dump()
      }
    }),
  )
  const perSecond = (DRAINED / (performance.now() - begunMs)) * 1_000
  await agent.close()
  return perSecond
}

/** By its own count, which costs the database nothing: to ask there took a tenth of what is measured. */
async function settledBy(registry: Registry): Promise<number> {
  const attempts = await registry.getSingleMetric('postrider_webhook_attempts_total')?.get()
  return (attempts?.values ?? []).reduce((sum, { value }) => sum + value, 0)
}
