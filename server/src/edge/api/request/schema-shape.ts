/** A JSON Schema, read as plain data. */
export type Schema = { readonly [keyword: string]: unknown }

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy without `$id` at any level: the same component may stand in one schema many times. */
export function withoutIds(schema: unknown): Schema {
  const copy = mapSchema(schema, ({ $id: _, ...rest }) => rest)
  return isSchema(copy) ? copy : {}
}

/**
 * A copy fit for fast-json-stringify: "X or null" becomes a nullable X, since the serialiser would otherwise
 * validate the value against both branches for each field of each answer.
 */
export function forSerialising(schema: unknown): Schema {
  const copy = mapSchema(schema, ({ $id: _, anyOf, ...rest }) => {
    if (!Array.isArray(anyOf)) return anyOf === undefined ? rest : { ...rest, anyOf }
    const solid = anyOf.filter((branch) => !(isSchema(branch) && branch['type'] === 'null'))
    const [only] = solid
    if (solid.length !== 1 || anyOf.length !== 2 || !isSchema(only)) return { ...rest, anyOf }
    return { ...only, ...rest, nullable: true }
  })
  return isSchema(copy) ? copy : {}
}

/** Keywords whose value holds examples or other data, where nothing is a schema. */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples', 'required'])

function mapSchema(node: unknown, change: (schema: Schema) => Schema, isMap = false): unknown {
  if (Array.isArray(node)) return node.map((item) => mapSchema(item, change))
  if (!isSchema(node)) return node
  const mapped = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      !isMap && DATA.has(name) ? value : mapSchema(value, change, !isMap && MAPS.has(name)),
    ]),
  )
  return isMap ? mapped : change(mapped)
}

/** Keywords whose value is a map from names to schemas, so that a field called `default` is a field. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
