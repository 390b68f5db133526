import { randomBytes } from 'node:crypto'
import { access, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { recordAct } from '../src/people/audit/audit-store.ts'
import { claimStorage } from '../src/media/claim-storage.ts'
import { recordFile } from '../src/media/file-store.ts'
import { openFolderStorage } from '../src/media/folder-storage.ts'
import { publicAddresses } from '../src/media/public-addresses.ts'
import { sweepStorage } from '../src/media/sweep-storage.ts'
import { LEFT_AFTER_MS, openTempFiles } from '../src/media/temp-files.ts'
import { startMonitoring } from '../src/operate/monitoring/start-monitoring.ts'
import { isPast } from '../src/platform/text/instant.ts'
import { makeKeyring } from '../src/platform/sealing/sealing.ts'
import { createLog } from '../src/platform/process/log.ts'
import { openDatabaseClock } from '../src/platform/loops/database-clock.ts'
import { createMetrics } from '../src/platform/process/metrics.ts'
import { providers } from '../src/networks/providers/registry.ts'
import { decideApproval } from '../src/attention/reviews/decide-approval.ts'
import { undoDecision } from '../src/attention/reviews/undo-decision.ts'
import { makeOccurrences } from '../src/content/series/make-occurrences.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aChannel, anApproval, aPost, aWorkspace } from './rigs/fixtures.ts'
import { begin, consent, exchange, me, refresh } from './rigs/oauth-flow.ts'
import { openOAuthWorld } from './rigs/oauth-world.ts'
import { aUser, join as joinAs, openSite } from './rigs/people-world.ts'
import { setProcessClock } from './rigs/process-clock.ts'
import { openReceiver } from './rigs/receiver.ts'
import { openWebhookWorld } from './rigs/webhook-world.ts'
import { openWorld } from './rigs/world.ts'

/* A process whose clock is wrong, or is not that of another process: all go by the clock of the database. */

const HOUR = 3_600_000
const DAY = 24 * HOUR
const RealDate = Date

const { world, api } = await openFileWorld()
const { db } = world
const site = await openSite(db)
const oauth = await openOAuthWorld()
afterAll(async () => {
  await oauth[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

describe.each([
  ['a day ahead', DAY],
  ['a day behind', -DAY],
])('a process that is %s', (_, ahead) => {
  test('signs webhooks at a time that receivers accept', async () => {
    await using webhooks = await openWebhookWorld()
    await using receiver = await openReceiver()
    const { secret } = await webhooks.anEndpoint(receiver.origin)
    setProcessClock(ahead)
    await webhooks.happens('published')
    await webhooks.settled(await webhooks.dispatcher())
    const [{ headers, body, at }] = receiver.received as [(typeof receiver.received)[0]]
    expect(Math.abs(Number(headers['x-service-timestamp']) - (at - ahead) / 1_000)).toBeLessThan(60)
    globalThis.Date = RealDate
    expect(() => new Webhook(secret).verify(body.toString(), headers)).not.toThrow()
  })

  test('takes codes and tokens of a process that is right, and gives out some that such a one takes', async () => {
    const flow = await begin(oauth)
    const callback = await consent(oauth, flow)
    setProcessClock(ahead)
    const tokens = await exchange(flow, callback)
    expect((await me(oauth, tokens.access_token)).status).toBe(200)
    const second = await begin(oauth)
    const given = await consent(oauth, second)
    globalThis.Date = RealDate
    const others = await exchange(second, given)
    for (const [of, { refresh_token: token }] of [
      [flow, tokens],
      [second, others],
    ] as const)
      expect((await refresh(of, token!)).status).toBe(200)
  })

  test('gives keys the time that they are asked to have', async () => {
    const { workspaceId } = await aWorkspace(db)
    const owner = await aUser(db, site.app)
    await joinAs(db, workspaceId, owner, 'admin')
    const inAnHour = new Date(Date.now() + HOUR).toISOString()
    const anHourAgo = new Date(Date.now() - HOUR).toISOString()
    const create = (expiresAt: string) =>
      owner.ask(`POST /workspaces/${workspaceId}/keys`, { name: 'x', permissions: ['posts:read'], expiresAt })
    setProcessClock(ahead)
    expect((await create(inAnHour)).status).toBe(201)
    expect((await create(anHourAgo)).body).toMatchObject({ errors: [{ pointer: '/expiresAt' }] })
  })

  test.each([
    ['open', '1 hour', false],
    ['over', '-1 hour', true],
  ])('lets a decision be taken back while its time is %s', async (_state, left, isOver) => {
    const { workspaceId, memberId } = await aWorkspace(db)
    const { postId } = await aPost(db, workspaceId, { states: ['draft'] })
    const approvalId = await anApproval(db, workspaceId, postId)
    const decision = { workspaceId, approvalId, memberId, memberName: 'Ada', note: null } as const
    await db.begin((tx) => decideApproval(tx, { ...decision, verdict: 'reject' }))
    await db`
      update approval set requested_at = now() - interval '8 days', expires_at = now() + ${left}::interval
      where  id = ${approvalId}`
    setProcessClock(ahead)
    const undone = await db.begin((tx) =>
      undoDecision(tx, { workspaceId, approvalId, memberName: 'Ada', baseUrl: 'https://postrider.test' }),
    )
    expect('refused' in undone).toBe(isOver)
  })

  test('looks at a series again a minute after a fault', async () => {
    const workspace = await aWorkspace(db)
    const channelId = await aChannel(db, workspace.workspaceId)
    const { body } = await api.call(workspace, 'POST', '/series', {
      confirmed: true,
      idempotencyKey: crypto.randomUUID(),
      rule: 'FREQ=DAILY;COUNT=3',
      channelIds: [channelId],
      text: 'A tip',
      startsAt: { local: new Date(Date.now() + DAY).toISOString().slice(0, 16), timeZone: 'UTC' },
    })
    const faults: unknown[] = []
    setProcessClock(ahead)
    await makeOccurrences({
      db,
      providers,
      recordAct,
      baseUrl: 'https://postrider.test',
      holderOf: () => Promise.reject(new Error('broken')),
      onFault: (fault) => void faults.push(fault),
    })
    expect(faults.length).toBeGreaterThan(0)
    const [row] = await db<{ seconds: number }[]>`
      select extract(epoch from look_at - now())::float8 as seconds from series where id = ${body.seriesId}`
    expect(row?.seconds).toBeGreaterThan(0)
    expect(row?.seconds).toBeLessThanOrEqual(60)
  })

  test('gives addresses for uploads the time that they have', async () => {
    const workspace = await aWorkspace(db)
    const soon = Date.now() + 10 * 60_000
    setProcessClock(ahead)
    const { body } = await api.call(workspace, 'POST', '/media/uploads', {
      confirmed: true,
      idempotencyKey: crypto.randomUUID(),
    })
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(soon)
    expect(Date.parse(body.expiresAt)).toBeLessThan(soon + 10 * 60_000)
  })

  test('dates posts, and addresses of files for networks, as the database does', async () => {
    setProcessClock(ahead)
    const clock = await openDatabaseClock(db)
    await clock.stop()
    expect(Math.abs(clock.now().getTime() - RealDate.now())).toBeLessThan(HOUR)
    const addresses = publicAddresses(makeKeyring([randomBytes(32)]), 'https://postrider.test', clock.now)
    const [destinationId, mediaId] = [crypto.randomUUID(), crypto.randomUUID()]
    const { workspaceId } = await aWorkspace(db)
    const made = addresses.make({ workspaceId, destinationId, mediaId, bounds: null }, 'image/png')
    const { expiresAt } = addresses.read(made.split('/').at(-1)!)!
    expect(await isPast(db, expiresAt)).toBe(false)
    expect(await isPast(db, new Date(expiresAt.getTime() - 2 * HOUR))).toBe(true)
  })

  test('takes no file that is being uploaded for one that a crash left, neither in the storage nor on its way there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postrider-clocks-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [storage, tempFiles] = [await openFolderStorage(join(folder, 'kept')), await openTempFiles(folder)]
    await using own = await openWorld()
    expect(await claimStorage(own.db, storage)).toBeNull()
    const { workspaceId } = await aWorkspace(own.db)
    const keys = ['new', 'left'].map(() => `${workspaceId}/${crypto.randomUUID()}`)
    for (const key of keys) {
      const path = tempFiles.newPath()
      await writeFile(path, 'x')
      await recordFile(own.db, key)
      await storage.put(key, path, { size: 1, contentType: 'image/png' })
    }
    await own.db`update media_file set written_at = now() - interval '25 hours' where storage_key = ${keys[1]!}`
    const [onItsWay, left] = [tempFiles.newPath(), tempFiles.newPath()]
    for (const path of [onItsWay, left]) await writeFile(path, 'x')
    const old = new RealDate(RealDate.now() - 25 * HOUR)
    await utimes(left, old, old)

    setProcessClock(ahead)
    const log = createLog({ level: 'silent' })
    expect(await sweepStorage({ db: own.db, storage, address: 'http://localhost', log })).toBe(1)
    expect(await tempFiles.sweep(LEFT_AFTER_MS)).toBe(1)

    expect(await Promise.all(keys.map((key) => storage.holds(key, 1)))).toEqual([true, false])
    await access(onItsWay)
  })

  test('says so at /readyz', async () => {
    const { warnings } = startMonitoring({
      db,
      log: createLog({ level: 'silent' }),
      registry: createMetrics().registry,
      schema: 1,
      installation: { sendsMail: false, embedded: false },
      isReady: async () => true,
      pools: () => [],
      room: null,
    })
    setProcessClock(ahead)
    const wanted =
      ahead > 0 ? /^clock: .*24 h ahead of the database's$/ : /^clock: .*24 h behind the database's$/
    expect(await warnings()).toContainEqual(expect.stringMatching(wanted))
  })
})
