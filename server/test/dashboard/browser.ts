import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'

const run = promisify(execFile)
const CHROMIUM = 'chromium'
const WHOLE = [CHROMIUM, 'chromium-browser', 'google-chrome']
/** Takes a fifth less of the processor than the whole browser, and knows no notifications. */
const SHELL = 'chromium-headless-shell'

/** Chromium of the machine. On Debian it is installed where it is missing, which only root can do. */
async function findChromium(isWhole: boolean): Promise<string> {
  const name = isWhole ? CHROMIUM : SHELL
  const found = onPath(isWhole ? WHOLE : [SHELL])
  if (found !== null) return found
  const fault = await install(name).then(
    () => null,
    (error: unknown) => error,
  )
  const installed = onPath(isWhole ? WHOLE : [SHELL, ...WHOLE])
  if (installed !== null) return installed
  throw new Error(
    `The tests of the dashboard need Chromium. Install it (on Debian: \`apt-get install ${name}\`), or run them as root once.`,
    { cause: fault },
  )
}

async function install(name: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const wait = ['-o', 'DPkg::Lock::Timeout=300']
  await run('apt-get', ['update', ...wait])
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...wait, name, 'fonts-noto-core'])
}

function onPath(names: readonly string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return paths.find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export const DESKTOP = { viewport: { width: 1280, height: 800 } } as const
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const
/** A desk on which the browser shows everything at 200 %. */
export const ZOOMED = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 } as const

/** A browser whose tabs are watched: what went wrong in any of them is in `faults`. */
export type TestBrowser = {
  /** A new profile: it knows no cookie but those that are given. */
  readonly profile: (options?: BrowserContextOptions) => Promise<BrowserContext>
  /** Console errors, exceptions, and requests to other hosts, of all tabs. */
  readonly faults: string[]
} & AsyncDisposable

type Options = {
  /** The whole browser that people have. */
  readonly isWhole?: boolean
  /** The port of this machine that every other host is, by HTTPS. */
  readonly othersPort?: number
}

export async function openBrowser(
  baseUrl: string,
  { isWhole = false, othersPort }: Options = {},
): Promise<TestBrowser> {
  // In a container the user is often root, for whom Chromium has no sandbox.
  const browser: Browser = await chromium.launch({
    executablePath: await findChromium(isWhole),
    args: ['--no-sandbox', ...(othersPort === undefined ? [] : [hostsAt(othersPort)])],
  })
  const own = new URL(baseUrl).port
  const faults: string[] = []
  return {
    faults,
    async profile(options = DESKTOP) {
      const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Vienna', ...options })
      context.setDefaultTimeout(60_000)
      context.on('console', (message) => {
        if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`)
      })
      context.on('weberror', (fault) => faults.push(String(fault.error().stack)))
      context.on('request', (request) => {
        const url = new URL(request.url())
        if (url.protocol.startsWith('http') && url.port !== own) faults.push(`asks ${request.url()}`)
      })
      return context
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

/** Routes of Playwright are not asked where a request is redirected to. */
const hostsAt = (port: number) =>
  `--host-resolver-rules=MAP * 127.0.0.1:${port}, EXCLUDE localhost, EXCLUDE 127.0.0.1`

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * The rules of axe that look at colours. In the other colour scheme, all others look at the same page again; in another language or
 * size, these do, and take the longest.
 */
export const OF_COLOURS = ['color-contrast', 'link-in-text-block'] as const

type Rules = { readonly only?: readonly string[]; readonly but?: readonly string[] }

/** What axe finds on the page that is serious or critical, in words; by all of its rules, or by some. */
export async function seriousFindings(page: Page, { only, but = [] }: Rules = {}): Promise<string[]> {
  // A page keeps it until it is loaded anew.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(await axe)
  // Only rules that are off read whole style sheets and films.
  const options = {
    resultTypes: ['violations'],
    preload: false,
    ...(only && { runOnly: only }),
    rules: Object.fromEntries(but.map((rule) => [rule, { enabled: false }])),
  }
  const found: { impact: string; help: string; targets: string[] }[] = await page.evaluate(`
    axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ impact, help, nodes }) => ({ impact, help, targets: nodes.map(({ target }) => target.join(' ')) })))`)
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ help, targets }) => `${page.url()}: ${help}: ${targets.join(', ')}`)
}

/**
 * Waits until one element shows exactly this text, or a text that the pattern matches. A part of a text would match labels and
 * hints, too, and a locator that matches two elements fails.
 */
export async function sees(where: Page | Locator, text: string | RegExp): Promise<void> {
  await where.getByText(text, { exact: true }).filter({ visible: true }).first().waitFor()
}

/** Waits until what the page shows is loaded. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}
