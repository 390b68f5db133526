import { isJsonObject, type JsonObject } from './openapi-components.ts'

const ID = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'

/** What fields of these names hold in examples, where their schemas do not say it. */
const told: JsonObject = {
  accountId: '@rider@social.example',
  author: 'Planner',
  code: 'text_too_long',
  contentTypes: ['image/jpeg', 'image/png'],
  controlToken: 'c29tZSBjb250cm9sIHRva2Vu',
  cursor: 'AnsicyI6IjQyIn0',
  description: '',
  detail: 'Words.',
  displayName: 'Rider News',
  editToken: 'c29tZSBlZGl0IHRva2Vu',
  email: 'ada@example.com',
  fix: 'Shorten it by 32 characters.',
  handle: '@rider',
  language: 'en',
  media: [],
  message: 'The text has 312 characters, and the channel allows 280.',
  name: 'Ada',
  nextCursor: 'AnsicyI6IjQyIn0',
  pointer: '/text',
  provider: 'sandbox-short',
  releaseUrl: 'https://social.example/@rider/17',
  reviewUrl: `https://postrider.example/review/${ID}`,
  secret: 'whsec_c29tZSBzZWNyZXQ',
  settings: {},
  status: 'scheduled',
  text: 'Hello',
  url: 'https://example.com/hook',
}

const numbers: Readonly<Record<string, number>> = {
  characters: 312,
  index: 0,
  partIndex: 0,
  maxAltCharacters: 2_000,
  maxBytes: 1_000_000,
  maxCharacters: 280,
  size: 48_211,
  status: 201,
}

/** What is false in most answers. */
const UNUSUAL: ReadonlySet<string> = new Set(['animated', 'draftsOnly', 'hasMore', 'ready'])

/** An answer that fits the schema: as short as it can be, with every field that is always there. */
export function sampleOf(schema: unknown, name = ''): unknown {
  if (!isJsonObject(schema)) return null
  const { examples, anyOf, type, enum: values } = schema
  if (Array.isArray(examples)) return examples[0] as unknown
  if ('const' in schema) return schema['const']
  if (Array.isArray(values)) return values.includes(told[name]) ? told[name] : (values[0] as unknown)
  if (Array.isArray(anyOf)) {
    const isNullable = anyOf.some((one) => isJsonObject(one) && one['type'] === 'null')
    return isNullable ? null : sampleOf(anyOf[0], name)
  }
  if (type === 'object') return sampleObject(schema)
  if (type === 'array') return told[name] ?? [sampleOf(schema['items'], name)]
  if (type === 'boolean') return !UNUSUAL.has(name)
  if (type === 'integer' || type === 'number')
    return numbers[name] ?? Math.max(Number(schema['minimum'] ?? 0), 1)
  return sampleText(schema, name)
}

function sampleObject({ properties, required }: JsonObject): JsonObject {
  if (!isJsonObject(properties)) return {}
  const always = Array.isArray(required) ? required : []
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => always.includes(name))
      .map(([name, one]) => [name, sampleOf(one, name)]),
  )
}

function sampleText({ format }: JsonObject, name: string): string {
  const known = told[name]
  if (typeof known === 'string') return known
  if (format === 'uuid') return ID
  if (format === 'date-time') return '2026-11-21T09:00:00.000Z'
  return format === 'uri' ? 'https://postrider.example/' : 'Words.'
}
