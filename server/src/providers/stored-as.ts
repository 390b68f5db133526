import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'

/** Reads what an adapter had stored; throws where it has another shape. `what` names it in the fault. */
export function storedAs<Schema extends TSchema>(
  schema: Schema,
  what: string,
): (stored: unknown) => Static<Schema> {
  return (stored) => {
    if (Check(schema, stored)) return stored
    throw new Error(`${what} does not have the shape that it was stored with.`)
  }
}
