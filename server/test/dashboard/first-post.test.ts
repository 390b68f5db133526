import type { BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyCluster } from '../rigs/cluster.ts'
import { openPlace, printed, startProduct } from '../rigs/product.ts'
import {
  DESKTOP,
  OF_COLOURS,
  openBrowser,
  PHONE,
  sees,
  seriousFindings,
  settled,
  type TestBrowser,
  ZOOMED,
} from './browser.ts'

/* What somebody does who has never seen the product: start it, open the printed link, and read nothing. */

let said: string
let baseUrl: string
let browser: TestBrowser
let profile: BrowserContext
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  const place = opened.use(await openPlace())
  await copyCluster(place.dataDir)
  const product = opened.use(await startProduct(place))
  said = product.said()
  baseUrl = `http://localhost:${place.env.PORT}`
  browser = opened.use(await openBrowser(baseUrl))
  profile = await browser.profile(DESKTOP)
})
afterAll(() => opened[Symbol.asyncDispose]())

test('from the printed link to a published post', async () => {
  const page = await profile.newPage()
  await page.goto(printed(said, 'The link works once, for 24 hours:').trim())
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()

  await page.getByRole('heading', { name: 'Get started' }).waitFor()
  await page.getByRole('button', { name: 'Use Vienna time' }).click()
  await page.getByRole('heading', { name: 'Times are in Vienna', exact: true }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click()
  await page.getByRole('button', { name: 'Connect channel', exact: true }).click()
  await page.getByRole('button', { name: 'Connect Sandbox, short posts' }).click()
  const made = page.getByRole('listitem').filter({ hasText: 'Sandbox short-' })
  await sees(made, 'Connected')

  await page.getByRole('link', { name: 'New post' }).click()
  await page.getByRole('checkbox', { name: /^Sandbox short-/ }).check()
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Hello from the dashboard')
  await sees(page, /24 \/ 280/)
  await page.getByRole('radio', { name: 'Publish now' }).check()
  await page.getByRole('button', { name: 'Publish now' }).click()

  const onNetwork = page.getByRole('link', { name: 'Open on the network' })
  await onNetwork.waitFor()
  await sees(page.getByRole('region', { name: /^Sandbox short-/ }), 'Published')
  const published = await fetch((await onNetwork.getAttribute('href'))!)
  expect(await published.text()).toContain('Hello from the dashboard')

  await page.getByRole('link', { name: 'Calendar' }).click()
  await page.getByRole('link', { name: /Hello from the dashboard/ }).waitFor()
}, 120_000)

const screens = [
  'today',
  'calendar',
  'calendar?view=week',
  'calendar?view=agenda',
  'posts',
  'series',
  'compose',
  'approvals',
  'attention',
  'channels',
  'media',
  'templates',
  'templates/new',
  'keys',
  'apps',
  'webhooks',
  'events',
  'members',
  'audit',
  'settings',
]

/** What zoomed to 200 % differs by from the same page on the desk: half as many pixels. */
const HALF = ZOOMED.viewport

const BUT_COLOURS = [['light', { but: OF_COLOURS }]] as const
const IN_BOTH_SCHEMES = [
  ['light', {}],
  ['dark', { only: OF_COLOURS }],
] as const

test.each([
  ['desk, also zoomed to 200 %', DESKTOP, [DESKTOP.viewport, HALF]],
  ['phone', PHONE, [PHONE.viewport]],
])(
  'axe finds nothing serious on a %s, in the light or in the dark, and nothing is wider than the window',
  async (_, options, sizes) => {
    await using context = await browser.profile({ ...options, storageState: await profile.storageState() })
    const page = await context.newPage()
    await page.goto(baseUrl)
    await page.waitForURL('**/today')
    const workspace = page.url().replace(/\/today$/, '')
    const findings: string[] = []
    const look = async () => {
      for (const size of sizes) {
        await page.setViewportSize(size)
        await settled(page)
        // The colours of half a desk are those of the whole one and of a phone.
        const looks = size === HALF ? BUT_COLOURS : IN_BOTH_SCHEMES
        for (const [colorScheme, rules] of looks) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          const found = await seriousFindings(page, rules)
          findings.push(...found.map((finding) => `${size.width} px, ${colorScheme}: ${finding}`))
        }
        const more = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        if (more > 0) findings.push(`${page.url()}: ${more} px wider than ${size.width} px`)
      }
    }
    const headings = new Set<string | null>()
    for (const screen of screens) {
      // As a link does it: to load the page and axe anew for each takes three times as long.
      await page.evaluate(`history.pushState(null, '', '${workspace}/${screen}')`)
      await look()
      headings.add(await page.getByRole('heading', { level: 1 }).textContent())
    }
    // A calendar has one heading in all of its views.
    expect([...headings]).toHaveLength(screens.length - 2)
    for (const path of ['account', 'account/passkeys', 'account/password', 'account/email', 'proved']) {
      await page.goto(new URL(`/${path}`, baseUrl).href)
      await look()
    }
    await page.goto(`${workspace}/posts`)
    await page.getByRole('link', { name: /Hello from the dashboard/ }).click()
    await page.waitForURL('**/posts/*')
    await look()
    expect(findings).toEqual([])
  },
  300_000,
)

test('no tab logged an error, or asked another host', () => {
  expect(browser.faults).toEqual([])
})
