import { randomBytes } from 'node:crypto'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { randomFrom } from '../../../test/rigs/crash-clients.ts'
import { openDatabaseClock } from '../../../test/rigs/database-clock.ts'
import { anApi, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { noMedia } from '../../../test/rigs/no-media.ts'
import { noOutages } from '../../../test/rigs/no-outages.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { recordAct } from '../../people/audit/audit-store.ts'
import { openAuthorization } from '../../networks/channels/authorization.ts'
import { addChannel } from '../../networks/channels/connect-channel.ts'
import { resumeChannel } from '../../engine/destinations/resume-channel.ts'
import { openDb } from '../../platform/postgres/db.ts'
import { openOutbound } from '../../platform/outbound/outbound-http.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import type { Call } from '../../networks/providers/port/calls.ts'
import { providers } from '../../networks/providers/registry.ts'
import { openSender } from '../../networks/providers/port/send-request.ts'
import { callTimes } from '../../engine/publication/call-times.ts'
import type { Engine } from '../../engine/publication/engine-port.ts'
import { publishWork } from '../../engine/publication/publish-destination.ts'
import { resolveDoubt } from '../../engine/publication/resolve-doubt.ts'
import { publicationStore } from '../../engine/queue/engine-store.ts'
import { openSandboxAccount, renewSandboxAccount } from '../../accounts/sandbox/sandbox-accounts.ts'
import { sandboxConnection } from '../../accounts/sandbox/sandbox-channel.ts'
import { makeOccurrences, type OccurrenceParts } from './make-occurrences.ts'

/*
 * A series over a year, every other day on two channels of a real sandbox network, by the real engine on the real store. Database and
 * network have one clock, which jumps. Half of the creates meet a fault; for days on end the network answers no look, and people are
 * slow to reconnect. Its texts return every fortnight, so that the network has many that are equal.
 */

const DAYS = Number(process.env['YEAR_DAYS'] ?? 365)
const OCCURRENCES = Math.ceil(DAYS / 2)
const random = randomFrom(Number(process.env['YEAR_SEED'] ?? 1))
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Ten in the morning in Berlin. */
const FIRST = Date.parse('2027-03-22T09:00:00Z')
/** When the engine looks for work on a day with such, in milliseconds after nine in UTC. */
const LOOKS = [60_000, 3 * 60_000, 20 * 60_000, 2 * HOUR, 8 * HOUR, 16 * HOUR]
const TEXTS = Array.from({ length: 7 }, (_, n) => `Tip ${n + 1} of 7`)

/** What the network can be ordered to do with a create, by the names that texts ask for it with. */
const FAULTS: Record<string, object> = {
  refuse: { kind: 'refuse', status: 422, code: 'content_refused' },
  'rate-limit': { kind: 'rate_limit', retryAfterSeconds: 30 },
  outage: { kind: 'outage', retryAfterSeconds: 30 },
  unauthorized: { kind: 'revoke' },
  'accept-then-drop': { kind: 'accept_then_drop' },
  'accept-then-500': { kind: 'accept_then_500' },
  garbage: { kind: 'garbage' },
  truncate: { kind: 'truncate' },
  hang: { kind: 'hang' },
  drop: { kind: 'drop_before' },
  'error-500': { kind: 'error_500_before' },
  slow: { kind: 'latency', ms: 10 },
  processing: { kind: 'slow_processing', ms: 90_000 },
  'processing-fails': { kind: 'slow_processing', ms: 90_000, thenFail: true },
}
/** Those after which a post has failed. */
const FATAL = ['refuse', 'processing-fails']
/** Of looks that find work: how seldom the network stops to answer questions about an account. */
const BLIND_EVERY = 15
/** Days: posts are made seven days ahead. */
const MAKE_EVERY = 5
const IN_DOUBT = ['checking', 'reconnect_required']

test(`each occurrence within ${DAYS} days is posted once, whatever the network does`, async () => {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  const clock = await openDatabaseClock(world, FIRST - 10 * DAY)
  const db = openDb({ ...world.connection, applicationName: 'series year' })
  opened.defer(() => db.end())
  const api = opened.use(await anApi(db))
  const network = await startSandboxNetwork({ memory: true, now: clock.now })
  opened.defer(() => network.close())
  const control = async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await fetch(`${network.url}/control${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    expect(answer.ok).toBe(true)
    return answer.status === 204 ? null : answer.json()
  }

  const workspace = await aWorkspace(db, { allowedTime: '30 days' })
  const { workspaceId, caller } = workspace
  const keyring = makeKeyring([randomBytes(32)])
  const connect = async (account: Parameters<typeof sandboxConnection>[2]) =>
    (await addChannel(db, keyring, sandboxConnection(workspaceId, network.url, account))).channelId
  const channels = await Promise.all(
    (['short', 'professional'] as const).map(async (profile) => {
      const options = { handle: profile, displayName: profile, profile }
      const account = await openSandboxAccount(network.url, options, { takeOver: false })
      const channelId = await connect(account)
      return {
        channelId,
        accountId: account.id,
        token: account.token,
        blindUntil: 0,
        plan: '',
        reconnectAt: 0,
      }
    }),
  )
  const creates = async ({ accountId }: { accountId: string }): Promise<number> =>
    (await control('GET', `/creates?accountId=${accountId}`)).total

  const outbound = openOutbound({
    connectMs: 10_000,
    totalMs: 30_000,
    bodyMaxBytes: 100_000,
    userAgent: 'Postrider/test',
    rules: { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] },
  })
  opened.defer(() => outbound.close())
  const sender = openSender({ call: outbound.call, talk: outbound.talk, totalMs: 30_000 })
  /** The header `Date` of the network is by the clock of the machine: it gets that of the test. */
  const send: Call = async (request, signal, mayBegin) => {
    const answer = await sender(request, signal, mayBegin)
    if (!answer.arrived) return answer
    const headers = { ...answer.response.headers, date: new Date(clock.now()).toUTCString() }
    return { ...answer, response: { ...answer.response, headers } }
  }
  const met: Record<string, number> = {}
  /** Half of the creates meet a fault. One that is never answered is given up as soon as it is stored. */
  const call: Call = async (request, signal, mayBegin) => {
    if (request.method !== 'POST' || random.below(2) === 0) return send(request, signal, mayBegin)
    const { credentials } = request.authorization as { credentials: string }
    const channel = channels.find((one) => one.token === credentials)!
    const name = random.pick(Object.keys(FAULTS))
    met[name] = (met[name] ?? 0) + 1
    const match = { accountId: channel.accountId, calls: 'create' }
    await control('POST', '/faults', { fault: FAULTS[name], match, times: 1 })
    if (name !== 'hang') return send(request, signal, mayBegin)
    const before = await creates(channel)
    const given = new AbortController()
    const sent = send(request, given.signal, mayBegin)
    await expect.poll(() => creates(channel)).toBe(before + 1)
    given.abort()
    return sent
  }
  const fail = (fault: unknown) => {
    throw fault
  }
  const engine: Engine = {
    providers,
    call,
    media: noMedia,
    outages: noOutages,
    newId: uuidv7,
    observe: () => undefined,
    store: publicationStore(db, {
      workerId: uuidv7(),
      leaseMs: 60_000,
      perWorkspace: 100,
      openAuthorization: (sealed, channelId) => openAuthorization(keyring, channelId, sealed),
    }),
    networks: {
      refresh: async () => ({ is: 'unavailable', detail: 'Authorizations of this test last.' }),
      readCard: async () => ({ card: null, lack: null, done: async () => undefined }),
      now: () => new Date(clock.now()),
    },
    clock: () => performance.now(),
    wait: async () => undefined,
    random: () => random.below(1_000) / 1_000,
    stopping: new AbortController().signal,
    onFault: fail,
    onAdapterFault: ({ cause }) => fail(cause),
    ...callTimes({ leaseMs: 60_000, callTimeoutMs: 30_000 }),
  }
  const parts: OccurrenceParts = {
    db,
    providers,
    recordAct,
    baseUrl: 'https://postrider.test',
    onFault: fail,
    holderOf: async () => caller,
  }

  const created = await api.call(workspace, 'POST', '/series', {
    confirmed: true,
    idempotencyKey: 'year',
    rule: `FREQ=DAILY;INTERVAL=2;COUNT=${OCCURRENCES}`,
    startsAt: { local: '2027-03-22T10:00', timeZone: 'Europe/Berlin' },
    channelIds: channels.map(({ channelId }) => channelId),
    contents: TEXTS.map((text) => ({ text })),
  })
  expect(created).toMatchObject({ status: 201 })
  const { seriesId } = created.body as { seriesId: string }

  type Row = {
    readonly id: string
    readonly postId: string
    readonly channelId: string
    readonly status: string
    readonly connected: boolean
  }
  /** What is due and not at its end, in order. */
  const dueRows = () => db<Row[]>`
    select d.id, d.post_id as "postId", d.channel_id as "channelId", d.status, c.connection_status = 'connected' as connected
    from   destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    where  d.workspace_id = ${workspaceId} and d.publish_at <= now()
    and    d.status not in ('published', 'failed', 'cancelled', 'expired')
    order  by d.publish_at, d.id`
  /** What was seen waiting, and for what. */
  const waited = new Map<string, string>()

  /** Those of them that have to wait for one before them on their channel. Each says so. */
  async function waitingAmong(due: readonly Row[]): Promise<Set<string>> {
    const waiting = new Set<string>()
    for (const [place, { id, postId, channelId, status }] of due.entries()) {
      if (IN_DOUBT.includes(status)) continue
      const before = due
        .slice(0, place)
        .find((one) => one.channelId === channelId && IN_DOUBT.includes(one.status))
      if (before === undefined) continue
      waiting.add(id)
      if (waited.get(id) === before.status) continue
      waited.set(id, before.status)
      const { destinations } = await api.read(workspace, postId)
      const said = destinations.find((one) => one.channelId === channelId)!.waitReason
      expect(said).toMatch(
        before.status === 'checking' ? /^Waits until it is known/ : /^Waits until the channel/,
      )
    }
    return waiting
  }

  /** What the loops of a publisher do, in turn. */
  async function publish(seen: readonly Row[]): Promise<void> {
    for (let due = seen; due.length > 0; due = await dueRows()) {
      const waiting = await waitingAmong(due)
      const works = await engine.store.claim(8)
      if (works.length === 0) break
      expect(works.filter(({ destinationId }) => waiting.has(destinationId))).toEqual([])
      for (const work of works) await publishWork(engine, work)
    }
    for (const work of await engine.store.claimProcessing(8)) await publishWork(engine, work)
    for (const doubt of await engine.store.claimDoubts(8)) await resolveDoubt(engine, doubt, engine.clock())
    await engine.store.expire(100)
  }

  /** The network goes blind and sees again; a person reconnects a channel some time after it lost its access. Gives what is due then. */
  async function surroundings(due: readonly Row[]): Promise<readonly Row[]> {
    let reconnected = false
    for (const channel of channels) {
      if (channel.plan !== '' && clock.now() >= channel.blindUntil) {
        await control('DELETE', `/faults/${channel.plan}`)
        channel.plan = ''
      } else if (channel.plan === '' && random.below(BLIND_EVERY) === 0) {
        channel.blindUntil = clock.now() + random.below(100) * HOUR
        const match = { accountId: channel.accountId, calls: 'read' }
        const plan = { fault: { kind: 'outage' }, match, times: 'always' }
        channel.plan = (await control('POST', '/faults', plan)).id
      }
      if (due.every(({ channelId, connected }) => connected || channelId !== channel.channelId)) continue
      if (channel.reconnectAt === 0) channel.reconnectAt = clock.now() + random.below(90) * HOUR
      if (clock.now() < channel.reconnectAt) continue
      channel.reconnectAt = 0
      const account = await renewSandboxAccount(network.url, channel.accountId)
      channel.token = account.token
      expect(await connect(account)).toBe(channel.channelId)
      await resumeChannel(db, workspaceId, channel.channelId)
      reconnected = true
    }
    return reconnected ? dueRows() : due
  }

  // The last of them are given a week to come to their end.
  for (let day = -1; day < DAYS + 7; day++) {
    for (const after of LOOKS) {
      await clock.set(FIRST + day * DAY + after)
      if (after === LOOKS[0] && (day + 1) % MAKE_EVERY === 0) await makeOccurrences(parts)
      const due = await dueRows()
      if (due.length === 0) break
      await publish(await surroundings(due))
    }
  }

  await control('DELETE', '/faults')
  const [days] = await db`
    select count(*)::int as days, count(distinct o.post_id)::int as posts, max(o.date) - min(o.date) as span
    from   series_occurrence o
    where  o.series_id = ${seriesId} and o.status = 'made'`
  expect(days).toEqual({ days: OCCURRENCES, posts: OCCURRENCES, span: 2 * (OCCURRENCES - 1) })
  const ends = await db<{ channelId: string; text: string; status: string; remote: number; count: number }[]>`
    select d.channel_id as "channelId", p.text, d.status, count(distinct p.remote_id)::int as remote, count(*)::int as count
    from   destination d
    join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id
    where  d.workspace_id = ${workspaceId}
    group  by d.channel_id, p.text, d.status`
  const sum = (of: readonly { readonly count: number }[]) => of.reduce((total, { count }) => total + count, 0)
  const published = ends.filter(({ status }) => status === 'published')
  const failed = ends.filter(({ status }) => status === 'failed')
  expect(sum([...published, ...failed])).toBe(OCCURRENCES * channels.length)
  expect(sum(failed)).toBe(FATAL.reduce((total, name) => total + (met[name] ?? 0), 0))
  // Each that is published is a post of its own, and the network has no other.
  for (const channel of channels) {
    const own = published.filter(({ channelId }) => channelId === channel.channelId)
    const shown = await shownOf(channel)
    expect(shown).toHaveLength(sum(own))
    for (const { text, remote, count } of own)
      expect([remote, shown.filter((one) => one === text).length]).toEqual([count, count])
  }
  if (DAYS >= 365) {
    const rehearsals = await (await fetch(`${network.url}/rehearse`)).text()
    const named = [...rehearsals.matchAll(/#sandbox:([a-z0-9-]+)/g)].map(([, name]) => name)
    expect(new Set(Object.keys(met))).toEqual(new Set(named))
    expect(new Set(waited.values())).toEqual(new Set(IN_DOUBT))
  }

  /** The texts of an account that are public, as the network lists them. */
  async function shownOf({ accountId, token }: { accountId: string; token: string }): Promise<string[]> {
    const texts: string[] = []
    for (let path: string | null = `/api/v1/accounts/${accountId}/posts?limit=100`; path !== null;) {
      const answer = await fetch(network.url + path, { headers: { authorization: `Bearer ${token}` } })
      const page = (await answer.json()) as { items: { id: string; text: string }[] }
      texts.push(...page.items.map(({ text }) => text))
      path =
        page.items.length < 100
          ? null
          : `/api/v1/accounts/${accountId}/posts?limit=100&beforeId=${page.items.at(-1)!.id}`
    }
    return texts
  }
})
