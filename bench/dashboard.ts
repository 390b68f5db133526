import { v7 as uuidv7 } from 'uuid'
import { insertMember } from '../server/src/people/members/member-store.ts'
import { openSession } from '../server/src/people/sign-in/session/session-store.ts'
import { DESKTOP, openBrowser, settled } from '../server/test/dashboard/browser.ts'
import { type Figure, median, quantile } from './measuring.ts'
import type { Product } from './product.ts'
import { forgetPosts, seedChannels, seedPosts } from './seeding.ts'

const POSTS = 5_000
const ROUNDS = 5
const DRAG_STEPS = 120
const SCROLL_STEPS = 120

/** What a person waits for in the browser, with 5,000 posts in the month that is shown. */
export async function measureDashboard(product: Product): Promise<Figure[]> {
  const { db, keyring } = product
  const [place] = await seedChannels(db, keyring, 'http://127.0.0.1:9', { workspaces: 1, channels: 1 })
  if (place === undefined) throw new Error('no channel was made')
  const { workspaceId } = place
  const baseUrl = product.url.replace('127.0.0.1', 'localhost')
  const calendar = `${baseUrl}/w/${workspaceId}/calendar?view=month`
  const cookie = await signIn(product, workspaceId)
  await using browser = await openBrowser(baseUrl, { isWhole: true })

  const empty = await repeated(() => firstLoad(browser, cookie, calendar, 'ol [aria-label]'))
  await seedPosts(db, [place], { count: POSTS, status: 'scheduled', dueAt: inAYear(), word: 'planned' })
  await db`
    update destination d
    set    publish_at = date_trunc('month', now()) + (n.place % 28) * interval '1 day' + n.place * interval '10 seconds'
    from   (select id, row_number() over (order by id) as place from destination) n
    where  n.id = d.id`
  await db`vacuum analyze`
  const full = await repeated(() => firstLoad(browser, cookie, calendar, '[data-card]'))
  const page = await newTab(browser, cookie)
  await page.goto(calendar)
  await settled(page)
  const away: number[] = []
  const back: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    away.push(await changeRoute(page, 'media', 'ul[aria-label="Media"]'))
    back.push(await changeRoute(page, 'calendar', '[data-card]'))
  }
  const frames = await dragFrames(page)
  const views: Figure[] = []
  for (const [view, shown] of [
    ['month', '[data-card]'],
    ['week', '[data-card]'],
    ['agenda', 'main section li'],
  ] as const) {
    const { longest, scrolled } = await openView(browser, cookie, `${baseUrl}/w/${workspaceId}/calendar`, {
      view,
      shown,
    })
    views.push(
      [`longest task while the ${view} is opened`, `${longest.toFixed(0)} ms`, ''],
      [
        `95 % of frames while it is scrolled took at most`,
        `${quantile(scrolled, 0.95).toFixed(0)} ms`,
        '17 ms',
      ],
    )
  }
  await forgetPosts(db)

  return [
    ['first load until the calendar is there, empty', `${empty.toFixed(0)} ms`, '< 1,000 ms'],
    [`the same with ${POSTS.toLocaleString('en')} posts`, `${full.toFixed(0)} ms`, ''],
    ['from one screen to another', `${median(away).toFixed(0)} ms`, '< 100 ms'],
    ['back to the calendar with all of them', `${median(back).toFixed(0)} ms`, '< 100 ms'],
    ['frames per second while dragging', (1_000 / median(frames)).toFixed(0), '60'],
    ['of these frames, 95 % took at most', `${quantile(frames, 0.95).toFixed(0)} ms`, '17 ms'],
    ...views,
  ]
}

async function repeated(measure: () => Promise<number>): Promise<number> {
  const seen: number[] = []
  for (let round = 0; round < ROUNDS; round++) seen.push(await measure())
  return median(seen)
}

function inAYear(): Date {
  return new Date(Date.now() + 365 * 86_400_000)
}

export async function signIn({ db }: Product, workspaceId: string): Promise<string> {
  const personId = uuidv7()
  await db`insert into person (id, name, email) values (${personId}, 'Bench', ${`${personId}@example.com`})`
  await db.begin((tx) => insertMember(tx, { workspaceId, personId, role: 'owner' }))
  return openSession(db, personId, { address: '127.0.0.1', userAgent: 'bench' })
}

export type Browser = Awaited<ReturnType<typeof openBrowser>>
type Page = Awaited<ReturnType<typeof newTab>>

/** A tab of a new profile, which has nothing in its cache. */
export async function newTab(browser: Browser, value: string) {
  const cookie = { name: 'postrider', value, domain: 'localhost', path: '/', expires: -1 }
  const cookies = [{ ...cookie, httpOnly: true, secure: false, sameSite: 'Lax' as const }]
  const profile = await browser.profile({ ...DESKTOP, storageState: { cookies, origins: [] } })
  return profile.newPage()
}

const GIVE_UP_MS = 60_000

/**
 * Script: resolves with the page's clock once an element is there and the browser has painted it. A page that never shows it, since it was
 * refused something, ends the measurement with what it says instead.
 */
function shownAt(selector: string): string {
  return `new Promise((resolve, reject) => {
    const until = performance.now() + ${GIVE_UP_MS}
    const look = () => {
      const isThere = document.querySelector(${JSON.stringify(selector)}) !== null
      if (isThere && document.querySelector('[role=status][aria-label=Loading]') === null)
        requestAnimationFrame(() => resolve(performance.now()))
      else if (performance.now() > until)
        reject(new Error(${JSON.stringify(`no ${selector}: `)} + location.pathname + ' says ' + document.body?.innerText.slice(0, 400)))
      else requestAnimationFrame(look)
    }
    look()
  })`
}

/** What a line lets through, in bytes a second, and after how many milliseconds. */
export type Line = { latency: number; downloadThroughput: number; uploadThroughput: number; offline: false }

/** Milliseconds from the navigation until this is there. */
export async function firstLoad(
  browser: Browser,
  cookie: string,
  url: string,
  shown: string,
  line?: Line,
): Promise<number> {
  const page = await newTab(browser, cookie)
  if (line !== undefined) {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', line)
  }
  await page.addInitScript(`globalThis.shown = ${shownAt(shown)}`)
  await page.goto(url)
  const ms: number = await page.evaluate('globalThis.shown')
  await page.context().close()
  return ms
}

/** Milliseconds from a click in the navigation until another screen is there. */
export function changeRoute(page: Page, link: string, shown: string): Promise<number> {
  return page.evaluate(`(async () => {
    const from = performance.now()
    document.querySelector('nav a[href$="/${link}"]').click()
    return (await ${shownAt(shown)}) - from
  })()`)
}

/** Script: from now on, `globalThis.frames` has how long each frame took, in milliseconds. */
const COUNT_FRAMES = `(() => {
  globalThis.frames = []
  let last = performance.now()
  const tick = (now) => {
    globalThis.frames.push(now - last)
    last = now
    requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
})()`

/** Opens a view of the calendar and scrolls through it: its longest task, and how long each frame took, in milliseconds. */
async function openView(
  browser: Browser,
  cookie: string,
  calendar: string,
  { view, shown }: { view: string; shown: string },
): Promise<{ longest: number; scrolled: number[] }> {
  const page = await newTab(browser, cookie)
  await page.addInitScript(`
    globalThis.longest = 0
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration)
    }).observe({ type: 'longtask', buffered: true })
    globalThis.shown = ${shownAt(shown)}`)
  await page.goto(`${calendar}?view=${view}&day=${new Date().toISOString().slice(0, 7)}-01`)
  await page.evaluate('globalThis.shown')
  const longest: number = await page.evaluate('globalThis.longest')
  const { width, height } = DESKTOP.viewport
  await page.mouse.move(width / 2, height / 2)
  await page.evaluate(COUNT_FRAMES)
  for (let step = 0; step < SCROLL_STEPS; step++) await page.mouse.wheel(0, 60)
  const frames: number[] = await page.evaluate('globalThis.frames')
  await page.context().close()
  return { longest, scrolled: frames.slice(1) }
}

/** How long each frame took while a post was dragged over the month, in milliseconds. */
async function dragFrames(page: Page): Promise<number[]> {
  const tile = await page.locator('[data-card]').first().boundingBox()
  if (tile === null) throw new Error('no post is on the calendar')
  await page.mouse.move(tile.x + 10, tile.y + 5)
  await page.mouse.down()
  await page.evaluate(COUNT_FRAMES)
  for (let step = 0; step < DRAG_STEPS; step++)
    await page.mouse.move(tile.x + 10 + (step % 40) * 18, tile.y + 5 + step * 3)
  const frames: number[] = await page.evaluate('globalThis.frames')
  await page.keyboard.press('Escape')
  await page.mouse.up()
  return frames.slice(1)
}
