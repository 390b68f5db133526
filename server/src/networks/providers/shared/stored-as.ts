import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'

/**
 * Reads what an adapter had stored; throws where it has another shape. `what` names it in the fault. Each object is checked
 * once, however often it is read: nothing changes it.
 */
export function storedAs<Schema extends TSchema>(
  schema: Schema,
  what: string,
): (stored: unknown) => Static<Schema> {
  const checked = new WeakSet<object>()
  return (stored) => {
    if (typeof stored === 'object' && stored !== null && checked.has(stored)) return stored as Static<Schema>
    if (Check(schema, stored)) {
      if (typeof stored === 'object' && stored !== null) checked.add(stored)
      return stored
    }
    throw new Error(`${what} does not have the shape that it was stored with.`)
  }
}
