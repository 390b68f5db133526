import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { v7 as uuidv7 } from 'uuid'
import { anApproval, anAttempt, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { aSecondPost } from '../../../test/rigs/publishing-store.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import { generateOnce, type Work } from '../../content/ai/generate-once.ts'
import { insertGeneration, pruneGenerations, readDayUse } from '../../content/ai/generation-store.ts'
import { recordAct } from '../../people/audit/audit-store.ts'
import { startHousekeeping, transactionTask } from './housekeeping.ts'
import { housekeepingTasks, type Retention } from './retention-tasks.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import { noteUse, pruneArtifacts, putArtifact } from '../../people/apps/artifact-store.ts'
import { insertInvitation } from '../../people/members/invitation-store.ts'
import { parseEmail } from '../../platform/text/email-address.ts'
import { makeLink } from '../../people/sign-in/link/link-store.ts'
import { openSession, pruneSignIn } from '../../people/sign-in/session/session-store.ts'
import { takeTry } from '../../people/sign-in/password/throttle-store.ts'
import { openFolderStorage } from '../../media/folder-storage.ts'
import { openTempFiles } from '../../media/temp-files.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { fingerprintOf, pruneIdempotency } from '../../edge/operations/idempotency.ts'
import { createLog } from '../../platform/process/log.ts'
import { pruneWorkers } from '../../platform/postgres/worker-store.ts'
import { type DeliveryKey, resendDelivery } from '../../engine/webhooks/delivery-log-store.ts'
import { pruneDeliveries } from '../../engine/webhooks/delivery-retention-store.ts'

let world: World
let workspaceId: string
beforeEach(async () => {
  world = await openWorld()
  ;({ workspaceId } = await aWorkspace(world.db))
})
afterEach(() => world[Symbol.asyncDispose]())

const log = createLog({ level: 'silent' })
const requestOf = (key: string) => ({
  workspaceId,
  operation: 'generatePostDrafts',
  key,
  fingerprint: fingerprintOf('generatePostDrafts', '/', {}),
})

/** One round of housekeeping, from its begin to its end. */
async function clean(idempotencyDays: number): Promise<void> {
  const last = `last-${uuidv7()}`
  await generation({ key: last, begun: '400 days', status: 'failed' })
  const { housekeeping, errors } = await startOn({ idempotencyDays })
  await expect.poll(async () => (await keys()).includes(last)).toBe(false)
  await housekeeping.stop()
  expect(errors).toEqual([])
}

/** Housekeeping as a server does it, without media. */
async function startOn(days: Partial<Retention> = {}, keyring = makeKeyring([randomBytes(32)])) {
  const done: Record<string, number> = {}
  const errors: unknown[] = []
  const folder = await mkdtemp(join(tmpdir(), 'housekeeping-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const media = {
    storage: await openFolderStorage(folder),
    tempFiles: await openTempFiles(folder),
    address: 'http://localhost',
    log,
  }
  const retention = {
    eventDays: 30,
    deliveryDays: 30,
    attemptDays: 180,
    auditDays: 730,
    idempotencyDays: 7,
    ...days,
  }
  const housekeeping = startHousekeeping({
    tasks: housekeepingTasks(world.db, keyring, media, retention, []),
    noteTask: async () => undefined,
    onDone: (task, count) => (done[task] = count),
    onError: (task, error) => errors.push({ task, error }),
  })
  return { housekeeping, done, errors }
}

type Past = {
  key: string
  begun: string
  status: 'running' | 'succeeded' | 'failed' | 'lost'
  alive?: boolean
}

async function generation({ key, begun, status, alive = false }: Past): Promise<void> {
  const generationId = uuidv7()
  await world.db.begin((tx) =>
    insertGeneration(tx, {
      workspaceId,
      generationId,
      request: requestOf(key),
      credentialId: uuidv7(),
      model: 'openai/writer',
      reserved: { tokens: 0, images: 0 },
      leaseMs: alive ? 60_000 : -1,
    }),
  )
  await world.db`
    update ai_generation
    set    begun_at = now() - ${begun}::interval, status = ${status}, input_tokens = 10, images = 1,
           lease_until = case when ${status === 'running'} then lease_until end,
           settled_at = case when ${status !== 'running'} then now() - ${begun}::interval end,
           failure = case when ${status === 'failed'} then 'timeout' end
    where  id = ${generationId}`
}

async function keys(): Promise<string[]> {
  const rows = await world.db<{ key: string }[]>`select key from ai_generation order by key`
  return rows.map(({ key }) => key)
}

test('generations are forgotten after the days of their key, whatever became of them', async () => {
  for (const status of ['running', 'succeeded', 'failed', 'lost'] as const) {
    await generation({ key: `old ${status}`, begun: '7 days 1 minute', status })
    await generation({ key: `young ${status}`, begun: '6 days 23 hours', status })
  }
  await generation({ key: 'old alive', begun: '8 days', status: 'running', alive: true })
  await clean(7)
  expect(await keys()).toEqual([
    'old alive',
    'young failed',
    'young lost',
    'young running',
    'young succeeded',
  ])
})

test('the audit log is kept for its days, and no longer', async () => {
  await recordAct(world.db, {
    workspaceId,
    action: 'test',
    address: null,
    requestId: null,
    actor: { type: 'operator', id: null, name: 'root', personId: null },
  })
  const left = async () => (await world.db`select from audit_entry where action = 'test'`).length
  await clean(7)
  expect(await left()).toBe(1)
  const { housekeeping, errors } = await startOn({ auditDays: 0 })
  await expect.poll(left, { timeout: 20_000 }).toBe(0)
  await housekeeping.stop()
  expect(errors).toEqual([])
})

/** One round with these days, until this task has removed so many. */
async function removed(task: string, count: number, days: Partial<Retention> = {}): Promise<void> {
  const { housekeeping, done, errors } = await startOn(days)
  await expect.poll(() => done[task], { timeout: 20_000 }).toBe(count)
  await housekeeping.stop()
  expect(errors).toEqual([])
}

test('attempts are kept for their days, longer while they are in doubt, and while their destination goes on', async () => {
  const { destinationIds } = await aPost(world.db, workspaceId, {
    states: ['published', 'failed', 'checking', 'delayed'],
  })
  const [published = '', failed = '', checking = '', delayed = ''] = destinationIds
  const old = [
    await anAttempt(world.db, workspaceId, published, 'rejected'),
    await anAttempt(world.db, workspaceId, failed, 'rejected'),
  ]
  const kept = [
    await anAttempt(world.db, workspaceId, published, 'unknown'),
    await anAttempt(world.db, workspaceId, checking, 'rejected'),
    await anAttempt(world.db, workspaceId, delayed, 'rejected'),
  ]
  await world.db`
    update attempt set armed_at = now() - interval '181 days', settled_at = now() - interval '181 days'
    where  id = any(${[...old, ...kept]}::uuid[])`
  kept.push(await anAttempt(world.db, workspaceId, published, 'absent'))

  await removed('attempts', old.length)

  const left = await world.db<{ id: string }[]>`select id from attempt order by id`
  expect(left.map(({ id }) => id)).toEqual(kept.toSorted())
})

test('what is known of a second post is kept as long as the attempt that made it', async () => {
  const { destinationIds } = await aPost(world.db, workspaceId, { states: ['published', 'published'] })
  const [old, young] = [
    await aSecondPost(world.db, workspaceId, destinationIds[0]!),
    await aSecondPost(world.db, workspaceId, destinationIds[1]!),
  ]
  for (const [{ attemptId }, days] of [
    [old, 181],
    [young, 179],
  ] as const)
    await world.db`
      update attempt
      set    armed_at = now() - ${days} * interval '1 day', settled_at = now() - ${days} * interval '1 day'
      where  id = ${attemptId}`
  await removed('attempts', 1)
  expect(await world.db`select attempt_id as "attemptId" from late_post`).toEqual([
    { attemptId: young.attemptId },
  ])
})

test('of the requests for approval of a post the latest stays, however old it is', async () => {
  const { postId } = await aPost(world.db, workspaceId)
  for (const status of ['superseded', 'rejected', 'approved'] as const) {
    await anApproval(world.db, workspaceId, postId, status)
  }
  await world.db`update approval set requested_at = now() - interval '731 days'`

  await removed('replaced requests for approval', 2)

  expect(await world.db`select status from approval`).toEqual([{ status: 'approved' }])
})

test('links and invitations are removed 30 days after their time was over', async () => {
  const [person] = await world.db<{ personId: string }[]>`select id as "personId" from person`
  const { personId } = person!
  await makeLink(world.db, 'reset', { personId, workspaceId: null })
  await world.db`update one_time_link set expires_at = now() - interval '31 days'`
  await makeLink(world.db, 'reset', { personId, workspaceId: null })
  await world.db`update one_time_link set expires_at = now() - interval '29 days' where expires_at > now()`

  const [member] = await world.db<{ id: string }[]>`select id from member where workspace_id = ${workspaceId}`
  for (const [email, days] of [['old@postrider.test', 31] as const, ['young@postrider.test', 29] as const]) {
    const invited = {
      workspaceId,
      email: parseEmail(email)!,
      role: 'editor',
      invitedBy: member!.id,
      byMail: false,
    } as const
    const { invitationId } = await world.db.begin((tx) => insertInvitation(tx, invited))
    await world.db`update invitation set expires_at = now() - ${days} * interval '1 day' where id = ${invitationId}`
  }

  const { housekeeping, done, errors } = await startOn({})
  await expect.poll(() => done, { timeout: 20_000 }).toMatchObject({ links: 1, invitations: 1 })
  await housekeeping.stop()
  expect(errors).toEqual([])

  expect(await world.db`select from one_time_link`).toHaveLength(1)
  expect(await world.db`select email from invitation`).toEqual([{ email: 'young@postrider.test' }])
})

type Reuse = {
  /** Leaves one row, past its time. */
  age: () => Promise<unknown>
  reuse: (tx: Tx) => Promise<unknown>
  prune: (tx: Tx, limit: number) => Promise<number>
}

const tries = [{ what: 'tries', of: 'somebody', atMost: 3 }]

const reuses: Record<string, Reuse> = {
  'a delivery': {
    async age() {
      await world.db`
        insert into delivery (workspace_id, endpoint_id, event_id, event_type, test_body, status, error, created_at, settled_at)
        select ${workspaceId}, id, id, 'post.published', '', 'failed', 'timeout', past, past
        from   (select gen_random_uuid() as id, now() - interval '31 days' as past) of_test`
    },
    async reuse(tx) {
      const [key] = await tx<DeliveryKey[]>`
        select workspace_id as "workspaceId", endpoint_id as "endpointId", event_id as "eventId" from delivery`
      expect(await resendDelivery(tx, key!)).toBe(true)
    },
    prune: (tx, limit) => pruneDeliveries(tx, 30, limit),
  },
  'a client of OAuth': {
    async age() {
      await putArtifact(world.db, {
        model: 'Client',
        id: 'an app',
        payload: {},
        grantId: undefined,
        uid: undefined,
        expiresIn: undefined,
      })
      await world.db`update oauth_artifact set created_at = now() - interval '25 hours'`
    },
    reuse: (tx) => noteUse(tx, 'Client', 'an app'),
    prune: pruneArtifacts,
  },
  'a session': {
    async age() {
      const [person] = await world.db<{ id: string }[]>`select id from person`
      await openSession(world.db, person!.id, { address: '127.0.0.1', userAgent: null })
      await world.db`update session set seen_at = now() - interval '90 days'`
    },
    reuse: async (tx) => void (await tx`update session set seen_at = now()`),
    prune: pruneSignIn,
  },
  'a count of tries': {
    async age() {
      await takeTry(world.db, tries)
      await world.db`update throttle set ends_at = now() - interval '1 second'`
    },
    reuse: (tx) => takeTry(tx, tries),
    prune: pruneSignIn,
  },
  'a generation': {
    age: () => generation({ key: 'asleep', begun: '8 days', status: 'running' }),
    reuse: async (tx) => void (await tx`update ai_generation set lease_until = now() + interval '1 minute'`),
    prune: (tx, limit) => pruneGenerations(tx, 7, limit),
  },
  'a publisher that slept': {
    age: () => world.db`
      insert into worker (id, host, pid, roles, heartbeat_at)
      select gen_random_uuid(), 'host', 1, '{publisher}', now() - interval '25 hours'`,
    reuse: async (tx) => void (await tx`update worker set heartbeat_at = now()`),
    prune: (tx, limit) => pruneWorkers(tx, 1, limit),
  },
}

test.each(Object.entries(reuses))(
  '%s that is used again stays, and nobody waits for it',
  async (_, { age, reuse, prune }) => {
    await age()
    const pruned = () => world.db.begin((tx) => prune(tx, 10), { statementTimeoutMs: 5_000 })
    await world.db.begin(async (tx) => {
      await reuse(tx)
      expect(await pruned()).toBe(0)
    })
    expect(await pruned()).toBe(0)
  },
)

/** Tables that no round of housekeeping removes rows from by time, and why. */
const KEPT: Record<string, readonly string[]> = {
  'what people made, until they remove it': [
    'workspace',
    'workspace_freeze',
    'member',
    'person',
    'agent_key',
    'channel',
    'channel_group',
    'endpoint',
    'endpoint_secret',
    'series',
    'series_occurrence',
    'template',
    'network_client',
    'oauth_grant',
    'media_item',
    'passkey',
    'person_identity',
    'recovery_code',
    'totp',
  ],
  posts: ['post', 'post_label', 'post_search', 'unindexed_post', 'destination', 'part'],
  'a row for each of something else': [
    'activity',
    'audit_stream',
    'channel_queue',
    'event_feed_start',
    'installation',
    'media_place',
    'notice_position',
    'notice_reader',
    'schema_migration',
  ],
  'removed by whoever works through them': [
    'network_failure',
    'network_outage',
    'network_recovery',
    'publication',
    'reset_request',
  ],
}
const CLEANED = [
  'ai_generation',
  'approval',
  'approval_told',
  'attempt',
  'audit_entry',
  'bulk_run',
  'bulk_run_item',
  'ceremony',
  'connect_flow',
  'notice',
  'delivery',
  'delivery_attempt',
  'idempotency_record',
  'invitation',
  'late_post',
  'mail',
  'media_file',
  'network_draft',
  'oauth_artifact',
  'one_time_link',
  'outbox_event',
  'rate_count',
  'session',
  'throttle',
  'worker',
]

test('every table is cleaned by time, or has a reason to be kept, and the page on retention names it', async () => {
  const tables = await world.db<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public'`
  const decided = [...Object.values(KEPT).flat(), ...CLEANED]
  expect(tables.map(({ name }) => name).toSorted()).toEqual(decided.toSorted())
  const page = await readFile(join(import.meta.dirname, '../../../../docs/retention.md'), 'utf8')
  expect(decided.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('the budget of the day counts the same after cleaning, however short the days are', async () => {
  const [row] = await world.db<{ since: string }[]>`
    select greatest((now() at time zone 'UTC')::time::interval - interval '1 millisecond', interval '0')::text as since`
  await generation({ key: 'at midnight', begun: row!.since, status: 'failed' })
  await generation({ key: 'now', begun: '0 seconds', status: 'succeeded' })
  await generation({ key: 'the day before', begun: '25 hours', status: 'succeeded' })
  const before = await readDayUse(world.db, workspaceId)
  expect(before).toMatchObject({ tokens: 20, images: 2 })
  await clean(1)
  const { tokens, images } = await readDayUse(world.db, workspaceId)
  expect({ tokens, images, keys: await keys() }).toEqual({
    tokens: 20,
    images: 2,
    keys: ['at midnight', 'now'],
  })
})

test('within the days of a key, no cleaning makes a repeat ask the model', async () => {
  let asked = 0
  const work: Work<null, string, 'ai_failed'> = {
    prepare: async () => ({ plan: null, model: 'openai/writer', reserved: { tokens: 0, images: 0 } }),
    run: async () => {
      asked += 1
      return { store: async () => 'written' }
    },
  }
  const send = (key: string) =>
    generateOnce(
      { db: world.db, log, timeoutMs: 5_000, leaseMs: 5_000 },
      {
        request: requestOf(key),
        credentialId: uuidv7(),
        gone: new AbortController().signal,
        render: (body) => ({ status: 200, body }),
      },
      work,
    )
  expect(await send('answered')).toMatchObject({ status: 200, replayed: false })
  await world.db`update ai_generation set begun_at = now() - interval '6 days 23 hours'`
  await world.db`update idempotency_record set created_at = now() - interval '6 days 23 hours'`
  await generation({ key: 'died', begun: '6 days 23 hours', status: 'running' })
  await clean(7)
  expect(await send('answered')).toMatchObject({ status: 200, replayed: true })
  expect(await send('died')).toMatchObject({ refused: 'ai_failed' })
  expect(asked).toBe(1)
})

/** Answers of the idempotency keys 1 to `count`, long past their days. */
async function oldAnswers(count: number): Promise<void> {
  await world.db`
    insert into idempotency_record (workspace_id, operation, key, fingerprint, http_status, body, created_at)
    select ${workspaceId}, 'createPost', n::text, '', 201, '', now() - interval '30 days'
    from   generate_series(1, ${count}::int) n`
}

async function answersLeft(): Promise<number> {
  const [row] = await world.db<[{ count: number }]>`select count(*)::int as count from idempotency_record`
  return row.count
}

test('everything that is past its time is removed, in batches, and nothing else', async () => {
  await oldAnswers(12_345)
  await world.db`
    insert into idempotency_record (workspace_id, operation, key, fingerprint, http_status, body)
    values (${workspaceId}, 'createPost', 'young', '', 201, '')`
  await world.db`
    insert into worker (id, roles, host, pid, heartbeat_at)
    values (gen_random_uuid(), '{publisher}', 'gone', 1, now() - interval '25 hours'),
           (gen_random_uuid(), '{publisher}', 'here', 2, now())`
  const { housekeeping, done, errors } = await startOn()
  await expect.poll(() => done, { timeout: 20_000 }).toEqual({ 'idempotency records': 12_345, workers: 1 })
  await housekeeping.stop()
  expect(errors).toEqual([])
  expect(await answersLeft()).toBe(1)
  expect(await world.db`select host from worker`).toEqual([{ host: 'here' }])
})

test('a stop waits for no more than one short batch, however slow and however many the rows are', async () => {
  await oldAnswers(20_000)
  await world.db.script(`
    create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.005); return old; end $$;
    create trigger slow before delete on idempotency_record for each row execute function linger();`)
  const { housekeeping, errors } = await startOn()
  await expect.poll(deleting).toBe(true)
  await housekeeping.stop()
  expect(await answersLeft()).toBeGreaterThan(10_000)
  expect(errors).toEqual([])
})

async function deleting(): Promise<boolean> {
  const rows = await world.db`
    select from pg_stat_activity
    where  datname = current_database() and state = 'active' and query like '%delete from idempotency_record%'
    and    pid <> pg_backend_pid()`
  return rows.length > 0
}

test('slow rows are removed in smaller batches', async () => {
  await oldAnswers(40)
  await world.db.script(`
    create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.03); return old; end $$;
    create trigger slow before delete on idempotency_record for each row execute function linger();`)
  const limits: number[] = []
  const prune = (tx: Tx, limit: number) => {
    limits.push(limit)
    return pruneIdempotency(tx, 7, limit)
  }
  const task = transactionTask(world.db, 'idempotency records', 40, prune, 450)
  const done = Promise.withResolvers<number>()
  const housekeeping = startHousekeeping({
    tasks: [task],
    noteTask: async () => undefined,
    onDone: (_, count) => done.resolve(count),
    onError: (_, error) => done.reject(error),
  })
  expect(await done.promise).toBe(40)
  await housekeeping.stop()
  expect(limits[0]).toBe(40)
  expect(limits.at(-1)).toBeLessThan(20)
})

test('one task that fails keeps none of the others from their work', async () => {
  const errors: string[] = []
  let noted = 0
  const done = Promise.withResolvers<void>()
  const housekeeping = startHousekeeping({
    tasks: [
      { name: 'broken', batch: 1, run: () => Promise.reject(new Error('broken')) },
      { name: 'sound', batch: 2, run: () => Promise.resolve(1) },
    ],
    noteTask: async () => void (noted += 1),
    onDone: () => done.resolve(),
    onError: (task) => errors.push(task),
  })
  await done.promise
  await housekeeping.stop()
  expect(errors).toEqual(['broken'])
  expect(noted).toBe(1)
})

test('a task is left to the process that is at it', async () => {
  await oldAnswers(3)
  const begun = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const slow = transactionTask(world.db, 'one', 5, async () => {
    begun.resolve()
    await mayEnd.promise
    return 0
  })
  const other = transactionTask(world.db, 'one', 5, (tx, limit) => pruneIdempotency(tx, 7, limit))
  const never = new AbortController().signal
  const first = slow.run(5, never)
  await begun.promise
  expect(await other.run(5, never)).toBe(0)
  mayEnd.resolve()
  await first
  expect(await other.run(5, never)).toBe(3)
})
