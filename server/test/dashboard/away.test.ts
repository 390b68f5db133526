import diagnostics from 'node:diagnostics_channel'
import { globSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { app } from '@postrider/contract'
import type { Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { operationAddresses } from '../../../dashboard/operation-addresses.ts'
import { root } from '../rigs/product.ts'
import { sees, settled } from './browser.ts'
import { expectNoFaults, inDays } from './dashboard-world.ts'
import { openSandboxWorld, type SandboxWorld } from './sandbox-world.ts'

/*
 * A click works at once or not at all: what is clicked while there is no line is refused by the page, and nothing of it is sent
 * when the line is back. What is seen to be sent is counted at the server.
 */

vi.setConfig({ testTimeout: 240_000 })

const isWrite = (method: string | undefined) => method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'

/** The writes of the page that have reached the server. */
const seen: string[] = []
function watch(message: unknown): void {
  const { method, url = '' } = (message as { request: IncomingMessage }).request
  if (isWrite(method) && url.startsWith('/app/api/') && !url.endsWith('/post-checks'))
    seen.push(`${method} ${url}`)
}

let world: SandboxWorld
beforeAll(async () => {
  world = await openSandboxWorld(['Alpha', 'Beta'])
  diagnostics.subscribe('http.server.request.start', watch)
})
beforeEach(() => void seen.splice(0))
afterAll(async () => {
  diagnostics.unsubscribe('http.server.request.start', watch)
  await world[Symbol.asyncDispose]()
})

const NO_LINE = 'No connection to the server'

/** Cuts the line, as a browser knows it; and has it back, until the page has read something over it. */
async function cutLine(): Promise<void> {
  onTestFinished(() => world.desk.setOffline(false))
  await world.desk.setOffline(true)
}
async function restoreLine(page: Page): Promise<void> {
  const answered = page.waitForResponse((answer) => answer.url().includes('/app/api/') && answer.ok())
  await world.desk.setOffline(false)
  await answered
  // Whatever was waiting for the line has begun before this one.
  await page.evaluate(
    `fetch('/app/api/me', { headers: { 'x-postrider-app': '1' } }).then((answer) => answer.text())`,
  )
}

const sources = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: root, exclude: ['**/*.test.ts'] }).map(
  (file) => ({
    file,
    text: readFileSync(join(root, file), 'utf8'),
  }),
)

/** The id of nothing. */
const any = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'

/** Every write that the sources of the page name. */
const writes = Object.entries(operationAddresses()).flatMap(([id, at]) =>
  isWrite(at.split(' ')[0]) && sources.some(({ text }) => text.includes(`'${id}'`)) ? [id] : [],
)

/** The page's own layer for writes, as a script of its own that a test can call. */
async function writeLayer(): Promise<string> {
  const queries = JSON.stringify(join(root, 'dashboard/src/api/queries.ts'))
  const client = JSON.stringify(join(root, 'dashboard/src/api/client.ts'))
  const code = `
    import { createElement } from 'react'
    import { createRoot } from 'react-dom/client'
    import { QueryClientProvider } from '@tanstack/react-query'
    import { queryClient, useWrite } from ${queries}
    import { call } from ${client}
    // From here on it knows of the line.
    queryClient.mount()
    const ends = {}
    const note = (name, sent) => {
      ends[name] = 'waits'
      sent.then(() => (ends[name] = 'done'), (error) => (ends[name] = error.name))
    }
    function Write({ id, input }) {
      const { mutateAsync } = useWrite(id)
      return createElement('button', { ref: (button) => {
        if (button !== null && !(id in ends)) note(id, mutateAsync(input))
      } })
    }
    /** Clicks all of them; how each has ended so far is told. */
    export function begin(ids, params) {
      const input = { params, query: {}, body: {} }
      const place = document.body.appendChild(document.createElement('div'))
      const all = ids.map((id) => createElement(Write, { key: id, id, input }))
      createRoot(place).render(createElement(QueryClientProvider, { client: queryClient }, all))
      for (const id of ids) note('call ' + id, call(id, input))
    }
    export const howEnded = () => ends`
  const built = (await build({
    configFile: false,
    root: join(root, 'dashboard'),
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'write-layer',
        resolveId: (source) =>
          source === 'virtual:operations'
            ? '\0operations'
            : source.endsWith('/write-layer.js')
              ? source
              : null,
        load: (source) =>
          source === '\0operations'
            ? `export const addresses = ${JSON.stringify(operationAddresses())}`
            : source.endsWith('/write-layer.js')
              ? code
              : null,
      },
    ],
    build: {
      write: false,
      minify: false,
      lib: { entry: join(root, 'dashboard/src/write-layer.js'), formats: ['es'] },
    },
  })) as Rolldown.RolldownOutput[]
  return built[0]!.output[0].code
}

test('every write of the page fails at once without a line, and reaches no server when it is back', async () => {
  expect(writes.length).toBeGreaterThan(50)
  const layer = await writeLayer()
  const page = await world.open(world.desk, 'settings')
  await page.route('**/write-layer.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: layer }),
  )
  const { workspaceId } = world.app.workspace
  await page.evaluate(`import('/write-layer.js').then((layer) => (window.layer = layer, undefined))`)
  await cutLine()
  await page.evaluate(`layer.begin(${JSON.stringify(writes)}, new Proxy({}, {
    get: (_, name) => (name === 'workspaceId' ? '${workspaceId}' : '${any}'),
  }))`)
  const failed = Object.fromEntries(
    writes.flatMap((id) => [id, `call ${id}`].map((name) => [name, 'OfflineError'])),
  )
  await expect.poll(() => page.evaluate('layer.howEnded()')).toEqual(failed)
  const sentLater: string[] = []
  page.on('request', (request) => isWrite(request.method()) && sentLater.push(request.url()))
  await restoreLine(page)
  expect([...seen, ...sentLater]).toEqual([])
})

test('all writes go through one layer, which has no way to wait for a line', () => {
  const filesWith = (pattern: RegExp) =>
    sources.flatMap(({ file, text }) => (pattern.test(text) ? [file] : []))
  expect(filesWith(/new QueryClient\b|networkMode/)).toEqual(['dashboard/src/api/queries.ts'])
  expect(filesWith(/XMLHttpRequest|sendBeacon|new WebSocket|serviceWorker|BackgroundSync/)).toEqual([])
  // The last two ask whether something is there.
  expect(filesWith(/\bfetch\(/).toSorted()).toEqual(
    ['ahead', 'away', 'client']
      .map((name) => `dashboard/src/api/${name}.ts`)
      .concat('dashboard/src/ui/picture.tsx'),
  )
  expect(
    sources.filter(({ text }) => /useMutation\b/.test(text) && /\bretry(Delay)?:/.test(text)),
  ).toHaveLength(1)
})

test('each write says until when it may arrive, and the server refuses it later, whatever it is', async () => {
  const page = await world.open(world.desk, 'settings')
  const asked = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/api/me'),
  )
  await page.getByRole('textbox', { name: 'Your name' }).fill('Ada L.')
  await page.getByRole('button', { name: 'Save name' }).click()
  const until = Number((await asked).headers()['x-postrider-until'])
  expect(until).toBeGreaterThan(Date.now() - 60_000)
  expect(until).toBeLessThan(Date.now() + 61_000)
  await world.app.db`update person set name = 'Ada' where name = 'Ada L.'`

  const { origin } = new URL(world.workspaceUrl)
  // The others are POSTs that change nothing.
  const changes = app.appOperations.filter(({ idempotency }) => idempotency !== undefined)
  const told: Record<string, string> = {}
  for (const { id, at } of changes) {
    const [method = '', path = ''] = at.split(' ')
    const own = path.replace('{workspaceId}', world.app.workspace.workspaceId)
    const headers = { origin, 'x-postrider-app': '1', 'x-postrider-until': String(Date.now() - 60_000) }
    const answer = await world.desk.request.fetch(origin + own.replaceAll(/\{\w+\}/g, any), {
      method,
      headers,
    })
    told[id] = ((await answer.json()) as { code: string }).code
  }
  expect(told).toEqual(Object.fromEntries(changes.map(({ id }) => [id, 'arrived_late'])))
})

async function anImmediate(text: string): Promise<string> {
  return world.aPostOf({ state: 'immediate', text, channelIds: [world.channelIds.get('Alpha')!] })
}
const reviewOf = async (postId: string): Promise<string> =>
  (await world.app.ask('GET', `/agent/v1/posts/${postId}`)).body.reviewStatus

test('an approval that is clicked without a line is none, until it is clicked again', async () => {
  const postId = await anImmediate('Approved without a line')
  const page = await world.open(world.desk, 'approvals')
  const request = page.getByRole('article', { name: /^Request from / })
  const approve = request.getByRole('button', { name: 'Approve and publish now' })
  await sees(request, 'Approved without a line')
  await approve.click({ trial: true })
  await cutLine()
  await approve.click()
  await sees(request, NO_LINE)
  await sees(page, /^You are offline/)
  await restoreLine(page)
  expect([seen, await reviewOf(postId)]).toEqual([[], 'pending'])
  await page.getByText(/^You are offline/).waitFor({ state: 'detached' })
  await approve.click()
  await sees(request, /^Approved by Ada/)
  await expect.poll(() => world.creates()).toMatchObject({ 'Alpha: Approved without a line': 1 })
})

test('a post that is to be published now without a line is not made, until that is clicked again', async () => {
  const page = await world.open(world.desk, 'compose')
  await page.getByRole('checkbox', { name: 'Beta', exact: true }).check()
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Published without a line')
  await page.getByRole('radio', { name: 'Publish now' }).check()
  const publish = page.getByRole('button', { name: 'Publish now' })
  await publish.click({ trial: true })
  await cutLine()
  await publish.click()
  await sees(page, NO_LINE)
  await restoreLine(page)
  expect(seen).toEqual([])
  await publish.click()
  await page.waitForURL(/\/posts\/[0-9a-f-]+$/)
  await expect.poll(() => world.creates()).toMatchObject({ 'Beta: Published without a line': 1 })
})

/** A tab whose clock is the test's. */
async function openAsleep(screen: string): Promise<Page> {
  const page = await world.desk.newPage()
  onTestFinished(() => page.close())
  await page.clock.install()
  await page.goto(`${world.workspaceUrl}/${screen}`)
  await settled(page)
  return page
}

/** The clock of a computer that sleeps goes on, and its timers stand still; then they go on, too. */
async function sleepAnHour(page: Page): Promise<void> {
  await page.clock.setSystemTime(Date.now() + 3_600_000)
  await page.clock.runFor(11_000)
}

test('of a click that a sleeping computer has kept in the middle, nothing more is sent', async () => {
  const page = await openAsleep('compose')
  await page.getByRole('checkbox', { name: 'Beta', exact: true }).check()
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Slept in the middle')
  await page.getByRole('radio', { name: 'Publish now' }).check()
  const asked = Promise.withResolvers<() => Promise<void>>()
  await page.getByRole('button', { name: 'Publish now' }).click({ trial: true })
  await page.route(/\/approvals(\?|$)/, (route) => asked.resolve(() => route.continue()))
  await page.getByRole('button', { name: 'Publish now' }).click()
  const goOn = await asked.promise
  await expect.poll(() => seen.length).toBe(1)
  await sleepAnHour(page)
  await goOn()
  await sees(page, 'Not sent')
  expect(seen).toHaveLength(1)
  const { items } = (await world.app.ask('GET', '/agent/v1/posts?q=Slept')).body
  expect(items).toMatchObject([{ reviewStatus: 'pending' }])
})

test('a request that is under way when a computer falls asleep is given up, and said to have no answer', async () => {
  await anImmediate('Asleep under way')
  const page = await openAsleep('approvals')
  const request = page.getByRole('article', { name: /^Request from / })
  await request.getByRole('button', { name: 'Approve and publish now' }).click({ trial: true })
  const given = Promise.withResolvers<void>()
  await page.route(/\/decide$/, () => given.resolve())
  await request.getByRole('button', { name: 'Approve and publish now' }).click()
  await given.promise
  await sleepAnHour(page)
  await sees(request, NO_LINE)
  expect(seen).toEqual([])
})

test('a cancel whose ten seconds a computer has slept through is not sent, and that is said', async () => {
  const post = await world.aScheduled('Slept before its cancel', inDays(3))
  const page = await openAsleep(`posts/${post.postId}`)
  await page.getByRole('button', { name: /^More for / }).click()
  await page.getByRole('menuitem', { name: /^Cancel/ }).click()
  await page.getByRole('button', { name: 'Cancel post' }).click()
  await sees(page, /^Will be cancelled in ten seconds/)
  await sleepAnHour(page)
  await sees(page, /Not everything was sent/)
  expect(seen).toEqual([])
})

test('a sign-out without a line says that it was not done', async () => {
  const page = await world.open(world.desk, 'media')
  await page.getByRole('button', { name: 'Account of Ada' }).click()
  const signOut = page.getByRole('menuitem', { name: 'Sign out' })
  await signOut.waitFor()
  await cutLine()
  await signOut.click()
  await sees(page, /^The server did not answer/)
  await restoreLine(page)
  expect(seen).toEqual([])
})

test('what is said behind another tab is there for whoever comes back', async () => {
  const post = await world.aScheduled('Cancelled behind a tab', inDays(3))
  const page = await openAsleep(`posts/${post.postId}`)
  const show = (state: 'hidden' | 'visible') =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
  await page.getByRole('button', { name: /^More for / }).click()
  await page.getByRole('menuitem', { name: /^Cancel/ }).click()
  await page.getByRole('button', { name: 'Cancel post' }).click()
  await sees(page, /^Will be cancelled in ten seconds/)
  await page.route(/\/cancel$/, (route) => route.abort())
  await show('hidden')
  await sees(page, /^Not cancelled: /)
  await page.clock.runFor(600_000)
  await show('visible')
  await sees(page, /^Not cancelled: /)
  await page.clock.runFor(60_000)
  await expect.poll(() => page.getByText(/^Not cancelled: /).count()).toBe(0)
})

test('nothing asked another host, threw, or failed but what was meant to', () => {
  expectNoFaults(world.browser, [/ERR_INTERNET_DISCONNECTED/, /ERR_FAILED/])
})
