/*
 * How webhooks hold up, on this machine: `node bench/webhooks.ts [seconds]`.
 * Fairness: 200 healthy endpoints share 100 events a second, while 60 endpoints with a backlog hang; how long after the
 * commit does an event arrive? Throughput: how long does a backlog take, beside a loop that only sends the same bytes?
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { Agent } from 'undici'
import { v7 as uuidv7 } from 'uuid'
import { MIGRATIONS } from '../server/src/platform/database.ts'
import { announce } from '../server/src/outbox/outbox-store.ts'
import type { Change } from '../server/src/outbox/envelope.ts'
import { openDb, type Db } from '../server/src/platform/db.ts'
import { startEmbeddedPostgres } from '../server/src/platform/embedded-postgres/embedded-postgres.ts'
import { createLog } from '../server/src/platform/log.ts'
import { migrate } from '../server/src/platform/migrate.ts'
import { makeKeyring } from '../server/src/platform/sealing.ts'
import { issueSecret } from '../server/src/webhooks/endpoint-secrets.ts'
import { insertEndpoint } from '../server/src/webhooks/endpoint-store.ts'
import { startWebhooks } from '../server/src/webhooks/start-webhooks.ts'

const seconds = Number(process.argv[2] ?? 30)
const healthyCount = 200
const hangingCount = 60
const backlogOfEach = 500
const eventsPerSecond = 100
const drained = 20_000

const keyring = makeKeyring([randomBytes(32)])
const rules = { httpsOnly: true, trustedOrigins: 'any', trustedNetworks: [] } as const

async function openReceivers() {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'webhook-receivers.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? 'null') as unknown
  const port = (await next()) as number
  return {
    origin: `http://127.0.0.1:${port}`,
    async arrivals() {
      child.stdin.write('\n')
      return (await next()) as [id: string, atMs: number][]
    },
    async close() {
      child.stdin.end()
      await once(child, 'close')
    },
  }
}

/** A workspace with one endpoint; gives the workspace. */
async function anEndpoint(db: Db, url: string): Promise<string> {
  const [workspaceId, endpointId] = [uuidv7(), uuidv7()]
  await db`insert into workspace (id, name) values (${workspaceId}, 'bench')`
  const key = { workspaceId, endpointId }
  const settings = { url, description: '', eventTypes: ['post.published' as const], autoReplay: false }
  await insertEndpoint(db, key, settings)
  await issueSecret(db, keyring, key)
  return workspaceId
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

function startDispatcher(db: Db) {
  return startWebhooks({
    db,
    keyring,
    rules,
    log: createLog({ level: 'silent' }),
    registry: new Registry(),
    concurrency: 256,
    standardHeaders: true,
  })
}

/** Milliseconds from commit to arrival, for the events of each phase. */
async function measureFairness(db: Db, writer: Db, receivers: Awaited<ReturnType<typeof openReceivers>>) {
  const healthy: string[] = []
  for (let n = 0; n < healthyCount; n++)
    healthy.push(await anEndpoint(db, `${receivers.origin}/healthy/${n}`))
  for (let n = 0; n < hangingCount; n++) {
    const workspaceId = await anEndpoint(db, `${receivers.origin}/hang/${n}`)
    await db.begin((tx) =>
      announce(
        tx,
        Array.from({ length: backlogOfEach }, () => aChange(workspaceId)),
      ),
    )
  }
  const dispatcher = await startDispatcher(db)
  const committed = new Map<string, number>()
  const begun = Date.now()
  const writing: Promise<void>[] = []
  for (let n = 0; n < seconds * eventsPerSecond; n++) {
    const dueMs = begun + (n * 1_000) / eventsPerSecond
    if (dueMs > Date.now()) await delay(dueMs - Date.now())
    writing.push(recordOne(writer, healthy[n % healthyCount] ?? '', committed))
  }
  await Promise.all(writing)
  await delay(2_000)
  const arrivals = new Map(await receivers.arrivals())
  const waits = [...committed].map(([id, atMs]) => ({ atMs, ms: (arrivals.get(id) ?? Infinity) - atMs }))
  await dispatcher.stop(0)
  return {
    events: waits.length,
    arrived: waits.filter(({ ms }) => ms < Infinity).length,
    first5s: percentiles(waits.filter(({ atMs }) => atMs < begun + 5_000)),
    all: percentiles(waits),
    after20s: percentiles(waits.filter(({ atMs }) => atMs >= begun + 20_000)),
  }
}

async function recordOne(writer: Db, workspaceId: string, committed: Map<string, number>): Promise<void> {
  const change = aChange(workspaceId)
  await writer.begin((tx) => announce(tx, [change]))
  const atMs = Date.now()
  const [event] = await writer<{ id: string }[]>`
    select id from outbox_event where workspace_id = ${workspaceId} and destination_id = ${change.destinationId}`
  committed.set(event?.id ?? '', atMs)
}

function percentiles(waits: readonly { ms: number }[]) {
  const sorted = waits.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) }
}

async function measureThroughput(db: Db, receivers: Awaited<ReturnType<typeof openReceivers>>) {
  await db`truncate delivery, delivery_attempt, outbox_event, endpoint_secret, endpoint cascade`
  const workspaces: string[] = []
  for (let n = 0; n < 50; n++) workspaces.push(await anEndpoint(db, `${receivers.origin}/healthy/${n}`))
  for (const workspaceId of workspaces)
    await db.begin((tx) =>
      announce(
        tx,
        Array.from({ length: drained / workspaces.length }, () => aChange(workspaceId)),
      ),
    )
  await db`vacuum analyze delivery`
  await receivers.arrivals()

  const begun = performance.now()
  const cpu = process.cpuUsage()
  const dispatcher = await startDispatcher(db)
  while ((await unsettled(db)) > 0) await delay(100)
  const dispatched = drained / ((performance.now() - begun) / 1_000)
  const cpuDispatched = cpuMicros(cpu)
  await dispatcher.stop(1_000)
  const arrived = new Set((await receivers.arrivals()).map(([id]) => id)).size

  const [event] = await db<{ body: Buffer }[]>`select body from outbox_event limit 1`
  const cpuBegun = process.cpuUsage()
  const bare = await sendBare(receivers.origin, event?.body ?? Buffer.of())
  const cpuBare = cpuMicros(cpuBegun)
  await receivers.arrivals()
  return {
    arrived,
    dispatchedPerSecond: Math.round(dispatched),
    barePerSecond: Math.round(bare),
    share: round(dispatched / bare),
    // Of this process, without the database: hardly changes with what else the machine does.
    cpuMicrosPerDelivery: { dispatched: cpuDispatched, bare: cpuBare },
  }
}

/** The same requests with nothing around them: no rows, no signatures, no checks. */
async function sendBare(origin: string, body: Buffer): Promise<number> {
  const agent = new Agent({ pipelining: 1 })
  let sent = 0
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: 256 }, async () => {
      while (sent < drained) {
        sent += 1
        const response = await agent.request({
          origin,
          path: `/healthy/${sent % 50}`,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-service-event-id': String(sent) },
          body,
        })
        await response.body.dump()
      }
    }),
  )
  const perSecond = drained / ((performance.now() - begun) / 1_000)
  await agent.close()
  return perSecond
}

function cpuMicros(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return Math.round((user + system) / drained)
}

async function unsettled(db: Db): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::int as count from delivery where status in ('pending', 'sending')`
  return row?.count ?? 0
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-'))
// PostgreSQL runs as another user when the bench runs as root.
await chmod(dataDir, 0o711)
const postgres = await startEmbeddedPostgres({ dataDir })
const db = openDb({ ...postgres.connection, applicationName: 'bench' })
const writer = openDb({ ...postgres.connection, applicationName: 'bench writer', max: 8 })
const receivers = await openReceivers()
try {
  await migrate(db, MIGRATIONS)
  const fairness = await measureFairness(db, writer, receivers)
  const throughput = await measureThroughput(db, receivers)
  process.stdout.write(`${JSON.stringify({ fairness, throughput }, null, 2)}\n`)
} finally {
  await receivers.close()
  await Promise.all([db.end({ timeout: 5 }), writer.end({ timeout: 5 })])
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
}
