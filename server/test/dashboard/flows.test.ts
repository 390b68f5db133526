import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { verifyWebhook } from '@postrider/sdk'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSession } from '../../src/people/session-store.ts'
import { aChannel, anAttempt, aPost } from '../fixtures.ts'
import { aPerson, client, join as joinWorkspace } from '../people-world.ts'
import { root } from '../product.ts'
import { openReceiver, type Receiver } from '../receiver.ts'
import { openRunningApp, type RunningApp } from '../running-app.ts'
import { DESKTOP, openBrowser, PHONE, settled, type TestBrowser } from './browser.ts'

/* What people do every day, in a real browser, against the app on a database of its own. */

let receiver: Receiver
let app: RunningApp
let browser: TestBrowser
let workspaceUrl: string
let desk: BrowserContext
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  receiver = opened.use(await openReceiver())
  app = opened.use(await openRunningApp({ roles: 'api,webhooks', env: { TRUSTED_ORIGINS: receiver.origin } }))
  const baseUrl = app.baseUrl.replace('127.0.0.1', 'localhost')
  workspaceUrl = `${baseUrl}/w/${app.workspace.workspaceId}`
  browser = opened.use(await openBrowser(baseUrl))
  desk = await browser.profile({ ...DESKTOP, storageState: await signedIn('owner') })
})
afterAll(() => opened[Symbol.asyncDispose]())

/** The cookies of somebody new who is a member with this role. */
async function signedIn(role: 'owner' | 'approver') {
  const person = await aPerson(app.db, { name: role === 'owner' ? 'Ada' : 'Grace' })
  await joinWorkspace(app.db, app.workspace.workspaceId, person, role)
  const value = await openSession(app.db, person.personId, client)
  const cookie = { name: 'postrider', value, domain: 'localhost', path: '/', expires: -1 }
  return {
    cookies: [{ ...cookie, httpOnly: true, secure: false, sameSite: 'Lax' as const }],
    origins: [],
  }
}

async function open(context: BrowserContext, screen: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${workspaceUrl}/${screen}`)
  await settled(page)
  return page
}

async function aScheduled(text: string, publishAt: Date) {
  const { workspaceId } = app.workspace
  const channelId = await aChannel(app.db, workspaceId, { displayName: `Channel of ${text}` })
  return aPost(app.db, workspaceId, {
    channelIds: [channelId],
    states: ['scheduled'],
    texts: [text],
    publishAt,
  })
}

/** Ten in the morning, so many days after today, in UTC: the workspace's zone. */
function inDays(days: number): Date {
  const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  return new Date(`${day}T10:00:00Z`)
}

const dayName = (at: Date) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  }).format(at)

test("an agent's immediate post is approved on a phone", async () => {
  const channelId = await aChannel(app.db, app.workspace.workspaceId, { displayName: 'News' })
  const { body } = await app.ask('POST', '/agent/v1/posts', {
    body: {
      ...{ confirmed: true, idempotencyKey: 'for-the-phone', state: 'immediate' },
      ...{ channelIds: [channelId], text: 'Shall this go out?' },
    },
  })
  await using phone = await browser.profile({ ...PHONE, storageState: await signedIn('approver') })
  const page = await open(phone, 'approvals')
  const request = page.getByRole('article').filter({ hasText: 'Shall this go out?' })
  await request.getByText('News').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await request.getByRole('button', { name: 'Approve and publish' }).tap()
  await page.getByText('Nothing waits for you').waitFor()
  const after = await app.ask('GET', `/agent/v1/posts/${body.postId}`)
  expect(after.body).toMatchObject({ reviewStatus: 'approved', destinations: [{ status: 'scheduled' }] })
})

test('a post is dragged to another day, and keeps its time of day', async () => {
  const [from, to] = [inDays(2), inDays(3)]
  const { postId } = await aScheduled('Drag me', from)
  const page = await open(desk, `calendar?view=month&day=${from.toISOString().slice(0, 10)}`)
  await page.getByRole('link', { name: 'Drag me' }).dragTo(page.getByRole('listitem', { name: dayName(to) }))
  await page
    .getByRole('dialog', { name: 'Move to another time' })
    .getByRole('button', { name: 'Move it' })
    .click()
  await page
    .getByRole('listitem', { name: dayName(to) })
    .getByRole('link', { name: 'Drag me' })
    .waitFor()
  const after = await app.ask('GET', `/agent/v1/posts/${postId}`)
  expect(after.body.destinations[0].publishAt).toBe(to.toISOString())
})

// Where the page hears of the move before the drag begins, nothing is stale: then it is tried again with another post.
test(
  'a drag of what somebody moved meanwhile says so, and moves nothing by itself',
  { retry: 5 },
  async () => {
    const [from, theirs, mine] = [inDays(2), inDays(4), inDays(3)]
    const name = `Moved by two ${crypto.randomUUID()}`
    const { postId } = await aScheduled(name, from)
    const page = await open(desk, `calendar?view=month&day=${from.toISOString().slice(0, 10)}`)
    const tile = page.getByRole('link', { name })
    await tile.waitFor()
    const before = await app.ask('GET', `/agent/v1/posts/${postId}`)
    const [{ channelId, controlToken }] = before.body.destinations
    const moved = await app.ask('POST', `/agent/v1/posts/${postId}/reschedule`, {
      headers: { 'idempotency-key': crypto.randomUUID() },
      body: { confirmed: true, channelId, controlToken, publishAt: theirs.toISOString() },
    })
    expect(moved.status).toBe(200)
    await tile.dragTo(page.getByRole('listitem', { name: dayName(mine) }))
    const dialog = page.getByRole('dialog', { name: 'Move to another time' })
    await dialog.getByText('Somebody moved this meanwhile').waitFor({ timeout: 5_000 })
    await dialog.getByRole('button', { name: 'Leave it' }).click()
    const after = await app.ask('GET', `/agent/v1/posts/${postId}`)
    expect(after.body.destinations[0].publishAt).toBe(theirs.toISOString())
  },
)

test('a key is made, shown once, and works until it is revoked', async () => {
  const page = await open(desk, 'keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('What it is for').fill('newsletter agent')
  await page.getByRole('button', { name: 'Make the key' }).click()
  const key = await page.getByLabel('Key', { exact: true }).inputValue()
  expect((await app.ask('GET', '/agent/v1/me', { key })).status).toBe(200)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Revoke newsletter agent' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('listitem').filter({ hasText: 'newsletter agent' }).getByText('Revoked').waitFor()
  expect((await app.ask('GET', '/agent/v1/me', { key })).status).toBe(401)
})

test('what is in doubt is settled by a person, and the timeline says by whom', async () => {
  const { workspaceId } = app.workspace
  const channelId = await aChannel(app.db, workspaceId, { displayName: 'Doubtful' })
  const { postId, destinationIds } = await aPost(app.db, workspaceId, {
    channelIds: [channelId],
    states: ['checking'],
  })
  const known = await app.db`select from attempt where destination_id = ${destinationIds[0]!}`
  if (known.length === 0) await anAttempt(app.db, workspaceId, destinationIds[0]!, 'unknown')
  const page = await open(desk, `posts/${postId}`)
  await page.getByRole('button', { name: 'Settle what happened' }).click()
  await page.getByLabel('Its address on the network').fill('https://network.example/posts/7')
  await page.getByLabel(/How you know/).fill('I see it there')
  await page.getByRole('button', { name: 'Settle it' }).click()
  await page
    .getByRole('list', { name: 'What happened on Doubtful' })
    .getByText(/Ada looked at the network. It is out/)
    .waitFor()
  const after = await app.ask('GET', `/agent/v1/posts/${postId}`)
  expect(after.body.destinations[0]).toMatchObject({
    status: 'published',
    releaseUrl: 'https://network.example/posts/7',
  })
})

test('of two tabs that edit one post, the second sees both versions and loses nothing', async () => {
  const { postId } = await aScheduled('The first words', inDays(5))
  const [one, two] = [
    await open(desk, `compose?postId=${postId}`),
    await open(desk, `compose?postId=${postId}`),
  ]
  const textOf = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true })
  await textOf(one).fill('From the first tab')
  await textOf(two).fill('From the second tab')
  await one.getByRole('button', { name: 'Save changes' }).click()
  await one.waitForURL(`**/posts/${postId}`)

  await two.getByRole('button', { name: 'Save changes' }).click()
  await two.getByText('Somebody saved this post while you wrote.').waitFor()
  await two.getByRole('article', { name: 'Saved now' }).getByText('From the first tab').waitFor()
  expect(await textOf(two).inputValue()).toBe('From the second tab')
  await two.getByRole('button', { name: 'Put both into the text' }).click()
  await two.getByRole('button', { name: 'Save changes' }).click()
  await two.waitForURL(`**/posts/${postId}`)
  const after = await app.ask('GET', `/agent/v1/posts/${postId}`)
  expect(after.body.content.text).toBe('From the first tab\n\nFrom the second tab')
})

test('an endpoint hears a test that its secret verifies, and hears it again when it is resent', async () => {
  const page = await open(desk, 'webhooks')
  await page.getByRole('button', { name: 'New endpoint' }).click()
  await page.getByLabel('Address').fill(`${receiver.origin}/hook`)
  await page.getByLabel('Name (optional)').fill('My system')
  await page.getByRole('button', { name: 'Create the endpoint' }).click()
  const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'Deliveries of My system' }).click()
  await page.getByRole('button', { name: 'Send a test' }).click()
  const delivery = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first()
  await delivery.getByText('Delivered').waitFor()
  const [first] = receiver.received
  const event = await verifyWebhook(first!.body, first!.headers, secret)

  await delivery.getByRole('button', { name: 'Resend' }).click()
  await expect.poll(() => receiver.received.length, { timeout: 15_000 }).toBe(2)
  expect(JSON.parse(receiver.received[1]!.body.toString())).toEqual(event)
  await delivery.getByRole('button', { name: 'Attempts' }).click()
  await delivery
    .getByRole('list', { name: 'Attempts' })
    .getByText(/HTTP 204/)
    .first()
    .waitFor()
})

test('what somebody else does appears without a reload', async () => {
  const { postId } = await aScheduled('Seen by two', inDays(6))
  const page = await open(desk, `posts/${postId}`)
  await page.getByText('Scheduled', { exact: true }).first().waitFor()
  const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
  const [{ channelId, controlToken }] = body.destinations
  await app.ask('POST', `/agent/v1/posts/${postId}/cancel`, {
    headers: { 'idempotency-key': 'by-an-agent' },
    body: { confirmed: true, channelId, controlToken },
  })
  await page.getByText('Cancelled', { exact: true }).first().waitFor()
  expect(await page.getByRole('button', { name: 'Change time' }).count()).toBe(0)
})

test('what was typed is still there after the tab was closed', async () => {
  const page = await open(desk, 'compose')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Half a thought')
  await page.close()
  const again = await open(desk, 'compose')
  expect(await again.getByRole('textbox', { name: 'Text', exact: true }).inputValue()).toBe('Half a thought')
})

test('every screen is reached by the keyboard alone', async () => {
  const page = await open(desk, 'calendar')
  const heading = (name: string) => page.getByRole('heading', { level: 1, name })
  const screens = [
    'Posts',
    'Approvals',
    'Channels',
    'Media',
    'Agent keys',
    'Connected apps',
    'Webhooks',
    'Members',
    'Settings',
  ]
  for (const name of screens) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and commands' }).fill(`go to ${name.toLowerCase()}`)
    await page.keyboard.press('Enter')
    await heading(name).waitFor()
  }
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await heading('Calendar').waitFor()
  await page.keyboard.press('c')
  await heading('New post').waitFor()
  await page.goto(`${workspaceUrl}/posts`)
  await settled(page)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.id')).toBe('main')
})

test('the first load stays within its budget: 200 kB of script and 30 kB of style, as gzip', async () => {
  const context = await browser.profile({ ...DESKTOP, storageState: await desk.storageState() })
  const page = await context.newPage()
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
  await page.goto(`${workspaceUrl}/calendar`)
  await settled(page)
  const sizeOf = (ending: string) =>
    loaded
      .filter((path) => path.endsWith(ending))
      .map((path) => gzipSync(readFileSync(join(root, 'dashboard/dist', path))).length)
      .reduce((sum, size) => sum + size, 0)
  expect(sizeOf('.js')).toBeGreaterThan(0)
  expect(sizeOf('.js')).toBeLessThanOrEqual(200_000)
  expect(sizeOf('.css')).toBeLessThanOrEqual(30_000)
  await context.close()
})

test('nothing asked another host or threw', () => {
  // The console also tells of refusals that were provoked above, and of requests that ended with their page.
  expect(browser.faults.filter((fault) => !/Failed to load resource/.test(fault))).toEqual([])
})
