import { type Operation, operations, readMe } from '@postrider/contract'
import * as fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileSchema } from '../../src/edge/api/request/formats.ts'
import { isSchema, type Schema, withoutIds } from '../../src/edge/api/request/schema-shape.ts'
import { aChannel, aPost } from '../rigs/fixtures.ts'
import { nearSchema } from '../rigs/near-schema.ts'
import { openApiJudge } from '../rigs/openapi-judge.ts'
import { cpuSecondsOf, openServerProcess, type ServerProcess } from './server-process.ts'

/*
 * Requests that nobody would write, to every operation. No answer is our fault, each is as the OpenAPI document says,
 * and none costs the server more than a moment. FUZZ_REQUESTS makes it longer, and FUZZ_SEED repeats a run.
 */

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1_000)
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)

const { judge } = openApiJudge()

let server: ServerProcess
let channelId: string
let postId: string
beforeAll(async () => {
  server = await openServerProcess()
  const { workspaceId } = server.workspace
  channelId = await aChannel(server.world.db, workspaceId)
  postId = (await aPost(server.world.db, workspaceId, { channelIds: [channelId] })).postId
})
afterAll(() => server[Symbol.asyncDispose]())

type Sent = {
  path?: Record<string, string>
  query?: unknown
  body?: unknown
  headers?: Record<string, string>
}

/** Sends it, and holds the answer against the document. Returns what it was answered with. */
async function ask(operation: Operation, { path = {}, query, body, headers }: Sent): Promise<string> {
  const [method = '', address = ''] = operation.at.split(' ')
  const filled = address.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? postId),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(isSchema(query) ? query : {})) search.append(name, String(value))
  const answer = await fetch(`${server.baseUrl}${filled}?${search.toString()}`, {
    method,
    headers: {
      authorization: `Bearer ${server.key}`,
      'idempotency-key': uuidv7(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const type = answer.headers.get('content-type') ?? ''
  if (type.includes('json')) judge(operation.id, answer.status, JSON.parse(text))
  const code = answer.status < 400 ? 'done' : (JSON.parse(text) as { code: string }).code
  expect({ operation: operation.id, body, code }).not.toMatchObject({ code: 'internal_error' })
  return code
}

// What drafts and images cost is asked of nobody here: no model is configured.
const asked: readonly Operation[] = operations
const textual = asked.filter(({ file }) => file === undefined)

describe('requests at random', () => {
  test.each(textual)('to $id are answered as documented', async (operation: Operation) => {
    const part = (schema: unknown) =>
      schema === undefined ? fc.constant(undefined) : nearSchema(withoutIds(schema))
    const request = fc.record({
      body: part(operation.body),
      query: part(operation.query),
      id: fc.constantFrom(postId, uuidv7(), 'x', '%00', '..%2f', '__proto__', '💥'),
      key: fc.constantFrom('k', '"k"', '"', 'k k', 'é', 'k'.repeat(300), uuidv7()),
    })
    const numRuns = Math.ceil(REQUESTS / textual.length)
    await fc.assert(
      fc.asyncProperty(request, async ({ body, query, id, key }) => {
        const path = Object.fromEntries(['postId', 'mediaId', 'channelId'].map((name) => [name, id]))
        const headers = /^[\x20-\x7e]*$/.test(key) ? { 'idempotency-key': key } : {}
        await ask(operation, { path, query, ...(body === undefined ? {} : { body }), headers })
      }),
      { numRuns, seed: SEED, endOnFailure: true },
    )
  })

  test('leave a server that runs and has no fault in its log', () => {
    server.expectRunning()
    expect(server.logged()).not.toMatch(/"level":"(error|fatal)"/)
  })
})

/** As many of a unit as go into a text of so many characters, between what begins and what ends it. */
const filled = (unit: string, begin = '', end = '') => {
  const [own, around] = [unit, begin + end].map((text) => Array.from(text).length) as [number, number]
  return (characters: number) => begin + unit.repeat(Math.max(0, (characters - around) / own)) + end
}
/** What has made programs stall, overflow or store what they cannot read back: each in the length that a place takes. */
const WORST: readonly (readonly [string, (characters: number) => string])[] = [
  ['stacked marks', filled('\u0301', 'e')],
  ['stacked marks in disorder', filled('\u0316\u0301')],
  ['zero-width joiners', filled('\u200d')],
  ['a family without an end', filled('👩\u200d')],
  ['flags', filled('🇩🇪')],
  ['Hangul to compose', filled('\u1112\u1161\u11ab')],
  ['ligatures that grow when folded', filled('\ufdfa')],
  ['capitals that grow in lower case', filled('İ')],
  ['addresses', filled('http://a.b/')],
  ['half an address', filled('a.', 'http://')],
  ['beginnings of addresses', filled('http://')],
  ['names with an @', filled('@a@')],
  ['at signs', filled('@')],
  ['number signs', filled('#')],
  ['brackets', filled('[(')],
  ['lists in lists', filled('[')],
  ['objects in objects', filled('{')],
  ['groups in groups', filled('(')],
  ['fields of a template', filled('{{a')],
  ['elements', filled('<')],
  ['elements that are named', filled('<a ')],
  ['entities', filled('&')],
  ['letters, then what is none', filled('a', '', '!')],
  ['spaces, then what is none', filled(' ', 'a', 'a')],
  ['line ends', filled('\r\n')],
  ['lines between parts', filled('\n---')],
  ['writing from right to left', filled('\u202e\u2066')],
  ['halves of characters', filled('\ud800')],
  ['half a character', () => 'a\ud800'],
  ['NUL', () => 'a\0'],
  ['__proto__', () => '__proto__'],
  ['a percent sign', () => '%'],
  ['quotes', () => `'"\\;--`],
]
/** Where a schema sets no length, and the most of it that goes into an address of 16 KiB. */
const CHARACTERS = { body: 100_000, query: 1_000 }
/** Of one request: what is quadratic takes seconds. */
const CPU_SECONDS = 0.15
const TOGETHER = 4

type Place = { readonly steps: readonly string[]; readonly text: Schema }

/** Every place for free text in a schema: a path to it, and what is said of the text. */
function textPlaces(schema: unknown, steps: readonly string[] = []): Place[] {
  if (!isSchema(schema)) return []
  const branches = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(branches)) return branches.flatMap((branch) => textPlaces(branch, steps))
  if (schema['type'] === 'string')
    return 'enum' in schema || 'const' in schema ? [] : [{ steps: [...steps], text: schema }]
  if (isSchema(schema['items'])) return textPlaces(schema['items'], [...steps, '0'])
  if ('patternProperties' in schema) return [{ steps: [...steps, 'note'], text: {} }]
  return Object.entries(isSchema(schema['properties']) ? schema['properties'] : {}).flatMap(
    ([name, property]) => textPlaces(property, [...steps, name]),
  )
}

/** A value that keeps to the schema, with `text` at this place and the required rest around it. */
function holding(schema: Schema, [step, ...steps]: readonly string[], text: string): unknown {
  const branches = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (branches !== undefined) {
    const fitting = branches.find((branch) => step === undefined || hasStep(branch, step)) ?? branches[0]
    return holding(fitting ?? {}, step === undefined ? [] : [step, ...steps], text)
  }
  if (step === undefined) return text
  if (isSchema(schema['items'])) return [holding(schema['items'], steps, text)]
  if ('patternProperties' in schema) return { [step]: text }
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  const rest = Object.fromEntries(required.map((name) => [name, plain(properties[name])]))
  return { ...rest, [step]: holding(properties[step] as Schema, steps, text) }
}

function hasStep(schema: Schema, step: string): boolean {
  return isSchema(schema['properties']) ? step in schema['properties'] : step === '0' && 'items' in schema
}

function plain(schema: unknown): unknown {
  if (!isSchema(schema)) return null
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const branches = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(branches)) return plain(branches[0])
  if (schema['format'] === 'uuid') return channelId
  if (schema['format'] === 'date-time') return new Date(Date.now() + 3_600_000).toISOString()
  if (schema['type'] === 'integer' || schema['type'] === 'number') return schema['minimum'] ?? 1
  if (schema['type'] === 'boolean') return true
  if (schema['type'] === 'array') return [plain(schema['items'])]
  if (schema['type'] !== 'object') return 'a'
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  return Object.fromEntries(required.map((name) => [name, plain(properties[name])]))
}

const places = textual.flatMap((operation) =>
  (['body', 'query'] as const).flatMap((part) =>
    textPlaces(withoutIds(operation[part] ?? {})).map(({ steps, text }) => ({
      operation,
      part,
      steps,
      text,
      name: `${operation.id} ${part} /${steps.join('/')}`,
    })),
  ),
)

/** The places that are the first of which their schema says this: what it refuses, it refuses alike in all others. */
const firsts = new Set(
  Map.groupBy(places, ({ part, text: { description: _, examples: __, ...rules } }) =>
    JSON.stringify([part, rules]),
  )
    .values()
    .map(([first]) => first),
)
/** What a place is sent: what the schema lets pass; and of what it refuses, all of it once. */
function textsFor(place: (typeof places)[number]): (readonly [string, string])[] {
  const { part, text: schema } = place
  const most = Math.min(Number(schema['maxLength'] ?? Infinity), CHARACTERS[part])
  const passes = compileSchema(schema)
  return WORST.map(([name, textOf]) => {
    const text = textOf(most)
    return [name, part === 'query' ? text.toWellFormed() : text] as const
  }).filter(([, text]) => firsts.has(place) || passes(text))
}
const struck = places.map((place) => ({ ...place, texts: textsFor(place) }))

describe('the worst texts known', () => {
  test.each(struck.filter(({ texts }) => texts.length > 0))('stall nothing in $name', async (place) => {
    const { operation, part, steps, texts } = place
    const schema = withoutIds(operation[part])
    const base =
      part === 'query' && operation.body !== undefined ? { body: plain(withoutIds(operation.body)) } : {}
    const more =
      steps[0] === 'channelIds' || !('channelIds' in (schema['properties'] as object))
        ? {}
        : { channelIds: [channelId] }
    const send = (text: string) => {
      const value = holding(schema, steps, text)
      return ask(operation, { ...base, [part]: part === 'body' ? { ...more, ...(value as object) } : value })
    }
    const sendAll = async (some: typeof texts) => {
      for (const [, text] of some) await send(text)
    }
    const dear: string[] = []
    // Most are cheap, also several together.
    for (let n = 0; n < texts.length; n += TOGETHER) {
      const some = texts.slice(n, n + TOGETHER)
      if ((await cpuSecondsOf(server, CPU_SECONDS, () => sendAll(some), 1)) < CPU_SECONDS) continue
      for (const [name, text] of some)
        if ((await cpuSecondsOf(server, CPU_SECONDS, () => send(text))) >= CPU_SECONDS) dear.push(name)
    }
    expect(dear).toEqual([])
    expect(await ask(readMe, {})).toBe('done')
  })

  test('leave a server that runs and has no fault in its log', () => {
    server.expectRunning()
    expect(server.logged()).not.toMatch(/"level":"(error|fatal)"/)
  })
})
