// The types of the SDK, printed from the contract: what each operation takes and answers, and how it is asked for.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ThreadPart } from '../contract/src/content.ts'
import {
  destinationStatusNames,
  eventTypeNames,
  isForAgents,
  type Operation,
  operations,
  permissionNames,
  postEventTypeNames,
  ProblemDocument,
  problemCodes,
} from '../contract/src/index.ts'
import { Id, Instant } from '../contract/src/schemas.ts'

type Schema = {
  readonly $id?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
}

/** What a request takes is wider than what an answer holds: a `Date` stands for an instant. */
type Side = 'request' | 'answer'

/** Lists of values that several types hold, by the names that they have as types. */
const valueLists: Readonly<Record<string, readonly unknown[]>> = {
  DestinationStatus: destinationStatusNames,
  EventType: eventTypeNames,
  PostEventType: postEventTypeNames,
  Permission: permissionNames,
  ProblemCode: problemCodes,
}

/** What every id and every instant says of itself stands once, at the head of the file. */
const SAID_ONCE = [Id, Instant].map((schema: Schema) => schema.description)

/** Fields that the client sends itself. */
const SENT_BY_CLIENT = ['confirmed', 'idempotencyKey']

/** The file `sdk/src/api.ts`, formatted as all others. Throws on a schema that it cannot express. */
export function sdkTypes(): string {
  const declared = new Map<string, string>()
  const asked = operations.filter(isForAgents).map((operation) => inputAndAnswer(operation, declared))
  printType(ProblemDocument, 'answer', declared)
  const text = [
    '// Printed from the contract by `npm run generate`. Not edited by hand. Ids are lower-case UUIDs; instants in answers are\n// ISO 8601 in UTC with milliseconds.',
    ...declared.values(),
    ...Object.entries(valueLists).map(([name, values]) => `export type ${name} = ${union(values)}`),
    `/** What each operation takes, and what it answers with. */`,
    `export type Operations = {${asked.map(({ id, types }) => `${id}: {${types}}`).join('\n')}}`,
    `/** How each operation is asked for. \`key\`: it takes an idempotency key. \`file\`: it is sent as a form. \`has\`: what its answer has, as a path. */`,
    `export const operations = {${asked.map(({ id, call }) => `${id}: ${JSON.stringify(call)}`).join(',\n')}} as const`,
  ].join('\n\n')
  return formatted(text, 'sdk/src/api.ts')
}

function inputAndAnswer(operation: Operation, declared: Map<string, string>) {
  const { id, at, params, query, body, file, answer, idempotency } = operation
  const [method = '', path = ''] = at.split(' ')
  const print = (schema: unknown, side: Side) => printType(schema as Schema, side, declared)
  const types = [
    `params: ${params === undefined ? 'undefined' : print(params, 'request')}`,
    `query: ${query === undefined ? 'undefined' : print(query, 'request')}`,
    `body: ${body === undefined ? 'undefined' : print(withoutSent(body), 'request')}`,
    `answer: ${answer.bytes === undefined ? print(answer.schema, 'answer') : 'ArrayBuffer'}`,
  ].join('\n')
  const call = {
    method,
    path,
    ...(idempotency === undefined || idempotency === 'none' ? {} : { key: true }),
    ...(file === undefined ? {} : { file: file.field }),
    ...(answer.bytes === undefined ? {} : { bytes: true }),
    ...(isConfirmed(body) ? { confirmed: true } : {}),
    ...(answer.bytes === undefined ? { has: markOf(answer.schema) } : {}),
  }
  return { id, types, call }
}

/**
 * The path of what every answer of a shape has, whatever the version of the server: the first member of it, or of each of its items.
 * Empty where there is nothing to tell it by.
 */
export function markOf(schema: Schema): string {
  if (schema.type === 'array') return `[]${markOf(schema.items ?? {})}`
  const choices = schema.anyOf ?? [schema]
  const first = choices[0]?.required?.find((name) =>
    choices.every(({ required }) => required?.includes(name)),
  )
  if (first === undefined) return ''
  const inner = choices[0]?.properties?.[first]
  return inner?.type === 'array' ? `.${first}${markOf(inner)}` : `.${first}`
}

function isConfirmed(body: Schema | undefined): boolean {
  return body?.properties?.['confirmed'] !== undefined
}

function withoutSent(body: Schema): Schema {
  const properties = Object.entries(body.properties ?? {}).filter(([name]) => !SENT_BY_CLIENT.includes(name))
  return { ...body, properties: Object.fromEntries(properties) }
}

/** The type of a schema; what has a name is declared once, beside. */
function printType(schema: Schema, side: Side, declared: Map<string, string>): string {
  const name = isDeepStrictEqual(schema, ThreadPart) ? 'ThreadPart' : schema.$id
  return name === undefined
    ? printShape(schema, side, declared)
    : printReference(name, schema, side, declared)
}

function printReference(name: string, schema: Schema, side: Side, declared: Map<string, string>): string {
  const printed = `${comment(schema.description)}export type ${name} = ${printShape(schema, side, declared)}`
  const known = declared.get(name)
  if (known !== undefined && known !== printed)
    throw new Error(`${name} differs between requests and answers.`)
  declared.set(name, printed)
  return name
}

function printShape(schema: Schema, side: Side, declared: Map<string, string>): string {
  const print = (inner: Schema) => printType(inner, side, declared)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return literals(schema.enum)
  if (schema.anyOf !== undefined) {
    // Beside any text, an editor would offer the words no more.
    const hasWords = schema.anyOf.some((inner) => inner.enum !== undefined)
    return schema.anyOf
      .map(print)
      .map((type) => (hasWords ? type.replace(/^string\b/, '(string & Record<never, never>)') : type))
      .join(' | ')
  }
  if (schema.properties !== undefined) return printObject(schema, print)
  if (schema.patternProperties !== undefined) {
    return `{ readonly [name: string]: ${Object.values(schema.patternProperties).map(print).join(' | ')} }`
  }
  if (schema.items !== undefined) return `readonly (${print(schema.items)})[]`
  if (schema.type === 'string') {
    return schema.format === 'date-time' && side === 'request' ? 'string | Date' : 'string'
  }
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'boolean' || schema.type === 'null') return schema.type
  if (schema.type === undefined) return 'unknown'
  throw new Error(`No type is known for ${JSON.stringify(schema)}`)
}

function printObject({ properties = {}, required = [] }: Schema, print: (inner: Schema) => string): string {
  const fields = Object.entries(properties).map(
    ([name, field]) =>
      `${comment(field.description)}readonly ${name}${required.includes(name) ? '' : '?'}: ${print(field)}`,
  )
  return `{${fields.join('\n')}}`
}

/** The union of these values; those that make up a list with a name are called by it. */
function literals(values: readonly unknown[]): string {
  const named = Object.entries(valueLists).find(([, list]) => list.every((value) => values.includes(value)))
  if (named === undefined) return union(values)
  const [name, list] = named
  const others = values.filter((value) => !list.includes(value))
  return others.length === 0 ? name : `${union(others)} | ${name}`
}

function union(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(' | ')
}

function comment(description: string | undefined): string {
  return description === undefined || SAID_ONCE.includes(description)
    ? ''
    : `/** ${description.replaceAll('*/', '* /')} */\n`
}

/** A text of TypeScript as the formatter writes it in the file of this path. */
export function formatted(text: string, path: string): string {
  const oxfmt = [join(import.meta.dirname, 'run-check.ts'), 'oxfmt', '--stdin-filepath', path]
  return execFileSync(process.execPath, oxfmt, {
    input: text,
    encoding: 'utf8',
    cwd: join(import.meta.dirname, '..'),
  })
}
