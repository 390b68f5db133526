import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { enabledChannels } from '../../src/channels/channel-store.ts'
import { xAt } from '../../src/providers/x/x.ts'
import { connectInBrowser } from '../rigs/connect-browser.ts'
import { openFileWorld } from '../rigs/file-world.ts'
import { aWorkspace, type AWorkspace } from '../rigs/fixtures.ts'
import {
  openPublishingRig,
  OPERATOR,
  type ConnectedChannel,
  type PublishingRig,
} from '../rigs/publishing-rig.ts'
import { openXDouble, X_APP, type XDouble } from './x-double.ts'

/* X as its documentation describes it, kept by a strict double, and the publisher of production. */

const { world, api } = await openFileWorld()
const { db } = world
let network: XDouble
let rig: PublishingRig

beforeAll(async () => {
  network = await openXDouble()
  rig = await openPublishingRig({
    ...{ world, api, provider: xAt({ api: network.url, site: network.url }), app: X_APP },
    ...{ trustedOrigins: [network.url], callTimeoutMs: 1_500 },
  })
})
beforeEach(() => {
  network.posts.length = 0
  network.orders.length = 0
  network.calls = 0
  Object.assign(network.account, { subscription: 'None', suspended: false })
})
afterAll(async () => {
  await rig.close()
  await network[Symbol.asyncDispose]()
})

type Consent = (address: URL) => URLSearchParams

function signIn(workspaceId: string, consent: Consent = network.allow) {
  return connectInBrowser(rig.connect, 'x', { workspaceId, channelId: null, actor: OPERATOR }, consent)
}

async function aConnectedAccount(workspace?: AWorkspace): Promise<ConnectedChannel> {
  const own = workspace ?? (await aWorkspace(db))
  const page = await signIn(own.workspaceId)
  expect(page.statusCode).toBe(200)
  const [channel] = await enabledChannels(db, own.workspaceId)
  return { workspace: own, channelId: channel?.channelId ?? '' }
}

describe('connecting', () => {
  test('the subscription is read, and read again by a reconnection: it decides how long a post may be', async () => {
    const { workspace, channelId } = await aConnectedAccount()
    const shown = async () => (await api.call(workspace, 'GET', '/channels')).body
    expect(await shown()).toMatchObject([{ handle: 'alice', subscription: 'None', maxCharacters: 280 }])
    network.account.subscription = 'PremiumPlus'
    await aConnectedAccount(workspace)
    expect(await shown()).toMatchObject([{ channelId, subscription: 'PremiumPlus', maxCharacters: 25_000 }])
  })

  const scope = 'tweet.read tweet.write users.read media.write'
  test.each<[string, number, RegExp, Consent]>([
    [
      'a denied consent',
      422,
      /access was refused/,
      ({ searchParams }) =>
        new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') ?? '' }),
    ],
    ['a scope that was not granted', 422, /allow everything/, (address) => network.allow(address, scope)],
    [
      'a state of nobody',
      422,
      /never begun here/,
      (address) => new URLSearchParams({ ...Object.fromEntries(network.allow(address)), state: 'x' }),
    ],
    [
      'a code of nobody',
      422,
      /did not take the sign-in back/,
      (address) => new URLSearchParams({ ...Object.fromEntries(network.allow(address)), code: 'x' }),
    ],
    [
      'a suspended account',
      422,
      /suspended or locked/,
      (address) => {
        network.account.suspended = true
        return network.allow(address)
      },
    ],
  ])('%s makes no channel, and says what to do', async (_, status, words, consent) => {
    const { workspaceId } = await aWorkspace(db)
    const page = await signIn(workspaceId, consent)
    expect(page.statusCode).toBe(status)
    expect(page.body).toMatch(words)
    expect(await enabledChannels(db, workspaceId)).toEqual([])
  })
})

describe('publishing', () => {
  let connected: ConnectedChannel
  beforeEach(async () => {
    connected = await aConnectedAccount()
  })
  const publish = (content: object) => rig.publish(connected, content)

  test('a thread has its pictures with their alt texts, and its settings where they belong', async () => {
    const mediaIds = [
      await rig.anImage(connected.workspace, 'One'),
      await rig.anImage(connected.workspace, 'Two'),
    ]
    const postId = await publish({
      ...{ text: 'With pictures', mediaIds, thread: [{ text: 'The end' }] },
      settings: { replies: 'verified', madeWithAi: true },
    })
    const { releaseUrl } = await rig.until(connected, postId, 'published')
    const [first, second] = network.posts
    expect(network.posts).toMatchObject([
      { text: 'With pictures', parent: null, request: { reply_settings: 'verified', made_with_ai: true } },
      { text: 'The end', parent: first?.id, request: { made_with_ai: true } },
    ])
    expect(first?.media.map(({ altText }) => altText)).toEqual(['One', 'Two'])
    expect(second?.request).not.toHaveProperty('reply_settings')
    expect(releaseUrl).toBe(`${network.url}/alice/status/${first?.id}`)
  })

  test.each([
    ['a text', { text: 'Stored & <lost>: https://example.com/a?b=1&c=2' }],
    ['a picture alone', { text: '' }],
  ])('%s, stored before X failed, is found and not sent again', async (what, content) => {
    network.orders.push('500 after storing')
    const mediaIds = what === 'a text' ? [] : [await rig.anImage(connected.workspace, 'Alone')]
    const { releaseUrl } = await rig.until(connected, await publish({ ...content, mediaIds }), 'published')
    expect(network).toMatchObject({ calls: 1, posts: [content] })
    expect(releaseUrl).toContain(network.posts[0]?.id)
  })

  test('a rate limit pauses the channel until the time that X names', async () => {
    network.orders.push('rate limit')
    const postId = await publish({ text: 'Later' })
    await rig.until(connected, postId, 'published')
    expect(network).toMatchObject({ calls: 2, posts: [{ text: 'Later' }] })
  })

  test('a channel whose limit is spent waits for its reset, without a call that would be refused', async () => {
    network.orders.push('the last of the window')
    await rig.until(connected, await publish({ text: 'One' }), 'published')
    const other = await publish({ text: 'Two' })
    await rig.until(connected, other, 'published')
    expect(network.calls).toBe(2)
  })

  test('a post that lost its subscription since it was written fails before any call', async () => {
    network.account.subscription = 'Basic'
    await aConnectedAccount(connected.workspace)
    const postId = await rig.plan(connected, { text: 'words '.repeat(50).trim() })
    network.account.subscription = 'None'
    await aConnectedAccount(connected.workspace)
    await rig.come(postId)
    const { error } = await rig.until(connected, postId, 'failed')
    expect(error).toMatchObject({
      ...{ code: 'content_refused', retryable: false },
      message: expect.stringContaining('X takes 280. Shorten it by 19'),
    })
    expect(network.calls).toBe(0)
  })

  test('a text that X has already is refused as one', async () => {
    await rig.until(connected, await publish({ text: 'Twice' }), 'published')
    const { error } = await rig.until(connected, await publish({ text: 'Twice' }), 'failed')
    expect(error).toMatchObject({ code: 'duplicate_refused' })
  })

  test('a reply that X does not allow to apps ends the thread, and says so', async () => {
    network.orders.push('none', 'reply refused')
    const postId = await publish({ text: 'First', thread: [{ text: 'Second' }] })
    const { error } = await rig.until(connected, postId, 'partially_published')
    expect(error).toMatchObject({ code: 'permission_refused' })
    expect(network.posts).toMatchObject([{ text: 'First' }])
  })

  test('an access token that is over is refreshed once, and the post goes out', async () => {
    network.expireAccess()
    await rig.until(connected, await publish({ text: 'Refreshed' }), 'published')
    expect(network.posts).toMatchObject([{ text: 'Refreshed' }])
  })

  test('an access that its owner took back makes the channel ask for a reconnection, which brings the post out', async () => {
    network.revoke()
    const postId = await publish({ text: 'After all' })
    await rig.until(connected, postId, 'reconnect_required')
    await aConnectedAccount(connected.workspace)
    rig.wake()
    await rig.until(connected, postId, 'published')
    expect(network.posts).toMatchObject([{ text: 'After all' }])
  })
})
