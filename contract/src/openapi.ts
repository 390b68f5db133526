import Type from 'typebox'
import { type Operation, problemsOf } from './operation.ts'
import { PostIssue } from './post-checks.ts'
import { type ProblemCode, problems } from './problems.ts'
import { Problem } from './schemas.ts'

type Json = { [name: string]: unknown }

export type OpenApiOptions = {
  /** The address of the installation, without a slash at its end. */
  baseUrl: string
  version: string
  operations: readonly Operation[]
}

/**
 * The OpenAPI 3.1 description of these operations: every parameter, answer and problem as the server checks and
 * sends them. Depends on nothing but its arguments. Throws when two different schemas share an `$id`.
 */
export function openApiDocument({ baseUrl, version, operations }: OpenApiOptions): Json {
  const components = componentCollector()
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const [method = '', path = ''] = operation.at.split(' ')
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: describeOperation(operation, baseUrl, components),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postrider Agent API',
      version,
      description: INTRODUCTION.replaceAll('{base_url}', baseUrl),
      contact: { name: 'Postrider', url: baseUrl },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: 'This installation.' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({
      name,
      description: TAGS[name] ?? `${name}.`,
    })),
    security: [{ agentKey: [] }],
    paths,
    components: {
      securitySchemes: {
        agentKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'pr_…',
          description: 'An agent key of a workspace, sent as `Authorization: Bearer pr_…`.',
        },
      },
      headers: HEADERS,
      schemas: components.schemas(),
    },
  }
}

const INTRODUCTION = `Publishes posts to social networks on behalf of a workspace: never twice, never lost, never a guess.

- Every request carries an agent key: \`Authorization: Bearer pr_…\`. It acts in the key's workspace.
- Times are ISO 8601. In requests any offset will do, but there must be one; answers are in UTC.
- Fields and parameters that an operation does not know are refused.
- Every error is a problem (RFC 9457) with a stable \`code\`. [Each code has a page]({base_url}/problems) that says what to do.
- A write names its effect with an idempotency key. Repeating it unchanged answers with the first result and \`Idempotent-Replayed: true\`.
- A destination in the status \`checking\` is neither failed nor published: do not publish it again.`

const TAGS: Partial<Record<string, string>> = {
  Identity: 'Who is asking, where, and with what rights.',
  Channels: 'The connected accounts of the workspace.',
  Calendar: 'What is published when.',
  Posts: 'Posts, their destinations, and the check that a plan must pass.',
  Media: 'Images, videos, audio and documents that posts can carry.',
  AI: 'Drafts and images made by a model.',
}

const HEADERS: Record<string, Json> = {
  'X-Request-Id': {
    description: 'The name of this request in the log; a problem repeats it as `requestId`.',
    schema: { type: 'string', format: 'uuid' },
  },
  'RateLimit-Policy': {
    description: 'The limit: `q` requests per `w` seconds and credential, in each API process.',
    schema: { type: 'string', examples: ['"default";q=600;w=60'] },
  },
  RateLimit: {
    description: 'What is left: `r` requests, whole again in `t` seconds.',
    schema: { type: 'string', examples: ['"default";r=594;t=41'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 0 },
  },
  Location: {
    description: 'The path of what was created.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the answer of an earlier request with the same idempotency key.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': {
    description:
      'Where the description of the credentials is (RFC 9728), and what was wrong with the one sent.',
    schema: { type: 'string' },
  },
}

function headers(...names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function describeOperation(operation: Operation, baseUrl: string, components: Components): Json {
  const { params, query, body, example, answer, permission } = operation
  const parameters = [
    ...parametersOf('path', params, components),
    ...parametersOf('query', query, components),
    ...(operation.idempotency?.endsWith('header') === true
      ? [{ ...IDEMPOTENCY_HEADER, required: operation.idempotency === 'header' }]
      : []),
    ...(answer.bytes === undefined ? [] : BYTES_HEADERS),
  ]
  const needs =
    permission === null ? 'Any valid credential will do.' : `Needs the permission \`${permission}\`.`
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${needs}`,
    'x-permission': permission,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(operation, components.refer(body), example) }),
    responses: {
      [answer.status]: {
        description: answer.description,
        headers: headers(
          'X-Request-Id',
          'RateLimit-Policy',
          'RateLimit',
          ...(answer.status === 201 ? ['Location'] : []),
          ...(operation.idempotency === undefined ? [] : ['Idempotent-Replayed']),
        ),
        content: answerContent(answer, components),
      },
      ...(answer.bytes === undefined ? {} : bytesResponses(answer, components)),
      ...problemResponses(operation, baseUrl, components),
    },
  }
}

const IDEMPOTENCY_HEADER: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Your own key for this one effect: 1 to 255 visible ASCII characters, bare or as a quoted string. Send it again only with an unchanged request.',
  schema: { type: 'string', minLength: 1, maxLength: 600 },
  example: 'cancel-launch-2026-11-21',
}

const BYTES_HEADERS: readonly Json[] = [
  {
    name: 'Range',
    in: 'header',
    required: false,
    description: 'One range of bytes (RFC 9110). Others are ignored, and the whole is sent.',
    schema: { type: 'string' },
    example: 'bytes=0-1023',
  },
  {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of an earlier answer: while it holds, no bytes are sent.',
    schema: { type: 'string' },
    example: '"0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11"',
  },
]

function answerContent(answer: Operation['answer'], components: Components): Json {
  if (answer.bytes === undefined) return { 'application/json': { schema: components.refer(answer.schema) } }
  return Object.fromEntries(
    answer.bytes.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]),
  )
}

/** What a range or a condition makes of the answer. */
function bytesResponses(answer: Operation['answer'], components: Components): Json {
  const common = headers('X-Request-Id', 'RateLimit-Policy', 'RateLimit')
  return {
    206: {
      description: 'The bytes that were asked for.',
      headers: common,
      content: answerContent(answer, components),
    },
    304: { description: 'It has not changed.', headers: common },
    416: { description: 'The range lies outside of the bytes.', headers: common },
  }
}

function requestBody({ file }: Operation, schema: unknown, example: unknown): Json {
  if (file !== undefined) {
    const sent = {
      type: 'string',
      contentMediaType: 'application/octet-stream',
      description: file.description,
    }
    const fields = isJson(schema) ? schema : {}
    const properties = { [file.field]: sent, ...(isJson(fields['properties']) ? fields['properties'] : {}) }
    const required = [file.field, ...(Array.isArray(fields['required']) ? fields['required'] : [])]
    return {
      required: true,
      content: { 'multipart/form-data': { schema: { ...fields, properties, required } } },
    }
  }
  const examples =
    example === undefined ? {} : { examples: { request: { summary: 'A request', value: example } } }
  return { required: true, content: { 'application/json': { schema, ...examples } } }
}

function parametersOf(place: 'path' | 'query', declared: unknown, components: Components): Json[] {
  if (!isJson(declared) || !isJson(declared['properties'])) return []
  const required = Array.isArray(declared['required']) ? declared['required'] : []
  return Object.entries(declared['properties']).map(([name, schema]) => {
    const { description, ...rest } = isJson(schema) ? schema : {}
    return {
      name,
      in: place,
      required: required.includes(name),
      description: typeof description === 'string' ? description : `The \`${name}\` to look for.`,
      schema: components.refer(rest),
    }
  })
}

/** One response per HTTP status: the codes that travel under it, each with an example. */
function problemResponses(operation: Operation, baseUrl: string, components: Components): Json {
  const byStatus = Map.groupBy(
    problemsOf(operation).flatMap((code) => httpStatusesOf(code).map((status) => ({ code, status }))),
    ({ status }) => status,
  )
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b)
  return Object.fromEntries(
    statuses.map(([status, found]) => {
      const codes = found.map(({ code }) => code)
      return [status, problemResponse(status, codes, operation, baseUrl, components)]
    }),
  )
}

function httpStatusesOf(code: ProblemCode): number[] {
  const facts = problems[code]
  return [facts.status, ...('also' in facts ? facts.also : [])]
}

function problemResponse(
  status: number,
  codes: readonly ProblemCode[],
  operation: Operation,
  baseUrl: string,
  components: Components,
): Json {
  const path = operation.at.split(' ')[1]?.replaceAll(/\{\w+\}/g, EXAMPLE_ID)
  const examples = codes.map((code) => [
    code,
    {
      summary: problems[code].title,
      value: {
        type: `${baseUrl}/problems/${code}`,
        title: problems[code].title,
        status,
        detail: EXAMPLES[code]?.detail ?? `${problems[code].title}.`,
        instance: path,
        code,
        requestId: '0199c1df-02b4-7e0c-8a51-6f3c9d2e7b10',
        ...EXAMPLES[code]?.facts,
      },
    },
  ])
  const waits = codes.some((code) => WAITS.includes(code))
  const challenges = status === 401 || status === 403
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join('\n\n'),
    headers: headers(
      'X-Request-Id',
      ...(waits ? ['Retry-After'] : []),
      ...(challenges ? ['WWW-Authenticate'] : []),
    ),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            components.refer(ProblemDocument),
            {
              type: 'object',
              properties: {
                status: { type: 'integer', const: status },
                code: { type: 'string', enum: codes },
              },
            },
          ],
        },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

const WAITS: readonly ProblemCode[] = ['rate_limited', 'idempotency_in_progress', 'ai_failed', 'not_ready']

/** A problem with the members that only some codes have. */
const ProblemDocument = Type.Object(
  {
    ...Problem.properties,
    currentStatus: Type.Optional(Type.String({ description: "The destination's status." })),
    allowedStatuses: Type.Optional(
      Type.Array(Type.String(), { description: 'The statuses in which the command is allowed.' }),
    ),
    requiredPermission: Type.Optional(Type.String({ description: 'The permission that is missing.' })),
    grantedPermissions: Type.Optional(
      Type.Array(Type.String(), { description: 'The permissions that the credential has.' }),
    ),
    retryAfterSeconds: Type.Optional(Type.Integer({ description: 'As the header `Retry-After`.' })),
    issues: Type.Optional(Type.Array(PostIssue, { description: 'What the post check found.' })),
    reviewUrl: Type.Optional(Type.String({ description: 'Where a person decides.' })),
  },
  { $id: 'Problem', additionalProperties: true, description: 'A problem (RFC 9457).' },
)

const EXAMPLE_ID = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'

const EXAMPLES: Partial<Record<ProblemCode, { detail: string; facts?: Json }>> = {
  malformed_request: {
    detail: 'The body is not valid JSON at position 17 (line 1 column 18). Send one JSON object.',
  },
  validation_failed: {
    detail: '`limit` must be between 1 and 100; `500` was sent.',
    facts: {
      errors: [
        {
          pointer: '?limit',
          code: 'out_of_range',
          detail: '`limit` must be between 1 and 100; `500` was sent.',
        },
      ],
    },
  },
  confirmation_required: {
    detail: 'This is a write. Send `"confirmed": true` to say that you mean it.',
    facts: {
      errors: [
        {
          pointer: '/confirmed',
          code: 'confirmation_required',
          detail: '`confirmed` must be `true`: it says that you mean this write.',
        },
      ],
    },
  },
  idempotency_key_required: { detail: 'Send a key of your own that names this one effect.' },
  invalid_cursor: {
    detail: 'This cursor was not issued for this list with these filters. Start again without it.',
  },
  invalid_credential: {
    detail: 'This credential is malformed, unknown, expired or revoked. Check it, or issue a new one.',
  },
  missing_permission: {
    detail: 'This credential lacks `posts:write`. Use one that has it, or have it granted.',
    facts: { requiredPermission: 'posts:write', grantedPermissions: ['posts:read'] },
  },
  not_found: { detail: 'There is nothing under this id in this workspace.' },
  stale_edit_token: {
    detail: 'The post has changed since this `editToken` was issued. Read the post again.',
  },
  stale_control_token: {
    detail: 'The destination has changed since this `controlToken` was issued. Read the post again.',
  },
  invalid_state: {
    detail: 'The destination is `publishing`; this command is allowed before that.',
    facts: { currentStatus: 'publishing', allowedStatuses: ['draft', 'scheduled'] },
  },
  unsafe_retry: { detail: 'A retry could publish this twice. Have a person look at the channel first.' },
  idempotency_in_progress: {
    detail: 'A request with this idempotency key is still running. Send the same request again in a second.',
    facts: { retryAfterSeconds: 1 },
  },
  idempotency_key_reused: { detail: 'This idempotency key was used for a different request. Use a new key.' },
  post_not_publishable: {
    detail: 'The post cannot be published as it is. See `issues`.',
    facts: {
      issues: [
        {
          code: 'text_too_long',
          severity: 'error',
          channelId: EXAMPLE_ID,
          partIndex: 0,
          pointer: '/text',
          message: 'The text has 312 characters, and the channel takes 280.',
          fix: 'Shorten the text by 32 characters, or continue it in `thread`.',
        },
      ],
    },
  },
  media_too_large: { detail: 'An image may have 25 MB. Make it smaller, and upload it again.' },
  unsupported_media: { detail: 'The file is no image, video, audio or PDF of a type that is taken.' },
  media_rejected: { detail: 'The image cannot be decoded: it is damaged or cut short. Export it again.' },
  media_not_image: { detail: 'This is a video. Only the bytes of images can be read back.' },
  publish_time_in_past: { detail: '`publishAt` is past. Choose a time in the future.' },
  channel_unavailable: { detail: `There is no enabled channel ${EXAMPLE_ID} in this workspace.` },
  subscription_unconfirmed: {
    detail:
      'More than 280 characters on X need a connected channel with a subscription. Name the channel by its `id`, or reconnect it.',
  },
  ai_failed: {
    detail:
      'After two repairs the text is still too long for sandbox-short: 301 of 280 characters. Nothing was stored. Shorten the brief, or try again.',
  },
  ai_not_configured: {
    detail:
      'Set OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, or OPENAI_BASE_URL for a server of your own.',
  },
  rate_limited: {
    detail: 'Too many requests with this credential. Wait 12 seconds, then go on.',
    facts: { retryAfterSeconds: 12 },
  },
  internal_error: { detail: 'Something broke on our side. Report the `requestId` if it happens again.' },
  not_ready: {
    detail: 'The database cannot be reached at the moment. Send the request again in a second.',
    facts: { retryAfterSeconds: 1 },
  },
}

type Components = {
  /** The schema with each part that has an `$id` replaced by a reference to a component of that name. */
  refer: (schema: unknown) => unknown
  /** Everything referred to so far, by name. */
  schemas: () => Json
}

/** Keywords that hold data, in which nothing is a schema. */
const DATA = ['const', 'default', 'enum', 'example', 'examples', 'required']
/** Keywords that hold schemas by name. */
const MAPS = ['properties', 'patternProperties', '$defs', 'dependentSchemas']

function componentCollector(): Components {
  const found = new Map<string, { source: string; schema: unknown }>()

  function refer(node: unknown): unknown {
    if (!isJson(node)) return copy(node)
    const { $id: name, ...schema } = node
    if (typeof name !== 'string') return copy(node)
    const source = JSON.stringify(schema)
    const known = found.get(name)
    if (known !== undefined && known.source !== source) {
      throw new Error(`Two different schemas are called ${name}.`)
    }
    if (known === undefined) {
      const entry: { source: string; schema: unknown } = { source, schema: null }
      found.set(name, entry)
      entry.schema = copy(schema)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function copy(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(refer)
    if (!isJson(node)) return node
    const entries = Object.entries(node).map(([keyword, value]): [string, unknown] => {
      if (DATA.includes(keyword)) return [keyword, value]
      if (!MAPS.includes(keyword) || !isJson(value)) return [keyword, refer(value)]
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, refer(schema)])),
      ]
    })
    return typedEnum(Object.fromEntries(entries))
  }

  return {
    refer,
    schemas: () =>
      Object.fromEntries(
        [...found].toSorted(([a], [b]) => a.localeCompare(b)).map(([name, { schema }]) => [name, schema]),
      ),
  }
}

/** Generators of clients want the type of an enum spelt out. */
function typedEnum(schema: Json): Json {
  const values = schema['enum']
  const isText = Array.isArray(values) && values.every((value) => typeof value === 'string')
  return isText && schema['type'] === undefined ? { type: 'string', ...schema } : schema
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
