// What each operation of the operator takes, as the command line reads it: printed from the contract.
import { app, eventTypeNames, type Operation, presetPermissions } from '../contract/src/index.ts'
import { formatted, markOf } from './sdk-types.ts'

type Schema = {
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
}

type Place = 'path' | 'query' | 'body'
type Printed = { readonly at: readonly string[] } & Record<string, unknown>

/** The file `cli/src/operator/operations.ts`, formatted as all others. */
export function operatorOperations(): string {
  // What agents do, too, has the commands of everybody.
  const shared = new Set(app.sharedOperations.map(({ id }) => id))
  const own = app.operatorOperations.filter(({ id }) => !shared.has(id))
  const rows = own.map((operation) => `${operation.id}: ${JSON.stringify(shapeOf(operation))}`)
  const all = { permissions: presetPermissions, eventTypes: eventTypeNames }
  const text = `// Printed from the contract by \`npm run generate\`. Not edited by hand.

/** One field of a request. \`list\`: texts with commas between them. \`json\`: it is written as JSON. */
export type Field = {
  readonly in: 'path' | 'query' | 'body'
  /** Where it stands there. */
  readonly at: readonly string[]
  readonly type: 'text' | 'whole' | 'number' | 'yes' | 'time' | 'list' | 'json'
  readonly required?: true
  readonly choices?: readonly string[]
  readonly says: string
}

export type Shape = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** What its answer has, as a path. */
  readonly has: string
  readonly says: string
  /** Further sentences. */
  readonly more: string
  readonly fields: Readonly<Record<string, Field>>
}

export const operations = {${rows.join(',\n')}} as const satisfies Record<string, Shape>

/** What \`all\` means in a list, which leaves out what is given by name only. */
export const allOf: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(all)}
`
  return formatted(text, 'cli/src/operator/operations.ts')
}

function shapeOf({ at, summary, description, params, query, body, answer }: Operation) {
  const [method, path] = at.split(' ')
  const fields = [
    ...fieldsOf(params, 'path', []),
    ...fieldsOf(query, 'query', []),
    ...fieldsOf(body, 'body', []),
  ].filter(({ at: [name] }) => name !== 'workspaceId')
  const named = fields.map((field): [string, Printed] => [nameOf(field.at), field])
  const has = markOf(answer.schema)
  return { method, path, has, says: summary, more: description, fields: Object.fromEntries(named) }
}

/** What stands in an object is a field of its own, too. */
function fieldsOf(schema: Schema | undefined, place: Place, above: readonly string[]): Printed[] {
  const { properties = {}, required = [] } = schema ?? {}
  return Object.entries(properties).flatMap(([name, given]) => {
    const inner = notNull(given)
    const at = [...above, name]
    const own = fieldOf(inner, place, at, required.includes(name))
    if (inner.properties === undefined) return [own]
    // What an object has to have is needed only where the object is.
    const within = fieldsOf(inner, place, at).map(({ required: isNeeded, ...field }) =>
      isNeeded === true && own.required === true ? { ...field, required: isNeeded } : field,
    )
    return name === LIMITS ? within : [own, ...within]
  })
}

/** A word that says nothing beside the names of what is in it. */
const LIMITS = 'limits'

/** `approval` and `all` as `approvalAll`. */
function nameOf(at: readonly string[]): string {
  const [first = '', ...more] = at.filter((name) => name !== LIMITS)
  return first + more.map((name) => name.charAt(0).toUpperCase() + name.slice(1)).join('')
}

function fieldOf(schema: Schema, place: Place, at: readonly string[], isRequired: boolean): Printed {
  const choices = (schema.items ?? schema).enum?.map(String)
  const type = typeOf(schema)
  return {
    in: place,
    at,
    type,
    ...(isRequired ? { required: true } : {}),
    ...(choices === undefined || type === 'yes' ? {} : { choices }),
    says: type === 'time' ? '' : (schema.description ?? '').split('\n')[0],
  }
}

/** A schema without the null that it may be, too. */
function notNull(schema: Schema): Schema {
  const [only, ...more] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  if (only === undefined || more.length > 0) return schema
  return schema.description === undefined ? only : { ...only, description: schema.description }
}

function typeOf({ type, format, enum: choices, anyOf, items }: Schema): string {
  if (type === 'boolean' || String(choices) === 'true,false') return 'yes'
  if (format === 'date-time' || anyOf?.some((one) => one.format === 'date-time') === true) return 'time'
  if (type === 'array') return items?.properties === undefined ? 'list' : 'json'
  if (type === 'integer') return 'whole'
  if (type === 'number') return 'number'
  return choices !== undefined || type === 'string' ? 'text' : 'json'
}
