import { openBrowser, settled } from '../server/test/dashboard/browser.ts'
import { type Browser, changeRoute, firstLoad, type Line, newTab, signIn } from './dashboard.ts'
import { type Figure, median } from './measuring.ts'
import type { Product } from './product.ts'
import { forgetPosts, seedChannels, seedPosts } from './seeding.ts'

const POSTS = 5_000
const CHANNELS = 300
const ROUNDS = 3
/** 400 kbit/s, with 400 ms until the first byte. */
const SLOW: Line = { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000, offline: false }

/** Every screen of the menu, and what is there once it shows what was asked for. */
const SCREENS: Readonly<Record<string, string>> = {
  today: 'main a[href*="/posts/"]',
  'calendar?view=month': '[data-card]',
  'calendar?view=week': '[data-card]',
  'calendar?view=agenda': 'main a[href*="/posts/"]',
  posts: 'main a[href*="/posts/"]',
  compose: 'main textarea',
  approvals: 'main h1',
  attention: 'main h1',
  channels: 'main button[aria-label^="More for"]',
  media: 'main h1',
  keys: 'main h1',
  apps: 'main h1',
  webhooks: 'main h1',
  events: 'main h1',
  members: 'main h1',
  audit: 'main h1',
  settings: 'main form',
}

/** With `SCREENS`, those whose names it matches, as a regular expression, and no others. */
const wanted = new RegExp(process.env['SCREENS'] ?? '.')

/** First loads of the screens on a slow line, and each from another on a fast one, with 300 channels and 5,000 posts in this month. */
export async function measureSlowLine(product: Product): Promise<Figure[]> {
  const { db, keyring } = product
  const places = await seedChannels(db, keyring, 'http://127.0.0.1:9', { workspaces: 1, channels: CHANNELS })
  const workspaceId = places[0]?.workspaceId ?? ''
  await db`update channel set display_name = 'Account ' || right(id::text, 4) where workspace_id = ${workspaceId}`
  const dueAt = new Date(Date.now() + 365 * 86_400_000)
  await seedPosts(db, places, { count: POSTS, status: 'scheduled', dueAt, word: 'planned' })
  await db`
    update destination d
    set    publish_at = date_trunc('month', now()) + (n.place % 28) * interval '1 day' + n.place * interval '10 seconds'
    from   (select id, row_number() over (order by id) as place from destination) n
    where  n.id = d.id`
  await db`vacuum analyze`
  const cookie = await signIn(product, workspaceId)
  const url = `${product.url.replace('127.0.0.1', 'localhost')}/w/${workspaceId}`
  await using browser = await openBrowser(url, { isWhole: true })

  const figures: Figure[] = []
  for (const [screen, shown] of Object.entries(SCREENS)) {
    if (!wanted.test(screen)) continue
    const seen: number[] = []
    for (let round = 0; round < ROUNDS; round++)
      seen.push(await firstLoad(browser, cookie, `${url}/${screen}`, shown, SLOW))
    figures.push([`first load: ${screen}`, `${median(seen).toFixed(0)} ms`, '< 6,000 ms'])
  }
  figures.push(...(await changes(browser, cookie, url)))
  await forgetPosts(db)
  return figures
}

/** From the settings, or from the members to those. */
async function changes(browser: Browser, cookie: string, url: string): Promise<Figure[]> {
  const page = await newTab(browser, cookie)
  await page.goto(`${url}/today`)
  await settled(page)
  const figures: Figure[] = []
  const links = Object.entries(SCREENS).filter(([screen]) => !/view=(?!month)/.test(screen))
  for (const [screen, shown] of links) {
    if (!wanted.test(screen)) continue
    const seen: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const from = screen === 'settings' ? 'members' : 'settings'
      await changeRoute(page, from, SCREENS[from] ?? '')
      seen.push(await changeRoute(page, screen.split('?')[0] ?? '', shown))
    }
    figures.push([`another screen: ${screen}`, `${median(seen).toFixed(0)} ms`, '< 150 ms'])
  }
  return figures
}
