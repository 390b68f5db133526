import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { afterEach, expect, test } from 'vitest'
import type { Db } from '../src/platform/db.ts'
import { makeKeyring } from '../src/platform/sealing.ts'
import { takeSandboxAccount } from '../src/sandbox/sandbox-accounts.ts'
import { openCluster } from './cluster.ts'
import { aChannel, aWorkspace, type AWorkspace } from './fixtures.ts'
import { aKey, freePort } from './running-app.ts'

/*
 * The product as processes, on a PostgreSQL that is killed and comes back, while posts are going out. The sandbox
 * network is neither killed nor restarted: it counts what it was told to create, and its count is the judge.
 */

const children = new Set<ChildProcess>()
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
})

test('posts go out once each, though the database and then a server are killed under them', async () => {
  await using rig = await openRig(20)
  await rig.serve('api,publisher')
  await rig.serve('publisher')
  await rig.create(200)

  await rig.untilPublished(30)
  await rig.restartDatabase()
  await rig.untilPublished(100)
  const [server] = rig.servers
  await server!.end('SIGKILL')
  expect(await rig.published()).toBeLessThan(200)
  await rig.serve('api,publisher')
  await rig.untilPublished(200)

  await rig.expectEachOnce(200)
  expect(await rig.ask('/agent/v1/posts?limit=100&status=published')).toMatchObject({
    items: { length: 100 },
  })
}, 120_000)

test('a server that is told to stop leaves nothing half done, and nothing behind', async () => {
  await using rig = await openRig(20)
  await rig.serve('api,publisher')
  await rig.serve('publisher')
  await rig.create(60)

  await rig.untilPublished(5)
  const stoppedAt = performance.now()
  const ends = await Promise.all(rig.servers.map((server) => server.end('SIGTERM')))
  expect(ends).toEqual([
    [0, null],
    [0, null],
  ])
  expect(performance.now() - stoppedAt).toBeLessThan(10_000)
  const left = await rig.statuses()
  // What was armed and not called any more is `delayed`: it goes on by itself, as what is `scheduled` does.
  const { published = 0, scheduled = 0, delayed = 0 } = left
  expect(scheduled + delayed).toBeGreaterThan(0)
  expect(published + scheduled + delayed).toBe(60)
  expect(published).toBe(await rig.createsAtNetwork())
  expect(await rig.db`select from worker`).toHaveLength(0)

  await rig.serve('api,publisher')
  await rig.untilPublished(60)
  await rig.expectEachOnce(60)
}, 120_000)

test('a server that is told to stop does not wait for all the rows that are past their time', async () => {
  await using rig = await openRig(1)
  await rig.db`
    insert into idempotency_record (workspace_id, operation, key, fingerprint, http_status, body, created_at)
    select w.id, 'createPost', n::text, '', 201, '', now() - interval '30 days'
    from   workspace w, generate_series(1, 100000) n`
  await rig.db.script(`
    create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.002); return old; end $$;
    create trigger slow before delete on idempotency_record for each row execute function linger();`)
  await rig.serve('api,publisher,webhooks')
  await expect
    .poll(
      () => rig.db`
        select from pg_stat_activity
        where  state = 'active' and pid <> pg_backend_pid() and query like '%delete from idempotency_record%'`,
      { timeout: 20_000 },
    )
    .toHaveLength(1)

  const stoppedAt = performance.now()
  expect(await rig.servers[0]!.end('SIGTERM')).toEqual([0, null])
  expect(performance.now() - stoppedAt).toBeLessThan(10_000)
  const [left] = await rig.db<[{ count: number }]>`select count(*)::int as count from idempotency_record`
  expect(left.count).toBeGreaterThan(90_000)
}, 120_000)

/** How long the network takes for each post, so that there is a middle to kill things in. */
const SLOW = '#sandbox:slow=300'

async function openRig(channels: number) {
  await using opened = new AsyncDisposableStack()
  const cluster = opened.use(await openCluster())
  const { db, databaseUrl } = cluster.world
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-restart-'))
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }))
  const network = await startSandboxNetwork({ memory: true })
  opened.defer(() => network.close())

  const secret = randomBytes(32)
  const workspace = await aWorkspace(db)
  const key = await aKey(db, workspace)
  const channelIds = await openChannels(db, workspace, network.url, secret, channels)
  const servers: Server[] = []
  opened.defer(() => Promise.all(servers.map((server) => server.end('SIGKILL'))).then(() => undefined))
  const port = await freePort()
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    SECRET_KEYS: secret.toString('base64'),
    SANDBOX_URL: network.url,
    PORT: String(port),
    LEASE_SECONDS: '5',
    PUBLISH_TIMEOUT_SECONDS: '2',
    RATE_LIMIT_PER_MINUTE: '100000',
    RATE_LIMIT_WRITES_PER_MINUTE: '100000',
  }
  const baseUrl = `http://127.0.0.1:${port}`
  const running = opened.move()

  const rig = {
    db,
    servers,
    async serve(roles: string): Promise<void> {
      servers.push(await startServer({ ...env, ROLES: roles }, dataDir))
    },

    /** Posts on one channel after the other; all of them are due as soon as the last is made. */
    async create(count: number): Promise<void> {
      const publishAt = new Date(Date.now() + 3_600_000).toISOString()
      for (let n = 0; n < count; n++) {
        const response = await fetch(`${baseUrl}/agent/v1/posts`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            ...{ confirmed: true, idempotencyKey: `post-${n}`, state: 'scheduled', publishAt },
            ...{ channelIds: [channelIds[n % channels]], text: `Post ${n} ${SLOW}` },
          }),
        })
        expect({
          status: response.status,
          body: response.status === 201 ? '' : await response.text(),
        }).toEqual({
          ...{ status: 201, body: '' },
        })
        await response.body?.cancel()
      }
      await db`update destination set publish_at = now(), due_at = now()`
      await db.notify('postrider_due', '')
    },

    async ask(path: string): Promise<unknown> {
      const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
      return response.json()
    },

    restartDatabase: () => cluster.crash(),

    async statuses(): Promise<Record<string, number>> {
      const rows = await db<{ status: string; count: number }[]>`
        select status, count(*)::int from destination group by status`
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
    },
    published: async (): Promise<number> => (await rig.statuses())['published'] ?? 0,
    async untilPublished(count: number): Promise<void> {
      await expect
        .poll(() => rig.published(), { timeout: 50_000, interval: 50 })
        .toBeGreaterThanOrEqual(count)
    },
    async createsAtNetwork(): Promise<number> {
      const answer = await fetch(`${network.url}/control/creates`)
      return ((await answer.json()) as { total: number }).total
    },

    async expectEachOnce(count: number): Promise<void> {
      expect(await rig.statuses()).toEqual({ published: count })
      const duplicates = await fetch(`${network.url}/control/creates/duplicates`)
      expect(await duplicates.json()).toEqual({ total: 0, items: [] })
      expect(await rig.createsAtNetwork()).toBe(count)
      const events = await db<{ events: number; destinations: number }[]>`
        select count(*)::int as events, count(distinct destination_id)::int as destinations
        from   outbox_event
        where  type = 'post.published'`
      expect([...events]).toEqual([{ events: count, destinations: count }])
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
  return rig
}

async function openChannels(
  db: Db,
  { workspaceId }: AWorkspace,
  networkUrl: string,
  secret: Buffer,
  count: number,
): Promise<string[]> {
  const keyring = makeKeyring([secret])
  return Promise.all(
    Array.from({ length: count }, async (_none, n) => {
      const wanted = { handle: `account_${n}`, displayName: `Account ${n}`, profile: 'short' } as const
      const { id, token } = await takeSandboxAccount(networkUrl, wanted, { takeOver: false })
      const grant = { baseUrl: networkUrl, accessToken: token, accountId: id }
      return aChannel(db, workspaceId, { remoteAccountId: id, grant, keyring })
    }),
  )
}

type Server = { end: (signal: NodeJS.Signals) => Promise<unknown[]> }

/** `postrider serve`, up and ready. */
async function startServer(env: Record<string, string>, cwd: string): Promise<Server> {
  const main = join(import.meta.dirname, '../src/main.ts')
  const child = spawn(process.execPath, [main, 'serve'], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  const ended = once(child, 'close')
  let said = ''
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('Postrider is ready')) resolve()
    })
  })
  let logged = ''
  child.stderr.on('data', (chunk: Buffer) => (logged = (logged + chunk.toString()).slice(-4_000)))
  const failed = ended.then(() => Promise.reject(new Error(`The server ended:\n${said}\n${logged}`)))
  const late = delay(30_000, undefined, { ref: false }).then(() => Promise.reject(new Error('not ready')))
  await Promise.race([ready, failed, late])
  failed.catch(() => undefined)
  late.catch(() => undefined)
  return {
    end(signal) {
      child.kill(signal)
      children.delete(child)
      return ended
    },
  }
}
