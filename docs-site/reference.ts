import {
  isForAgents,
  type Operation,
  operations,
  type ProblemCode,
  problemCodes,
  problems,
} from '@postrider/contract'

/* The pages that are made of the contract. */

type Schema = {
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly $id?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** Every operation of the Agent API: what it is for, what it takes, who may, and what it can answer. */
export function referencePage(): string {
  const forAgents = operations.filter(isForAgents)
  const tags = [...new Set(forAgents.map(({ tag }) => tag))]
  return [
    '# API reference',
    'Every operation of the Agent API, made from the same contract as the server. A running server has it with every field, to be tried out, at [/openapi](/openapi), and as an OpenAPI document at `/openapi.json`. Requests carry `Authorization: Bearer <agent key or access token>`.',
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      ...forAgents.filter((operation) => operation.tag === tag).map(operationText),
    ]),
  ].join('\n\n')
}

function operationText(operation: Operation): string {
  const {
    at,
    summary,
    description,
    permission,
    body,
    query,
    problems: own,
  } = operation as Operation & {
    readonly body?: Schema
    readonly query?: Schema
    readonly permission?: string
  }
  const links = own.map((code) => `[\`${code}\`](/problems/${code})`).join(', ')
  return [
    `### ${summary}`,
    `\`${at}\`${permission === undefined ? '' : ` · permission \`${permission}\``} · \`${operation.id}\``,
    description,
    ...fieldsOf('Query', query),
    ...fieldsOf('Body', body),
    ...(links === '' ? [] : [`Problems besides those that every request can meet: ${links}.`]),
  ].join('\n\n')
}

function fieldsOf(heading: string, schema: Schema | undefined): string[] {
  const fields = Object.entries(schema?.properties ?? {})
  if (fields.length === 0) return []
  const rows = fields.map(([name, field]) => {
    const isRequired = schema?.required?.includes(name) === true ? ' (required)' : ''
    const text = (field.description ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ')
    return `| \`${name}\`${isRequired} | ${typeOf(field)} | ${text} |`
  })
  return [`| ${heading} | Type | Meaning |\n| --- | --- | --- |\n${rows.join('\n')}`]
}

function typeOf({ type, enum: values, anyOf, items, format, $id }: Schema): string {
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(' ')
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ')
  if (type === 'array') return `list of ${items === undefined ? 'values' : typeOf(items)}`
  return format ?? $id ?? type ?? 'any'
}

/** All problems, with a link to the page of each. */
export function problemsPage(): string {
  const rows = problemCodes.map((code: ProblemCode) => {
    const { status, title, ...facts } = problems[code]
    const statuses = [status, ...('also' in facts ? facts.also : [])].join(', ')
    return `| [\`${code}\`](/problems/${code}) | ${statuses} | ${title} |`
  })
  return `# Problems\n\nEvery error of the API is a problem in the sense of RFC 9457. Its \`code\` is one of these names and never changes. A running server has these pages at \`/problems\`, too: the \`type\` of an error leads there.\n\n| Code | HTTP status | What happened |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}
