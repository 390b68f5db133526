import type { Series } from '@postrider/contract'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { aChannel } from '../rigs/fixtures.ts'
import { DESKTOP, PHONE, seriousFindings, sees, settled } from './browser.ts'
import { type DashboardWorld, expectNoFaults, inDays, openDashboardWorld } from './dashboard-world.ts'

/* Series in a real browser, by the keyboard. */

vi.setConfig({ testTimeout: 120_000 })

let world: DashboardWorld
let channelId: string
let second: string
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  world = opened.use(await openDashboardWorld({}, { roles: 'api,webhooks,publisher' }))
  const { db, workspace } = world.app
  channelId = await aChannel(db, workspace.workspaceId, { displayName: 'Ada' })
  second = await aChannel(db, workspace.workspaceId, { displayName: 'Bob' })
})
afterAll(() => opened[Symbol.asyncDispose]())

const day = (days: number) => inDays(days).toISOString().slice(0, 10)

/** Puts the focus on a control, and presses keys on it. */
async function press(
  page: Page,
  name: string | RegExp,
  key: string,
  role: 'button' | 'checkbox' | 'radio' | 'link' = 'button',
) {
  const control = page.getByRole(role, { name, exact: typeof name === 'string' }).first()
  await control.focus()
  await control.press(key)
}

async function ask(path: string): Promise<any> {
  const { status, body } = await world.app.ask('GET', `/agent/v1${path}`)
  expect(status).toBe(200)
  return body
}

async function compose(context = world.desk): Promise<Page> {
  const page = await world.open(context, 'compose')
  await page.getByRole('checkbox', { name: /Ada/ }).press('Space')
  return page
}

let seriesId: string
const read = (): Promise<Series> => ask(`/series/${seriesId}`)

test('a weekly series is created in the composer, by the keyboard', async () => {
  const page = await compose()
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Tip of the week')
  await page.getByRole('textbox', { name: 'Publish at' }).fill(`${day(1)} 9:00`)
  await press(page, /^Repeat/, 'Space', 'checkbox')
  const times = page.getByRole('spinbutton', { name: 'Number of times' })
  await times.fill('')
  await sees(page, 'Choose how often it repeats, and when that ends.')
  await expect.poll(() => page.getByRole('button', { name: 'Create series' }).isDisabled()).toBe(true)
  await times.fill('2000')
  await sees(page, /COUNT.* takes a number from 1 to/)
  await expect.poll(() => page.getByRole('button', { name: 'Create series' }).isDisabled()).toBe(true)
  await times.fill('4')
  await sees(page, /^Publishes (?!it)/)
  expect(await seriousFindings(page)).toEqual([])
  await press(page, 'Create series', 'Enter')
  await page.waitForURL(/\/series\/[^/]+$/)
  seriesId = page.url().split('/').at(-1)!
  await sees(page, /^Every week on .* at 09:00 in UTC, 4 times$/)
  const list = page.getByRole('list', { name: 'Occurrences' })
  await expect.poll(() => list.getByRole('listitem').count()).toBe(4)
  // The first is within seven days: its post is made while the page is open, which shows it.
  await list.getByRole('link', { name: /^Open post of/ }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  const series = await read()
  expect(series).toMatchObject({ text: 'Tip of the week', channelIds: [channelId], status: 'active' })
  expect(series.startsAt).toEqual({ local: `${day(1)}T09:00`, timeZone: 'UTC' })
  expect(series.occurrences.map(({ date }) => date)).toEqual([1, 8, 15, 22].map(day))
  await page.close()
})

test('the post of an occurrence leads to its series, from the calendar, too', async () => {
  const page = await world.open(world.desk, `calendar?view=week&day=${day(1)}`)
  await press(page, /Tip of the week/, 'Enter', 'link')
  await page.waitForURL(/\/posts\//)
  await press(page, 'Part of a series', 'Enter', 'link')
  await page.waitForURL(`**/series/${seriesId}`)
  await sees(page, /^Every week on .* at 09:00 in UTC, 4 times$/)
  expect(await seriousFindings(page)).toEqual([])
  await page.close()
})

test('an occurrence is skipped, and its post cancelled', async () => {
  const page = await world.open(world.desk, 'series')
  await sees(page, 'Active')
  expect(await seriousFindings(page)).toEqual([])
  await press(page, 'Tip of the week', 'Enter', 'link')
  const postId = (await read()).occurrences[0]!.postId!
  await press(page, /^Skip/, 'Enter')
  await sees(page, /^Skipped: /)
  await sees(page, /^Posts cancelled: /)
  expect((await read()).occurrences.map(({ status }) => status)).toEqual([
    'skipped',
    ...Array(3).fill('planned'),
  ])
  const post = await ask(`/posts/${postId}`)
  expect(post.destinations[0].status).toBe('cancelled')

  await press(page, /^Don’t skip/, 'Enter')
  await sees(page, /^Planned again: /)
  await page.getByRole('link', { name: /^Open post of/ }).waitFor()
  expect((await read()).occurrences[0]!.postId).not.toBe(postId)
  await page.close()
})

test('later ones are edited: their posts say the new text at the new time, and what changed is said', async () => {
  const page = await world.open(world.desk, `series/${seriesId}`)
  const before = (await read()).occurrences[0]!.postId!
  await press(page, /^Edit .+…$/, 'Enter')
  const dialog = page.getByRole('dialog', { name: 'Edit series' })
  const later = dialog.getByRole('radio', { name: 'This and later ones' })
  await expect.poll(() => later.isChecked()).toBe(true)
  await dialog.getByLabel('Text', { exact: true }).fill('A better tip')
  await dialog.getByLabel('Time of day in UTC').fill('10:30')
  expect(await seriousFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save changes' }).press('Enter')
  await sees(page, /^Posts cancelled: /)
  await sees(page, /^Every week on .* at 10:30 in UTC, 4 times$/)
  await expect.poll(async () => (await read()).occurrences[0]!.postId ?? before).not.toBe(before)
  const post = await ask(`/posts/${(await read()).occurrences[0]!.postId}`)
  expect(post.content.text).toBe('A better tip')
  expect(post.destinations[0]).toMatchObject({
    status: 'scheduled',
    publishAt: `${day(1)}T10:30:00.000Z`,
  })

  // One alone, whose post is not made yet.
  await page
    .getByRole('button', { name: /^Edit .+…$/ })
    .nth(1)
    .press('Enter')
  await dialog.getByRole('radio', { name: 'This occurrence only' }).press('Space')
  await dialog.getByLabel('Text', { exact: true }).fill('Only this')
  await dialog.getByRole('button', { name: 'Save changes' }).press('Enter')
  await sees(page, 'Series changed.')
  await expect
    .poll(async () => (await read()).occurrences.map(({ text }) => text))
    .toEqual(['A better tip', 'Only this', ...Array(2).fill('A better tip')])
  await page.close()
})

test('one that has a long text of its own keeps all of it, and a day left out stays so, whatever else is edited', async () => {
  const targets = [channelId, second].map((id, at) => ({ channelId: id, text: `Tip for ${at}` }))
  const own = targets.map((one) => ({ ...one, text: `${one.text}, ${'and more '.repeat(25)}to the end` }))
  const create = {
    confirmed: true,
    rule: 'FREQ=DAILY;COUNT=30',
    except: [day(20)],
    targets,
    startsAt: { local: `${day(10)}T09:00`, timeZone: 'UTC' },
  }
  const { body: made } = await world.app.ask('POST', '/agent/v1/series', {
    body: { ...create, idempotencyKey: 'own-texts' },
  })
  const path = `/series/${made.seriesId}`
  const only = day(12)
  await world.app.ask('POST', `/agent/v1${path}/edit`, {
    body: { confirmed: true, editToken: made.editToken, only, targets: own },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  const page = await world.open(world.desk, path.slice(1))
  const dialog = page.getByRole('dialog', { name: 'Edit series' })
  const save = dialog.getByRole('button', { name: 'Save changes' })
  await page
    .getByRole('button', { name: /^Edit .+…$/ })
    .nth(2)
    .press('Enter')
  await dialog.getByRole('radio', { name: 'This occurrence only' }).press('Space')
  const text = dialog.getByRole('textbox', { name: /Ada/ })
  await expect.poll(() => text.inputValue()).toBe(own[0]!.text)
  await text.fill(`${own[0]!.text}.`)
  await save.press('Enter')
  await sees(page, 'Series changed.')
  const kept = (await ask(`${path}?only=${only}`)).occurrences[0].content.targets
  expect(kept.map((one: { text: string }) => one.text)).toEqual([`${own[0]!.text}.`, own[1]!.text])

  await press(page, 'Edit…', 'Enter')
  const closed = dialog.locator('summary').filter({ hasText: /^Every day/ })
  await closed.press('Enter')
  const interval = dialog.getByRole('spinbutton', { name: 'Repeat every' })
  await interval.fill('2')
  await interval.fill('1')
  await dialog.getByRole('textbox', { name: /Ada/ }).fill('A corrected tip')
  await save.press('Enter')
  await expect.poll(async () => (await ask(path)).targets[0].text).toBe('A corrected tip')
  expect((await ask(path)).except).toEqual([day(20)])
  await page.close()
})

test('rule and channels are edited by the keyboard, and what that does to posts is said before it is saved', async () => {
  const page = await world.open(world.desk, `series/${seriesId}`)
  await press(page, 'Edit…', 'Enter')
  const dialog = page.getByRole('dialog', { name: 'Edit series' })
  const save = dialog.getByRole('button', { name: 'Save changes' })
  expect(await save.isDisabled()).toBe(true)
  for (const summary of [/^On Ada$/, /^Every week on/]) {
    const closed = dialog.locator('summary').filter({ hasText: summary })
    await closed.focus()
    await closed.press('Enter')
  }
  await dialog.getByRole('checkbox', { name: 'Ada' }).press('Space')
  await sees(dialog, 'Choose a channel.')
  expect(await save.isDisabled()).toBe(true)
  await dialog.getByRole('checkbox', { name: 'Ada' }).press('Space')
  await dialog.getByRole('checkbox', { name: 'Bob' }).press('Space')
  const times = dialog.getByRole('spinbutton', { name: 'Number of times' })
  await times.fill('2000')
  await sees(dialog, /COUNT.* takes a number from 1 to/)
  await times.fill('3')
  await sees(dialog, /^Cancels the posts of /)
  await sees(dialog, /^Publishes (?!it)/)
  expect((await read()).rule).toMatch(/COUNT=4$/)
  expect(await seriousFindings(page)).toEqual([])
  await save.press('Enter')
  await sees(page, /^Every week on .* at 10:30 in UTC, 3 times$/)
  await sees(page, /^Posts cancelled: /)
  const { channelIds, occurrences } = await read()
  expect(channelIds).toEqual([channelId, second])
  expect(occurrences.map(({ text }) => text)).toEqual(['A better tip', 'Only this', 'A better tip'])
  await page.close()
})

test('a series is paused and resumed, and ended only once that is confirmed', async () => {
  const page = await world.open(world.desk, `series/${seriesId}`)
  await press(page, 'Pause', 'Enter')
  await sees(page, 'Paused')
  expect((await read()).status).toBe('paused')
  await press(page, 'Resume', 'Enter')
  await sees(page, 'Active')
  await page.getByRole('link', { name: /^Open post of/ }).waitFor()
  await press(page, 'End…', 'Enter')
  expect(await seriousFindings(page)).toEqual([])
  await press(page, 'Go back', 'Enter')
  expect((await read()).status).toBe('active')
  await press(page, 'End…', 'Enter')
  await press(page, 'End series', 'Enter')
  await sees(page, 'Ended')
  expect((await read()).status).toBe('ended')
  await expect.poll(() => page.getByRole('button', { name: /^(Skip|Edit|Pause|End)/ }).count()).toBe(0)
  await page.close()
})

test('a time that a change of the clocks leaves out names its day, and can be left out', async () => {
  const page = await compose()
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('At night')
  await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Europe/Berlin')
  const year = new Date().getUTCFullYear() + 1
  await page.getByRole('textbox', { name: 'Publish at' }).fill(`${year}-03-01 2:30`)
  await press(page, /^Repeat/, 'Space', 'checkbox')
  await page.getByRole('combobox', { name: 'Unit' }).selectOption('days')
  await page.getByRole('spinbutton', { name: 'Number of times' }).fill('31')
  await sees(page, /^Clocks change: this time doesn’t exist, or exists twice, on \d+ Mar/)
  await expect.poll(() => page.getByRole('button', { name: 'Create series' }).isDisabled()).toBe(true)
  expect(await seriousFindings(page)).toEqual([])
  await press(page, /^Leave out/, 'Enter')
  await sees(page, /^Left out: \d+ Mar/)
  await sees(page, /^Publishes (?!it)/)
  await press(page, 'Create series', 'Enter')
  await page.waitForURL(/\/series\/[^/]+$/)
  const series: Series = await ask(`/series/${page.url().split('/').at(-1)}`)
  expect(series.except).toHaveLength(1)
  expect(series.occurrences).toHaveLength(30)
  await page.close()
})

test('a viewer sees series and changes none, in German and on a phone', async () => {
  const storageState = await world.signedIn(await world.aMember('approver'))
  await using german = await world.browser.profile({ ...DESKTOP, storageState, locale: 'de-DE' })
  const page = await world.open(german, 'series')
  await page.getByRole('link', { name: 'At night' }).press('Enter')
  await sees(page, /^Jeden Tag um 02:30 in Berlin, 31-mal$/)
  expect(await page.getByRole('button', { name: /auslassen|Pausieren|Bearbeiten/ }).count()).toBe(0)
  await using phone = await world.browser.profile({ ...PHONE, storageState })
  const small = await world.open(phone, new URL(page.url()).pathname.split('/').slice(3).join('/'))
  await settled(small)
  expect(await seriousFindings(small)).toEqual([])
})

test('nothing threw, or failed but what was refused', () => {
  expectNoFaults(world.browser, [/status of 4\d\d .*\/series$/, /status of 400 .*\/edit$/])
})
