import { operations } from '@postrider/contract'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nearSchema } from '../../../../test/rigs/near-schema.ts'
import { compileSchema } from './formats.ts'
import { findUnstorable } from './storable-body.ts'
import { type Schema, withoutIds } from './schema-shape.ts'
import { scanJson } from './json-scan.ts'
import { explain, MAX_VIOLATIONS } from './violations.ts'

const declared = operations.flatMap(({ id, ...operation }) =>
  (['body', 'query'] as const).flatMap((part) => {
    const schema: unknown =
      'params' in operation || part in operation ? (operation as Schema)[part] : undefined
    return schema === undefined ? [] : [{ id, part, schema: withoutIds(schema) }]
  }),
)

const UNEXPLAINED = { code: 'not_allowed', pointer: '' }

describe('the faults of a request', () => {
  test('are never none, whatever the schema says', () => {
    expect(explain({ not: { type: 'string' } }, 'a', 'body')).toMatchObject([UNEXPLAINED])
  })

  test.each(declared)('of $id are found wherever its $part has some', ({ schema, part }) => {
    const passes = compileSchema(schema)
    fc.assert(
      fc.property(nearSchema(schema), (value) => {
        if (passes(value)) return
        const found = explain(schema, value, part)
        expect(found.map(({ code, pointer }) => ({ code, pointer }))).not.toContainEqual(UNEXPLAINED)
        for (const { detail, pointer } of found) expect(`${pointer}${detail}`.isWellFormed()).toBe(true)
      }),
      { numRuns: 300, seed: 10 },
    )
  })

  test('are found in text that is no Unicode, too', () => {
    const schema = { type: 'array', uniqueItems: true, items: { type: 'string', format: 'uuid' } }
    expect(explain(schema, ['\ud800', 'a', '\ud800'], 'body')).toMatchObject([
      { pointer: '', code: 'duplicate' },
      { pointer: '/0', code: 'malformed' },
      { pointer: '/1', code: 'malformed' },
      { pointer: '/2', code: 'malformed' },
    ])
  })

  test('are told of the shape that a value comes closest to', () => {
    const schema = {
      anyOf: [
        {
          type: 'object',
          properties: { left: { type: 'string' } },
          required: ['left'],
          additionalProperties: false,
        },
        {
          type: 'object',
          properties: { right: { type: 'array', items: { type: 'string' } } },
          required: ['right'],
          additionalProperties: false,
        },
      ],
    }
    expect(explain(schema, { right: ['a', 1] }, 'body').map(({ pointer }) => pointer)).toEqual(['/right/1'])
  })

  test('are at most twenty, and only those are looked for', () => {
    const schema = { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false } }
    const list = Array.from({ length: 5_000 }, () => ({ a: 1, b: 2 }))
    let looks = 0
    const watched = new Proxy(list, {
      get: (target, name) => (looks++, Reflect.get(target, name) as unknown),
    })
    expect(explain(schema, watched, 'body')).toHaveLength(MAX_VIOLATIONS)
    expect(looks).toBeLessThan(200)
    expect(findUnstorable(list.map(() => '\0'))).toHaveLength(MAX_VIOLATIONS)
  })

  test('have pointers that fit into an answer, however long the names are', () => {
    const deep = (levels: number): unknown =>
      levels === 0 ? '\0' : { ['n'.repeat(5_000)]: deep(levels - 1) }
    const [first] = findUnstorable(deep(60))
    expect(first?.pointer.length).toBeLessThan(600)
    expect(first?.detail.length).toBeLessThan(600)
  })
})

describe('the scan of a JSON text', () => {
  const limits = { maxDepth: 64, maxValues: 20_000, maxNames: 1_000, maxRepeated: 20 }

  test.each([
    ['{"a":1,"a":2}', [['a']]],
    [String.raw`{"a":1,"\u0061":2}`, [['a']]],
    ['[{"x":[{"b":1,"c":{},"b":[]}]}]', [[0, 'x', 0, 'b']]],
    ['{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}', []],
    ['{"a":"{\\"a\\":1,\\"a\\":2}","b":"\\\\"}', []],
    ['{"__proto__":1,"__proto__":1}', [['__proto__']]],
    ['{"":1, "" :2}', [['']]],
  ])('finds the names that %s repeats', (json, repeated) => {
    expect(scanJson(json, limits)).toEqual({ excess: null, repeated })
  })

  test('counts the values, levels and names that parsing would make', () => {
    const count = (value: unknown): number =>
      typeof value !== 'object' || value === null
        ? 1
        : 1 + Object.values(value).reduce<number>((sum, child) => sum + count(child), 0)
    const depth = (value: unknown): number =>
      typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depth))
    const names = (value: unknown): number =>
      typeof value !== 'object' || value === null
        ? 0
        : Math.max(Array.isArray(value) ? 0 : Object.keys(value).length, ...Object.values(value).map(names))
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(0, 2), (value, indent) => {
        const json = JSON.stringify(value, null, indent)
        const [values, levels] = [count(value), depth(value)]
        const most = { ...limits, maxValues: values, maxDepth: levels, maxNames: names(value) }
        const excess = (less: Partial<typeof limits>) => scanJson(json, { ...most, ...less }).excess?.code
        expect(excess({})).toBeUndefined()
        if (values > 1) expect(excess({ maxValues: values - 1 })).toBe('too_many_values')
        if (levels > 0) expect(excess({ maxDepth: levels - 1 })).toBe('too_deep')
        if (most.maxNames > 0) expect(excess({ maxNames: most.maxNames - 1 })).toBe('too_many_names')
      }),
      { numRuns: 500, seed: 10 },
    )
  })

  test.each([
    ['[[],[[[]]]]', { maxDepth: 3 }, 'too_deep', [1, 0, 0]],
    ['{"a":[1,2,3]}', { maxValues: 4 }, 'too_many_values', ['a']],
    ['[1,{"a":1,"b":2}]', { maxNames: 1 }, 'too_many_names', [1]],
  ])('says where %s is too much', (json, less, code, path) => {
    expect(scanJson(json, { ...limits, ...less }).excess).toEqual({ code, path })
  })

  test('ends whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', ' ', 'a'),
          maxLength: 60,
        }),
        (text) => {
          expect(scanJson(text, limits).excess).toBeNull()
        },
      ),
      { numRuns: 2_000, seed: 10 },
    )
  })
})
