import type { BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { settled } from './browser.ts'
import { expectNoFaults } from './dashboard-world.ts'
import { openSandboxWorld, type SandboxWorld } from './sandbox-world.ts'

/*
 * A server that asks to wait (429, 503): the page shows its frame and heading, says that the rest comes, and loads it as soon
 * as it may, pictures too.
 */

vi.setConfig({ testTimeout: 120_000 })

let world: SandboxWorld
let postId: string
/** What the server says to a session that asks too much; its wait is cut short. */
let refusal: { status: number; headers: Record<string, string>; body: string }

beforeAll(async () => {
  world = await openSandboxWorld(['Alpha'])
  const { app, workspaceUrl } = world
  const { origin } = new URL(workspaceUrl)
  const uploaded = await world.desk.request.post(
    `${origin}/app/api/workspaces/${app.workspace.workspaceId}/media`,
    {
      multipart: { altText: 'A red dot', confirmed: 'true', file: DOT },
      headers: { 'x-postrider-app': '1', origin, 'idempotency-key': crypto.randomUUID() },
    },
  )
  const { mediaId } = (await uploaded.json()) as { mediaId: string }
  const publishAt = new Date(Date.now() + 3_600_000).toISOString()
  const plan = { channelIds: [world.channelIds.get('Alpha')], text: 'With a picture', mediaIds: [mediaId] }
  postId = await world.aPostOf({ state: 'scheduled', publishAt, ...plan })
  refusal = await tooMany(await aSession())
}, 120_000)
afterAll(() => world[Symbol.asyncDispose]())

const DOT = {
  name: 'dot.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC',
    'base64',
  ),
}

/** A new profile of the owner; each has requests of its own. */
async function aSession(): Promise<BrowserContext> {
  const context = await world.browser.profile()
  await context.addCookies((await world.signedIn(await world.aMember('owner'))).cookies)
  return context
}

/** Asks until the server has had enough; what it says then. */
async function tooMany({ request }: BrowserContext): Promise<typeof refusal> {
  const { origin } = new URL(world.workspaceUrl)
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => request.get(`${origin}/app/api/me`)))
    const late = answers.find((answer) => answer.status() !== 200)
    if (late === undefined) continue
    expect(late.status()).toBe(429)
    expect(Number(late.headers()['retry-after'])).toBeGreaterThan(0)
    const body = { ...((await late.json()) as object), retryAfterSeconds: 1 }
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '1' }
    return { status: 429, headers, body: JSON.stringify(body) }
  }
}

/** Has the server ask to wait, from now on until `end`; it counts how often it was asked. */
async function pausing(page: Page, status = refusal.status) {
  const answers = { ...refusal, status, body: refusal.body.replace('"status":429', `"status":${status}`) }
  if (status === 503) answers.body = answers.body.replace('rate_limited', 'not_ready')
  const asked: string[] = []
  const refuse = (route: Route) => {
    asked.push(new URL(route.request().url()).pathname)
    return route.fulfill(answers)
  }
  await page.route('**/app/api/**', refuse)
  return { asked, end: () => page.unroute('**/app/api/**', refuse) }
}

const SAYS =
  'The server asked for a short pause. The rest of this page loads automatically, usually within a minute.'
const says = (page: Page) => page.getByText(SAYS, { exact: true })

test.each([
  ['today', 'Today', 429],
  ['compose', 'New post', 429],
  ['posts', 'Posts', 503],
  ['settings', 'Settings', 503],
] as const)(
  '%s has its frame and heading, and loads once the server has time',
  async (screen, title, status) => {
    const context = await aSession()
    const page = await context.newPage()
    const pause = await pausing(page, status)
    await page.goto(`${world.workspaceUrl}/${screen}`)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await says(page).waitFor()
    await expect
      .poll(() => page.getByRole('navigation', { name: 'Main', exact: true }).isVisible())
      .toBe(true)
    const before = pause.asked.length
    await expect.poll(() => pause.asked.length, { timeout: 30_000 }).toBeGreaterThan(before)
    await pause.end()
    await says(page).waitFor({ state: 'detached' })
    await settled(page)
    await page.getByRole('button', { name: /Account of/ }).waitFor()
    await context.close()
  },
)

test('pictures that the server did not give at first are there in the end', async () => {
  const context = await aSession()
  const page = await context.newPage()
  let refused = 0
  await page.route('**/media/*/content*', (route) =>
    ++refused > 4 ? route.continue() : route.fulfill(refusal),
  )
  await page.goto(`${world.workspaceUrl}/posts/${postId}`)
  const picture = page.getByRole('img', { name: 'A red dot' })
  await picture.waitFor()
  await expect
    .poll(() => picture.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth), {
      timeout: 30_000,
    })
    .toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(4)
  await context.close()
})

test('what is open stays, with what was typed, and goes on', async () => {
  const context = await aSession()
  const page = await context.newPage()
  await page.goto(`${world.workspaceUrl}/compose`)
  await settled(page)
  await page.getByRole('checkbox', { name: 'Alpha', exact: true }).check()
  await page.getByRole('radio', { name: 'Save as draft' }).check()
  const pause = await pausing(page)
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  await text.fill('Typed while the server rests')
  await says(page).waitFor()
  // Every read that is on the screen, as after a change elsewhere.
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  await page.getByRole('heading', { level: 1, name: 'New post' }).waitFor()
  await expect.poll(() => text.inputValue()).toBe('Typed while the server rests')
  const publish = page.getByRole('button', { name: 'Save draft' })
  await publish.click()
  await page.getByText('Too many requests', { exact: true }).waitFor()
  await expect.poll(() => text.inputValue()).toBe('Typed while the server rests')
  await pause.end()
  await publish.click()
  await page.waitForURL(/\/posts\/[0-9a-f-]+$/)
  await context.close()
})

test('a page without a server keeps what it shows', async () => {
  const context = await aSession()
  const page = await context.newPage()
  // Before the page sets its timers, which would else be those of a real clock.
  await page.clock.install()
  await page.goto(`${world.workspaceUrl}/posts/${postId}`)
  await settled(page)
  let asked = 0
  await page.route('**/app/api/**', (route) => {
    if (route.request().url().endsWith(`/posts/${postId}`)) asked += 1
    return route.abort()
  })
  // It looks for the end of what is under way, in vain: once, three times again, and anew a while later.
  while (asked < 5) await page.clock.runFor(1_000)
  await page.getByText(/^The server doesn’t answer/).waitFor()
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toContain('With a picture')
  expect(await page.getByText('No connection to the server', { exact: true }).count()).toBe(0)
  await context.close()
})

test('nothing else went wrong', () => {
  expectNoFaults(world.browser, [/status of (429|503)/, /ERR_FAILED/])
})
