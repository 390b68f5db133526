import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DESKTOP, openBrowser, sees, seriousFindings, type TestBrowser } from './browser.ts'
import { expectNoFaults } from './dashboard-world.ts'
import { aSecondPost } from '../rigs/publishing-store.ts'
import { openSandboxWorld, type SandboxWorld } from './sandbox-world.ts'

/* Whatever became of a post, its page says what is true of it and has a way on. */

vi.setConfig({ testTimeout: 120_000 })

let world: SandboxWorld
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  world = opened.use(await openSandboxWorld(['Alpha', 'Beta', 'Gamma']))
})
afterAll(() => opened[Symbol.asyncDispose]())

const on = (...names: string[]) => ({ channelIds: names.map((name) => world.channelIds.get(name)!) })
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const textBox = (page: Page, name = 'Text') => page.getByRole('textbox', { name, exact: true })

const read = async (postId: string) => (await world.app.ask('GET', `/agent/v1/posts/${postId}`)).body
const statusOf = async (postId: string): Promise<string> => (await read(postId)).destinations[0].status

/** Lets the time of a post come. */
const due = (postId: string) => world.app.db`
  update destination set publish_at = now(), due_at = now(), expires_at = now() + interval '1 day'
  where  post_id = ${postId} and due_at is not null`

/** A post whose time has come, once it has this status. */
async function ended(status: string, plan: { text: string } & Record<string, unknown>): Promise<string> {
  const publishAt = new Date(Date.now() + 3_600_000).toISOString()
  const postId = await world.aPostOf({ state: 'scheduled', publishAt, ...plan })
  await due(postId)
  await expect.poll(() => statusOf(postId), { timeout: 20_000 }).toBe(status)
  return postId
}

test('what failed is repaired and sent again in one place, once', async () => {
  const postId = await ended('failed', { text: 'To repair #sandbox:refuse', ...on('Alpha') })
  const page = await world.open(world.desk, `posts/${postId}`)
  await sees(card(page, 'Alpha'), /^Not published: /)
  expect(await page.getByText('Publishes', { exact: true }).count()).toBe(0)
  await card(page, 'Alpha').getByRole('button', { name: 'Edit and retry' }).click()
  const dialog = page.getByRole('dialog')
  await textBox(page).fill('Repaired')
  await dialog.getByText(/^Sandbox \(short posts\) 8 \//).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save and retry' }).click()
  await sees(page, /^Scheduled for .* on Alpha\./)
  await due(postId)
  await sees(card(page, 'Alpha'), 'Published')
  expect(await world.creates()).toMatchObject({ 'Alpha: Repaired': 1 })
  await page.close()
})

test('of a thread that was refused halfway, each part says what became of it, and the rest is written anew or goes on', async () => {
  const thread = ['Two', 'Three #sandbox:refuse', 'Four'].map((text) => ({ text }))
  const postId = await ended('partially_published', { text: 'One of four', thread, ...on('Beta') })
  await expect.poll(async () => (await read(postId)).destinations[0].expiresAt).toBeNull()
  const page = await world.open(world.desk, `posts/${postId}`)
  await sees(card(page, 'Beta'), /^2 of 4 posts of the thread are live\. The rest won’t be sent: /)
  const parts = page.getByRole('list', { name: 'Posts on Beta' }).getByRole('listitem')
  for (const [at, label] of ['Live', 'Live', 'Refused', 'Not sent'].entries())
    await sees(parts.nth(at), label)
  await card(page, 'Beta').getByRole('button', { name: 'Write the rest as a new post' }).click()
  await page.getByRole('heading', { name: 'New post' }).waitFor()
  await expect.poll(() => textBox(page).inputValue()).toBe('Three #sandbox:refuse')
  await expect.poll(() => textBox(page, 'Follow-up 1').inputValue()).toBe('Four')
  await expect.poll(() => page.getByRole('checkbox', { name: 'Beta' }).isChecked()).toBe(true)

  // Or the thread goes on from there, and what is live is not sent again.
  await page.goto(`${world.workspaceUrl}/posts/${postId}`)
  await card(page, 'Beta').getByRole('button', { name: 'Edit and continue' }).click()
  await expect.poll(() => textBox(page).inputValue()).toBe('Three #sandbox:refuse')
  await textBox(page).fill('Three, repaired')
  await page.getByRole('dialog').getByRole('button', { name: 'Save and continue' }).click()
  await sees(card(page, 'Beta'), /^2 of 4 posts of the thread are live\. The rest follows automatically/)

  // Until then it can be moved, or be cancelled: it is as it was, and can go on once more.
  await card(page, 'Beta').getByRole('button', { name: 'Change time' }).waitFor()
  await card(page, 'Beta').getByRole('button', { name: 'More for Beta' }).click()
  await page.getByRole('menuitem', { name: 'Cancel rest' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel rest' }).click()
  await sees(card(page, 'Beta'), /^2 of 4 posts of the thread are live\. The rest won’t be sent: /)
  await sees(card(page, 'Beta'), /^The rest was cancelled\./)
  await card(page, 'Beta').getByRole('button', { name: 'Edit and continue' }).click()
  await expect.poll(() => textBox(page).inputValue()).toBe('Three, repaired')
  await page.getByRole('dialog').getByRole('button', { name: 'Continue as it is' }).click()
  await sees(card(page, 'Beta'), /^2 of 4 posts of the thread are live\. The rest follows automatically/)
  await due(postId)
  await sees(card(page, 'Beta'), 'Published')
  const texts = ['One of four', 'Two', 'Three, repaired', 'Four']
  expect(await world.creates()).toMatchObject(Object.fromEntries(texts.map((text) => [`Beta: ${text}`, 1])))
  await page.close()
})

test('a channel is reconnected where the post waits for it, which is published then', async () => {
  const postId = await ended('reconnect_required', { text: 'Waits #sandbox:unauthorized', ...on('Gamma') })
  const page = await world.open(world.desk, `posts/${postId}`)
  await sees(card(page, 'Gamma'), /^No access to Gamma\. Reconnect by .* to publish\.$/)
  await card(page, 'Gamma').getByRole('button', { name: 'Reconnect Gamma' }).click()
  // Its name is the account's again.
  await sees(page.getByRole('main'), /^Live on Sandbox/)
  expect(await world.creates()).toMatchObject({ 'Gamma: Waits #sandbox:unauthorized': 1 })
  await page.close()
})

test('what was cancelled or has expired is duplicated, with its texts and channels', async () => {
  const targets = [
    { channelId: world.channelIds.get('Alpha'), text: 'Alpha’s own' },
    { channelId: world.channelIds.get('Beta'), text: 'Beta’s own' },
  ]
  const postId = await world.aPostOf({ state: 'draft', targets })
  await world.app.db`
    update destination set expires_at = null, due_at = null,
           status = case channel_id when ${world.channelIds.get('Alpha')!} then 'cancelled' else 'expired' end
    where  post_id = ${postId}`
  const page = await world.open(world.desk, `posts/${postId}`)
  await page.getByRole('heading', { level: 1, name: 'Alpha’s own' }).waitFor()
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
  // A menu holds what can be done, and nothing else.
  await card(page, 'Alpha').getByRole('button', { name: 'More for Alpha' }).click()
  await expect
    .poll(() => page.getByRole('menuitem').allTextContents())
    .toEqual(['Duplicate for this channel'])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Duplicate', exact: true }).click()
  await page.getByRole('heading', { name: 'New post' }).waitFor()
  for (const name of ['Alpha', 'Beta']) {
    await expect.poll(() => page.getByRole('checkbox', { name, exact: true }).isChecked()).toBe(true)
    await page
      .getByRole('article', { name: `On ${name}` })
      .getByText(`${name}’s own`)
      .waitFor()
  }
  await page.close()
})

test('what needs somebody is counted in the menu, listed on the first page, and left or repaired', async () => {
  const { app } = world
  await app.db`update destination set status_since = now() - interval '15 days'`
  const { workspaceId } = app.workspace
  await app.db`
    update channel set connection_status = 'reconnect_required' where id = ${world.channelIds.get('Gamma')!}`
  const postId = await ended('failed', { text: 'Look at me #sandbox:refuse', ...on('Alpha') })
  const page = await world.open(world.desk, 'today')
  const first = page.getByRole('region', { name: 'Needs attention 2' })
  await first.getByRole('link', { name: 'Reconnect' }).waitFor()
  await sees(first, /Look at me/)
  await page.getByRole('navigation').getByLabel('2 need attention').waitFor()

  // Another one appears while the page is open.
  const late = await ended('failed', { text: 'Me, too #sandbox:refuse', ...on('Alpha') })
  await page.getByRole('navigation').getByLabel('3 need attention').waitFor()
  await page.getByRole('link', { name: /^Needs attention/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Needs attention' }).waitFor()
  const row = page.getByRole('list', { name: 'Needs attention' }).getByRole('listitem')
  await row
    .filter({ hasText: 'Me, too' })
    .getByRole('button', { name: /^Dismiss: / })
    .click()
  await page.getByRole('navigation').getByLabel('2 need attention').waitFor()
  expect(await statusOf(late)).toBe('failed')

  // A series that the service has paused leads to where it is resumed.
  const reason =
    'The credential “robot” has ended, and the series publishes in its name. Resume it to publish in yours.'
  const { body: series } = await app.ask('POST', '/agent/v1/series', {
    body: {
      confirmed: true,
      idempotencyKey: crypto.randomUUID(),
      ...on('Alpha'),
      text: 'Every week',
      rule: 'FREQ=WEEKLY;COUNT=3',
      startsAt: { local: '2040-01-02T09:00', timeZone: 'UTC' },
    },
  })
  await app.db`
    update series set status = 'paused', look_at = null, reason = ${reason}, changed_by_type = 'service',
                      changed_by_name = 'Postrider', changed_at = now(), changed = '{status}'
    where  id = ${series.seriesId}`
  await page.reload()
  await page.getByRole('navigation').getByLabel('3 need attention').waitFor()
  const paused = row.filter({ hasText: 'Every week' })
  await sees(paused, /The credential “robot” has ended/)
  expect(await paused.getByRole('link', { name: 'Open' }).getAttribute('href')).toMatch(
    `/series/${series.seriesId}`,
  )
  expect(await seriousFindings(page)).toEqual([])
  await row.filter({ hasText: 'Look at me' }).getByRole('link', { name: 'Edit and retry' }).click()
  await page.waitForURL(`**/w/${workspaceId}/posts/${postId}`)
  await page.close()
})

test('a post that is live twice is listed with the address of the second one', async () => {
  const { app } = world
  const { workspaceId } = app.workspace
  const postId = await ended('published', { text: 'Sold out', ...on('Alpha') })
  const [destination] = await app.db<{ id: string }[]>`select id from destination where post_id = ${postId}`
  const { url } = await aSecondPost(app.db, workspaceId, destination!.id)
  const page = await world.open(world.desk, 'attention')
  const row = page
    .getByRole('list', { name: 'Needs attention' })
    .getByRole('listitem')
    .filter({ hasText: 'Sold out' })
  await sees(row, 'Live twice')
  await sees(row, 'ID of the second post: second')
  expect(await row.getByRole('link', { name: 'Open second post' }).getAttribute('href')).toBe(url)
  expect(await row.getByRole('link', { name: 'Open', exact: true }).getAttribute('href')).toMatch(
    `/posts/${postId}`,
  )
  expect(await seriousFindings(page)).toEqual([])
  await row.getByRole('button', { name: 'Dismiss: “Sold out”' }).click()
  await expect.poll(() => row.count()).toBe(0)
  await page.close()
})

/** Has each notification of a profile noted: its tab, its title, and its tag. */
async function notedNotifications(profile: BrowserContext) {
  const shown: { title: string; tag: string; page: Page }[] = []
  await profile.exposeBinding('noteNotification', ({ page }, title: string, tag: string) => {
    shown.push({ title, tag, page })
  })
  await profile.addInitScript(`
    window.Notification = class extends Notification {
      constructor(title, options) {
        super(title, options)
        window.lastNotification = this
        window.noteNotification(title, options.tag)
      }
    }`)
  return shown
}

const notices = (page: Page, kind: string) => page.getByRole('group', { name: kind })
const FAILED = 'Posts that failed or were published partly'

describe('notifications of the browser', () => {
  let notifying: TestBrowser
  beforeAll(async () => {
    notifying = opened.use(await openBrowser(new URL(world.workspaceUrl).origin, { isWhole: true }))
  })

  test('what fails while Postrider is open in two tabs is one notification, which leads to it; none once that is switched off', async () => {
    const person = await world.aMember('owner')
    const profile = await notifying.profile({ ...DESKTOP, storageState: await world.signedIn(person) })
    await profile.grantPermissions(['notifications'], { origin: new URL(world.workspaceUrl).origin })
    const shown = await notedNotifications(profile)
    const settings = await world.open(profile, 'settings')
    const email = notices(settings, FAILED).getByRole('checkbox', { name: 'Email' })
    await sees(settings, 'This server doesn’t send email: its operator hasn’t set up SMTP.')
    expect(await email.isDisabled()).toBe(true)
    const inBrowser = notices(settings, FAILED).getByRole('checkbox', { name: 'Browser' })
    expect(await inBrowser.isChecked()).toBe(false)
    await inBrowser.click()
    await expect.poll(() => inBrowser.isChecked()).toBe(true)
    expect(await seriousFindings(settings)).toEqual([])
    const today = await world.open(profile, 'today')
    // Both tabs are there, and one of them has had its first look.
    const watching = (page: Page) =>
      page.evaluate<string>(`navigator.locks.query().then(({ held, pending }) =>
        [held, pending].map((locks) => locks.filter(({ name }) => name.startsWith('postrider.notices.')).length).join(' and '))`)
    await expect.poll(() => watching(today)).toBe('1 and 1')
    const counted = async (page: Page) =>
      Number.parseInt(
        (await page
          .getByRole('navigation')
          .getByLabel(/attention$/)
          .last()
          .getAttribute('aria-label')) ?? '',
        10,
      )

    const postId = await ended('failed', { text: 'Tell me #sandbox:refuse', ...on('Alpha') })
    await expect.poll(() => shown.map(({ title }) => title), { timeout: 20_000 }).toEqual(['Failed: Alpha'])
    // Whoever is second in the list of locks has seen it, too, and says nothing.
    await sees(today.getByRole('main'), /Tell me/)
    const [{ page: told }] = shown as [(typeof shown)[0]]
    await told.evaluate(`lastNotification.dispatchEvent(new Event('click'))`)
    await told.waitForURL(`**/posts/${postId}`)

    // The tab that told is closed: the other one goes on. What was there before is not told again.
    await told.close()
    const other = told === today ? settings : today
    await expect.poll(() => watching(other)).toBe('1 and 0')
    await ended('failed', { text: 'And me #sandbox:refuse', ...on('Beta') })
    await expect
      .poll(() => shown.map(({ title }) => title), { timeout: 20_000 })
      .toEqual(['Failed: Alpha', 'Failed: Beta'])

    await other.goto(`${world.workspaceUrl}/settings`)
    await notices(other, FAILED).getByRole('checkbox', { name: 'Browser' }).click()
    await notices(other, 'Channels that need attention').getByRole('checkbox', { name: 'Browser' }).click()
    await sees(other, 'Notices saved.')
    await expect.poll(() => watching(other)).toBe('1 and 0')
    const before = await counted(other)
    expect(before).toBeGreaterThan(1)
    await ended('failed', { text: 'Not me #sandbox:refuse', ...on('Alpha') })
    // The menu counts what the watch reads.
    await expect.poll(() => counted(other), { timeout: 20_000 }).toBe(before + 1)
    expect(shown).toHaveLength(2)
    await profile.close()
  })

  test('a browser that blocks notifications says what to do, and switches nothing on', async () => {
    const person = await world.aMember('approver')
    const profile = await notifying.profile({ ...DESKTOP, storageState: await world.signedIn(person) })
    const page = await world.open(profile, 'settings')
    expect(await notices(page, 'Webhooks that fail').count()).toBe(0)
    const switchOn = notices(page, 'Requests for approval').getByRole('checkbox', { name: 'Browser' })
    await switchOn.click()
    await sees(page, /^This browser blocks notifications from Postrider\. Allow them in the site settings/)
    expect(await switchOn.isChecked()).toBe(false)
    await profile.close()
  })

  test('nothing asked another host, threw, or failed', () => {
    expectNoFaults(notifying, [])
  })
})

test('nothing asked another host, threw, or failed', () => {
  expectNoFaults(world.browser, [])
})
