import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix, resolve } from 'node:path'
import { promisify } from 'node:util'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveDocs } from '../src/doors/dashboard/serve-docs.ts'
import { openBrowser, PHONE, seriousFindings, type TestBrowser } from './dashboard/browser.ts'
import { questions } from './rigs/questions-of-newcomers.ts'

/* The site that the documents are built into: by its files, and in a browser, served as the server serves it. */

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../..')
const LARGEST_BYTES = 100_000

let folder: string
let names: string[]
let app: FastifyInstance
let baseUrl: string
let browser: TestBrowser

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-docs-'))
  const eleventy = join(ROOT, 'node_modules/@11ty/eleventy/cmd.cjs')
  await run(process.execPath, [eleventy, '--config=eleventy.config.js', '--quiet'], {
    cwd: join(ROOT, 'docs-site'),
    env: { ...process.env, DOCS_OUTPUT: folder },
  })
  names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(entry.parentPath.slice(folder.length + 1), entry.name))
  app = fastify()
  serveDocs(app, { folder })
  baseUrl = `${await app.listen({ port: 0, host: '127.0.0.1' })}/docs/`
  browser = await openBrowser(baseUrl)
}, 120_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await app?.close()
  await rm(folder, { recursive: true, force: true })
})

const html = () => names.filter((name) => name.endsWith('.html'))
const textOf = (name: string) => readFile(join(folder, name), 'utf8')
const sizeOf = async (name: string) => (await stat(join(folder, name))).size

/** The targets of one attribute, with what HTML has to write otherwise put back. */
function targetsOf(page: string, attribute: 'href' | 'src' | 'action'): string[] {
  return [...page.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  )
}

describe('the files', () => {
  test('are all documents, and no page of them is left out', () => {
    const sources = globSync('**/*.md', { cwd: join(ROOT, 'docs') }).map((name) => name.replaceAll('\\', '/'))
    const expected = sources.map((name) => name.replace(/README\.md$/, 'index.md').replace(/md$/, 'html'))
    expect(names).toEqual(
      expect.arrayContaining([...expected, 'index.html', 'reference.html', 'sdk.html', 'n8n.html']),
    )
  })

  test('lead nowhere that is not: pages, headings, pictures, scripts', async () => {
    const faults: string[] = []
    for (const name of html()) {
      const page = await textOf(name)
      for (const attribute of ['href', 'src', 'action'] as const) {
        for (const link of targetsOf(page, attribute)) {
          // Addresses elsewhere are not asked; `/openapi` is a running server's.
          if (/^[a-z]+:/.test(link) || link.startsWith('/')) continue
          const [path = '', heading] = link.split('#')
          const target = path === '' ? name : posix.join(dirname(name), decodeURI(path))
          if (!existsSync(join(folder, target))) faults.push(`${name}: ${link}: no such file`)
          else if (heading !== undefined && !(await textOf(target)).includes(` id="${decodeURI(heading)}"`))
            faults.push(`${name}: ${link}: no such heading`)
        }
      }
      expect([name, page.match(/<h1/g)?.length]).toEqual([name, 1])
    }
    expect(faults).toEqual([])
  })

  test(`are at most ${LARGEST_BYTES} bytes a page with its style, script and data, and hold nothing inline`, async () => {
    const style = await sizeOf('style.css.br')
    for (const name of html()) {
      const page = await textOf(name)
      expect([name, / style="|<style|<script(?! type="module" src)| on\w+="/.exec(page)?.[0]]).toEqual([
        name,
        undefined,
      ])
      expect([name, page.includes('<script')]).toEqual([name, name === 'search.html'])
      const pictures = targetsOf(page, 'src').filter((link) => /\.(png|jpg)$/.test(link))
      const all = [`${name}.br`, ...pictures.map((link) => posix.join(dirname(name), link))]
      const bytes = (await Promise.all(all.map(sizeOf))).reduce((sum, size) => sum + size, style)
      expect([name, bytes <= LARGEST_BYTES]).toEqual([name, true])
    }
    const ofSearch = [
      'search.html',
      'search.js',
      'search-options.js',
      'minisearch.js',
      'search-index.json',
      'style.css',
    ]
    // The index grows with the pages, and comes only to who searches.
    const sizes = await Promise.all(ofSearch.map((name) => sizeOf(`${name}.br`)))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1.2 * LARGEST_BYTES)
  })

  test('are sent compressed, with the policy of the dashboard, and nothing beside them', async () => {
    const get = (path: string, headers = {}) => app.inject({ method: 'GET', url: path, headers })
    const page = await get('/docs/states.html', { 'accept-encoding': 'br' })
    expect(page).toMatchObject({ statusCode: 200, headers: { 'content-encoding': 'br' } })
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'/)
    expect(page.headers['content-security-policy']).not.toContain('unsafe')
    const schema = await get('/docs/plan.schema.json')
    expect(schema.headers['content-type']).toMatch(/^application\/json/)
    expect(schema.json()).toMatchObject({ $id: '/docs/plan.schema.json', title: 'A plan of Postrider' })
    expect(await get('/docs')).toMatchObject({ statusCode: 308, headers: { location: '/docs/' } })
    expect((await get('/docs/networks/')).body).toContain('<h1')
    expect((await get('/docs/images/evidence.png')).headers['content-type']).toBe('image/png')
    expect((await get('/docs/examples/receiver.py')).headers['content-type']).toMatch(/^text\/plain/)
    for (const path of [
      '../package.json',
      '%2e%2e/package.json',
      'none.html',
      'networks',
      '%',
      '..%2fpackage.json',
    ]) {
      const { statusCode } = await get(`/docs/${path}`)
      expect([path, statusCode >= 400]).toEqual([path, true])
    }
  })
})

test('every question of a newcomer has its answer among the first five found', async () => {
  type Entry = { url: string }
  const { default: MiniSearch } = (await import(join(folder, 'minisearch.js'))) as {
    default: new (options: object) => { addAll(all: object[]): void; search(text: string): Entry[] }
  }
  const { optionsOfSearch } = (await import(join(folder, 'search-options.js'))) as { optionsOfSearch: object }
  const search = new MiniSearch(optionsOfSearch)
  const entries = JSON.parse(await textOf('search-index.json')) as Entry[]
  search.addAll(entries.map((entry, id) => ({ id, ...entry })))
  expect(questions.length).toBeGreaterThanOrEqual(20)
  const missed = questions.flatMap(({ question, answeredBy }) => {
    const found = search.search(question).slice(0, 5)
    const isFound = found.some(({ url }) => answeredBy.some((answer) => url.startsWith(answer)))
    return isFound ? [] : [`${question}: ${found.map(({ url }) => url).join(', ')}`]
  })
  expect(missed).toEqual([])
})

test('every question has its answer at most three links from the start page', async () => {
  const clicks = new Map([['index.html', 0]])
  for (const [name, count] of clicks) {
    if (count === 3) continue
    for (const link of targetsOf(await textOf(name), 'href')) {
      const [path = ''] = link.split('#')
      const target = posix.join(dirname(name), path)
      if (/^[a-z]+:|^\//.test(link) || !target.endsWith('.html') || clicks.has(target)) continue
      clicks.set(target, count + 1)
    }
  }
  // The search is a form.
  expect(html().filter((name) => !clicks.has(name))).toEqual(['search.html'])
  const unanswered: string[] = []
  for (const { question, answeredBy, says } of questions) {
    const pages = html().filter((name) => answeredBy.some((answer) => name.startsWith(answer)))
    const texts = await Promise.all(pages.map(textOf))
    if (pages.length === 0 || (says !== undefined && !texts.some((text) => says.test(text))))
      unanswered.push(question)
  }
  expect(unanswered).toEqual([])
})

describe('in a browser', () => {
  test('every page shows, on a desk and a phone, without a fault, and is not wider than the screen', async () => {
    const profile = await browser.profile(PHONE)
    const tab = await profile.newPage()
    for (const name of html().filter((one) => !one.startsWith('problems/'))) {
      await tab.goto(baseUrl + name)
      const wider = await tab.evaluate('document.documentElement.scrollWidth > innerWidth')
      expect([name, wider]).toEqual([name, false])
    }
    expect(browser.faults).toEqual([])
  }, 120_000)

  test('pages are accessible', async () => {
    const profile = await browser.profile()
    const tab = await profile.newPage()
    // The policy of the pages lets no script in but theirs; axe comes by the debugger.
    for (const name of ['index.html', 'states.html', 'search.html', 'problems/not_found.html']) {
      await tab.goto(baseUrl + name)
      expect(await seriousFindings(tab)).toEqual([])
    }
  }, 120_000)

  test('the search of every page leads to what it finds', async () => {
    const profile = await browser.profile()
    const tab = await profile.newPage()
    await tab.goto(`${baseUrl}networks/x.html`)
    await tab.getByRole('searchbox').fill('what does checking mean')
    await tab.keyboard.press('Enter')
    await tab.locator('#found a[href^="evidence.html"]').first().click()
    await tab.getByRole('heading', { level: 1, name: 'Evidence' }).waitFor()
    expect(browser.faults).toEqual([])
  }, 120_000)

  test('without scripts everything but the search is there', async () => {
    const profile = await browser.profile({ javaScriptEnabled: false })
    const tab = await profile.newPage()
    await tab.goto(baseUrl)
    await tab.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Bluesky' }).click()
    await tab.getByRole('heading', { level: 1, name: /Bluesky/ }).waitFor()
    await tab.goto(`${baseUrl}search.html`)
    await tab.getByText('all pages', { exact: true }).click()
    expect(tab.url()).toMatch(/#pages$/)
  })
})
