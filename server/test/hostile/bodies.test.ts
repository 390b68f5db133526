import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openServerProcess, peakGrowth, type ServerProcess } from './server-process.ts'

/*
 * Bodies of up to 1 MiB that are made to be dear: each must be judged for next to nothing, and told in a short answer.
 * The aim is a tenth of a second of a processor; the bound leaves room for slow machines, and the faults that these
 * bodies have found took 10 to 160 times as much. The seconds are the server's own, whatever else the machine does.
 */

const CPU_SECONDS = 1
const GROWTH_BYTES = 120_000_000
const ANSWER_BYTES = 32_000

const many = (count: number, text: string) => Array.from({ length: count }, () => text).join(',')
const create = (fields: string) => `{"confirmed":true,"idempotencyKey":"k","state":"draft",${fields}}`
const nested = (levels: number, name: string, inside: string) =>
  `{"${name}":`.repeat(levels) + inside + '}'.repeat(levels)
const inSettings = (settings: string) =>
  create(`"targets":[{"channelId":"0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11","text":"a","settings":${settings}}]`)

const bodies: [name: string, body: string][] = [
  ['19,900 empty targets', create(`"targets":[${many(19_900, '{}')}]`)],
  ['19,000 numbers that are too large', create(`"targets":[${many(19_000, '1e999')}]`)],
  [
    '19,000 numbers that are too large, deep in settings',
    inSettings(nested(50, 'a', `[${many(19_000, '1e999')}]`)),
  ],
  [
    '19,000 texts with NUL, below long names',
    inSettings(nested(50, 'n'.repeat(5_000), `[${many(19_000, '"\\u0000"')}]`)),
  ],
  [
    '50 targets with 50 parts with faults each',
    create(`"targets":[${many(50, `{"channelId":1,"thread":[${many(50, '{"mediaIds":[1,2,3],"x":1}')}]}`)}]`),
  ],
  ['100,000 unknown fields', create(Array.from({ length: 90_000 }, (_, n) => `"k${n}":1`).join(','))],
  ['19,000 unknown fields', create(Array.from({ length: 19_000 }, (_, n) => `"unknown${n}":1`).join(','))],
  ['one name 100,000 times', create(many(100_000, '"a":1'))],
  [
    'names that are escaped',
    create(Array.from({ length: 19_000 }, (_, n) => `"\\u0061\\u0062${n}":1`).join(',')),
  ],
  ['a name of 1 MB', create(`"${'n'.repeat(1_000_000)}":1`)],
  ['lists in lists', '['.repeat(500_000) + ']'.repeat(500_000)],
  ['objects in objects', nested(170_000, 'a', '1')],
  ['a number of a million digits', create(`"channelIds":${'1'.repeat(1_000_000)}`)],
  ['a text of 1 MB', create(`"channelIds":[],"text":"${'a'.repeat(1_000_000)}"`)],
  ['a text of escapes', create(`"channelIds":[],"text":"${'\\n'.repeat(500_000)}"`)],
  ['backslashes without an end', create(`"text":"${'\\\\'.repeat(500_000)}`)],
  [
    '19,000 ids',
    create(`"text":"a","channelIds":[${many(19_000, '"0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11"')}]`),
  ],
  ['a million spaces', `${' '.repeat(1_000_000)}{}`],
  ['braces that never close', '{'.repeat(1_000_000)],
]

let server: ServerProcess
beforeAll(async () => {
  server = await openServerProcess()
  await send('/agent/v1/posts', '{}')
})
afterAll(() => server[Symbol.asyncDispose]())

function send(path: string, body: string | ReadableStream): Promise<Response> {
  return fetch(server.baseUrl + path, {
    method: 'POST',
    body,
    ...(typeof body === 'string' ? {} : { duplex: 'half' }),
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      'idempotency-key': 'k',
    },
  })
}

const POST = '/agent/v1/posts'
const places = [
  POST,
  '/agent/v1/post-checks',
  `${POST}/0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11/edit`,
  '/agent/v1/ai/post-drafts',
]

describe('a body is judged at once, and refused in a few words:', () => {
  test.each(bodies)('%s', async (_, body) => {
    const before = await server.cpuSeconds()
    const growth = await peakGrowth(server, async () => {
      for (const place of places) {
        const answer = await send(place, body)
        expect(answer.status).toBe(400)
        expect((await answer.arrayBuffer()).byteLength).toBeLessThan(ANSWER_BYTES)
      }
    })
    expect(((await server.cpuSeconds()) - before) / places.length).toBeLessThan(CPU_SECONDS)
    expect(growth).toBeLessThan(GROWTH_BYTES)
  })

  test('a megabyte in chunks of one byte', async () => {
    const bytes = new TextEncoder().encode(create(`"text":"${'a'.repeat(300_000)}"`))
    let at = 0
    const drops = new ReadableStream({
      pull(controller) {
        for (let n = 0; n < 1_000 && at < bytes.length; n++) controller.enqueue(bytes.subarray(at, ++at))
        if (at === bytes.length) controller.close()
      },
    })
    const growth = await peakGrowth(server, async () => {
      expect((await send(POST, drops)).status).toBe(400)
    })
    expect(growth).toBeLessThan(GROWTH_BYTES)
  })

  test('and the server goes on as before', async () => {
    server.expectRunning()
    expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200)
    expect(server.logged()).not.toMatch(/"level":"(error|fatal)"/)
  })
})
