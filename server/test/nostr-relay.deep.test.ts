import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { connectByForm } from '../src/accounts/connect/connect-by-form.ts'
import { publicKeyOf } from '../src/networks/providers/shared/nostr-events.ts'
import { npubOf } from '../src/networks/providers/nostr/nip19.ts'
import { nostrOn } from '../src/networks/providers/nostr/nostr.ts'
import { openBlossomDouble, type BlossomDouble } from './doubles/blossom-double.ts'
import { wireFaults, type FaultProxy } from './rigs/fault-proxy.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace, type AWorkspace } from './rigs/fixtures.ts'
import {
  openPublishingRig,
  OPERATOR,
  type ConnectedChannel,
  type PublishingRig,
} from './rigs/publishing-rig.ts'
import { openRelayProxy } from './rigs/relay-proxy.ts'
import { openRelay, type Relay } from './rigs/relay-rig.ts'
import { openSigner, type SignerOrder } from './rigs/signer-rig.ts'

/* Nostr as it really answers: relays that others wrote, one behind a proxy that breaks talks, and the publisher of production. */

const { world, api } = await openFileWorld()
const { db } = world

let relay: Relay
let strict: Relay
let proxy: FaultProxy
let media: BlossomDouble
let rig: PublishingRig
/** A relay that nobody runs. */
const NOBODY = 'ws://127.0.0.1:1'

const behindProxy = () => proxy.url.href.replace(/^http/, 'ws').replace(/\/$/, '')

beforeAll(async () => {
  relay = await openRelay({ information: { limitation: { max_content_length: 1_000 } } })
  strict = await openRelay({ wantsProof: true })
  proxy = await openRelayProxy(new URL(relay.url))
  media = await openBlossomDouble()
  rig = await openPublishingRig({
    world,
    api,
    provider: nostrOn({ directory: [relay.address], mediaServer: media.url }),
    trustedOrigins: [relay.url, strict.url, proxy.url.origin, media.url, 'http://127.0.0.1:1'],
    callTimeoutMs: 1_500,
  })
}, 16 * 60_000)
beforeEach(async () => {
  await db`delete from network_outage`
  await db`delete from network_failure`
  proxy.fault = null
  proxy.faulty = (line) => line.startsWith('EVENT')
})
afterAll(async () => {
  await rig.close()
  for (const each of [proxy, media, strict, relay]) await each[Symbol.asyncDispose]()
})

type Connected = ConnectedChannel & { readonly secretKey: string; readonly pubkey: string }

function connect(
  { workspaceId }: AWorkspace,
  fields: Record<string, string>,
  channelId: string | null = null,
) {
  const provider = rig.connect.providers.get('nostr')!
  return connectByForm(rig.connect, { workspaceId, channelId, actor: OPERATOR }, provider, fields)
}

/** An account whose notes go to these relays. */
async function anAccount(...relays: readonly string[]): Promise<Connected> {
  const secretKey = randomBytes(32).toString('hex')
  const workspace = await aWorkspace(db)
  const result = await connect(workspace, { secretKey, relays: relays.join(' ') })
  if (result.is !== 'connected') throw new Error(result.detail)
  return { workspace, channelId: result.channelId, secretKey, pubkey: publicKeyOf(secretKey)! }
}

const notesOf = ({ pubkey }: Connected, at = relay) => at.events({ kinds: [1], authors: [pubkey] })
const valuesOf = (tags: readonly (readonly string[])[], wanted: string) =>
  tags.filter(([name]) => name === wanted).map(([, ...values]) => values)

describe('publishing', () => {
  test('a thread with a picture, a mention and a hashtag stands there as it was meant', async () => {
    const connected = await anAccount(relay.address)
    const friend = publicKeyOf(randomBytes(32).toString('hex'))!
    const mediaIds = [await rig.anImage(connected.workspace, 'A bird')]
    const postId = await rig.publish(connected, {
      text: `Hello nostr:${npubOf(friend)} #Birds`,
      thread: [{ text: 'A picture', mediaIds }, { text: 'The end' }],
      settings: { contentWarning: 'Feathers' },
    })
    const { releaseUrl } = await rig.until(connected, postId, 'published')
    const notes = await notesOf(connected)
    const at = (text: string) => notes.find(({ content }) => content.startsWith(text))!
    const [first, second, third] = [at('Hello'), at('A picture'), at('The end')]
    expect(first.tags).toEqual([
      ['p', friend],
      ['t', 'birds'],
      ['content-warning', 'Feathers'],
    ])
    const [blob] = [...media.blobs]
    expect(second.content).toBe(`A picture\n\n${media.url}/${blob?.[0]}.jpeg`)
    expect(valuesOf(second.tags, 'imeta')[0]).toEqual(
      expect.arrayContaining([`x ${blob?.[0]}`, 'm image/jpeg', 'alt A bird']),
    )
    expect(blob?.[1].pubkey).toBe(connected.pubkey)
    expect(valuesOf(second.tags, 'e')).toEqual([[first.id, relay.address, 'root', connected.pubkey]])
    expect(valuesOf(third.tags, 'e')).toEqual([
      [first.id, relay.address, 'root', connected.pubkey],
      [second.id, relay.address, 'reply', connected.pubkey],
    ])
    expect(releaseUrl).toMatch(/^https:\/\/njump\.me\/nevent1/)
  })

  test('a relay that wants to know who writes is told', async () => {
    const connected = await anAccount(strict.address)
    await rig.until(connected, await rig.publish(connected, { text: 'It is me' }), 'published')
    const { events } = await asked(strict, connected)
    expect(events).toHaveLength(1)
  })

  test('all relays get the note, and one that is away keeps it from none', async () => {
    const connected = await anAccount(NOBODY, relay.address, strict.address)
    await rig.until(connected, await rig.publish(connected, { text: 'To all' }), 'published')
    expect(await notesOf(connected)).toHaveLength(1)
    await expect.poll(async () => (await asked(strict, connected)).events.length).toBe(1)
  })

  test('the list of relays is read again before each note', async () => {
    const connected = await anAccount(relay.address)
    await relay.publish(connected.secretKey, { kind: 10_002, tags: [['r', strict.address, 'write']] })
    await rig.until(connected, await rig.publish(connected, { text: 'Moved' }), 'published')
    await expect.poll(async () => (await asked(strict, connected)).events.length).toBe(1)
  })

  test('a text over what the relays take is refused before', async () => {
    const connected = await anAccount(relay.address)
    const { status, body } = await api.call(connected.workspace, 'POST', '/posts', {
      confirmed: true,
      idempotencyKey: 'long',
      state: 'scheduled',
      publishAt: new Date(Date.now() + 3_600_000).toISOString(),
      targets: [{ channelId: connected.channelId, text: 'a'.repeat(1_001) }],
    })
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('Shorten it by 1')])
  })

  test('where no relay is there, the post waits and is not in doubt', async () => {
    const connected = await anAccount(behindProxy())
    proxy.fault = '502 with HTML'
    proxy.faulty = (line) => line.startsWith('CONNECT')
    const postId = await rig.publish(connected, { text: 'Later' })
    await rig.until(connected, postId, 'delayed')
    proxy.fault = null
    await rig.endWaits(connected)
    await rig.until(connected, postId, 'published')
    expect(await notesOf(connected)).toHaveLength(1)
  })
})

/** What a strict relay shows its account. */
async function asked(at: Relay, { secretKey, pubkey }: Connected) {
  return { events: await at.events({ kinds: [1], authors: [pubkey] }, secretKey) }
}

describe('exactly once', () => {
  test.each(wireFaults)('%s: in the end the note is there once', async (fault) => {
    const connected = await anAccount(behindProxy())
    proxy.fault = fault
    const postId = await rig.publish(connected, { text: `Through ${fault}` })
    await rig.until(connected, postId, 'checking')
    proxy.fault = null
    await rig.untilAfterLooks(connected, postId, 'published')
    expect(await notesOf(connected)).toHaveLength(1)
  })
})

describe('connecting', () => {
  test('shows who it is by what its relays know, and keeps the key sealed', async () => {
    const secretKey = randomBytes(32).toString('hex')
    await relay.publish(secretKey, {
      kind: 0,
      content: JSON.stringify({ name: 'alice', display_name: 'Alice' }),
    })
    await relay.publish(secretKey, { kind: 10_002, tags: [['r', relay.address]] })
    const workspace = await aWorkspace(db)
    expect(await connect(workspace, { secretKey })).toMatchObject({ is: 'connected' })
    const [row] = await db<{ display_name: string; handle: string; row: string }[]>`
      select display_name, handle, channel::text as row from channel where workspace_id = ${workspace.workspaceId}`
    expect(row).toMatchObject({ display_name: 'Alice', handle: npubOf(publicKeyOf(secretKey)!) })
    expect(row?.row).not.toContain(secretKey)
  })

  test('names the field at fault', async () => {
    const workspace = await aWorkspace(db)
    const secretKey = randomBytes(32).toString('hex')
    expect(await connect(workspace, { secretKey: 'npub1x' })).toMatchObject({
      is: 'refused',
      field: 'secretKey',
    })
    expect(await connect(workspace, { secretKey })).toMatchObject({ is: 'refused', field: 'relays' })
  })
})

describe('a remote signer', () => {
  /** Connects an account whose key is with a signer that listens at the relay. */
  async function aSigned({
    relays = relay.address,
    order = 'fine',
  }: { relays?: string; order?: SignerOrder } = {}) {
    const signer = await openSigner(relay.address)
    onTestFinished(() => signer[Symbol.asyncDispose]())
    await signer.become(order)
    const workspace = await aWorkspace(db)
    const result = await connect(workspace, { secretKey: signer.bunker, relays })
    const channelId = result.is === 'connected' ? result.channelId : ''
    const connected: Connected = { workspace, channelId, secretKey: '', pubkey: signer.account }
    return { signer, connected, result }
  }

  test('signs notes and uploads of its account, whose key is not here', async () => {
    const { signer, connected } = await aSigned()
    const mediaIds = [await rig.anImage(connected.workspace, 'A bird')]
    const content = { text: 'Signed elsewhere', mediaIds, thread: [{ text: 'Twice' }] }
    await rig.until(connected, await rig.publish(connected, content), 'published')
    expect(await notesOf(connected)).toHaveLength(2)
    expect(signer.signed).toEqual([24_242, 1, 1])
    expect([...media.blobs.values()].at(-1)?.pubkey).toBe(signer.account)
  })

  test('that is away has nothing sent, and the note follows when it is back', async () => {
    const { signer, connected } = await aSigned()
    await signer.become('away')
    const postId = await rig.publish(connected, { text: 'When it is back' })
    const { error } = await rig.until(connected, postId, 'delayed')
    expect(error).toMatchObject({ code: 'signer_away', message: expect.stringContaining('remote signer') })
    const attempts = await db`
      select from attempt a join destination d on d.id = a.destination_id where d.post_id = ${postId}`
    expect([attempts.length, (await db`select from network_failure`).length]).toEqual([0, 0])
    await signer.become('fine')
    await rig.endWaits(connected)
    await rig.until(connected, postId, 'published')
    expect(await notesOf(connected)).toHaveLength(1)
  })

  test('signs once what is sent again: the same note', async () => {
    const { signer, connected } = await aSigned({ relays: behindProxy() })
    proxy.fault = 'reset after it was read'
    const postId = await rig.publish(connected, { text: 'Unheard' })
    await rig.until(connected, postId, 'checking')
    proxy.fault = null
    await rig.untilAfterLooks(connected, postId, 'published')
    expect([signer.signed, (await notesOf(connected)).length]).toEqual([[1], 1])
  })

  test('whose question another key answers, or whose answer is to another question, has nothing sent', async () => {
    const { signer, connected } = await aSigned()
    for (const order of ['is replaced', 'replays'] as const) {
      await signer.become(order)
      const postId = await rig.publish(connected, { text: `It ${order}` })
      const { error } = await rig.until(connected, postId, 'delayed')
      expect(error).toMatchObject({ code: 'signer_away' })
      expect(await notesOf(connected)).toEqual([])
    }
    // It did sign both: it is the answers that were not taken.
    expect(signer.signed).toEqual([1, 1])
  })

  test('that refuses, or signs something else, has the post fail; one that forgot this server is reconnected', async () => {
    const { signer, connected } = await aSigned()
    const failing = async (order: SignerOrder, status: string) => {
      await signer.become(order)
      return rig.until(connected, await rig.publish(connected, { text: `It ${order}` }), status)
    }
    expect((await failing('refuses', 'failed')).error).toMatchObject({ code: 'permission_refused' })
    expect((await failing('changes', 'failed')).error).toMatchObject({ code: 'content_refused' })
    expect((await failing('impersonates', 'failed')).error).toMatchObject({ code: 'content_refused' })
    await failing('forgets', 'reconnect_required')
    expect(await notesOf(connected)).toEqual([])
  })

  test('connects once with each address, and says what is wrong with others', async () => {
    const { signer, connected } = await aSigned()
    const wrong = (secretKey: string) => connect(connected.workspace, { secretKey, relays: relay.address })
    expect(await wrong(signer.bunker)).toMatchObject({ is: 'refused', code: 'credentials_refused' })
    expect(await wrong('bunker://abc?relay=wss://relay.example.com')).toMatchObject({ field: 'secretKey' })
    expect(await wrong(`nostrconnect://${signer.account}?relay=${relay.address}&secret=a`)).toMatchObject({
      is: 'refused',
      field: 'secretKey',
      detail: expect.stringContaining('bunker://'),
    })
    expect((await aSigned({ order: 'away' })).result).toMatchObject({ is: 'unavailable' })
    const asks = (await aSigned({ order: 'asks' })).result
    expect(asks).toMatchObject({
      is: 'refused',
      detail: expect.stringContaining('https://signer.example/allow'),
    })
  })
})
