import { beforeEach, describe, expect, test } from 'vitest'
import { enabledChannels } from '../../src/networks/channels/channel-store.ts'
import { makeLink } from '../../src/accounts/connect/connect-flow.ts'
import { facebookAt } from '../../src/networks/providers/meta/facebook/facebook.ts'
import { aBrowser } from '../rigs/connect-browser.ts'
import { aWorkspace } from '../rigs/fixtures.ts'
import { backWith, openOauthRig, testProvenCalls, testRefusedConsents } from '../rigs/oauth-channel.ts'
import { OPERATOR, type ConnectedChannel } from '../rigs/publishing-rig.ts'
import { openFacebookDouble } from './facebook-double.ts'
import { META_APP } from './meta-login-double.ts'

/* Facebook as its documentation describes it, kept by a strict double, and the publisher of production. */

const network = await openFacebookDouble()
const { url } = network
const rig = await openOauthRig(
  facebookAt({ api: url, site: url, video: network.at('graph-video.facebook.com') }),
  META_APP,
  network,
)
const [roasters] = network.pages

beforeEach(() => {
  network.pages.splice(0, Infinity, roasters!)
  network.looksUntilReady = 0
  network.usage = {}
  network.businesses = {}
  network.pagesAtOnce = 25
})

describe('connecting', () => {
  test('the one Page of a person is connected, without an end of its access', async () => {
    const { workspace } = await rig.aChannel()
    const { body } = await rig.api.call(workspace, 'GET', '/channels')
    expect(body).toMatchObject([
      {
        handle: 'exampleroasters',
        displayName: 'Example Roasters',
        maxCharacters: 63_206,
        authorizedUntil: null,
      },
    ])
  })

  const others = [
    { id: '1002', name: 'Example Cups', tasks: ['CREATE_CONTENT'] },
    { id: '1003', name: 'Example Ads', tasks: ['ADVERTISE'] },
    { id: '1004', name: 'Example Beans', tasks: ['MANAGE', 'CREATE_CONTENT'] },
  ]

  /** Goes by a link to Facebook and back: the answer to the way back. */
  async function goBy(address: string) {
    const browser = aBrowser(rig.connect)
    const link = new URL(address).searchParams.get('link') ?? ''
    const away = await browser.post('/connect/facebook', { link })
    const back = network.allow(new URL(String(away.headers['location'])))
    return { browser, returned: await browser.get(`/connect/facebook/callback?${back.toString()}`) }
  }

  test('of several Pages, on several lists, the person chooses, and each publishes as itself', async () => {
    network.pagesAtOnce = 2
    network.pages.push(...others)
    const workspace = await aWorkspace(rig.world.db)
    const target = { workspaceId: workspace.workspaceId, channelId: null, actor: OPERATOR }
    const { browser, returned } = await goBy(
      (await makeLink(rig.connect, target, 'facebook', rig.connect.baseUrl)).url,
    )
    const choice = new URL(String(returned.headers['location']), rig.connect.baseUrl)
    const { body } = await browser.get(choice.href)
    for (const name of ['Roasters', 'Cups', 'Beans']) expect(body).toContain(`Example ${name}`)
    expect(body).not.toContain('Example Ads')
    const chosen = await browser.postAll('/connect/facebook/choose', [
      ['flow', choice.searchParams.get('flow') ?? ''],
      ['account', '1002'],
      ['account', '1004'],
    ])
    expect(chosen.body).toContain('2 accounts are connected')
    const channels = await enabledChannels(rig.world.db, workspace.workspaceId)
    expect(channels.map(({ displayName }) => displayName).toSorted()).toEqual([
      'Example Beans',
      'Example Cups',
    ])
    for (const { channelId, displayName } of channels) {
      const connected = { workspace, channelId }
      await rig.until(connected, await rig.publish(connected, { text: `As ${displayName}` }), 'published')
    }
    expect(new Map(network.posts.map(({ text, thing }) => [text, thing.page]))).toEqual(
      new Map([
        ['As Example Beans', '1004'],
        ['As Example Cups', '1002'],
      ]),
    )
  })

  test('on the command line the Pages are named before, and chosen in the browser where they are not', async () => {
    network.pages.push(...others)
    const { workspaceId } = await aWorkspace(rig.world.db)
    const add = async (...accounts: string[]) => {
      const named = accounts.flatMap((account) => ['--account', account])
      let heard = ''
      const person = { hear: (text: string) => void (heard += text) }
      const words = ['--json', 'channel', 'add', 'facebook', ...named, '--workspace', workspaceId]
      const run = rig.postrider(person, ...words)
      const link = () => /http\S+link=[\w-]+/.exec(heard)?.[0] ?? ''
      await expect.poll(link, { timeout: 20_000 }).toBeTruthy()
      return { run, ...(await goBy(link())) }
    }
    const both = await add('1002', 'example beans')
    expect(both.returned.body).toContain('2 accounts are connected')
    const told = JSON.parse((await both.run).said) as { handle: string; others: { handle: string }[] }
    expect([told.handle, ...told.others.map(({ handle }) => handle)]).toEqual(['1002', '1004'])

    const wrong = await add('1003')
    expect((await wrong.run).errors).toContain('Example Cups (1002)')

    const open = await add()
    const choice = new URL(String(open.returned.headers['location']), rig.connect.baseUrl)
    await open.browser.postAll('/connect/facebook/choose', [
      ['flow', choice.searchParams.get('flow') ?? ''],
      ['account', '1001'],
    ])
    expect(JSON.parse((await open.run).said)).toMatchObject({ handle: 'exampleroasters', reconnected: false })
  })

  test('Pages of business portfolios are connected as well, each once, and publish', async () => {
    network.pagesAtOnce = 1
    network.businesses = {
      '71': {
        owned_pages: [
          { id: '1001', name: 'Example Roasters', token: 'listed' },
          { id: '2001', name: 'Beans of a portfolio', token: 'listed' },
          { id: '2002', name: 'Cups of a portfolio', token: 'shown' },
        ],
        client_pages: [{ id: '2003', name: 'Without access', token: 'none' }],
      },
      '72': { owned_pages: [], client_pages: [{ id: '2004', name: 'Of a client', token: 'listed' }] },
    }
    const { workspaceId } = await aWorkspace(rig.world.db)
    const target = { workspaceId, channelId: null, actor: OPERATOR }
    const { returned, browser } = await goBy(
      (await makeLink(rig.connect, target, 'facebook', rig.connect.baseUrl)).url,
    )
    const choice = new URL(String(returned.headers['location']), rig.connect.baseUrl)
    const { body } = await browser.get(choice.href)
    expect([...body.matchAll(/name="account" value="(\d+)"/g)].map(([, id]) => id)).toEqual([
      '1001',
      '2001',
      '2002',
      '2004',
    ])
  })

  test('permissions that were not granted are named', async () => {
    const { workspaceId } = await aWorkspace(rig.world.db)
    const page = await rig.signIn(workspaceId, {}, (address) => network.allow(address, 'pages_show_list'))
    expect(page.statusCode).toBe(422)
    expect(page.body).toContain(
      'pages_read_engagement, pages_manage_posts, pages_manage_engagement is missing',
    )
  })

  testRefusedConsents(rig, [
    [
      'a denied consent',
      /access was refused/,
      backWith({ error: 'access_denied', error_reason: 'user_denied' }),
    ],
    ['a code of nobody', /did not accept the sign-in/, backWith({ code: 'x' })],
    [
      'a person without a Page to write on',
      /role on the Page Example Ads/,
      (address) => {
        network.pages.splice(0, Infinity, { id: '1003', name: 'Example Ads', tasks: ['ADVERTISE'] })
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
  const images = async (...texts: string[]) => {
    const ids: string[] = []
    for (const text of texts) ids.push(await rig.anImage(connected.workspace, text))
    return ids
  }
  /** An upright video, as a reel has to be. */
  const aVideo = async () => {
    const id = await rig.aVideo(connected.workspace, 'A film')
    await rig.world.db`update media_item set width = 1080, height = 1920 where id = ${id}`
    return id
  }
  const drafts = () => [...network.made.values()].filter(({ shown }) => !shown)

  test('a text is made as a draft and shown, and its link has a card', async () => {
    const before = drafts().length
    const text = 'All of it: <z> & 50\\50 #tag (https://example.com/page).'
    const { releaseUrl } = await rig.until(connected, await publish({ text }), 'published')
    const [post] = network.posts
    expect(post?.thing.form).toEqual({
      message: text,
      link: 'https://example.com/page',
      published: 'false',
      unpublished_content_type: 'DRAFT',
    })
    expect(releaseUrl).toBe(`${network.url}/${post?.id}`)
    expect(drafts()).toHaveLength(before)
  })

  test('a card can have another address, or none be shown', async () => {
    const link = 'https://example.com/roasting'
    const of = (text: string, settings: object) => publish({ text, settings })
    await rig.until(connected, await of('See https://example.com/page', { link }), 'published')
    await rig.until(connected, await of('No https://example.com/page', { linkCard: false }), 'published')
    expect(network.posts.map(({ thing }) => thing.form['link'])).toEqual([link, undefined])
  })

  test('pictures are shown together, with their alt texts', async () => {
    const mediaIds = await images('A cat', 'A dog')
    await rig.until(connected, await publish({ text: 'Two', mediaIds }), 'published')
    const [post] = network.posts
    const shown = [0, 1].map((place) => {
      const { media_fbid: id } = JSON.parse(post?.thing.form[`attached_media[${place}]`] ?? '{}') as {
        media_fbid: string
      }
      return network.photos.get(id)?.alt
    })
    expect(shown).toEqual(['A cat', 'A dog'])
  })

  test.each([
    ['video', {}],
    ['reel', { reel: true }],
  ] as const)('a %s is waited for while it is processed', async (kind, settings) => {
    network.looksUntilReady = 2
    const mediaIds = [await aVideo()]
    const postId = await publish({ text: `A ${kind}`, mediaIds, settings })
    await rig.untilAfterLooks(connected, postId, 'published')
    const { releaseUrl } = await rig.destinationOf(connected, postId)
    const [post, ...more] = network.posts
    expect(more).toEqual([])
    expect(post).toMatchObject({ text: `A ${kind}`, thing: { kind } })
    expect(post?.thing.bytes).toBeGreaterThan(0)
    const path = kind === 'reel' ? `/reel/${post?.id}/` : `/1001/videos/${post?.id}/`
    expect(releaseUrl).toBe(`${network.url}${path}`)
  })

  test.each([
    ['video', {}],
    ['reel', { reel: true }],
  ] as const)('a %s whose bytes got no answer goes on as the same one', async (kind, settings) => {
    const before = network.made.size
    network.breaksAfter = 8
    const postId = await publish({ text: `A broken ${kind}`, mediaIds: [await aVideo()], settings })
    await rig.untilAfterLooks(connected, postId, 'published')
    expect(network.breaksAfter).toBeNull()
    expect(network.made.size).toBe(before + 1)
    expect(network.posts).toMatchObject([{ thing: { kind } }])
    const { bytes, size } = network.posts[0]!.thing
    expect(bytes).toBe(size)
  })

  test('a video whose session is not known any more goes up in another one', async () => {
    const before = network.made.size
    network.breaksAfter = 8
    const postId = await publish({ text: 'In two sessions', mediaIds: [await aVideo()] })
    await rig.until(connected, postId, 'delayed')
    network.forgetSessions()
    await rig.untilAfterLooks(connected, postId, 'published')
    expect(network.made.size).toBe(before + 2)
    expect(network.posts).toMatchObject([{ thing: { kind: 'video' } }])
    const { bytes, size } = network.posts[0]!.thing
    expect(bytes).toBe(size)
  })

  test.each(['post', 'video', 'reel'] as const)(
    'a %s whose call got no answer is found by its id',
    async (kind) => {
      network.orders.push('500 after storing')
      const media = kind === 'post' ? {} : { mediaIds: [await aVideo()] }
      const settings = kind === 'reel' ? { reel: true } : {}
      const postId = await publish({ text: 'Unheard', settings, ...media })
      await rig.untilAfterLooks(connected, postId, 'published')
      expect(network.posts).toHaveLength(1)
    },
  )

  test('an answer that shows nothing is followed by a look at the post', async () => {
    network.orders.push('no fields')
    const postId = await publish({ text: 'Bare' })
    await rig.untilAfterLooks(connected, postId, 'published')
    const { releaseUrl } = await rig.destinationOf(connected, postId)
    expect(releaseUrl).toBe(`${network.url}/${network.posts[0]?.id}`)
    expect(network.calls).toBe(1)
  })

  test.each([
    ['post', {}],
    ['video', {}],
    ['reel', { reel: true }],
  ] as const)('a first comment follows a %s, by its own id', async (kind, settings) => {
    const media = kind === 'post' ? {} : { mediaIds: [await aVideo()] }
    const postId = await publish({
      text: 'Roasted',
      firstComment: { text: `Under a ${kind}` },
      settings,
      ...media,
    })
    await rig.untilAfterLooks(connected, postId, 'published')
    const [post] = network.posts
    expect(network.comments.at(-1)).toMatchObject({ on: post?.id, message: `Under a ${kind}` })
  })

  test('a first comment that got no answer is found by its words, and not made again', async () => {
    network.orders.push('fine', '500 after storing')
    const before = network.comments.length
    const postId = await publish({ text: 'Roasted again', firstComment: { text: 'Once' } })
    await rig.untilAfterLooks(connected, postId, 'published')
    expect(network.comments.slice(before).map(({ message }) => message)).toEqual(['Once'])
  })

  test('a draft that was not shown is shown by the next call, and no other is made', async () => {
    const before = network.made.size
    network.orders.push('rate limit', '503')
    const postId = await publish({ text: 'Later' })
    await rig.untilAfterLooks(connected, postId, 'published')
    expect(network.posts).toHaveLength(1)
    expect(network.made.size).toBe(before + 1)
  })

  test('a Page that is blocked says so', async () => {
    network.orders.push('blocked')
    const { error } = await rig.until(connected, await publish({ text: 'Blocked' }), 'failed')
    expect(error).toMatchObject({ code: 'permission_refused', message: expect.stringContaining('blocked') })
  })

  test('an access that was taken back asks for a reconnection, which brings the post out', async () => {
    network.revoke()
    const postId = await publish({ text: 'After all' })
    await rig.until(connected, postId, 'reconnect_required')
    await rig.aChannel({}, connected.workspace)
    rig.wake()
    await rig.until(connected, postId, 'published')
    expect(network.posts).toMatchObject([{ text: 'After all' }])
  })

  test('what no post shows any more is removed: drafts, their photos, videos and reels', async () => {
    const posts: [string, object][] = [
      ['Two photos', { mediaIds: await images('A cat', 'A dog') }],
      ['A video', { mediaIds: [await aVideo()] }],
      ['A reel', { mediaIds: [await aVideo()], settings: { reel: true } }],
      ['Shown by a person', {}],
    ]
    const ids: string[] = []
    const [photos, made] = [network.photos.size, network.made.size]
    for (const [text, content] of posts) {
      network.orders.push('blocked')
      ids.push(await publish({ text, ...content }))
      await rig.until(connected, ids.at(-1)!, 'failed')
    }
    expect([network.photos.size, network.made.size]).toEqual([photos + 2, made + 4])
    const last = [...network.made.values()].at(-1)!
    last.shown = true
    const told = await Promise.all(ids.map((postId) => rig.untilDiscarded(connected, postId)))
    const removed = (what: string) => `Removed the ${what} from the network.`
    expect(told.map((texts) => [...texts].toSorted())).toEqual([
      ['draft', 'unpublished photo', 'unpublished photo'].map(removed),
      [removed('unpublished video')],
      [removed('unpublished reel')],
      ['Someone published or changed the draft on the network, so it was left there.'],
    ])
    expect([network.photos.size, network.made.size]).toEqual([photos, made + 1])
  })
})
