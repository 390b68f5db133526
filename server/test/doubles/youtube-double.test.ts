import { beforeEach, describe, expect, test } from 'vitest'
import { youtubeAt } from '../../src/networks/providers/youtube/youtube.ts'
import { backWith, openOauthRig, testRefusedConsents } from '../rigs/oauth-channel.ts'
import type { ConnectedChannel } from '../rigs/publishing-rig.ts'
import { openYoutubeDouble, YOUTUBE_APP } from './youtube-double.ts'

/* YouTube as its documentation describes it, kept by a strict double, and the publisher of production. */

const network = await openYoutubeDouble()
const api = network.at('www.googleapis.com')
const provider = youtubeAt({ api, site: network.url, token: network.at('oauth2.googleapis.com') })
network.uploadsAt = api
const rig = await openOauthRig(provider, YOUTUBE_APP, { ...network, posts: network.videos, calls: 0 })

beforeEach(() => {
  Object.assign(network, { looksUntilReady: 1 })
  Object.assign(network.counts, { updates: 0, sessions: 0, bytes: 0 })
  network.pieceOrders.length = 0
})

describe('connecting', () => {
  testRefusedConsents(rig, [
    ['a denied consent', /access was refused/, backWith({ error: 'access_denied' })],
    ['a permission that was left out', /allow everything/, (address) => network.allow(address, 'openid')],
    ['a code of nobody', /did not accept the sign-in/, backWith({ code: 'x' })],
  ])
})

describe('publishing', () => {
  let connected: ConnectedChannel
  beforeEach(async () => {
    connected = await rig.aChannel()
  })
  const aVideo = async (content: object = {}, image = false) => ({
    text: 'How we roast\nAll of it.',
    mediaIds: [
      await rig.aVideo(connected.workspace, ''),
      ...(image ? [await rig.anImage(connected.workspace, '')] : []),
    ],
    ...content,
  })
  const publish = async (content: object = {}, image = false) =>
    rig.publish(connected, await aVideo(content, image))

  test('a video has its title, text, thumbnail, playlist and settings, and its address is told', async () => {
    const settings = { privacy: 'unlisted', tags: ['coffee'], playlistId: 'PL-roasting' }
    const { releaseUrl } = await rig.until(connected, await publish({ settings }, true), 'published')
    const [video, ...others] = network.videos
    expect(others).toEqual([])
    expect(video).toMatchObject({
      title: 'How we roast',
      description: 'How we roast\nAll of it.',
      privacy: 'unlisted',
      set: { snippet: { tags: ['coffee'] }, status: { selfDeclaredMadeForKids: false } },
    })
    expect(video?.thumbnail?.length).toBeGreaterThan(0)
    expect(network.playlists.get('PL-roasting')).toContain(video?.id)
    expect(releaseUrl).toBe(`https://www.youtube.com/watch?v=${video?.id}`)
  })

  test('an upload that breaks off goes on from the byte that YouTube has, with no second session', async () => {
    network.pieceOrders.push('half', '503')
    const postId = await publish()
    await rig.until(connected, postId, 'delayed')
    expect(network.videos).toEqual([])
    await rig.endWaits(connected)
    await rig.until(connected, postId, 'published')
    const [video] = network.videos
    expect(network.counts).toEqual({ updates: 1, sessions: 1, bytes: video?.bytes.length })
  })

  test('a file of which the last answer was lost is there once', async () => {
    network.pieceOrders.push('500 after storing')
    const postId = await publish()
    await rig.until(connected, postId, 'delayed')
    await rig.endWaits(connected)
    await rig.until(connected, postId, 'published')
    expect(network.videos).toHaveLength(1)
    expect(network.counts.sessions).toBe(1)
  })

  test('a session that is over begins anew', async () => {
    network.pieceOrders.push('half', '503')
    const postId = await publish()
    await rig.until(connected, postId, 'delayed')
    network.endSessions()
    await rig.untilAfterLooks(connected, postId, 'published')
    expect(network.videos).toHaveLength(1)
    expect(network.counts.sessions).toBe(2)
  })

  test('a call that got no answer is found by the video itself, and nothing is uploaded again', async () => {
    network.orders.push('500 after storing')
    const { releaseUrl } = await rig.until(connected, await publish(), 'published')
    expect(network.videos).toMatchObject([{ privacy: 'public' }])
    expect(releaseUrl).toContain(network.videos[0]?.id)
    expect(network.counts.sessions).toBe(1)
  })

  test.each(['503', 'rate limit', 'quota'] as const)(
    'after "%s" the same video is published, and not another one',
    async (order) => {
      network.orders.push(order)
      const postId = await publish()
      if (order !== '503') {
        await rig.until(connected, postId, 'delayed')
        await rig.endWaits(connected)
      }
      await rig.until(connected, postId, 'published')
      expect(network.videos).toMatchObject([{ privacy: 'public' }])
      expect(network.counts.sessions).toBe(1)
    },
  )

  test('a video that YouTube keeps private is not called published', async () => {
    network.orders.push('kept private')
    const { error } = await rig.until(connected, await publish(), 'failed')
    expect(error).toMatchObject({ code: 'permission_refused', message: expect.stringContaining('audited') })
  })

  test('a video is waited for while it is processed', async () => {
    network.looksUntilReady = 3
    const postId = await publish()
    await rig.untilAfterLooks(connected, postId, 'published')
    expect(network.videos[0]?.looks).toBe(3)
    expect(network.counts.sessions).toBe(1)
  })

  test('an access token that is over is refreshed, and an access that was ended asks for a reconnection', async () => {
    network.expireAccess()
    await rig.until(connected, await publish(), 'published')
    network.revoke()
    const postId = await publish({ text: 'After all' })
    await rig.until(connected, postId, 'reconnect_required')
    await rig.aChannel({}, connected.workspace)
    rig.wake()
    await rig.until(connected, postId, 'published')
    expect(network.videos.filter(({ title }) => title === 'After all')).toHaveLength(1)
  })

  test('a private video that no post shows any more is removed, unless its owner has made use of it', async () => {
    const [cancelled, renamed] = [await publishAndDefer(), await publishAndDefer()]
    Object.assign(network.videos.at(-1)!, { title: 'Mine now' })
    for (const postId of [cancelled, renamed]) await rig.cancel(connected, postId)
    network.orders.push('kept private')
    const kept = await publish()
    await rig.until(connected, kept, 'failed')
    expect(await rig.untilDiscarded(connected, cancelled)).toEqual([
      'Removed the unpublished video from the network.',
    ])
    expect(await rig.untilDiscarded(connected, renamed)).toEqual([
      'Someone published or changed the unpublished video on the network, so it was left there.',
    ])
    expect(network.videos.map(({ title }) => title)).toEqual(['Mine now', 'How we roast'])
    expect(await rig.world.db`select from network_draft where outcome is null`).toEqual([])
  })

  /** A post whose video is uploaded, and whose call waits. */
  async function publishAndDefer(): Promise<string> {
    network.orders.push('rate limit')
    const postId = await publish()
    await rig.until(connected, postId, 'delayed')
    await rig.world.db`update channel set paused_until = null where id = ${connected.channelId}`
    return postId
  }
})
