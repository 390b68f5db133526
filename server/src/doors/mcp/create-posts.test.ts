import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { aChannel } from '../../../test/rigs/fixtures.ts'
import { openMcpClient } from '../../../test/rigs/mcp-client.ts'
import { openRunningApp } from '../../../test/rigs/running-app.ts'

/* Several posts by one call: the key belongs to the call, whatever becomes of its rows. */

const RUNS = Number(process.env['LIST_RUNS'] ?? 25)

const app = await openRunningApp()
const { workspaceId } = app.workspace
const channelId = await aChannel(app.db, workspaceId)
const agent = await openMcpClient(app.baseUrl, app.key)
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

let scenes = 0

/** A key of its own, with texts that tell its posts from all others. */
function aScene() {
  const name = `week${++scenes}`
  const common = { state: 'draft', channelIds: [channelId] }
  const rowsOf = (texts: readonly string[]) =>
    texts.map((text) => ({ text: text === TOO_LONG ? 'x'.repeat(5_000) : `${name} ${text}` }))
  return {
    key: name,
    create: (texts: readonly string[], more: object = {}) =>
      agent.call('create_post', { idempotencyKey: name, ...common, posts: rowsOf(texts), ...more }),
    alone: (text: string, key = name) =>
      agent.call('create_post', { idempotencyKey: key, ...common, text: `${name} ${text}` }),
    /** The texts of what there is. */
    made: async () => {
      const rows = await app.db<{ text: string }[]>`
        select text from part where workspace_id = ${workspaceId} and text like ${`${name} %`}`
      return rows.map(({ text }) => text.slice(name.length + 1)).toSorted()
    },
    found: async () => (await agent.call('list_posts', { idempotencyKey: name, limit: 100 })).answer.items,
  }
}

const TOO_LONG = 'too long'
const statuses = ({ answer }: { answer: any }) => answer.results.map(({ status }: any) => status)
const replayed = ({ answer }: { answer: any }) => answer.results.map((row: any) => row.replayed === true)
const idsIn = ({ answer }: { answer: any }) => answer.results.map(({ postId }: any) => postId)

describe('a list of which one row was refused', () => {
  test('is sent again without it: nothing is made twice', async () => {
    const { create, made, found } = aScene()
    const first = await create(['A', TOO_LONG, 'C'])
    expect(statuses(first)).toEqual([201, 422, 201])
    const again = await create(['A', 'C'])
    expect([statuses(again), replayed(again)]).toEqual([
      [201, 201],
      [true, true],
    ])
    expect(idsIn(again)).toEqual([idsIn(first)[0], idsIn(first)[2]])
    expect(await made()).toEqual(['A', 'C'])
    expect(await found()).toHaveLength(2)
  })

  test('is sent again with that row corrected: it alone is made', async () => {
    const { create, made, found } = aScene()
    await create(['A', TOO_LONG, 'C'])
    const again = await create(['A', 'B', 'C'])
    expect([statuses(again), replayed(again)]).toEqual([
      [201, 201, 201],
      [true, false, true],
    ])
    expect(replayed(await create(['A', 'B', 'C']))).toEqual([true, true, true])
    expect(await made()).toEqual(['A', 'B', 'C'])
    expect((await found()).map(({ postId }: any) => postId).toSorted()).toEqual(idsIn(again).toSorted())
  })

  test('says of that row how to go on, and of the call that it went on', async () => {
    const { create } = aScene()
    const { answer, isError } = await create(['A', TOO_LONG])
    expect(isError).toBe(false)
    expect(answer.results[1]).toMatchObject({
      problem: {
        code: 'post_not_publishable',
        fix: expect.any(String),
        issues: [{ pointer: '/posts/1/text' }],
        next: expect.stringMatching(/all other rows unchanged.*same idempotencyKey/),
      },
    })
  })
})

test.each<[string, string[], string[]]>([
  ['a created row edited', ['A', 'B'], ['A', 'B2']],
  ['a created row left out', ['A', 'B'], ['A']],
  ['a row added', ['A', 'B'], ['A', 'B', 'C']],
  ['a created row edited in place of one that was refused', ['A', TOO_LONG, 'C'], ['A2', 'C']],
])('another list under a key is refused: %s', async (_what, first, second) => {
  const { create, made } = aScene()
  await create(first)
  const before = await made()
  const other = await create(second)
  expect(other).toMatchObject({ isError: true, answer: { code: 'idempotency_key_reused' } })
  expect(other.answer.fix).toMatch(/new key/)
  expect(await made()).toEqual(before)
})

test('equal rows are as many posts, by their number among equals', async () => {
  const { create, made } = aScene()
  const first = await create(['A', 'A', 'B'])
  const again = await create(['B', 'A', 'A'])
  expect(idsIn(again)).toEqual([2, 0, 1].map((n) => idsIn(first)[n]))
  expect(await made()).toEqual(['A', 'A', 'B'])
})

test('rows that are all refused are an error, and leave the key unused', async () => {
  const { create, made, alone } = aScene()
  const refused = await create([TOO_LONG, TOO_LONG])
  expect(refused.isError).toBe(true)
  expect(refused.answer.results.map(({ problem }: any) => problem.code)).toEqual([
    'post_not_publishable',
    'post_not_publishable',
  ])
  expect((await alone('A')).isError).toBe(false)
  expect(await made()).toEqual(['A'])
})

test('one key is one call: neither a single create nor a list takes the key of the other', async () => {
  const one = aScene()
  await one.alone('A')
  expect((await one.create(['A'])).answer).toMatchObject({ code: 'idempotency_key_reused' })
  expect(await one.made()).toEqual(['A'])
  const other = aScene()
  await other.create(['A'])
  expect((await other.alone('A')).answer).toMatchObject({ code: 'idempotency_key_reused' })
  expect(await other.made()).toEqual(['A'])
})

test('the key of a list and that of a single create are never the same because of a number behind one', async () => {
  const { alone, create, made, key } = aScene()
  await alone('X', `${key}-1`)
  expect(statuses(await create(['A', 'B']))).toEqual([201, 201])
  expect(await made()).toEqual(['A', 'B', 'X'])
})

test('a key of 255 characters is one for a list, too', async () => {
  const { create, made, key } = aScene()
  const long = { idempotencyKey: key.padEnd(255, '.') }
  expect(statuses(await create(['A', 'B'], long))).toEqual([201, 201])
  expect(replayed(await create(['A', 'B'], long))).toEqual([true, true])
  expect(await made()).toEqual(['A', 'B'])
})

test('at once, equal calls make each post once', async () => {
  const { create, made } = aScene()
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(['A', 'B', TOO_LONG, 'C'])))
  const said = new Set(answers.map(({ answer }) => answer.code ?? 'done'))
  expect([...said].filter((one) => one !== 'idempotency_in_progress')).toEqual(['done'])
  expect(await made()).toEqual(['A', 'B', 'C'])
})

/** What becomes of a list before it is sent again. `at` says where, as a part of its length. */
const change = fc.record({
  is: fc.constantFrom('repeat', 'drop', 'edit', 'break', 'move', 'add'),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  text: fc.constantFrom('A', 'B', 'C', TOO_LONG),
})
const texts = fc.array(fc.constantFrom('A', 'B', 'C', TOO_LONG), { minLength: 1, maxLength: 5 })

function changed(list: readonly string[], { is, at, text }: { is: string; at: number; text: string }) {
  const place = Math.floor(at * list.length)
  if (is === 'drop') return list.length === 1 ? [...list] : list.toSpliced(place, 1)
  if (is === 'edit') return list.with(place, text)
  if (is === 'break') return list.with(place, TOO_LONG)
  if (is === 'move') return [...list.slice(place), ...list.slice(0, place)]
  return is === 'add' ? [...list, text] : [...list]
}

const goodOf = (list: readonly string[]) => list.filter((text) => text !== TOO_LONG).toSorted()

/** What is left of a list without these, each taken once; null where one of them is not in it. */
function without(list: readonly string[], taken: readonly string[]): string[] | null {
  const left = [...list]
  for (const text of taken) {
    const at = left.indexOf(text)
    if (at < 0) return null
    left.splice(at, 1)
  }
  return left
}

test(
  `${RUNS} lists, sent again with rows dropped, edited, moved and added, make what the last accepted one says`,
  {
    timeout: 600_000,
  },
  async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(change, { minLength: 1, maxLength: 6 }), async (first, changes) => {
        const { create, made, found } = aScene()
        let list: readonly string[] = first
        let known: { made: string[]; refused: number } | null = null
        for (const next of [null, ...changes]) {
          if (next !== null) list = changed(list, next)
          const before = await made()
          const outcome = await create(list)
          const others = known === null ? list : without(list, known.made)
          const isSame = others !== null && (known === null || others.length <= known.refused)
          if (!isSame) {
            expect(outcome.answer.code).toBe('idempotency_key_reused')
            expect(await made()).toEqual(before)
            continue
          }
          expect(outcome.isError).toBe(goodOf(list).length === 0)
          expect(await made()).toEqual(goodOf(list))
          expect(await found()).toHaveLength(goodOf(list).length)
          expect(replayed(outcome).filter(Boolean)).toHaveLength(known?.made.length ?? 0)
          if (goodOf(list).length > (known?.made.length ?? 0))
            known = { made: goodOf(list), refused: list.length - goodOf(list).length }
        }
      }),
      { numRuns: RUNS },
    )
  },
)
