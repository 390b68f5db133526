import { beforeEach, describe, expect, test } from 'vitest'
import { linkedinAt } from '../../src/providers/linkedin/linkedin.ts'
import { backWith, openOauthRig, testProvenCalls, testRefusedConsents } from '../rigs/oauth-channel.ts'
import type { ConnectedChannel } from '../rigs/publishing-rig.ts'
import { LINKEDIN_APP, openLinkedinDouble, PAGE_NUMBER } from './linkedin-double.ts'

/* LinkedIn as its documentation describes it, kept by a strict double, and the publisher of production. */

const network = await openLinkedinDouble()
const rig = await openOauthRig(linkedinAt({ api: network.url, site: network.url }), LINKEDIN_APP, network)
const page = { organization: PAGE_NUMBER }

beforeEach(() => void (network.approved = false))

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

  test('an access that the member took back makes the channel ask for a reconnection', async () => {
    network.approved = true
    const connected = await rig.aChannel()
    network.revoke()
    await rig.until(connected, await rig.publish(connected, { text: 'Revoked' }), 'reconnect_required')
    expect(network.posts).toEqual([])
  })
})
