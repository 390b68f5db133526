import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectByForm } from '../src/accounts/connect/connect-by-form.ts'
import { wordpress } from '../src/networks/providers/wordpress/wordpress.ts'
import { openHttpDouble, type HttpDouble } from './doubles/http-double.ts'
import { openFaultProxy, wireFaults, type FaultProxy } from './rigs/fault-proxy.ts'
import { openFileWorld } from './rigs/file-world.ts'
import { aWorkspace, type AWorkspace } from './rigs/fixtures.ts'
import {
  openPublishingRig,
  OPERATOR,
  type ConnectedChannel,
  type PublishingRig,
} from './rigs/publishing-rig.ts'
import { openSite, type Site } from './rigs/wordpress-rig.ts'

/* WordPress as it really answers: a site behind a proxy that breaks connections, and the publisher of production. */

const { world, api } = await openFileWorld()
const { db } = world

let site: Site
let proxy: FaultProxy
/** The same site in a folder, without permalinks, and both. */
let served: Record<'in a folder' | 'without permalinks' | 'in a folder and without permalinks', string>
/** What sends everybody elsewhere. */
let redirects: HttpDouble
let rig: PublishingRig

beforeAll(async () => {
  site = await openSite()
  proxy = await openFaultProxy(new URL(site.url))
  served = {
    'in a folder': await site.serve({ folder: 'blog' }),
    'without permalinks': await site.serve({ plain: true }),
    'in a folder and without permalinks': await site.serve({ folder: 'news', plain: true }),
  }
  redirects = await openHttpDouble(async (_, { pathname, search }) => {
    const relative = pathname.startsWith('/relative/') ? pathname.replace('relative', 'www') : null
    return { status: 301, headers: { location: relative ?? `${served['in a folder']}${pathname}${search}` } }
  })
  const own = [site.url, proxy.url.origin, redirects.url, ...Object.values(served)]
  rig = await openPublishingRig({
    world,
    api,
    provider: wordpress,
    trustedOrigins: own.map((address) => new URL(address).origin),
    callTimeoutMs: 3_000,
  })
}, 10 * 60_000)
beforeEach(async () => {
  await db`delete from network_outage`
  await db`delete from network_failure`
  proxy.fault = null
  proxy.faulty = (line) => publishes.test(line)
})
afterAll(async () => {
  await rig.close()
  for (const each of [proxy, redirects, site]) await each[Symbol.asyncDispose]()
})

/** Of a draft, which is made before, there is no number in the address; when it is written again, it has other fields. */
const publishes = /^POST \/wp-json\/wp\/v2\/posts\/\d+\?_fields=id%2Cstatus%2Clink/

type User = keyof Site['passwords']

function connect(
  { workspaceId }: AWorkspace,
  fields: Record<string, string>,
  channelId: string | null = null,
) {
  return connectByForm(rig.connect, { workspaceId, channelId, actor: OPERATOR }, wordpress, fields)
}

async function aChannel(user: User = 'alice', at = site.url): Promise<ConnectedChannel> {
  const workspace = await aWorkspace(db)
  const fields = { site: at, user, applicationPassword: site.passwords[user] }
  const result = await connect(workspace, fields)
  if (result.is !== 'connected') throw new Error(result.detail)
  return { workspace, channelId: result.channelId }
}

/** The files of the media library that have an alt text. */
async function library(altText: string) {
  const files: { id: number; alt_text: string }[] = await site.ask('GET', 'media?per_page=100')
  return files.filter((file) => file.alt_text === altText)
}

const titled = async (title: string) => (await site.posts()).filter((post) => post.title.raw === title)

describe('publishing', () => {
  test('a post with all that one can have stands there as it was meant, and has no draft left', async () => {
    const connected = await aChannel()
    const mediaIds = [
      await rig.anImage(connected.workspace, 'A bird'),
      await rig.anImage(connected.workspace, 'A nest'),
    ]
    const postId = await rig.publish(connected, {
      text: 'Birds & nests\n\nThey **fly**, see https://example.com.\n\n- one\n- two\n\n<script>alert(1)</script> [gallery]',
      mediaIds,
      settings: {
        excerpt: 'All about birds',
        slug: 'all-about-birds',
        comments: false,
        categories: ['R&D', 'Birds'],
        tags: ['Nests'],
      },
    })
    const { releaseUrl } = await rig.until(connected, postId, 'published')
    expect(releaseUrl).toBe(`${site.url}/all-about-birds/`)
    const [post] = await titled('Birds &amp; nests')
    expect(post).toMatchObject({
      slug: 'all-about-birds',
      status: 'publish',
      comment_status: 'closed',
      excerpt: { raw: 'All about birds' },
    })
    const { raw, rendered } = post!.content
    expect(raw).toContain('<!-- wp:paragraph -->\n<p>They <strong>fly</strong>')
    expect(raw).toContain('alt="A nest"')
    expect(raw).not.toContain('alt="A bird"')
    expect(rendered).toContain('&lt;script&gt;')
    expect(rendered).not.toContain('<script')
    const featured = await site.ask('GET', `media/${String(post!['featured_media'])}`)
    expect(featured).toMatchObject({ alt_text: 'A bird' })
    const names = async (taxonomy: string, ids: unknown) =>
      Promise.all((ids as number[]).map(async (id) => (await site.ask('GET', `${taxonomy}/${id}`)).name))
    expect(await names('categories', post!['categories'])).toEqual(
      expect.arrayContaining(['R&amp;D', 'Birds']),
    )
    expect(await names('tags', post!['tags'])).toEqual(['Nests'])
    expect((await site.posts('draft')).filter(({ slug }) => slug.startsWith('postrider-'))).toEqual([])
  })

  test('a category that an author may not add keeps the post back, and says so', async () => {
    const connected = await aChannel('author')
    const settings = { categories: ['Nothing like it'] }
    const postId = await rig.publish(connected, { text: 'Filed', settings })
    expect(JSON.stringify(await rig.until(connected, postId, 'failed'))).toContain(
      'has no category of that name',
    )
    expect(await titled('Filed')).toEqual([])
  })

  test('the draft of a post that was cancelled is moved to the bin by a later one', async () => {
    const connected = await aChannel()
    const draft = (slug: string, age: object) =>
      site.ask('POST', 'posts', { title: slug, status: 'draft', slug, ...age })
    // A new draft was changed last at the date that it is given.
    const old = { date: new Date(Date.now() - 49 * 3_600_000).toISOString().slice(0, 19) }
    const drafts = [
      await draft('postrider-left-over', old),
      await draft('postrider-still-waiting', {}),
      await draft('of-a-person', old),
    ]
    await rig.until(connected, await rig.publish(connected, { text: 'A later one' }), 'published')
    const found = await Promise.all(drafts.map(({ id }) => site.ask('GET', `posts/${id}?context=edit`)))
    expect(found.map(({ status }) => status)).toEqual(['trash', 'draft', 'draft'])
  })

  test('an author moves drafts of their own to the bin, and of nobody else', async () => {
    const connected = await aChannel('author')
    const date = new Date(Date.now() - 49 * 3_600_000).toISOString().slice(0, 19)
    const draft = (slug: string, author: number) =>
      site.ask('POST', 'posts', { title: slug, status: 'draft', slug, date, author })
    const drafts = [await draft('postrider-of-the-author', 2), await draft('postrider-of-alice', 1)]
    await rig.until(connected, await rig.publish(connected, { text: 'By an author' }), 'published')
    const found = await Promise.all(drafts.map(({ id }) => site.ask('GET', `posts/${id}?context=edit`)))
    expect(found.map(({ status }) => status)).toEqual(['trash', 'draft'])
    await site.ask('DELETE', `posts/${drafts[1]!.id}?force=true`)
  })

  test('the draft of a post that was cancelled goes to the bin, and one that a person published stays', async () => {
    const connected = await aChannel('alice', proxy.url.origin)
    proxy.fault = '429'
    const texts = ['Cancelled after its draft', 'Published by a person', 'Deleted by a person']
    const ids: string[] = []
    for (const text of texts) {
      const postId = await rig.publish(connected, { text })
      await rig.until(connected, postId, 'delayed')
      await rig.cancel(connected, postId)
      await db`update channel set paused_until = null where id = ${connected.channelId}`
      ids.push(postId)
    }
    proxy.fault = null
    const draft = async (text: string) =>
      (await site.posts('draft')).find(({ title }) => title.raw === text)!.id
    const cancelled = await draft(texts[0]!)
    await site.ask('POST', `posts/${await draft(texts[1]!)}`, { status: 'publish', slug: 'mine' })
    await site.ask('DELETE', `posts/${await draft(texts[2]!)}?force=true`)
    const told = await Promise.all(ids.map((postId) => rig.untilDiscarded(connected, postId)))
    expect(told.flat()).toEqual([
      'Removed the draft from the network.',
      'Someone published or changed the draft on the network, so it was left there.',
      'The draft is no longer on the network.',
    ])
    expect(await site.ask('GET', `posts/${cancelled}?context=edit`)).toMatchObject({ status: 'trash' })
    expect(await titled(texts[1]!)).toHaveLength(1)
  })

  test('a file is in the library once, however often its post is tried, unless someone deletes it or its alt text changes', async () => {
    const connected = await aChannel('alice', proxy.url.origin)
    const [altTexts, text] = [['A wren', 'A finch'], 'Tried and tried again']
    const mediaIds = [
      await rig.anImage(connected.workspace, altTexts[0]!),
      await rig.anImage(connected.workspace, altTexts[1]!),
    ]
    const inLibrary = async () => Promise.all(altTexts.map(async (each) => (await library(each)).length))
    const attempts = async () =>
      (
        await db`select from attempt a join destination d on d.id = a.destination_id where d.post_id = ${postId}`
      ).length
    const tryAgain = async () => {
      const before = await attempts()
      await rig.endWaits(connected)
      await expect.poll(attempts, { timeout: 20_000 }).toBeGreaterThan(before)
      await rig.until(connected, postId, 'delayed')
    }
    proxy.fault = '429'
    const postId = await rig.publish(connected, { text, mediaIds })
    await rig.until(connected, postId, 'delayed')
    await tryAgain()
    expect(await inLibrary()).toEqual([1, 1])

    const asked = { confirmed: true, altText: 'A linnet' }
    const change = await api.call(connected.workspace, 'POST', `/media/${mediaIds[1]}`, asked)
    expect(change).toMatchObject({ status: 200 })
    altTexts.push('A linnet')
    await tryAgain()
    expect(await inLibrary()).toEqual([1, 1, 1])

    const [deleted] = await library('A wren')
    await site.ask('DELETE', `media/${deleted!.id}?force=true`)
    await rig.endWaits(connected)
    await expect
      .poll(async () => (await rig.destinationOf(connected, postId)).error?.code)
      .toBe('media_unavailable')
    proxy.fault = null
    await rig.endWaits(connected)
    await rig.until(connected, postId, 'published')
    const [post] = await titled(text)
    const [wren] = await library('A wren')
    expect(post!['featured_media']).toBe(wren!.id)
    expect(post!.content.raw).toContain('alt="A linnet"')
  })

  test('a password that was revoked leads to a channel that waits for a new one', async () => {
    const connected = await aChannel('author')
    const [{ uuid }] = await site.ask('GET', 'users/2/application-passwords')
    await site.ask('DELETE', `users/2/application-passwords/${uuid}`)
    const postId = await rig.publish(connected, { text: 'Too late' })
    await rig.until(connected, postId, 'reconnect_required')
    const { password } = await site.ask('POST', 'users/2/application-passwords', { name: 'Again' })
    Object.assign(site.passwords, { author: password })
    const fields = { site: site.url, user: 'author', applicationPassword: password }
    expect(await connect(connected.workspace, fields, connected.channelId)).toMatchObject({ is: 'connected' })
    await rig.until(connected, postId, 'published')
    expect(await titled('Too late')).toHaveLength(1)
  })
})

describe('exactly once', () => {
  test.each(wireFaults)('%s: in the end the post is there once', async (fault) => {
    const connected = await aChannel('alice', proxy.url.origin)
    proxy.fault = fault
    const mediaIds = [await rig.anImage(connected.workspace, `Through ${fault}`)]
    const postId = await rig.publish(connected, { text: `Through ${fault}`, mediaIds })
    await rig.until(connected, postId, 'checking')
    proxy.fault = null
    await rig.untilAfterLooks(connected, postId, 'published')
    expect(await titled(`Through ${fault}`)).toHaveLength(1)
    expect(await library(`Through ${fault}`)).toHaveLength(1)
  })

  test('a draft whose answer was lost is found again, and there is one', async () => {
    const connected = await aChannel('alice', proxy.url.origin)
    proxy.fault = 'reset after it was read'
    proxy.faulty = (line) => line.startsWith('POST /wp-json/wp/v2/posts?')
    const postId = await rig.publish(connected, { text: 'Lost and found' })
    await rig.until(connected, postId, 'delayed')
    proxy.fault = null
    await rig.endWaits(connected)
    await rig.until(connected, postId, 'published')
    expect(await titled('Lost and found')).toHaveLength(1)
    expect((await site.posts('draft')).filter(({ title }) => title.raw === 'Lost and found')).toEqual([])
  })
})

describe('where a site is', () => {
  const places = [
    ['in a folder', 'permalink'],
    ['without permalinks', 'number'],
    ['in a folder and without permalinks', 'number'],
  ] as const

  test.each(places)('%s: it is connected and published to, with media and terms', async (place, by) => {
    const at = served[place]
    const connected = await aChannel('alice', at)
    const mediaIds = [
      await rig.anImage(connected.workspace, 'A bird'),
      await rig.anImage(connected.workspace, 'A nest'),
    ]
    const settings = { title: `Birds ${place}`, categories: [`Of ${place}`], tags: ['Nests'] }
    const postId = await rig.publish(connected, { text: 'They fly', mediaIds, settings })
    const { releaseUrl } = await rig.until(connected, postId, 'published')
    const [post, ...others] = await titled(settings.title)
    expect(others).toEqual([])
    expect(releaseUrl).toBe(by === 'number' ? `${at}/?p=${post!.id}` : `${at}/${post!.slug}/`)
    expect((await fetch(releaseUrl!, { redirect: 'manual' })).status).toBe(200)
    expect(post!.content.raw).toContain('alt="A nest"')
    const [category] = post!['categories'] as number[]
    expect(await site.ask('GET', `categories/${category}`)).toMatchObject({ name: settings.categories[0] })
  })

  test('behind a redirect: the other address is named, and nothing is sent there', async () => {
    const told = async (typed: string) => {
      const fields = { site: typed, user: 'alice', applicationPassword: site.passwords.alice }
      return connect(await aWorkspace(db), fields)
    }
    const isAt = (address: string) => ({
      is: 'refused',
      field: 'site',
      detail: `The site is at ${address}. Enter that address.`,
    })
    const folder = served['in a folder']
    expect(await told(redirects.url)).toMatchObject(isAt(`${folder}/`))
    expect(await told(`${redirects.url}/relative`)).toMatchObject(isAt(`${redirects.url}/www/`))
    expect(await told(folder)).toMatchObject({ is: 'connected' })
  })

  test('behind a redirect that came later: nothing is published twice, and the password goes nowhere', async () => {
    const connected = await aChannel('alice', proxy.url.origin)
    proxy.fault = 'a redirect'
    proxy.faulty = () => true
    const postId = await rig.publish(connected, { text: 'It has moved' })
    await rig.until(connected, postId, 'delayed')
    expect(await titled('It has moved')).toEqual([])
  })
})

describe('connecting', () => {
  const refusal = async (fields: Record<string, string>) =>
    connect(await aWorkspace(db), {
      site: site.url,
      user: 'alice',
      applicationPassword: site.passwords.alice,
      ...fields,
    })

  test('names the field at fault', async () => {
    expect(await refusal({ applicationPassword: 'wrong' })).toMatchObject({
      is: 'refused',
      field: 'applicationPassword',
    })
    expect(await refusal({ user: 'nobody' })).toMatchObject({ is: 'refused', code: 'credentials_refused' })
    expect(await refusal({ site: `${site.url}/no/such/folder` })).toMatchObject({
      is: 'refused',
      field: 'site',
    })
    expect(await refusal({ user: 'reader', applicationPassword: site.passwords.reader })).toMatchObject({
      is: 'refused',
      code: 'missing_scope',
    })
  })

  test('takes the address that a person copies from the site', async () => {
    for (const typed of [`${site.url}/wp-admin/profile.php`, `${site.url}/wp-json/`, site.url])
      expect(await refusal({ site: typed })).toMatchObject({ is: 'connected' })
  })
})
