import { createRequire } from 'node:module'
import { join } from 'node:path'
import { operations, PartChanges } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { judges } from '../../../test/rigs/judges.ts'
import { askingsOf, definitionOf, tools, toolsFor } from './tools.ts'

const offered = toolsFor(
  operations.map(({ permission }) => permission ?? ''),
  (need) => need === 'a model for texts',
)
const everyOperation = new Map(operations.map((operation) => [operation.id, operation]))

test('sixteen tools are offered, in this order', () => {
  expect(offered.map(({ name }) => name)).toEqual([
    'get_me',
    'list_channels',
    'check_post',
    'create_post',
    'list_posts',
    'get_post',
    'edit_post',
    'schedule_post',
    'cancel_post',
    'retry_post',
    'label_posts',
    'write_series',
    'upload_media',
    'list_media',
    'write_drafts',
    'list_events',
  ])
})

test('their definitions take 20 kB at most', () => {
  expect(JSON.stringify(offered.map(definitionOf)).length).toBeLessThan(20_000)
})

test('they name no format of a text that a client may not know', () => {
  const formats = JSON.stringify(offered.map(definitionOf)).match(/"format":"[^"]*"/g)
  expect([...new Set(formats)]).toEqual(['"format":"date-time"'])
})

test('write_series names all that its operations take of a series, and nothing else', () => {
  const { operations: asked, input } = tools.find(({ name }) => name === 'write_series')!
  const { series } = input['properties'] as { series: { properties?: object } }
  const beside = new Set(['confirmed', ...Object.keys(input['properties'] as object)])
  const taken = asked.flatMap(({ body }) => Object.keys((body as { properties?: object }).properties ?? {}))
  expect(Object.keys(series.properties ?? {}).toSorted()).toEqual(
    [...new Set(taken)].filter((name) => !beside.has(name)).toSorted(),
  )
})

test('what edit_post says of single parts names all their fields', () => {
  const { properties } = PartChanges.items as { properties: object }
  const { parts } = tools.find(({ name }) => name === 'edit_post')!.input['properties'] as {
    parts: { description: string }
  }
  for (const name of Object.keys(properties)) expect(parts.description).toContain(name)
})

/** Every schema in a schema, with where it stands. */
function schemasIn(schema: unknown, at: string): { at: string; schema: Record<string, unknown> }[] {
  if (typeof schema !== 'object' || schema === null) return []
  const inner = Object.entries(schema).flatMap(([name, one]) => schemasIn(one, `${at}/${name}`))
  return [{ at, schema: schema as Record<string, unknown> }, ...inner]
}

test('no type is a list, and every list says what is in it: some clients refuse all tools for one that does not', () => {
  const faults = tools
    .map(definitionOf)
    .flatMap(({ name, inputSchema, outputSchema }) => [
      ...schemasIn(inputSchema, `${name} input`),
      ...schemasIn(outputSchema, `${name} output`),
    ])
    .filter(
      ({ schema }) => Array.isArray(schema['type']) || (schema['type'] === 'array' && !('items' in schema)),
    )
  expect(faults.map(({ at }) => at)).toEqual([])
})

const typesOf = ({ type, anyOf = [] }: { type?: string; anyOf?: { type?: string }[] }) => [
  type,
  ...anyOf.map((one) => one.type),
]

describe.each(
  tools.flatMap((tool) =>
    Object.entries(
      tool.input['properties'] as Record<string, { type?: string; anyOf?: { type?: string }[] }>,
    ).map(([name, schema]) => [tool.name, name, { tool, schema }] as const),
  ),
)('of %s, %s', (_tool, name, { tool, schema }) => {
  const types = typesOf(schema)
  const required = (tool.input['required'] ?? []) as string[]
  const needed = Object.fromEntries(required.map((one) => [one, `${one}-1`]))

  test.runIf(types.includes('array') || types.includes('object'))('is taken as JSON text, too', () => {
    const value = types.includes('array') ? [{ text: '{"a":1}' }] : { queue: 'next' }
    const asText = askingsOf(tool, { ...needed, [name]: JSON.stringify(value) })
    expect(asText).toEqual(askingsOf(tool, { ...needed, [name]: value }))
    expect(JSON.stringify(asText)).not.toContain(JSON.stringify(JSON.stringify(value)))
  })

  test.runIf(types.includes('string') && !types.includes('object'))('is no JSON where it is a text', () => {
    const said = (value: unknown) =>
      askingsOf(tool, { ...needed, [name]: value }).map(({ params, query, body }) => ({
        params,
        query,
        body,
      }))
    const text = '{"a":[1]}'
    expect(JSON.stringify(said(text))).toBe(
      JSON.stringify(said('a text')).replaceAll('"a text"', JSON.stringify(text)),
    )
  })

  test.runIf(!required.includes(name) && !types.includes('null'))('is left out where it is null', () => {
    expect(askingsOf(tool, { ...needed, [name]: null })).toEqual(askingsOf(tool, needed))
  })
})

test('lists in lists are taken as JSON text, too, and null in them is left out', () => {
  const [asking] = askingsOf(
    tools.find(({ name }) => name === 'create_post')!,
    {
      idempotencyKey: 'k',
      state: 'draft',
      posts: JSON.stringify([
        { text: '[1]', mediaIds: '["a"]', publishAt: null, targets: null },
        JSON.stringify({
          text: 'b',
          targets: [{ channelId: 'c', thread: '[{"text":"[2]","mediaIds":null}]' }],
        }),
      ]),
    },
  )
  expect(asking?.body?.['posts']).toEqual([
    { state: 'draft', text: '[1]', mediaIds: ['a'] },
    { state: 'draft', text: 'b', targets: [{ channelId: 'c', thread: [{ text: '[2]' }] }] },
  ])
  const [edit] = askingsOf(
    tools.find(({ name }) => name === 'edit_post')!,
    {
      postId: 'p',
      editToken: 't',
      idempotencyKey: 'k',
      firstComment: null,
      thread: '[]',
      mediaIds: null,
    },
  )
  expect(edit?.body?.['content']).toEqual({ firstComment: null, thread: [] })
})

test('and 5,000 tokens, as a tokenizer counts them', { timeout: 300_000 }, async () => {
  const { getEncoding } = createRequire(join(await judges(), 'tokens'))('js-tiktoken') as Tokenizer
  const counted = getEncoding('o200k_base').encode(JSON.stringify(offered.map(definitionOf))).length
  expect(counted).toBeGreaterThan(1_000)
  expect(counted).toBeLessThanOrEqual(5_000)
})

type Tokenizer = { readonly getEncoding: (name: string) => { encode: (text: string) => number[] } }

test('what agents can ask for has a tool, but for channels of a post, approval of a draft, files once they are there, the lists of models and labels, templates but their list, posts as files, and endpoints', () => {
  const asked = new Set(tools.flatMap((tool) => tool.operations.map(({ id }) => id)))
  const left = [...everyOperation.keys()].filter((id) => !asked.has(id))
  const endpoints = operations.filter(({ tag }) => tag === 'Webhooks').map(({ id }) => id)
  expect(left.toSorted()).toEqual(
    [
      'changeChannels',
      'updateMedia',
      'deleteMedia',
      'readMediaContent',
      'listAiModels',
      'listLabels',
      'requestApproval',
      'importPosts',
      'exportPosts',
      'createTemplate',
      'readTemplate',
      'changeTemplate',
      'deleteTemplate',
      ...endpoints,
    ].toSorted(),
  )
})

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (_name, tool) => {
  const isWrite = tool.operations.some(({ idempotency }) => idempotency !== undefined)
  const { properties, required = [] } = tool.input as {
    properties: Record<string, unknown>
    required?: string[]
  }

  test('is described truly', () => {
    expect(tool.description.length).toBeLessThan(260)
    expect(tool.annotations.readOnlyHint).toBe(!isWrite)
    expect(tool.annotations.idempotentHint).toBe(true)
    expect(tool.annotations.destructiveHint).toBe(['edit_post', 'cancel_post'].includes(tool.name))
    expect(tool.annotations.openWorldHint).toBe(
      ['create_post', 'schedule_post', 'retry_post', 'write_series'].includes(tool.name),
    )
  })

  test('requires a key if it writes, and never asks for a confirmation', () => {
    expect(required.includes('idempotencyKey')).toBe(isWrite)
    expect(properties).not.toHaveProperty('confirmed')
    expect(required.every((name) => name in properties)).toBe(true)
  })

  test('requires what each of its operations requires, and knows no argument that none of them knows', () => {
    const known = new Set(['idempotencyKey', ...(OWN[tool.name] ?? [])])
    // One operation asks for what another leaves open.
    const open = new Set(tool.operations.flatMap(({ body }) => optionalIn(body)))
    for (const { params, query, body } of tool.operations) {
      for (const schema of [params, query, body]) {
        const { properties: fields = {}, required: needed = [] } = (schema ?? {}) as {
          properties?: object
          required?: string[]
        }
        for (const name of Object.keys(fields)) known.add(name)
        if (tool.operations.length > 1 && schema !== body) continue
        // What is created, or changes, stands in one argument.
        if (tool.name === 'write_series') continue
        for (const name of needed)
          if (!['confirmed', 'content', 'posts'].includes(name) && !open.has(name))
            expect(required).toContain(name)
      }
    }
    expect(Object.keys(properties).filter((name) => !known.has(name))).toEqual([])
  })
})

function optionalIn(schema: unknown): string[] {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: object; required?: string[] }
  return Object.keys(properties).filter((name) => !required.includes(name))
}

/** Arguments that are no fields of an operation. */
const OWN: Record<string, string[]> = {
  write_series: ['series'],
  list_posts: ['calendar', 'results', 'series', 'templates'],
  edit_post: ['text', 'mediaIds', 'thread', 'firstComment', 'targets', 'parts'],
  upload_media: ['url', 'base64'],
}
