import { isSet, textOf, type Context } from '../command.ts'
import { CliError, exits, usageError } from '../exits.ts'
import { optionName, readWhole } from '../fields.ts'
import { type OperatorCommand, typedFields } from './operator-command.ts'
import { allOf, type Field } from './operations.ts'
import { askOperator, type OperatorRequest } from './ask-operator.ts'
import { answerText } from './answer-text.ts'

/** One command of the operator: its request as it was typed, and its answer. */
export async function runOperator(command: OperatorCommand, context: Context): Promise<void> {
  const { operation, columns, after, reads } = command
  if (textOf(context.values, 'server') !== undefined)
    throw usageError('This goes to the server of this machine: leave --server out.')
  const request = requestOf(command, context)
  if (operation.startsWith('update') && Object.keys(request.body).length === 0)
    throw usageError(`Say what changes: ${optionNames(typedFields(command)).join(', ')}.`)
  if (reads !== undefined && request.body['digest'] === undefined) {
    const { digest } = (await askOperator(context, reads, { path: request.path, query: {}, body: {} })) as {
      digest: string
    }
    request.body['digest'] = digest
  }
  const answer = await askOperator(context, operation, request)
  const below = after === undefined ? '' : `\n\n${filled(after, answer)}`
  context.answer(answer, answerText(answer, columns) + below)
}

/** What was typed, as the operation takes it. */
export function requestOf(command: OperatorCommand, context: Context): OperatorRequest {
  const { fixed = {}, reads } = command
  const request: OperatorRequest = { path: {}, query: {}, body: { ...fixed } }
  const typed = typedFields(command)
  for (const [index, [name]] of typed.filter(([, field]) => field.in === 'path').entries())
    request.path[name] = readId(name, context.args[index] ?? '')
  for (const [name, field] of typed) {
    const value = field.in === 'path' ? undefined : givenFor(name, field, context, reads !== undefined)
    if (value !== undefined) put(request, field, value)
  }
  return request
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function readId(name: string, text: string): string {
  const id = text.toLowerCase()
  if (ID.test(id)) return id
  throw usageError(
    `${name} must be an id such as 0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11, and "${text}" is not.`,
  )
}

/** What was typed for a field; undefined for nothing. */
function givenFor(name: string, field: Field, { values }: Context, isRead: boolean): unknown {
  const option = optionName(name)
  if (field.type === 'yes') {
    if (isSet(values, option)) return true
    // What a request has to say is not so where nothing was typed.
    return isSet(values, `no-${option}`) || field.required === true ? false : undefined
  }
  const text = textOf(values, option)
  if (text !== undefined) return valueOf(name, field, text)
  if (field.required !== true || isRead) return undefined
  if (allOf[name] !== undefined) return allOf[name]
  throw usageError(`--${option} is required.`)
}

function valueOf(name: string, { type, choices }: Field, text: string): unknown {
  const option = `--${optionName(name)}`
  if (type === 'whole') return readWhole(option, text)
  if (type === 'number') return readNumber(option, text)
  if (type === 'time') return readTime(option, text, Date.now())
  if (type === 'list') return readList(option, text, choices, allOf[name])
  if (type === 'json') return readJson(option, text)
  return text
}

function readNumber(option: string, text: string): number {
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text)) return Number(text)
  throw usageError(`${option} is a number such as 24 or 0.5, and not ${text}.`)
}

function readList(
  option: string,
  text: string,
  choices: readonly string[] | undefined,
  all: readonly string[] | undefined,
): readonly string[] {
  if (text === 'all' && all !== undefined) return all
  const words = [...new Set(text.split(',').map((each) => each.trim()))]
  const unknown = choices === undefined ? [] : words.filter((each) => !choices.includes(each))
  if (unknown.length > 0)
    throw usageError(`${option} does not know ${unknown.join(', ')}. Give some of ${choices?.join(', ')}.`)
  return words
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** An instant, so long from now on, or so long before now. */
function readTime(option: string, text: string, now: number): string {
  const [, sign, count, unit] = /^(\+?)(\d{1,5})([smhd])$/.exec(text) ?? []
  if (count !== undefined) {
    const ms = Number(count) * UNITS[unit as keyof typeof UNITS]
    return new Date(sign === '+' ? now + ms : now - ms).toISOString()
  }
  // The seconds may be left out: people type these.
  const instant = text.replace(/(T\d\d:\d\d)(?=Z|[+-])/i, '$1:00')
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/i.test(instant)) return instant
  throw usageError(
    `${option} does not understand "${text}". Give an instant such as 2027-01-01T09:00Z, +30d for 30 days from now on, or 12h for 12 hours before now.`,
  )
}

function readJson(option: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usageError(`${option} is written as JSON, and this is none: ${text}`)
  }
}

/** Puts a value where its field stands: what is beside it stays. */
function put(request: OperatorRequest, { in: place, at }: Field, value: unknown): void {
  let target: Record<string, unknown> = request[place]
  for (const name of at.slice(0, -1)) target = (target[name] ??= {}) as Record<string, unknown>
  const last = at.at(-1) ?? ''
  target[last] = isObject(value) && isObject(target[last]) ? { ...value, ...target[last] } : value
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function optionNames(typed: readonly [string, Field][]): string[] {
  return typed.filter(([, field]) => field.in !== 'path').map(([name]) => `--${optionName(name)}`)
}

function filled(text: string, answer: unknown): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = (answer as Record<string, unknown>)[name]
    if (typeof value !== 'string') throw new CliError(exits.failed, `The answer has no ${name}.`)
    return value
  })
}
