import { expect, test } from 'vitest'
import { openEdge } from '../../../../test/rigs/edge.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test('a page that is opened under another name of this machine is opened under ours, with the whole request', async () => {
  await using edge = await openEdge({ config: { baseUrl: 'http://localhost:4000' } })
  const open = async (url: string, host: string, headers: object = BROWSER) => {
    const { statusCode, headers: answered } = await edge.app.inject({
      method: 'GET',
      url,
      headers: { ...headers, host },
    })
    return [statusCode, answered.location]
  }
  for (const host of ['127.0.0.1:4000', '[::1]:4000', '127.0.0.1', '127.0.0.1:9999'])
    expect(await open('/problems?a=1&b=%20', host)).toEqual([307, 'http://localhost:4000/problems?a=1&b=%20'])
  expect(await open('//evil.example/', '127.0.0.1:4000')).toEqual([404, undefined])

  expect(await open('/problems', 'localhost:4000')).toEqual([200, undefined])
  expect(await open('/problems', 'evil.example')).toEqual([200, undefined])
  // A program that has the API under this name keeps it.
  expect(await open('/problems', '127.0.0.1:4000', { accept: '*/*' })).toEqual([200, undefined])
  const posted = await edge.app.inject({
    method: 'POST',
    url: '/agent/v1/posts',
    headers: { ...BROWSER, host: '127.0.0.1:4000' },
  })
  expect(posted.statusCode).toBe(401)
})

test('a server with a name of its own sends nobody to another address', async () => {
  await using edge = await openEdge({ config: { baseUrl: 'https://post.example.com' } })
  for (const host of ['127.0.0.1:4000', 'localhost:4000', 'other.example.com']) {
    const answer = await edge.app.inject({ method: 'GET', url: '/problems', headers: { ...BROWSER, host } })
    expect([answer.statusCode, answer.headers.location]).toEqual([200, undefined])
  }
})
