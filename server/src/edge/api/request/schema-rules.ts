import { faultOfLine } from '../../../platform/outbound/line-fault.ts'
import { codePointsOf } from '../../../platform/text/code-points.ts'
import { hasFormat } from './formats.ts'
import { isSchema, type Schema } from './schema-shape.ts'

/**
 * One keyword of JSON Schema that says something of a value itself, as opposed to what is in it: null where the value
 * keeps to it, else the kind of the violation and a sentence that begins with the value's name.
 */
type Rule = (
  wanted: unknown,
  value: unknown,
  name: string,
  schema: Schema,
) => [code: string, detail: string] | null

/** In the order in which a value is judged. They agree with Ajv, which judges first; a test compares them. */
export const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    'type',
    (type, value, name) =>
      typesOf(type).some((kind) => isOfKind(value, kind))
        ? null
        : ['wrong_type', `${name} must be ${kindOf(type)}; ${shown(value)} was sent.`],
  ],
  [
    'const',
    (wanted, value, name) =>
      isEqual(wanted, value)
        ? null
        : ['not_allowed', `${name} must be ${shown(wanted)}; ${shown(value)} was sent.`],
  ],
  [
    'enum',
    (wanted, value, name) =>
      Array.isArray(wanted) && wanted.some((one) => isEqual(one, value))
        ? null
        : ['not_allowed', `${name} must be one of ${listed(wanted)}; ${shown(value)} was sent.`],
  ],
  ['minLength', (least, value, name) => tooShort(least, textLength(value), name, 'character')],
  ['maxLength', (most, value, name) => tooLong(most, textLength(value), name, 'character')],
  [
    'pattern',
    (pattern, value, name, { examples }) => {
      if (typeof value !== 'string' || patternOf(String(pattern)).test(value)) return null
      const detail = Array.isArray(examples)
        ? `${name} must have the form of ${examples.map(shown).join(' or ')}; ${shown(value)} was sent.`
        : `${name} must match \`${String(pattern)}\`; ${shown(value)} was sent.`
      return ['malformed', detail]
    },
  ],
  [
    'format',
    (format, value, name) =>
      typeof value !== 'string' || hasFormat(String(format), value)
        ? null
        : [
            'malformed',
            (format === 'line' ? faultOfLine(name, value) : null) ??
              `${name} must be ${formatOf(format)}; ${shown(value)} was sent.`,
          ],
  ],
  ['minProperties', (least, value, name) => tooShort(least, fieldCount(value), name, 'field')],
  ['maxProperties', (most, value, name) => tooLong(most, fieldCount(value), name, 'field')],
  ['minItems', (least, value, name) => tooShort(least, listLength(value), name, 'item')],
  ['maxItems', (most, value, name) => tooLong(most, listLength(value), name, 'item')],
  ['uniqueItems', (wanted, value, name) => (wanted === true ? repeatedItem(value, name) : null)],
  [
    'minimum',
    (least, value, name, schema) => outOfRange(value, name, schema, (sent) => sent >= Number(least)),
  ],
  ['maximum', (most, value, name, schema) => outOfRange(value, name, schema, (sent) => sent <= Number(most))],
])

function tooShort(least: unknown, length: number | null, name: string, unit: string): ReturnType<Rule> {
  if (length === null || length >= Number(least)) return null
  const code = unit === 'character' ? 'too_short' : 'too_few'
  return [code, `${name} must have at least ${counted(least, unit)}; ${length} were sent.`]
}

function tooLong(most: unknown, length: number | null, name: string, unit: string): ReturnType<Rule> {
  if (length === null || length <= Number(most)) return null
  const code = unit === 'character' ? 'too_long' : 'too_many'
  return [code, `${name} must have at most ${counted(most, unit)}; ${length} were sent.`]
}

function counted(limit: unknown, unit: string): string {
  return `${String(limit)} ${unit}${limit === 1 ? '' : 's'}`
}

/** In characters as JSON Schema counts them: code points. */
function textLength(value: unknown): number | null {
  return typeof value === 'string' ? codePointsOf(value) : null
}

function listLength(value: unknown): number | null {
  return Array.isArray(value) ? value.length : null
}

function fieldCount(value: unknown): number | null {
  return isSchema(value) ? Object.keys(value).length : null
}

function repeatedItem(value: unknown, name: string): ReturnType<Rule> {
  if (!Array.isArray(value)) return null
  const seen = new Map<string, number>()
  for (const [index, item] of value.entries()) {
    const text = comparable(item)
    const earlier = seen.get(text)
    if (earlier !== undefined)
      return ['duplicate', `${name} holds the same item twice, at ${earlier} and ${index}.`]
    seen.set(text, index)
  }
  return null
}

function outOfRange(
  value: unknown,
  name: string,
  schema: Schema,
  fits: (sent: number) => boolean,
): ReturnType<Rule> {
  if (typeof value !== 'number' || fits(value)) return null
  return ['out_of_range', `${name} must be ${rangeOf(schema)}; ${shown(value)} was sent.`]
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return `between ${minimum} and ${maximum}`
  return typeof minimum === 'number' ? `at least ${minimum}` : `at most ${String(maximum)}`
}

/** Equal for equal JSON, whatever the order of names, and for any text: also for one that is no Unicode. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    isSchema(inner) ? Object.fromEntries(Object.entries(inner).toSorted(byName)) : inner,
  )
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function isEqual(wanted: unknown, value: unknown): boolean {
  return wanted === value || (typeof wanted === 'object' && comparable(wanted) === comparable(value))
}

const patterns = new Map<string, RegExp>()

/** Each is compiled once. */
export function patternOf(source: string): RegExp {
  let pattern = patterns.get(source)
  if (pattern === undefined) patterns.set(source, (pattern = new RegExp(source, 'u')))
  return pattern
}

function typesOf(type: unknown): unknown[] {
  return Array.isArray(type) ? type : [type]
}

function isOfKind(value: unknown, kind: unknown): boolean {
  switch (kind) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isSchema(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === kind
  }
}

const KINDS: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: '`true` or `false`',
  object: 'an object',
  array: 'a list',
  null: '`null`',
}

function kindOf(type: unknown): string {
  return typesOf(type)
    .map((kind) => KINDS[String(kind)] ?? String(kind))
    .join(' or ')
}

const FORMATS: Record<string, string> = {
  uuid: 'a lower-case UUID',
  'date-time':
    'an RFC 3339 date-time with `Z` or an offset, on a day that exists, in milliseconds at the finest (such as `2026-11-21T10:00:00+01:00`)',
  uri: 'an absolute URL',
  email: 'an email address',
}

function formatOf(format: unknown): string {
  return FORMATS[String(format)] ?? `in the format ${String(format)}`
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => shown(value)).join(', ') : shown(values)
}

const SHOWN_CHARACTERS = 80

/** A value as JSON, cut to a length that fits into a sentence. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isSchema(value)) return 'an object'
  const cut = typeof value === 'string' && value.length > SHOWN_CHARACTERS
  const json = JSON.stringify(cut ? value.slice(0, SHOWN_CHARACTERS) : value) ?? 'nothing'
  return `\`${cut || json.length > SHOWN_CHARACTERS ? `${json.slice(0, SHOWN_CHARACTERS - 3).toWellFormed()}…` : json}\``
}
