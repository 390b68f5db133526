import { readdirSync } from 'node:fs'
import { problemCodes, problems } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { BASE_URL, openEdge } from '../../../../test/rigs/edge.ts'
import { readProblemPage } from './problem-pages.ts'

const FOLDER = new URL('../../../../../docs/problems/', import.meta.url)

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
  expect(html.body).toContain('<h1>Retry could publish twice</h1>')
  expect(html.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
  const markdown = await edge.app.inject({
    url: '/problems/unsafe_retry',
    headers: { accept: 'text/markdown' },
  })
  expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(markdown.body).toMatch(/^# Retry could publish twice/)
})

test('a program gets the page in its parts, and the list of all', async () => {
  await using edge = await openEdge()
  const get = (url: string, accept: string) => edge.app.inject({ url, headers: { accept } })
  for (const accept of ['application/json', 'application/problem+json, */*', 'Application/JSON; q=0.9']) {
    const answer = await get('/problems/unsafe_retry', accept)
    expect([answer.headers['content-type'], answer.headers['vary']]).toEqual(['application/json', 'accept'])
    expect(answer.json()).toEqual({
      type: `${BASE_URL}/problems/unsafe_retry`,
      code: 'unsafe_retry',
      title: problems.unsafe_retry.title,
      statuses: [409],
      whatHappened: expect.stringMatching(/^[A-Z][^#]+$/),
      whatToDo: expect.stringMatching(/^[^#]+$/),
      example: expect.objectContaining({ code: 'unsafe_retry' }),
    })
  }
  for (const code of problemCodes) {
    const page = (await get(`/problems/${code}`, 'application/json')).json()
    expect([page.whatHappened.length > 20, page.whatToDo.length > 20, page.example.code]).toEqual([
      true,
      true,
      code,
    ])
  }
  const { problems: listed } = (await get('/problems', 'application/json')).json()
  expect(listed.map(({ code }: { code: string }) => code)).toEqual(problemCodes)
  for (const accept of ['text/html, application/json', '*/*', 'image/png'])
    expect((await get('/problems/unsafe_retry', accept)).headers['content-type']).toMatch(/^text\/html/)
  const first = await get('/problems/unsafe_retry', 'text/markdown, application/json')
  expect(first.headers['content-type']).toMatch(/^text\/markdown/)
})

test('the index leads to every page', async () => {
  await using edge = await openEdge()
  const { body } = await edge.app.inject('/problems')
  for (const code of problemCodes) expect(body).toContain(`href="${BASE_URL}/problems/${code}"`)
})

test('a browser at a name that no problem has gets a page with the way to all of them', async () => {
  await using edge = await openEdge()
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const { statusCode, body } = await edge.app.inject({ url: '/problems/gone', headers })
  expect(statusCode).toBe(404)
  expect(body).toContain('<h1>Not found</h1>')
  expect(body).toContain(`href="${BASE_URL}/problems"`)
})

test.each(['/problems/gone', '/problems/', '/problems/../../package', '/problems/__proto__'])(
  '%s is not there',
  async (url) => {
    await using edge = await openEdge()
    const answer = await edge.app.inject(url)
    expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' })
  },
)
