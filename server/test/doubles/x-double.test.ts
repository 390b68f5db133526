import { beforeEach, describe, expect, test } from 'vitest'
import { xAt } from '../../src/networks/providers/x/x.ts'
import { backWith, openOauthRig, testProvenCalls, testRefusedConsents } from '../rigs/oauth-channel.ts'
import type { ConnectedChannel } from '../rigs/publishing-rig.ts'
import { openXDouble, X_APP } from './x-double.ts'

/* X as its documentation describes it, kept by a strict double, and the publisher of production. */

const network = await openXDouble()
const rig = await openOauthRig(xAt({ api: network.url, site: network.url }), X_APP, network)

beforeEach(() => Object.assign(network.account, { subscription: 'None', suspended: false }))

describe('connecting', () => {
  test('the subscription is read, and read again by a reconnection: it decides how long a post may be', async () => {
    const { workspace, channelId } = await rig.aChannel()
    const shown = async () => (await rig.api.call(workspace, 'GET', '/channels')).body
    expect(await shown()).toMatchObject([{ handle: 'alice', subscription: 'None', maxCharacters: 280 }])
    network.account.subscription = 'PremiumPlus'
    await rig.aChannel({}, workspace)
    expect(await shown()).toMatchObject([{ channelId, subscription: 'PremiumPlus', maxCharacters: 25_000 }])
  })

  const scope = 'tweet.read tweet.write users.read media.write'
  testRefusedConsents(rig, [
    ['a denied consent', /access was refused/, backWith({ error: 'access_denied' })],
    ['a scope that was not granted', /allow everything/, (address) => network.allow(address, scope)],
    ['a state of nobody', /This sign-in expired/, () => new URLSearchParams({ state: 'x', code: 'x' })],
    ['a code of nobody', /did not accept the sign-in/, backWith({ code: 'x' })],
    [
      'a suspended account',
      /suspended or locked/,
      (address) => {
        network.account.suspended = true
        return network.allow(address)
      },
    ],
  ])
})

testProvenCalls(rig, network)

describe('publishing', () => {
  let connected: ConnectedChannel
  beforeEach(async () => {
    connected = await rig.aChannel()
  })
  const publish = (content: object) => rig.publish(connected, content)

  test('a thread has its pictures with their alt texts, and its settings where they belong', async () => {
    const mediaIds = [
      await rig.anImage(connected.workspace, 'One'),
      await rig.anImage(connected.workspace, 'Two'),
    ]
    const postId = await publish({
      text: 'With pictures',
      mediaIds,
      thread: [{ text: 'The end' }],
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

  test('a channel whose limit is spent waits for its reset, without a call that would be refused', async () => {
    network.orders.push('the last of the window')
    await rig.until(connected, await publish({ text: 'One' }), 'published')
    const other = await publish({ text: 'Two' })
    await rig.until(connected, other, 'published')
    expect(network.calls).toBe(2)
  })

  test('a post that lost its subscription since it was written fails before any call', async () => {
    network.account.subscription = 'Basic'
    await rig.aChannel({}, connected.workspace)
    const postId = await rig.plan(connected, { text: 'words '.repeat(50).trim() })
    network.account.subscription = 'None'
    await rig.aChannel({}, connected.workspace)
    await rig.come(postId)
    const { error } = await rig.until(connected, postId, 'failed')
    expect(error).toMatchObject({
      code: 'content_refused',
      retryable: false,
      message: expect.stringContaining('X allows 280. Shorten it by 19'),
    })
    expect(network.calls).toBe(0)
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
    await rig.aChannel({}, connected.workspace)
    rig.wake()
    await rig.until(connected, postId, 'published')
    expect(network.posts).toMatchObject([{ text: 'After all' }])
  })
})
