import { expect, test } from 'vitest'
import { aChannel, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { plantMany } from '../../../test/rigs/plant-many.ts'
import { readsOf } from '../../../test/rigs/query-plan.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { noteActivity } from '../../platform/postgres/activity-store.ts'
import { createLog } from '../../platform/process/log.ts'
import { createMetrics } from '../../platform/process/metrics.ts'
import { judgeSituation } from './judge-situation.ts'
import { readSituation } from './situation-store.ts'
import { situationMetrics } from './situation-metrics.ts'
import { startMonitoring, warningsLog } from './start-monitoring.ts'
import { watchSituation } from './watch-situation.ts'

const everything = { sendsMail: true, embedded: true }

/** Deliveries of as many endpoints, each with as many in each status. */
async function plantDeliveries(
  { db }: World,
  workspaceId: string,
  { endpoints, each }: { endpoints: number; each: number },
): Promise<void> {
  await db`
    insert into endpoint (workspace_id, id, url, event_types, failing_since)
    select ${workspaceId}, gen_random_uuid(), 'https://example.com/', array['post.published'],
           case when n % 2 = 0 then now() - interval '2 hours' end
    from   generate_series(1, ${endpoints}) n`
  await db`
    insert into delivery (workspace_id, endpoint_id, event_id, event_type, status, next_at, lease_until, settled_at, error, attempts)
    select ${workspaceId}, e.id, gen_random_uuid(), 'post.published', s.status,
           now() - case when e.failing_since is null then interval '5 minutes' else interval '9 minutes' end,
           case when s.status = 'sending' then now() + interval '1 minute' end,
           case when s.status in ('failed', 'delivered') then now() - interval '1 day' end,
           case when s.status = 'failed' then 'timeout' end, 1
    from   endpoint e, generate_series(1, ${each}) n,
           unnest(array['pending', 'sending', 'failed', 'delivered']) as s (status)`
}

async function plantMail({ db }: World, count: number): Promise<void> {
  await db`
    insert into mail (id, kind, recipient, content_sealed, expires_at, created_at, given_up_at)
    select gen_random_uuid(), 'notice', 'ada@example.com', case when n % 2 = 0 then ''::bytea end, now() + interval '1 day',
           now() - interval '20 minutes', case when n % 2 = 1 then now() end
    from   generate_series(1, ${count}) n`
}

const fixed = (situation: Awaited<ReturnType<typeof readSituation>>) =>
  judgeSituation(situation, everything).flatMap(({ name, wrong }) => (wrong === null ? [] : [name]))

test('of an empty installation nothing is late, and what never ran is told, after a day no backup, too', async () => {
  await using world = await openWorld()
  await world.db`update schema_migration set applied_at = now() - interval '23 hours'`
  const situation = await readSituation(world.db)
  expect(situation).toEqual({
    destinations: {
      counts: {
        scheduled: 0,
        delayed: 0,
        partially_published: 0,
        publishing: 0,
        checking: 0,
        reconnect_required: 0,
      },
      due: 0,
      dueAge: null,
      checkingAge: null,
      liveTwice: 0,
    },
    deliveries: {
      counts: { pending: 0, sending: 0, failed: 0 },
      dueAge: null,
      failingDueAge: null,
      failedAge: null,
      givenUpAge: null,
    },
    endpoints: { failing: 0, disabled: 0, failingAge: null },
    series: { dueAge: null, waiting: 0 },
    mail: { pending: 0, failed: 0, age: null },
    isMediaContested: false,
    workers: [],
    activity: [],
    age: expect.closeTo(82_800, -2) as number,
    clockAhead: 0,
  })
  const neverRan = ['publisher', 'webhook dispatcher', 'mail sender', 'housekeeping']
  expect(fixed(situation)).toEqual(neverRan)
  await world.db`update schema_migration set applied_at = now() - interval '25 hours'`
  expect(fixed(await readSituation(world.db))).toEqual([...neverRan, 'backup'])
})

test('what waits is counted with its age, and each part of it that is late is named', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await plantMany(db, workspaceId, { channels: 1, each: 3, later: 2, settled: 2 })
  await aPost(db, workspaceId, {
    states: ['checking', 'reconnect_required'],
    channelIds: [await aChannel(db, workspaceId), await aChannel(db, workspaceId)],
  })
  await db`update destination set status_since = now() - interval '2 hours' where status = 'checking'`
  await db`
    insert into late_post (workspace_id, destination_id, part_index, attempt_id, remote_id, told_at)
    select workspace_id, id, 0, gen_random_uuid(), 'r', now() - age
    from   destination, unnest(array[interval '1 day', interval '15 days', null]) as age where status = 'checking'`
  await plantDeliveries(world, workspaceId, { endpoints: 4, each: 2 })
  await db`update endpoint set status = 'disabled', disabled_reason = 'failing'
           where id = (select id from endpoint where failing_since is not null limit 1)`
  await plantMail(world, 4)
  await plantSeries(db, workspaceId)
  await db`insert into worker (id, roles, host, pid, heartbeat_at)
           values (gen_random_uuid(), '{api,publisher}', 'a', 1, now() - interval '2 minutes')`
  for (const part of ['webhooks', 'mail', 'housekeeping', 'backup'] as const) await noteActivity(db, part)
  await db`update activity set at = now() - interval '3 days' where part = 'backup'`

  const situation = await readSituation(db)
  expect(situation).toMatchObject({
    destinations: {
      counts: { scheduled: 5, checking: 1, reconnect_required: 1, publishing: 0 },
      due: 3,
      checkingAge: expect.closeTo(7_200, -2) as number,
      liveTwice: 1,
    },
    deliveries: {
      counts: { pending: 8, sending: 8, failed: 8 },
      dueAge: expect.closeTo(300, -2) as number,
      failingDueAge: expect.closeTo(540, -2) as number,
      failedAge: expect.closeTo(86_400, -2) as number,
      givenUpAge: expect.closeTo(86_400, -2) as number,
    },
    endpoints: { failing: 1, disabled: 1, failingAge: expect.closeTo(7_200, -2) as number },
    series: { dueAge: expect.closeTo(600, -2) as number, waiting: 1 },
    mail: { pending: 2, failed: 2, age: expect.closeTo(1_200, -2) as number },
  })
  expect(situation.destinations.dueAge).toBeGreaterThan(300)
  expect(fixed(situation)).toEqual([
    'publisher',
    'posts due',
    'posts in doubt',
    'second posts',
    'posts without access',
    'series',
    'webhook deliveries',
    'webhook endpoints',
    'mail queue',
    'backup',
  ])
})

test('deliveries that were given up within a day are told, unless their endpoint was disabled', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await plantDeliveries(world, workspaceId, { endpoints: 1, each: 1 })
  await db`delete from delivery where status <> 'failed'`
  const given = async (hours: number) => {
    await db`update delivery set settled_at = now() - ${hours} * interval '1 hour'`
    return fixed(await readSituation(db)).includes('webhook deliveries')
  }
  expect(await given(23)).toBe(true)
  expect(await given(25)).toBe(false)
  await db`update endpoint set status = 'disabled', disabled_reason = 'by_hand'`
  expect(await given(1)).toBe(false)
})

test('processes whose last sign of life lies ahead, since the clock was set back, are dead', async () => {
  await using world = await openWorld()
  const { db } = world
  await db`insert into worker (id, roles, host, pid, heartbeat_at)
           values (gen_random_uuid(), '{publisher}', 'a', 1, now() + interval '2 hours')`
  await db`insert into activity (part, at) values ('webhooks', now() + interval '2 hours'), ('housekeeping', now())`
  expect(fixed(await readSituation(db))).toEqual(['publisher', 'webhook dispatcher', 'mail sender'])
  await db`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{publisher}', 'b', 2)`
  expect(fixed(await readSituation(db))).toEqual(['webhook dispatcher', 'mail sender'])
})

test('what only waits for a channel that is disabled is due, and late nowhere', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await plantMany(db, workspaceId, { channels: 1, each: 1 })
  // As a claim leaves the queue of a channel of which it may take nothing.
  await db`update channel set enabled = false`
  await db`update channel_queue set look_at = 'infinity'`
  expect((await readSituation(db)).destinations).toMatchObject({ due: 1, dueAge: null })
})

test('however much waits, no more than a thousand of each are read, by indexes', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await plantMany(db, workspaceId, { channels: 40, each: 50, later: 50, settled: 10 })
  await plantDeliveries(world, workspaceId, { endpoints: 20, each: 100 })
  await plantMail(world, 3_000)
  const situation = await readSituation(db)
  expect(situation.destinations.counts).toMatchObject({ scheduled: 1_000 })
  expect(situation.deliveries.counts).toEqual({ pending: 1_000, sending: 1_000, failed: 1_000 })
  const few = await readsOf(world, (pool) => readSituation(pool))
  // Each of them holds one row for each part or process, or one alone.
  expect([...few.whole].filter((table) => !['worker', 'activity', 'media_place'].includes(table))).toEqual([])

  await plantMany(db, (await aWorkspace(db)).workspaceId, { channels: 40, each: 50, later: 50, settled: 10 })
  await db`insert into delivery select workspace_id, endpoint_id, gen_random_uuid(), event_type, test_body, status, round,
             attempts, next_at, fence, lease_until, http_status, error, duration_ms, settled_at, created_at from delivery`
  await plantMail(world, 3_000)
  for (const analyzed of [false, true]) {
    if (analyzed) await db.script('analyze')
    const many = await readsOf(world, (pool) => readSituation(pool))
    expect(many.rows).toBeLessThan(10_000)
    expect(many.rows - few.rows).toBeLessThan(200)
    expect([...many.whole].filter((table) => !['worker', 'activity', 'media_place'].includes(table))).toEqual(
      [],
    )
  }
})

test('all who ask within seconds share one look, and a database that cannot be counted is asked again later', async () => {
  await using world = await openWorld()
  let begun = 0
  const db = {
    ...world.db,
    begin: (...args: Parameters<typeof world.db.begin>) => (begun++, world.db.begin(...args)),
  }
  const faults: unknown[] = []
  const look = watchSituation(db as typeof world.db, (fault) => faults.push(fault))
  const [one, other] = await Promise.all([look(), look()])
  expect(one).toBe(other)
  expect(await look()).toBe(one)
  expect(begun).toBe(1)

  await world.db`alter table activity rename to away`
  const broken = watchSituation(world.db, (fault) => faults.push(fault))
  expect(await broken()).toBeNull()
  expect(faults).toMatchObject([{ code: '42P01' }])
})

test('numbers that the database does not tell are left out, and none of an earlier look stays', async () => {
  const { registry, render } = createMetrics()
  let situation: Awaited<ReturnType<typeof readSituation>> | null = null
  await using world = await openWorld()
  const found = await readSituation(world.db)
  situationMetrics(registry, async () => situation, everything)
  const samples = async () =>
    (await render()).text.split('\n').filter((line) => /^postrider_(?!http)/.test(line))
  expect(await samples()).toEqual([])
  situation = found
  expect(await samples()).toContain('postrider_webhook_deliveries{status="pending"} 0')
  expect(await samples()).toContain('postrider_destination_due_age_seconds 0')
  expect((await samples()).join('\n')).not.toContain('backup')
  situation = { ...found, activity: [{ part: 'backup', ageSeconds: 7 }] }
  expect(await samples()).toContain('postrider_last_backup_age_seconds 7')
  situation = null
  expect(await samples()).toEqual([])
})

test('warnings are those that say what to do', async () => {
  await using world = await openWorld()
  const { db } = world
  const monitoring = startMonitoring({
    db,
    log: createLog({ level: 'silent' }),
    registry: createMetrics().registry,
    schema: 1,
    installation: { sendsMail: false, embedded: false },
    isReady: async () => true,
    pools: () => [],
    room: () => ({ folder: '/d/media', freeBytes: 1024, fault: null, ageSeconds: 7.2 }),
  })
  expect(await monitoring.warnings()).toEqual([
    'media: 0 MiB free in /d/media (seen 7 s ago)',
    'publisher: none is running',
    'webhook dispatcher: none is running',
    'housekeeping: none is running',
  ])
})

test('that nothing is known of what waits is told', async () => {
  await using world = await openWorld()
  await world.db`alter table activity rename to away`
  const monitoring = startMonitoring({
    db: world.db,
    log: createLog({ level: 'silent' }),
    registry: createMetrics().registry,
    schema: 1,
    installation: { sendsMail: false, embedded: false },
    isReady: async () => true,
    pools: () => [],
    room: null,
  })
  expect(await monitoring.warnings()).toEqual(['what is late: unknown, the database did not tell it in time'])
})

/** One that is due, with an occurrence whose post was refused. */
async function plantSeries(db: Db, workspaceId: string): Promise<void> {
  await db`
    with planted as (
      insert into series (workspace_id, id, definitions, channel_ids, label_keys, media_ids, edit_token, maker_type, maker_id,
                          maker_name, look_at)
      values (${workspaceId}, gen_random_uuid(), '[]', '{}', '{}', '{}', 'x', 'person', gen_random_uuid(), 'Ada',
              now() - interval '10 minutes')
      returning id)
    insert into series_occurrence (workspace_id, series_id, date, status, reason)
    select ${workspaceId}, id, '2027-01-04', 'waiting', 'Why.' from planted`
}

test('what is warned of is logged once, when it has lasted, and once more when it is over', () => {
  const logged: unknown[] = []
  let nowMs = 0
  const say = (level: string) => (facts: object, text: string) => void logged.push([level, facts, text])
  const tell = warningsLog({ warn: say('warn'), info: say('info') } as never, () => nowMs)
  const late = { code: 'posts_due_late' as const, name: 'posts due', detail: '3 posts are due' }
  // As a publisher that starts.
  tell([late])
  nowMs = 29_999
  tell([])
  tell([late])
  nowMs += 29_999
  tell([late])
  expect(logged).toEqual([])
  nowMs += 1
  tell([late])
  tell([late])
  expect(logged).toEqual([['warn', { code: 'posts_due_late', detail: '3 posts are due' }, 'a warning began']])
  tell([])
  tell([])
  expect(logged.slice(1)).toEqual([['info', { code: 'posts_due_late' }, 'a warning is over']])
})
