import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSession } from '../../src/people/sign-in/session/session-store.ts'
import { type AiDouble, drafts, openAiDouble } from '../doubles/ai-double.ts'
import { aChannel, anAttempt, aPost } from '../rigs/fixtures.ts'
import { root } from '../rigs/product.ts'
import type { RunningApp } from '../rigs/running-app.ts'
import { DESKTOP, PHONE, sees, settled, type TestBrowser } from './browser.ts'
import {
  type DashboardWorld,
  expectNoFaults,
  inDays,
  nextWeek,
  openDashboardWorld,
} from './dashboard-world.ts'

/* What people do every day, in a real browser, against the app on a database of its own. */

let model: AiDouble
let world: DashboardWorld
let app: RunningApp
let browser: TestBrowser
let desk: BrowserContext
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  model = opened.use(await openAiDouble())
  world = opened.use(await openDashboardWorld({ OPENAI_BASE_URL: model.baseUrl }))
  ;({ app, browser, desk } = world)
})
afterAll(() => opened[Symbol.asyncDispose]())

async function publishAtOf(postId: string): Promise<string> {
  const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
  return body.destinations[0].publishAt
}

/** As an agent does. */
async function reschedule(postId: string, publishAt: Date): Promise<void> {
  const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
  const [{ channelId, controlToken }] = body.destinations
  const moved = await app.ask('POST', `/agent/v1/posts/${postId}/reschedule`, {
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { confirmed: true, channelId, controlToken, publishAt: publishAt.toISOString() },
  })
  expect(moved.status).toBe(200)
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
      confirmed: true,
      idempotencyKey: 'for-the-phone',
      state: 'immediate',
      channelIds: [channelId],
      text: 'Shall this go out?',
    },
  })
  const storageState = await world.signedIn(await world.aMember('approver'))
  await using phone = await browser.profile({ ...PHONE, storageState })
  const page = await world.open(phone, 'approvals')
  const request = page.getByRole('article').filter({ hasText: 'Shall this go out?' })
  await sees(request, /News/)
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await request.getByRole('button', { name: 'Approve and publish now' }).tap()
  await sees(request, /^Approved by Grace/)
  const after = await app.ask('GET', `/agent/v1/posts/${body.postId}`)
  expect(after.body).toMatchObject({ reviewStatus: 'approved', destinations: [{ status: 'scheduled' }] })

  for (const screen of ['posts', 'calendar']) {
    const listed = await world.open(phone, screen)
    await listed.getByLabel('Channel', { exact: true }).waitFor()
    expect([screen, await listed.evaluate(CUT_FILTERS)]).toEqual([screen, []])
  }
})

/** What is chosen in filters that are too narrow to show it. */
const CUT_FILTERS = `[...document.querySelectorAll('main select')].flatMap((select) => {
  const chosen = select.selectedOptions[0].cloneNode(true)
  const alone = select.cloneNode(false)
  alone.append(chosen)
  alone.style.cssText = 'position: absolute; flex: none; width: max-content; min-width: 0; max-width: none'
  select.parentNode.append(alone)
  const needed = alone.getBoundingClientRect().width
  alone.remove()
  return select.getBoundingClientRect().width < needed ? [chosen.label] : []
})`

test('the first screen shows what waits and what is next, also what is planned while it is open', async () => {
  const displayName = 'Heard of at once'
  const channelId = await aChannel(app.db, app.workspace.workspaceId, { displayName })
  const page = await world.open(desk, 'today')
  const plan = async (idempotencyKey: string, more: object) => {
    const body = { confirmed: true, idempotencyKey, channelIds: [channelId], ...more }
    const made = await app.ask('POST', '/agent/v1/posts', { body })
    expect(made).toMatchObject({ status: 201 })
  }
  await plan('asks', { state: 'immediate', text: 'May this go first?' })
  const waiting = page.getByRole('list', { name: 'Waiting for approval' }).getByRole('listitem')
  await waiting.filter({ hasText: 'May this go first?' }).getByRole('link', { name: 'Review' }).waitFor()
  const publishAt = new Date(Date.now() + 1_800_000).toISOString()
  await plan('soon', { state: 'scheduled', text: 'Planned meanwhile', publishAt })
  const next = page.getByRole('region', { name: 'Next to be published' })
  const line = next.getByRole('link', { name: /Planned meanwhile/ })
  await sees(line, 'Scheduled')
  await sees(line, displayName)
  await sees(page.getByRole('list', { name: 'Each channel this week' }), displayName)
  await line.click()
  await page.waitForURL('**/posts/*')
})

test('a post is dragged to another day with all its channels, keeps its time of day, and is taken back', async () => {
  const [from, to] = [nextWeek(2), nextWeek(3)]
  const { workspaceId } = app.workspace
  const names = ['First of three', 'Second of three', 'Third of three']
  const channelIds = await Promise.all(
    names.map((displayName) => aChannel(app.db, workspaceId, { displayName, provider: 'bluesky' })),
  )
  const { postId } = await aPost(app.db, workspaceId, {
    channelIds,
    texts: ['Drag me'],
    publishAt: from,
    states: ['scheduled', 'scheduled', 'published'],
  })
  const page = await world.open(desk, `calendar?view=month&day=${from.toISOString().slice(0, 10)}`)
  const card = page.getByRole('link', { name: 'Drag me' })
  await sees(card, 'First of three, Second of three, Third of three')
  await expect.poll(() => card.count()).toBe(1)
  await card.dragTo(page.getByRole('listitem', { name: dayName(to) }))
  await sees(page, /^Moved to .*, on 2 channels\./)
  await sees(page, 'Not moved: Third of three (Published).')
  // What is said of it covers none of the days.
  const said = page.getByRole('status').filter({ has: page.getByRole('button', { name: 'Undo' }) })
  const { y = 0, height = 0 } = (await said.boundingBox()) ?? {}
  const top = await page.evaluate<number>(
    "document.querySelector('main ol [aria-label]').getBoundingClientRect().top + scrollY",
  )
  expect(height).toBeGreaterThan(0)
  expect(y + height).toBeLessThanOrEqual(top)
  await page
    .getByRole('listitem', { name: dayName(to) })
    .getByRole('link', { name: 'Drag me' })
    .waitFor()
  const times = async () => {
    const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
    return body.destinations.map(({ publishAt }: { publishAt: string }) => publishAt)
  }
  const [before, after] = [from.toISOString(), to.toISOString()]
  expect(await times()).toEqual([after, after, before])
  await page.getByRole('button', { name: 'Undo' }).click()
  await sees(page, /^Moved back to /)
  expect(await times()).toEqual([before, before, before])
})

test('a post is dragged to a time of a day, where the hours show what is planned', async () => {
  const [from, to] = [nextWeek(2), nextWeek(4)]
  const { postId } = await world.aScheduled('To another hour', from)
  const page = await world.open(desk, `calendar?view=week&day=${from.toISOString().slice(0, 10)}`)
  const hour = page.locator(`[data-time="${to.toISOString().slice(0, 10)}T11:00"]`)
  await page.getByRole('link', { name: 'To another hour' }).scrollIntoViewIfNeeded()
  const { height } = (await hour.boundingBox())!
  // In the third quarter of the hour.
  await page
    .getByRole('link', { name: 'To another hour' })
    .dragTo(hour, { targetPosition: { x: 20, y: height * 0.6 } })
  await hour.getByRole('link', { name: 'To another hour' }).waitFor()
  expect(await publishAtOf(postId)).toBe(`${to.toISOString().slice(0, 10)}T11:30:00.000Z`)
})

test('what has no room on a day is counted, and opened there; what needs somebody always has room', async () => {
  const at = nextWeek(7)
  const { workspaceId } = app.workspace
  const channelIds = [await aChannel(app.db, workspaceId, { displayName: 'A busy one' })]
  for (const [hour, text] of ['one', 'two', 'three', 'four'].entries())
    await aPost(app.db, workspaceId, {
      channelIds,
      texts: [`Busy day, ${text}`],
      publishAt: new Date(at.getTime() + hour * 60_000),
      states: [text === 'four' ? 'failed' : 'scheduled'],
    })
  const page = await world.open(desk, `calendar?view=month&day=${at.toISOString().slice(0, 10)}`)
  const day = page.getByRole('listitem', { name: dayName(at) })
  await day.getByRole('link', { name: 'Busy day, four' }).waitFor()
  await expect.poll(() => day.getByRole('link', { name: /Busy day/ }).count()).toBe(2)
  await day.getByRole('button', { name: /^2 more on / }).click()
  await page
    .getByRole('dialog', { name: `Posts on ${dayName(at)}` })
    .getByRole('link', { name: 'Busy day, three' })
    .click()
  await page.waitForURL('**/posts/*')
})

test('a full hour of a week is counted as the day is, with filters and on a phone, and its rest is read when it is opened', async () => {
  const at = nextWeek(1)
  const date = at.toISOString().slice(0, 10)
  const { workspaceId } = app.workspace
  const channelIds = [await aChannel(app.db, workspaceId, { displayName: 'A full hour' })]
  for (const minute of [1, 2, 3, 4, 5])
    await aPost(app.db, workspaceId, {
      channelIds,
      texts: [`Full hour, ${minute}`],
      publishAt: new Date(at.getTime() + minute * 60_000),
      states: [minute === 4 ? 'failed' : 'scheduled'],
    })
  const textsIn = async (place: Locator) => {
    const cards = await place.getByRole('link', { name: 'Full hour' }).allTextContents()
    return cards.map((text) => /Full hour, \d/.exec(text)?.[0])
  }

  await using alone = await browser.profile({ ...DESKTOP, storageState: await desk.storageState() })
  const live = alone.waitForEvent('response', { predicate: (response) => response.url().endsWith('/live') })
  const page = await world.open(alone, `calendar?view=week&day=${date}&channelId=${channelIds[0]!}`)
  const day = page.getByRole('listitem', { name: dayName(at) })
  await day.getByRole('img', { name: '5 posts' }).waitFor()
  await expect.poll(() => textsIn(day)).toEqual(['Full hour, 4', 'Full hour, 1'])
  await day.getByRole('button', { name: /^3 more on / }).press('Enter')
  const whole = page.getByRole('dialog', { name: `Posts on ${dayName(at)}` })
  await whole.getByRole('link', { name: 'Full hour, 5' }).waitFor()
  await expect.poll(() => textsIn(whole)).toEqual([1, 2, 3, 4, 5].map((minute) => `Full hour, ${minute}`))
  await page.keyboard.press('Escape')
  await page.getByLabel('Status').selectOption('failed')
  await day.getByRole('img', { name: '1 post', exact: true }).waitFor()
  await expect.poll(() => textsIn(day)).toEqual(['Full hour, 4'])

  await page.getByLabel('Status').selectOption('')
  await day.getByRole('img', { name: '5 posts' }).waitFor()
  await live
  const planned = await app.ask('POST', '/agent/v1/posts', {
    body: {
      confirmed: true,
      idempotencyKey: 'into-a-full-hour',
      state: 'scheduled',
      channelIds,
      text: 'Planned meanwhile',
      publishAt: new Date(at.getTime() + 7 * 60_000).toISOString(),
    },
  })
  expect(planned.status).toBe(201)
  await day.getByRole('img', { name: '6 posts' }).waitFor()

  await using phone = await browser.profile({ ...PHONE, storageState: await desk.storageState() })
  const small = await world.open(phone, `calendar?view=month&day=${date}&channelId=${channelIds[0]!}`)
  await small.getByRole('link', { name: `${dayName(at)}, 6 posts` }).tap()
  await small
    .getByRole('listitem', { name: dayName(at) })
    .getByRole('button', { name: /^4 more on / })
    .tap()
  await sees(small.getByRole('dialog'), /Planned meanwhile/)
})

test('on a phone a new post is one press away, filters are whole and no key is named; a wide calendar takes its width', async () => {
  const storageState = await desk.storageState()
  await using phone = await browser.profile({ ...PHONE, storageState })
  for (const screen of ['calendar', 'posts', 'audit', 'events']) {
    const page = await world.open(phone, screen)
    await page.getByRole('link', { name: 'New post' }).filter({ visible: true }).waitFor()
    await page.getByRole('button', { name: 'Search' }).filter({ visible: true }).click()
    await page.getByRole('option', { name: 'Go to calendar' }).waitFor()
    expect(await page.locator('kbd').filter({ visible: true }).count()).toBe(0)
    await page.keyboard.press('Escape')
    const narrow = await page.evaluate(`[...document.querySelectorAll('main select')].flatMap((select) => {
      const { font, paddingLeft } = getComputedStyle(select)
      const canvas = Object.assign(document.createElement('canvas').getContext('2d'), { font })
      const words = select.selectedOptions[0].textContent
      const ARROW = 16
      const needed = canvas.measureText(words).width + 2 * parseFloat(paddingLeft) + ARROW
      return needed > select.clientWidth ? [words + ': ' + select.clientWidth + ' of ' + needed] : []
    })`)
    expect([screen, narrow]).toEqual([screen, []])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width)
    await page.close()
  }
  await using wide = await browser.profile({ viewport: { width: 1920, height: 1080 }, storageState })
  const page = await world.open(wide, 'calendar?view=month')
  const week = await page.locator('main ol').last().boundingBox()
  expect(week?.width).toBeGreaterThan(1_550)
})

test('what a calendar is chosen by stands in one row at 1280 pixels', async () => {
  const page = await world.open(desk, 'calendar')
  for (const view of ['month', 'week', 'agenda']) {
    await page.goto(`${world.workspaceUrl}/calendar?view=${view}&day=2026-12-28`)
    await settled(page)
    const row = page.getByLabel('Author').locator('..')
    const middles = await row.evaluate((toolbar) =>
      [...toolbar.children].map((one) => {
        const { top, bottom } = one.getBoundingClientRect()
        return Math.round((top + bottom) / 2)
      }),
    )
    expect([view, Math.max(...middles) - Math.min(...middles) < 10]).toEqual([view, true])
  }
  await page.getByRole('group', { name: 'View' }).getByRole('link', { name: 'Week' }).click()
  await page.getByRole('group', { name: 'Week by the hour' }).waitFor()
})

test('a drag of what somebody moved meanwhile says who did and where it is, and moves nothing by itself', async () => {
  const [from, theirs, mine] = [nextWeek(2), nextWeek(4), nextWeek(3)]
  const { postId } = await world.aScheduled('Moved by two', from)
  // A profile of its own, whose pages hear of no change: what they show becomes stale.
  await using deaf = await browser.profile({ ...DESKTOP, storageState: await desk.storageState() })
  await deaf.route('**/live*', () => undefined)
  const page = await world.open(deaf, `calendar?view=month&day=${from.toISOString().slice(0, 10)}`)
  const card = page.getByRole('link', { name: 'Moved by two' })
  await card.waitFor()
  await reschedule(postId, theirs)
  await card.dragTo(page.getByRole('listitem', { name: dayName(mine) }))
  const said = page.getByRole('alert')
  await sees(said, /^a key moved this post: it is at .* now\. Your change wasn’t saved\.$/)
  await sees(said, new RegExp(`\\b${theirs.getUTCDate()} .*10:00`))
  expect(await publishAtOf(postId)).toBe(theirs.toISOString())
})

test('a post is moved by the keyboard, and a draft is dragged onto a time', async () => {
  const [from, to] = [nextWeek(2), nextWeek(3)]
  const { postId } = await world.aScheduled('By the keyboard', from)
  const page = await world.open(desk, `calendar?view=week&day=${from.toISOString().slice(0, 10)}`)
  await page.getByRole('link', { name: 'By the keyboard' }).press('Shift+ArrowRight')
  await sees(page, /^Moved to/)
  expect(await publishAtOf(postId)).toBe(to.toISOString())

  const draft = await app.ask('POST', '/agent/v1/posts', {
    body: {
      confirmed: true,
      idempotencyKey: 'for-the-tray',
      state: 'draft',
      text: 'From the tray',
      channelIds: [await aChannel(app.db, app.workspace.workspaceId)],
    },
  })
  const tile = page.getByRole('region', { name: 'Drafts' }).getByRole('link', { name: 'From the tray' })
  await tile.waitFor()
  const nine = page.locator(`[data-time="${to.toISOString().slice(0, 10)}T09:00"]`)
  await nine.scrollIntoViewIfNeeded()
  await tile.dragTo(nine, { targetPosition: { x: 20, y: 5 } })
  await page.getByRole('dialog', { name: 'Schedule draft' }).getByRole('button', { name: 'Schedule' }).click()
  await page
    .getByRole('listitem', { name: dayName(to) })
    .getByRole('link', { name: 'From the tray' })
    .waitFor()
  await tile.waitFor({ state: 'detached' })
  expect(await publishAtOf(draft.body.postId)).toBe(`${to.toISOString().slice(0, 10)}T09:00:00.000Z`)
})

test('the calendar shows what one author wrote', async () => {
  await world.aScheduled('By a test key', inDays(2))
  const { body } = await app.ask('POST', '/agent/v1/posts', {
    body: {
      confirmed: true,
      idempotencyKey: 'by-another',
      state: 'scheduled',
      text: 'By another author',
      channelIds: [await aChannel(app.db, app.workspace.workspaceId)],
      publishAt: inDays(2).toISOString(),
    },
  })
  const page = await world.open(desk, `calendar?view=week&day=${inDays(2).toISOString().slice(0, 10)}`)
  await page.getByRole('link', { name: 'By a test key' }).waitFor()
  await page.getByLabel('Author').selectOption(body.createdBy.name)
  await page.getByRole('link', { name: 'By a test key' }).waitFor({ state: 'detached' })
  expect(await page.getByRole('link', { name: 'By another author' }).count()).toBe(1)
})

test('several posts are moved and cancelled at once, and what cannot be is said before', async () => {
  const { workspaceId } = app.workspace
  const at = inDays(20)
  const channelIds = [await aChannel(app.db, workspaceId, { displayName: 'In bulk' })]
  const made = async (text: string, status: 'scheduled' | 'published' | 'draft') =>
    (await aPost(app.db, workspaceId, { channelIds, texts: [text], publishAt: at, states: [status] })).postId
  const [one, two] = [await made('Bulk one', 'scheduled'), await made('Bulk two', 'scheduled')]
  await made('Bulk three', 'published')
  const draft = await made('Bulk four', 'draft')
  const page = await world.open(desk, `posts?channelId=${channelIds[0]!}`)
  const list = page.getByRole('list', { name: 'Posts', exact: true })
  await list.getByRole('link', { name: /Bulk four/ }).waitFor()
  await expect.poll(() => list.getByRole('link').count()).toBe(4)

  await page.getByRole('checkbox', { name: 'Select all shown' }).check()
  await page.getByRole('button', { name: 'Move by…' }).click()
  const move = page.getByRole('dialog', { name: 'Move posts' })
  await sees(move, 'Moves: 2 posts on 2 channels.')
  await sees(move, '“Bulk three” on In bulk: Published')
  await sees(move, '“Bulk four” on In bulk: Draft')
  await move.getByLabel('Move by').fill('2')
  await move.getByRole('button', { name: 'Move posts' }).click()
  await sees(page, /^Moved 2 posts\.$/)
  const later = new Date(at.getTime() + 2 * 86_400_000).toISOString()
  expect([await publishAtOf(one), await publishAtOf(two)]).toEqual([later, later])
  await page.getByRole('button', { name: 'Undo' }).click()
  await sees(page, /^Moved back 2 posts/)
  expect(await publishAtOf(one)).toBe(at.toISOString())

  await page.getByRole('checkbox', { name: 'Select Bulk four' }).check()
  await page.getByRole('button', { name: 'Discard drafts…' }).click()
  await page
    .getByRole('dialog', { name: 'Discard drafts' })
    .getByRole('button', { name: 'Discard drafts' })
    .click()
  await sees(page, /^Discards 1 post in a few seconds\./)
  await sees(page, /^Discarded 1 post\./)
  const { body } = await app.ask('GET', `/agent/v1/posts/${draft}`)
  expect(body.destinations[0].status).toBe('cancelled')
  await page.getByLabel('Order').selectOption('Next to be published')
  await list.getByRole('link', { name: /Bulk one/ }).waitFor()
  await expect.poll(() => list.getByRole('link').count()).toBe(2)
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
  const page = await world.open(desk, `posts/${postId}`)
  await page.getByRole('button', { name: 'Resolve' }).click()
  await page.getByRole('radio', { name: /^It’s live/ }).check()
  await page.getByLabel('Its URL or ID on the network').fill('https://network.example/@ada/7')
  await page.getByLabel(/How you know/).fill('I see it there')
  await page.getByRole('button', { name: 'Save result' }).click()
  await sees(
    page.getByRole('list', { name: 'What happened on Doubtful' }),
    /Ada checked the network. Published/,
  )
  const after = await app.ask('GET', `/agent/v1/posts/${postId}`)
  expect(after.body.destinations[0]).toMatchObject({
    status: 'published',
    releaseUrl: 'https://network.example/@ada/7',
  })
})

test('of two tabs that edit one post, the second sees both versions and loses nothing', async () => {
  const { postId } = await world.aScheduled('The first words', inDays(5))
  const [one, two] = [
    await world.open(desk, `compose?postId=${postId}`),
    await world.open(desk, `compose?postId=${postId}`),
  ]
  const textOf = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true })
  await textOf(one).fill('From the first tab')
  await textOf(two).fill('From the second tab')
  await one.getByRole('button', { name: 'Save changes' }).click()
  await one.waitForURL(`**/posts/${postId}`)

  await two.getByRole('button', { name: 'Save changes' }).click()
  await sees(two, 'Someone else saved this post while you were writing.')
  await sees(two.getByRole('article', { name: 'Saved version' }), 'From the first tab')
  await expect.poll(() => textOf(two).inputValue()).toBe('From the second tab')
  await two.getByRole('button', { name: 'Combine both' }).click()
  await two.getByRole('button', { name: 'Save changes' }).click()
  await two.waitForURL(`**/posts/${postId}`)
  const after = await app.ask('GET', `/agent/v1/posts/${postId}`)
  expect(after.body.content.text).toBe('From the first tab\n\nFrom the second tab')
})

test('what somebody else does appears without a reload', async () => {
  const { postId } = await world.aScheduled('Seen by two', inDays(6))
  const page = await world.open(desk, `posts/${postId}`)
  await sees(page, 'Scheduled')
  const { body } = await app.ask('GET', `/agent/v1/posts/${postId}`)
  const [{ channelId, controlToken }] = body.destinations
  await app.ask('POST', `/agent/v1/posts/${postId}/cancel`, {
    headers: { 'idempotency-key': 'by-an-agent' },
    body: { confirmed: true, channelId, controlToken },
  })
  await sees(page, 'Cancelled')
  expect(await page.getByRole('button', { name: 'Change time' }).count()).toBe(0)
})

test('a person sees where they are signed in, and signs out elsewhere', async () => {
  const personId = await world.aMember('approver')
  await using phone = await browser.profile({ ...PHONE, storageState: await world.signedIn(personId) })
  const elsewhere = await openSession(app.db, personId, { address: '192.0.2.9', userAgent: 'Elsewhere' })
  const page = await world.open(phone, 'settings')
  const sessions = page.getByRole('list', { name: 'Sessions' })
  await sees(sessions, 'This browser')
  await sessions.getByRole('button', { name: 'Sign out Elsewhere' }).tap()
  await sessions.getByRole('listitem').filter({ hasText: 'Elsewhere' }).waitFor({ state: 'detached' })
  const headers = { cookie: `postrider=${elsewhere}` }
  expect((await fetch(`${app.baseUrl}/app/api/me`, { headers })).status).toBe(401)
})

test('a model writes a text for each channel, and nothing is saved by it', async () => {
  const { workspaceId } = app.workspace
  await aChannel(app.db, workspaceId, { displayName: 'Short one' })
  await aChannel(app.db, workspaceId, { displayName: 'Long one', provider: 'sandbox-professional' })
  // So many that they are searched for.
  for (let n = 0; n < 8; n++) await aChannel(app.db, workspaceId, { displayName: `Another ${n}` })
  model.answer(drafts('A short text.', 'A text that may be longer.'))
  const page = await world.open(desk, 'compose')
  await page.getByRole('button', { name: /^Find channels/ }).click()
  const channels = page.getByRole('dialog', { name: 'Choose channels' })
  for (const name of ['Short one', 'Long one']) {
    await channels.getByRole('searchbox').fill(name)
    await page.keyboard.press('Enter')
    await channels.getByRole('checkbox', { name, checked: true }).waitFor()
  }
  await channels.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Write with AI' }).click()
  await page.getByLabel('Topic').fill('Version 2 is out')
  await page.getByLabel('Language').fill('en')
  await page.getByRole('checkbox', { name: 'A separate text for each channel' }).check()
  await page.getByRole('button', { name: 'Write', exact: true }).click()
  await page.getByRole('button', { name: /^Long one · / }).click()
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  await expect.poll(() => text.inputValue()).toBe('A text that may be longer.')
  await page.getByRole('button', { name: /^Short one · / }).click()
  await expect.poll(() => text.inputValue()).toBe('A short text.')
  await page.evaluate('localStorage.clear()')
})

test('what was typed is still there after the tab was closed', async () => {
  const page = await world.open(desk, 'compose')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Half a thought')
  await page.close()
  const again = await world.open(desk, 'compose')
  await again
    .getByRole('list', { name: 'Unfinished posts' })
    .getByRole('link', { name: 'Half a thought' })
    .click()
  await expect
    .poll(() => again.getByRole('textbox', { name: 'Text', exact: true }).inputValue())
    .toBe('Half a thought')
})

test('every screen is reached by the keyboard alone', async () => {
  const page = await world.open(desk, 'calendar')
  const heading = (name: string) => page.getByRole('heading', { level: 1, name })
  const screens = [
    'Posts',
    'Approvals',
    'Channels',
    'Media',
    'Agent keys',
    'Connected apps',
    'Webhooks',
    'Events',
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
  await page.goto(`${world.workspaceUrl}/posts`)
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
  const me = page.waitForResponse((response) => response.url().endsWith('/app/api/me'))
  await page.goto(`${world.workspaceUrl}/calendar`)
  await settled(page)
  const sizeOf = (ending: string) =>
    loaded
      .filter((path) => path.endsWith(ending))
      .map((path) => gzipSync(readFileSync(join(root, 'dashboard/dist', path))).length)
      .reduce((sum, size) => sum + size, 0)
  expect(sizeOf('.js')).toBeGreaterThan(0)
  expect(sizeOf('.js')).toBeLessThanOrEqual(200_000)
  expect(sizeOf('.css')).toBeLessThanOrEqual(30_000)
  // What the API answers is compressed where it is long.
  expect((await me).headers()).toMatchObject({ vary: 'accept-encoding' })
  await context.close()
})

test('what the first screen shows is asked for while the scripts are on their way, and once', async () => {
  const context = await browser.profile({ ...DESKTOP, storageState: await desk.storageState() })
  const page = await context.newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''))
  const calendar = page.waitForRequest(/\/calendar\/overview\?from=/)
  // What all screens need is the last to come.
  await page.route(/\/assets\/vendor-/, async (route) => {
    await calendar
    await route.continue()
  })
  await page.goto(`${world.workspaceUrl}/calendar?view=week&day=${inDays(0).toISOString().slice(0, 10)}`, {
    waitUntil: 'commit',
  })
  await settled(page)
  await page.getByRole('button', { name: /Account of/ }).waitFor()
  for (const one of ['me', 'channels', 'overview'])
    expect(asked.filter((path) => path === one)).toEqual([one])
  await context.close()
})

test('all scripts but a second language are at most 240 kB, as brotli', () => {
  const assets = join(root, 'dashboard/dist/assets')
  const sizes = readdirSync(assets)
    .filter((name) => name.endsWith('.js.br') && !name.startsWith('german-'))
    .map((name) => statSync(join(assets, name)).size)
  expect(sizes.length).toBeGreaterThan(0)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(240_000)
})

test('settings wait for no script of posts, and neither they nor the composer for what drags', () => {
  const assets = join(root, 'dashboard/dist/assets')
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
  const waitsFor = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file)) return seen
    seen.add(file)
    const script = readFileSync(join(assets, file), 'utf8')
    for (const [, other] of script.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) waitsFor(other!, seen)
    return seen
  }
  for (const [screen, unneeded] of [
    ['settings-screen-', /^(posts|writing|post-card|element-adapter)-/],
    ['posts-screen-', /^writing-/],
    ['composer-screen-', /^(posts|post-card|element-adapter)-/],
  ] as const) {
    const waited = [...waitsFor(scripts.find((name) => name.startsWith(screen))!)]
    expect(waited.length).toBeGreaterThan(3)
    expect(waited.filter((name) => unneeded.test(name))).toEqual([])
  }
})

test('nothing asked another host, threw, or failed but what was meant to', () => {
  // The second of two tabs was refused; browsers log each refusal.
  expectNoFaults(browser, [/status of 409 .*\/posts\/[^/]+\/revise$/])
})
