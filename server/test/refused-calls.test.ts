import { randomBytes } from 'node:crypto'
import type { Destination, Post } from '@postrider/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeKeyring } from '../src/platform/sealing/sealing.ts'
import { providers } from '../src/networks/providers/registry.ts'
import type { Refused } from './rigs/fault-proxy.ts'
import { startPublisher, type RunningPublisher } from './rigs/fault-run.ts'
import { openFaultyNetworks, type FaultyNetwork, type FaultyNetworks } from './rigs/faulty-networks.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace } from './rigs/fixtures.ts'
import { networksAt } from './rigs/network-publisher.ts'
import { aMediaItem, openConnectToAll, type ConnectedChannel } from './rigs/publishing-rig.ts'

/*
 * Networks that carry a call out and refuse it all the same. Every network of the registry takes part whose look-up asks for the very
 * thing that the call was to show: it has to have a place in rigs/faulty-networks.ts, and a refusal here.
 */

/** How each network refuses a post for good, as its adapter knows it. */
const refusals: Readonly<Record<string, Pick<Refused, 'status' | 'body'>>> = {
  bluesky: { status: 400, body: { error: 'InvalidRequest', message: 'Invalid app.bsky.feed.post record' } },
  facebook: { status: 403, body: graphError(200, 'Permissions error') },
  // Seen in production: https://github.com/gitroomhq/postiz-app (Instagram, "Action is blocked", with the post live).
  instagram: { status: 403, body: graphError(4, 'Application request limit reached', 2_207_051) },
  nostr: { status: 101, body: 'blocked: not admitted' },
  threads: { status: 400, body: graphError(10, 'Application does not have permission for this action') },
  wordpress: { status: 403, body: { code: 'rest_cannot_publish', message: 'No.', data: { status: 403 } } },
  youtube: { status: 403, body: { error: { code: 403, message: 'No', errors: [{ reason: 'forbidden' }] } } },
}

function graphError(code: number, message: string, subcode?: number) {
  const more = subcode === undefined ? {} : { error_subcode: subcode }
  return { error: { message, type: 'OAuthException', code, ...more } }
}

/**
 * How each network says of a part's parent that it is not there: in the answer to a call of this line, the second one of its kind where the
 * first part is published by the same.
 */
const missingParents: Readonly<
  Record<
    string,
    Pick<Refused, 'status' | 'body'> & { kind: 'thread' | 'firstComment'; call: RegExp; nth: number }
  >
> = {
  bluesky: {
    kind: 'thread',
    call: /^GET \S+getRecord/,
    nth: 1,
    status: 400,
    body: { error: 'RecordNotFound', message: 'Could not locate record' },
  },
  facebook: {
    kind: 'firstComment',
    call: /^POST \S+\/comments/,
    nth: 1,
    status: 400,
    body: graphError(100, 'Unsupported post request. Object does not exist', 33),
  },
  instagram: {
    kind: 'firstComment',
    call: /^POST \S+\/comments/,
    nth: 1,
    status: 400,
    body: graphError(100, 'Unsupported post request. Object does not exist', 33),
  },
  mastodon: {
    kind: 'thread',
    call: /^POST \/api\/v1\/statuses /,
    nth: 2,
    status: 404,
    body: { error: 'Record not found' },
  },
  telegram: {
    kind: 'thread',
    call: /^POST \S+\/send/,
    nth: 2,
    status: 400,
    body: { ok: false, error_code: 400, description: 'Bad Request: message to be replied not found' },
  },
  threads: {
    kind: 'thread',
    call: /^POST \S+\/threads[ ?]/,
    nth: 2,
    status: 400,
    body: graphError(100, 'Unsupported post request. Object does not exist', 33),
  },
  x: {
    kind: 'thread',
    call: /^POST \/2\/tweets /,
    nth: 2,
    status: 403,
    body: {
      title: 'Forbidden',
      type: 'about:blank',
      status: 403,
      detail: 'You attempted to reply to a Tweet that is deleted or not visible to you.',
    },
  },
}

const names: string[] = []
for (const { provider, load } of providers.values()) {
  if ((await load()).looksByKey({ kind: 'post' })) names.push(provider)
}

const { world, api } = await openFileWorld()
const { db } = world
let networks: FaultyNetworks
let publisher: RunningPublisher
const channels = new Map<string, ConnectedChannel>()

beforeAll(async () => {
  networks = await openFaultyNetworks((name) => names.includes(name) || name in missingParents)
  const secret = randomBytes(32)
  publisher = await startPublisher({
    ...networks.order,
    callTimeoutMs: 10_000,
    leaseMs: 60_000,
    databaseUrl: world.databaseUrl,
    secretKey: secret.toString('base64'),
  })
  const keyring = makeKeyring([secret])
  const reached = networksAt(networks.order.places)
  const connect = openConnectToAll({ ...networks.order, db, keyring, providers: reached })
  for (const network of networks.all) {
    const workspace = await aWorkspace(db)
    const channelId = await network.connect({ connect, keyring, workspace })
    channels.set(network.provider, { workspace, channelId })
  }
  await connect.close()
}, 10 * 60_000)
afterAll(async () => {
  await publisher.kill()
  await networks[Symbol.asyncDispose]()
})

let numbers = 0

/** What a test does with one network. */
function actsOf(name: string) {
  const network = (): FaultyNetwork => {
    const found = networks.all.find(({ provider }) => provider === name)
    if (found === undefined) throw new Error(`${name} has no place in rigs/faulty-networks.ts`)
    return found
  }
  const refusing = (request: Refused['request']): Refused => {
    const refusal = refusals[name]
    if (refusal === undefined) throw new Error(`no refusal of ${name} is known here`)
    return { ...refusal, request }
  }

  async function publish(more: object = {}): Promise<{ postId: string; word: string }> {
    const { workspace, channelId } = channels.get(name)!
    const word = `k${++numbers}z`
    const { images = 0, video = false } = network().kinds[0]!
    const types = [
      ...Array.from({ length: images }, () => 'image' as const),
      ...(video ? ['video' as const] : []),
    ]
    const mediaIds = await Promise.all(types.map((type) => aMediaItem(db, workspace, type, 'A bird')))
    const { status, body } = await api.call(workspace, 'POST', '/posts', {
      confirmed: true,
      idempotencyKey: word,
      state: 'scheduled',
      publishAt: new Date(Date.now() + 86_400_000).toISOString(),
      targets: [
        { channelId, text: `${word} rides out`, ...(mediaIds.length === 0 ? {} : { mediaIds }), ...more },
      ],
    })
    expect({ status, body }).toMatchObject({ status: 201 })
    const { postId } = body as Post
    await come(postId)
    return { postId, word }
  }

  async function come(postId: string) {
    await db`update destination set publish_at = now(), due_at = now() where post_id = ${postId}`
    publisher.wake()
  }

  const destinationOf = async (postId: string): Promise<Destination> =>
    (await api.read(channels.get(name)!.workspace, postId)).destinations[0]!

  async function endWaits(postId: string) {
    await db`update channel set paused_until = null where paused_until is not null`
    await db`update destination set due_at = now() where post_id = ${postId} and due_at > now() and lease_until is null`
    publisher.wake()
  }

  /** Until the post has this status; what it waits for is over. */
  async function until(postId: string, status: string) {
    const look = async () => {
      await endWaits(postId)
      return (await destinationOf(postId)).status
    }
    await expect.poll(look, { timeout: 60_000, interval: 250 }).toBe(status)
  }

  const liveOf = async (word: string) =>
    (await network().standing()).filter(({ text }) => text.includes(word)).length
  const eventsOf = async (postId: string) => {
    const rows = await db<{ type: string }[]>`
      select type from outbox_event where post_id = ${postId} and destination_id is not null order by seq`
    return rows.map(({ type }) => type)
  }

  return { network, refusing, publish, come, endWaits, destinationOf, until, liveOf, eventsOf }
}

describe.each(names)('%s', (name) => {
  const { network, refusing, publish, come, destinationOf, until, liveOf, eventsOf } = actsOf(name)

  test('a post that is live though its call was refused is published, once, and never called failed', async () => {
    let calls = 0
    network().proxy.choose = (line) => {
      if (!network().publishes(line)) return null
      calls += 1
      return refusing('passed on')
    }
    const { postId, word } = await publish()
    await until(postId, 'published')
    await expect.poll(() => liveOf(word)).toBe(1)
    expect(calls).toBe(1)
    expect(await eventsOf(postId)).not.toContain('post.failed')
  })

  test('a post that is carried out after it was called failed is found by the retry, and not made again', async () => {
    const { proxy } = network()
    proxy.choose = (line) => (network().publishes(line) ? refusing('held up') : null)
    const { postId, word } = await publish()
    await until(postId, 'failed')
    // Its draft is not removed before the network gets to it.
    await db`update network_draft set look_at = now() + interval '1 day' where outcome is null`
    proxy.choose = null
    await proxy.letGo()
    await expect.poll(() => liveOf(word)).toBe(1)
    let calls = 0
    proxy.choose = (line) => {
      if (network().publishes(line)) calls += 1
      return null
    }
    const { workspace, channelId } = channels.get(name)!
    const { controlToken } = await destinationOf(postId)
    const publishAt = new Date(Date.now() + 86_400_000).toISOString()
    const asked = { confirmed: true, channelId, controlToken, publishAt }
    expect(await api.call(workspace, 'POST', `/posts/${postId}/retry`, asked)).toMatchObject({ status: 200 })
    await come(postId)
    await until(postId, 'published')
    expect([await liveOf(word), calls]).toEqual([1, 0])
  })

  test('a post whose network cannot be asked after the refusal is in doubt', async () => {
    let refused = false
    network().proxy.choose = (line) => {
      if (network().publishes(line)) {
        refused = true
        return refusing('passed on')
      }
      return refused ? 'reset before it is read' : null
    }
    const { postId, word } = await publish()
    await until(postId, 'checking')
    network().proxy.choose = null
    await until(postId, 'published')
    await expect.poll(() => liveOf(word)).toBe(1)
    expect(await eventsOf(postId)).not.toContain('post.failed')
  })
})

describe.each(Object.keys(missingParents))('%s', (name) => {
  const { network, publish, endWaits, destinationOf, until, liveOf } = actsOf(name)
  const { kind, call, nth, status, body } = missingParents[name]!

  /** A post whose second part was told that the first one is missing. */
  async function halfPublished() {
    let calls = 0
    network().proxy.choose = (line) =>
      call.test(line) && ++calls >= nth ? { status, body, request: 'held up' } : null
    const second = { text: `second of ${numbers + 1}` }
    const post = await publish(kind === 'thread' ? { thread: [second] } : { firstComment: second })
    const code = async () => (await destinationOf(post.postId)).error?.code
    await expect.poll(code, { timeout: 60_000, interval: 50 }).toBe('not_shown_yet')
    return { ...post, second: second.text }
  }

  test('a parent that was just published is waited for', async () => {
    const { postId, second } = await halfPublished()
    network().proxy.choose = null
    await until(postId, 'published')
    expect(await liveOf(second)).toBe(1)
  })

  test('a parent that is missing for minutes is missing', async () => {
    const { postId } = await halfPublished()
    await db`
      update part p set published_at = p.published_at - interval '11 minutes' from destination d
      where  d.id = p.destination_id and d.post_id = ${postId} and p.published_at is not null`
    const code = async () => {
      await endWaits(postId)
      return (await destinationOf(postId)).error?.code
    }
    await expect.poll(code, { timeout: 60_000, interval: 250 }).toBe('parent_missing')
  })
})
