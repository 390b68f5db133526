import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { aChannel, aGroup, type APost, aPost } from '../rigs/fixtures.ts'
import type { RunningApp } from '../rigs/running-app.ts'
import { PHONE, seriousFindings, sees, settled } from './browser.ts'
import { type DashboardWorld, expectNoFaults, inDays, openDashboardWorld } from './dashboard-world.ts'

/* How people plan many posts: groups of channels, and labels. */

vi.setConfig({ testTimeout: 120_000 })

let world: DashboardWorld
let app: RunningApp
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  world = opened.use(await openDashboardWorld({}))
  app = world.app
})
afterAll(() => opened[Symbol.asyncDispose]())

/** Puts the focus on a control, and presses keys on it. */
async function press(
  page: Page,
  name: string | RegExp,
  role: 'button' | 'checkbox' | 'menuitem' | 'radio',
  key: string,
) {
  const control = page.getByRole(role, { name, exact: typeof name === 'string' })
  await control.focus()
  await control.press(key)
}

test('a group is made, chosen for a post and deleted, with the keyboard alone', async () => {
  const { workspaceId } = app.workspace
  const ids = new Map<string, string>()
  for (const displayName of ['Alpha', 'Beta', 'Gamma'])
    ids.set(displayName, await aChannel(app.db, workspaceId, { displayName }))

  const page = await world.open(world.desk, 'channels')
  await press(page, 'New group…', 'button', 'Enter')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Brand A')
  for (const name of ['Alpha', 'Gamma']) await press(page, name, 'checkbox', 'Space')
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('textbox', { name: 'Name', exact: true }).press('Enter')
  const groups = page.getByRole('list', { name: 'Channel groups' })
  await expect.poll(() => groups.textContent()).toContain('Alpha and Gamma')
  expect(await seriousFindings(page)).toEqual([])

  await page.goto(`${world.workspaceUrl}/compose`)
  await settled(page)
  await press(page, 'All of Brand A (2)', 'button', 'Enter')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('For the whole brand')
  await press(page, /^Save as draft/, 'radio', 'Space')
  expect(await seriousFindings(page)).toEqual([])
  await press(page, /^Save draft/, 'button', 'Enter')
  await expect
    .poll(
      async () =>
        app.db<{ channelId: string }[]>`
          select channel_id as "channelId" from destination where workspace_id = ${workspaceId} order by 1`,
    )
    .toEqual(['Alpha', 'Gamma'].map((name) => ({ channelId: ids.get(name) })))

  await page.goto(`${world.workspaceUrl}/posts`)
  await settled(page)
  await page.getByRole('combobox', { name: 'Channel' }).selectOption({ label: 'All of Brand A' })
  await expect.poll(() => page.getByRole('list', { name: 'Posts' }).textContent()).toContain('whole brand')

  await page.goto(`${world.workspaceUrl}/channels`)
  await settled(page)
  await press(page, 'More for Brand A', 'button', 'Enter')
  await press(page, 'Delete…', 'menuitem', 'Enter')
  await press(page, 'Delete group', 'button', 'Enter')
  await expect.poll(() => groups.count()).toBe(0)
  expectNoFaults(world.browser, [])
})

test('posts are labelled, found by a label and counted, with the keyboard alone', async () => {
  const { workspaceId } = app.workspace
  const channelId = await aChannel(app.db, workspaceId, { displayName: 'Delta' })
  const texts = ['First of spring', 'Second of spring', 'Of no season']
  const made: APost[] = []
  for (const [n, text] of texts.entries())
    made.push(
      await aPost(app.db, workspaceId, {
        texts: [text],
        channelIds: [channelId],
        states: [n === 0 ? 'published' : 'failed'],
      }),
    )
  const labelsOf = async (n: number) => {
    const [post] = await app.db<{ labels: string[] }[]>`select labels from post where id = ${made[n]!.postId}`
    return post!.labels
  }

  const page = await world.open(world.desk, 'posts')
  for (const text of texts.slice(0, 2))
    await press(page, new RegExp(`^Select .*${text}`), 'checkbox', 'Space')
  await press(page, 'Label…', 'button', 'Enter')
  const dialog = page.getByRole('dialog', { name: 'Label posts' })
  await dialog.getByRole('combobox', { name: 'Add label' }).fill('Spring sale')
  await page.keyboard.press('Enter')
  await expect.poll(() => dialog.getByRole('status').textContent()).toBe('Adds Spring sale to 2 posts.')
  expect(await seriousFindings(page)).toEqual([])
  await press(page, 'Save labels', 'button', 'Enter')
  await expect.poll(() => labelsOf(1)).toEqual(['Spring sale'])
  expect(await labelsOf(0)).toEqual(['Spring sale'])
  expect(await labelsOf(2)).toEqual([])

  await page.getByRole('combobox', { name: 'Label', exact: true }).selectOption('Spring sale')
  const results = page.getByRole('region', { name: 'Results for Spring sale' })
  await expect.poll(() => results.textContent()).toMatch(/2 posts.*1 Published.*1 Failed/)
  await results.getByRole('combobox', { name: 'Time' }).selectOption('Choose days…')
  const day = (days: number) => inDays(days).toISOString().slice(0, 10)
  await results.getByLabel('From').fill(day(0))
  await results.getByLabel('To', { exact: true }).fill(day(-1))
  await sees(results, 'Choose a day that isn’t before the first.')
  await results.getByLabel('To', { exact: true }).fill(day(2))
  await sees(results, /^Compared with .*: 2 more posts, 1 more published\.$/)
  await results.getByLabel('From').fill(day(-9))
  await results.getByLabel('To', { exact: true }).fill(day(-3))
  await sees(results, '0 posts')
  await results.getByRole('combobox', { name: 'Time' }).selectOption('All time')
  await expect.poll(() => results.textContent()).toMatch(/2 posts.*1 Published.*1 Failed/)
  const list = page.getByRole('list', { name: 'Posts', exact: true })
  await expect.poll(() => list.getByRole('listitem').count()).toBe(2)
  expect(await seriousFindings(page)).toEqual([])

  await page.goto(`${world.workspaceUrl}/posts/${made[1]!.postId}`)
  await settled(page)
  await press(page, 'Remove the label Spring sale', 'button', 'Enter')
  await expect.poll(() => labelsOf(1)).toEqual([])
  await page.getByRole('combobox', { name: 'Add label' }).fill('Autumn')
  await page.keyboard.press('Enter')
  await expect.poll(() => labelsOf(1)).toEqual(['Autumn'])
  expect(await seriousFindings(page)).toEqual([])
  expectNoFaults(world.browser, [])
})

test('drafts are sent for approval together, and what cannot be is said before', async () => {
  const { workspaceId } = app.workspace
  const channelId = await aChannel(app.db, workspaceId, { displayName: 'Epsilon' })
  const make = (text: string, status: 'draft' | 'scheduled') =>
    aPost(app.db, workspaceId, { texts: [text], channelIds: [channelId], states: [status] })
  const [draft, planned] = [await make('A draft to approve', 'draft'), await make('Planned', 'scheduled')]
  const page = await world.open(world.desk, `posts?channelId=${channelId}`)
  await press(page, 'Select all shown', 'checkbox', 'Space')
  await press(page, 'Request approval…', 'button', 'Enter')
  const dialog = page.getByRole('dialog', { name: 'Request approval' })
  await sees(dialog, /^Requests approval .*: 1 post on 1 channel\.$/)
  await sees(dialog, '“Planned” on Epsilon: Scheduled')
  expect(await seriousFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Request approval' }).press('Enter')
  await sees(page, /^Approval requested: 1 post\./)
  const requests = await app.db<{ postId: string }[]>`
    select post_id as "postId" from approval where workspace_id = ${workspaceId} and status = 'pending'`
  expect(requests).toEqual([{ postId: draft.postId }])
  expect(planned.postId).not.toBe(draft.postId)
})

describe('what was cancelled or moved', () => {
  const statusOf = async ({ postId }: APost) => {
    const [row] = await app.db<{ status: string }[]>`select status from destination where post_id = ${postId}`
    return row!.status
  }

  /** Cancels the post on its page, with the keyboard alone. */
  async function cancelled(text: string, publishAt = inDays(3)): Promise<{ page: Page; post: APost }> {
    const post = await world.aScheduled(text, publishAt)
    const page = await world.open(world.desk, `posts/${post.postId}`)
    await press(page, `More for Channel of ${text}`, 'button', 'Enter')
    await press(page, /^Cancel/, 'menuitem', 'Enter')
    await press(page, 'Cancel post', 'button', 'Enter')
    return { page, post }
  }

  test('is sent after ten seconds, and not if it is undone before', async () => {
    const sent = await cancelled('To be cancelled')
    await sees(sent.page, /^Will be cancelled in ten seconds/)
    expect(await seriousFindings(sent.page)).toEqual([])
    const kept = await cancelled('To be kept')
    await press(kept.page, 'Undo', 'button', 'Enter')
    await sees(kept.page, /^Not cancelled\./)
    // The other page went into the background meanwhile, or its ten seconds are over: either has it sent.
    await expect.poll(() => statusOf(sent.post), { timeout: 60_000 }).toBe('cancelled')
    await kept.page.close({ runBeforeUnload: true })
    expect(await statusOf(kept.post)).toBe('scheduled')
  })

  test('is sent at once where the tab is closed within the ten seconds', async () => {
    const { page, post } = await cancelled('Closed too early')
    await sees(page, /^Will be cancelled in ten seconds/)
    expect(await statusOf(post)).toBe('scheduled')
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => statusOf(post), { timeout: 60_000 }).toBe('cancelled')
  })

  test('is sent at once where the post would be published before an undo', async () => {
    const { page, post } = await cancelled('Due soon', new Date(Date.now() + 50_000))
    await sees(page, /^Cancelled\./)
    expect(await statusOf(post)).toBe('cancelled')
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  test('is back at its time where the move is undone', async () => {
    const post = await world.aScheduled('Moved and back', inDays(4))
    const timeOf = async () => {
      const [row] = await app.db<
        { at: Date }[]
      >`select publish_at as at from destination where post_id = ${post.postId}`
      return row!.at.toISOString()
    }
    const page = await world.open(world.desk, `posts/${post.postId}`)
    await press(page, 'Change time', 'button', 'Enter')
    await page.getByRole('textbox', { name: 'Publish at' }).fill('in 9 days')
    await page.getByRole('dialog').getByRole('button', { name: 'Change time' }).press('Enter')
    await sees(page, /^Time changed\./)
    expect(await timeOf()).not.toBe(inDays(4).toISOString())
    await press(page, 'Undo', 'button', 'Enter')
    await expect.poll(timeOf).toBe(inDays(4).toISOString())
  })
})

const csv = (rows: readonly string[]) => ({
  name: 'autumn.csv',
  mimeType: 'text/csv',
  // As Excel writes it where it is not asked for UTF-8.
  buffer: Buffer.from(['id;text;channels;publishAt', ...rows].join('\r\n'), 'latin1'),
})

test('a file is checked, corrected and imported, shown before, with the keyboard; and saved again', async () => {
  const { workspaceId } = app.workspace
  const channelId = await aChannel(app.db, workspaceId, { displayName: 'Imported to' })
  const day = inDays(40).toISOString().slice(0, 10)
  const page = await world.open(world.desk, 'posts')
  await press(page, 'Import…', 'button', 'Enter')
  const dialog = page.getByRole('dialog', { name: 'Import posts' })
  await dialog
    .getByLabel('File', { exact: true })
    .setInputFiles(csv([`a;Grüße;${channelId};${day} 9:00`, `b;"Two\r\nlines";nowhere;01/02/2027 9:00`]))
  await expect.poll(() => dialog.getByLabel('Name of the import').inputValue()).toBe('autumn')
  await press(page, 'Check file', 'button', 'Enter')
  await sees(dialog, /^Line 3: Column “channels”: There is no channel .?nowhere/)
  await sees(dialog, /^Line 3: Column “publishAt”: .?01\/02\/2027 9:00.? is not a time/)
  expect(await seriousFindings(page)).toEqual([])

  await dialog
    .getByLabel('File', { exact: true })
    .setInputFiles(csv([`a;Grüße;${channelId};${day} 9:00`, `b;"Two\r\nlines";${channelId};`]))
  await press(page, 'Check file', 'button', 'Enter')
  await sees(dialog, '2 posts will be created.')
  await sees(dialog, /^Line 2: Grüße/)
  expect(await app.db`select from post where reference = 'autumn/a'`).toHaveLength(0)
  await press(page, 'Import 2 posts', 'button', 'Enter')
  await sees(page, '2 posts imported.')
  expect(
    (
      await app.db<{ reference: string }[]>`
      select reference from post where workspace_id = ${workspaceId} and reference is not null order by 1`
    ).map(({ reference }) => reference),
  ).toEqual(['autumn/a', 'autumn/b'])

  const saved = page.waitForEvent('download')
  await press(page, 'Export CSV', 'button', 'Enter')
  expect((await saved).suggestedFilename()).toBe('posts.csv')
})

test('an agenda of many posts draws those that are come to, by scrolling or by a press', async () => {
  const { workspaceId } = app.workspace
  const channelId = await aChannel(app.db, workspaceId, { displayName: 'Many on one day' })
  const MANY = 160
  for (let n = 0; n < MANY; n++)
    await aPost(app.db, workspaceId, { states: ['scheduled'], channelIds: [channelId], texts: [`No. ${n}`] })
  const page = await world.open(world.desk, `calendar?view=agenda&channelId=${channelId}`)
  const rows = page.getByRole('link', { name: /No\. \d+/ })
  const more = page.getByRole('button', { name: /^\d+ more$/ })
  await more.waitFor()
  const before = await rows.count()
  expect(before).toBeLessThan(MANY)
  await more.press('Enter')
  await expect.poll(() => rows.count()).toBeGreaterThan(before)
  expect(await seriousFindings(page)).toEqual([])
  await expect
    .poll(async () => {
      await page.keyboard.press('End')
      return rows.count()
    })
    .toBe(MANY)
  expect(await more.count()).toBe(0)
})

test('a template shows the groups that an agent has named in it, and each can be taken out', async () => {
  const { workspaceId } = app.workspace
  const channelIds = [await aChannel(app.db, workspaceId, { displayName: 'In the group' })]
  const groupId = await aGroup(app.db, workspaceId, channelIds, 'Brand A')
  const made = await app.ask('POST', '/agent/v1/templates', {
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { confirmed: true, name: 'For a group', text: 'To all of them', channelIds: [groupId] },
  })
  expect(made.status).toBe(201)
  const page = await world.open(world.desk, `templates/${made.body.templateId}`)
  const groups = page.getByRole('list', { name: 'Channel groups' })
  await sees(groups, /Brand A/)
  await groups.getByRole('button', { name: /^Remove .*Brand A/ }).click()
  await groups.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save template' }).click()
  await page.waitForURL('**/templates')
  const at = `/agent/v1/templates/${made.body.templateId}`
  expect((await app.ask('GET', at)).body.channelIds ?? []).toEqual([])
  expect((await app.ask('DELETE', at)).status).toBe(200)
  await page.close()
})

test('a template is made of a post, used with its fields filled, changed and deleted, with the keyboard alone', async () => {
  const { workspaceId } = app.workspace
  const channelId = await aChannel(app.db, workspaceId, { displayName: 'Releases' })
  const { postId } = await aPost(app.db, workspaceId, {
    channelIds: [channelId],
    texts: ['Version 1 is out'],
  })
  const page = await world.open(world.desk, `posts/${postId}`)
  await page.getByRole('link', { name: 'Save as template' }).press('Enter')
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  await expect.poll(() => text.inputValue()).toBe('Version 1 is out')
  expect(await page.getByRole('checkbox', { name: 'Releases' }).isChecked()).toBe(true)
  await text.fill('Version {{version is out')
  await page.getByRole('textbox', { name: 'Name' }).fill('Release')
  await sees(page, 'Close the field, as in {{name}}.')
  expect(await page.getByRole('button', { name: 'Save template' }).isDisabled()).toBe(true)
  await text.fill('Version {{version}} is out')
  await sees(page, 'Fields: version')
  expect(await seriousFindings(page)).toEqual([])
  await press(page, 'Save template', 'button', 'Enter')
  await page.waitForURL('**/templates')
  await sees(page, 'Template saved: Release.')
  expect(await seriousFindings(page)).toEqual([])

  await page.getByRole('link', { name: 'Write a post from Release' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Use a template' })
  const act = dialog.getByRole('button', { name: 'Use template' })
  await dialog.getByRole('textbox', { name: 'version' }).waitFor()
  expect(await act.isDisabled()).toBe(true)
  await dialog.getByRole('textbox', { name: 'version' }).fill('2')
  expect(await seriousFindings(page)).toEqual([])
  await act.press('Enter')
  await expect.poll(() => text.inputValue()).toBe('Version 2 is out')
  expect(await page.getByRole('checkbox', { name: 'Releases' }).isChecked()).toBe(true)
  await press(page, 'Undo', 'button', 'Enter')
  await expect.poll(() => text.inputValue()).toBe('')
  await press(page, 'Use a template…', 'button', 'Enter')
  await dialog.getByRole('textbox', { name: 'version' }).fill('3')
  await act.press('Enter')
  await press(page, /^Save as draft/, 'radio', 'Space')
  await press(page, 'Save draft', 'button', 'Enter')
  await page.waitForURL(/\/posts\/[0-9a-f-]+$/)
  const { body } = await app.ask('GET', `/agent/v1/posts/${page.url().split('/').at(-1)}`)
  expect(body.destinations[0]).toMatchObject({ channelId, parts: [{ text: 'Version 3 is out' }] })

  await using phone = await world.browser.profile({ ...PHONE, storageState: await world.desk.storageState() })
  const small = await world.open(phone, 'templates')
  await small.getByRole('link', { name: 'Release', exact: true }).press('Enter')
  await small.getByRole('textbox', { name: 'Name' }).fill('New release')
  expect(await seriousFindings(small)).toEqual([])
  await press(small, 'Save template', 'button', 'Enter')
  await small.getByRole('link', { name: 'New release', exact: true }).press('Enter')
  await press(small, 'Delete…', 'button', 'Enter')
  await press(small, 'Delete template', 'button', 'Enter')
  await sees(small, 'No templates yet')
})

test('posts are selected on the calendar with the keyboard, and moved together', async () => {
  const { workspaceId } = app.workspace
  const channelId = await aChannel(app.db, workspaceId, { displayName: 'Selected on' })
  const posts: APost[] = []
  const publishAt = inDays(1)
  for (const text of ['Selected one', 'Selected two'])
    posts.push(
      await aPost(app.db, workspaceId, {
        states: ['scheduled'],
        channelIds: [channelId],
        texts: [text],
        publishAt,
      }),
    )
  const page = await world.open(world.desk, `calendar?view=agenda&channelId=${channelId}`)
  await press(page, 'Select', 'button', 'Enter')
  for (const text of [/Selected one/, /Selected two/]) await press(page, text, 'checkbox', 'Space')
  await expect
    .poll(() => page.getByRole('checkbox', { name: /Selected one/ }).getAttribute('aria-checked'))
    .toBe('true')
  await sees(page, '2 selected')
  expect(await seriousFindings(page)).toEqual([])
  await press(page, 'Move by…', 'button', 'Enter')
  const dialog = page.getByRole('dialog', { name: 'Move posts' })
  await sees(dialog, 'Moves: 2 posts on 2 channels.')
  await dialog.getByRole('button', { name: 'Move posts' }).press('Enter')
  await sees(page, /^Moved 2 posts\./)
  const times = await app.db<{ at: Date }[]>`
    select publish_at as at from destination where workspace_id = ${workspaceId} and channel_id = ${channelId}`
  expect(times.map(({ at }) => Math.round((at.getTime() - publishAt.getTime()) / 3_600_000))).toEqual([
    24, 24,
  ])
  // What was done is over, and the posts are opened again once nothing is selected any more.
  await press(page, 'Select', 'button', 'Enter')
  await page.getByRole('link', { name: /Selected one/ }).press('Enter')
  await page.waitForURL(`**/posts/${posts[0]!.postId}`)

  // On a phone's month, a day opens its posts to select among them: going to another screen would lose what is selected.
  await using phone = await world.browser.profile({ ...PHONE, storageState: await world.desk.storageState() })
  const small = await world.open(phone, `calendar?view=month&channelId=${channelId}`)
  await press(small, 'Select', 'button', 'Enter')
  const date = new Date(publishAt.getTime() + 86_400_000).getUTCDate()
  const day = small.getByRole('button', { name: new RegExp(`\\b${date}\\b.*, \\d+ posts$`) })
  await day.focus()
  await day.press('Enter')
  await press(small, /Selected one/, 'checkbox', 'Space')
  await press(small, /Selected two/, 'checkbox', 'Space')
  expect(await seriousFindings(small)).toEqual([])
  await small.keyboard.press('Escape')
  await sees(small, '2 selected')
  await small.getByRole('button', { name: 'Move by…' }).waitFor()
})
