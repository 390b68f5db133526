import { startSandboxNetwork } from '@postrider/sandbox-network'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { RunningApp } from '../rigs/running-app.ts'
import { seriousFindings, settled } from './browser.ts'
import { type DashboardWorld, expectNoFaults, openDashboardWorld } from './dashboard-world.ts'

/*
 * What a person types is what goes out: after each journey, what the sandbox network was given is compared with what the page
 * showed last, letter by letter, on each channel.
 */

vi.setConfig({ testTimeout: 120_000 })

let world: DashboardWorld
let app: RunningApp
/** The accounts at the sandbox network, by the names of their channels. */
const accounts = new Map<string, string>()
const channelIds = new Map<string, string>()
let networkUrl: string
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  const network = await startSandboxNetwork({ memory: true })
  opened.defer(() => network.close())
  networkUrl = network.url
  const roles = 'api,publisher,webhooks'
  world = opened.use(await openDashboardWorld({}, { roles, sandboxUrl: network.url }))
  app = world.app
  for (const name of ['Alpha', 'Beta', 'Gamma']) await connect(name)
})
afterAll(() => opened[Symbol.asyncDispose]())

async function connect(name: string): Promise<void> {
  const { workspaceId } = app.workspace
  const { origin } = new URL(world.workspaceUrl)
  const answer = await world.desk.request.post(
    `${origin}/app/api/workspaces/${workspaceId}/channels/sandbox`,
    { data: { profile: 'short' }, headers: { 'x-postrider-app': '1', origin } },
  )
  expect(answer.status()).toBe(201)
  const { channelId } = (await answer.json()) as { channelId: string }
  const [row] = await app.db<{ account: string }[]>`
    update channel set display_name = ${name} where id = ${channelId} returning remote_account_id as account`
  accounts.set(name, row!.account)
  channelIds.set(name, channelId)
}

const textBox = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true })
const tabOf = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Text for' }).getByRole('button', { name: new RegExp(`^${name} · `) })
const words = (page: Page) => page.getByRole('textbox', { name: 'Publish at' })

async function choose(page: Page, ...names: string[]): Promise<void> {
  for (const name of names) await page.getByRole('checkbox', { name, exact: true }).check()
}

/** What the page shows that goes out, by channel; channels that show the same are shown once. */
async function shown(page: Page): Promise<Record<string, string>> {
  const previews = await page.getByRole('region', { name: 'Preview' }).getByRole('article').all()
  const texts = previews.map(async (preview) => {
    const text = (await preview.getByTestId('text').first().textContent())!
    const names = await preview.getByTestId('channel').allTextContents()
    return names.map((name) => [name, text] as const)
  })
  return Object.fromEntries((await Promise.all(texts)).flat())
}

/** How often the network was told to create each text, by channel. */
async function creates(): Promise<Map<string, number>> {
  const answer = await fetch(`${networkUrl}/control/creates`)
  const { byText } = (await answer.json()) as { byText: { accountId: string; text: string; count: number }[] }
  const names = new Map([...accounts].map(([name, account]) => [account, name]))
  return new Map(byText.map(({ accountId, text, count }) => [`${names.get(accountId)}: ${text}`, count]))
}

/** Lets the time of a post come; what the network was told to create then, by channel. */
async function publishedNow(postId: string): Promise<Record<string, string>> {
  const before = await creates()
  await app.db`
    update destination set publish_at = now(), due_at = now(), expires_at = now() + interval '1 day'
    where  post_id = ${postId} and due_at is not null`
  await app.db.notify('postrider_due', '')
  const statuses = async () => {
    const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
    return body.destinations.map(({ status }: { status: string }) => status)
  }
  const over = expect.arrayContaining([expect.not.stringMatching(/^(published|cancelled)$/)])
  await expect.poll(statuses, { timeout: 30_000 }).not.toEqual(over)
  const made = [...(await creates())].filter(([text, count]) => count !== before.get(text))
  return Object.fromEntries(made.map(([text]) => text.split(/: (.*)/s).slice(0, 2)))
}

/** Sends what is in the composer; the id of its post. */
async function send(page: Page, button: string | RegExp): Promise<string> {
  await page.getByRole('button', { name: button }).click()
  await page.waitForURL(/\/posts\/[0-9a-f-]+$/)
  return page.url().split('/').at(-1)!
}

test('looking at the text of a channel changes nothing: what is typed afterwards reaches it', async () => {
  const page = await world.open(world.desk, 'compose')
  await choose(page, 'Alpha', 'Beta')
  await textBox(page).fill('We ship today')
  await tabOf(page, 'Alpha').click()
  await tabOf(page, 'Beta').click()
  await tabOf(page, 'Shared text').click()
  await textBox(page).fill('We ship tomorrow 🚢\n\nReally “tomorrow”.')
  await page.getByText('You are writing for both channels.', { exact: true }).waitFor()
  await words(page).fill('in 2 hours')
  const last = await shown(page)
  expect(Object.keys(last)).toEqual(['Alpha', 'Beta'])
  expect(await publishedNow(await send(page, /^Schedule/))).toEqual(last)
})

test('a channel that is given its own text keeps it, and follows again by one click', async () => {
  const page = await world.open(world.desk, 'compose')
  await choose(page, 'Alpha', 'Beta', 'Gamma')
  await textBox(page).fill('For all')
  await tabOf(page, 'Alpha').click()
  await textBox(page).fill('For Alpha alone')
  await tabOf(page, 'Beta').click()
  await textBox(page).fill('For Beta alone')
  await tabOf(page, 'Shared text').click()
  await textBox(page).fill('For all who follow')
  await page
    .getByText('You are writing for 1 of 3 channels: Gamma. Alpha and Beta have their own texts.', {
      exact: true,
    })
    .waitFor()
  await tabOf(page, 'Beta').click()
  await page.getByRole('button', { name: 'Follow the shared text again' }).click()
  await expect.poll(() => textBox(page).inputValue()).toBe('For all who follow')
  await words(page).fill('in 2 hours')
  const last = await shown(page)
  expect(last).toEqual({ Alpha: 'For Alpha alone', Beta: 'For all who follow', Gamma: 'For all who follow' })
  expect(await publishedNow(await send(page, /^Schedule/))).toEqual(last)
})

/** A post that an agent scheduled, for tomorrow. */
async function aScheduled(texts: Record<string, string>): Promise<string> {
  const targets = Object.entries(texts).map(([name, text]) => ({ channelId: channelIds.get(name), text }))
  const { body } = await app.ask('POST', '/agent/v1/posts', {
    body: {
      confirmed: true,
      idempotencyKey: crypto.randomUUID(),
      state: 'scheduled',
      targets,
      publishAt: new Date(Date.now() + 86_400_000).toISOString(),
    },
  })
  return body.postId
}

test('an edit opens on what the channels use, says whom it reaches, and changes just that', async () => {
  const postId = await aScheduled({ Alpha: 'Own of Alpha', Beta: 'Common', Gamma: 'Common' })
  const page = await world.open(world.desk, `compose?postId=${postId}`)
  await expect.poll(() => textBox(page).inputValue()).toBe('Common')
  await page
    .getByText('You are writing for 2 of 3 channels: Beta and Gamma. Alpha has its own text.', {
      exact: true,
    })
    .waitFor()
  const save = page.getByRole('button', { name: 'Save changes' })
  await expect.poll(() => save.isDisabled()).toBe(true)
  await textBox(page).fill('Common, corrected')
  await page.getByText('Changes the text on Beta and Gamma.', { exact: true }).waitFor()
  await tabOf(page, 'Alpha').click()
  await expect.poll(() => textBox(page).inputValue()).toBe('Own of Alpha')
  const last = await shown(page)
  expect(await send(page, 'Save changes')).toBe(postId)
  await page.getByText('Text changed on Beta and Gamma.', { exact: true }).waitFor()
  expect(last).toEqual({ Alpha: 'Own of Alpha', Beta: 'Common, corrected', Gamma: 'Common, corrected' })
  expect(await publishedNow(postId)).toEqual(last)
})

test('the text of the one channel that is left can be reached, and nothing is said to be saved that is not', async () => {
  const postId = await aScheduled({ Alpha: 'Of Alpha', Beta: 'Of Beta' })
  const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
  const [{ channelId, controlToken }] = body.destinations
  await app.ask('POST', `/agent/v1/posts/${postId}/cancel`, {
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { confirmed: true, channelId, controlToken },
  })
  const page = await world.open(world.desk, `compose?postId=${postId}`)
  await expect.poll(() => textBox(page).inputValue()).toBe('Of Beta')
  const save = page.getByRole('button', { name: 'Save changes' })
  await textBox(page).fill('Of Beta!')
  await save.and(page.locator(':enabled')).waitFor()
  await textBox(page).fill('Of Beta')
  await page.getByText('Nothing that will be published has changed.', { exact: true }).waitFor()
  await expect.poll(() => save.isDisabled()).toBe(true)
  await textBox(page).fill('Of Beta, better')
  const last = await shown(page)
  await send(page, 'Save changes')
  expect(last).toEqual({ Beta: 'Of Beta, better' })
  expect(await publishedNow(postId)).toEqual(last)
})

test('one edit changes text, time and channels, and says what it will do and what it did', async () => {
  const postId = await aScheduled({ Alpha: 'First version', Beta: 'First version' })
  const page = await world.open(world.desk, `compose?postId=${postId}`)
  await textBox(page).fill('Second version')
  await words(page).fill('1 Dec 2027 18:00 Berlin')
  await page.getByRole('checkbox', { name: 'Beta', exact: true }).uncheck()
  await choose(page, 'Gamma')
  const change = 'Alpha for Wed, 1 Dec 2027, 17:00 in UTC.'
  await page
    .getByText(
      `Changes the text on Alpha. Schedules ${change} Adds Gamma, for Wed, 1 Dec 2027, 17:00 in UTC. Cancels the post on Beta permanently.`,
      { exact: true },
    )
    .waitFor()
  const last = await shown(page)
  await send(page, 'Save changes')
  await page
    .getByText(
      new RegExp(
        `^Text changed on Alpha. Scheduled ${change} Added Gamma, .* Cancelled on Beta permanently.$`,
      ),
    )
    .waitFor()
  const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
  const found = body.destinations.map(({ displayName, status, publishAt }: Record<string, string>) => [
    displayName,
    status,
    status === 'cancelled' ? null : publishAt,
  ])
  expect(found).toEqual(
    expect.arrayContaining([
      ['Alpha', 'scheduled', '2027-12-01T17:00:00.000Z'],
      ['Beta', 'cancelled', null],
      ['Gamma', 'scheduled', '2027-12-01T17:00:00.000Z'],
    ]),
  )
  expect(last).toEqual({ Alpha: 'Second version', Gamma: 'Second version' })
  expect(await publishedNow(postId)).toEqual(last)
})

test('channels have times of their own where the writer wishes, read back in words, and an edit shows and moves each', async () => {
  const page = await world.open(world.desk, 'compose')
  await choose(page, 'Alpha', 'Beta', 'Gamma')
  await textBox(page).fill('Each at its time')
  await words(page).fill('1 Dec 2027 18:00')
  const ownTime = (name: string) =>
    page.getByRole('group', { name: 'Different times' }).getByRole('textbox', { name, exact: true })
  expect(await ownTime('Alpha').count()).toBe(0)
  await page.getByRole('checkbox', { name: /^Different times/ }).press('Space')
  await ownTime('Beta').fill('whenever')
  const schedule = page.getByRole('button', { name: /^Schedule/ })
  await page.getByText('Choose a time.', { exact: true }).waitFor()
  expect(await schedule.isDisabled()).toBe(true)
  await ownTime('Beta').fill('2 Dec 2027 9:00')
  const each = 'Alpha and Gamma: Wed, 1 Dec 2027, 18:00; Beta: Thu, 2 Dec 2027, 09:00 in UTC'
  await page.getByText(each, { exact: true }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  const last = await shown(page)
  const postId = await send(page, /^Schedule/)
  await page.getByText(`Scheduled. ${each}.`, { exact: true }).waitFor()
  const times = async () => {
    const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
    return Object.fromEntries(
      body.destinations.map((one: Record<string, string>) => [one['displayName'], one['publishAt']]),
    )
  }
  const [six, nine] = ['2027-12-01T18:00:00.000Z', '2027-12-02T09:00:00.000Z']
  expect(await times()).toEqual({ Alpha: six, Beta: nine, Gamma: six })

  await page.getByRole('link', { name: 'Edit' }).click()
  await expect.poll(() => ownTime('Beta').inputValue()).toMatch(/2 Dec/)
  expect(await ownTime('Alpha').inputValue()).toBe('')
  await page.getByText('Nothing that will be published has changed.', { exact: true }).waitFor()
  await ownTime('Gamma').fill('3 Dec 2027 9:00')
  await page.getByText('Schedules Gamma for Fri, 3 Dec 2027, 09:00 in UTC.', { exact: true }).waitFor()
  await send(page, 'Save changes')
  expect(await times()).toEqual({ Alpha: six, Beta: nine, Gamma: '2027-12-03T09:00:00.000Z' })
  const list = await world.open(world.desk, 'posts')
  await list
    .getByRole('link', { name: /Each at its time/ })
    .getByText('1 Dec 2027, 18:00 and 2 more times', { exact: true })
    .waitFor()
  await list.close()
  expect(await publishedNow(postId)).toEqual(last)
})

test('an edited post is no repetition of itself, and its page tells what was changed, by whom, and from when to when', async () => {
  const postId = await aScheduled({ Alpha: 'Said once' })
  const repeats = (page: Page) => page.getByText(/Another post with the same text is on this channel/)
  const copy = await world.open(world.desk, 'compose')
  await choose(copy, 'Alpha')
  await textBox(copy).fill('Said once')
  await words(copy).fill('in 12 hours')
  await repeats(copy).waitFor()
  // In people's times, not in the API's.
  await expect
    .poll(() => repeats(copy).textContent())
    .toMatch(/within 24 hours \(\w{3},? \d+ \w{3}.*, \d\d:\d\d\)/)

  const page = await world.open(world.desk, `compose?postId=${postId}`)
  const checked = page.waitForResponse((answer) => answer.url().endsWith('/post-checks'))
  await words(page).fill('in 3 hours')
  expect(((await (await checked).json()) as { issues: unknown[] }).issues).toEqual([])
  expect(await repeats(page).count()).toBe(0)
  await textBox(page).fill('Said once, and better')
  await send(page, 'Save changes')
  await expect.poll(() => page.title()).toBe('Said once, and better · Postrider')
  const happened = page.getByRole('list', { name: 'What happened on Alpha' })
  await happened.getByText(/^Ada changed the .*text/).waitFor()
  await happened.getByText(/^Moved from .+ to .+\.$/).waitFor()
})

test('what is written is counted before it has a time, and where every channel has its own text', async () => {
  const page = await world.open(world.desk, 'compose')
  await choose(page, 'Alpha', 'Beta')
  await textBox(page).fill('Count me')
  expect(await words(page).inputValue()).toBe('')
  const counts = (count: number) => page.getByText(`Sandbox (short posts) ${count} / 280`, { exact: true })
  await counts(8).waitFor()
  for (const name of ['Alpha', 'Beta']) {
    await tabOf(page, name).click()
    await textBox(page).fill(`Of ${name} alone`)
  }
  await tabOf(page, 'Shared text').click()
  await counts(8).waitFor()
})

test('a draft on several channels is scheduled at once', async () => {
  const page = await world.open(world.desk, 'compose')
  await choose(page, 'Alpha', 'Beta')
  await textBox(page).fill('A draft for two')
  await page.getByRole('radio', { name: 'Save as draft' }).check()
  const last = await shown(page)
  const postId = await send(page, 'Save draft')
  await page.getByRole('button', { name: 'Schedule on all channels' }).click()
  const dialog = page.getByRole('dialog', { name: 'Schedule draft' })
  await dialog.getByText('Will be published on Alpha and Beta.', { exact: true }).waitFor()
  await words(page).fill('in 3 hours')
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await publishedNow(postId)).toEqual(last)
})

test('several posts are begun side by side, and none is lost by another, a reload or a copy of its tab', async () => {
  await using profile = await world.browser.profile({ storageState: await world.desk.storageState() })
  const one = await world.open(profile, 'compose')
  await textBox(one).fill('The first post')
  const two = await world.open(profile, 'compose')
  expect(await textBox(two).inputValue()).toBe('')
  await textBox(two).fill('The second post')
  for (const [page, text] of [
    [one, 'The first post'],
    [two, 'The second post'],
  ] as const) {
    await page.reload()
    await settled(page)
    expect(await textBox(page).inputValue()).toBe(text)
  }

  // The same address in another tab: each keeps its own.
  const copy = await profile.newPage()
  await copy.goto(one.url())
  await settled(copy)
  const told = [one, copy].map((page) => page.getByText(/also open in another tab/).waitFor())
  await textBox(one).fill('The first post, in its tab')
  await textBox(copy).fill('The first post, in the copy')
  await Promise.all(told)
  await textBox(copy).fill('The first post, gone on with in the copy')
  await one.reload()
  await settled(one)
  expect(await textBox(one).inputValue()).toBe('The first post, in its tab')

  // A tab that was closed is found again from the next new post, and what is discarded can be put back.
  await two.close()
  const next = await world.open(profile, 'compose')
  const unfinished = next.getByRole('list', { name: 'Unfinished posts' })
  expect(await unfinished.getByRole('link').allTextContents()).toEqual(
    expect.arrayContaining([
      'The second post',
      'The first post, in its tab',
      'The first post, gone on with in the copy',
    ]),
  )
  await unfinished.getByRole('link', { name: 'The second post' }).click()
  await next.getByRole('button', { name: 'Discard', exact: true }).click()
  await expect.poll(() => textBox(next).inputValue()).toBe('')
  await next.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => textBox(next).inputValue()).toBe('The second post')
})

test('a time is read with its zone and read back in words; what is not understood is no time', async () => {
  const page = await world.open(world.desk, 'compose')
  await expect.poll(() => page.getByRole('radio', { name: /^Schedule/ }).isChecked()).toBe(true)
  await choose(page, 'Alpha')
  await textBox(page).fill('At nine in New York')
  const schedule = page.getByRole('button', { name: /^Schedule/ })
  await page.getByText('Choose a time.', { exact: true }).waitFor()

  await words(page).fill('15 Jan 2027 9am EST')
  await page.getByText('Fri, 15 Jan 2027, 09:00 in New York', { exact: true }).waitFor()
  await page.getByText(/Fri, 15 Jan 2027, 14:00 in UTC\. Fri, 15 Jan 2027, 15:00 for you\./).waitFor()
  await schedule.and(page.locator(':enabled')).waitFor()

  await words(page).fill('gibberish xyz')
  await page.getByText(/^Postrider does not understand “gibberish xyz”/).waitFor()
  await expect.poll(() => schedule.isDisabled()).toBe(true)
  await words(page).fill('1 Jan 2026 9:00')
  await page.getByText(/^That is in the past/).waitFor()
  await expect.poll(() => schedule.isDisabled()).toBe(true)

  await words(page).fill('15 Jan 2027 9am')
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
  await page.getByText('Fri, 15 Jan 2027, 09:00 in Tokyo', { exact: true }).waitFor()
  const postId = await send(page, /^Schedule/)
  const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
  expect(body.destinations[0].publishAt).toBe('2027-01-15T00:00:00.000Z')
})

test('the first day of the week and the clock are as the person wants them, in every browser', async () => {
  const page = await world.open(world.desk, 'settings')
  await page.getByLabel('Week starts on').selectOption('Sunday')
  await page.getByText('Your settings were saved.', { exact: true }).waitFor()
  await page
    .locator('select:enabled')
    .and(page.getByLabel('Clock', { exact: true }))
    .selectOption('12h')
  await expect
    .poll(() => app.db`select week_start, clock from person where week_start is not null`)
    .toEqual([{ week_start: 'sunday', clock: '12h' }])

  await using elsewhere = await world.browser.profile({ storageState: await world.desk.storageState() })
  const calendar = await world.open(elsewhere, 'calendar?view=week&day=2027-01-13')
  await calendar.getByRole('listitem', { name: 'Sunday 10 January' }).waitFor()
  const days = await calendar.getByRole('listitem', { name: /January$/ }).all()
  await expect.poll(() => days[0]!.getAttribute('aria-label')).toBe('Sunday 10 January')
  const composer = await world.open(elsewhere, 'compose')
  await words(composer).fill('15 Jan 2027 18:00')
  await composer.getByText(/^Fri, 15 Jan 2027, 0?6:00\spm in UTC$/).waitFor()
})

/** Files of one colour each, so many pixels wide and high. */
async function pictures(page: Page, sizes: readonly (readonly [number, number])[]) {
  const drawn = sizes.map(([width, height], at) =>
    page.evaluate(`(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: ${width}, height: ${height} })
      const target = canvas.getContext('2d')
      target.fillStyle = 'hsl(${at * 90} 60% 50%)'
      target.fillRect(0, 0, ${width}, ${height})
      return canvas.toDataURL('image/png').split(',')[1]
    })()`),
  )
  return (await Promise.all(drawn)).map((base64, at) => ({
    name: `${at}.png`,
    mimeType: 'image/png',
    buffer: Buffer.from(String(base64), 'base64'),
  }))
}

test('media are found, described, put in order and cropped, and go out so', async () => {
  const page = await world.open(world.desk, 'media')
  // What fades in has no contrast yet.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.getByLabel('Choose files').setInputFiles(
    await pictures(page, [
      [600, 200],
      [300, 300],
      [200, 300],
    ]),
  )
  const upload = page.getByRole('dialog', { name: 'Add media' })
  for (const altText of ['A wide harbor', 'A square', 'Never used']) {
    // The dialog of the next file.
    await expect.poll(() => upload.getByLabel('Alt text').inputValue()).toBe('')
    await upload.getByLabel('Alt text').fill(altText)
    await upload.getByRole('button', { name: 'Upload', exact: true }).click()
  }
  await upload.waitFor({ state: 'detached' })

  await page.goto(`${world.workspaceUrl}/compose`)
  await settled(page)
  await choose(page, 'Alpha')
  await textBox(page).fill('Two pictures')
  await page.getByRole('button', { name: 'Media', exact: true }).click()
  const library = page.getByRole('dialog', { name: 'Choose media' })
  for (const name of ['A wide harbor', 'A square']) await library.getByRole('checkbox', { name }).check()
  expect(await seriousFindings(page)).toEqual([])
  await library.getByRole('button', { name: 'Add 2 files' }).click()

  const strip = page.getByRole('main').getByRole('list', { name: 'Media' })
  const order = async () =>
    (await strip.getByRole('button', { name: /^Edit alt text: / }).allTextContents()).join()
  await expect.poll(order).toBe('A wide harbor,A square')
  const handle = (place: number) =>
    strip.getByRole('button', { name: `Move ${place} of 2: drag, or use the arrow keys` })
  await handle(1).press('ArrowRight')
  await expect.poll(order).toBe('A square,A wide harbor')
  await handle(2).and(page.locator(':focus')).waitFor()
  await strip.locator('[draggable=true]').last().waitFor()
  await strip.getByRole('listitem').first().dragTo(strip.getByRole('listitem').last())
  await expect.poll(order).toBe('A wide harbor,A square')

  await strip.getByRole('button', { name: 'Edit alt text: A square' }).click()
  const alt = page.getByRole('dialog', { name: 'Edit alt text' })
  await alt.getByLabel('Alt text').fill('A red square')
  await alt.getByRole('button', { name: 'Save alt text' }).click()
  await expect.poll(order).toBe('A wide harbor,A red square')

  await strip.getByRole('button', { name: 'Crop: A wide harbor' }).click()
  const crop = page.getByRole('dialog', { name: 'Crop image' })
  await crop.getByLabel('Ratio, width to height').selectOption('2:1')
  expect(await seriousFindings(page)).toEqual([])
  await crop.getByRole('button', { name: 'Use cropped image' }).click()
  await crop.waitFor({ state: 'detached' })
  await expect.poll(order).toBe('A wide harbor,A red square')
  expect(await seriousFindings(page)).toEqual([])

  await words(page).fill('in 2 hours')
  const postId = await send(page, /^Schedule/)
  await publishedNow(postId)
  const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
  expect(
    body.media.map((one: Record<string, unknown>) => [one['altText'], one['width'], one['height']]),
  ).toEqual([
    ['A wide harbor', 400, 200],
    ['A red square', 300, 300],
  ])

  await page.goto(`${world.workspaceUrl}/media`)
  await settled(page)
  const found = page.getByRole('list', { name: 'Media' }).getByRole('listitem')
  await page.getByLabel('Use', { exact: true }).selectOption('Not used yet')
  await expect.poll(() => found.count()).toBe(2)
  await page.getByRole('searchbox').fill('never')
  await expect.poll(() => found.count()).toBe(1)
  await page.getByRole('button', { name: 'Delete: Never used' }).click()
  const removal = page.getByRole('dialog', { name: 'Delete this file?' })
  await removal.getByRole('button', { name: 'Delete', exact: true }).click()
  await removal.waitFor({ state: 'detached' })
  await page.getByText('Nothing matches. Try other words, or all kinds.', { exact: true }).waitFor()

  // What is out stays as it was said.
  await page.getByRole('searchbox').fill('')
  await page.getByLabel('Use', { exact: true }).selectOption('Used in a post')
  await page.getByRole('button', { name: 'Edit alt text: A red square' }).click()
  await alt.getByLabel('Alt text').fill('A blue square')
  await alt.getByRole('button', { name: 'Save alt text' }).click()
  await alt.getByRole('alert').waitFor()
  const [{ n }] = await app.db<
    [{ n: number }]
  >`select count(*)::int as n from media_item where alt_text = 'A blue square'`
  expect(n).toBe(0)
})

test('a server that is away is said, nothing typed is lost, and what was asked for comes once it is back', async () => {
  const page = await world.open(world.desk, 'compose')
  await choose(page, 'Alpha')
  await page.route('**/*', (route) => route.abort())
  await textBox(page).fill('Written while the server was away')
  await page.getByText(/^What you type is saved in this browser, and checked/).waitFor()
  await page.getByText(/The server doesn’t answer/).waitFor()
  await page.getByText(/^Sandbox \(short posts\) about 33 \/ 280$/).waitFor()
  // Nothing of this screen was loaded before.
  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await page.getByText(/^The server doesn’t answer\. What is shown may be out of date\./).waitFor()
  await page.getByRole('navigation', { name: 'Main', exact: true }).waitFor()
  await page.unroute('**/*')
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  await page.getByText(/^The server doesn’t answer/).waitFor({ state: 'detached' })
  await page.goBack()
  await expect.poll(() => textBox(page).inputValue()).toBe('Written while the server was away')
  await page.getByText(/^Sandbox \(short posts\) 33 \/ 280$/).waitFor()
})

test('what was used before is suggested, and Enter stays a new line until one is gone to', async () => {
  await app.ask('POST', '/agent/v1/posts', {
    body: {
      confirmed: true,
      idempotencyKey: crypto.randomUUID(),
      state: 'draft',
      channelIds: [channelIds.get('Alpha')],
      text: 'Fresh #coffeebeans by @ada.example',
    },
  })
  const page = await world.open(world.desk, 'compose')
  await textBox(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('More #Coff')
  const list = page.getByRole('listbox', { name: 'Used before' })
  await list.getByRole('option', { name: '#coffeebeans' }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('Enter')
  await expect.poll(() => textBox(page).inputValue()).toBe('More #Coff\n')
  await page.keyboard.type('by @a')
  await list.waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.type('and #coffee')
  await list.getByRole('option', { name: '#coffeebeans' }).click()
  await page.keyboard.type('now')
  await expect.poll(() => textBox(page).inputValue()).toBe('More #Coff\nby @ada.example and #coffeebeans now')
})

test('no tab logged an error, or asked another host', () => {
  // An alt text that is out was refused, and a server was away.
  expectNoFaults(world.browser, [/status of 409 .*\/media\/[^/]+$/, /net::ERR_FAILED/])
})
