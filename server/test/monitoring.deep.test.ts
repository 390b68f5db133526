import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { mailQueue } from '../src/people/mail/mail-store.ts'
import type { Db } from '../src/platform/postgres/db.ts'
import { emailOf } from '../src/platform/text/email-address.ts'
import { noteActivity } from '../src/platform/postgres/activity-store.ts'
import { issueSecret } from '../src/engine/webhooks/endpoint-secrets.ts'
import { aChannel, aPost, aWorkspace } from './rigs/fixtures.ts'
import { alertsOf, firing, promtool, RULES, scrape, type Scrape } from './rigs/promtool.ts'
import { openRunningApp, type RunningApp } from './rigs/running-app.ts'

/*
 * The alert rules and the dashboard of docs/monitoring, on what a real server measures: with each part really dead, and with all
 * of them alive.
 */

const ALL = 'api,publisher,webhooks'
const rules = readFileSync(RULES, 'utf8')
const dashboard = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../docs/monitoring/postrider-dashboard.json'), 'utf8'),
) as { panels: { title: string; targets?: { expr: string }[] }[] }
const dashboardQueries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

type Scenario = {
  readonly alerts: readonly string[]
  readonly roles?: string
  readonly env?: Record<string, string>
  readonly minutes?: number
  /** Breaks something. */
  readonly act: (app: RunningApp) => Promise<unknown>
  /** What is measured, where that is not what the server answers afterwards. */
  readonly after?: (app: RunningApp) => Promise<Scrape>
}

const scenarios: Record<string, Scenario> = {
  'nothing is wrong, after requests and the loss of every connection to PostgreSQL': {
    alerts: [],
    roles: ALL,
    async act(app) {
      await app.ask('GET', '/agent/v1/me')
      // A heartbeat is under way when its connection ends: what is idle is replaced without a word.
      await app.db.begin(async (tx) => {
        await tx`lock table worker in access exclusive mode`
        const waiting = async () =>
          (
            await tx`select pg_stat_clear_snapshot(), pid from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into worker%'`
          ).length > 0
        await until(waiting)
        await tx`select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and pid <> pg_backend_pid()`
      })
      await until(() => app.logged.some((line) => line.includes('the database is away')))
      await until(async () => (await app.ask('GET', '/readyz')).status === 200)
    },
  },
  'no backup for two days': {
    alerts: ['PostriderNoBackup'],
    roles: ALL,
    minutes: 49 * 60,
    act: async () => undefined,
  },
  'an old backup': {
    alerts: ['PostriderBackupOld'],
    roles: ALL,
    minutes: 120,
    async act({ db }) {
      await noteActivity(db, 'backup')
      await db`update activity set at = now() - interval '3 days' where part = 'backup'`
    },
  },
  'a process that does not answer': {
    alerts: ['PostriderDown'],
    act: async () => undefined,
    after: async () => null,
  },
  'a database that takes no writes': {
    alerts: ['PostriderNotReady'],
    roles: ALL,
    async act({ db, ask }) {
      const [row] = await db<[{ name: string }]>`select current_database() as name`
      await db.script(`alter database ${row.name} set default_transaction_read_only = on`)
      await db`select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and pid <> pg_backend_pid()`
      await until(async () => (await ask('GET', '/readyz')).body.database === 'not_writable')
    },
  },
  'a folder of media that takes no file': {
    alerts: ['PostriderMediaTakesNoFiles'],
    roles: ALL,
    async act({ dataDir, ask }) {
      const transit = join(dataDir, 'media/incoming')
      await rm(transit, { recursive: true })
      await writeFile(transit, '')
      await until(async () => JSON.stringify((await ask('GET', '/readyz')).body.warnings).includes('ENOTDIR'))
      expect((await ask('GET', '/readyz')).status).toBe(200)
    },
  },
  'no webhook dispatcher, and deliveries that wait': {
    alerts: ['PostriderRoleDead'],
    roles: 'api,publisher',
    async act(app) {
      await aDelivery(app)
      await app.db`update delivery set next_at = now() - interval '10 minutes'`
    },
  },
  'no publisher, and posts that are due': {
    alerts: ['PostriderRoleDead'],
    roles: 'api,webhooks',
    act: aDuePost,
  },
  'a publisher and a dispatcher that are there, and take nothing': {
    alerts: ['PostriderPublishingLate', 'PostriderWebhooksLate'],
    roles: 'api',
    async act(app) {
      await app.db`insert into worker (id, roles, host, pid) values (gen_random_uuid(), '{publisher}', 'a', 1)`
      await noteActivity(app.db, 'webhooks')
      await aDuePost(app)
      await aDelivery(app)
      await app.db`update delivery set next_at = now() - interval '10 minutes'`
    },
  },
  'posts of one workspace that expire': {
    alerts: ['PostriderWorkspaceFailing'],
    roles: ALL,
    minutes: 10,
    act: ({ db, workspace: { workspaceId } }) => expirePosts(db, [workspaceId]),
  },
  'posts of several workspaces that expire at one network': {
    alerts: ['PostriderNetworkFailing'],
    roles: ALL,
    minutes: 10,
    act: async ({ db, workspace: { workspaceId } }) =>
      expirePosts(db, [workspaceId, (await aWorkspace(db)).workspaceId]),
  },
  'a disk that is nearly full': {
    alerts: ['PostriderDiskFilling'],
    roles: ALL,
    act: async () => undefined,
    async after({ baseUrl }) {
      const found = new Map(await scrape(baseUrl))
      const size = found.get('postrider_disk_size_bytes{holds="media"}') ?? 0
      expect(size).toBeGreaterThan(0)
      return found.set('postrider_disk_free_bytes{holds="media"}', size / 11)
    },
  },
  'a database that is locked': {
    alerts: ['PostriderDatabaseSlow'],
    roles: ALL,
    // It ends within five minutes.
    minutes: 0,
    act: async () => undefined,
    async after({ baseUrl }) {
      const found = new Map(await scrape(baseUrl))
      expect(found.get('postrider_database_waits_total{cause="lock"}')).toBe(0)
      return found.set('postrider_database_waits_total{cause="lock"}', 3)
    },
  },
  'a clock that is wrong': {
    alerts: ['PostriderClockWrong'],
    roles: ALL,
    act: async () => undefined,
    async after({ baseUrl }) {
      const found = new Map(await scrape(baseUrl))
      expect(found.get('postrider_clock_ahead_seconds')).toBe(0)
      return found.set('postrider_clock_ahead_seconds', -3)
    },
  },
  'series whose posts are created too late': {
    alerts: ['PostriderSeriesLate'],
    roles: ALL,
    act: async () => undefined,
    async after({ db, workspace, baseUrl }) {
      const { workspaceId, memberId } = workspace
      const content = { channelIds: [await aChannel(db, workspaceId)], text: 'Every day' }
      const startsAt = { local: '2040-01-02T09:00', timeZone: 'UTC' }
      const madeFrom = '2026-01-01T00:00:00.000Z'
      const from = '2040-01-02'
      const definition = { rule: 'FREQ=DAILY;COUNT=2', startsAt, except: [], from, madeFrom, content }
      let found: Scrape = null
      // Who they are created for cannot be read.
      await db.begin(async (tx) => {
        await tx.script('lock table member in access exclusive mode')
        await db`
          insert into series (workspace_id, id, definitions, channel_ids, label_keys, media_ids, edit_token, maker_type,
                              maker_id, maker_name, look_at)
          values (${workspaceId}, ${crypto.randomUUID()}, ${db.json([definition])}, '{}', '{}', '{}', 'token', 'person',
                  ${memberId}, 'Ada', now() - interval '10 minutes')`
        await until(async () => {
          found = await scrape(baseUrl)
          return (found?.get('postrider_series_due_age_seconds') ?? 0) > 300
        })
      })
      return found
    },
  },
  'results in doubt, and channels that are not connected': {
    alerts: ['PostriderReconnectRequired', 'PostriderResultsInDoubt', 'PostriderRoleDead'],
    roles: 'api',
    async act({ db, workspace }) {
      const channelIds = [
        await aChannel(db, workspace.workspaceId),
        await aChannel(db, workspace.workspaceId),
      ]
      await aPost(db, workspace.workspaceId, { states: ['checking', 'reconnect_required'], channelIds })
      await db`update destination set status_since = now() - interval '2 hours'`
    },
  },
  'a post that is live twice': {
    alerts: ['PostriderSecondPost'],
    roles: ALL,
    async act({ db, workspace: { workspaceId } }) {
      await db`
        insert into late_post (workspace_id, destination_id, part_index, attempt_id, remote_id, told_at)
        values (${workspaceId}, gen_random_uuid(), 0, gen_random_uuid(), 'second', now())`
    },
  },
  'an endpoint that refuses': {
    alerts: ['PostriderEndpointFailing'],
    roles: ALL,
    minutes: 10,
    act: failDeliveries,
  },
  'deliveries that are given up at an endpoint that answers': {
    alerts: ['PostriderDeliveriesFailed'],
    roles: ALL,
    minutes: 10,
    async act(app) {
      await failDeliveries(app)
      await app.db`update endpoint set failing_since = null`
    },
  },
  'a mail server that is away, and mail whose key is lost': {
    alerts: ['PostriderMailFailed', 'PostriderMailLate'],
    roles: ALL,
    env: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'postrider@example.com' },
    async act({ db, keyring, baseUrl, logged }) {
      const message = { subject: 'x', paragraphs: ['x'] }
      const mail = { kind: 'notice', to: emailOf('ada@example.com'), message, hours: 1 } as const
      await mailQueue(keyring, baseUrl).enqueue(db, mail)
      await mailQueue({ seal: () => Buffer.from('?') }, baseUrl).enqueue(db, mail)
      await db`update mail set created_at = now() - interval '20 minutes'`
      for (const said of ['mail was given up', 'mail is tried again'])
        await until(() => logged.some((line) => line.includes(said)))
    },
  },
  'tables that are gone for a while': {
    alerts: ['PostriderEngineFault', 'PostriderRequestFault', 'PostriderWebhookFault'],
    roles: ALL,
    minutes: 10,
    async act({ db, ask, logged }) {
      const tables = ['channel_queue', 'delivery', 'media_item']
      for (const table of tables) await db.script(`alter table ${table} rename to ${table}_away`)
      expect((await ask('GET', '/agent/v1/media')).status).toBe(500)
      for (const said of ['engine fault', 'webhook fault'])
        await until(() => logged.some((line) => line.includes(said)))
      for (const table of tables) await db.script(`alter table ${table}_away rename to ${table}`)
    },
  },
  'numbers that cannot be read': {
    alerts: ['PostriderBlind'],
    roles: 'api',
    act: ({ db }) => db.script('alter table activity rename to activity_away'),
  },
  'a pool without a free connection': {
    alerts: ['PostriderPoolExhausted'],
    roles: ALL,
    act: async () => undefined,
    async after({ db, ask, baseUrl }) {
      let found: Scrape = null
      let asking: Promise<unknown>[] = []
      await db.begin(async (tx) => {
        await tx.script('lock table media_item in access exclusive mode')
        asking = Array.from({ length: 20 }, () => ask('GET', '/agent/v1/media'))
        await until(async () => {
          found = await scrape(baseUrl)
          return (found?.get('postrider_database_pool_waiting{pool="api"}') ?? 0) > 0
        })
      })
      await Promise.all(asking)
      return found
    },
  },
}

// Its package is unpacked when it is first used, which no test is to wait for.
beforeAll(() => promtool('--version'), 240_000)

test.each(Object.entries(scenarios))(
  '%s: exactly the alerts fire that tell of it',
  async (_what, scenario) => {
    const { alerts, roles = ALL, env = {}, minutes, act, after = ({ baseUrl }) => scrape(baseUrl) } = scenario
    await using app = await openRunningApp({ roles, env })
    const parts = [
      'housekeeping',
      ...(roles.includes('webhooks') ? ['webhooks'] : []),
      ...('SMTP_URL' in env ? ['mail'] : []),
    ]
    await until(
      async () => (await app.db`select from activity where part = any(${parts})`).length === parts.length,
    )
    const before = await scrape(app.baseUrl)
    await act(app)
    // A process looks at the installation every five seconds.
    await expect
      .poll(async () => firing(before, await after(app), minutes), { timeout: 30_000, interval: 500 })
      .toEqual(alerts)
  },
)

test('every alert has a case in which its part is dead', () => {
  const fired = new Set(Object.values(scenarios).flatMap((scenario) => scenario.alerts))
  expect([...fired].toSorted()).toEqual(alertsOf(rules).toSorted())
})

test('the rules and the queries of the dashboard are valid, and every metric in them is one of the server', async () => {
  expect(await promtool('check', 'rules', RULES)).toContain('SUCCESS')
  const folder = await mkdtemp(join(tmpdir(), 'postrider-dashboard-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const queries = dashboardQueries.map((expr, place) => ({
    record: `dashboard:${place}`,
    // What Grafana puts in.
    expr: expr.replaceAll('$__rate_interval', '5m'),
  }))
  await writeFile(
    join(folder, 'rules.yml'),
    JSON.stringify({ groups: [{ name: 'dashboard', rules: queries }] }),
  )
  expect(await promtool('check', 'rules', join(folder, 'rules.yml'))).toContain('SUCCESS')

  await using app = await openRunningApp({ roles: ALL })
  const { text } = await app.ask('GET', '/metrics')
  const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!))
  const named = [rules, ...dashboardQueries].flatMap(
    (query) => query.match(/(?<!:)\b(?:postrider|process|nodejs)_\w+/g) ?? [],
  )
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((name) => !known.has(name.replace(/_(bucket|sum|count)$/, '')))).toEqual([])
})

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(isSo, { timeout: 20_000 }).toBe(true)
}

async function aDuePost({ db, workspace: { workspaceId } }: RunningApp): Promise<void> {
  await aPost(db, workspaceId, { states: ['scheduled'], channelIds: [await aChannel(db, workspaceId)] })
  await db`update destination set publish_at = now() - interval '10 minutes', due_at = now() - interval '10 minutes'`
}

/** Five posts of each, whose allowed time ends before they are due. */
async function expirePosts(db: Db, workspaceIds: readonly string[]): Promise<void> {
  for (const workspaceId of workspaceIds) {
    const channelIds = [await aChannel(db, workspaceId)]
    for (let n = 0; n < 5; n++) await aPost(db, workspaceId, { states: ['scheduled'], channelIds })
  }
  await db`update destination set due_at = now() + interval '1 day', expires_at = now() - interval '1 minute'`
  await until(async () => (await db`select from destination where status <> 'expired'`).length === 0)
}

/** Five, at an endpoint that may not be called. */
async function failDeliveries(app: RunningApp): Promise<void> {
  for (let n = 0; n < 5; n++) await aDelivery(app)
  await app.db.notify('postrider_webhooks', '')
  await until(async () => (await app.db`select from delivery where status = 'failed'`).length === 5)
}

/** Due, to an endpoint at which nothing may be called. */
async function aDelivery({ db, keyring, workspace: { workspaceId } }: RunningApp): Promise<void> {
  const [endpoint] = await db<[{ id: string }]>`
    insert into endpoint (workspace_id, id, url, event_types)
    values (${workspaceId}, gen_random_uuid(), 'http://127.0.0.1:9/', array['post.published']) returning id`
  await issueSecret(db, keyring, { workspaceId, endpointId: endpoint.id })
  await db`insert into delivery (workspace_id, endpoint_id, event_id, event_type, test_body)
           values (${workspaceId}, ${endpoint.id}, gen_random_uuid(), 'post.published', '{}')`
}
