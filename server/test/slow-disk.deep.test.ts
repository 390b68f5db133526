import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Readiness } from '../src/edge/api/http/status-routes.ts'
import { makeDue } from './rigs/database-blows.ts'
import { hasCompiler, type Machine, openMachine } from './rigs/disk-and-clock.ts'
import { openServerRig, type ServerRig } from './rigs/server-rig.ts'

/*
 * A server whose database, and whose own files, are on a disk that takes its time to sync. SLOW_DISK_POSTS says how many posts
 * are due on it at once.
 */

const posts = Number(process.env['SLOW_DISK_POSTS'] ?? 20)
const SLOW_MS = 600
/** Longer than a server waits for a write before it says that it is not ready. */
const TOO_SLOW_MS = 2_500

describe.runIf(hasCompiler)('on a disk that syncs slowly', () => {
  let machine: Machine
  let rig: ServerRig
  let accepted = 0
  beforeAll(async () => {
    machine = await openMachine()
    rig = await openServerRig({
      channels: 20,
      database: 'own',
      machine,
      env: { LEASE_SECONDS: '30' },
    })
    await rig.serve('api,publisher')
  })
  afterAll(async () => {
    await machine.slowDisk(0)
    await rig[Symbol.asyncDispose]()
    await machine[Symbol.asyncDispose]()
  })

  /** Posts that are due once the disk is slow. */
  async function due(count: number, syncMs: number): Promise<void> {
    await machine.slowDisk(0)
    const publishAt = new Date(Date.now() + 3_600_000)
    for (const end = accepted + count; accepted < end; accepted++) {
      const response = await rig.send(accepted, `Post ${accepted} #sandbox:slow=100`, publishAt)
      expect(response.status).toBe(201)
      await response.body?.cancel()
    }
    await machine.slowDisk(syncMs)
    await makeDue(rig.db)
  }

  test('no lease of a living publisher lapses', { timeout: 120_000 }, async () => {
    await due(posts, SLOW_MS)
    await rig.untilPublished(accepted, 60_000 + posts * 300)

    // Each claim came to an attempt of its own, and none was ended by another worker.
    const claims = await rig.db`
      select sum(fence)::int as claims, (select count(*)::int from attempt) as attempts,
             (select count(*)::int from attempt where evidence @> '[{"by": "recovery"}]') as recovered
      from   destination`
    expect(claims).toEqual([
      { claims: claims[0]!['attempts'], attempts: claims[0]!['attempts'], recovered: 0 },
    ])
    await rig.expectEachOnce(accepted)
  })

  test(
    'killed on it, the publisher loses nothing and posts nothing twice',
    { timeout: 180_000 },
    async () => {
      const before = accepted
      await due(posts, SLOW_MS)
      for (const share of [0.3, 0.6]) {
        await rig.untilPublished(before + Math.floor(posts * share), 60_000)
        await rig.servers.at(-1)!.end('SIGKILL')
        await rig.serve('api,publisher')
      }
      await rig.untilPublished(accepted, 60_000 + posts * 300)
      await rig.expectEachOnce(accepted)
    },
  )

  test(
    'too slow a disk is told at /readyz and by doctor, and costs no post',
    { timeout: 120_000 },
    async () => {
      await due(1, TOO_SLOW_MS)
      const readiness = async () => (await rig.ask('/readyz')) as Readiness
      await expect.poll(readiness, { timeout: 20_000, interval: 500 }).toMatchObject({
        status: 'not_ready',
        database: 'not_writable',
        reason: 'The database has not stored a write within 2 seconds.',
      })
      const { output } = await rig.command('doctor', '--json')
      expect(JSON.parse(output)).toContainEqual(expect.objectContaining({ name: 'writes', status: 'warn' }))

      await machine.slowDisk(0)
      await rig.untilPublished(accepted)
      await rig.expectEachOnce(accepted)
    },
  )
})
