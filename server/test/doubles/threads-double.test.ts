import { beforeEach, describe, expect, test } from 'vitest'
import { threadsAt } from '../../src/networks/providers/meta/threads/threads.ts'
import { backWith, openOauthRig, testRefusedConsents } from '../rigs/oauth-channel.ts'
import type { ConnectedChannel } from '../rigs/publishing-rig.ts'
import { openThreadsDouble, THREADS_APP } from './threads-double.ts'

/* Threads as its documentation describes it, kept by a strict double, and the publisher of production. */

const network = await openThreadsDouble()
const rig = await openOauthRig(threadsAt({ api: network.url, site: network.url }), THREADS_APP, network)

beforeEach(() => {
  network.containers.clear()
  Object.assign(network, { looksUntilReady: 0, mediaFault: null, used: { posts: 0, replies: 0 } })
})

describe('connecting', () => {
  test('a profile is connected for 60 days', async () => {
    const { workspace } = await rig.aChannel()
    expect((await rig.api.call(workspace, 'GET', '/channels')).body).toMatchObject([
      { handle: 'coffee_example', displayName: 'Coffee', maxCharacters: 500, characterCounting: 'threads' },
    ])
  })

  const without = (lacking: string) => (address: URL) =>
    network.allow(
      address,
      (address.searchParams.get('scope') ?? '')
        .split(',')
        .filter((one) => one !== lacking)
        .join(),
    )
  testRefusedConsents(rig, [
    ['a denied consent', /access was refused/, backWith({ error: 'access_denied' })],
    ['a code of nobody', /did not accept the sign-in/, backWith({ code: 'x' })],
    ...['threads_content_publish', 'threads_manage_replies', 'threads_read_replies'].map(
      (one) => [`a consent without ${one}`, new RegExp(`${one} is missing`), without(one)] as const,
    ),
  ])
})

describe('publishing', () => {
  let connected: ConnectedChannel
  beforeEach(async () => {
    connected = await rig.aChannel()
  })
  const publish = (content: object) => rig.publish(connected, content)

  test('a thread has its pictures with their alt texts, and its settings where they belong', async () => {
    const { workspace } = connected
    const mediaIds = [await rig.anImage(workspace, 'One'), await rig.aVideo(workspace, 'Two')]
    const postId = await publish({
      text: 'With media',
      mediaIds,
      thread: [{ text: 'The end' }],
      settings: { replies: 'followers', topic: 'Coffee' },
    })
    const { releaseUrl, parts } = await rig.until(connected, postId, 'published')
    const [first, second] = network.posts
    expect(first?.container.form).toMatchObject({
      media_type: 'CAROUSEL',
      reply_control: 'followers_only',
      topic_tag: 'Coffee',
    })
    const items = (first?.container.form['children'] ?? '').split(',').map((id) => network.containers.get(id))
    expect(items.map((item) => item?.form['alt_text'])).toEqual(['One', 'Two'])
    expect(second?.container.form).toEqual({ media_type: 'TEXT', text: 'The end', reply_to_id: first?.id })
    expect(releaseUrl).toMatch(/^https:\/\/www\.threads\.com\/@coffee_example\/post\/C\d+$/)
    expect(parts.map((part) => part.releaseUrl)).toEqual([releaseUrl, expect.stringMatching(/\/post\/C/)])
  })

  test('a container that Threads works on holds no place, and is made once', async () => {
    network.looksUntilReady = 1
    const mediaIds = [await rig.anImage(connected.workspace, 'One')]
    const postId = await publish({ text: 'Slow', mediaIds })
    await expect.poll(() => network.containers.size).toBe(1)
    await rig.endWaits(connected)
    await rig.until(connected, postId, 'published')
    expect([network.containers.size, network.calls]).toEqual([1, 1])
  })

  test.each([
    ['a text', false],
    ['a picture alone', true],
  ])('%s, published before the network failed, is found and not sent again', async (_, alone) => {
    network.orders.push('500 after storing')
    const mediaIds = alone ? [await rig.anImage(connected.workspace, 'Alone')] : []
    const postId = await publish({ text: alone ? '' : 'Stored & lost: https://example.com/', mediaIds })
    const { releaseUrl } = await rig.until(connected, postId, 'published')
    expect([network.calls, network.posts.length]).toEqual([1, 1])
    expect(releaseUrl).toContain(network.posts[0]?.id.slice(-6))
  })

  test('a publication that left nothing is made again with the container that there is', async () => {
    network.orders.push('500')
    const postId = await publish({ text: 'Again' })
    await rig.until(connected, postId, 'checking')
    await rig.age(connected, postId, 3_600_000)
    await rig.untilAfterLooks(connected, postId, 'published')
    expect([network.calls, network.posts.length, network.containers.size]).toEqual([2, 1, 1])
  })

  test('a day whose posts are used up makes the channel wait, without a container', async () => {
    network.used.posts = 250
    const postId = await publish({ text: 'Tomorrow' })
    const { error } = await rig.until(connected, postId, 'delayed')
    expect(error).toMatchObject({ code: 'rate_limited' })
    expect([network.calls, network.containers.size]).toEqual([0, 0])
  })

  test('a file that Threads cannot process fails the post, and says which rule it is', async () => {
    network.mediaFault = 'INVALID_FRAME_RATE'
    const mediaIds = [await rig.aVideo(connected.workspace, 'One')]
    const { error } = await rig.until(connected, await publish({ text: 'Film', mediaIds }), 'failed')
    expect(error).toMatchObject({
      code: 'media_refused',
      message: expect.stringContaining('INVALID_FRAME_RATE'),
    })
    expect(network.calls).toBe(0)
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
