import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createEndpoint } from '../src/engine/webhooks/manage-endpoints.ts'
import {
  isReady,
  killBackend,
  killRecovery,
  killServerProcess,
  makeDue,
  SERVER_PROCESSES,
} from './rigs/database-blows.ts'
import { openReceiver } from './rigs/receiver.ts'
import { openServerRig } from './rigs/server-rig.ts'

/*
 * One server process with all its roles, under writers, while backends of its database are killed and the whole
 * database goes away and comes back; the primary of a replicated one does not come back, and its standby takes over.
 * DATABASE_KILLS and DATABASE_RESTARTS say how often.
 */

const { DATABASE_KILLS = '3', DATABASE_RESTARTS = '1' } = process.env
const kills = Number(DATABASE_KILLS)
const restarts = Number(DATABASE_RESTARTS)
const WRITERS = 24
/** How many posts have to be accepted before the next blow. */
const BETWEEN = 20

test.each(['own', 'pooled', 'embedded', 'replicated'] as const)(
  'killed backends and restarts of the %s database end no process, lose nothing and post nothing twice',
  { timeout: 180_000 + (kills + restarts) * 12_000 },
  async (database) => {
    await using receiver = await openReceiver()
    await using rig = await openServerRig({
      channels: 24,
      database,
      env: { TRUSTED_ORIGINS: receiver.origin },
    })
    const { db, keyring, workspace, servers } = rig
    const endpoint = await createEndpoint(
      { db, keyring, rules: { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] } },
      workspace.workspaceId,
      { url: `${receiver.origin}/hook`, description: '', eventTypes: ['post.published'] },
    )
    expect(endpoint).not.toHaveProperty('refused')
    await rig.serve('api,publisher,webhooks')
    const [server] = servers
    const writers = startWriters(rig)

    for (let n = 0; n < kills; n++) {
      await writers.more(BETWEEN)
      await makeDue(db)
      await killBackend(db)
    }
    const backMs: number[] = []
    for (let n = 0; n < restarts; n++) {
      await writers.more(BETWEEN)
      await makeDue(db)
      await rig.restartDatabase()
      const answeredAt = performance.now()
      await expect.poll(() => isReady(rig.baseUrl), { timeout: 30_000, interval: 20 }).toBe(true)
      backMs.push(performance.now() - answeredAt)
    }
    const { postmaster } = rig
    const blows =
      database === 'embedded'
        ? [
            ...SERVER_PROCESSES.map((name) => () => killServerProcess(postmaster!, name)),
            () => killRecovery(postmaster!),
          ]
        : []
    for (const blow of blows) {
      await writers.more(BETWEEN)
      await makeDue(db)
      await blow()
    }
    await writers.more(BETWEEN)
    const accepted = await writers.stop()

    await makeDue(db)
    expect(server!.isRunning).toBe(true)
    // Refused in words, and accepted by a repeat; a request is never left without an answer, or broken by ours.
    expect([...writers.statuses].filter((status) => ![201, 409, 503].includes(status))).toEqual([])
    // Writers go on while publishers cannot: on a busy machine some thousand posts are left to publish.
    await rig.untilPublished(accepted, 60_000 + accepted * 30)
    await rig.expectEachOnce(accepted)
    await expect
      .poll(() => db`select distinct status from delivery`, { timeout: 60_000 })
      .toEqual([{ status: 'delivered' }])
    const events = new Set(receiver.received.map(({ headers }) => headers['x-service-event-id']))
    expect(events.size).toBe(accepted)
    console.log(
      `${database}: ${accepted} posts, ${kills} kills, ${restarts} restarts, ready again after ${Math.max(...backMs).toFixed()} ms at most`,
    )
  },
)

/** Writers that repeat each post under its key until it is accepted. */
function startWriters(rig: Awaited<ReturnType<typeof openServerRig>>) {
  let next = 0
  let accepted = 0
  let stopping = false
  const statuses = new Set<number>()
  const write = async () => {
    while (!stopping) {
      const n = next++
      const publishAt = new Date(Date.now() + 3_600_000)
      for (let status = 0; status !== 201;) {
        const response = await rig.send(n, `Post ${n} #sandbox:slow=50`, publishAt)
        await response.body?.cancel()
        ;({ status } = response)
        statuses.add(status)
        await delay(100)
      }
      accepted += 1
    }
  }
  const ended = Promise.all(Array.from({ length: WRITERS }, write))
  ended.catch(() => undefined)
  return {
    statuses,
    async more(count: number): Promise<void> {
      const wanted = accepted + count
      await expect.poll(() => accepted, { timeout: 60_000, interval: 20 }).toBeGreaterThan(wanted)
    },
    async stop(): Promise<number> {
      stopping = true
      await ended
      return accepted
    },
  }
}
