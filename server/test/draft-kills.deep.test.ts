import { randomBytes } from 'node:crypto'
import type { Destination, Post } from '@postrider/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeKeyring } from '../src/platform/sealing/sealing.ts'
import { providers } from '../src/networks/providers/registry.ts'
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
 * Publishers that are killed at the calls by which networks draft, then flip, at those by which media go up before the call, and at those
 * by which a draft is removed: one dies as its call arrives there, and another one continues. Every network of the registry that makes
 * something before the call takes part. By default only two do, at each call that changes something; with DRAFT_KILLS=all all of them,
 * at every call of every kind of post, also before it arrives.
 */

const all = process.env['DRAFT_KILLS'] === 'all'
const deaths = all ? (['before', 'after'] as const) : (['after'] as const)
/** By default those two whose drafts differ most: a post that is shown by its id, and an upload that goes on where it was. */
const byDefault = ['facebook', 'youtube']

type Preparing = { readonly name: string; readonly drafts: boolean; readonly removes: boolean }
const preparing: Preparing[] = []
for (const { provider: name, drafts, load } of providers.values()) {
  const { upload, leftovers } = await load()
  if (name.startsWith('sandbox') || (drafts === undefined && upload === null)) continue
  if (all || byDefault.includes(name))
    preparing.push({ name, drafts: drafts !== undefined, removes: leftovers !== null })
}

const { world, api } = await openFileWorld()
const { db } = world
let networks: FaultyNetworks
let order: PublisherOrder
const channels = new Map<string, ConnectedChannel>()

beforeAll(async () => {
  networks = await openFaultyNetworks((name) => preparing.some((one) => one.name === name))
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
  for (const { name } of preparing) {
    const network = networkOf(name)
    const workspace = await aWorkspace(db)
    channels.set(network.provider, {
      workspace,
      channelId: await network.connect({ connect, keyring, workspace }),
    })
  }
  await connect.close()
}, 10 * 60_000)
afterAll(() => networks[Symbol.asyncDispose]())

/** The account of a network where it has several. */
function networkOf(name: string): FaultyNetwork {
  const found = networks.all.find(({ provider }) => provider === name)
  if (found === undefined) throw new Error(`${name} has no place in rigs/faulty-networks.ts`)
  return found
}

/** One post of each form: what is made before the call differs by its media, and by whether they are a reel. */
function formsOf({ kinds }: FaultyNetwork, { drafts }: Preparing): Kind[] {
  const forms = new Map<string, Kind>()
  for (const kind of kinds) {
    const { images = 0, video = false, settings, thread, firstComment, wordless } = kind
    if (thread !== undefined || firstComment !== undefined || wordless !== undefined) continue
    if (!drafts && images === 0 && !video) continue
    if (!all && images + Number(video) !== 1) continue
    // Some are uploaded one by one: a second one shows what the first one does.
    const form = `${Math.min(images, 2)} ${video} ${settings?.['reel'] === true}`
    if (!forms.has(form)) forms.set(form, { ...kind, ...(images > 2 ? { images: 2 } : {}) })
  }
  return [...forms.values()]
}

let numbers = 0

async function plan(network: FaultyNetwork, kind: Kind): Promise<{ postId: string; word: string }> {
  const { workspace, channelId } = channels.get(network.provider)!
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
  return (await api.read(channels.get(network.provider)!.workspace, postId)).destinations[0]!
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

type Blow = {
  readonly nth: number
  readonly when: 'before' | 'after'
  /** Whether a call counts. */
  readonly counts?: (line: string) => boolean
}

/** Has the publisher die as its call of this number arrives, of those that count. Gives whether it came to that, once `isOver` or it has. */
async function killAt(
  { proxy, mediaProxy }: FaultyNetwork,
  publisher: RunningPublisher,
  { nth, when, counts = () => true }: Blow,
  isOver: () => Promise<boolean>,
): Promise<string | null> {
  let [calls, struck] = [0, null as string | null]
  const dead: Promise<void>[] = []
  const proxies = [proxy, ...(mediaProxy === undefined ? [] : [mediaProxy])]
  const choose = (line: string) => {
    if ((!all && line.startsWith('GET ')) || !counts(line) || ++calls !== nth) return null
    struck = line
    dead.push(publisher.kill())
    return when === 'before' ? 'reset before it is read' : 'reset after it was read'
  }
  for (const one of proxies) one.choose = choose
  await expect.poll(async () => struck !== null || (await isOver()), { timeout: 60_000 }).toBe(true)
  for (const one of proxies) one.choose = null
  await Promise.all(dead)
  // What it sent is answered, though nobody hears it.
  for (const one of proxies) await expect.poll(() => one.unanswered, { timeout: 20_000 }).toBe(0)
  return struck
}

const timesOf = async (network: FaultyNetwork, word: string) =>
  (await network.standing()).filter(({ text }) => text.includes(word)).length
const unseenAt = async (network: FaultyNetwork) => (await network.unseen?.()) ?? []

describe.each(preparing.map((one) => [one.name, one] as const))('%s', (name, one) => {
  test('a publisher killed at any call leaves one post, and at most the draft whose id it never learnt', async () => {
    const network = networkOf(name)
    let publisher = await startPublisher(order)
    const lines: string[] = []
    // Of a network without drafts, only uploads can be made again: network-faults.deep.test.ts is about the call itself.
    const counts = (line: string) => one.drafts || !network.publishes(line)
    for (const kind of formsOf(network, one)) {
      for (const when of deaths) {
        const orphans: string[] = []
        for (let nth = 1; ; nth++) {
          const before = (await unseenAt(network)).length
          const { postId, word } = await plan(network, kind)
          await come(postId, publisher)
          const isOver = async () => {
            await endWaits(postId)
            publisher.wake()
            return (await destinationOf(network, postId)).status === 'published'
          }
          const line = await killAt(network, publisher, { nth, when, counts }, isOver)
          if (line === null) break
          lines.push(line)
          publisher = await startPublisher(order)
          await untilIs(network, postId, publisher, 'published')
          expect(await timesOf(network, word), `${when} ${line}`).toBe(1)
          const left = (await unseenAt(network)).length - before
          if (left !== 0) orphans.push(`${left} after ${line}`)
        }
        // A draft is made by one call, and only the answer to that tells its id.
        const most = when === 'after' ? 1 : 0
        expect(orphans.filter((told) => !/^1 after (?:POST|PUT) /.test(told))).toEqual([])
        expect(orphans.slice(most)).toEqual([])
      }
    }
    await publisher.end()
    if (one.drafts) expect(lines.filter((line) => network.publishes(line)).length).toBeGreaterThanOrEqual(1)
    expect(lines.length).toBeGreaterThan(1)
    if (all) console.log(`${name}: killed at ${lines.length} calls`)
  }, 1_800_000)

  test.runIf(one.removes && (all || name === 'youtube'))(
    'a publisher killed at any call of the removal of a draft leaves neither draft nor post',
    async () => {
      const network = networkOf(name)
      const { workspace, channelId } = channels.get(name)!
      let publisher = await startPublisher(order)
      const struck: string[] = []
      for (const when of deaths) {
        for (let nth = 1; ; nth++) {
          const { postId, word } = await plan(network, formsOf(network, one)[0]!)
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
