import { nearest } from './nearest.ts'
import type { PlanSchema as Schema } from '../content-fields.ts'

type Path = readonly (string | number)[]
export type ShapeFault = { readonly path: Path; readonly message: string }

const NAMES = { object: 'a mapping', array: 'a list', string: 'a text', boolean: 'true or false' } as const

/** What of a value goes against a schema, all of it. */
export function shapeFaults(value: unknown, schema: Schema, path: Path = []): ShapeFault[] {
  if (schema.anyOf !== undefined) {
    const choices = schema.anyOf.map((choice) => shapeFaults(value, choice, path))
    // Of several, the one that is of the right kind says what is wrong.
    const meant = schema.anyOf.findIndex(({ type }) => type === kindOf(value))
    return choices.some((faults) => faults.length === 0) ? [] : (choices[Math.max(0, meant)] ?? [])
  }
  if (schema.type !== undefined && kindOf(value) !== schema.type) {
    const found = value === null || value === undefined ? 'nothing' : JSON.stringify(value)
    const hint = schema.type === 'string' ? ' Put it in quotes.' : ''
    return [
      {
        path,
        message: `This must be ${NAMES[schema.type]}, and not ${found.slice(0, 60)}.${found === 'nothing' ? '' : hint}`,
      },
    ]
  }
  if (typeof value === 'string') return textFaults(value, schema, path)
  if (Array.isArray(value) && value.length > (schema.maxItems ?? Infinity))
    return [{ path, message: `This list has ${value.length} items, and can have ${schema.maxItems}.` }]
  if (Array.isArray(value))
    return value.flatMap((item, index) => shapeFaults(item, schema.items ?? {}, [...path, index]))
  return schema.type === 'object' ? objectFaults(value as Record<string, unknown>, schema, path) : []
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

function textFaults(value: string, { pattern, description }: Schema, path: Path): ShapeFault[] {
  if (pattern === undefined || new RegExp(pattern).test(value)) return []
  const fits = pattern.startsWith('^https')
    ? 'an https address'
    : 'letters, digits, dots, dashes and underscores, 80 at most'
  return [
    {
      path,
      message:
        `${JSON.stringify(value).slice(0, 100)} does not fit: it is ${fits}. ${description ?? ''}`.trim(),
    },
  ]
}

function objectFaults(
  value: Record<string, unknown>,
  { properties, required = [], additionalProperties }: Schema,
  path: Path,
): ShapeFault[] {
  const missing = required
    .filter((name) => value[name] === undefined || value[name] === null)
    .map((name) => ({ path, message: `\`${name}\` is missing.` }))
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const known = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
    const schema = known ?? (additionalProperties === false ? null : additionalProperties)
    // What is left empty is as if it were not there.
    if (schema !== null)
      return field === null && !required.includes(name)
        ? []
        : shapeFaults(field, schema ?? {}, [...path, name])
    const names = Object.keys(properties ?? {})
    const meant = nearest(name, names)
    const fits = meant === null ? `There are ${names.join(', ')}.` : `Did you mean \`${meant}\`?`
    return [{ path: [...path, name], message: `\`${name.slice(0, 100)}\` is unknown here. ${fits}` }]
  })
  return [...missing, ...fields]
}
