import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../server/src/platform/postgres/db.ts'
import { type Figure, quantile, startBeside, whole } from './measuring.ts'
import type { Product } from './product.ts'
import {
  announceDue,
  forgetEndpoints,
  newIds,
  type Place,
  seedChannels,
  seedEndpoint,
  seedPosts,
} from './seeding.ts'

const CHANNELS = { workspaces: 1, channels: 400 }
const ENDPOINTS_OF_EACH = 6
const HANGING = 60
const BACKLOG_OF_EACH = 500
const POSTS_PER_SECOND = 80
const SECONDS = 30
/** Until connections are warm and endpoints are known to hang. */
const WARMING_SECONDS = 10

/** The whole product under load: posts are published, each of which six endpoints are told, which answer after a quarter of a second, while 60 others hang. */
export async function measureBesidePublishing({ db, keyring }: Product): Promise<Figure[]> {
  const network = await startBeside('fast-network.ts')
  const receivers = await startBeside('webhook-receivers.ts')
  try {
    const places = await seedChannels(db, keyring, network.url, CHANNELS)
    const seed = async (workspaceIds: readonly string[], path: string) => {
      for (const [n, workspaceId] of workspaceIds.entries())
        await seedEndpoint(db, keyring, {
          workspaceId,
          url: `${receivers.url}/${path}/${n}`,
          eventTypes: ['post.published'],
        })
    }
    const workspaceIds = [...new Set(places.map(({ workspaceId }) => workspaceId))]
    await seed(Array.from({ length: ENDPOINTS_OF_EACH }, () => workspaceIds).flat(), 'far')
    await seedHanging(db, seed)
    const begunMs = Date.now()
    await publish(db, places, begunMs)
    await delay(2_000)
    return await figuresOf(db, workspaceIds, receivers.url, begunMs)
  } finally {
    await Promise.all([network.stop(), receivers.stop()])
    await forgetEndpoints(db)
  }
}

/** Endpoints that hang, each of a workspace of its own, which is owed many events. */
async function seedHanging(db: Db, seed: (workspaceIds: readonly string[], path: string) => Promise<void>) {
  const ids = await newIds(db, HANGING)
  await db`insert into workspace (id, name) select id, 'bench' from unnest(${ids}::uuid[]) id`
  await seed(ids, 'hang')
  await db`
    with event as (
      insert into outbox_event (workspace_id, id, type, post_id, body, created_at)
      select w.id, uuidv7(), 'post.published', uuidv7(), '{}', now()
      from   unnest(${ids}::uuid[]) as w (id)
      cross  join generate_series(1, ${BACKLOG_OF_EACH})
      returning workspace_id, id, type
    )
    insert into delivery (workspace_id, endpoint_id, event_id, event_type)
    select e.workspace_id, e.id, event.id, event.type from event join endpoint e using (workspace_id)`
}

const NOWHERE: Place = { workspaceId: '', channelId: '' }

async function publish(db: Db, places: readonly Place[], begunMs: number): Promise<void> {
  for (let tenth = 0; tenth < SECONDS * 10; tenth++) {
    const dueMs = begunMs + tenth * 100
    if (dueMs > Date.now()) await delay(dueMs - Date.now())
    const from = (tenth * POSTS_PER_SECOND) / 10
    const count = POSTS_PER_SECOND / 10
    const some = Array.from({ length: count }, (_, n) => places[(from + n) % places.length] ?? NOWHERE)
    await seedPosts(db, some, {
      count,
      status: 'scheduled',
      dueAt: new Date(),
      word: `w${tenth}`,
    })
    await announceDue(db)
  }
}

async function figuresOf(
  db: Db,
  workspaceIds: readonly string[],
  receiversUrl: string,
  begunMs: number,
): Promise<Figure[]> {
  const arrivals = Map.groupBy(
    (await (await fetch(`${receiversUrl}/arrivals`)).json()) as [id: string, atMs: number][],
    ([id]) => id,
  )
  const events = await db<{ id: string; at: Date; delay: number }[]>`
    select e.id, e.created_at as at, extract(epoch from e.created_at - d.publish_at)::float8 * 1000 as delay
    from   outbox_event e
    join   destination d on d.workspace_id = e.workspace_id and d.id = e.destination_id
    where  e.workspace_id = any(${[...workspaceIds]}::uuid[]) and e.type = 'post.published'`
  const measured = events.filter(({ at }) => at.getTime() > begunMs + WARMING_SECONDS * 1_000)
  const waits = measured.flatMap(({ id, at }) =>
    Array.from(
      { length: ENDPOINTS_OF_EACH },
      (_, n) => (arrivals.get(id)?.[n]?.[1] ?? Infinity) - at.getTime(),
    ),
  )
  const behind = waits.filter((ms) => ms === Infinity).length
  const delays = measured.map((event) => event.delay)
  return [
    [
      `${POSTS_PER_SECOND} posts a second, each told to ${ENDPOINTS_OF_EACH} endpoints that take 250 ms, beside ${HANGING} that hang`,
      `p50 ${quantile(waits, 0.5)} ms, p99 ${quantile(waits, 0.99)} ms`,
      `${behind} behind at the end; ${whole(events.length / SECONDS)} published per second, ${quantile(delays, 0.99).toFixed(0)} ms late (p99)`,
      'p99 < 2 s',
    ],
  ]
}
