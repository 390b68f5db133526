import { setTimeout as delay } from 'node:timers/promises'
import { agentKeys } from '../server/src/people/keys/authenticate.ts'
import { pruneAudit } from '../server/src/people/audit/audit-store.ts'
import { transactionTask } from '../server/src/operate/housekeeping/housekeeping.ts'
import type { Db } from '../server/src/platform/postgres/db.ts'
import { pruneIdempotency } from '../server/src/edge/operations/idempotency.ts'
import { runPeriodically } from '../server/src/platform/loops/run-periodically.ts'
import { pruneAttempts } from '../server/src/engine/queue/attempt-retention-store.ts'
import {
  pruneDeliveries,
  pruneDeliveryAttempts,
  pruneEvents,
} from '../server/src/engine/webhooks/delivery-retention-store.ts'
import { type Figure, quantile, residentMb, sharedOutMb, startBeside, table } from './measuring.ts'
import type { Product } from './product.ts'
import { connectChannels, seedEndpoint } from './seeding.ts'

/** Each of them makes a post a second, or as many as the product lets it. */
const AGENTS = 8
const CHANNELS_OF_EACH = 5
const PACE_MS = 1_000
const PUBLISHED_AFTER_MS = 10_000
/** Days of retention turn into these, so that rows are removed as fast as they come after the first minutes. */
const KEPT_MINUTES = 10
const MINUTE_MS = 60_000
/** How much larger something may be at the end than in the middle. */
const GROWTH = 1.1

/** What is removed after its time: its size stays what it is. */
const REMOVED = [
  'attempt',
  'outbox_event',
  'delivery',
  'delivery_attempt',
  'idempotency_record',
  'audit_entry',
] as const
/** What stays until an operator removes it: its bytes per row stay what they are. */
const KEPT = ['post', 'post_search', 'destination', 'part'] as const

/**
 * The product under a constant load of all that agents do, with a short retention. Whatever grows without end is found
 * by comparing the last quarter with the one before it.
 */
export async function measureSoak(product: Product, { minutes }: { minutes: number }): Promise<Figure[]> {
  const { db, keyring, key } = product
  const network = await startBeside('fast-network.ts')
  const receivers = await startBeside('webhook-receivers.ts')
  const workspaceId = (await agentKeys.find(db, key))?.workspaceId ?? ''
  const places = await connectChannels(db, keyring, network.url, {
    workspaceIds: [workspaceId],
    channels: AGENTS * CHANNELS_OF_EACH,
  })
  await seedEndpoint(db, keyring, {
    workspaceId,
    url: `${receivers.url}/soak`,
    eventTypes: ['post.scheduled', 'post.published', 'post.cancelled', 'post.failed'],
  })
  const load = startLoad(
    product,
    places.map(({ channelId }) => channelId),
  )
  const faults: string[] = []
  const pruning = runPeriodically(
    () => prune(db),
    MINUTE_MS / 2,
    (fault) => faults.push(String(fault)),
  )
  const samples: Sample[] = []
  try {
    process.stdout.write(`${table(PROGRESS, [])}\n`)
    const begunMs = Date.now()
    for (let minute = 1; minute <= minutes; minute++) {
      await delay(Math.max(0, begunMs + minute * MINUTE_MS - Date.now()))
      for (const { url } of [network, receivers]) await (await fetch(`${url}/arrivals`)).arrayBuffer()
      const sample = await takeSample(product, load.takeCreates())
      samples.push(sample)
      process.stdout.write(`${progress(minute, sample)}\n`)
    }
    const failed = [...load.faults, ...faults]
    return [...judge(samples), ['failed requests', '', String(failed.length), '', failed[0] ?? '', '']]
  } finally {
    await load.stop()
    await pruning.stop()
    await Promise.all([network.stop(), receivers.stop()])
  }
}

type Load = {
  readonly faults: readonly string[]
  /** How many milliseconds creates took since the last call. */
  takeCreates(): number[]
  stop(): Promise<void>
}

type Created = {
  postId: string
  editToken: string
  destinations: { controlToken: string }[]
}

function startLoad({ url, key }: Product, channelIds: readonly string[]): Load {
  const stopping = new AbortController()
  const faults: string[] = []
  let creates: number[] = []

  async function ask<Answer>(path: string, body?: object, idempotencyKey?: string): Promise<Answer> {
    const response = await fetch(`${url}/agent/v1/posts${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify({ confirmed: true, ...body }) }),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Answer
  }

  /** Every post is read once, and a quarter each is repeated, edited, cancelled and listed. */
  async function work(agent: number, round: number): Promise<void> {
    const name = `${agent}-${round}`
    const channelId = channelIds[agent * CHANNELS_OF_EACH + (round % CHANNELS_OF_EACH)]
    const publishAt = new Date(Date.now() + PUBLISHED_AFTER_MS).toISOString()
    const post = { state: 'scheduled', text: `Soak ${name}`, channelIds: [channelId], publishAt }
    const begunMs = performance.now()
    const { postId, editToken, destinations } = await ask<Created>('', post, name)
    creates.push(performance.now() - begunMs)
    const controlToken = destinations[0]?.controlToken
    const edit = { editToken, content: { text: `Edited ${name}` } }
    if (round % 4 === 0) await ask('', post, name)
    if (round % 4 === 1) await ask(`/${postId}/edit`, edit, `edit-${name}`)
    if (round % 4 === 2) await ask(`/${postId}/cancel`, { channelId, controlToken }, `cancel-${name}`)
    if (round % 4 === 3) await ask('?limit=20')
    await ask(`/${postId}`)
  }

  async function run(agent: number): Promise<void> {
    for (let round = 0; !stopping.signal.aborted; round++) {
      const pace = delay(PACE_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      await work(agent, round).catch((fault: unknown) => void faults.push(String(fault)))
      await pace
    }
  }

  const running = Promise.all(Array.from({ length: AGENTS }, (_, agent) => run(agent)))
  return {
    faults,
    takeCreates() {
      const taken = creates
      creates = []
      return taken
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** The housekeeping of the product with minutes for days. */
async function prune(db: Db): Promise<void> {
  const days = KEPT_MINUTES / (24 * 60)
  const tasks = {
    pruneIdempotency,
    pruneDeliveryAttempts,
    pruneDeliveries,
    pruneEvents,
    pruneAttempts,
    pruneAudit,
  }
  const never = new AbortController().signal
  for (const [name, run] of Object.entries(tasks)) {
    const task = transactionTask(db, `soak: ${name}`, 5_000, (tx, limit) => run(tx, days, limit))
    while ((await task.run(task.batch, never)) === task.batch);
  }
}

type TableSample = { bytes: number; rows: number; dead: number; autovacuums: number; hotShare: number }

type Sample = {
  tables: ReadonlyMap<string, TableSample>
  serverMb: number
  databaseMb: number
  createMs: readonly number[]
  /** From its time to published, of the last minute. */
  startP99Ms: number
  /** From recorded to acknowledged, of the last minute. */
  deliveryP99Ms: number
}

async function takeSample(product: Product, createMs: readonly number[]): Promise<Sample> {
  const { db, pid } = product
  const rows = await db<({ name: string } & TableSample)[]>`
    select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes,
           (xpath('/row/c/text()', query_to_xml(format('select count(*) as c from %I', c.relname), false, true, '')))[1]::text::float8 as rows,
           s.n_dead_tup::float8 as dead, s.autovacuum_count::float8 as autovacuums,
           coalesce(s.n_tup_hot_upd / nullif(s.n_tup_upd, 0)::float8, 0) as "hotShare"
    from   pg_class c
    join   pg_stat_user_tables s on s.relid = c.oid
    where  c.relname = any (${[...REMOVED, ...KEPT]}) and c.relnamespace = 'public'::regnamespace`
  const [waits] = await db<[{ startP99Ms: number; deliveryP99Ms: number }]>`
    select (select percentile_cont(0.99) within group (order by extract(epoch from published_at - publish_at) * 1000)
            from   destination where published_at > now() - interval '1 minute')::float8 as "startP99Ms",
           (select percentile_cont(0.99) within group (order by extract(epoch from settled_at - created_at) * 1000)
            from   delivery where settled_at > now() - interval '1 minute')::float8 as "deliveryP99Ms"`
  const pids = await product.databasePids()
  return {
    tables: new Map(rows.map(({ name, ...sample }) => [name, sample])),
    serverMb: residentMb(pid),
    databaseMb: sharedOutMb(pids),
    createMs,
    ...waits,
  }
}

const PROGRESS: Figure = [
  'minute',
  'removed MB',
  'kept MB',
  'dead rows',
  'autovacuums',
  'server MB',
  'PostgreSQL MB',
  'create p99 ms',
  'start p99 ms',
  'delivery p99 ms',
]

function progress(minute: number, sample: Sample): string {
  const sum = (names: readonly string[], of: (sample: TableSample) => number) =>
    names.reduce((total, name) => total + of(tableOf(sample, name)), 0)
  const all = [...REMOVED, ...KEPT]
  const cells = [
    minute,
    sum(REMOVED, ({ bytes }) => bytes) / 1e6,
    sum(KEPT, ({ bytes }) => bytes) / 1e6,
    sum(all, ({ dead }) => dead),
    sum(all, ({ autovacuums }) => autovacuums),
    sample.serverMb,
    sample.databaseMb,
    quantile(sample.createMs, 0.99),
    sample.startP99Ms,
    sample.deliveryP99Ms,
  ]
  return `| ${cells.map((cell, column) => cell.toFixed(0).padEnd(PROGRESS[column]?.length ?? 0)).join(' | ')} |`
}

/** The last quarter beside the one before it; the first half fills the tables. */
function judge(samples: readonly Sample[]): Figure[] {
  const middle = samples.slice(samples.length / 2, (samples.length * 3) / 4)
  const end = samples.slice((samples.length * 3) / 4)
  const compare = (name: string, unit: string, of: (sample: Sample) => number, note = ''): Figure => {
    const [before, after] = [middle, end].map((part) => Math.max(...part.map(of)))
    const grown = (after ?? 0) / (before ?? 0)
    const verdict = grown <= GROWTH ? 'bounded' : 'GROWS'
    return [
      name,
      `${before?.toFixed(1)} ${unit}`,
      `${after?.toFixed(1)} ${unit}`,
      grown.toFixed(2),
      verdict,
      note,
    ]
  }
  const note = (name: string) => {
    const { autovacuums, dead, hotShare } = tableOf(samples.at(-1), name)
    return `${autovacuums} autovacuums, ${dead} dead, ${(hotShare * 100).toFixed(0)} % of updates HOT`
  }
  return [
    ...REMOVED.map((name) => compare(name, 'MB', (sample) => tableOf(sample, name).bytes / 1e6, note(name))),
    ...KEPT.map((name) => {
      const perRow = (sample: Sample) => tableOf(sample, name).bytes / tableOf(sample, name).rows
      return compare(name, 'bytes per row', perRow, note(name))
    }),
    compare('memory of the server', 'MB', ({ serverMb }) => serverMb),
    compare('memory of PostgreSQL', 'MB', ({ databaseMb }) => databaseMb),
    ...(
      [
        ['create, median of the minutes’ p99', ({ createMs }) => quantile(createMs, 0.99)],
        ['due to published, the same', ({ startP99Ms }) => startP99Ms],
        ['recorded to acknowledged, the same', ({ deliveryP99Ms }) => deliveryP99Ms],
      ] satisfies [string, (sample: Sample) => number][]
    ).map(([name, of]) => {
      const [before, after] = [middle, end].map((part) => quantile(part.map(of), 0.5).toFixed(0))
      return [name, `${before} ms`, `${after} ms`, '', '', ''] as const
    }),
  ]
}

function tableOf(sample: Sample | undefined, name: string): TableSample {
  return sample?.tables.get(name) ?? { bytes: 0, rows: 0, dead: 0, autovacuums: 0, hotShare: 0 }
}
