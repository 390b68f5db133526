import { compileSchema } from '../../src/edge/api/request/formats.ts'
import { isSchema, type Schema } from '../../src/edge/api/request/schema-shape.ts'

/** As many of a unit as go into a text of so many characters, between what begins and what ends it. */
const filled = (unit: string, begin = '', end = '') => {
  const [own, around] = [unit, begin + end].map((text) => Array.from(text).length) as [number, number]
  return (characters: number) => begin + unit.repeat(Math.max(0, (characters - around) / own)) + end
}
/** What has made programs stall, overflow or store what they cannot read back: each in the length that a place takes. */
export const WORST: readonly (readonly [string, (characters: number) => string])[] = [
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

/** A place for free text in a schema: the path to it, and what is said of the text. */
export type TextPlace = { readonly steps: readonly string[]; readonly text: Schema }

/** Every such place. */
export function textPlaces(schema: unknown, steps: readonly string[] = []): TextPlace[] {
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

/** What stands in a valid request, by the name of its field: ids and tokens, whichever object they are in. */
export type Known = ReadonlyMap<string, unknown>

export function knownOf(...values: readonly unknown[]): Known {
  const known = new Map<string, unknown>()
  const collect = (value: unknown) => {
    for (const [name, one] of Object.entries(typeof value === 'object' && value !== null ? value : {})) {
      if (isOfThing(name) && !known.has(name)) known.set(name, one)
      collect(one)
    }
  }
  values.forEach(collect)
  return known
}

/** Whether a field names a thing, or the state that a client has seen of it. */
export const isOfThing = (name: string) => /(Id|Ids|Token)$|^digest$/.test(name)

/** A value that keeps to the schema, with `text` at this place and the required rest around it. */
export function holding(
  schema: Schema,
  [step, ...steps]: readonly string[],
  text: string,
  known: Known,
): unknown {
  const branches = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (branches !== undefined) {
    const fitting = branches.find((branch) => step === undefined || hasStep(branch, step)) ?? branches[0]
    return holding(fitting ?? {}, step === undefined ? [] : [step, ...steps], text, known)
  }
  if (step === undefined) return text
  if (isSchema(schema['items'])) return [holding(schema['items'], steps, text, known)]
  if ('patternProperties' in schema) return { [step]: text }
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  return { ...requiredOf(schema, known), [step]: holding(properties[step] as Schema, steps, text, known) }
}

/** How many `basesOf` gives of an object. */
export const BASES = 4

/**
 * What a text stands in: a valid request; the same without the field that it is in; and what its schema asks for, with the things that it
 * names, or fewer: a text may stand instead of the rest.
 */
export function basesOf(base: unknown, schema: Schema, [field]: readonly string[]): unknown[] {
  if (!isSchema(base)) return [base]
  const required = new Set(Array.isArray(schema['required']) ? schema['required'].map(String) : [])
  const only = (isKept: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(base).filter(([name]) => isKept(name)))
  return [
    base,
    only((name) => name !== field),
    only((name) => required.has(name) || isOfThing(name)),
    only((name) => required.has(name) || (isOfThing(name) && !name.endsWith('Ids'))),
  ]
}

/** The same around what a valid request says. */
export function within(
  base: unknown,
  schema: Schema,
  [step, ...steps]: readonly string[],
  text: string,
  known: Known,
): unknown {
  if (Array.isArray(base) && base.length > 0 && isSchema(schema['items']))
    return [within(base[0], schema['items'], steps, text, known), ...base.slice(1)]
  const branches = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  const shape = branches?.find((branch) => step !== undefined && hasStep(branch, step)) ?? schema
  const inner = isSchema(shape['properties']) && step !== undefined ? shape['properties'][step] : undefined
  if (step === undefined || !isSchema(base) || !isSchema(inner))
    return holding(schema, step === undefined ? [] : [step, ...steps], text, known)
  return { ...base, [step]: within(base[step], inner, steps, text, known) }
}

function hasStep(schema: Schema, step: string): boolean {
  return isSchema(schema['properties']) ? step in schema['properties'] : step === '0' && 'items' in schema
}

/** A value that keeps to a schema, with nothing in it that need not be. */
export function plain(schema: unknown, known: Known, name = ''): unknown {
  if (!isSchema(schema)) return null
  if (known.has(name)) return known.get(name)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const branches = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(branches)) return plain(branches[0], known)
  if (schema['format'] === 'uuid') return known.get('channelId')
  if (schema['format'] === 'date-time') return new Date(Date.now() + 3_600_000).toISOString()
  if (schema['type'] === 'integer' || schema['type'] === 'number') return schema['minimum'] ?? 1
  if (schema['type'] === 'boolean') return true
  if (schema['type'] === 'array') return [plain(schema['items'], known)]
  return schema['type'] === 'object' ? requiredOf(schema, known) : 'a'
}

function requiredOf(schema: Schema, known: Known): Record<string, unknown> {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  return Object.fromEntries(required.map((name) => [name, plain(properties[name], known, name)]))
}

/** Whether the schema of a place lets a text pass. */
export const passes = (place: TextPlace, text: string): boolean => compileSchema(place.text)(text)
