import type { OperationId } from '@postrider/sdk'
import { type Option, type Options, type Values, textOf } from './command.ts'
import { usageError } from './exits.ts'
import { type Field, operationFields, type OperationShape } from './operation-fields.ts'

const shapes: Readonly<Record<OperationId, OperationShape>> = operationFields

export function fieldsOf(id: OperationId): Readonly<Record<string, Field>> {
  return shapes[id].fields
}

export function shapeOf(id: string): OperationShape | null {
  return Object.hasOwn(shapes, id) ? shapes[id as OperationId] : null
}

export const operationIds = Object.keys(operationFields) as readonly OperationId[]

/** `updatedSince` as an option is called: `updated-since`. */
export function optionName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

const VALUES = { text: '<text>', whole: '<number>', time: '<time>', json: '<json>', yes: '' } as const

/** The options of a command from what its operation takes, but for some fields. */
export function optionsFrom(id: OperationId, except: readonly string[] = []): Options {
  const named = Object.entries(fieldsOf(id)).filter(
    ([name, field]) => field.in !== 'path' && !except.includes(name),
  )
  return Object.fromEntries(named.map(([name, field]) => [optionName(name), optionOf(field)]))
}

function optionOf({ type, choices, says }: Field): Option {
  const value =
    choices === undefined ? VALUES[type] : `<${choices.length > 4 ? 'status' : choices.join('|')}>`
  return { says, ...(value === '' ? {} : { value }), ...(choices === undefined ? {} : { choices }) }
}

/** What was given of these options, as the operation takes it. */
export function givenOf(
  id: OperationId,
  values: Values,
  except: readonly string[] = [],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fieldsOf(id)).flatMap(([name, field]) => {
      const value = values[optionName(name)]
      if (except.includes(name) || value === undefined) return []
      return [
        [
          name,
          valueOf(
            field,
            `--${optionName(name)}`,
            value === true ? 'true' : (textOf(values, optionName(name)) ?? ''),
          ),
        ],
      ]
    }),
  )
}

/** A value as it was typed, as its field has it. */
export function valueOf({ type }: Field, name: string, text: string): unknown {
  if (type === 'whole') return readWhole(name, text)
  if (type === 'yes') {
    if (text !== 'true' && text !== 'false') throw usageError(`${name} must be true or false, not ${text}.`)
    return text === 'true'
  }
  if (type === 'json') return readJson(name, text)
  return type === 'time' && text.startsWith('{') ? readJson(name, text) : text
}

export function readWhole(name: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw usageError(`${name} must be a whole number of at least 1, not ${text}.`)
  return Number(text)
}

export function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usageError(`${name} must be JSON, not ${text}`)
  }
}
