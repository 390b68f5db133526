import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChannel, aPost } from '../rigs/fixtures.ts'
import { DESKTOP, PHONE, seriousFindings, settled } from './browser.ts'
import { type DashboardWorld, expectNoFaults, nextWeek, openDashboardWorld } from './dashboard-world.ts'

/* Posting times and the queue in a real browser, mostly by the keyboard alone. */

let world: DashboardWorld
let desk: BrowserContext
let channelId: string
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  world = opened.use(await openDashboardWorld({}))
  desk = world.desk
  channelId = await aChannel(world.app.db, world.app.workspace.workspaceId, { displayName: 'Ada' })
})
afterAll(() => opened[Symbol.asyncDispose]())

const day = (at: Date) => at.toISOString().slice(0, 10)
const tuesday = () => `${day(nextWeek(2))}T09:00:00.000Z`

async function planned(): Promise<{ text: string; at: string; queued: boolean }[]> {
  const rows = await world.app.db<{ text: string; at: Date; queued: boolean }[]>`
    select p.text, d.publish_at as at, d.queued
    from   destination d
    join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id
    where  d.channel_id = ${channelId} and d.status = 'scheduled' order by d.publish_at`
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

/** Presses Tab until this has the focus. */
async function tabTo(page: Page, target: ReturnType<Page['getByRole']>): Promise<void> {
  for (let presses = 0; presses < 150; presses++) {
    if (await target.evaluate((element) => element.matches(':focus'))) return
    await page.keyboard.press('Tab')
  }
  throw new Error('the keyboard does not reach it')
}

test('posting times are set by the keyboard, and what is no time is said where it stands', async () => {
  const page = await world.open(desk, 'channels')
  await tabTo(page, page.getByRole('button', { name: 'More for Ada' }))
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Posting times…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Posting times of Ada' })
  await tabTo(page, dialog.getByLabel('Tuesday'))
  await page.keyboard.type('9, 25:00')
  await dialog.getByText('25:00 is not a time of day.').waitFor()
  await expect.poll(() => dialog.getByRole('button', { name: 'Save posting times' }).isDisabled()).toBe(true)
  expect(await seriousFindings(page)).toEqual([])
  for (let n = 0; n < 5; n++) await page.keyboard.press('Backspace')
  await page.keyboard.type('18:30')
  await page.keyboard.press('Enter')
  await page.getByText('Posting times saved for Ada.').waitFor()
  await page.getByText('2 posting times a week').waitFor()
  const [{ times }] = await world.app.db<[{ times: number[] }]>`
    select posting_times as times from channel where id = ${channelId}`
  expect(times).toEqual([1_440 + 540, 1_440 + 1_110])
  await page.close()
})

test('a post is added to the queue by the keyboard, with the time in words before it is', async () => {
  const page = await world.open(desk, 'compose')
  await page.getByRole('checkbox', { name: /Ada/ }).check()
  await page.getByLabel('Text', { exact: true }).first().fill('Queued by keys')
  const choice = page.getByRole('radio', { name: /^Add to queue/ })
  const schedule = page.getByRole('radio', { name: /^Schedule/ })
  await schedule.focus()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => choice.isChecked()).toBe(true)
  await page.getByRole('radio', { name: /^Add to queue Tue.*09:00 in UTC/ }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  const add = page.getByRole('button', { name: 'Add to queue' })
  await tabTo(page, add)
  await page.keyboard.press('Enter')
  await page.getByText(/^Scheduled for Tue.*09:00 in UTC, on Ada/).waitFor()
  await page.getByText('(in the queue)').waitFor()
  const [post] = await planned()
  expect(post).toMatchObject({ text: 'Queued by keys', queued: true })
  await page.close()
})

test('a week shows what is free; a draft that is dropped there takes it, and the keyboard begins a post on it', async () => {
  const { workspaceId } = world.app.workspace
  await world.app
    .db`update destination set status = 'cancelled', due_at = null where channel_id = ${channelId}`
  await aPost(world.app.db, workspaceId, {
    channelIds: [channelId],
    texts: ['Draft for a slot'],
    states: ['draft'],
  })
  const page = await world.open(desk, `calendar?view=week&day=${tuesday().slice(0, 10)}`)
  const free = page.getByRole('link', { name: /^09:00 free on Tue.*: new post on Ada/ })
  await free.waitFor()
  expect(await seriousFindings(page)).toEqual([])
  const tile = page.getByRole('link', { name: 'Draft for a slot' })
  await tile.dragTo(free)
  const dialog = page.getByRole('dialog', { name: 'Schedule draft' })
  await dialog.getByText('Takes this posting time in the queue of Ada.').waitFor()
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
  await page.getByText(/^Scheduled for Tue/).waitFor()
  await free.waitFor({ state: 'detached' })
  expect(await planned()).toEqual([{ text: 'Draft for a slot', at: tuesday(), queued: true }])

  const evening = page.getByRole('link', { name: /^18:30 free on Tue.*: new post on Ada/ })
  await evening.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('radio', { name: /^Use this posting time Tue.*18:30 in UTC/ }).waitFor()
  await expect.poll(() => page.getByRole('checkbox', { name: /Ada/ }).isChecked()).toBe(true)
  await page.getByLabel('Text', { exact: true }).first().fill('On the evening')
  await page.getByRole('button', { name: 'Add to queue' }).press('Enter')
  await page.getByText(/^Scheduled for Tue.*18:30 UTC\.$/).waitFor()
  expect((await planned())[1]).toMatchObject({ text: 'On the evening', queued: true })
  await page.close()
})

test('a month tells quietly how many are free, and leads to them', async () => {
  const page = await world.open(desk, `calendar?view=month&day=${tuesday().slice(0, 10)}`)
  const count = page.getByRole('link', { name: /^2 free posting times on Tuesday/ }).first()
  await count.waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await count.press('Enter')
  await page.getByRole('group', { name: 'Week by the hour' }).waitFor()
  await page.close()
})

test('other posting times leave what is queued, or move it as was shown', async () => {
  const page = await world.open(desk, 'channels')
  const edit = async (times: string) => {
    await page.getByRole('button', { name: 'More for Ada' }).click()
    await page.getByRole('menuitem', { name: 'Posting times…' }).click()
    await page.getByLabel('Tuesday').fill(times)
    await page.getByRole('button', { name: 'Save posting times' }).click()
  }
  await edit('10:00, 19:00')
  await page.getByText('2 queued posts would get a different time').waitFor()
  await page.getByText(/09:00 → .*10:00/).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Save posting times' }).press('Enter')
  await page.getByText('Posting times saved for Ada.').waitFor()
  expect((await planned()).map(({ at }) => at.slice(11, 16))).toEqual(['09:00', '18:30'])

  await edit('10:00, 19:00, 20:00')
  await page.getByRole('radio', { name: /^Leave them/ }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByText('3 posting times a week').waitFor()
  const moved = await planned()
  expect(
    moved.map(({ at, queued }) => queued && ['10:00', '19:00', '20:00'].includes(at.slice(11, 16))),
  ).toEqual([true, true])
  await page.close()
})

test('whoever reads German finds the same, and a phone has room for it', async () => {
  const storageState = await world.signedIn(await world.aMember('owner'))
  await using german = await world.browser.profile({ ...DESKTOP, storageState, locale: 'de-DE' })
  const page = await world.open(german, `calendar?view=week&day=${tuesday().slice(0, 10)}`)
  await page.getByRole('link', { name: /^20:00 frei am .*: neuer Beitrag auf Ada/ }).waitFor()
  await page.goto(`${world.workspaceUrl}/channels`)
  await page.getByText('3 Veröffentlichungszeiten pro Woche').waitFor()
  await using phone = await world.browser.profile({ ...PHONE, storageState })
  const small = await world.open(phone, `calendar?view=week&day=${tuesday().slice(0, 10)}`)
  await small.getByRole('link', { name: /^20:00 free on .*: new post on Ada/ }).waitFor()
  expect(await seriousFindings(small)).toEqual([])
  await settled(small)
})

test('nothing threw, or failed', () => {
  expectNoFaults(world.browser, [])
})
