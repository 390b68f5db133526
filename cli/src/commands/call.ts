import { writeFile } from 'node:fs/promises'
import type { Asked, OperationId } from '@postrider/sdk'
import { type Context, isSet, textOf } from '../command.ts'
import { usageError } from '../exits.ts'
import { fieldsOf, operationIds, shapeOf, valueOf } from '../fields.ts'
import { callOptions, readBytes } from '../posting.ts'
import { nearest } from '@postrider/contract/plan'

/** `postrider call`: any operation, by what the contract says of it. */
export async function run(context: Context): Promise<void> {
  const [name, ...given] = context.args
  if (name === undefined) return listOperations(context)
  const id = operationOf(name)
  const asked = await askedOf(context, id, given)
  if (isSet(context.values, 'dry-run')) {
    const { file, ...rest } = asked
    context.answer(
      { operation: id, ...rest, ...(file === undefined ? {} : { fileBytes: file.size }) },
      JSON.stringify({ operation: id, ...rest }, null, 2),
    )
    return
  }
  const answered = await context.client().call(id, asked, callOptions(context))
  const output = textOf(context.values, 'output')
  if (answered instanceof ArrayBuffer) {
    if (output === undefined) process.stdout.write(new Uint8Array(answered))
    else await writeFile(output, new Uint8Array(answered))
    return
  }
  context.answer(answered, JSON.stringify(answered, null, 2))
}

function operationOf(name: string): OperationId {
  if (shapeOf(name) !== null) return name as OperationId
  const meant = nearest(name, operationIds)
  throw usageError(
    `There is no operation ${name}. ${meant === null ? '`postrider call` lists all.' : `Did you mean ${meant}?`}`,
  )
}

async function askedOf(
  { values }: Context,
  id: OperationId,
  given: readonly string[],
): Promise<Asked<OperationId>> {
  const fields = fieldsOf(id)
  const parts: Record<'path' | 'query' | 'body', Record<string, unknown>> = { path: {}, query: {}, body: {} }
  const body = textOf(values, 'body')
  if (body !== undefined)
    parts.body = valueOf({ in: 'body', type: 'json', says: '' }, '--body', body) as Record<string, unknown>
  for (const each of given) {
    const [, name = '', text = ''] = /^(\w+)=(.*)$/s.exec(each) ?? []
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) {
      throw usageError(
        `${id} takes ${Object.keys(fields).join(', ') || 'nothing'}, each as name=value, and not ${each}.`,
      )
    }
    if (parts[field.in][name] !== undefined) throw usageError(`${name} is given twice. Give it once.`)
    if (field.choices !== undefined && !field.choices.includes(text)) {
      throw usageError(`${name} is one of ${field.choices.join(', ')}, and not ${text}.`)
    }
    parts[field.in][name] = valueOf(field, name, text)
  }
  const missing = Object.entries(fields).filter(
    ([name, field]) => field.required && parts[field.in][name] === undefined,
  )
  if (missing.length > 0) throw usageError(`${id} needs ${missing.map(([name]) => name).join(', ')}.`)
  const file = textOf(values, 'file')
  return {
    params: parts.path,
    query: parts.query,
    body: parts.body,
    ...(file === undefined ? {} : { file: await readBytes(file) }),
  } as Asked<OperationId>
}

function listOperations({ answer }: Context): void {
  const rows = operationIds.map((id) => ({
    operation: id,
    says: shapeOf(id)?.says ?? '',
    fields: fieldsOf(id),
  }))
  answer(
    rows,
    rows
      .map(
        ({ operation, says, fields }) =>
          `${operation}: ${says}\n    ${Object.entries(fields)
            .map(([name, { required }]) => (required ? name : `[${name}]`))
            .join(' ')}`,
      )
      .join('\n'),
  )
}
