import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addresses } from '../../../dashboard/src/addresses.ts'
import { aChannel, anApproval, aPost } from '../rigs/fixtures.ts'
import { type DashboardWorld, expectNoFaults, inDays, openDashboardWorld } from './dashboard-world.ts'
import { DESKTOP, OF_COLOURS, seriousFindings, settled } from './browser.ts'

/* In which language the dashboard speaks to a person. */

let world: DashboardWorld
const opened = new AsyncDisposableStack()
beforeAll(async () => {
  world = opened.use(await openDashboardWorld({}))
})
afterAll(() => opened[Symbol.asyncDispose]())

test('the language that a person chooses is theirs in every browser, and takes the place of the browser’s', async () => {
  const storageState = await world.signedIn(await world.aMember('owner'))
  await using english = await world.browser.profile({ ...DESKTOP, storageState })
  const page = await world.open(english, 'settings')
  await page.getByLabel('Language').selectOption('Deutsch')
  await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de')

  await using other = await world.browser.profile({ ...DESKTOP, storageState })
  const elsewhere = await world.open(other, 'settings')
  await elsewhere.getByLabel('Sprache').selectOption('English')
  await elsewhere.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()

  await using german = await world.browser.profile({ ...DESKTOP, storageState, locale: 'de-DE' })
  const chosen = await world.open(german, 'settings')
  await chosen.getByLabel('Language').selectOption('Same as this browser')
  await chosen.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
  await settled(chosen)
})

test('whoever reads German meets no English words on any screen, and axe finds nothing serious there', async () => {
  const english = await englishWords()
  const storageState = await world.signedIn(await world.aMember('owner'))
  await using german = await world.browser.profile({ ...DESKTOP, storageState, locale: 'de-DE' })
  const { postId } = await seed()
  // Side by side: a screen that loads keeps none of the others waiting.
  const all = [...screensOf(), `posts/${postId}`, `compose?postId=${postId}`]
  expect(all.length).toBeGreaterThan(15)
  const found = await Promise.all(
    [0, 1, 2].map(async (third) => {
      const page = await german.newPage()
      const texts: string[] = []
      for (const screen of all.filter((_, at) => at % 3 === third)) {
        await page.goto(`${world.workspaceUrl}/${screen}`)
        await settled(page)
        await page.getByRole('status', { name: 'Wird geladen' }).first().waitFor({ state: 'detached' })
        for (const text of await textsOn(page))
          if (english.some((words) => words.test(text))) texts.push(`${screen}: ${text}`)
        texts.push(...(await seriousFindings(page, { but: OF_COLOURS })))
      }
      return texts
    }),
  )
  expect(found.flat()).toEqual([])
})

/** Every screen that an address leads to without a name in it. */
function screensOf(): string[] {
  return Object.keys(addresses).flatMap(
    (address) => /^\/w\/\$workspaceId\/([a-z]+)$/.exec(address)?.[1] ?? [],
  )
}

/** A template, a post that is scheduled, and another that waits for approval. */
async function seed(): Promise<{ postId: string }> {
  const { db, workspace } = world.app
  const { workspaceId } = workspace
  const channelIds = [await aChannel(db, workspaceId, { displayName: 'Postamt' })]
  const waiting = await aPost(db, workspaceId, { channelIds, texts: ['4712'] })
  await anApproval(db, workspaceId, waiting.postId)
  const template = { confirmed: true, name: '4713', text: '4714 {{4715}}' }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const made = await world.app.ask('POST', '/agent/v1/templates', { headers, body: template })
  expect(made.status).toBe(201)
  return aPost(db, workspaceId, {
    channelIds,
    texts: ['4711'],
    publishAt: inDays(2),
    states: ['scheduled'],
  })
}

const source = join(import.meta.dirname, '../../../dashboard/src')
/** Stands where words put something in. */
const HOLE = '◌'

/** What is the same in both languages. */
const alike = new Set([
  'API',
  'Admin',
  'April',
  'August',
  'September',
  'November',
  'Audio',
  'Video',
  'Videos',
  'Text',
  'Zoom',
  'Label',
  'Labels',
  'Link',
  'URL',
  `HTTP ${HOLE}`,
  'Name',
  'Name (optional)',
  `${HOLE} (optional)`,
  'Passkeys',
  'Webhooks',
  'Label',
  'Labels',
  'Status',
  'Test',
  'example.com',
  'utm_source={network}&utm_campaign={label}',
  `${HOLE} ms`,
  `${HOLE} min`,
  `${HOLE} in ${HOLE}`,
  `${HOLE} in ${HOLE}.`,
  `${HOLE}, ${HOLE} in ${HOLE}`,
])

/** What the dashboard's words say in English and otherwise in German. */
async function englishWords(): Promise<RegExp[]> {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('words.ts'),
  )
  const pairs: (readonly [english: string, german: string | undefined])[] = []
  for (const file of files.filter((name) => !name.endsWith('-words.ts'))) {
    const german = await readWords(file.replace(/\.ts$/, '.de.ts'))
    for (const [path, english] of await readWords(file)) pairs.push([english, german.get(path)])
  }
  const worded = pairs.filter(([english]) => /\p{L}{2}/u.test(english))
  expect(worded.length).toBeGreaterThan(500)
  // What is the same in both, and not known to be, is English that was forgotten.
  const forgotten = ([english, german]: (typeof pairs)[number]) => english === german && !alike.has(english)
  const german = worded.filter((pair) => !forgotten(pair)).map(([, text = '']) => text)
  return (
    worded
      .filter(([english]) => !alike.has(english))
      .map(([english]) => new RegExp(`^${english.split(HOLE).map(escaped).join('.+')}$`, 's'))
      // What is said in German as well, if only elsewhere, tells nothing.
      .filter((pattern) => !german.some((text) => pattern.test(text)))
  )
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

async function readWords(file: string): Promise<Map<string, string>> {
  const words: unknown = await import(pathToFileURL(join(source, file)).href)
  // The module's one object, whatever its name.
  return new Map(Object.values(words as object).flatMap((one: unknown) => leavesOf(one)))
}

/** The texts by their paths. */
function leavesOf(words: unknown, path = ''): [string, string][] {
  if (typeof words === 'string') return [[path, words.replaceAll('NaN', HOLE)]]
  if (typeof words === 'function') return leavesOf(said(words as (...given: string[]) => unknown), path)
  if (typeof words !== 'object' || words === null) return []
  return Object.entries(words).flatMap(([name, one]) => leavesOf(one, `${path}.${name}`))
}

/** Null for what says nothing of texts. */
function said(words: (...given: string[]) => unknown): unknown {
  try {
    return words(...Array.from({ length: 8 }, () => HOLE))
  } catch {
    return null
  }
}

/** All that a page says, to those who see it and to those who hear it; without code, which is in no language. */
async function textsOn(page: Page): Promise<string[]> {
  const texts: string[] = await page.evaluate(`(() => {
    const texts = [document.title]
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode())
      if (walker.currentNode.parentElement.closest('code, pre, script, style') === null) texts.push(walker.currentNode.data)
    for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
      for (const element of document.querySelectorAll('[' + name + ']')) texts.push(element.getAttribute(name))
    return texts
  })()`)
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim()).filter((text) => text !== '')
}

test('nothing went wrong in any tab', () => {
  expectNoFaults(world.browser, [])
})
