import { randomBytes } from 'node:crypto'
import type { Destination, Post } from '@postrider/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeKeyring } from '../src/platform/sealing.ts'
import { startPublisher, type RunningPublisher } from './rigs/fault-run.ts'
import {
  openFaultyNetworks,
  type FaultyNetwork,
  type FaultyNetworks,
  type Kind,
} from './rigs/faulty-networks.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace } from './rigs/fixtures.ts'
import { networksAt, type PublisherOrder } from './rigs/network-publisher.ts'
import { aMediaItem, openConnectToAll, type ConnectedChannel } from './rigs/publishing-rig.ts'

/*
 * Publishers that are killed at the calls by which networks draft, then flip, and by which a draft is removed: one dies as its call arrives
 * there, and another one continues. By default at two networks, at each call that changes something; with DRAFT_KILLS=all at all of them, at
 * every call of every kind of post, also before it arrives.
 */

const all = process.env['DRAFT_KILLS'] === 'all'
const deaths = all ? (['before', 'after'] as const) : (['after'] as const)
/** By default those two whose drafts differ most: a post that is shown by its id, and an upload that goes on where it was. */
const names = all ? ['facebook', 'instagram', 'threads', 'wordpress', 'youtube'] : ['facebook', 'youtube']
/** Meta removes the containers of Instagram and Threads itself. */
const withRemovals: ReadonlySet<string> = new Set(all ? ['facebook', 'wordpress', 'youtube'] : ['youtube'])

const { world, api } = await openFileWorld()
const { db } = world
let networks: FaultyNetworks
let order: PublisherOrder
const channels = new Map<string, ConnectedChannel>()

beforeAll(async () => {
  networks = await openFaultyNetworks((name) => names.includes(name))
  const secret = randomBytes(32)
  order = {
    ...networks.order,
    callTimeoutMs: 3_000,
    leaseMs: 60_000,
    databaseUrl: world.databaseUrl,
    secretKey: secret.toString('base64'),
  }
  const keyring = makeKeyring([secret])
  const connect = openConnectToAll({
    ...networks.order,
    db,
    keyring,
    providers: networksAt(networks.order.places),
  })
  for (const network of networks.all) {
    const workspace = await aWorkspace(db)
    channels.set(network.name, {
      workspace,
      channelId: await network.connect({ connect, keyring, workspace }),
    })
  }
  await connect.close()
}, 10 * 60_000)
afterAll(() => networks[Symbol.asyncDispose]())

/** Posts that are published in several calls, and what they take at least. */
const posts: Readonly<Record<string, readonly Kind[]>> = {
  facebook: [
    { images: 1 },
    ...(all ? ([{ video: true, upright: true, settings: { reel: true } }, { video: true }] as const) : []),
  ],
  instagram: [{ images: 1 }, ...(all ? ([{ images: 2 }, { video: true }] as const) : [])],
  threads: [{}, ...(all ? ([{ images: 2 }] as const) : [])],
  wordpress: [{}, ...(all ? ([{ images: 1 }] as const) : [])],
  youtube: [{ video: true }],
}

let numbers = 0

async function plan(network: FaultyNetwork, kind: Kind): Promise<{ postId: string; word: string }> {
  const { workspace, channelId } = channels.get(network.name)!
  const word = `k${++numbers}z`
  const sides = kind.upright === true ? { width: 1_080, height: 1_920 } : {}
  const types = [
    ...(kind.video === true ? (['video'] as const) : []),
    ...Array.from({ length: kind.images ?? 0 }, () => 'image' as const),
  ]
  const mediaIds = await Promise.all(types.map((type) => aMediaItem(db, workspace, type, 'A bird', sides)))
  const { status, body } = await api.call(workspace, 'POST', '/posts', {
    confirmed: true,
    idempotencyKey: word,
    state: 'scheduled',
    publishAt: new Date(Date.now() + 86_400_000).toISOString(),
    targets: [
      {
        channelId,
        text: `${word} rides out ${word}`,
        ...(mediaIds.length === 0 ? {} : { mediaIds }),
        ...(kind.settings === undefined ? {} : { settings: kind.settings }),
      },
    ],
  })
  expect({ status, body }).toMatchObject({ status: 201 })
  return { postId: (body as Post).postId, word }
}

async function come(postId: string, publisher: RunningPublisher): Promise<void> {
  await db`
    update destination set publish_at = now(), due_at = now(), expires_at = now() + interval '24 hours'
    where  post_id = ${postId}`
  publisher.wake()
}

/** All that is waited for is over: the next try, the next look, and the time in which a call can still arrive. */
async function endWaits(postId: string): Promise<void> {
  await db`update channel set paused_until = null where paused_until is not null`
  await db`
    update attempt a set armed_at = armed_at - interval '30 minutes' from destination d
    where  d.id = a.destination_id and d.post_id = ${postId}`
  await db`update destination set due_at = now() where post_id = ${postId} and due_at > now() and lease_until is null`
}

async function destinationOf(network: FaultyNetwork, postId: string): Promise<Destination> {
  return (await api.read(channels.get(network.name)!.workspace, postId)).destinations[0]!
}

/** Until the post has this status, whatever it waits for. */
async function untilIs(network: FaultyNetwork, postId: string, publisher: RunningPublisher, status: string) {
  const look = async () => {
    await endWaits(postId)
    publisher.wake()
    return (await destinationOf(network, postId)).status
  }
  await expect.poll(look, { timeout: 60_000, interval: 250 }).toBe(status)
}

/** Has the publisher die as its call of this number arrives, of those that count. Gives whether it came to that, once `isOver` or it has. */
async function killAt(
  { proxy }: FaultyNetwork,
  publisher: RunningPublisher,
  { nth, when }: { readonly nth: number; readonly when: 'before' | 'after' },
  isOver: () => Promise<boolean>,
): Promise<string | null> {
  let [calls, struck] = [0, null as string | null]
  const dead: Promise<void>[] = []
  proxy.choose = (line) => {
    if ((!all && line.startsWith('GET ')) || ++calls !== nth) return null
    struck = line
    dead.push(publisher.kill())
    return when === 'before' ? 'reset before it is read' : 'reset after it was read'
  }
  await expect.poll(async () => struck !== null || (await isOver()), { timeout: 60_000 }).toBe(true)
  proxy.choose = null
  await Promise.all(dead)
  // What it sent is answered, though nobody hears it.
  await expect.poll(() => proxy.unanswered, { timeout: 20_000 }).toBe(0)
  return struck
}

const timesOf = async (network: FaultyNetwork, word: string) =>
  (await network.standing()).filter(({ text }) => text.includes(word)).length
const unseenAt = async (network: FaultyNetwork) => (await network.unseen?.()) ?? []

describe.each(names)('%s', (name) => {
  const networkOf = () => networks.all.find((network) => network.name === name)!

  test('a publisher killed at any call leaves one post, and at most the draft whose id it never learnt', async () => {
    const network = networkOf()
    let publisher = await startPublisher(order)
    const lines: string[] = []
    for (const kind of posts[name]!) {
      for (const when of deaths) {
        for (let nth = 1; ; nth++) {
          const before = (await unseenAt(network)).length
          const { postId, word } = await plan(network, kind)
          await come(postId, publisher)
          const isOver = async () => {
            await endWaits(postId)
            publisher.wake()
            return (await destinationOf(network, postId)).status === 'published'
          }
          const line = await killAt(network, publisher, { nth, when }, isOver)
          if (line === null) break
          lines.push(line)
          publisher = await startPublisher(order)
          await untilIs(network, postId, publisher, 'published')
          expect(await timesOf(network, word), `${when} ${line}`).toBe(1)
          const left = (await unseenAt(network)).length - before
          // The id of a reel is stored at the end of its upload.
          const isUnknown =
            (when === 'after' && /^(?:POST|PUT) /.test(line)) || kind.settings?.['reel'] === true
          expect(left, `${when} ${line}`).toBeLessThanOrEqual(isUnknown ? 1 : 0)
        }
      }
    }
    await publisher.end()
    expect(lines.filter((line) => network.publishes(line)).length).toBeGreaterThanOrEqual(1)
    expect(lines.length).toBeGreaterThan(1)
  }, 600_000)

  test.runIf(withRemovals.has(name))(
    'a publisher killed at any call of the removal of a draft leaves neither draft nor post',
    async () => {
      const network = networkOf()
      const { workspace, channelId } = channels.get(name)!
      let publisher = await startPublisher(order)
      const struck: string[] = []
      for (const when of deaths) {
        for (let nth = 1; ; nth++) {
          const { postId, word } = await plan(network, posts[name]![0]!)
          limit(network, true)
          await come(postId, publisher)
          await untilIsNoted(network, postId, publisher)
          const { controlToken } = await destinationOf(network, postId)
          const asked = { confirmed: true, channelId, controlToken }
          expect(await api.call(workspace, 'POST', `/posts/${postId}/cancel`, asked)).toMatchObject({
            status: 200,
          })
          limit(network, false)
          const line = await killAt(network, publisher, { nth, when }, () => isDiscarded(postId))
          if (line !== null) {
            struck.push(line)
            publisher = await startPublisher(order)
          }
          await expect.poll(() => isDiscarded(postId), { timeout: 60_000, interval: 250 }).toBe(true)
          const named = await leftoversOf(postId)
          expect(named.length).toBeGreaterThan(0)
          expect(named.filter(({ outcome }) => outcome !== 'removed' && outcome !== 'gone')).toEqual([])
          const unseen = await unseenAt(network)
          expect(named.filter((one) => unseen.includes(one.name as never))).toEqual([])
          expect(await timesOf(network, word)).toBe(0)
          if (line === null) break
        }
      }
      await publisher.end()
      expect(struck.length).toBeGreaterThan(0)
    },
    600_000,
  )
})

/** Whether the calls that publish are refused, provably. */
function limit(network: FaultyNetwork, isOver: boolean): void {
  if (network.limit !== undefined) network.limit(isOver)
  else network.proxy.choose = isOver ? (line) => (network.publishes(line) ? '429' : null) : null
}

/** Until a draft is noted, and the call that shows it was refused. */
async function untilIsNoted(
  network: FaultyNetwork,
  postId: string,
  publisher: RunningPublisher,
): Promise<void> {
  const look = async () => {
    const { status } = await destinationOf(network, postId)
    if (status !== 'delayed') {
      await endWaits(postId)
      publisher.wake()
    }
    return status === 'delayed' && (await leftoversOf(postId)).length > 0
  }
  await expect.poll(look, { timeout: 60_000, interval: 100 }).toBe(true)
}

async function leftoversOf(postId: string) {
  return db<{ name: string; outcome: string | null }[]>`
    select n.name, n.outcome from network_draft n join destination d on d.id = n.destination_id
    where  d.post_id = ${postId}`
}

/** Whether everything noted is dealt with; what waits is tried now. */
async function isDiscarded(postId: string): Promise<boolean> {
  await db`update channel set paused_until = null where paused_until is not null`
  await db`
    update network_draft n set look_at = now() from destination d
    where  d.id = n.destination_id and d.post_id = ${postId} and n.outcome is null and n.look_at > now()`
  const rows = await leftoversOf(postId)
  return rows.length > 0 && rows.every(({ outcome }) => outcome !== null)
}
