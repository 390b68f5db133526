import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { anApproval } from '../rigs/fixtures.ts'
import { root } from '../rigs/product.ts'
import { sees, seriousFindings } from './browser.ts'
import { expectNoFaults } from './dashboard-world.ts'
import { openSandboxWorld, type SandboxWorld } from './sandbox-world.ts'

/*
 * What an approver sees is what goes out, and a decision is about what was seen: compared with what the server and the sandbox
 * network have afterwards.
 */

vi.setConfig({ testTimeout: 120_000 })

let world: SandboxWorld
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  world = opened.use(await openSandboxWorld(['Alpha', 'Beta']))
})
afterEach(nothingWaits)
afterAll(() => opened[Symbol.asyncDispose]())

const on = (...names: string[]) => ({ channelIds: names.map((name) => world.channelIds.get(name)!) })
const request = (page: Page) => page.getByRole('article', { name: /^Request from / })
const runs = (page: Page) => page.getByRole('list', { name: 'Changes to several posts' })
const rows = (page: Page) => page.getByRole('list', { name: 'Requests' })
const rowOf = (page: Page, text: string) => rows(page).getByRole('button', { name: new RegExp(text) })
const approve = (page: Page) => request(page).getByRole('button', { name: 'Approve and publish now' })

async function reviewOf(postId: string): Promise<string> {
  return (await world.app.ask('GET', `/agent/v1/posts/${postId}`)).body.reviewStatus
}

/** Ends what a test left open, so that the next one begins with nothing that waits. */
async function nothingWaits(): Promise<void> {
  await world.app.db`update approval set status = 'superseded' where status = 'pending'`
}

async function aMedium(name: string, file: Blob, altText: string): Promise<string> {
  const form = new FormData()
  form.set('file', file, name)
  form.set('confirmed', 'true')
  form.set('altText', altText)
  const answer = await fetch(`${world.app.baseUrl}/agent/v1/media`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${world.app.key}`, 'idempotency-key': crypto.randomUUID() },
  })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { mediaId: string }).mediaId
}

/** Half a second of silence. */
function aRecording(): Blob {
  const data = Buffer.alloc(8_000)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8_000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  return new Blob([head, data], { type: 'audio/wav' })
}

/** The background of the button that approves, in the moment when it becomes enabled. */
const ENABLED_ANEW = `(() => {
  const buttons = [...document.querySelectorAll('article button')]
  const button = buttons.find(({ textContent }) => textContent.startsWith('Approve for '))
  const background = () => getComputedStyle(button).backgroundColor
  button.disabled = true
  background()
  button.disabled = false
  return background()
})()`

test('the approver sees each text, alt text, recording, channel and time', async () => {
  const picture = await aMedium(
    'rider.jpg',
    new Blob([await readFile(join(root, 'docs/examples/rider.jpg'))], { type: 'image/jpeg' }),
    'A rider brings a letter.',
  )
  const recording = await aMedium('horn.wav', aRecording(), 'A post horn.')
  const postId = await world.aPostOf({
    state: 'draft',
    text: 'The first of three',
    mediaIds: [picture],
    ...on('Alpha', 'Beta'),
    thread: [{ text: 'The second' }, { text: 'The third' }],
  })
  // What the sandbox network takes no audio for is not refused as a draft: it is put beside the picture.
  await world.app.db`
    update part set media_ids = array_append(media_ids, ${recording}::uuid)
    where  index = 1 and destination_id in (select id from destination where post_id = ${postId})`
  const publishAt = new Date(Date.now() + 3 * 3_600_000)
  await world.app.db`update destination set publish_at = ${publishAt} where post_id = ${postId}`
  const approvalId = await anApproval(world.app.db, world.app.workspace.workspaceId, postId)

  const { body: post } = await world.app.ask('GET', `/agent/v1/posts/${postId}`)
  const page = await world.desk.newPage()
  await page.goto(post.approval.reviewUrl.replace('127.0.0.1', 'localhost'))
  await page.waitForURL(`**/approvals?request=${approvalId}`)
  const card = request(page)
  await sees(card, /^Publishes .*, in (3|2) hours$/)
  for (const text of ['The first of three', 'The second', 'The third']) await sees(card, text)
  for (const name of ['Alpha', 'Beta']) await card.getByRole('heading', { name }).waitFor()
  await card.getByRole('img', { name: 'A rider brings a letter.' }).waitFor()
  await sees(card, 'A rider brings a letter.')
  await sees(card, 'A post horn.')
  const length = () => page.evaluate("document.querySelector('audio').duration")
  await expect.poll(length).toBeCloseTo(0.5)
  // White letters on a background that fades in could not be read.
  expect(await page.evaluate(ENABLED_ANEW)).toBe('rgb(47, 91, 215)')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await card.getByRole('button', { name: /^Approve for / }).click({ trial: true })
  expect(await seriousFindings(page)).toEqual([])
  await page.close()
})

test('an approver is told that channels have different times, wherever a time stands', async () => {
  const postId = await world.aPostOf({
    state: 'draft',
    text: 'At its own time',
    ...on('Alpha', 'Beta'),
  })
  const { db, workspace } = world.app
  // In the order of the channels' ids, an hour apart.
  await db`
    with ordered as (select id, row_number() over (order by id) as at from destination where post_id = ${postId})
    update destination d set publish_at = timestamptz '2027-12-01T08:00Z' + ordered.at * interval '1 hour'
    from   ordered where d.id = ordered.id`
  const approvalId = await anApproval(db, workspace.workspaceId, postId)
  const times = 'Wed, 1 Dec 2027, 09:00 and 1 more time'
  const today = await world.open(world.desk, 'today')
  await sees(today, 'Publishes Wed, 1 Dec 2027, 09:00 in UTC and 1 more time')
  await today.goto(`${world.workspaceUrl}/approvals?request=${approvalId}`)
  await sees(today, 'Wed, 1 Dec 2027, 09:00 in UTC and 1 more time')
  for (const hour of ['09', '10'])
    await request(today)
      .getByText(new RegExp(`Publishes .*1 Dec 2027, ${hour}:00 in UTC`))
      .first()
      .waitFor()
  await request(today)
    .getByRole('button', { name: `Approve for ${times}` })
    .waitFor()
  // One of them has no time: it is published with the approval.
  await db`
    update destination set publish_at = null
    where  id = (select id from destination where post_id = ${postId} order by id desc limit 1)`
  await today.reload()
  await sees(request(today), 'Publishes as soon as it’s approved, and later on other channels')
  const both = request(today).getByRole('button', {
    name: 'Approve and publish now, later on other channels',
  })
  await expect.poll(() => both.count()).toBe(1)
  await today.close()
  await nothingWaits()
})

test('requests appear, a second click at the same spot approves nothing, and an approval is published as shown', async () => {
  const page = await world.open(world.desk, 'approvals')
  await sees(page, 'Nothing to approve')
  const first = await world.aPostOf({ state: 'immediate', text: 'One of two', ...on('Alpha') })
  await sees(request(page), 'One of two')
  const second = await world.aPostOf({ state: 'immediate', text: 'Two of two', ...on('Beta') })
  await rowOf(page, 'Two of two').waitFor()
  await sees(page, '2 waiting.')

  const shown = await request(page).locator('[dir=auto]').first().textContent()
  await clickTwice(page, approve(page))
  await sees(request(page), /^Approved by Ada/)
  await sees(page, '1 waiting.')
  expect([await reviewOf(first), await reviewOf(second)]).toEqual(['approved', 'pending'])
  await expect.poll(() => world.creates()).toMatchObject({ [`Alpha: ${shown}`]: 1 })
  expect(Object.keys(await world.creates())).not.toContain('Beta: Two of two')

  // The next one opens when it is asked for. What has gone out cannot be undone, and that is said.
  await rowOf(page, 'Two of two').click()
  await sees(request(page), 'Two of two')
  await rowOf(page, 'One of two').click()
  await sees(request(page), 'Can’t be undone: Publishing has started.')
  await page.close()
})

/** Two clicks of the mouse at the middle of what is there before the first. */
async function clickTwice(page: Page, button: Locator): Promise<void> {
  await button.click({ trial: true })
  const { x, y, width, height } = (await button.boundingBox())!
  const [left, top] = [x + width / 2, y + height / 2]
  await page.mouse.click(left, top)
  await request(page)
    .getByText(/^Approved by /)
    .waitFor()
  await page.mouse.click(left, top)
}

test('a decision is listed, and undone until it goes out', async () => {
  const postId = await world.aPostOf({ state: 'draft', text: 'For later', ...on('Alpha') })
  const publishAt = new Date(Date.now() + 3_600_000)
  await world.app.db`update destination set publish_at = ${publishAt} where post_id = ${postId}`
  await anApproval(world.app.db, world.app.workspace.workspaceId, postId)
  const page = await world.open(world.desk, 'approvals')
  await request(page)
    .getByRole('button', { name: /^Approve for / })
    .click()
  await sees(request(page), /^Approved by Ada/)
  await sees(page, /^Approved\. Publishes .* in UTC\./)
  expect(await reviewOf(postId)).toBe('approved')

  await page.getByRole('link', { name: 'Decided' }).click()
  await page.getByRole('heading', { name: 'Decided requests' }).waitFor()
  await rowOf(page, 'For later').click()
  await request(page).getByRole('button', { name: 'Undo' }).click()
  await sees(page, 'Undone. The post waits for approval again.')
  const { body } = await world.app.ask('GET', `/agent/v1/posts/${postId}`)
  expect(body).toMatchObject({
    reviewStatus: 'pending',
    destinations: [{ status: 'draft', publishAt: publishAt.toISOString() }],
  })
  await page.close()
})

test('several are approved or rejected together, after a look at each', async () => {
  const texts = ['First of several', 'Second of several', 'Third of several']
  const posts: string[] = []
  for (const text of texts) posts.push(await world.aPostOf({ state: 'immediate', text, ...on('Alpha') }))
  const page = await world.open(world.desk, 'approvals')
  await sees(request(page), texts[0]!)
  for (const text of texts.slice(0, 2)) await page.getByRole('checkbox', { name: `Select “${text}”` }).check()
  await sees(page, '2 selected, 1 reviewed.')
  expect(await page.getByRole('button', { name: 'Approve 2 selected' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Review the next one' }).click()
  await sees(request(page), texts[1]!)
  await page.getByRole('button', { name: 'Approve 2 selected' }).click()
  await sees(runs(page), 'Approved 2 posts.')
  expect(await Promise.all(posts.map(reviewOf))).toEqual(['approved', 'approved', 'pending'])
  expect(await seriousFindings(page)).toEqual([])

  posts.push(await world.aPostOf({ state: 'immediate', text: 'Fourth of several', ...on('Alpha') }))
  for (const text of ['Third of several', 'Fourth of several']) {
    await page.getByRole('checkbox', { name: `Select “${text}”` }).check()
    await page.getByRole('button', { name: 'Review the next one' }).click()
    await sees(request(page), text)
  }
  await page.getByRole('button', { name: 'Reject…' }).first().click()
  await page.getByLabel('Reason (the authors see it)').fill('Not now')
  await page.getByRole('button', { name: 'Reject 2 selected' }).click()
  await sees(runs(page), 'Rejected 2 posts.')
  expect(await Promise.all(posts.map(reviewOf))).toEqual(['approved', 'approved', 'rejected', 'rejected'])
  await page.close()
})

test('who may write edits and approves in one step, and what changed is shown to who comes later', async () => {
  const postId = await world.aPostOf({ state: 'immediate', text: 'With a tpyo', ...on('Beta') })
  const page = await world.open(world.desk, 'approvals')
  await request(page).getByRole('link', { name: 'Edit and approve…' }).click()
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('With a typo')
  await page.getByRole('button', { name: 'Save and approve' }).click()
  await page.waitForURL(`**/posts/${postId}`)
  expect(await reviewOf(postId)).toBe('approved')
  await expect.poll(() => world.creates()).toMatchObject({ 'Beta: With a typo': 1 })
  expect(Object.keys(await world.creates())).not.toContain('Beta: With a tpyo')

  await page.goto(`${world.workspaceUrl}/approvals?show=decided`)
  await rowOf(page, 'With a typo').click()
  await request(page).getByText('Changed since the last request.').waitFor()
  await expect.poll(() => request(page).locator('del').allTextContents()).toContain('tpyo')
  await expect.poll(() => request(page).locator('ins').allTextContents()).toContain('typo')
  await page.close()
})

test('nothing asked another host, threw, or failed', () => {
  expectNoFaults(world.browser, [])
})
