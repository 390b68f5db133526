import { isSchema, type Schema } from '../../edge/api/request/schema-shape.ts'

/** JSON Schemas of tools are read by models, who pay for each word: only what helps them to fill in the arguments is kept. */
const KEPT = new Set([
  'type',
  'enum',
  'const',
  'items',
  'anyOf',
  'properties',
  'required',
  'format',
  'default',
])
/** Formats of which the names of fields say enough; some clients refuse tools with one that they do not know. */
const PLAIN = new Set(['uuid', 'line'])

/**
 * A schema of the contract without its prose, its examples and its limits: the server checks all of them, and says in
 * a sentence which was broken.
 */
export function briefSchema(schema: unknown): Schema {
  if (!isSchema(schema)) return {}
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (!KEPT.has(keyword) || (keyword === 'format' && PLAIN.has(String(value)))) return []
    return [[keyword, briefValue(keyword, value)]]
  })
  const brief: Schema = Object.fromEntries(entries)
  return constAsEnum(typeOfEnum(brief))
}

function briefValue(keyword: string, value: unknown): unknown {
  if (keyword === 'items') return briefSchema(value)
  if (keyword === 'anyOf' && Array.isArray(value)) return value.map(briefSchema)
  if (keyword === 'properties' && isSchema(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, briefSchema(one)]))
  return value
}

/** Some clients want a type beside each enumeration. */
function typeOfEnum(schema: Schema): Schema {
  return Array.isArray(schema['enum']) && schema['type'] === undefined
    ? { type: 'string', ...schema }
    : schema
}

function constAsEnum({ const: only, ...rest }: Schema): Schema {
  return only === undefined ? rest : { ...rest, enum: [only] }
}

/** The schema of a field with a sentence for the model. */
export function described(schema: unknown, description: string): Schema {
  return { ...briefSchema(schema), description }
}

/** An object of named arguments. A name that it does not have is refused. */
export function argumentsOf(properties: Record<string, Schema>, required: readonly string[]): Schema {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

/** What an answer holds at its top: enough to find one's way, since the answer itself comes with every call. */
export function outlineOf(schema: unknown): Schema {
  const properties = isSchema(schema) && isSchema(schema['properties']) ? schema['properties'] : {}
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, typeOnly(one)])),
  }
}

/** What may be of several types, as what is null at times, has none here: some clients refuse a list of types. */
function typeOnly(schema: unknown): Schema {
  if (!isSchema(schema) || Array.isArray(schema['anyOf'])) return {}
  const { type = 'string' } = schema
  return type === 'array' ? { type, items: {} } : { type }
}
