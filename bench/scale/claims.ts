import { openAuthorization } from '../../server/src/networks/channels/authorization.ts'
import type { Db } from '../../server/src/platform/postgres/db.ts'
import type { EngineStore } from '../../server/src/engine/queue/work.ts'
import { publicationStore } from '../../server/src/engine/queue/engine-store.ts'
import { type Figure, median, milliseconds, whole } from '../measuring.ts'
import { openBeside, type Product } from '../product.ts'
import { type Place, seedChannels } from '../seeding.ts'

const ROUNDS = 50
const CLAIMED = 64

type Backlog = {
  workspaces: number
  channels: number
  /** How many destinations are due on each channel; on all but the first 64 if these are `free`. */
  each: number
  /** 64 channels more have one each, that is due just now. */
  free?: boolean
  /** What is set at the channels that are not free. */
  set?: string
}

/** How long a claim of 64 takes on a database of its own, whatever is overdue. The first one puts off what is held. */
export async function measureClaims(product: Product, overdue: number): Promise<Figure[]> {
  const most = Math.max(CLAIMED, Math.ceil(overdue / 100))
  const backlogs: Record<string, Backlog> = {
    'nothing else is due': { workspaces: 10, channels: 1, each: 0, free: true },
    [`${whole(overdue)} overdue on ${whole(most)} channels`]: {
      workspaces: most / 10,
      channels: most,
      each: 100,
    },
    [`${whole(overdue)} overdue on one channel`]: { workspaces: 1, channels: 1, each: overdue, free: true },
    [`${whole(overdue / 6)} channels with one each`]: {
      workspaces: most / 10,
      channels: overdue / 6,
      each: 1,
    },
    [`${whole(overdue)} overdue on disabled channels`]: {
      workspaces: most / 10,
      channels: most,
      each: 100,
      free: true,
      set: 'enabled = false',
    },
    [`${whole(overdue)} overdue on paused channels`]: {
      workspaces: most / 10,
      channels: most,
      each: 100,
      free: true,
      set: `paused_until = now() + interval '1 day'`,
    },
  }
  const rows: Figure[] = []
  for (const [name, backlog] of Object.entries(backlogs)) {
    const { first, usual } = await claimTimes(product, backlog)
    rows.push([
      `claim of ${CLAIMED}: ${name}`,
      `first ${milliseconds(first)}`,
      milliseconds(usual),
      '',
      '< 10 ms',
    ])
  }
  return rows
}

async function claimTimes(product: Product, backlog: Backlog): Promise<{ first: number; usual: number }> {
  await using beside = await openBeside(product, 'bench_claims')
  const { db } = beside
  await seedBacklog(product, db, backlog)
  const store = storeOn(product, db)
  const first = await claimOnce(db, store)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push(await claimOnce(db, store))
  return { first, usual: median(times) }
}

export function storeOn({ keyring }: Product, db: Db): EngineStore {
  return publicationStore(db, {
    workerId: '01900000-0000-7000-8000-000000000001',
    leaseMs: 600_000,
    perWorkspace: CLAIMED,
    openAuthorization: (sealed, channelId) => openAuthorization(keyring, channelId, sealed),
  })
}

async function claimOnce(db: Db, store: EngineStore): Promise<number> {
  const begun = performance.now()
  const ids: string[] = []
  // Where channels have to be put off first, a claim may find fewer; the publisher claims again, too.
  while (ids.length < CLAIMED) {
    const claimed = await store.claim(CLAIMED - ids.length)
    if (claimed.length === 0) throw new Error(`${ids.length} of ${CLAIMED} were claimed.`)
    ids.push(...claimed.map(({ destinationId }) => destinationId))
  }
  const took = performance.now() - begun
  await db`update destination set status = 'scheduled', leased_by = null, lease_until = null where id = any(${ids}::uuid[])`
  return took
}

async function seedBacklog(product: Product, db: Db, backlog: Backlog): Promise<void> {
  const { workspaces, channels, each, free = false, set } = backlog
  const seed = (of: number) =>
    seedChannels(db, product.keyring, 'http://127.0.0.1:1', {
      workspaces: Math.ceil(workspaces),
      channels: of,
    })
  const places = await seed(Math.ceil(channels))
  await makeDue(db, places, each, '1 hour')
  if (set !== undefined)
    await db.begin((tx) => tx.script(`update channel set ${set}`), { statementTimeoutMs: 0 })
  if (free) await makeDue(db, await seed(CLAIMED), 1, '1 second')
  await vacuum(db)
}

export async function vacuum(db: Db): Promise<void> {
  const connection = await db.reserve({ statementTimeoutMs: 0 })
  await connection.script('vacuum analyze')
  connection.release()
}

/** So many destinations on each channel that became due within this time; their posts have nothing else. */
export async function makeDue(db: Db, places: readonly Place[], each: number, within: string): Promise<void> {
  await db.begin(
    async (tx) => {
      // Foreign keys and triggers row by row would take minutes.
      await tx`set local session_replication_role = replica`
      await tx`
        create temporary table planned on commit drop as
        select c.workspace_id, c.id as channel_id, uuidv7() as post_id, uuidv7() as id, now() - random() * ${within}::interval as at
        from   channel c, generate_series(1, ${each})
        where  c.id = any(${places.map(({ channelId }) => channelId)}::uuid[])`
      await tx`
        insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
        select workspace_id, post_id, '{"text":"due"}', 'edit', 'agent_key', 'bench' from planned`
      await tx`
        insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at, expires_at)
        select workspace_id, id, post_id, channel_id, 'sandbox-short', 'scheduled', 'control', at, at, at + interval '1 day'
        from   planned`
      await tx`insert into part (workspace_id, destination_id, index, text, folded) select workspace_id, id, 0, 'due', 'due' from planned`
      await tx`
        update channel_queue q
        set    look_at = first.at
        from   (select channel_id, min(at) as at from planned group by channel_id) first
        where  q.channel_id = first.channel_id`
    },
    { statementTimeoutMs: 0 },
  )
}
