import { globSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import type { TSchema } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import {
  type CallRow,
  type CallTable,
  changesOf,
  fileSign,
  hostsOf,
  readCall,
  type SeenCall,
} from './call-table.ts'
import type { HttpDouble } from './http-double.ts'

/*
 * Every double of a network refuses, as its network does, every call of its table that is made in another shape: with a field left out that is
 * needed, one more field, another type, body, method, host, path or version.
 */

type Opens = Readonly<Record<string, unknown>>

/** The doubles in this folder that have a table. */
async function openDoubles(): Promise<(readonly [name: string, double: HttpDouble, table: CallTable])[]> {
  const files = globSync('*-double.ts', { cwd: import.meta.dirname }).toSorted()
  const opened = await Promise.all(
    files.map(async (file) => {
      const module = (await import(join(import.meta.dirname, file))) as Opens
      const open = Object.entries(module).find(([name]) => /^open\w+Double$/.test(name))?.[1]
      if (typeof open !== 'function' || file === 'http-double.ts') return []
      const double = await (open as () => Promise<Partial<HttpDouble> & AsyncDisposable>)()
      afterAll(() => double[Symbol.asyncDispose]())
      return double.table == null
        ? []
        : [[file.replace('-double.ts', ''), double as HttpDouble, double.table] as const]
    }),
  )
  return opened.flat()
}

const doubles = await openDoubles()

/** A value of this shape, with every field that may be there. */
function sampleOf(schema: Raw): unknown {
  if ('const' in schema) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.anyOf?.[0] !== undefined) return sampleOf(schema.anyOf[0])
  const sample = sampleOfType(schema)
  return schema.contentMediaType === 'application/json' ? JSON.stringify(sample) : sample
}

function sampleOfType(schema: Raw): unknown {
  switch (schema.type) {
    case 'object':
      return Object.fromEntries([
        ...Object.entries(schema.properties ?? {}).map(([name, one]) => [name, sampleOf(one)]),
        ...Object.entries(schema.patternProperties ?? {}).map(([name, one]) => [
          matching(name),
          sampleOf(one),
        ]),
      ])
    case 'array':
      return Array.from({ length: schema.minItems ?? Math.min(1, schema.maxItems ?? 1) }, () =>
        sampleOf(schema.items ?? {}),
      )
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'string':
      return schema.pattern === undefined ? 'words' : matching(schema.pattern)
    case undefined:
    default:
      throw new Error(`no sample of ${JSON.stringify(schema)}`)
  }
}

function matching(pattern: string): string {
  const printable = fc
    .stringMatching(new RegExp(pattern))
    .filter((text) => /^[!-~](?:[ -~]*[!-~])?$/.test(text))
  return fc.sample(printable, { numRuns: 1, seed: 7 })[0] ?? ''
}

type Raw = {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Raw[]
  readonly properties?: Readonly<Record<string, Raw>>
  readonly patternProperties?: Readonly<Record<string, Raw>>
  readonly items?: Raw
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly pattern?: string
  readonly contentMediaType?: string
}

/** A call as its row has it. */
function callOf(row: CallRow): SeenCall {
  const [, method = '', path = ''] = /^([A-Z]+) [^/]+(\/.*)$/.exec(row.call) ?? []
  const filled = path.replaceAll(/\{[^:}]+(?::([^}]+))?\}/g, (_, pattern: string | undefined) =>
    pattern === undefined ? '7' : matching(`^(?:${pattern})$`),
  )
  const kind =
    (['json', 'form', 'multipart', 'file'] as const).find((one) => row[one] !== undefined) ?? 'none'
  const value = kind === 'none' ? null : kind === 'file' ? 'image/png' : sampleOf(row[kind] as Raw)
  const fields = (schema: TSchema | undefined) =>
    (schema === undefined ? {} : sampleOf(schema)) as Readonly<Record<string, unknown>>
  return {
    method,
    host: null,
    path: filled,
    query: fields(row.query),
    headers: fields(row.headers),
    body: { as: kind, value },
  }
}

const SIGN = fileSign('')

/** Makes the call at the double. */
async function send(double: HttpDouble, { method, host, path, query, headers, body }: SeenCall) {
  const url = new URL(path, host === null ? double.url : double.at(host))
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one))
  const [content, type] = bodyOf(body)
  const response = await fetch(url, {
    method,
    headers: { ...(headers as Record<string, string>), ...type },
    ...(content === null || method === 'GET' ? {} : { body: content }),
  })
  const answer = await response.text()
  return { status: response.status, body: answer }
}

function bodyOf({
  as,
  value,
}: SeenCall['body']): [string | URLSearchParams | FormData | null, Record<string, string>] {
  switch (as) {
    case 'none':
      return [null, {}]
    case 'json':
      return [JSON.stringify(value), { 'content-type': 'application/json' }]
    case 'form':
      return [new URLSearchParams(value as Record<string, string>), {}]
    case 'file':
      return ['bytes', { 'content-type': String(value) }]
    case 'multipart': {
      const form = new FormData()
      for (const [name, one] of Object.entries(value as Record<string, string>)) {
        const type = one.startsWith(SIGN) ? one.slice(SIGN.length) : null
        form.append(name, type === null ? one : new File(['bytes'], 'a-file', { type }))
      }
      return [form, {}]
    }
    default:
      return as satisfies never
  }
}

describe.each(doubles)('%s', (_, double, table) => {
  const rows = table.rows.filter(({ call }) => !call.startsWith('TALK '))

  test.each(rows.map((row) => [row.call, row] as const))('%s', async (_call, row) => {
    const call = callOf(row)
    expect(readCall(table, call)).toEqual({ row })
    const atHosts = hostsOf(table).length > 1 ? hostsOf(table) : []
    const hosted = { ...call, host: atHosts.find((host) => row.call.includes(` ${host}/`)) ?? null }
    const taken: string[] = []
    for (const { what, call: changed } of changesOf(table, row, hosted)) {
      const read = readCall(table, changed)
      if ('row' in read) continue
      const { status, body } = table.refusal(read.fault, changed.path, changed.body.value)
      const refused = { status, body: typeof body === 'string' ? body : (JSON.stringify(body) ?? '') }
      const answer = await send(double, changed)
      if (answer.status !== refused.status || answer.body !== refused.body)
        taken.push(`${what}: ${JSON.stringify(answer)}`)
    }
    expect(taken).toEqual([])
  })

  test('each row says where it is from, and when that was read', () => {
    for (const { source, read } of table.rows) {
      expect(source).toMatch(/^https:\/\//)
      expect(read).toMatch(/^20\d\d-\d\d(?:-\d\d)?$/)
    }
  })
})

test('there are doubles', () => expect(doubles.length).toBeGreaterThan(0))
