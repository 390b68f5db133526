import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { permissionNames } from '@postrider/contract'
import { expect, test } from 'vitest'
import { COMPILE_ONCE } from '../../../test/rigs/compile-once.ts'
import { randomFrom } from '../../../test/rigs/crash-clients.ts'
import { openDatabaseClock } from '../../../test/rigs/database-clock.ts'
import { aChannel, anApi, aWorkspace } from '../../../test/rigs/fixtures.ts'
import type { SeriesOrder } from '../../../test/rigs/series-process.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { agentKeys, holderBy } from '../../people/keys/authenticate.ts'
import { createKey } from '../../people/keys/key-store.ts'
import { openDb } from '../../platform/postgres/db.ts'
import { seriesCaller } from './series-caller.ts'

/* Two hosts make the same series on one database, and each dies again and again, at any step. */

const KILLS = Number(process.env['SERIES_KILLS'] ?? 8)
const random = randomFrom(Number(process.env['SERIES_SEED'] ?? 1))
const DAY = 86_400_000
const FIRST = Date.parse('2027-03-22T09:00:00Z')
const SERIES = 6
/** Steps of the transactions of a day: an occurrence takes about a dozen. */
const STEPS = 60

test(`each occurrence has one post, and none is left out, with ${KILLS} kills of two hosts`, async () => {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  // A moment before the first occurrence is to be made.
  let day = 0
  const clock = await openDatabaseClock(world, FIRST - 8 * DAY)
  const db = openDb({ ...world.connection, applicationName: 'series kills' })
  opened.defer(() => db.end())
  const api = opened.use(await anApi(db))
  const workspace = await aWorkspace(db)
  const { workspaceId, memberId } = workspace
  const options = { memberId, name: 'robot', permissions: permissionNames, expiresAt: null }
  const { keyId } = await createKey(db, workspaceId, options)
  const maker = { type: 'agent_key', id: keyId, name: 'robot' } as const
  const robot = { ...workspace, caller: (await seriesCaller(holderBy([agentKeys]))(db, maker, workspaceId))! }
  const channelIds = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  for (let n = 0; n < SERIES; n++) {
    const created = await api.call(robot, 'POST', '/series', {
      confirmed: true,
      idempotencyKey: `series-${n}`,
      rule: 'FREQ=DAILY;COUNT=900',
      channelIds,
      startsAt: { local: '2027-03-22T10:00', timeZone: 'Europe/Berlin' },
      text: `Series ${n}`,
    })
    expect(created).toMatchObject({ status: 201 })
  }

  let kills = 0
  const children = new Set<ChildProcess>()
  opened.defer(async () => {
    await Promise.all(
      [...children].map(async (child) => {
        child.removeAllListeners('exit')
        child.kill('SIGKILL')
        await once(child, 'exit')
      }),
    )
  })
  async function ready(): Promise<ChildProcess> {
    const child = fork(join(import.meta.dirname, '../../../test/rigs/series-process.ts'), {
      env: COMPILE_ONCE,
      execArgv: [],
    })
    children.add(child)
    await once(child, 'message')
    return child
  }
  const faults: unknown[] = []
  const spares = [ready(), ready(), ready()]
  /** A host that works until it dies, and is followed by the next. */
  async function host(): Promise<void> {
    const child = await spares.shift()!
    spares.push(ready())
    child.once('exit', (code, signal) => {
      children.delete(child)
      if (signal === 'SIGKILL') kills += 1
      else faults.push(`a host ended with ${code}`)
      host().catch((fault: unknown) => faults.push(fault))
    })
    child.send({ url: world.databaseUrl, diesAfter: random.below(STEPS) } satisfies SeriesOrder)
  }
  await Promise.all([host(), host()])

  const made = async (): Promise<number> => {
    expect(faults).toEqual([])
    const [row] = await db<[{ count: number }]>`
      select count(*)::int as count from series_occurrence where workspace_id = ${workspaceId} and status = 'made'`
    return row.count
  }
  for (; kills < KILLS; day++) {
    await clock.set(FIRST + (day - 7) * DAY + 60_000)
    await expect.poll(made, { timeout: 60_000 }).toBe((day + 1) * SERIES)
  }

  const counts = await db`
    select o.series_id, count(*)::int as days, count(distinct o.post_id)::int as posts, max(o.date) - min(o.date) + 1 as span
    from   series_occurrence o
    where  o.workspace_id = ${workspaceId} and o.status = 'made'
    group  by o.series_id`
  expect(counts.map(({ days, posts, span }) => ({ days, posts, span }))).toEqual(
    Array.from({ length: SERIES }, () => ({ days: day, posts: day, span: day })),
  )
  // No post but those of the occurrences, each on each channel.
  const posts = await db`
    select (select count(*)::int from post where workspace_id = ${workspaceId}) as posts,
           (select count(*)::int from destination where workspace_id = ${workspaceId}) as destinations`
  expect(posts).toEqual([{ posts: day * SERIES, destinations: day * SERIES * channelIds.length }])
})
