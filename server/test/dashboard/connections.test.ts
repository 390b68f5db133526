import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app as contract } from '@postrider/contract'
import { verifyWebhook } from '../../../sdk/src/index.ts'
import { agentResource } from '../../src/edge/api/documents/resources.ts'
import { aChannel } from '../rigs/fixtures.ts'
import { type MastodonDouble, openMastodonDouble, TOKEN } from '../doubles/mastodon-double.ts'
import { root } from '../rigs/product.ts'
import { begin, exchange, me } from '../rigs/oauth-flow.ts'
import { openPictureServer } from '../rigs/picture-server.ts'
import { openReceiver, type Receiver } from '../rigs/receiver.ts'
import type { RunningApp } from '../rigs/running-app.ts'
import { DESKTOP, sees, seriousFindings, type TestBrowser, settled } from './browser.ts'
import { type DashboardWorld, expectNoFaults, inDays, openDashboardWorld } from './dashboard-world.ts'

/* What is connected to a workspace, in a real browser: accounts of networks, keys, apps, and the systems that hear of it. */

let receiver: Receiver
let instance: MastodonDouble
let pictures: Awaited<ReturnType<typeof openPictureServer>>
let world: DashboardWorld
let app: RunningApp
let browser: TestBrowser
let desk: BrowserContext
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  receiver = opened.use(await openReceiver())
  instance = opened.use(await openMastodonDouble())
  pictures = opened.use(await openPictureServer())
  const trusted = [receiver.origin, instance.url, pictures.origin]
  world = opened.use(await openDashboardWorld({ TRUSTED_ORIGINS: trusted.join(',') }))
  ;({ app, browser, desk } = world)
})
afterAll(() => opened[Symbol.asyncDispose]())

test('an account of a network is connected, and connected again when its access has ended', async () => {
  const page = await world.open(desk, 'channels')
  await page.getByRole('button', { name: 'Connect channel', exact: true }).first().click()
  await page.getByRole('button', { name: 'Connect Mastodon' }).click()
  await page.getByLabel('Instance').fill(instance.url)
  await page.getByLabel('Access token').fill('a wrong one')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await sees(page, /The instance does not accept this access token\./)
  await page.getByLabel('Access token').fill(TOKEN)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  const channel = page.getByRole('listitem').filter({ hasText: '@alice@social.example' })
  await sees(channel, 'Connected')
  await sees(channel, 'nothing published yet')

  await app.db`update channel set connection_status = 'reconnect_required' where provider = 'mastodon'`
  await page.reload()
  await sees(channel, 'Reconnect needed')
  await channel.getByRole('button', { name: 'Reconnect alice' }).click()
  await page.getByLabel('Instance').fill(instance.url)
  await page.getByLabel('Access token').fill(TOKEN)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await sees(channel, 'Connected')
  await expect.poll(() => channel.count()).toBe(1)
})

test('a connection is checked on demand, and what is wrong is said with what to do', async () => {
  const page = await world.open(desk, 'channels')
  const row = page.getByRole('listitem').filter({ hasText: '@alice@social.example' })
  await row.getByRole('button', { name: 'More for alice' }).click()
  await page.getByRole('menuitem', { name: 'Check connection…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Connection of alice' })
  const result = dialog.getByRole('list', { name: 'Result' })
  const marked = (mark: string) =>
    result.getByRole('listitem').filter({ has: page.getByRole('img', { name: mark }) })
  await sees(result, 'Mastodon accepts the access.')
  await sees(result, 'Mastodon answers version 4.5.0.')
  await sees(result, /^300 of 300 calls are left until /)
  expect([await marked('In order').count(), await marked('Fault').count()]).toEqual([6, 0])
  expect(await seriousFindings(page)).toEqual([])

  instance.suspended = true
  await dialog.getByRole('button', { name: 'Check again' }).click()
  await sees(result, 'Mastodon has suspended, locked or closed this account.')
  await sees(result, 'Sign in to Mastodon to see why.')
  expect(await marked('Fault').count()).toBe(1)
  instance.suspended = false
  for (let checks = 2; checks < 6; checks++) {
    await dialog.getByRole('button', { name: 'Check again' }).click()
    await sees(result, 'Mastodon accepts the access.')
  }
  await dialog.getByRole('button', { name: 'Check again' }).click()
  await sees(dialog, /^This connection was checked several times within a minute\. Wait \d+ seconds/)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  // Nothing came of what was found.
  await sees(row, 'Connected')
  const [channel] = await app.db`select connection_status as status from channel where provider = 'mastodon'`
  expect(channel).toEqual({ status: 'connected' })
})

test('the result of a check reads in German', async () => {
  const { workspaceId } = app.workspace
  const channelId = await aChannel(app.db, workspaceId, { displayName: 'Getrennt' })
  await app.db`update channel set connection_status = 'reconnect_required' where id = ${channelId}`
  await using german = await browser.profile({
    ...DESKTOP,
    storageState: await world.signedIn(await world.aMember('owner')),
    locale: 'de-DE',
  })
  const page = await world.open(german, 'channels')
  const row = page.getByRole('listitem').filter({ hasText: 'Getrennt' })
  await row
    .getByRole('button', { name: /Getrennt$/ })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Verbindung prüfen…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Verbindung von Getrennt' })
  await sees(dialog, 'Der Kanal ist nicht verbunden.')
  await sees(dialog, 'Verbinden Sie den Kanal neu.')
  await expect.poll(() => dialog.getByRole('img', { name: 'Fehler' }).count()).toBe(1)
})

test('an account is shown by its picture, which the server asks the network for, and else by its initials', async () => {
  const { workspaceId } = app.workspace
  const [shown, missing] = [
    await aChannel(app.db, workspaceId, { displayName: 'With a face' }),
    await aChannel(app.db, workspaceId, { displayName: 'Nobody there' }),
  ]
  await app.db`update channel set avatar_url = ${`${pictures.origin}/face.png`} where id = ${shown}`
  await app.db`update channel set avatar_url = 'http://127.0.0.1:9/face.png' where id = ${missing}`
  const page = await world.open(desk, 'channels')
  const pictureOf = (name: string) =>
    page.getByRole('listitem').filter({ hasText: name }).locator('img').first()
  const width = (name: string) =>
    pictureOf(name).evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth)
  await pictureOf('With a face').scrollIntoViewIfNeeded()
  await expect.poll(() => width('With a face')).toBe(96)
  await pictureOf('Nobody there').scrollIntoViewIfNeeded()
  await page.getByText('NT', { exact: true }).waitFor()
  expect(await width('Nobody there')).toBe(0)
  expect(await pictureOf('Nobody there').isVisible()).toBe(false)
  await expect.poll(() => pictureOf('With a face').isVisible()).toBe(true)
  await page.reload()
  await expect.poll(() => width('With a face')).toBe(96)
  // Not with each page, and not by the browser, which is held to its own server.
  expect(pictures.asked).toEqual(['/face.png'])
})

test('what stops scheduled posts is asked about first, and says how many it stops', async () => {
  const { postId, channelIds } = await world.aScheduled('To be stopped', new Date(Date.now() + 3_600_000))
  const page = await world.open(world.desk, 'channels')
  const row = page.getByRole('listitem').filter({ hasText: 'Channel of To be stopped' })
  const choose = async (name: string) => {
    await row.getByRole('button', { name: /^More for / }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('Disable…')
  const dialog = page.getByRole('dialog', { name: 'Disable Channel of To be stopped?' })
  await sees(dialog, /^1 scheduled post waits until you enable it again/)
  const isEnabled = async () => {
    const [channel] = await world.app.db<{ enabled: boolean }[]>`
      select enabled from channel where id = ${channelIds[0]!}`
    return channel?.enabled
  }
  await dialog.getByRole('button', { name: 'Go back' }).click()
  expect(await isEnabled()).toBe(true)
  await choose('Disable…')
  await dialog.getByRole('button', { name: 'Disable channel' }).click()
  await sees(row, 'Disabled')
  expect(await isEnabled()).toBe(false)
  const { body } = await world.app.ask('GET', `/agent/v1/posts/${postId}`)
  expect(body.destinations[0].status).toBe('scheduled')
})

test('a channel is renamed, and removed with what is planned for it once a person has chosen that', async () => {
  const { postId } = await world.aScheduled('Removed with it', new Date(Date.now() + 3_600_000))
  const page = await world.open(world.desk, 'channels')
  const rows = page.getByRole('list', { name: 'Channels' }).getByRole('listitem')
  const choose = async (named: string, name: string) => {
    await rows.getByRole('button', { name: `More for ${named}` }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('Channel of Removed with it', 'Rename…')
  await page.getByRole('dialog').getByLabel('Name').press('Control+a')
  await page.keyboard.type('The old account')
  await page.keyboard.press('Enter')
  await rows.filter({ hasText: 'The old account' }).getByText('1 post scheduled').waitFor()
  await choose('The old account', 'Remove…')
  const dialog = page.getByRole('dialog', { name: 'Remove The old account?' })
  const group = dialog.getByRole('group', { name: '1 scheduled post on this channel' })
  await expect.poll(() => group.getByRole('radio', { name: 'Keep' }).isChecked()).toBe(true)
  await group.getByRole('radio', { name: 'Cancel on this channel' }).check()
  expect(await seriousFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Remove channel' }).click()
  await sees(page, 'The old account was removed, 1 post cancelled.')
  await rows.filter({ hasText: 'The old account' }).waitFor({ state: 'detached' })
  const { body } = await world.app.ask('GET', `/agent/v1/posts/${postId}`)
  expect(body.destinations[0]).toMatchObject({ status: 'cancelled', displayName: 'The old account' })
})

test('a network that is not set up is listed with what it needs', async () => {
  const page = await world.open(world.desk, 'channels')
  await page.getByRole('button', { name: 'Connect channel', exact: true }).click()
  const networks = page.getByRole('dialog', { name: 'Connect channel', exact: true })
  const linkedin = networks.getByRole('listitem').filter({ hasText: 'LinkedIn' })
  await sees(linkedin, 'LINKEDIN_CLIENT_ID')
  expect(await linkedin.getByRole('button').count()).toBe(0)
  await networks.getByRole('button', { name: 'Connect Bluesky' }).waitFor()
})

test('a network where people sign in is reached by a link that names the workspace', async () => {
  const page = await world.open(desk, 'channels')
  await page.getByRole('button', { name: 'Connect channel', exact: true }).first().click()
  await page.getByRole('button', { name: 'Connect Mastodon' }).click()
  await page.getByRole('button', { name: 'Sign in at Mastodon' }).click()
  await page.getByRole('heading', { name: 'Connect your Mastodon account' }).waitFor()
  await page.getByRole('button', { name: 'Continue to Mastodon' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/connect/mastodon')
})

test('a key is made, shown once, and works until it is revoked', async () => {
  const page = await world.open(desk, 'keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('newsletter agent')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.getByLabel('Key', { exact: true }).inputValue()
  expect((await app.ask('GET', '/agent/v1/me', { key })).status).toBe(200)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Revoke newsletter agent' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await sees(page.getByRole('listitem').filter({ hasText: 'newsletter agent' }), 'Revoked')
  expect((await app.ask('GET', '/agent/v1/me', { key })).status).toBe(401)
})

test('a key that ends and is limited is made, limited otherwise, and stopped with all that it planned', async () => {
  const channelId = await aChannel(app.db, app.workspace.workspaceId, { displayName: 'Only here' })
  const page = await world.open(desk, 'keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('planner')
  await page.getByLabel('Expires (optional)').fill('2099-12-31T09:00')
  await page.getByText('Limits (optional)', { exact: true }).click()
  await page.getByRole('checkbox', { name: 'Only here' }).check()
  await page.getByLabel('Posts per day').fill('3')
  await page.getByLabel('Only from these IP ranges').fill('everywhere')
  await page.getByRole('button', { name: 'Create key' }).click()
  await sees(page, /"everywhere" is no network/)
  await page.getByLabel('Only from these IP ranges').fill('127.0.0.0/8')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.getByLabel('Key', { exact: true }).inputValue()
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'planner' })
  for (const words of [/expires 31 Dec 2099/, 'only on Only here', '3 posts a day', 'only from 127.0.0.0/8'])
    await sees(row, words)

  const made = await app.ask('POST', '/agent/v1/posts', {
    key,
    body: {
      confirmed: true,
      idempotencyKey: 'planned',
      state: 'scheduled',
      text: 'Planned by a key',
      channelIds: [channelId],
      publishAt: inDays(5).toISOString(),
    },
  })
  await row.getByRole('button', { name: 'Limits of planner' }).click()
  await page.getByRole('checkbox', { name: /^Drafts only/ }).check()
  await page.getByRole('button', { name: 'Change limits' }).click()
  await sees(row, 'drafts only')
  await row.getByRole('button', { name: 'Revoke and cancel posts: planner' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke and cancel posts' }).click()
  await sees(row, 'Revoked')
  const after = await app.ask('GET', `/agent/v1/posts/${made.body.postId}`)
  expect(after.body.destinations).toMatchObject([{ status: 'cancelled' }])
})

/** Where an app on the own machine waits for the person to come back. */
async function openCallback() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<h1>Connected</h1>')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/callback`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

test('an app that knows only the address is allowed access, works, and is refused once that is revoked', async () => {
  await using callback = await openCallback()
  const server = { resource: agentResource(app.baseUrl) }
  const flow = await begin(server, { redirect_uri: callback.url, scope: 'posts:read posts:write' })
  const page = await desk.newPage()
  await page.goto(flow.url.href)
  await page.getByRole('heading', { name: 'Allow An agent access?' }).waitFor()
  await page.getByRole('checkbox', { name: 'Create and change posts.' }).uncheck()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'Connected' }).waitFor()
  const { access_token, scope } = await exchange(flow, new URL(page.url()))
  expect(scope).toBe('posts:read')
  expect((await me(app, access_token)).status).toBe(200)

  await page.goto(`${world.workspaceUrl}/apps`)
  const row = page.getByRole('listitem').filter({ hasText: 'An agent' })
  await sees(row, 'posts:read')
  await row.getByRole('button', { name: 'Limits of An agent' }).click()
  await page.getByLabel('Posts per day').fill('2')
  await page.getByRole('button', { name: 'Change limits' }).click()
  await sees(row, '2 posts a day')
  await row.getByRole('button', { name: 'Revoke An agent' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click()
  await sees(row, 'Revoked')
  await expect.poll(async () => (await me(app, access_token)).status).toBe(401)
})

test('the log of events shows what just happened, and the request that reads its post', async () => {
  const { postId } = await world.aScheduled('In the log', inDays(6))
  const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
  const [{ channelId, controlToken }] = body.destinations
  const page = await world.open(desk, 'events')
  await app.ask('POST', `/agent/v1/posts/${postId}/cancel`, {
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { confirmed: true, channelId, controlToken },
  })
  const row = page.getByRole('listitem').filter({ hasText: 'Channel of In the log' })
  await sees(row, 'post.cancelled')
  await row.getByRole('button', { name: 'Details' }).click()
  const request = row.getByRole('figure', { name: 'Read its post' })
  expect(await request.textContent()).toContain(
    `${app.baseUrl.replace('127.0.0.1', 'localhost')}/agent/v1/posts/${postId}`,
  )
})

test('an endpoint hears a test that its secret verifies, and hears it again when it is resent', async () => {
  const page = await world.open(desk, 'webhooks')
  await page.getByRole('button', { name: 'New endpoint' }).click()
  for (const refused of ['http://127.0.0.1:9/hook', 'https://127.0.0.1:9/hook']) {
    await page.getByLabel('URL').fill(refused)
    await page.getByRole('button', { name: 'Create endpoint' }).click()
    const fault =
      /^The address is refused\. .* Your server operator can allow this one with TRUSTED_ORIGINS\.$/
    await sees(page.getByRole('alert'), fault)
  }
  await page.getByLabel('URL').fill(`${receiver.origin}/hook`)
  await page.getByLabel('Name (optional)').fill('My system')
  await page.getByRole('button', { name: 'Create endpoint' }).click()
  const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'Deliveries to My system' }).click()
  await page.getByRole('button', { name: 'Send test' }).click()
  const delivery = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first()
  await sees(delivery, 'Delivered')
  const [first] = receiver.received
  const event = await verifyWebhook(first!.body, first!.headers, secret)

  await delivery.getByRole('button', { name: 'Resend' }).click()
  await expect.poll(() => receiver.received.length, { timeout: 15_000 }).toBe(2)
  expect(JSON.parse(receiver.received[1]!.body.toString())).toEqual(event)
  await delivery.getByRole('button', { name: 'Attempts' }).click()
  await sees(delivery.getByRole('list', { name: 'Attempts' }), /HTTP 204/)

  const replays = page.getByRole('checkbox', { name: 'Resend automatically' })
  await replays.click()
  // While it is sent, it shows what is asked for, and takes no other click.
  await expect.poll(async () => (await replays.isEnabled()) && replays.isChecked()).toBe(true)
  const endpointId = page.url().split('/').at(-1)!
  await world.app.db`
    insert into delivery (workspace_id, endpoint_id, event_id, event_type, test_body, status, settled_at, http_status)
    select workspace_id, id, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'post.published', '{}',
           'delivered', now(), 204
    from   endpoint, generate_series(1, 119) n
    where  id = ${endpointId}`
  await page.reload()
  await expect.poll(() => replays.isChecked()).toBe(true)

  // Older ones come page by page, down to the first.
  const older = page.getByRole('button', { name: 'Show older deliveries' })
  const shown = page.getByRole('list', { name: 'Deliveries' }).locator('> li')
  for (const count of [50, 100]) {
    await expect.poll(() => shown.count()).toBe(count)
    await older.click()
  }
  await expect.poll(() => shown.count()).toBe(120)
  expect(await older.count()).toBe(0)

  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'More for this endpoint' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('Edit…')
  const dialog = page.getByRole('dialog', { name: 'Edit endpoint' })
  await dialog.getByLabel('Name (optional)').fill('Our system')
  await dialog.getByRole('checkbox', { name: 'post.scheduled' }).uncheck()
  expect(await seriousFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save endpoint' }).click()
  await page.getByRole('heading', { level: 1, name: 'Our system' }).waitFor()
  const kept = await app.db<
    { url: string; types: string[] }[]
  >`select url, event_types as types from endpoint`
  expect(kept).toEqual([
    { url: `${receiver.origin}/hook`, types: expect.not.arrayContaining(['post.scheduled']) },
  ])
  await choose('Delete…')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete endpoint' }).click()
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  await sees(page, 'No endpoints yet')
})

test('what the settings have wait for a person waits from the next post on', async () => {
  const channelId = await aChannel(app.db, app.workspace.workspaceId, { displayName: 'Watched' })
  async function schedule(): Promise<string> {
    const idempotencyKey = crypto.randomUUID()
    const options = { idempotencyKey, state: 'scheduled', text: idempotencyKey, channelIds: [channelId] }
    const publishAt = inDays(7).toISOString()
    const { body } = await app.ask('POST', '/agent/v1/posts', {
      body: { confirmed: true, publishAt, ...options },
    })
    return body.destinations[0].status
  }
  expect(await schedule()).toBe('scheduled')
  const page = await world.open(desk, 'settings')
  await page.getByRole('checkbox', { name: 'Require approval for every post' }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await sees(page, 'Settings saved.')
  expect(await schedule()).toBe('draft')
  await page.getByRole('checkbox', { name: 'Require approval for every post' }).uncheck()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(schedule).toBe('scheduled')
})

test('the line that connects an agent has the address at which MCP asks for a sign-in', async () => {
  const page = await world.open(desk, 'keys')
  const line = await page
    .getByRole('figure', { name: /^Codex/ })
    .locator('pre')
    .innerText()
  const address = line.split(' ').at(-1)!
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toContain('oauth-protected-resource/mcp')
})

type Form = {
  screen: string
  /** Opens it, and fills it in. */
  fill: (page: Page) => Promise<unknown>
  send: (page: Page) => Promise<unknown>
  /** Whether it is left at that: sent again, it would take away what the others need. */
  once?: true
}

const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })
const pressOn = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()

const fromMenu = async (page: Page, name: string) => {
  await pressOn(page, 'More for this endpoint')
  await page.getByRole('menuitem', { name }).click()
}

/** Every form that the dashboard sends and that can ask for a fresh proof of who is there. */
const forms: Record<string, Form> = {
  connectChannel: {
    screen: 'channels',
    async fill(page) {
      await pressOn(page, 'Connect channel')
      await pressOn(page, 'Connect Mastodon')
      await page.getByLabel('Instance').fill(instance.url)
      await page.getByLabel('Access token').fill(TOKEN)
    },
    send: (page) => inDialog(page, 'Connect').click(),
  },
  createConnectLink: {
    screen: 'channels',
    async fill(page) {
      await pressOn(page, 'Connect channel')
      await pressOn(page, 'Connect Mastodon')
      await page.getByLabel('Instance').fill(instance.url)
    },
    send: (page) => pressOn(page, 'Sign in at Mastodon'),
  },
  createWorkspace: {
    screen: 'settings',
    async fill(page) {
      await pressOn(page, 'Create workspace')
      await page.getByRole('dialog').getByLabel('Name').fill('A second one')
      await page.getByRole('dialog').getByLabel('Time zone').selectOption('Asia/Tokyo')
    },
    send: (page) => inDialog(page, 'Create').click(),
  },
  updateWorkspace: {
    screen: 'settings',
    async fill(page) {
      await page.getByLabel('Name', { exact: true }).fill('Renamed')
      await page.getByLabel('Time zone').first().selectOption('Asia/Tokyo')
    },
    send: (page) => page.getByRole('form', { name: 'Workspace' }).locator('[type=submit]').click(),
  },
  changeMemberRole: {
    screen: 'members',
    fill: (page) => page.getByRole('combobox', { name: /Grace/ }).waitFor(),
    send: (page) => page.getByRole('combobox', { name: /Grace/ }).selectOption('viewer'),
  },
  removeMember: {
    screen: 'members',
    fill: (page) => pressOn(page, 'Remove Grace'),
    send: (page) => inDialog(page, 'Remove').click(),
    once: true,
  },
  leaveWorkspace: {
    screen: 'settings',
    fill: (page) => pressOn(page, 'Leave workspace'),
    send: (page) => inDialog(page, 'Leave workspace').click(),
    once: true,
  },
  transferOwnership: {
    screen: 'settings',
    async fill(page) {
      await page.getByLabel('New owner').selectOption({ index: 1 })
      await pressOn(page, 'Transfer ownership')
    },
    send: (page) => inDialog(page, 'Transfer ownership').click(),
    once: true,
  },
  inviteMember: {
    screen: 'members',
    async fill(page) {
      await pressOn(page, 'Invite member')
      await page.getByLabel('Email').fill('hedy@example.com')
      await page.getByRole('dialog').getByLabel('Role').selectOption('approver')
    },
    send: (page) => inDialog(page, 'Create link').click(),
  },
  createKey: {
    screen: 'keys',
    async fill(page) {
      await pressOn(page, 'New key')
      await page.getByLabel('Name').fill('proven')
      await page.getByLabel('Expires (optional)').fill('2099-12-31T09:00')
      await page.getByText('Limits (optional)', { exact: true }).click()
      await page.getByLabel('Posts per day').fill('3')
    },
    send: (page) => inDialog(page, 'Create key').click(),
  },
  limitKey: {
    screen: 'keys',
    async fill(page) {
      await pressOn(page, 'Limits of to be limited')
      await page.getByLabel('Posts per day').fill('7')
    },
    send: (page) => inDialog(page, 'Change limits').click(),
  },
  limitApp: {
    screen: 'apps',
    async fill(page) {
      await pressOn(page, 'Limits of To be limited')
      await page.getByLabel('Posts per day').fill('7')
    },
    send: (page) => inDialog(page, 'Change limits').click(),
  },
  createEndpoint: {
    screen: 'webhooks',
    async fill(page) {
      await pressOn(page, 'New endpoint')
      await page.getByLabel('URL').fill(`${receiver.origin}/proven`)
      await page.getByRole('dialog').getByLabel('Name').fill('Proven')
      await page.getByRole('checkbox').first().uncheck()
    },
    send: (page) => inDialog(page, 'Create endpoint').click(),
  },
  updateEndpoint: {
    screen: 'endpoint',
    async fill(page) {
      await fromMenu(page, 'Edit…')
      await page.getByLabel('URL').fill(`${receiver.origin}/changed`)
      await page.getByRole('dialog').getByLabel('Name').fill('Changed')
    },
    send: (page) => inDialog(page, 'Save endpoint').click(),
  },
  rotateEndpointSecret: {
    screen: 'endpoint',
    fill: (page) => fromMenu(page, 'Rotate secret…'),
    send: (page) => inDialog(page, 'Rotate').click(),
  },
}

/** What stands in the fields of the open form. */
const entered = (page: Page): Promise<unknown[]> =>
  page.evaluate(`[...(document.querySelector('dialog[open]') ?? document.querySelector('main'))
    .querySelectorAll('input, select, textarea')].map((field) => [field.value, field.checked])`)

test('every form that asks who is there keeps what was entered, and is sent with it afterwards', async () => {
  const sources = await readdir(join(root, 'dashboard/src'), { recursive: true })
  const texts = await Promise.all(
    sources
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
      .map((name) => readFile(join(root, 'dashboard/src', name), 'utf8')),
  )
  const fresh = contract.appOperations
    .filter(({ id, fresh: asks }) => asks === true && texts.some((text) => text.includes(`'${id}'`)))
    .map(({ id }) => id)
  expect(Object.keys(forms).toSorted()).toEqual(fresh.toSorted())

  const { db, workspace } = app
  const { workspaceId } = workspace
  await world.aMember('approver')
  await db`
    insert into agent_key (workspace_id, id, member_id, name, hint, secret_hash, permissions)
    select ${workspaceId}, gen_random_uuid(), id, 'to be limited', 'hint', sha256('limited'), '{posts:write}'
    from   member where workspace_id = ${workspaceId} limit 1`
  await db`
    insert into oauth_grant (workspace_id, id, member_id, grant_hash, client_id, client_name, client_origin, permissions)
    select ${workspaceId}, gen_random_uuid(), id, sha256('limited'), 'c', 'To be limited', 'https://a.example', '{posts:write}'
    from   member where workspace_id = ${workspaceId} limit 1`
  for (const [id, { screen, fill, send, once }] of Object.entries(forms)) {
    await world.signInAnew()
    // The one that was made last.
    const [endpoint] = await db<
      { id: string }[]
    >`select id from endpoint where workspace_id = ${workspaceId} order by id desc limit 1`
    const page = await world.open(desk, screen === 'endpoint' ? `webhooks/${endpoint!.id}` : screen)
    await fill(page)
    const before = await entered(page)
    await db`update session set proved_at = now() - interval '1 hour'`
    await send(page)
    const link = page.getByRole('link', { name: 'Confirm it’s you (new tab)' })
    const proof = page.waitForEvent('popup')
    await link.click()
    await (await proof).getByRole('heading', { name: 'Confirm it’s you' }).waitFor()
    await db`update session set proved_at = now()`
    await (await proof).close()
    expect([id, await entered(page)]).toEqual([id, before])
    if (once === undefined) {
      const answer = page.waitForResponse((one) => one.request().method() !== 'GET')
      await send(page)
      expect([id, Math.floor((await answer).status() / 100)]).toEqual([id, 2])
    }
    // The headless shell of Chromium may never finish to close a page that is leaving for another, as for the new workspace.
    if (id === 'createWorkspace') {
      await page.waitForURL((url) => !url.pathname.includes(workspaceId))
      await settled(page)
    }
    await page.close()
  }
}, 300_000)

test('nothing asked another host, threw, or failed but what was meant to', () => {
  expectNoFaults(browser, [
    // An account without a picture to be had.
    /status of 404 .*\/picture$/,
    // More checks within a minute than there may be.
    /status of 429 .*\/check$/,
    // A wrong token and a wrong network; browsers log each refusal.
    /status of 400 .*\/channels\/connect$/,
    /status of 400 .*\/keys$/,
    // An address of this machine for a webhook.
    /status of 400 .*\/endpoints$/,
    // A proof of identity that was too old.
    /status of 403 /,
    // An app has its own address, to which the browser returns.
    /^asks http:\/\/127\.0\.0\.1:\d+\/callback\?/,
  ])
})
