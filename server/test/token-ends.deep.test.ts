import { randomBytes } from 'node:crypto'
import type { Post } from '@postrider/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Connect } from '../src/accounts/connect/open-connect.ts'
import { makeKeyring, type Keyring } from '../src/platform/sealing/sealing.ts'
import { startPublisher, type RunningPublisher } from './rigs/fault-run.ts'
import { openFaultyNetworks, type FaultyNetworks, type Kind } from './rigs/faulty-networks.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { announced, aWorkspace } from './rigs/fixtures.ts'
import { networksAt } from './rigs/network-publisher.ts'
import { aMediaItem, openConnectToAll, type ConnectedChannel } from './rigs/publishing-rig.ts'

/*
 * Access that ends in the middle of a post: right before a call by which media go up, a draft is made or a part is published, the access token
 * is over, or the owner ends the access and gives it again. Each part comes out once, no draft is left, and nothing is called failed. By
 * default at four networks, and before calls that change something; with TOKEN_ENDS=all at all of them, and before every call.
 */

const all = process.env['TOKEN_ENDS'] === 'all'
type End = 'expireAccess' | 'revoke'
/** What a post of each network is: with media before its call, and with a part after it where there can be one. */
const cases: readonly (readonly [name: string, ends: readonly End[], kind: Kind])[] = [
  ['x', all ? ['expireAccess', 'revoke'] : ['expireAccess'], { images: all ? 2 : 1, thread: 1 }],
  ['youtube', all ? ['expireAccess', 'revoke'] : ['expireAccess'], { video: true, images: 1 }],
  ['facebook', ['revoke'], { images: all ? 2 : 1, firstComment: true }],
  ['threads', ['revoke'], { images: all ? 2 : 1, thread: 1 }],
  ...(all
    ? ([
        ['linkedin', ['expireAccess', 'revoke'], { images: 2 }],
        ['instagram', ['revoke'], { images: 2, firstComment: true }],
      ] as const)
    : []),
]

const { world, api } = await openFileWorld()
const { db } = world
let networks: FaultyNetworks
let publisher: RunningPublisher
let connect: Connect
let keyring: Keyring

beforeAll(async () => {
  networks = await openFaultyNetworks((name) => cases.some(([wanted]) => name === wanted))
  const secret = randomBytes(32)
  keyring = makeKeyring([secret])
  publisher = await startPublisher({
    ...networks.order,
    callTimeoutMs: 3_000,
    leaseMs: 60_000,
    databaseUrl: world.databaseUrl,
    secretKey: secret.toString('base64'),
  })
  connect = openConnectToAll({ ...networks.order, db, keyring, providers: networksAt(networks.order.places) })
}, 300_000)
afterAll(async () => {
  await publisher.kill()
  await connect.close()
  await networks[Symbol.asyncDispose]()
})

let numbers = 0

async function plan({ workspace, channelId }: ConnectedChannel, kind: Kind) {
  const word = `k${++numbers}z`
  const types = [
    ...(kind.video === true ? (['video'] as const) : []),
    ...Array.from({ length: kind.images ?? 0 }, () => 'image' as const),
  ]
  const mediaIds = await Promise.all(types.map((type) => aMediaItem(db, workspace, type, 'A bird')))
  const say = (n: number) => `${word} rides out ${n}`
  const { status, body } = await api.call(workspace, 'POST', '/posts', {
    confirmed: true,
    idempotencyKey: word,
    state: 'scheduled',
    publishAt: new Date(Date.now() + 86_400_000).toISOString(),
    targets: [
      {
        channelId,
        text: say(0),
        ...(mediaIds.length === 0 ? {} : { mediaIds }),
        ...(kind.firstComment === true ? { firstComment: { text: say(1) } } : {}),
        ...(kind.thread === undefined
          ? {}
          : { thread: Array.from({ length: kind.thread }, (_, n) => ({ text: say(n + 1) })) }),
      },
    ],
  })
  expect({ status, body }).toMatchObject({ status: 201 })
  const parts = 1 + (kind.thread ?? 0) + Number(kind.firstComment === true)
  const { postId } = body as Post
  await db`update destination set publish_at = now(), due_at = now() where post_id = ${postId}`
  publisher.wake()
  return { postId, word, texts: Array.from({ length: parts }, (_, n) => say(n)) }
}

/** All that is waited for is over: the next try, the next look, and the time in which a call can still arrive. */
async function endWaits(postId: string): Promise<void> {
  await db`update channel set paused_until = null where paused_until is not null`
  await db`
    update attempt a set armed_at = armed_at - interval '30 minutes' from destination d
    where  d.id = a.destination_id and d.post_id = ${postId}`
  await db`update destination set due_at = now() where post_id = ${postId} and due_at > now() and lease_until is null`
}

describe.each(cases)('%s', (name, ends, kind) => {
  test.each(ends)('%s before any call leaves each part once', async (how) => {
    const network = networks.all.find(({ provider }) => provider === name)!
    const workspace = await aWorkspace(db)
    const connected = () => network.connect({ connect, keyring, workspace })
    const channel = { workspace, channelId: await connected() }
    const lines: string[] = []
    for (let nth = 1; ; nth++) {
      let calls = 0
      network.proxy.choose = (line) => {
        if ((!all && line.startsWith('GET ')) || ++calls !== nth) return null
        lines.push(line)
        network[how]!()
        return null
      }
      const { postId, texts, word } = await plan(channel, kind)
      const look = async () => {
        await endWaits(postId)
        const { status, error } = (await api.read(workspace, postId)).destinations[0]!
        if (error?.code === 'reconnect_required') await connected()
        publisher.wake()
        return status
      }
      await expect.poll(look, { message: `${nth}`, timeout: 30_000, interval: 100 }).toBe('published')
      network.proxy.choose = null
      const before = lines[nth - 1] ?? 'none'
      const standing = (await network.standing()).map(({ text }) => text)
      expect(standing.filter((text) => text.includes(word)).toSorted(), `before ${before}`).toEqual(texts)
      if (lines.length < nth) break
      await connected()
    }
    expect(lines.some((line) => network.publishes(line))).toBe(true)
    const unseen = async () => {
      await db`update network_draft set look_at = now() where outcome is null and look_at > now()`
      publisher.wake()
      return (await network.unseen?.()) ?? []
    }
    await expect.poll(unseen, { timeout: 30_000, interval: 100 }).toEqual([])
    const failed = (await announced(db, workspace.workspaceId)).filter(({ type }) =>
      ['post.failed', 'post.recovery_required', 'post.expired'].includes(type),
    )
    expect(failed).toEqual([])
  })
})
