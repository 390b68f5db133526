import { setTimeout as sleep } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import { expect, onTestFinished, test } from 'vitest'
import { aFile } from '../../../test/rigs/engine-rig.ts'
import { aChannel, anAttempt, aPicture, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { noOutages } from '../../../test/rigs/no-outages.ts'
import { noMedia } from '../../../test/rigs/no-media.ts'
import { plantMany } from '../../../test/rigs/plant-many.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { type Db, openDb } from '../../platform/postgres/db.ts'
import type { Call, CallAnswer } from '../../networks/providers/port/calls.ts'
import type { Providers, UploadVerdict, UploadWork } from '../../networks/providers/port/port.ts'
import { wait, type Steps } from '../../networks/providers/port/procedure.ts'
import { providers as allProviders } from '../../networks/providers/registry.ts'
import { sandboxShort } from '../../networks/providers/sandbox/sandbox.ts'
import type { MediaSource } from './engine-port.ts'
import { publicationStore } from '../queue/engine-store.ts'
import { startPublisher } from './publisher.ts'

/** A publisher on the real store, whose calls end as told. */
async function openPublisher({
  call,
  leaseMs,
  media = noMedia,
  providers = allProviders,
  concurrency = 8,
  storeOn = publicationStore,
}: {
  call: Call
  leaseMs: number
  media?: MediaSource
  providers?: Providers
  concurrency?: number
  storeOn?: typeof publicationStore
}) {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  const { db } = world
  const heartbeatDb = world.openSession()
  const workerId = uuidv7()
  const authorization = { baseUrl: 'http://network.test', accessToken: 't', accountId: 'a' }
  const options = { workerId, leaseMs, perWorkspace: 100, openAuthorization: () => authorization }
  const faults: unknown[] = []
  const start = (own = db) =>
    startPublisher({
      db: own,
      heartbeatDb,
      leaseMs,
      heartbeatEveryMs: 100,
      concurrency,
      maxWaitMs: 200,
      worker: { id: workerId, roles: ['publisher'], host: 'test', pid: process.pid },
      engine: {
        store: storeOn(db, options),
        providers,
        call,
        media,
        newId: uuidv7,
        clock: () => performance.now(),
        wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
        random: () => 0,
        outages: noOutages,
        observe: () => undefined,
        onAdapterFault: ({ cause }) => void faults.push(cause),
        armWindowMs: 60_000,
        callTimeoutMs: 60_000,
        settlingMs: 60_000,
        lateCallMs: 0,
        processingMs: 60_000,
      },
      onClaim: () => undefined,
      onFault: (fault) => void faults.push(fault),
    })
  const running = opened.move()
  return {
    db,
    databaseUrl: world.databaseUrl,
    start,
    faults,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function doubtsDue(db: Db, workspaceId: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const { destinationIds } = await aPost(db, workspaceId, { states: ['checking'], texts: [`doubt ${n}`] })
    await anAttempt(db, workspaceId, destinationIds[0]!, 'unknown')
  }
  await db`update destination set due_at = now() where status = 'checking'`
}

test('the first calls of many that are due at once do not wait until all are claimed', async () => {
  const over = Promise.withResolvers<CallAnswer>()
  const next = Promise.withResolvers<void>()
  let [calls, claims] = [0, 0]
  await using rig = await openPublisher({
    leaseMs: 60_000,
    concurrency: 64,
    call: () => {
      calls += 1
      return over.promise
    },
    storeOn: (db, options) => {
      const store = publicationStore(db, options)
      const claim: typeof store.claim = async (limit) => {
        claims += 1
        if (claims > 1) await next.promise
        return store.claim(limit)
      }
      return { ...store, claim }
    },
  })
  const { db } = rig
  const { workspaceId } = await aWorkspace(db)
  await plantMany(db, workspaceId, { channels: 40, each: 1 })
  const publisher = await rig.start()
  await expect.poll(() => [claims, calls], { timeout: 20_000 }).toEqual([2, 32])

  next.resolve()
  await expect.poll(() => calls, { timeout: 20_000 }).toBe(40)
  over.resolve({ arrived: false, reason: 'timeout', maybeSent: true, durationMs: 1 })
  await publisher.stop(5_000)
})

test('what wakes a publisher while nothing is due leads to a look, and to no claim', async () => {
  let claims = 0
  await using rig = await openPublisher({
    leaseMs: 60_000,
    call: () => expect.unreachable('called'),
    storeOn: (db, options) => {
      const store = publicationStore(db, options)
      return { ...store, claim: (limit) => store.claim(limit).finally(() => (claims += 1)) }
    },
  })
  const { workspaceId } = await aWorkspace(rig.db)
  await aPost(rig.db, workspaceId, { states: ['scheduled'], publishAt: new Date(Date.now() + 3_600_000) })
  let looks = 0
  const own = openDb({
    url: rig.databaseUrl,
    applicationName: 'publisher',
    onStatement: ({ text }) => void (looks += Number(text.includes('min(look_at)'))),
  })
  onTestFinished(() => own.end())
  const publisher = await rig.start(own)
  await expect.poll(() => looks).toBeGreaterThan(0)

  const lookedAtFirst = looks
  publisher.wake()
  await expect.poll(() => looks).toBeGreaterThan(lookedAtFirst)

  await publisher.stop(5_000)
  expect(claims).toBe(0)
})

test('lookups that are never answered keep no lease from being renewed, and nothing else from going on', async () => {
  const over = Promise.withResolvers<CallAnswer>()
  const asked = { lookups: 0, publishes: 0 }
  await using rig = await openPublisher({
    leaseMs: 1_200,
    call: ({ method }) => {
      asked[method === 'GET' ? 'lookups' : 'publishes'] += 1
      return over.promise
    },
  })
  const { db } = rig
  const { workspaceId } = await aWorkspace(db)
  await doubtsDue(db, workspaceId, 20)
  await aPost(db, workspaceId, {
    states: ['scheduled'],
    channelIds: [await aChannel(db, workspaceId)],
    publishAt: new Date(Date.now() - 1_000),
  })
  const publisher = await rig.start()
  await expect.poll(() => asked, { timeout: 20_000 }).toEqual({ lookups: 16, publishes: 1 })

  const lease = async () => {
    const [row] = await db<{ fence: number; until: Date; now: Date }[]>`
      select fence, lease_until as until, now() from destination where status = 'publishing'`
    return row!
  }
  const first = await lease()
  await expect
    .poll(async () => (await lease()).until.getTime(), { timeout: 20_000 })
    .toBeGreaterThan(first.until.getTime() + 2_400)
  const { fence, until, now } = await lease()
  expect([fence, until > now]).toEqual([first.fence, true])

  // What becomes due meanwhile expires and is published all the same.
  await aPost(db, workspaceId, { states: ['delayed'], publishAt: new Date(Date.now() - 90_000_000) })
  await aPost(db, workspaceId, { states: ['scheduled'], publishAt: new Date(Date.now() - 1_000) })
  await expect.poll(() => asked.publishes, { timeout: 20_000 }).toBe(2)
  await expect
    .poll(async () => (await db`select from destination where status = 'expired'`).length, {
      timeout: 20_000,
    })
    .toBe(1)

  over.resolve({ arrived: false, maybeSent: true, reason: 'TIMEOUT', durationMs: 1 })
  await publisher.stop(10_000)
  expect(rig.faults).toEqual([])
})

test('a publisher that cannot subscribe begins nothing, and leaves nothing running', async () => {
  await using rig = await openPublisher({ leaseMs: 60_000, call: () => expect.unreachable('called') })
  const statements: string[] = []
  const deaf = openDb({
    url: rig.databaseUrl,
    listenUrl: 'postgresql://nobody@127.0.0.1:9/nothing',
    applicationName: 'deaf',
    onStatement: ({ text }) => void statements.push(text),
  })
  onTestFinished(() => deaf.end())
  await expect(rig.start(deaf)).rejects.toThrow('ECONNREFUSED')
  expect(statements).toEqual([])
  expect(await rig.db`select from worker`).toEqual([])
})

test('what is held is announced also while a publisher has more in flight than places', async () => {
  const over = Promise.withResolvers<CallAnswer>()
  let calls = 0
  await using rig = await openPublisher({
    leaseMs: 60_000,
    call() {
      calls += 1
      return over.promise
    },
  })
  const { db } = rig
  const { workspaceId } = await aWorkspace(db)
  const orphans = await aPost(db, workspaceId, {
    states: Array.from({ length: 10 }, () => 'publishing' as const),
  })
  for (const id of orphans.destinationIds) await anAttempt(db, workspaceId, id, null)
  await db`update attempt set handle = 'job'`
  await db`update destination set lease_until = now()`
  const publisher = await rig.start()
  await expect.poll(() => [calls, publisher.inFlight()], { timeout: 20_000 }).toEqual([10, 10])

  const channelId = await aChannel(db, workspaceId)
  await db`update channel set paused_until = now() + interval '1 hour' where id = ${channelId}`
  const publishAt = new Date(Date.now() - 60_000)
  const { postId } = await aPost(db, workspaceId, {
    states: ['scheduled'],
    channelIds: [channelId],
    publishAt,
  })
  const status = async () =>
    (await db<{ status: string }[]>`select status from destination where post_id = ${postId}`)[0]!.status
  await expect.poll(status, { timeout: 20_000 }).toBe('delayed')
  expect(publisher.inFlight()).toBe(10)

  over.resolve({ arrived: false, maybeSent: true, reason: 'TIMEOUT', durationMs: 1 })
  await publisher.stop(10_000)
  expect(rig.faults).toEqual([])
})

test('what providers are processing takes no place, and keeps only its own channel', async () => {
  const calls: string[] = []
  await using rig = await openPublisher({
    leaseMs: 60_000,
    async call({ method, url, json }) {
      const { text = '' } = (json ?? {}) as { text?: string }
      calls.push(method === 'GET' ? 'poll' : text)
      const id = url.pathname.split('/').at(-1)!
      const body =
        text === 'quick'
          ? {
              id: 'r1',
              url: 'http://network.test/r1',
              text,
              inReplyTo: null,
              status: 'published',
              mediaIds: [],
              createdAt: new Date().toISOString(),
              account: { id: 'a' },
            }
          : { id: method === 'GET' ? id : 'job', status: 'processing' }
      const status = method === 'GET' ? 200 : text === 'quick' ? 201 : 202
      return { arrived: true, response: { status, headers: {}, body: JSON.stringify(body) }, durationMs: 1 }
    },
  })
  const { db } = rig
  const { workspaceId } = await aWorkspace(db)
  const publishAt = new Date(Date.now() - 60_000)
  const films = Array.from({ length: 20 }, () => 'scheduled' as const)
  const { channelIds } = await aPost(db, workspaceId, { states: films, texts: ['film'], publishAt })
  const publisher = await rig.start()
  const processing = () => db`select from destination where status = 'publishing' and lease_until is null`
  await expect.poll(async () => (await processing()).length, { timeout: 20_000 }).toBe(20)

  const [busy = ''] = channelIds
  const later = { states: ['scheduled' as const], texts: ['quick'], publishAt: new Date(Date.now() - 1_000) }
  const waiting = await aPost(db, workspaceId, { ...later, channelIds: [busy] })
  const free = await aPost(db, workspaceId, later)
  publisher.wake()
  const statusOf = async (postId: string) =>
    (await db<{ status: string }[]>`select status from destination where post_id = ${postId}`)[0]!.status
  await expect.poll(() => statusOf(free.postId), { timeout: 20_000 }).toBe('published')
  expect(await statusOf(waiting.postId)).toBe('scheduled')
  expect(publisher.inFlight()).toBeLessThan(20)

  // Each is polled when its row says so.
  await db`update destination set due_at = now() where lease_until is null and status = 'publishing'`
  publisher.wake()
  await expect
    .poll(() => calls.filter((call) => call === 'poll').length, { timeout: 20_000 })
    .toBeGreaterThan(19)
  await publisher.stop(10_000)
  expect(rig.faults).toEqual([])
})

test('an upload that its provider is processing takes no place, and goes on when its row says so', async () => {
  let finished = false
  function* upload({ checkpoint }: UploadWork): Steps<UploadVerdict> {
    if (finished && checkpoint !== null) return { is: 'rejected', code: 'media_refused', detail: 'Too loud.' }
    yield* wait(50_000, { job: 1 })
    return { is: 'uploaded', media: { remoteId: 'never' } }
  }
  const adapter = { ...(await sandboxShort.load()), upload }
  await using rig = await openPublisher({
    leaseMs: 60_000,
    call: () => expect.unreachable('called'),
    providers: new Map([['sandbox-short', { ...sandboxShort, load: async () => adapter }]]),
    media: { prepare: async () => aFile('abcdef') },
  })
  const { db } = rig
  const { workspaceId } = await aWorkspace(db)
  const publishAt = new Date(Date.now() - 60_000)
  const { channelIds } = await aPost(db, workspaceId, {
    states: Array.from({ length: 20 }, () => 'scheduled' as const),
    publishAt,
  })
  await db`update part set media_ids = ${[await aPicture(db, workspaceId)]}::uuid[]`
  const publisher = await rig.start()
  const waiting = () => db`
    select from destination where status = 'publishing' and lease_until is null and upload is not null`
  await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBe(channelIds.length)
  await expect.poll(() => publisher.inFlight(), { timeout: 20_000 }).toBe(0)

  finished = true
  await db`update destination set due_at = now() where status = 'publishing'`
  publisher.wake()
  await expect
    .poll(async () => (await db`select from destination where status = 'failed' and upload is null`).length, {
      timeout: 20_000,
    })
    .toBe(channelIds.length)
  await publisher.stop(10_000)
  expect(rig.faults).toEqual([])
})
