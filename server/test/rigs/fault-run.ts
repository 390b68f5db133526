import { randomBytes } from 'node:crypto'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Destination, Post } from '@postrider/contract'
import { isAway } from '../../src/engine/destinations/holds.ts'
import { isBusy } from '../../src/engine/queue/channel-queue-store.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { makeKeyring } from '../../src/platform/sealing/sealing.ts'
import { callTimes } from '../../src/engine/publication/call-times.ts'
import { expire } from '../../src/engine/destinations/expire-store.ts'
import type { DraftName } from '../../src/networks/providers/port/port.ts'
import { isRefusal } from '../../src/edge/operations/refusal.ts'
import { resolveByPerson } from '../../src/engine/publication/resolve-by-person.ts'
import type { FaultProxy, HeldRequest, ProxyFault } from './fault-proxy.ts'
import type { FaultyNetwork, FaultyNetworks, Kind, Standing } from './faulty-networks.ts'
import { aWorkspace, type AnApi } from './fixtures.ts'
import { GO_ON_FILE, networksAt, type PublisherOrder } from './network-publisher.ts'
import { aMediaItem, openConnectToAll, type ConnectedChannel } from './publishing-rig.ts'
import type { World } from './world.ts'

/*
 * Posts to every network while their proxies break what they can, publishers are killed, and authors cancel. Time is
 * moved: whenever nothing is left to do, all rows, networks and held calls become older by what is waited for next. The times of
 * calls are those of production, and each hold is in its place among them.
 */

const CALL_TIMES = { callTimeoutMs: 30_000, leaseMs: 60_000 }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export type FaultRunOptions = {
  readonly world: World
  readonly api: AnApi
  readonly networks: FaultyNetworks
  /** To each network. */
  readonly posts: number
  readonly seed: number
  /** How often a publisher is killed. */
  readonly kills: number
}

type Planned = {
  readonly network: FaultyNetwork
  readonly at: ConnectedChannel
  readonly kind: Kind
  readonly postId: string
  /** What each part begins and ends with, and no other text has in it. */
  readonly words: readonly string[]
  /** How much time had passed when it was planned. */
  readonly plannedAtMs: number
}

/** What was found of the posts to one network. */
export type Found = {
  readonly network: string
  readonly posts: number
  readonly statuses: Readonly<Record<string, number>>
  readonly faults: number
  readonly held: number
  /** What a person had to settle. */
  readonly byPerson: number
  /** What became of the drafts of posts that ended without them, and what nobody sees there that has no name here. */
  readonly removed: Readonly<Record<string, number>>
  readonly orphans: number
  /** Sentences; none is right. */
  readonly wrong: readonly string[]
}

/** Numbers in [0, 1) that a seed repeats (mulberry32). */
export function randomBy(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const publishFaults: readonly ProxyFault[] = [
  'reset before it is read',
  'cut in the request',
  'reset after it was read',
  'half an answer',
  'half a body',
  '200 with HTML',
  '502 with HTML',
  'a redirect',
  '429',
  '500',
  '503',
  'a delay',
  'held up',
  'held up',
  '504, held up',
]
const otherFaults = publishFaults.filter((fault) => !fault.includes('held up'))

/** How long calls are held up: within all the windows that the look-ups wait for. */
const HOLDS_MS = [10_000, 40_000, 66_000, 95_000, 3 * MINUTE_MS, 8 * MINUTE_MS, 14 * MINUTE_MS]

/** After so many rounds nothing new comes until every look-up has had its time, so that few posts follow the last ones. */
const ROUNDS_UNTIL_CALM = 6
const CALM_MS = 25 * MINUTE_MS

export async function runFaults(options: FaultRunOptions): Promise<Found[]> {
  const { world, api, networks, seed } = options
  const { db } = world
  const random = randomBy(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!
  const secret = randomBytes(32)
  const keyring = makeKeyring([secret])
  const providers = networksAt(networks.order.places)
  const connect = openConnectToAll({ ...networks.order, db, keyring, providers })
  const proxies = [...new Set(networks.all.map(({ proxy }) => proxy))]
  const dueIn = new Map<HeldRequest, { proxy: FaultProxy; ms: number }>()
  const counts = new Map<FaultyNetwork, { faults: number; held: number; byPerson: number }>()
  const wrong = new Map<FaultyNetwork, string[]>()
  const planned: Planned[] = []
  /** How many posts stood at each network when so much time had passed. */
  const stood = new Map<FaultyNetwork, { readonly atMs: number; readonly posts: number }[]>()
  let passedMs = 0
  let faulty = false
  /** So that what look-ups can settle at all, they settle: each may have twenty calls. */
  let readsAreSpared = false
  const shown = process.env['FAULT_SHOWN'] === '1'
  let begun = performance.now()
  const tell = (what: string) => {
    if (shown) process.stderr.write(`${Math.round(performance.now() - begun)} ms: ${what}\n`)
    begun = performance.now()
  }

  const order: PublisherOrder = {
    ...networks.order,
    ...CALL_TIMES,
    databaseUrl: world.databaseUrl,
    secretKey: secret.toString('base64'),
  }
  let publisher = await startPublisher(order)

  for (const network of networks.all) {
    counts.set(network, { faults: 0, held: 0, byPerson: 0 })
    wrong.set(network, [])
    stood.set(network, [])
  }
  const channels = new Map<FaultyNetwork, ConnectedChannel>()
  for (const network of networks.all) {
    const workspace = await aWorkspace(db)
    channels.set(network, { workspace, channelId: await network.connect({ connect, keyring, workspace }) })
  }
  for (const proxy of proxies) {
    const network = networks.all.find((each) => each.proxy === proxy)!
    proxy.choose = (line) => {
      const fault = faulty ? chooseFault(network, line) : null
      if (fault !== null) counts.get(network)!.faults += 1
      if (fault?.includes('held up') === true) counts.get(network)!.held += 1
      return fault
    }
  }

  function chooseFault(network: FaultyNetwork, line: string): ProxyFault | null {
    if (!network.publishes(line)) return !readsAreSpared && random() < 0.06 ? oneOf(otherFaults) : null
    if (random() < 0.55) return null
    const hasKey = network.keepsKeys && network.keyless?.test(line) !== true
    return oneOf(hasKey ? [...publishFaults, 'sent twice' as const] : publishFaults)
  }

  /* ---- time ---- */

  /** What was held up since the last look gets its time. */
  function timeHeld(): void {
    for (const proxy of proxies)
      for (const request of proxy.held)
        if (!dueIn.has(request)) dueIn.set(request, { proxy, ms: oneOf(HOLDS_MS) * (0.9 + random() * 0.1) })
  }

  async function age(exactMs: number): Promise<void> {
    const ms = Math.ceil(exactMs)
    passedMs += ms
    await agedRows(db, ms)
    for (const network of networks.all) network.age(ms)
    for (const held of dueIn.values()) held.ms -= ms
  }

  async function letGoDue(): Promise<void> {
    for (const [request, { proxy, ms }] of dueIn) {
      if (ms > 0) continue
      dueIn.delete(request)
      await proxy.letGo([request])
    }
  }

  /** Until the publisher has nothing left to do now. */
  async function settle(): Promise<void> {
    publisher.wake()
    let last = ''
    for (let [same, looks] = [0, 0]; same < 2 && looks < 1_000; looks++) {
      await sleep(20)
      if (looks % 20 === 19) publisher.wake()
      if (looks % 200 === 199) tell(`${proxies.map(({ open }) => open).join()} ${await waitingRows(db)}`)
      const state = await stateOf(db, proxies)
      same = state.busy ? 0 : state.shown === last ? same + 1 : 0
      last = state.shown
      timeHeld()
    }
  }

  /** Until the publisher has tried to remove what is due for that: it looks from time to time. */
  async function untilTried(): Promise<void> {
    const isDue = async () => (await leftoversOf(db)).some(({ outcome, due }) => outcome === null && due)
    for (let looks = 0; looks < 1_200 && (await isDue()); looks++) await sleep(50)
  }

  /** Goes to what comes next, in steps of so much at least, and at most to the end of these. */
  async function runFor({ atLeastMs, atMostMs }: { atLeastMs: number; atMostMs: number }): Promise<boolean> {
    const heldMs = Math.min(...[...dueIn.values()].map(({ ms }) => ms))
    const nextMs = Math.min((await nextDueMs(db)) ?? Infinity, heldMs)
    if (nextMs === Infinity && atMostMs === Infinity) return false
    await age(Math.min(Math.max(nextMs, atLeastMs), atMostMs))
    const callsFirst = random() < 0.5
    if (callsFirst) await letGoDue()
    await expire(db, 1_000)
    tell(`aged to the next in ${Math.round(nextMs)} ms`)
    await settle()
    tell('settled')
    if (!callsFirst) await letGoDue()
    return true
  }

  /* ---- posts ---- */

  let numbers = 0
  async function plan(network: FaultyNetwork): Promise<Planned> {
    const at = channels.get(network)!
    const kind = oneOf(network.kinds)
    const name = `p${(++numbers).toString(36)}x${below(36 ** 4).toString(36)}`
    const count = 1 + (kind.thread ?? 0) + (kind.firstComment === true ? 1 : 0)
    const words = Array.from({ length: count }, (_, place) => `${name}q${place}z`)
    const textOf = (word: string) =>
      `${word} rides out ${kind.link === true ? `https://example.com/${word} ` : ''}${word}`
    const [text, ...rest] = words.map(textOf)
    const comment = kind.firstComment === true ? rest.pop() : undefined
    const sides = kind.upright === true ? { width: 1_080, height: 1_920 } : {}
    const medium = (altText: string, type: 'image' | 'video') =>
      aMediaItem(db, at.workspace, type, altText, sides)
    const mediaIds = await Promise.all([
      ...(kind.video === true ? [medium('A film', 'video')] : []),
      ...Array.from({ length: kind.images ?? 0 }, (_, place) => medium(`Picture ${place}`, 'image')),
    ])
    if (kind.wordless === true) words[0] = mediaIds[0]!
    const content = {
      text: kind.wordless === true ? '' : text,
      ...(mediaIds.length === 0 ? {} : { mediaIds }),
      ...(rest.length === 0 ? {} : { thread: rest.map((text) => ({ text })) }),
      ...(comment === undefined ? {} : { firstComment: { text: comment } }),
      ...(kind.settings === undefined ? {} : { settings: kind.settings }),
    }
    const { status, body } = await api.call(at.workspace, 'POST', '/posts', {
      confirmed: true,
      idempotencyKey: name,
      state: 'scheduled',
      publishAt: new Date(Date.now() + 30 * 86_400_000).toISOString(),
      targets: [{ channelId: at.channelId, ...content }],
    })
    if (status !== 201) throw new Error(`${network.name}: ${JSON.stringify(body)}`)
    return { network, at, kind, postId: (body as Post).postId, words, plannedAtMs: passedMs }
  }

  /** Some posts have little time, so that they expire while a call of theirs is not yet known of. */
  async function come({ postId }: Planned): Promise<void> {
    const allowedMs = random() < 0.15 ? below(18) * MINUTE_MS + 30_000 : 86_400_000
    await db`
      update destination set publish_at = now(), due_at = now(), expires_at = now() + ${allowedMs} * interval '1 ms'
      where  post_id = ${postId}`
  }

  async function destinationOf({ at, postId }: Planned): Promise<Destination> {
    return (await api.read(at.workspace, postId)).destinations[0]!
  }

  async function cancelSome(): Promise<void> {
    const rows = await db<{ postId: string; channelId: string; controlToken: string }[]>`
      select post_id as "postId", channel_id as "channelId", control_token as "controlToken" from destination
      where  status in ('scheduled', 'delayed', 'reconnect_required') order by id`
    for (const { postId, ...command } of rows) {
      if (random() > 0.1) continue
      const { at } = planned.find((post) => post.postId === postId)!
      await api.command(at.workspace, postId, 'cancel', command)
    }
  }

  async function reconnect(): Promise<void> {
    const lost = await db<
      { id: string }[]
    >`select id from channel where connection_status = 'reconnect_required'`
    for (const [network, { workspace, channelId }] of channels) {
      if (!lost.some(({ id }) => id === channelId)) continue
      faulty = false
      await network.connect({ connect, keyring, workspace })
      faulty = true
    }
  }

  /** A person decides within the hour where the docs say so, and about all that is in doubt for a day. */
  async function decideAll(): Promise<void> {
    const [hour, day] = [await inDoubtFor(db, 1), await inDoubtFor(db, 24)]
    const seen = new Map<FaultyNetwork, readonly Standing[]>()
    for (const post of planned) {
      const { network, kind, postId, words } = post
      const isTheirs = words.some((_, index) => network.isPersons(kind, index))
      if (!(isTheirs ? hour : day).has(postId)) continue
      const standing = seen.get(network) ?? (await network.standing())
      seen.set(network, standing)
      await decide(post, standing)
    }
  }

  /** Whoever has the decision looks at the network, long after the calls. */
  async function decide(post: Planned, standing: readonly Standing[]): Promise<void> {
    const { status, controlToken, channelId, parts } = await destinationOf(post)
    const index = parts.findIndex((part) => part.status === 'checking')
    if (status !== 'checking' || index < 0) return
    const [found] = standing.filter(({ text }) => text.includes(post.words[index]!))
    const { workspaceId } = post.at.workspace
    const resolved = await resolveByPerson(db, callTimes(CALL_TIMES), providers, {
      workspaceId,
      postId: post.postId,
      channelId,
      controlToken,
      memberName: 'Ada',
      note: null,
      finding: found === undefined ? { is: 'absent' } : { is: 'published', remoteId: found.id, url: null },
    })
    if (isRefusal(resolved)) return
    counts.get(post.network)!.byPerson += 1
    const looks = await looksOf(db, post.postId)
    const isOutOfReach = hasManyAfter(post, standing.length) && looks.includes('Too many posts')
    if (!post.network.isPersons(post.kind, index) && !isOutOfReach) {
      wrong.get(post.network)!.push(`${post.words[index]} was left to a person: ${looks}`)
    }
  }

  /** Whether more posts have been made since before its call than a look-up tells apart. */
  function hasManyAfter({ network, plannedAtMs }: Planned, standing: number): boolean {
    const { posts, beforeMs } = network.reach
    const before = stood.get(network)!.findLast(({ atMs }) => atMs <= plannedAtMs - beforeMs)
    return standing - (before?.posts ?? 0) > posts
  }

  /* ---- the run ---- */

  const perRound = Math.max(2, Math.ceil(options.posts / 40))
  const rounds = Math.ceil(options.posts / perRound)
  const killed = new Set(Array.from({ length: options.kills }, () => below(rounds)))
  faulty = true
  for (let round = 0; round < rounds; round++) {
    for (const network of networks.all) {
      stood.get(network)!.push({ atMs: passedMs, posts: (await network.standing()).length })
      const left = options.posts - round * perRound
      for (let n = 0; n < Math.min(perRound, left); n++) {
        const post = await plan(network)
        planned.push(post)
        await come(post)
      }
    }
    if (random() < 0.2) for (const network of networks.all) network.expireAccess?.()
    publisher.wake()
    if (killed.has(round)) {
      await sleep(below(120))
      await publisher.kill()
      publisher = await startPublisher(order)
    }
    tell(`round ${round} planned`)
    await settle()
    tell('settled')
    await cancelSome()
    tell('cancelled')
    const untilMs = below(40_000)
    await runFor({ atLeastMs: untilMs, atMostMs: Math.max(untilMs, 1) })
    await reconnect()
    const calmUntilMs = (round + 1) % ROUNDS_UNTIL_CALM === 0 ? passedMs + CALM_MS : 0
    while (passedMs < calmUntilMs) {
      await runFor({ atLeastMs: 20_000, atMostMs: calmUntilMs - passedMs })
      await reconnect()
    }
  }
  for (let steps = 0; (await openPosts(db)) > 0 && steps < 3_000; steps++) {
    await cancelSome()
    await reconnect()
    readsAreSpared = (await inDoubtFor(db, 20)).size > 0
    if (!(await runFor({ atLeastMs: 20_000, atMostMs: Infinity }))) break
    await decideAll()
  }
  // The last of what was held up comes when all is said.
  await age(30 * MINUTE_MS)
  await letGoDue()
  for (let days = 0; (await leftoversOf(db)).some(({ outcome }) => outcome === null) && days < 10; days++) {
    await age(25 * HOUR_MS)
    await untilTried()
    await settle()
    await reconnect()
  }
  faulty = false
  await publisher.end()
  await connect.close()

  return Promise.all(networks.all.map((network) => judge(network)))

  async function judge(network: FaultyNetwork): Promise<Found> {
    const standing = await network.standing()
    const sentences = wrong.get(network)!
    const statuses: Record<string, number> = {}
    const own = planned.filter((post) => post.network === network)
    for (const post of own) {
      const { status, parts, error } = await destinationOf(post)
      statuses[status] = (statuses[status] ?? 0) + 1
      for (const [place, part] of parts.entries()) {
        const word = post.words[place]!
        const times = standing.filter(({ text }) => text.includes(word)).length
        const expected = part.status === 'published' ? 1 : 0
        if (times !== expected) {
          sentences.push(
            `${word} (${JSON.stringify(post.kind)}) is ${part.status} in ${status} and stands ${times} times: ${await looksOf(db, post.postId)}`,
          )
        }
      }
      const over = ['published', 'cancelled', 'expired', 'failed'].includes(status)
      if (!over && !(status === 'partially_published' && error !== null))
        sentences.push(`${post.words[0]} is still ${status}: ${await looksOf(db, post.postId)}`)
      if (status === 'failed') sentences.push(`${post.words[0]} failed: ${JSON.stringify(error)}`)
    }
    const unseen = new Set((await network.unseen?.()) ?? [])
    const removed: Record<string, number> = {}
    const leftovers = (await leftoversOf(db)).filter(
      ({ channelId }) => channelId === channels.get(network)!.channelId,
    )
    for (const { name, outcome } of leftovers) {
      removed[outcome ?? 'waiting'] = (removed[outcome ?? 'waiting'] ?? 0) + 1
      if (outcome === null) sentences.push(`${name} waits to be removed`)
      else if (unseen.has(name)) sentences.push(`${name} is ${outcome}, and is there unseen`)
    }
    const orphans = [...unseen].filter((name) => !leftovers.some((one) => one.name === name)).length
    const about = { removed, orphans, wrong: sentences }
    return { network: network.name, posts: own.length, statuses, ...counts.get(network)!, ...about }
  }
}

/* ---- rows ---- */

/** All that waits becomes older. */
export async function agedRows(db: Db, ms: number): Promise<void> {
  const by = db`${ms} * interval '1 ms'`
  await db.begin(async (tx) => {
    await tx`
      with rows as (select workspace_id, id from destination where status <> 'draft' order by id for no key update)
      update destination d
      set    due_at = d.due_at - ${by}, check_again_at = d.check_again_at - ${by}, expires_at = d.expires_at - ${by},
             lease_until = d.lease_until - ${by}
      from   rows where d.workspace_id = rows.workspace_id and d.id = rows.id`
    await tx`update attempt set armed_at = armed_at - ${by}`
    await tx`update channel set paused_until = paused_until - ${by} where paused_until is not null`
    await tx`update network_failure set failed_at = failed_at - ${by}`
    await tx`update network_outage set probe_at = probe_at - ${by}`
    await tx`
      update network_draft set look_at = look_at - ${by}, discarded_at = discarded_at - ${by} where outcome is null`
  })
}

async function nextDueMs(db: Db): Promise<number | null> {
  const [row] = await db<{ ms: number | null }[]>`
    select min(greatest(0, extract(epoch from at - now()) * 1000))::float8 as ms
    from   (
      select greatest(d.due_at, c.paused_until) as at
      from   destination d join channel c on c.id = d.channel_id
      where  d.status in ('scheduled', 'delayed', 'partially_published', 'publishing', 'checking')
      and    d.due_at < now() + interval '25 days' and not ${isAway(db)}
      union  all
      select probe_at from network_outage) next`
  return row?.ms ?? null
}

async function stateOf(db: Db, proxies: readonly FaultProxy[]): Promise<{ busy: boolean; shown: string }> {
  const [row] = await db<{ busy: boolean; shown: string }[]>`
    select coalesce(bool_or(d.lease_until is not null or (d.due_at <= now() and (
             d.status in ('checking', 'publishing') or (
               d.status in ('scheduled', 'delayed', 'partially_published') and c.connection_status = 'connected'
               and coalesce(c.paused_until <= now(), true) and not ${isAway(db)} and not ${isBusy(db)})))), false) as busy,
           concat_ws(' ', sum(d.fence), sum(d.tries), max(d.updated_at)) as shown
    from   destination d join channel c on c.id = d.channel_id`
  const open = proxies.reduce((sum, proxy) => sum + proxy.open, 0)
  return { busy: row!.busy || open > 0, shown: `${row!.shown} ${proxies.map(({ passed }) => passed).join()}` }
}

async function waitingRows(db: Db): Promise<string> {
  return JSON.stringify(
    await db`
      select d.status, d.provider, d.due_at - now() as due, d.lease_until - now() as lease, d.expires_at - now() as left,
             c.paused_until - now() as pause, q.look_at - now() as look, c.connection_status as connection, c.provider_origin as origin, ${isAway(db)} as away, d.error ->> 'code' as error,
             exists (select from destination o where o.channel_id = c.id and o.status = 'publishing') as publishing
      from   destination d join channel c on c.id = d.channel_id left join channel_queue q on q.channel_id = c.id
      where  d.lease_until is not null or d.due_at <= now()`,
  )
}

async function openPosts(db: Db): Promise<number> {
  const [row] = await db<{ open: number }[]>`
    select count(*)::int as open from destination
    where  status in ('scheduled', 'publishing', 'delayed', 'reconnect_required', 'checking')
    or     (status = 'partially_published' and due_at is not null)`
  return row!.open
}

/** What has been in doubt for so long after its call. */
async function inDoubtFor(db: Db, hours: number): Promise<ReadonlySet<string>> {
  const rows = await db<{ postId: string }[]>`
    select d.post_id as "postId" from destination d
    where  d.status = 'checking' and not exists (
             select from attempt a where a.destination_id = d.id and a.verdict = 'unknown'
             and    a.armed_at > now() - ${hours} * interval '1 hour')`
  return new Set(rows.map(({ postId }) => postId))
}

type Leftover = {
  readonly channelId: string
  readonly name: DraftName
  readonly outcome: string | null
  readonly due: boolean
}

/** What is noted of what nobody sees. */
async function leftoversOf(db: Db): Promise<Leftover[]> {
  return db<Leftover[]>`
    select d.channel_id as "channelId", n.name, n.outcome, n.look_at <= now() as due
    from   network_draft n join destination d on d.workspace_id = n.workspace_id and d.id = n.destination_id`
}

async function looksOf(db: Db, postId: string): Promise<string> {
  const rows = await db`
    select a.part_index as part, a.verdict, round(extract(epoch from now() - a.armed_at)) as age, a.evidence
    from   attempt a join destination d on d.id = a.destination_id
    where  d.post_id = ${postId} order by a.armed_at`
  return JSON.stringify(rows)
}

/* ---- publishers ---- */

export type RunningPublisher = {
  readonly wake: () => void
  readonly kill: () => Promise<void>
  readonly end: () => Promise<void>
  /** Has it end what it has begun, and waits for that. */
  readonly stop: () => Promise<void>
  /** Stops the process wherever it is, as a paused machine does, and has it go on. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Hears each request of one that suspends. */
  onRequest: (line: string) => void
  /** Has one that is suspended go on, having slept so long. */
  readonly goOn: (sleptMs: number) => void
}

export async function startPublisher(order: PublisherOrder): Promise<RunningPublisher> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, 'network-publisher.ts')], {
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  })
  const goOnFile = child.stdio[GO_ON_FILE] as Writable
  goOnFile.on('error', () => undefined)
  const exited = once(child, 'exit')
  // It may be killed while it is told something.
  child.stdin!.on('error', () => undefined)
  child.stdin!.write(`${JSON.stringify(order)}\n`)
  await Promise.race([once(child.stdout!, 'data'), exited])
  if (child.exitCode !== null) throw new Error('a publisher did not start')
  createInterface({ input: child.stdout! }).on('line', (line) => running.onRequest(line))
  const running: RunningPublisher = {
    onRequest: () => undefined,
    goOn: (sleptMs) => void goOnFile.write(`${sleptMs}\n`),
    async stop() {
      child.stdin!.write('stop\n')
      await exited
      if (child.exitCode !== 0) throw new Error('a publisher did not stop by itself')
    },
    wake: () => void child.stdin!.write('wake\n'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async end() {
      child.stdin!.end()
      await exited
    },
  }
  return running
}
