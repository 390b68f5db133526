import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aChannel } from '../rigs/fixtures.ts'
import { answerOn, openSocket, statusOf } from './raw-socket.ts'
import { cpuSecondsOf, openServerProcess, peakGrowth, type ServerProcess } from './server-process.ts'

/*
 * Bodies of up to 1 MiB that are made to be dear: the aim is a tenth of a second of a processor for each, and a short
 * answer. The seconds are the server's own, whatever else the machine does, with garbage collection and HTTP in them.
 * Load only ever adds to them, so it is enough that one round of several keeps to the bound. Alone on a machine the
 * dearest take 60 ms and most take 15; without the limits of the scan they take 200 to 16,000.
 */

const CPU_SECONDS = 0.15
const GROWTH_BYTES = 120_000_000
const ANSWER_BYTES = 32_000

const MEBIBYTE = 1_048_576
const many = (count: number, text: string) => Array.from({ length: count }, () => text).join(',')
const counted = (count: number, item: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => item(n)).join(',')
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
  ['300,000 empty targets', create(`"targets":[${many(300_000, '{}')}]`)],
  ['90,000 unknown fields', create(counted(90_000, (n) => `"k${n}":1`))],
  ['19,000 unknown fields', create(counted(19_000, (n) => `"unknown${n}":1`))],
  ['19 objects of 1,000 fields', inSettings(`[${many(19, `{${counted(999, (n) => `"k${n}":1`)}}`)}]`)],
  [
    'fields that look like indices',
    inSettings(`[${many(19, `{${counted(999, (n) => `"${n * 2_147}":1`)}}`)}]`),
  ],
  ['one name 170,000 times', create(many(170_000, '"a":1'))],
  ['one name 19,000 times', create(many(19_000, '"a":1'))],
  ['names that are escaped', create(counted(990, (n) => `"${'\\u0061'.repeat(170)}${n}":1`))],
  ['990 names of 1,000 characters', create(counted(990, (n) => `"${'n'.repeat(1_000)}${n}":1`))],
  ['names of half a surrogate pair', create(counted(990, (n) => `"${'\\ud800'.repeat(170)}${n}":1`))],
  ['a name of 1 MB', create(`"${'n'.repeat(1_000_000)}":1`)],
  ['lists in lists', '['.repeat(500_000) + ']'.repeat(500_000)],
  ['objects in objects', nested(170_000, 'a', '1')],
  ['60 levels of lists', inSettings(`${'['.repeat(55)}${many(19_000, '[]')}${']'.repeat(55)}`)],
  ['a number of a million digits', create(`"channelIds":${'1'.repeat(1_000_000)}`)],
  ['a text of 1 MB', create(`"channelIds":[],"text":"${'a'.repeat(1_000_000)}"`)],
  ['a text of escapes', create(`"channelIds":[],"text":"${'\\n'.repeat(500_000)}"`)],
  ['a text of escaped letters', create(`"channelIds":[],"text":"${'\\u00e9'.repeat(170_000)}"`)],
  ['a text of halves of surrogate pairs', create(`"channelIds":[],"text":"${'\\ud800'.repeat(170_000)}"`)],
  ['a text of stacked marks', create(`"channelIds":[],"text":"e${'\u0301'.repeat(500_000)}"`)],
  ['backslashes without an end', create(`"text":"${'\\\\'.repeat(500_000)}`)],
  [
    '19,000 ids',
    create(`"text":"a","channelIds":[${many(19_000, '"0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11"')}]`),
  ],
  ['a million spaces', `${' '.repeat(1_000_000)}{}`],
  ['braces that never close', '{'.repeat(1_000_000)],
  ['a million quotes', '"'.repeat(1_000_000)],
]

/** What keeps to the shape of a post, so that all of it is counted against the limits of its channels. */
const BYTES_OF_50 = 20_500
const thread = (parts: number, text: string) => Array.from({ length: parts }, () => ({ text }))
const wellFormed: [name: string, content: (channelIds: string[]) => object][] = [
  ...[
    ['letters', 'a'],
    ['stacked marks', '\u0301'],
    ['marks out of order', '\u0301\u0316\u0302\u0317'],
    ['joiners', '\u200d'],
    ['families', '👨‍👩‍👧‍👦'],
    ['flags', '🇩🇪'],
    ['syllables in pieces', '\u1100\u1161\u11a8'],
    ['addresses', 'http://a.co '],
    ['dots', 'a.'],
    ['e-mail addresses', 'a@b.'],
    ['tags', '#a '],
    ['line ends', '\r\n'],
  ].map(([name = '', unit = '']): (typeof wellFormed)[number] => [
    `50 texts of ${name}`,
    (ids) => ({
      targets: ids.map((channelId) => ({
        channelId,
        text: `e${unit.repeat(BYTES_OF_50 / (Buffer.byteLength(JSON.stringify(unit)) - 2))}`,
      })),
    }),
  ]),
  [
    'five texts of 100,000 stacked marks',
    (ids) => ({
      targets: ids.slice(0, 5).map((channelId) => ({ channelId, text: `e${'\u0301'.repeat(99_999)}` })),
    }),
  ],
  [
    'a thread of stacked marks on 50 channels',
    (channelIds) => ({ channelIds, text: 'a', thread: thread(5, `e${'\u0301'.repeat(99_999)}`) }),
  ],
  [
    'a thread of 50 parts of addresses on 50 channels',
    (channelIds) => ({ channelIds, text: 'a', thread: thread(50, 'http://a.co '.repeat(1_700)) }),
  ],
  [
    '50 threads of 50 parts',
    (ids) => ({ targets: ids.map((channelId) => ({ channelId, text: 'a', thread: thread(50, 'hello') })) }),
  ],
  [
    'settings with 1,000 names',
    ([channelId]) => ({
      targets: [
        {
          channelId,
          text: 'a',
          settings: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, n])),
        },
      ],
    }),
  ],
  [
    'settings with a text of 1 MB',
    ([channelId]) => ({ targets: [{ channelId, text: 'a', settings: { a: 'é'.repeat(500_000) } }] }),
  ],
]

let server: ServerProcess
const channelIds: string[] = []
beforeAll(async () => {
  server = await openServerProcess()
  const { world, workspace } = server
  for (let n = 0; n < 50; n++) {
    const provider = ['bluesky', 'sandbox-short', 'sandbox-professional'][n % 3] ?? ''
    channelIds.push(await aChannel(world.db, workspace.workspaceId, { provider }))
  }
  // What is loaded and compiled with the first requests is no cost of a body.
  for (const place of places) await (await send(place, '{}')).arrayBuffer()
})
afterAll(() => server[Symbol.asyncDispose]())

function send(path: string, body: string): Promise<Response> {
  return fetch(server.baseUrl + path, {
    method: 'POST',
    body,
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
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
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MEBIBYTE)
    const growth = await peakGrowth(server, async () => {
      for (const place of places) {
        const seconds = await cpuSecondsOf(server, CPU_SECONDS, async () => {
          const answer = await send(place, body)
          expect(answer.status).toBe(400)
          expect((await answer.arrayBuffer()).byteLength).toBeLessThan(ANSWER_BYTES)
        })
        expect(seconds).toBeLessThan(CPU_SECONDS)
      }
    })
    expect(growth).toBeLessThan(GROWTH_BYTES)
  })

  test.each(wellFormed)('%s, on channels that are there', async (_, contentOn) => {
    const content = contentOn(channelIds)
    const growth = await peakGrowth(server, async () => {
      for (const place of ['/agent/v1/post-checks', POST]) {
        const seconds = await cpuSecondsOf(server, CPU_SECONDS, async () => {
          const around = place === POST ? { confirmed: true, idempotencyKey: randomUUID() } : {}
          const body = JSON.stringify({ ...around, state: 'draft', ...content })
          expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MEBIBYTE)
          const answer = await send(place, body)
          expect([200, 201, 422]).toContain(answer.status)
          expect((await answer.arrayBuffer()).byteLength).toBeLessThan(MEBIBYTE)
        })
        expect(seconds).toBeLessThan(CPU_SECONDS)
      }
    })
    expect(growth).toBeLessThan(GROWTH_BYTES)
  })

  test('three megabytes in chunks of one byte, wanted or not', async () => {
    const credentials = [`Authorization: Bearer ${server.key}\r\n`, '']
    const attack = async (credential: string) => {
      const socket = await openSocket(server.port)
      socket.write(
        `POST ${POST} HTTP/1.1\r\nHost: x\r\n${credential}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      )
      socket.write('1\r\n \r\n'.repeat(500_000))
      return statusOf(await answerOn(socket))
    }
    const growth = await peakGrowth(server, async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => attack(credentials[n % 2] ?? '')),
      )
      expect(answers).toEqual(answers.map((_, n) => [400, 401][n % 2]))
    })
    expect(growth).toBeLessThan(GROWTH_BYTES)
  })

  test('and the server goes on as before', async () => {
    server.expectRunning()
    expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200)
    expect(server.logged()).not.toMatch(/"level":"(error|fatal)"/)
  })
})
