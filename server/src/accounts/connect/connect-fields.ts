import type { TSchema } from 'typebox'
import { Errors } from 'typebox/value'
import type { ConnectFields } from '../../networks/providers/port/port.ts'

/** What a person fills in, for a form on a page or on a terminal. */
export type FieldForm = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly required: boolean
  readonly secret: boolean
  readonly example: string
}

type FieldSchema = { title?: string; description?: string; format?: string; examples?: readonly string[] }
type FieldsSchema = { properties?: Record<string, FieldSchema>; required?: readonly string[] }

/** The fields of a way to connect, in their order. */
export function fieldsOf(schema: TSchema): FieldForm[] {
  const { properties = {}, required = [] } = schema as FieldsSchema
  return Object.entries(properties).map(([name, { title, description, format, examples }]) => ({
    name,
    title: title ?? name,
    description: description ?? '',
    required: required.includes(name),
    secret: format === 'password',
    example: examples?.[0] ?? '',
  }))
}

/** Reads what was filled in: only what the schema knows, without white space around it, and nothing for what was left empty. */
export function readFields(
  schema: TSchema,
  given: Readonly<Record<string, unknown>>,
): { fields: ConnectFields } | { field: string; detail: string } {
  const forms = fieldsOf(schema)
  const fields: Record<string, string> = {}
  for (const { name } of forms) {
    const value = given[name]
    const text = typeof value === 'string' ? value.trim() : ''
    if (text !== '') fields[name] = text
  }
  const [error] = Errors(schema, fields)
  if (error === undefined) return { fields }
  const missing = error.keyword === 'required' ? error.params.requiredProperties[0] : undefined
  const name = missing ?? error.instancePath.replace(/^\//, '')
  const title = forms.find((form) => form.name === name)?.title ?? name
  return {
    field: name,
    detail: missing === undefined ? `${title} ${error.message}.` : `${title} is required.`,
  }
}
