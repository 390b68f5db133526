import { randomBytes } from 'node:crypto'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { expect, test } from 'vitest'
import { addChannel } from '../src/networks/channels/connect-channel.ts'
import { createLog } from '../src/platform/process/log.ts'
import { createMetrics } from '../src/platform/process/metrics.ts'
import { makeKeyring } from '../src/platform/sealing/sealing.ts'
import { providers } from '../src/networks/providers/registry.ts'
import { startPublishing } from '../src/engine/publication/start-publishing.ts'
import { openSandboxAccount } from '../src/accounts/sandbox/sandbox-accounts.ts'
import { sandboxConnection } from '../src/accounts/sandbox/sandbox-channel.ts'
import { aPost, aWorkspace } from './rigs/fixtures.ts'
import { noMedia } from './rigs/no-media.ts'
import { openWorld } from './rigs/world.ts'

/*
 * A network that goes away and comes back, with the real publisher and many accounts. OUTAGE_SECONDS and OUTAGE_POSTS
 * make the long one longer; each run is annotated with how soon after the end all was out.
 */

const { OUTAGE_SECONDS = '4', OUTAGE_POSTS = '90' } = process.env

type Rig = Awaited<ReturnType<typeof openRig>>

/** Workspaces with so many accounts each on one network. */
async function openRig(accounts: readonly number[], { callTimeoutMs = 3_000 } = {}) {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  const { db } = world
  const network = await startSandboxNetwork({ memory: true })
  opened.defer(() => network.close())
  const keyring = makeKeyring([randomBytes(32)])
  const channels: { workspaceId: string; channelId: string; accountId: string }[] = []
  for (const [place, count] of accounts.entries()) {
    const { workspaceId } = await aWorkspace(db)
    for (let number = 0; number < count; number += 1) {
      const account = await openSandboxAccount(
        network.url,
        { handle: `w${place}_a${number}`, displayName: 'A', profile: 'short' },
        { takeOver: false },
      )
      const connection = sandboxConnection(workspaceId, network.url, account)
      const { channelId } = await addChannel(db, keyring, connection)
      channels.push({ workspaceId, channelId, accountId: account.id })
    }
  }
  const heartbeatDb = world.openSession()
  const start = () =>
    startPublishing({
      db,
      heartbeatDb,
      keyring,
      providers,
      media: noMedia,
      leaseMs: 60_000,
      callTimeoutMs,
      baseUrl: 'http://localhost:4000',
      concurrency: 64,
      roles: ['publisher'],
      log: createLog({ level: 'silent' }),
      registry: createMetrics().registry,
      rules: { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] },
    })
  const running = opened.move()
  return {
    db,
    network,
    channels,
    start,

    async due(text: string, { workspaceId, channelId }: (typeof channels)[number]): Promise<string> {
      const publishAt = new Date(Date.now() - 1_000)
      const made = await aPost(db, workspaceId, {
        states: ['scheduled'],
        texts: [text],
        channelIds: [channelId],
        publishAt,
      })
      return made.destinationIds[0]!
    },

    async fault(fault: object, match: object, times: number | 'always') {
      const answer = await fetch(`${network.url}/control/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ fault, match, times }),
      })
      expect(answer.status).toBe(201)
      const { id } = (await answer.json()) as { id: string }
      return { end: () => fetch(`${network.url}/control/faults/${id}`, { method: 'DELETE' }) }
    },

    async untilPublished(ids: readonly string[], withinMs: number): Promise<number> {
      const begun = performance.now()
      for (;;) {
        const [row] = await db<{ left: number }[]>`
          select count(*)::int as left from destination where id = any(${[...ids]}) and status <> 'published'`
        const passedMs = performance.now() - begun
        if (row!.left === 0) return passedMs
        if (passedMs > withinMs) throw new Error(`${row!.left} are not published after ${withinMs} ms`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },

    /** How often each type of event was written, at most, for one destination. */
    async eventsPerPost(type: string): Promise<number> {
      const [row] = await db<{ most: number | null }[]>`
        select max(count)::int as most
        from   (select count(*) from outbox_event where type = ${type} group by destination_id) counted`
      return row!.most ?? 0
    },

    async duplicates(): Promise<number> {
      const answer = await fetch(`${network.url}/control/creates/duplicates`)
      return ((await answer.json()) as { total: number }).total
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

const patienceMs = 90_000

test(
  'twelve calls that hang together hold nothing back for long',
  { timeout: 180_000 },
  async ({ annotate }) => {
    await using rig = await openRig([18])
    const ids = await Promise.all(rig.channels.map((channel, n) => rig.due(`first ${n}`, channel)))
    for (const channel of rig.channels) ids.push(await rig.due(`second ${channel.accountId}`, channel))
    await rig.fault({ kind: 'hang' }, { textIncludes: 'first' }, 12)
    const publisher = await rig.start()
    const outMs = await rig.untilPublished(ids, patienceMs)
    await publisher.stop(2_000)
    await annotate(`all out ${Math.round(outMs / 100) / 10} s after they were due`)
    expect(await rig.duplicates()).toBe(0)
    expect(await rig.eventsPerPost('post.delayed')).toBeLessThanOrEqual(1)
  },
)

test(
  'after an outage everything goes out by itself, and each post says once that it is delayed',
  { timeout: 300_000 },
  async ({ annotate }) => {
    await using rig = await openRig([9, 9])
    const outage = await rig.fault({ kind: 'outage' }, { calls: 'every' }, 'always')
    const ids: string[] = []
    for (let n = 0; n < Number(OUTAGE_POSTS); n += 1) {
      ids.push(await rig.due(`post ${n}`, rig.channels[n % rig.channels.length]!))
    }
    const publisher = await rig.start()
    await new Promise((resolve) => setTimeout(resolve, Number(OUTAGE_SECONDS) * 1_000))
    await outage.end()
    const outMs = await rig.untilPublished(ids, patienceMs)
    await publisher.stop(2_000)
    await annotate(`all out ${Math.round(outMs / 100) / 10} s after the end of the outage`)
    expect(await rig.duplicates()).toBe(0)
    expect(await rig.eventsPerPost('post.delayed')).toBeLessThanOrEqual(1)
  },
)

test("one workspace's broken posts hold back nobody else's", { timeout: 180_000 }, async ({ annotate }) => {
  await using rig: Rig = await openRig([10, 2])
  const broken = rig.channels.filter(({ workspaceId }) => workspaceId === rig.channels[0]!.workspaceId)
  const others = rig.channels.filter((channel) => !broken.includes(channel))
  for (const [n, channel] of broken.entries()) await rig.due(`broken ${n} #sandbox:accept-then-500`, channel)
  const publisher = await rig.start()
  await expect
    .poll(async () => (await rig.db`select from attempt where verdict = 'unknown'`).length, {
      timeout: 20_000,
    })
    .toBe(10)
  const ids = await Promise.all(others.map((channel, n) => rig.due(`other ${n}`, channel)))
  await rig.db`select pg_notify('postrider_due', '')`
  const outMs = await rig.untilPublished(ids, patienceMs)
  await publisher.stop(2_000)
  await annotate(`out ${Math.round(outMs)} ms after they were due`)
  expect(await rig.db`select from outbox_event where type = 'post.delayed'`).toHaveLength(0)
})
