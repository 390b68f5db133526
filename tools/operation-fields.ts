// What each operation for agents takes, as the command line reads it: printed from the contract.
import { isForAgents, type Operation, operations } from '../contract/src/index.ts'
import { formatted } from './sdk-types.ts'

type Schema = {
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** What the client sends itself: that it is meant, and the key of a write that has one. */
function sentByClient({ idempotency }: Operation): readonly string[] {
  return idempotency === 'none' ? ['confirmed'] : ['confirmed', 'idempotencyKey']
}

/** The file `cli/src/operation-fields.ts`, formatted as all others. */
export function operationFields(): string {
  const rows = operations
    .filter(isForAgents)
    .map((operation) => `${operation.id}: ${JSON.stringify(shapeOf(operation))}`)
  const text = `// Printed from the contract by \`npm run generate\`. Not edited by hand.

/** One field of a request. \`json\`: it is written as JSON. */
export type Field = {
  readonly in: 'path' | 'query' | 'body'
  readonly type: 'text' | 'whole' | 'yes' | 'time' | 'json'
  readonly required?: true
  readonly choices?: readonly string[]
  readonly says: string
}

export type OperationShape = { readonly says: string; readonly fields: Readonly<Record<string, Field>>; readonly file?: true }

export const operationFields = {${rows.join(',\n')}} as const satisfies Record<string, OperationShape>
`
  return formatted(text, 'cli/src/operation-fields.ts')
}

function shapeOf(operation: Operation) {
  const { summary, params, query, body, file } = operation
  const fields = {
    ...fieldsOf(params, 'path'),
    ...fieldsOf(query, 'query'),
    ...fieldsOf(body, 'body', sentByClient(operation)),
  }
  return { says: summary, fields, ...(file === undefined ? {} : { file: true }) }
}

function fieldsOf(
  schema: Schema | undefined,
  place: 'path' | 'query' | 'body',
  except: readonly string[] = [],
) {
  const { properties = {}, required = [] } = schema ?? {}
  const named = Object.entries(properties).filter(([name]) => !except.includes(name))
  return Object.fromEntries(
    named.map(([name, field]) => [name, fieldOf(field, place, required.includes(name))]),
  )
}

function fieldOf(schema: Schema, place: 'path' | 'query' | 'body', isRequired: boolean) {
  const choices = schema.enum?.map(String)
  return {
    in: place,
    type: typeOf(schema),
    ...(isRequired ? { required: true } : {}),
    ...(choices === undefined ? {} : { choices }),
    says: (schema.description ?? '').split('\n')[0] ?? '',
  }
}

function typeOf(schema: Schema): 'text' | 'whole' | 'yes' | 'time' | 'json' {
  if (schema.enum !== undefined || schema.type === 'string')
    return schema.format === 'date-time' ? 'time' : 'text'
  if (schema.type === 'integer') return 'whole'
  if (schema.type === 'boolean') return 'yes'
  if (schema.anyOf?.some(({ format }) => format === 'date-time') === true) return 'time'
  return 'json'
}
