import { randomBytes } from 'node:crypto'
import type { Destination, Post } from '@postrider/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSecondPosts } from '../src/content/listing/attention-store.ts'
import { readSituation } from '../src/operate/monitoring/situation-store.ts'
import { isRefusal } from '../src/edge/operations/refusal.ts'
import { makeKeyring } from '../src/platform/sealing/sealing.ts'
import { providers } from '../src/networks/providers/registry.ts'
import { callTimes } from '../src/engine/publication/call-times.ts'
import { resolveByPerson } from '../src/engine/publication/resolve-by-person.ts'
import { agedRows, startPublisher, type RunningPublisher } from './rigs/fault-run.ts'
import { openFaultyNetworks, type FaultyNetwork, type FaultyNetworks } from './rigs/faulty-networks.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace } from './rigs/fixtures.ts'
import { networksAt, type PublisherOrder } from './rigs/network-publisher.ts'
import { aMediaItem, openConnectToAll, type ConnectedChannel } from './rigs/publishing-rig.ts'

/*
 * A publisher that is suspended after it has armed a call and before the first byte of it, at the times of production: another one takes
 * over, finds that nothing is there, and publishes; then the first one goes on. Every network of the registry takes part with SUSPENDED=all;
 * by default one for each way in which a call is made: JSON, JSON with a key that its server keeps for a while, files that go with the call,
 * a draft that is shown, and a message over a WebSocket.
 */

const all = process.env['SUSPENDED'] === 'all'
const byDefault = ['x', 'mastodon', 'telegram', 'threads', 'nostr']
const MINUTE_MS = 60_000

type Publishing = { readonly name: string; readonly sendsFiles: boolean; readonly keepsMs: number | null }
const publishing: Publishing[] = []
for (const { provider: name, load, repeatable } of providers.values()) {
  if (name.startsWith('sandbox') || !(all || byDefault.includes(name))) continue
  const keepsMs = repeatable?.windowMs ?? null
  publishing.push({ name, sendsFiles: (await load()).sendsFiles, keepsMs })
}

const { world, api } = await openFileWorld()
const { db } = world
let networks: FaultyNetworks
let order: PublisherOrder
const channels = new Map<string, ConnectedChannel>()

beforeAll(async () => {
  networks = await openFaultyNetworks((name) => publishing.some((one) => one.name === name))
  const secret = randomBytes(32)
  order = {
    ...networks.order,
    callTimeoutMs: 30_000,
    leaseMs: 60_000,
    databaseUrl: world.databaseUrl,
    secretKey: secret.toString('base64'),
  }
  const keyring = makeKeyring([secret])
  const connect = openConnectToAll({ ...networks.order, db, keyring, providers: networksAt(order.places) })
  for (const { name } of publishing) {
    const network = networkOf(name)
    const workspace = await aWorkspace(db)
    channels.set(name, { workspace, channelId: await network.connect({ connect, keyring, workspace }) })
  }
  await connect.close()
}, 10 * MINUTE_MS)
afterAll(() => networks[Symbol.asyncDispose]())

function networkOf(name: string): FaultyNetwork {
  const found = networks.all.find(({ provider }) => provider === name)
  if (found === undefined) throw new Error(`${name} has no place in rigs/faulty-networks.ts`)
  return found
}

/** A post whose call is of the kind that its network is here for. */
async function plan({ name, sendsFiles }: Publishing): Promise<{ postId: string; word: string }> {
  const { kinds } = networkOf(name)
  const { workspace, channelId } = channels.get(name)!
  const kind = (sendsFiles ? kinds.find(({ images }) => images === 1) : undefined) ?? kinds[0]!
  const word = `s${randomBytes(4).toString('hex')}z`
  const types = [
    ...(kind.video === true ? (['video'] as const) : []),
    ...Array.from({ length: kind.images ?? 0 }, () => 'image' as const),
  ]
  const mediaIds = await Promise.all(types.map((type) => aMediaItem(db, workspace, type, 'A bird', {})))
  const target = { channelId, text: `${word} rides out ${word}`, ...(mediaIds.length > 0 && { mediaIds }) }
  const { status, body } = await api.call(workspace, 'POST', '/posts', {
    confirmed: true,
    idempotencyKey: word,
    state: 'scheduled',
    publishAt: new Date(Date.now() + 86_400_000).toISOString(),
    targets: [{ ...target, ...(kind.settings !== undefined && { settings: kind.settings }) }],
  })
  expect({ status, body }).toMatchObject({ status: 201 })
  return { postId: (body as Post).postId, word }
}

async function comeDue(postId: string, publisher: RunningPublisher): Promise<void> {
  await db`
    update destination set publish_at = now(), due_at = now(), expires_at = now() + interval '48 hours'
    where  post_id = ${postId}`
  publisher.wake()
}

async function destinationOf(name: string, postId: string): Promise<Destination> {
  return (await api.read(channels.get(name)!.workspace, postId)).destinations[0]!
}

/** Has so much time pass for all that waits, and at the network. */
async function pass(network: FaultyNetwork, ms: number): Promise<void> {
  await agedRows(db, ms)
  network.age(ms)
}

/** Until a look at the post, after so much time each, shows this status. Gives how much has passed. */
async function untilIs(
  name: string,
  postId: string,
  publisher: RunningPublisher,
  { status, everyMs }: { status: Destination['status']; everyMs: number },
): Promise<number> {
  let passedMs = 0
  const look = async () => {
    const shown = (await destinationOf(name, postId)).status
    if (shown === status) return shown
    await pass(networkOf(name), everyMs)
    passedMs += everyMs
    publisher.wake()
    return shown
  }
  await expect.poll(look, { timeout: 2 * MINUTE_MS, interval: 250 }).toBe(status)
  return passedMs
}

/** A publisher that is suspended at the first request at which this is true, and goes on at all before it. */
async function startSuspending(isPoint: (line: string) => Promise<boolean>) {
  const publisher = await startPublisher({ ...order, suspends: true })
  const { promise: suspended, resolve } = Promise.withResolvers<string>()
  publisher.onRequest = (line) => void isPoint(line).then((is) => (is ? resolve(line) : publisher.goOn(0)))
  const goOn = async (sleptMs: number) => {
    publisher.onRequest = () => publisher.goOn(0)
    publisher.goOn(sleptMs)
    await publisher.stop()
  }
  return { publisher, suspended, goOn }
}

async function hasAttempt(postId: string, verdict: 'unknown' | null): Promise<boolean> {
  const rows = await db`
    select from attempt a join destination d on d.workspace_id = a.workspace_id and d.id = a.destination_id
    where  d.post_id = ${postId} and a.verdict is not distinct from ${verdict}`
  return rows.length > 0
}

/** Counts the calls that come to a network to publish something there. */
function countCalls({ proxy, publishes }: FaultyNetwork): () => number {
  let calls = 0
  proxy.choose = (line) => {
    if (publishes(line)) calls += 1
    return null
  }
  return () => calls
}

const timesOf = async (name: string, word: string) =>
  (await networkOf(name).standing()).filter(({ text }) => text.includes(word)).length

describe.each(publishing.map((one) => [one.name, one] as const))('%s', (name, one) => {
  test(
    'a call that was armed before a long suspension is not made after it',
    { timeout: 300_000 },
    async () => {
      const { postId, word } = await plan(one)
      const { publisher, suspended, goOn } = await startSuspending(() => hasAttempt(postId, null))
      await comeDue(postId, publisher)
      await suspended
      expect(await timesOf(name, word)).toBe(0)

      const second = await startPublisher(order)
      const isPersons = networkOf(name).isPersons({}, 0)
      const passedMs = await untilIs(name, postId, second, {
        status: isPersons ? 'checking' : 'published',
        everyMs: 20 * MINUTE_MS,
      })
      await second.stop()
      const calls = countCalls(networkOf(name))
      await goOn(Math.max(passedMs, 20 * MINUTE_MS))
      expect(calls()).toBe(0)
      expect(await timesOf(name, word)).toBe(isPersons ? 0 : 1)
    },
  )

  // A handshake with a relay does not say that a repetition follows.
  test.runIf(one.keepsMs !== null && name !== 'nostr')(
    'nor is a repetition, once its network may have forgotten the key',
    { timeout: 300_000 },
    async () => {
      const network = networkOf(name)
      const { postId, word } = await plan(one)
      const isRepetition = async (line: string) => network.publishes(line) && hasAttempt(postId, 'unknown')
      const { publisher, suspended, goOn } = await startSuspending(isRepetition)
      network.proxy.choose = (line) => (network.publishes(line) ? 'reset before it is read' : null)
      await comeDue(postId, publisher)
      await expect.poll(() => hasAttempt(postId, 'unknown'), { timeout: MINUTE_MS }).toBe(true)
      network.proxy.choose = null
      await pass(network, MINUTE_MS)
      publisher.wake()
      await suspended

      const second = await startPublisher(order)
      // Not before the key is forgotten: else the second one repeats the call, too.
      await pass(network, one.keepsMs! + MINUTE_MS)
      const passedMs = await untilIs(name, postId, second, { status: 'published', everyMs: 20 * MINUTE_MS })
      await second.stop()
      await pass(network, one.keepsMs!)
      const calls = countCalls(network)
      await goOn(2 * one.keepsMs! + MINUTE_MS + passedMs)
      expect(calls()).toBe(0)
      expect(await timesOf(name, word)).toBe(1)
    },
  )
})

/** Long, so that a slow machine ends no call by its time. */
const slowly = { callTimeoutMs: 240_000, leaseMs: 480_000 }

/**
 * A publisher that is suspended once the bytes of its call have left, on a network that cannot be searched. Another one takes its post over,
 * and a person says that it is not there.
 */
async function givenUpInFlight({
  beforeItIsSaid,
}: {
  beforeItIsSaid: (second: RunningPublisher) => Promise<void>
}) {
  const name = 'telegram'
  const network = networkOf(name)
  const { workspace, channelId } = channels.get(name)!
  const { postId, word } = await plan(publishing.find((one) => one.name === name)!)
  const first = await startPublisher({ ...order, ...slowly })
  network.proxy.choose = (line) => {
    if (!network.publishes(line)) return null
    first.freeze()
    network.proxy.choose = null
    return null
  }
  await comeDue(postId, first)
  await expect.poll(() => timesOf(name, word), { timeout: MINUTE_MS }).toBe(1)
  const second = await startPublisher({ ...order, ...slowly })
  await untilIs(name, postId, second, { status: 'checking', everyMs: 20 * MINUTE_MS })
  await pass(network, 20 * MINUTE_MS)
  await beforeItIsSaid(second)
  const { controlToken } = await destinationOf(name, postId)
  const said = await resolveByPerson(db, callTimes(slowly), networksAt(order.places), {
    workspaceId: workspace.workspaceId,
    postId,
    channelId,
    controlToken,
    memberName: 'Ada',
    note: null,
    finding: { is: 'absent' },
  })
  expect(isRefusal(said)).toBe(false)
  return { first, second, name, workspace, postId, word }
}

async function evidenceOf(postId: string): Promise<unknown[]> {
  const rows = await db<{ evidence: unknown }[]>`
    select a.evidence from attempt a join destination d on d.workspace_id = a.workspace_id and d.id = a.destination_id
    where  d.post_id = ${postId} order by a.armed_at`
  return rows.map(({ evidence }) => evidence)
}

test(
  'a call that is confirmed once its post has been sent again is told of as a second post, once',
  { timeout: 300_000 },
  async () => {
    const { first, second, name, workspace, postId, word } = await givenUpInFlight({
      beforeItIsSaid: async () => undefined,
    })
    second.wake()
    await untilIs(name, postId, second, { status: 'published', everyMs: 0 })
    expect(await timesOf(name, word)).toBe(2)
    const before = (await readSituation(db)).destinations.liveTwice
    first.thaw()
    await first.stop()
    await second.stop()

    const [late, known] = (await networkOf(name).standing()).filter(({ text }) => text.includes(word))
    const read = await api.call(workspace, 'GET', `/events?type=post.duplicate_found&postId=${postId}`)
    expect((read.body as { items: unknown[] }).items).toMatchObject([
      {
        data: {
          post: { postId },
          by: { type: 'service' },
          duplicate: {
            part: 0,
            remoteId: expect.stringContaining(late!.id) as string,
            releaseUrl: expect.stringContaining(late!.id) as string,
            firstRemoteId: expect.stringContaining(known!.id) as string,
          },
        },
      },
    ])
    expect(await findSecondPosts(db, workspace.workspaceId)).toMatchObject([
      { postId, releaseUrl: expect.stringContaining(late!.id) as string },
    ])
    expect((await readSituation(db)).destinations.liveTwice).toBe(before + 1)
    const [ofFirst] = await evidenceOf(postId)
    expect(ofFirst).toContainEqual(expect.objectContaining({ by: 'late', verdict: 'published' }))
    expect(await timesOf(name, word)).toBe(2)
  },
)

test(
  'a call that is confirmed while its post waits to be sent again publishes it, and nothing is sent',
  { timeout: 300_000 },
  async () => {
    const { first, name, workspace, postId, word } = await givenUpInFlight({
      beforeItIsSaid: (second) => second.stop(),
    })
    await db`update destination set due_at = now() + interval '1 hour' where post_id = ${postId}`
    const calls = countCalls(networkOf(name))
    first.thaw()
    await expect
      .poll(() => evidenceOf(postId), { timeout: MINUTE_MS })
      .toEqual([expect.arrayContaining([expect.objectContaining({ by: 'late' })])])
    await pass(networkOf(name), 61 * MINUTE_MS)
    await untilIs(name, postId, first, { status: 'published', everyMs: 0 })
    await first.stop()

    expect(calls()).toBe(0)
    expect(await timesOf(name, word)).toBe(1)
    const read = await api.call(workspace, 'GET', `/events?type=post.duplicate_found&postId=${postId}`)
    expect(read.body).toMatchObject({ items: [] })
  },
)
