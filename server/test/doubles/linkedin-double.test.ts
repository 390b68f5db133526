import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { enabledChannels } from '../../src/channels/channel-store.ts'
import { linkedinAt } from '../../src/providers/linkedin/linkedin.ts'
import { connectInBrowser } from '../rigs/connect-browser.ts'
import { openFileWorld } from '../rigs/file-world.ts'
import { aWorkspace, type AWorkspace } from '../rigs/fixtures.ts'
import { LINKEDIN_APP, openLinkedinDouble, PAGE_NUMBER, type LinkedinDouble } from './linkedin-double.ts'
import {
  openPublishingRig,
  OPERATOR,
  type ConnectedChannel,
  type PublishingRig,
} from '../rigs/publishing-rig.ts'

/* LinkedIn as its documentation describes it, kept by a strict double, and the publisher of production. */

const { world, api } = await openFileWorld()
const { db } = world
let network: LinkedinDouble
let rig: PublishingRig

beforeAll(async () => {
  network = await openLinkedinDouble()
  rig = await openPublishingRig({
    ...{ world, api, provider: linkedinAt({ api: network.url, site: network.url }), app: LINKEDIN_APP },
    ...{ trustedOrigins: [network.url], callTimeoutMs: 1_500 },
  })
})
beforeEach(() => {
  network.posts.length = 0
  network.orders.length = 0
  Object.assign(network, { calls: 0, approved: false })
})
afterAll(async () => {
  await rig.close()
  await network[Symbol.asyncDispose]()
})

const page = { organization: PAGE_NUMBER }
const target = (workspaceId: string) => ({ workspaceId, channelId: null, actor: OPERATOR })

async function aConnectedAccount(
  fields: Readonly<Record<string, string>>,
  workspace?: AWorkspace,
): Promise<ConnectedChannel> {
  const own = workspace ?? (await aWorkspace(db))
  const shown = await connectInBrowser(
    rig.connect,
    'linkedin',
    target(own.workspaceId),
    network.allow,
    fields,
  )
  expect([shown.statusCode, shown.body]).toEqual([200, expect.stringContaining('is connected')])
  const [channel] = await enabledChannels(db, own.workspaceId)
  return { workspace: own, channelId: channel?.channelId ?? '' }
}

describe('connecting', () => {
  test.each([
    ['a member', {}, { handle: 'Alice Example' }],
    ['a page', page, { handle: 'example-works', displayName: 'Example Works' }],
  ])(
    '%s is connected until the end of the access token, where the app gets no others',
    async (_, fields, shown) => {
      const { workspace } = await aConnectedAccount(fields)
      const { body } = await api.call(workspace, 'GET', '/channels')
      expect(body).toMatchObject([{ ...shown, maxCharacters: 3_000, characterCounting: 'linkedin' }])
      const [{ authorizedUntil }] = body as [{ authorizedUntil: string }]
      const days = (Date.parse(authorizedUntil) - Date.now()) / 86_400_000
      expect(Math.round(days)).toBe(60)
    },
  )

  type Consent = (address: URL) => URLSearchParams
  const withState = (query: Record<string, string>) => (address: URL) =>
    new URLSearchParams({ state: address.searchParams.get('state') ?? '', ...query })
  test.each<[string, RegExp, Consent, Readonly<Record<string, string>>]>([
    ['a denied consent', /access was refused/, withState({ error: 'user_cancelled_authorize' }), {}],
    ['a cancelled sign-in', /access was refused/, withState({ error: 'user_cancelled_login' }), {}],
    [
      'a product that the app lacks',
      /unauthorized_scope_error/,
      withState({ error: 'unauthorized_scope_error' }),
      page,
    ],
    [
      'a scope that was not granted',
      /allow everything/,
      (address) => network.allow(address, 'openid profile'),
      {},
    ],
    ['a code of nobody', /did not take the sign-in back/, withState({ code: 'x' }), {}],
    [
      'a page of others',
      /may not manage a page/,
      (address) => network.allow(address),
      { organization: '99' },
    ],
    [
      'a page without a number',
      /Organization/,
      (address) => network.allow(address),
      { organization: 'acme' },
    ],
  ])('%s makes no channel, and says what to do', async (_, words, consent, fields) => {
    const { workspaceId } = await aWorkspace(db)
    const shown = await connectInBrowser(rig.connect, 'linkedin', target(workspaceId), consent, fields)
    expect(shown.statusCode).toBe(422)
    expect(shown.body).toMatch(words)
    expect(await enabledChannels(db, workspaceId)).toEqual([])
  })
})

describe('publishing as a page', () => {
  let connected: ConnectedChannel
  beforeEach(async () => {
    connected = await aConnectedAccount(page)
  })
  const publish = (content: object) => rig.publish(connected, content)
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
    expect(releaseUrl).toBe(`${network.url}/feed/update/${post?.id}/`)
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
          ...{ visibility: 'LOGGED_IN', isReshareDisabledByAuthor: true },
          content: { multiImage: { images: [{ altText: 'A cat' }, { altText: 'A dog' }] } },
        },
      },
    ])
  })

  test.each([
    ['a text', { text: 'Stored (and #lost)' }],
    ['a picture alone', { text: '' }],
  ])('%s, stored before LinkedIn failed, is found and not sent again', async (what, content) => {
    network.orders.push('500 after storing')
    const mediaIds = what === 'a text' ? [] : await images('Alone')
    await rig.until(connected, await publish({ ...content, mediaIds }), 'published')
    expect(network.calls).toBe(1)
  })

  test('a limit pauses the channel until midnight', async () => {
    network.orders.push('rate limit')
    await rig.until(connected, await publish({ text: 'Tomorrow' }), 'published')
    expect(network.calls).toBe(2)
  })

  test('a text that LinkedIn has already is refused as one', async () => {
    await rig.until(connected, await publish({ text: 'Twice' }), 'published')
    const { error } = await rig.until(connected, await publish({ text: 'Twice' }), 'failed')
    expect(error).toMatchObject({ code: 'duplicate_refused' })
  })

  test('a version of the API that is over says who has to do what', async () => {
    network.orders.push('version over')
    const { error } = await rig.until(connected, await publish({ text: 'Old' }), 'failed')
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining('upgrade Postrider') })
  })
})

describe('as a member', () => {
  test('a call in doubt stays in doubt: LinkedIn lets nobody look', async () => {
    const connected = await aConnectedAccount({})
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
      const connected = await aConnectedAccount({})
      network.expireAccess()
      await rig.until(connected, await rig.publish(connected, { text: `Approved: ${approved}` }), status)
    }
    expect(network.posts).toHaveLength(1)
  })

  test('an access that the member took back makes the channel ask for a reconnection', async () => {
    network.approved = true
    const connected = await aConnectedAccount({})
    network.revoke()
    await rig.until(connected, await rig.publish(connected, { text: 'Revoked' }), 'reconnect_required')
    expect(network.posts).toEqual([])
  })
})
