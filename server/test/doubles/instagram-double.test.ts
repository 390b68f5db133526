import { beforeEach, describe, expect, test } from 'vitest'
import { instagramAt } from '../../src/networks/providers/meta/instagram/instagram.ts'
import { backWith, openOauthRig, testRefusedConsents } from '../rigs/oauth-channel.ts'
import type { ConnectedChannel } from '../rigs/publishing-rig.ts'
import { openInstagramDouble } from './instagram-double.ts'
import { META_APP } from './meta-login-double.ts'

/* Instagram as its documentation describes it, kept by a strict double, and the publisher of production. */

const network = await openInstagramDouble()
const rig = await openOauthRig(instagramAt({ api: network.url, site: network.url }), META_APP, network)
const [coffee] = network.pages

beforeEach(() => {
  network.containers.clear()
  network.comments.length = 0
  network.pages.splice(0, Infinity, coffee!)
  Object.assign(network, { looksUntilReady: 0, mediaFault: null, used: 0 })
})

describe('connecting', () => {
  test('the account of the one Page that has one is connected, without an end of its access', async () => {
    network.pages.push({ id: '1002', tasks: ['CREATE_CONTENT'], account: null })
    const { workspace } = await rig.aChannel()
    expect((await rig.api.call(workspace, 'GET', '/channels')).body).toMatchObject([
      { handle: 'coffee_example', displayName: 'Coffee', maxCharacters: 2_200, authorizedUntil: null },
    ])
  })

  testRefusedConsents(rig, [
    ['a denied consent', /access was refused/, backWith({ error: 'access_denied' })],
    ['a code of nobody', /did not accept the sign-in/, backWith({ code: 'x' })],
    [
      'a consent without publishing',
      /instagram_content_publish, instagram_manage_comments is missing/,
      (address) =>
        network.allow(address, 'pages_show_list,pages_read_engagement,business_management,instagram_basic'),
    ],
    [
      'a Page whose account is personal',
      /no Page with a professional Instagram account/,
      (address) => {
        network.pages.splice(0, Infinity, { id: '1002', tasks: ['CREATE_CONTENT'], account: null })
        return network.allow(address)
      },
    ],
  ])
})

describe('publishing', () => {
  let connected: ConnectedChannel
  beforeEach(async () => {
    connected = await rig.aChannel()
  })
  const publish = (content: object) => rig.publish(connected, content)
  const image = (altText = 'A cup') => rig.anImage(connected.workspace, altText)
  const video = () => rig.aVideo(connected.workspace, 'A film')

  test('an image has its caption and its alt text, and its address is read', async () => {
    const postId = await publish({ text: 'Roasted & <fresh> #coffee', mediaIds: [await image()] })
    const { releaseUrl } = await rig.until(connected, postId, 'published')
    const [post] = network.posts
    expect(post?.container.form).toEqual({
      image_url: expect.stringMatching(/^https:.*\.jpg$/),
      alt_text: 'A cup',
      caption: 'Roasted & <fresh> #coffee',
    })
    expect(releaseUrl).toBe(`https://www.instagram.com/p/C${post?.id.slice(-6)}/`)
  })

  test('several are a carousel, with a container each', async () => {
    const mediaIds = [await image('One'), await video(), await image('Three')]
    await rig.until(connected, await publish({ text: 'Three', mediaIds }), 'published')
    const form = network.posts[0]?.container.form
    expect(form).toMatchObject({ media_type: 'CAROUSEL', caption: 'Three' })
    const items = (form?.['children'] ?? '').split(',').map((id) => network.containers.get(id)?.form)
    expect(items.map((item) => [item?.['media_type'], item?.['alt_text']])).toEqual([
      [undefined, 'One'],
      ['VIDEO', undefined],
      [undefined, 'Three'],
    ])
  })

  test('a single video is a reel, and a story has no caption and an address of its own', async () => {
    const settings = { shareToFeed: false }
    const reel = await publish({ text: 'Poured', mediaIds: [await video()], settings })
    await rig.until(connected, reel, 'published')
    const story = await publish({ text: '', mediaIds: [await image()], settings: { story: true } })
    const { releaseUrl } = await rig.until(connected, story, 'published')
    expect(network.posts.map(({ container }) => container.form)).toEqual([
      {
        media_type: 'REELS',
        video_url: expect.stringMatching(/\.mp4$/),
        caption: 'Poured',
        share_to_feed: 'false',
      },
      { media_type: 'STORIES', image_url: expect.stringMatching(/\.jpg$/) },
    ])
    expect(releaseUrl).toContain('/stories/coffee_example/')
  })

  test('a container that Instagram works on holds no place, and is made once', async () => {
    network.looksUntilReady = 1
    const postId = await publish({ text: 'Slow', mediaIds: [await image()] })
    await expect.poll(() => network.containers.size).toBe(1)
    await rig.endWaits(connected)
    await rig.until(connected, postId, 'published')
    expect([network.containers.size, network.calls]).toEqual([1, 1])
  })

  test.each([
    ['an image with a caption', 'Stored & lost', {}],
    ['an image alone', '', {}],
    ['a story', '', { story: true }],
  ])('%s, published before the network failed, is found and not sent again', async (_, text, settings) => {
    network.orders.push('500 after storing')
    const postId = await publish({ text, settings, mediaIds: [await image()] })
    const { releaseUrl } = await rig.until(connected, postId, 'published')
    expect([network.calls, network.posts.length]).toEqual([1, 1])
    expect(releaseUrl).toContain(network.posts[0]?.id.slice(-6))
  })

  test('a publication that left nothing is made again with the container that there is', async () => {
    network.orders.push('500')
    const postId = await publish({ text: 'Again', mediaIds: [await image()] })
    await rig.until(connected, postId, 'checking')
    await rig.age(connected, postId, 3_600_000)
    await rig.untilAfterLooks(connected, postId, 'published')
    expect([network.calls, network.posts.length, network.containers.size]).toEqual([2, 1, 1])
  })

  test('a first comment follows, and one that got no answer is found by its words', async () => {
    network.orders.push('fine', '500 after storing')
    const content = { text: 'Roasted', mediaIds: [await image()], firstComment: { text: '#beans #espresso' } }
    await rig.untilAfterLooks(connected, await publish(content), 'published')
    expect(network.comments).toMatchObject([{ on: network.posts[0]?.id, text: '#beans #espresso' }])
  })

  test('a day whose posts are used up makes the channel wait, without a container', async () => {
    network.used = 100
    const postId = await publish({ text: 'Tomorrow', mediaIds: [await image()] })
    const { error } = await rig.until(connected, postId, 'delayed')
    expect(error).toMatchObject({ code: 'rate_limited' })
    expect([network.calls, network.containers.size]).toEqual([0, 0])
  })

  test.each([
    ['spam', /treats this as spam/],
    ['restricted', /has restricted this account/],
  ] as const)('an account that is refused as %s is told so', async (order, message) => {
    network.orders.push(order)
    const { error } = await rig.until(
      connected,
      await publish({ text: 'No', mediaIds: [await image()] }),
      'failed',
    )
    expect(error).toMatchObject({ code: 'permission_refused', message: expect.stringMatching(message) })
  })

  test('a file that Instagram cannot take fails the post, and says which error it is', async () => {
    network.mediaFault = 2_207_026
    const postId = await publish({ text: 'Film', mediaIds: [await video()] })
    const { error } = await rig.until(connected, postId, 'failed')
    expect(error).toMatchObject({ code: 'media_refused', message: expect.stringContaining('2207026') })
    expect(network.calls).toBe(0)
  })

  test('an access that was taken back asks for a reconnection, which brings the post out', async () => {
    network.revoke()
    const postId = await publish({ text: 'After all', mediaIds: [await image()] })
    await rig.until(connected, postId, 'reconnect_required')
    await rig.aChannel({}, connected.workspace)
    rig.wake()
    await rig.until(connected, postId, 'published')
    expect(network.posts).toMatchObject([{ text: 'After all' }])
  })
})
