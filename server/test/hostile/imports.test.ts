import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChannel } from '../rigs/fixtures.ts'
import { openServerProcess, type ServerProcess } from './server-process.ts'

/*
 * Text in a string of a request has none of the limits that JSON has: what parses it has to have its own. Each of these files kept a
 * server from answering for seconds, or ended it.
 */

let server: ServerProcess
let channelId: string
beforeAll(async () => {
  server = await openServerProcess({ env: { LOG_LEVEL: 'error' } })
  channelId = await aChannel(server.world.db, server.workspace.workspaceId)
})
afterAll(() => server[Symbol.asyncDispose]())

const many = (count: number, text: string) => text.repeat(count)
const HOSTILE: readonly (readonly [string, 'plan' | 'csv', string])[] = [
  ['lists in lists', 'plan', many(5_900_000, '[')],
  ['blocks in blocks', 'plan', many(2_900_000, '- ')],
  ['keys of keys', 'plan', many(2_900_000, '? ')],
  ['mappings in lists', 'plan', many(1_900_000, '[{ ')],
  ['a value for each two bytes', 'plan', `[${many(2_900_000, '1,')}]`],
  ['names of nothing', 'plan', many(1_400_000, 'a:\n')],
  ['faults without an end', 'plan', many(1_900_000, '}\n')],
  ['a text that is never closed', 'plan', `"${many(1_400_000, 'a\n\n')}`],
  [
    'aliases of aliases',
    'plan',
    `a0: &a0 [x]\n${Array.from({ length: 90 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`).join('\n')}`,
  ],
  [
    '200,000 channels',
    'plan',
    JSON.stringify({
      plan: 'p',
      posts: [{ id: 'a', text: 'A', channels: Array.from({ length: 200_000 }, (_, n) => `c${n}`) }],
    }),
  ],
  ['a field with a long name', 'plan', JSON.stringify({ plan: 'p', [many(5_000_000, 'x')]: 1 })],
  [
    'a channel with a long name',
    'plan',
    JSON.stringify({ plan: 'p', channels: [many(5_000_000, 'x')], posts: [{ id: 'a', text: 'A' }] }),
  ],
  [
    'bad posts, each with many faults',
    'plan',
    `plan: p\nposts:\n${many(60_000, '  - { x: 1, y: 2, z: 3 }\n')}`,
  ],
  ['parts without an end', 'csv', `text,thread\nA,"${many(1_400_000, '---\n')}"`],
  ['parts, as many as there may be', 'csv', `text,thread\nA,"${many(900_000, '---\n')}"`],
  ['files without an end', 'csv', `text,media\nA,"${many(900_000, 'f|')}"`],
  ['cells without an end', 'csv', `text\n${many(5_900_000, ',')}`],
  ['as many cells as there may be', 'csv', `text\nA${many(900_000, ',')}`],
  ['channels without an end', 'csv', `text,channels\nA,"${many(900_000, 'c,')}"`],
  ['rows without an end', 'csv', `text\n${many(900_000, 'A\n')}`],
  ['quotes', 'csv', `text\n${many(3_900_000, '"')}`],
  ['settings in settings', 'csv', `text,channels,settings\nA,c,"${many(2_000_000, '[')}"`],
  ['a column with a long name', 'csv', many(5_900_000, 'x')],
]

async function send(format: 'plan' | 'csv', file: string) {
  const name = format === 'csv' ? { name: 'hostile' } : {}
  const answer = await fetch(`${server.baseUrl}/agent/v1/posts/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ confirmed: true, format, file, dryRun: true, channelIds: [channelId], ...name }),
  })
  const text = await answer.text()
  return { status: answer.status, size: text.length, body: JSON.parse(text) as Problem }
}
type Problem = { code: string; detail: string; errors: unknown[] }

/** What the server itself, and not one of its children, has used of the processor. */
test.each(HOSTILE)(
  '%s: refused, with little work for the server itself',
  async (_, format, file) => {
    const before = await server.cpuSeconds()
    const { status, size, body } = await send(format, file)
    const spent = (await server.cpuSeconds()) - before
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'import_refused' })
    expect(size).toBeLessThan(200_000)
    expect(spent).toBeLessThan(CPU_SECONDS)
    server.expectRunning()
  },
  120_000,
)

/** Reading 6 MB of JSON, and sending it on, take a part of it. */
const CPU_SECONDS = 0.8

test('none is a fault in the log', () => {
  expect(server.logged()).not.toMatch(/"level":"(error|fatal)"/)
})
