import type { ErrorObject } from 'ajv'
import { escapePointer, unescapePointer } from '../platform/json-pointer.ts'
import { isSchema, type Schema } from './schema-shape.ts'

/** One broken rule: where, which kind, and what to do about it. */
export type Violation = { pointer: string; code: string; detail: string }

/** How a violation of a body, or of a query, says where it is. */
export type Pointing = 'body' | 'query'

/** Puts Ajv's errors (all of them, verbose) into words for the person or agent who wrote the request. */
export function describeErrors(errors: readonly ErrorObject[], pointing: Pointing): Violation[] {
  return bestBranches(errors).map((error) => describe(error, pointing))
}

/**
 * A value that fits none of several shapes breaks rules of each. Only those of the shape that it comes closest
 * to are worth reading; where a shape has none of its own errors left, the choice itself is reported.
 */
function bestBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  let left = [...errors]
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  for (const choice of choices.toSorted((a, b) => b.schemaPath.length - a.schemaPath.length)) {
    const under = `${choice.schemaPath}/`
    const inside = left.filter(
      (error) => error.schemaPath.startsWith(under) && error.instancePath.startsWith(choice.instancePath),
    )
    const branches = Map.groupBy(inside, ({ schemaPath }) => schemaPath.slice(under.length).split('/')[0])
    const closest = [...branches.values()].toSorted((a, b) => distance(a, choice) - distance(b, choice))[0]
    if (closest === undefined) continue
    left = left.filter((error) => error !== choice && (!inside.includes(error) || closest.includes(error)))
  }
  return left
}

function distance(branch: readonly ErrorObject[], { instancePath }: ErrorObject): number {
  const wrongKind = branch.some((error) => error.keyword === 'type' && error.instancePath === instancePath)
  return branch.length + (wrongKind ? 1_000 : 0)
}

function describe(error: ErrorObject, pointing: Pointing): Violation {
  const { keyword, params, instancePath, data } = error
  const schema: Schema = isSchema(error.parentSchema) ? error.parentSchema : {}
  const name = nameOf(instancePath, pointing)
  const limit = String(params['limit'])
  const say = (code: string, detail: string, path = instancePath): Violation => ({
    pointer: (pointing === 'query' ? `?${unescapePointer(path.slice(1))}` : path).toWellFormed(),
    code,
    detail: detail.toWellFormed(),
  })

  switch (keyword) {
    case 'required': {
      const missing = String(params['missingProperty'])
      const path = `${instancePath}/${escapePointer(missing)}`
      return say('required', `${nameOf(path, pointing)} is missing.`, path)
    }
    case 'additionalProperties': {
      const unknown = String(params['additionalProperty'])
      const path = `${instancePath}/${escapePointer(unknown)}`
      return say('unknown_field', unknownField(nameOf(path, pointing), unknown, schema, pointing), path)
    }
    case 'type':
      return say('wrong_type', `${name} must be ${kindOf(params['type'])}; ${shown(data)} was sent.`)
    case 'const':
      return say('not_allowed', `${name} must be ${shown(params['allowedValue'])}; ${shown(data)} was sent.`)
    case 'enum':
      return say(
        'not_allowed',
        `${name} must be one of ${listed(params['allowedValues'])}; ${shown(data)} was sent.`,
      )
    case 'format':
      return say('malformed', `${name} must be ${formatOf(params['format'])}; ${shown(data)} was sent.`)
    case 'pattern':
      return say('malformed', `${name} must match \`${String(params['pattern'])}\`; ${shown(data)} was sent.`)
    case 'minLength':
      return say(
        'too_short',
        `${name} must have at least ${limit} character${plural(limit)}; ${lengthOf(data)} were sent.`,
      )
    case 'maxLength':
      return say(
        'too_long',
        `${name} must have at most ${limit} character${plural(limit)}; ${lengthOf(data)} were sent.`,
      )
    case 'minItems':
      return say(
        'too_few',
        `${name} must have at least ${limit} item${plural(limit)}; ${lengthOf(data)} were sent.`,
      )
    case 'maxItems':
      return say(
        'too_many',
        `${name} must have at most ${limit} item${plural(limit)}; ${lengthOf(data)} were sent.`,
      )
    case 'uniqueItems':
      return say(
        'duplicate',
        `${name} holds the same item twice, at ${String(params['j'])} and ${String(params['i'])}.`,
      )
    case 'minimum':
    case 'maximum':
      return say('out_of_range', `${name} must be ${rangeOf(schema)}; ${shown(data)} was sent.`)
    default:
      return say('not_allowed', `${name} ${error.message ?? 'is not allowed'}; ${shown(data)} was sent.`)
  }
}

/** A field as people call it: its path in dots and brackets. */
function nameOf(path: string, pointing: Pointing): string {
  if (path === '') return pointing === 'query' ? 'The query' : 'The body'
  const steps = path.slice(1).split('/').map(unescapePointer)
  const dotted = steps
    .map((step, index) => (/^\d+$/.test(step) ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('')
  return `\`${dotted.slice(0, 200)}\``
}

function unknownField(name: string, unknown: string, schema: Schema, pointing: Pointing): string {
  const known = isSchema(schema['properties']) ? Object.keys(schema['properties']) : []
  const kind = pointing === 'query' ? 'parameter' : 'field'
  if (known.length === 0) return `${name} is not known here: no ${kind}s are allowed.`
  const near = known.find((candidate) => isNear(candidate.toLowerCase(), unknown.toLowerCase()))
  const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`
  return `${name} is not known here.${hint} Allowed: ${known.map((field) => `\`${field}\``).join(', ')}.`
}

/** Whether two names differ by case, one letter, or two neighbours that changed places. */
function isNear(a: string, b: string): boolean {
  if (a === b) return true
  if (Math.abs(a.length - b.length) > 1 || a.length < 3) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  return (
    (restA.length <= 1 && restB.length <= 1) ||
    (restA.length === 2 && restA[1] === restB[0] && restA[0] === restB[1])
  )
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
  const types = Array.isArray(type) ? type : [type]
  return types.map((kind) => KINDS[String(kind)] ?? String(kind)).join(' or ')
}

const FORMATS: Record<string, string> = {
  uuid: 'a lower-case UUID',
  'date-time':
    'an RFC 3339 date-time with `Z` or an offset, on a day that exists, in milliseconds at the finest (such as `2026-11-21T10:00:00+01:00`)',
  uri: 'an absolute URL',
  email: 'an e-mail address',
}

function formatOf(format: unknown): string {
  return FORMATS[String(format)] ?? `in the format ${String(format)}`
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return `between ${minimum} and ${maximum}`
  return typeof minimum === 'number' ? `at least ${minimum}` : `at most ${String(maximum)}`
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => shown(value)).join(', ') : shown(values)
}

/** A value as JSON, cut to a length that fits into a sentence. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isSchema(value)) return 'an object'
  const json = JSON.stringify(value) ?? 'nothing'
  return `\`${json.length > 80 ? `${json.slice(0, 77).toWellFormed()}…` : json}\``
}

function lengthOf(value: unknown): string {
  if (typeof value === 'string') return String(Array.from(value).length)
  return Array.isArray(value) ? String(value.length) : '0'
}

function plural(limit: string): string {
  return limit === '1' ? '' : 's'
}
