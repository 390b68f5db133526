import { afterAll, beforeAll, expect, test } from 'vitest'
import { AN_ID, type Edge, openEdge } from '../../../../test/rigs/edge.ts'

let edge: Edge
beforeAll(async () => void (edge = await openEdge()))
afterAll(() => edge[Symbol.asyncDispose]())

test.each([
  ['POST', '/agent/v1/me', 'GET, HEAD'],
  ['DELETE', `/agent/v1/posts/${AN_ID}`, 'GET, HEAD'],
  ['PUT', '/agent/v1/posts?limit=1', 'GET, HEAD, POST'],
  ['GET', `/agent/v1/posts/${AN_ID}/edit`, 'POST'],
  ['OPTIONS', `/agent/v1/posts/${AN_ID}/cancel`, 'POST'],
] as const)('%s %s is answered with the methods that are there', async (method, url, allow) => {
  const answer = await edge.app.inject({ method, url })
  expect([answer.statusCode, answer.headers['allow']]).toEqual([405, allow])
  expect(answer.json()).toMatchObject({ status: 405, code: 'method_not_allowed' })
})

test.each(['/agent/v1/nothing', `/agent/v1/posts/${AN_ID}/nothing`, '/agent/v1/posts/a/b/edit', '/'])(
  'nothing is at %s, whatever the method',
  async (url) => {
    const answer = await edge.app.inject({ method: 'DELETE', url })
    expect([answer.statusCode, answer.headers['allow'], answer.json().code]).toEqual([
      404,
      undefined,
      'not_found',
    ])
  },
)
