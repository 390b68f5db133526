export type JsonObject = { [name: string]: unknown }

export type Components = {
  /** The schema with each part that has an `$id` replaced by a reference to a component of that name. */
  refer: (schema: unknown) => unknown
  /** Everything referred to so far, by name. */
  schemas: () => JsonObject
}

/** Keywords that hold data, in which nothing is a schema. */
const DATA = ['const', 'default', 'enum', 'example', 'examples', 'required']
/** Keywords that say something to people, and refuse nothing. */
const SAID = ['description', 'examples']
/** Keywords that different things have in common. */
const PLAIN = [...SAID, 'type', 'minLength', 'maxLength']
/** Keywords that hold schemas by name. */
const MAPS = ['properties', 'patternProperties', '$defs', 'dependentSchemas']

/**
 * Throws when two different schemas share an `$id`. Those of `named` are components, too, wherever they are repeated; a repetition
 * that says something else of itself, in `description`, says so beside the reference, unless another of `named` says just that.
 * Single examples are left out: requests and answers show whole ones.
 */
export function componentCollector(named: Readonly<Record<string, unknown>> = {}): Components {
  const found = new Map<string, { source: string; schema: unknown }>()
  const all = Object.entries(named).map(([name, schema]) => ({ name, schema }))
  const names = new Map([
    // That it is a text of some length is no likeness.
    ...all
      .flatMap((one) =>
        Object.keys(one.schema as object).some((word) => !PLAIN.includes(word))
          ? [[coreOf(one.schema), one] as const]
          : [],
      )
      .toReversed(),
    ...all.map((one) => [JSON.stringify(one.schema), one] as const),
  ])

  function refer(node: unknown): unknown {
    if (!isJsonObject(node)) return copy(node)
    const known = names.get(JSON.stringify(node)) ?? names.get(coreOf(node))
    if (known !== undefined && node['$id'] === undefined) return referNamed(node, known)
    return referById(node)
  }

  function referNamed(node: JsonObject, { name, schema }: { name: string; schema: unknown }): unknown {
    const own = node['description']
    const reference = referById({ ...(schema as JsonObject), $id: name }) as JsonObject
    return own === undefined || own === (schema as JsonObject)['description']
      ? reference
      : { ...reference, description: own }
  }

  function referById(node: JsonObject): unknown {
    const { $id: name, ...schema } = node
    if (typeof name !== 'string') return copy(node)
    const source = JSON.stringify(schema)
    const known = found.get(name)
    if (known !== undefined && known.source !== source) {
      throw new Error(`Two different schemas are called ${name}.`)
    }
    if (known === undefined) {
      const entry: { source: string; schema: unknown } = { source, schema: null }
      found.set(name, entry)
      entry.schema = copy(schema)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function copy(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(refer)
    if (!isJsonObject(node)) return node
    const kept = Object.entries(node).filter(([keyword]) => keyword !== 'examples')
    const entries = kept.map(([keyword, value]): [string, unknown] => {
      if (DATA.includes(keyword)) return [keyword, value]
      if (!MAPS.includes(keyword) || !isJsonObject(value)) return [keyword, refer(value)]
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, refer(schema)])),
      ]
    })
    return typedEnum(exclusive(orNull(Object.fromEntries(entries))))
  }

  return {
    refer,
    schemas: () =>
      Object.fromEntries(
        [...found].toSorted(([a], [b]) => a.localeCompare(b)).map(([name, { schema }]) => [name, schema]),
      ),
  }
}

/** A plain value that may be null says so in its type. */
function orNull({ anyOf, ...schema }: JsonObject): JsonObject {
  const [one, other, ...more] = Array.isArray(anyOf) ? (anyOf as unknown[]) : []
  const isPlain =
    isJsonObject(one) && ['string', 'integer', 'number', 'boolean', 'array'].includes(String(one['type']))
  const isOrNull = isPlain && isJsonObject(other) && other['type'] === 'null' && more.length === 0
  if (!isOrNull) return anyOf === undefined ? schema : { ...schema, anyOf }
  const values = Array.isArray(one['enum']) ? { enum: [...(one['enum'] as unknown[]), null] } : {}
  return { ...one, ...values, type: [one['type'], 'null'], ...schema }
}

/** Objects of different kinds exclude each other, and so does null. */
function exclusive({ anyOf, ...schema }: JsonObject): JsonObject {
  if (!Array.isArray(anyOf)) return anyOf === undefined ? schema : { ...schema, anyOf }
  const isObject = (one: unknown) => isJsonObject(one) && typeof one['$ref'] === 'string'
  return { ...schema, [anyOf.length > 1 && anyOf.every(isObject) ? 'oneOf' : 'anyOf']: anyOf }
}

/** A schema without what it says of itself. */
function coreOf(schema: unknown): string {
  return JSON.stringify(schema, (key, value: unknown) => (SAID.includes(key) ? undefined : value))
}

/** Generators of clients want the type of an enum spelt out. */
function typedEnum(schema: JsonObject): JsonObject {
  const values = schema['enum']
  const isText = Array.isArray(values) && values.every((value) => typeof value === 'string')
  return isText && schema['type'] === undefined ? { type: 'string', ...schema } : schema
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The same schemas, but that those of answers do not say that there are no further fields: a later release may add some. What
 * `requests` refer to stays closed.
 */
export function openAnswers(schemas: JsonObject, requests: unknown): JsonObject {
  const closed = new Set<string>()
  const visit = (node: unknown): void => {
    for (const [, name = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (closed.has(name)) continue
      closed.add(name)
      visit(schemas[name])
    }
  }
  visit(requests)
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, closed.has(name) ? schema : open(schema)]),
  )
}

/** The same schema without saying that there are no further fields. */
export function open(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(open)
  if (!isJsonObject(node)) return node
  return Object.fromEntries(
    Object.entries(node)
      .filter(([keyword, value]) => keyword !== 'additionalProperties' || value !== false)
      .map(([keyword, value]) => [keyword, DATA.includes(keyword) ? value : open(value)]),
  )
}

/** The headers of answers, by name. Those of every answer stand in the introduction. */
export const answerHeaders: Record<string, JsonObject> = {
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description:
      'Where the accepted credentials are described (RFC 9728), and what is wrong with the one sent.',
    schema: { type: 'string' },
  },
}

/** References to these headers. */
export function headers(...names: string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
