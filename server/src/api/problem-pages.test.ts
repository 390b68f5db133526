import { readdirSync } from 'node:fs'
import { problemCodes, problems } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { BASE_URL, openEdge } from '../../test/rigs/edge.ts'
import { readProblemPage } from './problem-pages.ts'

const FOLDER = new URL('../../../docs/problems/', import.meta.url)

test('every code has a page, and every page a code', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(problemCodes.map((code) => `${code}.md`).toSorted())
})

describe.each(problemCodes)('the page of %s', (code) => {
  const page = readProblemPage(code)

  test('says what happened and what to do', () => {
    expect(page).toMatch(new RegExp(`^# ${problems[code].title}\n`))
    expect(page).toContain(`\`${code}\`, HTTP status ${problems[code].status}`)
    expect(page).toContain('\n## What happened\n')
    expect(page).toContain('\n## What to do\n')
  })

  test('shows an answer as it would be', () => {
    const example = /```json\n([\s\S]+?)\n```/.exec(page)?.[1] ?? ''
    const { status, title } = problems[code]
    expect(JSON.parse(example)).toMatchObject({ code, status, title })
    expect(JSON.parse(example)).toHaveProperty('detail')
  })

  test('links only to what is there', () => {
    const links = [...page.matchAll(/\]\((\/[^)]*)\)/g)].map(([, path]) => path)
    const known = ['/openapi', '/problems', ...problemCodes.map((name) => `/problems/${name}`)]
    expect(links.filter((link) => !known.includes(link ?? ''))).toEqual([])
  })
})

test('pages come as HTML, or as Markdown for whoever asks for it', async () => {
  await using edge = await openEdge()
  const html = await edge.app.inject('/problems/unsafe_retry')
  expect(html.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(html.body).toContain('<h1>A retry could publish twice</h1>')
  expect(html.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
  const markdown = await edge.app.inject({
    url: '/problems/unsafe_retry',
    headers: { accept: 'text/markdown' },
  })
  expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(markdown.body).toMatch(/^# A retry could publish twice/)
})

test('the index leads to every page', async () => {
  await using edge = await openEdge()
  const { body } = await edge.app.inject('/problems')
  for (const code of problemCodes) expect(body).toContain(`href="${BASE_URL}/problems/${code}"`)
})

test.each(['/problems/gone', '/problems/', '/problems/../../package', '/problems/__proto__'])(
  '%s is not there',
  async (url) => {
    await using edge = await openEdge()
    const answer = await edge.app.inject(url)
    expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' })
  },
)
