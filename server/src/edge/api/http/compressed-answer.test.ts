import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { sendCompressed } from './compressed-answer.ts'

const LONG = JSON.stringify(
  Array.from({ length: 300 }, (_, at) => ({ channel: `Channel ${at}`, status: 'connected' })),
)

async function answerTo(acceptEncoding: string | undefined, text: string) {
  const app = fastify()
  app.get('/', (request, reply) => sendCompressed(request, reply, text))
  const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }
  const answer = await app.inject({ url: '/', headers })
  await app.close()
  return answer
}

test.each([
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
] as const)(
  'a long answer to a client that takes %s is a tenth as long, and the same',
  async (takes, is, undo) => {
    const { headers, rawPayload } = await answerTo(takes, LONG)
    expect(headers).toMatchObject({ 'content-encoding': is, vary: 'accept-encoding' })
    expect(headers['content-length']).toBe(String(rawPayload.length))
    expect(rawPayload.length).toBeLessThan(LONG.length / 5)
    expect(undo(rawPayload).toString()).toBe(LONG)
  },
)

test.each([
  [undefined, LONG],
  ['br;q=0, gzip;q=0', LONG],
  ['br', '{"short":true}'],
])('to a client that takes %s, what is short or not taken goes as it is', async (takes, text) => {
  const { headers, payload } = await answerTo(takes, text)
  expect(headers['content-encoding']).toBeUndefined()
  expect(payload).toBe(text)
})
