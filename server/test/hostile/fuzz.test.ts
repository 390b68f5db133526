import { type Operation, operations } from '@postrider/contract'
import * as fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSchema, type Schema, withoutIds } from '../../src/api/schema-shape.ts'
import { aChannel, aPost } from '../rigs/fixtures.ts'
import { nearSchema } from '../rigs/near-schema.ts'
import { openApiJudge } from '../rigs/openapi-judge.ts'
import { openServerProcess, type ServerProcess } from './server-process.ts'

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

const repeated = (text: string, characters: number) => text.repeat(Math.ceil(characters / text.length))
/** What has made programs stall, overflow or store what they cannot read back. */
const WORST: readonly (readonly [string, string])[] = [
  ['stacked marks', `e${repeated('\u0301', 50_000)}`],
  ['stacked marks in disorder', repeated('\u0316\u0301', 50_000)],
  ['50,000 zero-width joiners', repeated('\u200d', 50_000)],
  ['a family without an end', repeated('👩\u200d', 50_000)],
  ['flags', repeated('🇩🇪', 50_000)],
  ['Hangul to compose', repeated('\u1112\u1161\u11ab', 50_000)],
  ['ligatures that grow when folded', repeated('\ufdfa', 50_000)],
  ['capitals that grow in lower case', repeated('İ', 50_000)],
  ['addresses', repeated('http://a.b/', 50_000)],
  ['half an address', `http://${repeated('a.', 50_000)}`],
  ['names with an @', repeated('@a@', 50_000)],
  ['brackets', repeated('[(', 50_000)],
  ['line ends', repeated('\r\n', 50_000)],
  ['writing from right to left', repeated('\u202e\u2066', 50_000)],
  ['half a character', 'a\ud800'],
  ['NUL', 'a\0'],
  ['__proto__', '__proto__'],
  ['a percent sign', '%'],
  ['quotes', `'"\\;--`],
]
/** On average: a text of twice the length, the longest that is taken, would take four times as long where the time is quadratic. */
const CPU_SECONDS = 0.25

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
/** None of the worst texts is one of these. */
const FORMATS: readonly unknown[] = ['uuid', 'date', 'date-time']
/** Whether the schema refuses the text, before anything else reads it. Characters have two units at most. */
const isRefused = (text: string, { maxLength = Infinity, format }: Schema) =>
  text.length > 2 * Number(maxLength) || FORMATS.includes(format)

/** What a place is sent; an address is 16 KiB long at most. */
const textsFor = (place: (typeof places)[number]) =>
  WORST.map(([, text]) =>
    place.part === 'query' ? Array.from(text).slice(0, 1_000).join('').toWellFormed() : text,
  ).filter((text) => firsts.has(place) || !isRefused(text, place.text))
const struck = places.map((place) => ({ ...place, texts: textsFor(place) }))

describe('the worst texts known', () => {
  test.each(struck.filter(({ texts }) => texts.length > 0))('stall nothing in $name', async (place) => {
    const { operation, part, steps, texts } = place
    const schema = withoutIds(operation[part])
    const before = await server.cpuSeconds()
    for (const sent of texts) {
      const value = holding(schema, steps, sent)
      const base =
        part === 'query' && operation.body !== undefined ? { body: plain(withoutIds(operation.body)) } : {}
      const more =
        steps[0] === 'channelIds' || !('channelIds' in (schema['properties'] as object))
          ? {}
          : { channelIds: [channelId] }
      await ask(operation, { ...base, [part]: part === 'body' ? { ...more, ...(value as object) } : value })
    }
    expect(((await server.cpuSeconds()) - before) / texts.length).toBeLessThan(CPU_SECONDS)
  })

  test('leave a server that runs and has no fault in its log', () => {
    server.expectRunning()
    expect(server.logged()).not.toMatch(/"level":"(error|fatal)"/)
  })
})
