import { expect, test } from 'vitest'
import { AN_ID, openEdge } from '../../test/edge.ts'

test('the page of an approval says how a person decides, and runs nothing', async () => {
  await using edge = await openEdge()
  const { statusCode, headers, body } = await edge.app.inject(`/review/${AN_ID}`)

  expect(statusCode).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri/,
  )
  expect(headers['cache-control']).toBe('no-store')
  for (const verb of ['show', 'approve', 'reject']) expect(body).toContain(`approval ${verb} ${AN_ID}`)
  expect(body).not.toMatch(/<(form|input|script)/)
})

test.each(['/review/', '/review/mine', `/review/${AN_ID}%3Cb%3E`, `/review/${AN_ID}/approve`])(
  '%s is not there',
  async (url) => {
    await using edge = await openEdge()
    expect((await edge.app.inject(url)).json()).toMatchObject({ status: 404, code: 'not_found' })
  },
)

test('the page is read, and nothing is sent to it', async () => {
  await using edge = await openEdge()
  expect((await edge.app.inject({ method: 'POST', url: `/review/${AN_ID}` })).statusCode).toBe(404)
})
