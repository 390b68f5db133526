import { readJsonText } from '../../edge/api/request/json-body.ts'
import { isSchema, type Schema } from '../../edge/api/request/schema-shape.ts'

/** How much text may still be read as JSON: as much as a body of a request. */
type Left = { characters: number }

const MOST_CHARACTERS = 1_048_576

/**
 * A value as a schema means it, where a client has changed its form on the way: JSON text becomes the list or the object that it is,
 * where one of these is wanted and no other text; null is left out where a field may be left out and is never null. All else stays as
 * it is, for the operation to judge.
 */
export function asMeant(
  schema: unknown,
  value: unknown,
  left: Left = { characters: MOST_CHARACTERS },
): unknown {
  const shapes = shapesOf(schema)
  const meant = typeof value === 'string' ? fromText(shapes, value, left) : value
  if (Array.isArray(meant)) {
    const items = shapes.find(({ items }) => items !== undefined)?.['items']
    return items === undefined ? meant : meant.map((item: unknown) => asMeant(items, item, left))
  }
  return isSchema(meant) ? fieldsAsMeant(shapes, meant, left) : meant
}

function fieldsAsMeant(shapes: readonly Schema[], value: Schema, left: Left): Schema {
  const objects = shapes.filter(({ properties }) => isSchema(properties))
  // Not by assignments: a field may be called `__proto__`.
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]): [string, unknown][] => {
      const fields = objects.flatMap(({ properties, required }) => {
        const field = Object.entries(properties as Schema).find(([known]) => known === name)?.[1]
        return field === undefined
          ? []
          : [{ field, isRequired: Array.isArray(required) && required.includes(name) }]
      })
      if (fields.length === 0) return [[name, one]]
      const field = { anyOf: fields.map((each) => each.field) }
      const isLeftOut =
        one === null && !fields.some(({ isRequired }) => isRequired) && !takes(shapesOf(field), 'null')
      return isLeftOut ? [] : [[name, asMeant(field, one, left)]]
    }),
  )
}

function fromText(shapes: readonly Schema[], text: string, left: Left): unknown {
  const wanted = ['array', 'object'].filter((type) => takes(shapes, type))
  // A time is the one text that may stand for an object, and none of them is JSON.
  const isFree = shapes.some((shape) => takes([shape], 'string') && shape['format'] !== 'date-time')
  if (wanted.length === 0 || isFree || text.length > left.characters) return text
  left.characters -= text.length
  const value = readJsonText(text)
  return wanted.includes(Array.isArray(value) ? 'array' : isSchema(value) ? 'object' : '') ? value : text
}

/** A schema as the alternatives that it consists of. */
function shapesOf(schema: unknown): Schema[] {
  if (!isSchema(schema)) return []
  const { anyOf } = schema
  return Array.isArray(anyOf) ? anyOf.flatMap(shapesOf) : [schema]
}

/** One without a type takes anything; of an enumeration, texts are all that is known. */
function takes(shapes: readonly Schema[], type: string): boolean {
  return shapes.some((shape) => {
    const own = shape['type'] ?? ('enum' in shape || 'const' in shape ? 'string' : undefined)
    return own === undefined || own === type
  })
}
