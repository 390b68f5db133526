import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anApproval, aChannel, aPost } from '../rigs/fixtures.ts'
import { aPerson } from '../rigs/people-world.ts'
import { openPictureServer } from '../rigs/picture-server.ts'
import { root } from '../rigs/product.ts'
import { PHONE, seriousFindings, settled, ZOOMED } from './browser.ts'
import { type DashboardWorld, openDashboardWorld } from './dashboard-world.ts'

/*
 * A picture of every screen, and of what opens on it, in light and dark, on a desk, a phone, a wide screen and at 200 %, and of every screen in German:
 * `npm run pictures`. It is no part of the tests: people look at the pictures.
 */

const folder = process.env['PICTURES'] ?? join(root, 'node_modules/.cache/pictures')
const HOUR_MS = 3_600_000

/** Every network and mail are set up, and no request leaves the machine. */
const env = {
  X_CLIENT_ID: 'x',
  X_CLIENT_SECRET: 'x',
  LINKEDIN_CLIENT_ID: 'x',
  LINKEDIN_CLIENT_SECRET: 'x',
  FACEBOOK_CLIENT_ID: 'x',
  FACEBOOK_CLIENT_SECRET: 'x',
  YOUTUBE_CLIENT_ID: 'x',
  YOUTUBE_CLIENT_SECRET: 'x',
  THREADS_CLIENT_ID: 'x',
  THREADS_CLIENT_SECRET: 'x',
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'Postrider <postrider@harbour.example>',
}

let world: DashboardWorld
let faces: string
let posts: Readonly<Record<string, string>>
let endpointId: string
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  await mkdir(folder, { recursive: true })
  faces = opened.use(await openPictureServer()).origin
  world = opened.use(await openDashboardWorld({ ...env, TRUSTED_ORIGINS: `http://127.0.0.1:9,${faces}` }))
  posts = await seedPosts()
  endpointId = await seedEndpoint()
})
afterAll(() => opened[Symbol.asyncDispose]())

const accounts = [
  { provider: 'bluesky', displayName: 'Harbour Roasters', handle: 'harbour.example' },
  { provider: 'mastodon', displayName: 'Harbour on Mastodon', handle: 'harbour@social.example' },
  { provider: 'x', displayName: 'Quay Street', handle: 'quaystreet' },
  { provider: 'linkedin', displayName: 'Harbour Roasters Ltd', handle: 'harbour-roasters' },
  { provider: 'telegram', displayName: 'Harbour News', handle: 'harbournews' },
  { provider: 'discord', displayName: 'Harbour Community', handle: 'Announcements' },
  { provider: 'sandbox-short', displayName: 'Rehearsals', handle: 'rehearsals' },
  { provider: 'facebook', displayName: 'Harbour Roasters Café', handle: 'harbourroasters' },
  { provider: 'instagram', displayName: 'Harbour Pictures', handle: 'harbour.roasters' },
  { provider: 'youtube', displayName: 'Harbour Films', handle: 'harbourfilms' },
  { provider: 'threads', displayName: 'Harbour Talk', handle: 'harbour.talk' },
  { provider: 'nostr', displayName: 'Harbour Notes', handle: 'notes@harbour.example' },
  { provider: 'wordpress', displayName: 'Harbour Journal', handle: 'journal.harbour.example' },
] as const

async function seedChannels(): Promise<string[]> {
  const { db, workspace } = world.app
  const ids: string[] = []
  for (const { handle, ...account } of accounts) {
    const channelId = await aChannel(db, workspace.workspaceId, account)
    // Some networks tell no picture.
    const avatarUrl = /telegram|sandbox/.test(account.provider) ? null : `${faces}/${handle}.png`
    await db`update channel set handle = ${handle}, avatar_url = ${avatarUrl} where id = ${channelId}`
    ids.push(channelId)
  }
  const [, , x, linkedin, , discord] = ids
  await db`update channel set connection_status = 'reconnect_required' where id = ${x!}`
  await db`update channel set authorization_ends_at = now() + interval '8 days' where id = ${linkedin!}`
  await db`update channel set enabled = false where id = ${discord!}`
  return ids
}

const inHours = (hours: number) => new Date(Math.round(Date.now() / HOUR_MS + hours) * HOUR_MS)

/** A post in each status, with words as people write them; their ids by their statuses. */
async function seedPosts(): Promise<Record<string, string>> {
  const { db, workspace } = world.app
  const { workspaceId } = workspace
  await db`update workspace set name = 'Harbour Roasters', time_zone = 'Europe/Berlin' where id = ${workspaceId}`
  const [bluesky, mastodon, x, linkedin, telegram, , , ...others] = await seedChannels()
  const [facebook, instagram, youtube, threads, nostr, wordpress] = others
  const made: Record<string, string> = {}
  const plan = [
    ['scheduled', 2, [bluesky, mastodon, telegram], 'Friday is cupping day: three Ethiopian naturals'],
    ['scheduled', 4, [linkedin, bluesky, mastodon], 'Meet the roaster: why we log every batch by hand'],
    ['scheduled', 20, [bluesky, linkedin], 'Version 2 of our brew guide is here'],
    ['scheduled', 26, [telegram], 'Last 20 tins of the Winter Harbour blend'],
    ['scheduled', 28, [facebook, instagram, threads], 'Behind the bar: a morning in five pictures'],
    [
      'scheduled',
      30,
      [wordpress, nostr],
      'How we choose a farm\n\nIt begins with a cup, long before a contract.',
    ],
    ['scheduled', 49, [mastodon], 'قهوة اليوم من إثيوبيا، بنكهة التوت والياسمين'],
    ['delayed', -1, [mastodon], 'The harbour is frozen, the coffee is not'],
    ['reconnect_required', -2, [x], 'Two planned posts need this account'],
    ['checking', -3, [mastodon], 'We shipped 1,000 orders last week. Thank you'],
    ['failed', -5, [linkedin], 'Winter menu is here: five cups for dark mornings'],
    ['partially_published', -6, [bluesky], 'How we dial in a new espresso, in three steps'],
    ['published', -9, [bluesky, mastodon], 'Good morning from the roastery'],
    ['published', -24, [linkedin, bluesky, mastodon], 'Three things we learned from 1,000 brews'],
    ['published', -26, [youtube], 'Latte art in 60 seconds'],
    ['published', -47, [linkedin, telegram], 'We are hiring: a barista for Quay Street'],
    ['expired', -30, [x], 'Happy hour today, from four to six'],
    ['cancelled', -20, [telegram], 'Closed on Monday'],
    ['draft', 0, [bluesky, mastodon], 'An idea: a tour of the roastery, filmed by hand'],
  ] as const
  for (const [status, hours, channelIds, text] of plan) {
    const texts =
      status === 'partially_published' ? [text, 'Grind, then weigh.', 'Taste, then write it down.'] : [text]
    const requested = { channelIds: channelIds.map((id) => id!), texts, publishAt: inHours(hours) }
    const { postId } = await aPost(db, workspaceId, { ...requested, states: channelIds.map(() => status) })
    made[status] ??= postId
    if (channelIds.some((id) => id === facebook || id === wordpress || id === youtube))
      made[`${status}-on-${channelIds.length}-new-networks`] = postId
  }
  await fail(made['failed']!, 'It is 214 characters too long for this network.')
  await fail(made['partially_published']!, 'The network refused the second post of the thread.')
  await db`update destination set expires_at = null, due_at = null where post_id = ${made['partially_published']!}`
  await db`update part set status = 'failed' from destination d
           where  d.id = part.destination_id and d.post_id = ${made['partially_published']!} and part.index = 1`
  await db`update part set status = 'skipped' from destination d
           where  d.id = part.destination_id and d.post_id = ${made['partially_published']!} and part.index = 2`
  await aWaiting(made, 'waiting', 'Our beans are back. Come by on Saturday', [bluesky!, telegram!], 6)
  await aWaiting(made, 'waiting2', 'A word about our new prices', [linkedin!], null)
  const said = `The new brew guide is out, with @quaystreet: https://harbour.example/brew-guide #coffee\n\n${'Grind, weigh, pour, wait. '.repeat(12)}`
  await aWaiting(made, 'waiting3', said, [x!, linkedin!, bluesky!], 8)
  await db`
    update destination set publish_at = ${inHours(31)} where post_id = ${made['waiting3']!} and channel_id = ${linkedin!}`
  const tall = 'A tall one, and what each network shows of it'
  await aWaiting(made, 'waiting4', tall, [x!, bluesky!], 9, await aTallPicture())
  made['series'] = await aSeries([bluesky!, mastodon!])
  made['template'] = await aTemplate([bluesky!, mastodon!])
  return made
}

const ours = () => {
  const { origin } = new URL(world.workspaceUrl)
  const headers = { 'x-postrider-app': '1', origin, 'idempotency-key': crypto.randomUUID() }
  return { at: `${origin}/app/api/workspaces/${world.app.workspace.workspaceId}`, headers }
}

/** Three times as tall as it is wide, in stripes that show where it is cut. */
async function aTallPicture(): Promise<string> {
  const page = await world.desk.newPage()
  await page.goto(world.workspaceUrl)
  const base64: string = await page.evaluate(`(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 300, height: 900 })
    const target = canvas.getContext('2d')
    for (let at = 0; at < 9; at++) {
      target.fillStyle = 'hsl(' + at * 40 + ' 60% 60%)'
      target.fillRect(0, at * 100, 300, 100)
    }
    return canvas.toDataURL('image/png').split(',')[1]
  })()`)
  await page.close()
  const file = { name: 'tall.png', mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') }
  const { at, headers } = ours()
  const multipart = { altText: 'Nine stripes.', confirmed: 'true', file }
  const made = await world.desk.request.post(`${at}/media`, { multipart, headers })
  return ((await made.json()) as { mediaId: string }).mediaId
}

async function aSeries(channelIds: readonly string[]): Promise<string> {
  const { at, headers } = ours()
  const data = {
    confirmed: true,
    rule: 'FREQ=WEEKLY;BYDAY=MO,TH;COUNT=12',
    channelIds,
    text: 'Tip of the week',
    startsAt: { local: '2027-01-04T09:00', timeZone: 'Europe/Berlin' },
  }
  const made = await world.desk.request.post(`${at}/series`, { data, headers })
  return ((await made.json()) as { seriesId: string }).seriesId
}

async function aTemplate(channelIds: readonly string[]): Promise<string> {
  const { at, headers } = ours()
  const text = 'Friday is cupping day: {{coffee}} from {{country}}. {{time}} at the roastery.'
  const data = { confirmed: true, name: 'Cupping day', text, channelIds, labels: ['Events'] }
  const made = await world.desk.request.post(`${at}/templates`, { data, headers })
  return ((await made.json()) as { templateId: string }).templateId
}

async function aWaiting(
  made: Record<string, string>,
  name: string,
  text: string,
  channelIds: readonly string[],
  hours: number | null,
  picture: string | null = null,
): Promise<void> {
  const { db, workspace } = world.app
  const states = channelIds.map(() => 'draft' as const)
  const { postId } = await aPost(db, workspace.workspaceId, { channelIds, texts: [text], states })
  if (hours !== null)
    await db`update destination set publish_at = ${inHours(hours)} where post_id = ${postId}`
  if (picture !== null)
    await db`
      update part set media_ids = array[${picture}::uuid] from destination d
      where  d.id = part.destination_id and d.post_id = ${postId}`
  await anApproval(db, workspace.workspaceId, postId)
  made[name] = postId
}

async function fail(postId: string, message: string): Promise<void> {
  const error = { code: 'content_refused', message, provider: 'linkedin', retryable: false }
  await world.app.db`update destination set error = ${world.app.db.json(error)} where post_id = ${postId}`
}

async function seedEndpoint(): Promise<string> {
  const { workspaceId } = world.app.workspace
  const { origin } = new URL(world.workspaceUrl)
  const headers = { 'x-postrider-app': '1', origin }
  const at = `${origin}/app/api/workspaces/${workspaceId}`
  await world.desk.request.post(`${at}/keys`, {
    data: { name: 'Newsletter agent', permissions: ['posts:read', 'posts:write'] },
    headers,
  })
  const form = { altText: 'A rider brings a letter.', confirmed: 'true' }
  const file = {
    name: 'rider.jpg',
    mimeType: 'image/jpeg',
    buffer: await readFile(join(root, 'docs/examples/rider.jpg')),
  }
  await world.desk.request.post(`${at}/media`, {
    multipart: { ...form, file },
    headers: { ...headers, 'idempotency-key': 'rider' },
  })
  const made = await world.desk.request.post(`${at}/endpoints`, {
    data: { url: 'http://127.0.0.1:9/hook', eventTypes: ['post.published'] },
    headers,
  })
  return ((await made.json()) as { endpointId?: string }).endpointId ?? ''
}

const looks = [
  ['desk-light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['desk-dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ['phone-light', { ...PHONE, colorScheme: 'light' }],
  ['phone-dark', { ...PHONE, colorScheme: 'dark' }],
  ['wide-light', { viewport: { width: 1920, height: 1080 }, colorScheme: 'light' }],
  ['wide-dark', { viewport: { width: 1920, height: 1080 }, colorScheme: 'dark' }],
  ['zoomed-light', { ...ZOOMED, colorScheme: 'light' }],
  ['german-desk-light', { viewport: { width: 1280, height: 800 }, locale: 'de-DE' }],
  ['german-phone-dark', { ...PHONE, colorScheme: 'dark', locale: 'de-DE' }],
] as const

type Step = (page: Page) => Promise<unknown>
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()

async function checkConnection(page: Page): Promise<void> {
  await press(/^More for /)(page)
  await page.getByRole('menuitem', { name: 'Check connection…' }).click()
  await page.getByRole('dialog').waitFor()
}

/** A phone shows few channels beside the search. */
async function choose(page: Page, ...names: string[]): Promise<void> {
  for (const name of names) {
    const shown = page.getByRole('checkbox', { name, exact: true })
    if (await shown.isVisible()) {
      await shown.check()
      continue
    }
    await press('Find channels…')(page)
    const dialog = page.getByRole('dialog', { name: 'Choose channels' })
    await dialog.getByRole('searchbox').fill(name)
    await dialog.getByRole('checkbox').first().check()
    await dialog.getByRole('button', { name: 'Done' }).click()
  }
}

async function writeWithTimes(page: Page): Promise<void> {
  await choose(page, 'Harbour Roasters', 'Harbour on Mastodon', 'Harbour Roasters Ltd')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('One guide, at the hour of each')
  await page.getByRole('textbox', { name: 'Publish at' }).fill('1 Dec 2027 9:00')
  await page.getByRole('checkbox', { name: /^Different times/ }).check()
  const own = page.getByRole('group', { name: 'Different times' })
  await own.getByRole('textbox', { name: 'Harbour on Mastodon' }).fill('1 Dec 2027 18:30')
  await page.getByText(/^Harbour Roasters and Harbour Roasters Ltd: /).waitFor()
}

const inDialog = (name: string) => async (page: Page) => {
  await press('Connect channel')(page)
  await press(`Connect ${name}`)(page)
}

const CSV = `id,text,channels,publishAt,labels
teaser,Something is coming,harbour.example,2027-01-10 09:00,Launch
launch,The new roastery is open.,"harbour.example, harbournews",2027-01-11 09:00,Launch
idea,A draft without a time,harbournews,,
`

/** A file with a problem in a line of its own where `text` is left out there. */
const importFile = (file: string) => async (page: Page) => {
  await press('Import…')(page)
  const dialog = page.getByRole('dialog', { name: 'Import posts' })
  const buffer = Buffer.from(file)
  await dialog
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'launch.csv', mimeType: 'text/csv', buffer })
  await dialog.getByRole('button', { name: 'Check file' }).click()
  await dialog.getByText(/^(\d+ posts? will be created|Nothing can be imported)/).waitFor()
}

async function repeat(page: Page): Promise<void> {
  await choose(page, 'Harbour Roasters')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Tip of the week')
  await page.getByRole('textbox', { name: 'Publish at' }).fill('4 Jan 2027 9:00')
  await page.getByRole('checkbox', { name: /^Repeat/ }).check()
  await page.getByText('Repeat every').waitFor()
}

async function writeForNewNetworks(page: Page): Promise<void> {
  await choose(page, 'Harbour Films', 'Harbour Notes', 'Harbour Journal', 'Harbour Roasters')
  const text = 'How we choose a farm\n\nIt begins with a cup: https://harbour.example/farms #coffee'
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill(text)
  await settled(page)
}

async function editSeries(page: Page): Promise<void> {
  await press('Edit…')(page)
  const dialog = page.getByRole('dialog')
  await dialog.locator('summary').nth(0).click()
  await dialog.locator('summary').nth(1).click()
  await dialog.getByRole('spinbutton', { name: 'Number of times' }).fill('6')
  await page.getByText('What saving does').waitFor()
}

/** Every screen by its address, and what is opened on it. */
function screens(): [name: string, address: string, step?: Step][] {
  const ofPosts = Object.entries(posts).flatMap(([name, id]): [string, string][] =>
    name === 'series' || name === 'template' ? [] : [[`post-${name}`, `posts/${id}`]],
  )
  return [
    ['today', 'today'],
    ['calendar-month', 'calendar?view=month'],
    ['calendar-week', 'calendar?view=week'],
    ['calendar-agenda', 'calendar?view=agenda'],
    ['posts', 'posts'],
    ['posts-none', 'posts?q=nothing+has+these+words'],
    ['posts-import', 'posts', press('Import…')],
    ['posts-import-checked', 'posts', importFile(CSV)],
    [
      'posts-import-refused',
      'posts',
      importFile(CSV.replace('Something is coming', '').replace('09:00', '25:00')),
    ],
    ...ofPosts,
    ['post-repair', `posts/${posts['failed']}`, press('Edit and retry')],
    ['post-resolve', `posts/${posts['checking']}`, press('Resolve')],
    ['compose', 'compose'],
    ['compose-edit', `compose?postId=${posts['scheduled']}`],
    ['compose-times', 'compose', writeWithTimes],
    [
      'compose-template',
      `compose?template=${posts['template']}`,
      (page) => page.getByLabel('country').fill('Ethiopia'),
    ],
    ['templates', 'templates'],
    ['template', `templates/${posts['template']}`],
    ['compose-repeat', 'compose', repeat],
    ['compose-networks', 'compose', writeForNewNetworks],
    ['approvals', 'approvals'],
    ['approvals-preview', 'approvals', press(/^The new brew guide/)],
    ['approvals-cut', 'approvals', press(/^A tall one/)],
    ['series', 'series'],
    ['series-one', `series/${posts['series']}`],
    ['series-edit', `series/${posts['series']}`, editSeries],
    ['approvals-decided', 'approvals?show=decided'],
    ['attention', 'attention'],
    ['channels', 'channels'],
    ['channels-connect', 'channels', press('Connect channel')],
    ...['Facebook', 'Instagram', 'Nostr', 'Threads', 'WordPress', 'YouTube'].map(
      (name): [string, string, Step] => [
        `channels-connect-${name.toLowerCase()}`,
        'channels',
        inDialog(name),
      ],
    ),
    ['channels-more', 'channels', press(/^More for /)],
    ['channels-check', 'channels', checkConnection],
    ['media', 'media'],
    ['keys', 'keys'],
    ['keys-new', 'keys', press('New key')],
    ['apps', 'apps'],
    ['webhooks', 'webhooks'],
    ['webhooks-new', 'webhooks', press('New endpoint')],
    ['webhook', `webhooks/${endpointId}`],
    ['events', 'events'],
    ['members', 'members'],
    ['audit', 'audit'],
    ['settings', 'settings'],
    ['search', 'posts', (page) => page.keyboard.press('Control+k')],
    ['not-found', 'nonsense'],
    ['account', '/account'],
    ['account-password', '/account/password'],
    ['account-passkeys', '/account/passkeys'],
    ['account-email', '/account/email'],
    ['proved', '/proved'],
    ['device', '/device'],
  ]
}

/** With `SCREENS`, those whose names with their look (`today-phone-dark`) it matches, as a regular expression, and no others. */
const screensWanted = new RegExp(process.env['SCREENS'] ?? '.')

test.each(looks)('%s', { timeout: 1_200_000 }, async (look, options) => {
  await using owner = await world.browser.profile({
    ...options,
    reducedMotion: 'reduce',
    storageState: await world.desk.storageState(),
  })
  await using nobody = await world.browser.profile(options)
  await using stranger = await world.browser.profile({
    ...options,
    storageState: await anotherPersonsSession(),
  })
  const signedOut = ['sign-in', 'forgot-password', 'nowhere'].map(
    (path) => [nobody, `signed-out-${path}`, `/${path}`] as const,
  )
  const all = [
    // What opens on a screen is found by its English name.
    ...screens()
      .filter(([, , step]) => step === undefined || !look.startsWith('german'))
      .map((screen) => [owner, ...screen] as const),
    ...signedOut,
    [stranger, 'no-workspace', '/'] as const,
  ]
  const missed: string[] = []
  for (const [context, name, address, step] of all)
    if (screensWanted.test(`${name}-${look}`))
      missed.push(...(await picture(context, `${name}-${look}`, address, step)))
  expect(missed).toEqual([])
})

async function anotherPersonsSession() {
  const person = await aPerson(world.app.db, { name: 'Grace' })
  return world.signedIn(person.personId)
}

/** Takes the picture in any case; gives back what did not open, and what axe finds that is serious. */
async function picture(
  context: BrowserContext,
  name: string,
  address: string,
  step?: Step,
): Promise<string[]> {
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(
    address.startsWith('/') ? new URL(address, world.workspaceUrl).href : `${world.workspaceUrl}/${address}`,
  )
  const missed: string[] = []
  try {
    await settled(page)
    await expect
      .poll(() => page.getByRole('status', { name: 'Loading' }).count(), { timeout: 20_000 })
      .toBe(0)
    await step?.(page)
  } catch (fault) {
    missed.push(`${name}: ${String(fault).split('\n')[0]}`)
  }
  missed.push(...(await seriousFindings(page)).map((finding) => `${name}: ${finding}`))
  // A picture of the full page would be one of a mouse's: Chromium takes touch away meanwhile. A dialog is seen in its window.
  const { width } = page.viewportSize()!
  const [height, isWider] = await page.evaluate<[number, boolean]>(
    '[document.documentElement.scrollHeight, document.documentElement.scrollWidth > innerWidth]',
  )
  if (isWider) missed.push(`${name}: wider than its window`)
  const isWhole = process.env['WINDOW'] === undefined && (await page.getByRole('dialog').count()) === 0
  if (isWhole) await page.setViewportSize({ width, height })
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
  await page.close()
  return missed
}
