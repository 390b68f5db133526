import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HistoryEntry, Post } from '@postrider/contract'
import { germanHistory } from '@postrider/contract/german'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { enabledChannels } from '../../src/networks/channels/channel-store.ts'
import { makeLink } from '../../src/accounts/connect/connect-flow.ts'
import { linkCardReader } from '../../src/media/link-cards.ts'
import { openMediaWorkers } from '../../src/media/media-workers.ts'
import { openTempFiles } from '../../src/media/temp-files.ts'
import { openOutbound } from '../../src/platform/outbound/outbound-http.ts'
import { linkedinAt } from '../../src/networks/providers/linkedin/linkedin.ts'
import { aBrowser } from '../rigs/connect-browser.ts'
import { aWorkspace, type AWorkspace } from '../rigs/fixtures.ts'
import { backWith, openOauthRig, testProvenCalls, testRefusedConsents } from '../rigs/oauth-channel.ts'
import { OPERATOR, readSmallCard, type ConnectedChannel } from '../rigs/publishing-rig.ts'
import { openReceiver } from '../rigs/receiver.ts'
import { LINKEDIN_APP, openLinkedinDouble, PAGE_NUMBER } from './linkedin-double.ts'

/* LinkedIn as its documentation describes it, kept by a strict double, and the publisher of production. */

const network = await openLinkedinDouble()
/** A site that a link leads to, read as in production; any other address has a card of the rig. */
const site = await openReceiver((request, response) => {
  if (request.path === '/closed') response.writeHead(403).end('<title>Who are you?</title>')
  else
    response
      .setHeader('content-type', 'text/html')
      .end(`<title>A site</title>${request.path === '/plain' ? '' : GONE}`)
})
const GONE = '<meta property="og:image" content="/closed">'
const folder = await mkdtemp(join(tmpdir(), 'postrider-cards-'))
const workers = openMediaWorkers({ processes: 1 })
const rules = { httpsOnly: true, trustedOrigins: [site.origin], trustedNetworks: [] }
const outbound = openOutbound({
  connectMs: 5_000,
  totalMs: 60_000,
  bodyMaxBytes: 1,
  userAgent: 'test',
  rules,
})
const readSite = linkCardReader({ outbound, workers, tempFiles: await openTempFiles(folder) })
const origins = { api: network.at('api.linkedin.com'), site: network.at('www.linkedin.com') }
const rig = await openOauthRig(linkedinAt(origins), LINKEDIN_APP, network, {
  readCard: (workspaceId, url, ...more) =>
    (url.origin === site.origin ? readSite : readSmallCard)(workspaceId, url, ...more),
})
afterAll(async () => {
  await workers.stop()
  await outbound.close()
  await site[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})
const page = { organization: PAGE_NUMBER }

const { roles } = network

beforeEach(() => void Object.assign(network, { approved: false, roles }))

describe('connecting', () => {
  test.each([
    ['a member', {}, { handle: 'Alice Example' }],
    ['a page', page, { handle: 'example-works', displayName: 'Example Works' }],
  ])(
    '%s is connected until the end of the access token, where the app gets no others',
    async (_, fields, shown) => {
      const { workspace } = await rig.aChannel(fields)
      const { body } = await rig.api.call(workspace, 'GET', '/channels')
      expect(body).toMatchObject([{ ...shown, maxCharacters: 3_000, characterCounting: 'linkedin' }])
      const [{ authorizedUntil }] = body as [{ authorizedUntil: string }]
      const days = (Date.parse(authorizedUntil) - Date.now()) / 86_400_000
      expect(Math.round(days)).toBe(60)
    },
  )

  /** Comes back from LinkedIn with the choice of the member and their pages. */
  async function choiceOf(workspace: AWorkspace) {
    const target = { workspaceId: workspace.workspaceId, channelId: null, actor: OPERATOR }
    const { url } = await makeLink(rig.connect, target, 'linkedin', rig.connect.baseUrl, {
      organization: 'all',
    })
    const browser = aBrowser(rig.connect)
    const link = new URL(url).searchParams.get('link') ?? ''
    const away = await browser.post('/connect/linkedin', { link })
    const back = network.allow(new URL(String(away.headers['location'])))
    const returned = await browser.get(`/connect/linkedin/callback?${back.toString()}`)
    const address = new URL(String(returned.headers['location']), rig.connect.baseUrl)
    return {
      shown: (await browser.get(address.href)).body,
      choose: (...accounts: readonly string[]) =>
        browser.postAll('/connect/linkedin/choose', [
          ['flow', address.searchParams.get('flow') ?? ''],
          ...accounts.map((account): [string, string] => ['account', account]),
        ]),
    }
  }

  test('of the member and the pages that they administer, on several lists, the person chooses', async () => {
    const administers = (id: string) => ({ id, role: 'ADMINISTRATOR', state: 'APPROVED' })
    const many = Array.from({ length: 120 }, (_, place) => administers(String(5_000 + place)))
    network.roles = [
      administers(PAGE_NUMBER),
      { id: '7001', role: 'ANALYST', state: 'APPROVED' },
      { id: '7002', role: 'ADMINISTRATOR', state: 'REQUESTED' },
      ...many,
    ]
    const workspace = await aWorkspace(rig.world.db)
    const { shown, choose } = await choiceOf(workspace)
    for (const name of ['Alice Example', 'Example Works', 'Page 5000', 'Page 5119'])
      expect(shown).toContain(name)
    for (const name of ['Page 7001', 'Page 7002']) expect(shown).not.toContain(name)
    // What was not offered is not connected.
    expect((await choose('urn:li:organization:7001')).statusCode).toBe(422)
    const own = ['urn:li:person:Al1ce', 'urn:li:organization:5119', 'urn:li:organization:7002']
    expect((await choose(...own)).body).toContain('2 accounts are connected')
    const channels = await enabledChannels(rig.world.db, workspace.workspaceId)
    expect(channels.map(({ displayName }) => displayName).toSorted()).toEqual(['Alice Example', 'Page 5119'])
    for (const { channelId, displayName } of channels) {
      const connected = { workspace, channelId }
      await rig.until(connected, await rig.publish(connected, { text: `As ${displayName}` }), 'published')
    }
    const authors = network.posts.map(({ request }) => [request['commentary'], request['author']] as const)
    expect(new Map(authors)).toEqual(
      new Map([
        ['As Alice Example', own[0]],
        ['As Page 5119', own[1]],
      ]),
    )
  })

  test.each([
    ['a member', {}],
    ['a page', page],
  ])('%s is connected though LinkedIn does not know its new access token at first', async (_, fields) => {
    network.newTokenRefusals = 2
    const { workspace } = await rig.aChannel(fields)
    expect((await rig.api.call(workspace, 'GET', '/channels')).body).toHaveLength(1)
    expect(network.newTokenRefusals).toBe(0)
  })

  test('who administers no page is connected as a member', async () => {
    network.roles = []
    const { workspaceId } = await aWorkspace(rig.world.db)
    const { body } = await rig.signIn(workspaceId, { organization: 'all' }, network.allow)
    expect(body).toContain('<title>Alice Example is connected')
  })

  testRefusedConsents(rig, [
    ['a denied consent', /access was refused/, backWith({ error: 'user_cancelled_authorize' })],
    ['a cancelled sign-in', /access was refused/, backWith({ error: 'user_cancelled_login' })],
    [
      'a product that the app lacks',
      /unauthorized_scope_error/,
      backWith({ error: 'unauthorized_scope_error' }),
      page,
    ],
    [
      'a scope that was not granted',
      /allow everything/,
      (address) => network.allow(address, 'openid profile'),
    ],
    ['a code of nobody', /did not accept the sign-in/, backWith({ code: 'x' })],
    ['a page of others', /can't manage a page/, network.allow, { organization: '99' }],
    ['a page without a number', /Organization/, network.allow, { organization: 'acme' }],
  ])
})

testProvenCalls(rig, network, page)

describe('publishing as a page', () => {
  let connected: ConnectedChannel
  beforeEach(async () => {
    connected = await rig.aChannel(page)
  })
  const publish = (content: object) => rig.publish(connected, content)
  async function historyOf(postId: string): Promise<readonly HistoryEntry[]> {
    const { body } = await rig.api.call(connected.workspace, 'GET', `/posts/${postId}?include=history`)
    return (body as Post).history ?? []
  }
  const images = async (...texts: string[]) => {
    const ids: string[] = []
    for (const text of texts) ids.push(await rig.anImage(connected.workspace, text))
    return ids
  }

  test('a text keeps all its signs, its hashtags and its link, which gets a card', async () => {
    const text = 'All of it (really): a_b*c ~ [x] {y} <z> @w | 50\\50 #tag #no_tag https://example.com/a_(b)'
    const { releaseUrl } = await rig.until(connected, await publish({ text }), 'published')
    const [post] = network.posts
    expect(post?.request['commentary']).toBe(
      'All of it \\(really\\): a\\_b\\*c \\~ \\[x\\] \\{y\\} \\<z\\> \\@w \\| 50\\\\50 #tag \\#no\\_tag https://example.com/a\\_\\(b\\)',
    )
    expect(post?.request['content']).toMatchObject({
      article: {
        title: 'A page',
        description: 'Of words',
        thumbnail: expect.stringMatching(/^urn:li:image:/),
      },
    })
    expect(releaseUrl).toBe(`${network.at('www.linkedin.com')}/feed/update/${post?.id}/`)
  })

  test.each([
    ['/closed', /^No link card was made\. The page at \S+ could not be read: the answer was HTTP 403\.$/],
    ['/plain', /^The link card has no picture\. The page at \S+ names no picture\.$/],
    [
      '/page#part',
      /^The link card has no picture\. The picture at \S+ could not be read: the answer was HTTP 403\.$/,
    ],
  ])('what the card of %s lacks is told on the post, in words', async (path, said) => {
    const postId = await publish({ text: `See ${site.origin}${path}` })
    await rig.until(connected, postId, 'published')
    const content = path === '/closed' ? undefined : { article: { title: 'A site' } }
    expect(network.posts).toMatchObject([{ request: content === undefined ? {} : { content } }])
    const history = await historyOf(postId)
    expect(history.map(({ kind }) => kind)).toEqual(['post', 'event', 'attempt', 'warning', 'event'])
    const warning = history.find(({ kind }) => kind === 'warning')
    expect(warning).toMatchObject({
      channelId: connected.channelId,
      steps: [],
      text: expect.stringMatching(said),
    })
    expect(germanHistory(warning?.text ?? '')).toMatch(
      /^(?:Der Link hat keine Vorschau|Die Link-Vorschau hat kein Bild)\. (?:Die Seite|Das Bild) auf /,
    )
  })

  test('a whole card is told by nothing', async () => {
    const postId = await publish({ text: 'See https://example.com/' })
    await rig.until(connected, postId, 'published')
    const history = await historyOf(postId)
    expect(history.map(({ kind }) => kind)).not.toContain('warning')
  })

  test('pictures are shown with their alt texts, one or several', async () => {
    await rig.until(connected, await publish({ text: 'One', mediaIds: await images('A bird') }), 'published')
    const settings = { visibility: 'LOGGED_IN', resharing: false }
    const two = { text: 'Two', mediaIds: await images('A cat', 'A dog'), settings }
    await rig.until(connected, await publish(two), 'published')
    expect(network.posts).toMatchObject([
      { request: { content: { media: { altText: 'A bird' } }, visibility: 'PUBLIC' } },
      {
        request: {
          visibility: 'LOGGED_IN',
          isReshareDisabledByAuthor: true,
          content: { multiImage: { images: [{ altText: 'A cat' }, { altText: 'A dog' }] } },
        },
      },
    ])
  })

  test('a version of the API that is over says who has to do what', async () => {
    network.orders.push('version over')
    const { error } = await rig.until(connected, await publish({ text: 'Old' }), 'failed')
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining('upgrade Postrider') })
  })
})

describe('as a member', () => {
  test('a call in doubt stays in doubt: LinkedIn lets nobody look', async () => {
    const connected = await rig.aChannel()
    network.orders.push('500 after storing')
    const postId = await rig.publish(connected, { text: 'Who knows' })
    await rig.until(connected, postId, 'checking')
    expect(network).toMatchObject({ calls: 1, posts: [{ request: { commentary: 'Who knows' } }] })
  })

  test('an access token that is over is refreshed where the app may, and ends the grant where it may not', async () => {
    for (const [approved, status] of [
      [true, 'published'],
      [false, 'reconnect_required'],
    ] as const) {
      network.approved = approved
      const connected = await rig.aChannel()
      network.expireAccess()
      await rig.until(connected, await rig.publish(connected, { text: `Approved: ${approved}` }), status)
    }
    expect(network.posts).toHaveLength(1)
  })

  test('a post right after connecting waits for LinkedIn to know the new access token', async () => {
    const connected = await rig.aChannel()
    network.newTokenRefusals = 1
    const postId = await rig.publish(connected, { text: 'New here' })
    expect((await rig.until(connected, postId, 'delayed')).error).toMatchObject({ code: 'not_shown_yet' })
    await rig.endWaits(connected)
    await rig.until(connected, postId, 'published')
    expect(network.posts).toHaveLength(1)
  })

  test('an access that the member took back makes the channel ask for a reconnection', async () => {
    network.approved = true
    const connected = await rig.aChannel()
    network.revoke()
    await rig.until(connected, await rig.publish(connected, { text: 'Revoked' }), 'reconnect_required')
    expect(network.posts).toEqual([])
  })
})
