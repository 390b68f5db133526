import * as fc from 'fast-check'
import { isSchema, type Schema } from '../../src/edge/api/request/schema-shape.ts'

const JUNK = [null, true, 0, -1, 1.5, 1e300, '', ' ', 'a', [], [1], {}, { a: 1 }]
const TEXTS = [
  '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11',
  '0199C1DE-7c3a-7b52-9d0e-5f1f0c3b9a11',
  '2026-11-21T10:00:00+01:00',
  '2026-02-30T10:00:00Z',
  'https://example.com',
  'k',
  'k k',
  '😀'.repeat(256),
  'a'.repeat(256),
]

/** Values that keep to a schema, but for one part in thirteen. */
export function nearSchema(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 12, arbitrary: shaped(schema) },
    { weight: 1, arbitrary: fc.constantFrom(...JUNK) },
  )
}

function shaped(schema: Schema): fc.Arbitrary<unknown> {
  const branches = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(branches)) return fc.oneof(...branches.filter(isSchema).map(nearSchema))
  if ('const' in schema) return fc.constant(schema['const'])
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]), 'other')
  const { items, minimum, maximum, maxItems, properties } = schema
  switch (schema['type']) {
    case 'array': {
      const maxLength = Math.min(6, Number(maxItems ?? 5) + 1)
      return isSchema(items) ? fc.array(nearSchema(items), { maxLength }) : fc.constant([])
    }
    case 'object':
      return record(isSchema(properties) ? properties : {})
    case 'integer':
    case 'number':
      return fc.integer({ min: Number(minimum ?? 0) - 1, max: Number(maximum ?? 9) + 1 })
    case 'boolean':
      return fc.boolean()
    default:
      return fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 20 }))
  }
}

function record(properties: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => [
    name,
    nearSchema(isSchema(schema) ? schema : {}),
  ])
  return fc
    .tuple(
      fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] }),
      fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constant({ txet: 1 }) }),
    )
    .map(([known, more]) => ({ ...known, ...more }))
}
