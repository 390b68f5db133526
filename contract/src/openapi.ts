import {
  answerHeaders,
  componentCollector,
  type Components,
  headers,
  isJsonObject,
  type JsonObject,
} from './openapi-components.ts'
import { shareParameters } from './openapi-parameters.ts'
import { namedSchemas } from './openapi-named.ts'
import { exampleAnswers, examplesOf } from './openapi-examples.ts'
import { problemResponses, type SharedProblems, sharedProblems } from './openapi-problems.ts'
import { webhookRequests } from './openapi-webhooks.ts'
import { permissions } from './permissions.ts'
import { isForAgents, type Operation } from './operation.ts'

export type OpenApiOptions = {
  /** The address of the installation, without a slash at its end. */
  baseUrl: string
  version: string
  operations: readonly Operation[]
  about: ApiDescription
}

/** What the document says of a family of operations as a whole. */
export type ApiDescription = {
  readonly title: string
  /** Markdown; `{base_url}` stands for the address of the installation. */
  readonly introduction: string
  readonly tags: Readonly<Record<string, string>>
  /**
   * Security schemes by name, as OpenAPI writes them; each request needs one of them. `{base_url}` stands for the address of the
   * installation here, too.
   */
  readonly securitySchemes: Readonly<Record<string, JsonObject>>
  /** Whether it also describes what endpoints are sent. */
  readonly describesWebhooks: boolean
}

/**
 * The OpenAPI 3.1 description of these operations: every parameter, answer and problem as the server checks and
 * sends them. Depends on nothing but its arguments. Throws when two different schemas share an `$id`.
 */
export function openApiDocument({ baseUrl, version, operations, about }: OpenApiOptions): JsonObject {
  const components = componentCollector(namedSchemas)
  const shared = sharedProblems(components)
  const described: Record<string, JsonObject> = {}
  for (const operation of operations) {
    const [method = '', path = ''] = operation.at.split(' ')
    described[path] = {
      ...described[path],
      [method.toLowerCase()]: describeOperation(operation, shared, components),
    }
  }
  const { paths, parameters } = shareParameters(described)
  const webhooks = about.describesWebhooks ? { webhooks: webhookRequests(components) } : {}
  return {
    openapi: '3.1.0',
    info: {
      title: about.title,
      version,
      description: about.introduction.replaceAll('{base_url}', baseUrl),
      contact: { name: 'Postrider', url: baseUrl },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: 'This installation.' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({
      name,
      description: about.tags[name] ?? `${name}.`,
    })),
    security: Object.keys(about.securitySchemes).map((name) => ({ [name]: [] })),
    paths,
    ...webhooks,
    components: {
      securitySchemes: JSON.parse(
        JSON.stringify(about.securitySchemes).replaceAll('{base_url}', baseUrl),
      ) as JsonObject,
      headers: usedHeaders({ paths, responses: shared.responses() }),
      responses: shared.responses(),
      parameters,
      examples: exampleAnswers(operations),
      schemas: components.schemas(),
    },
  }
}

/** The headers that some answer refers to: people are not told of credentials, for one. */
function usedHeaders(answers: JsonObject): JsonObject {
  const described = JSON.stringify(answers)
  const used = Object.entries(answerHeaders).filter(([name]) =>
    described.includes(`"#/components/headers/${name}"`),
  )
  return Object.fromEntries(used)
}

/** What the Agent API's document says of it as a whole. */
export const agentApiDescription: ApiDescription = {
  title: 'Postrider Agent API',
  describesWebhooks: true,
  introduction: `Publishes posts to social networks on behalf of a workspace: never twice, never lost, never a guess.

- Every request carries an agent key: \`Authorization: Bearer pr_…\`. It acts in the key's workspace.
- Times are RFC 3339. In requests any offset will do, but there must be one; bodies also take a local time with its zone. Answers are in UTC.
- Fields and parameters that an operation does not know are refused.
- Every error is a problem (RFC 9457) with a stable \`code\`. [Each code has a page]({base_url}/problems) with an example, that says what to do.
- Every answer has \`X-Request-Id\`, its name in the log; problems repeat it. \`RateLimit-Policy\` says the limit of the credential (\`"default";q=600;w=60\`: 600 requests in 60 seconds), \`RateLimit\` what is left (\`"default";r=594;t=41\`).
- A write names its effect with an idempotency key. Repeating it unchanged answers with the first result and \`Idempotent-Replayed: true\`.
- A destination in the status \`checking\` is neither failed nor published: do not publish it again.`,
  tags: {
    Identity: 'Who is asking, where, and with what rights.',
    Channels: 'The connected accounts of the workspace.',
    Calendar: 'What is published when.',
    Posts: 'Posts, their destinations, and the check that a plan must pass.',
    Media: 'Images, videos, audio and documents that posts can carry.',
    AI: 'Drafts and images made by a model.',
    Events: 'What happened to posts, in order.',
    Webhooks: 'Endpoints that this credential created, and what was sent to them.',
  },
  securitySchemes: {
    agentKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'pr_…',
      description: 'An agent key of a workspace, sent as `Authorization: Bearer pr_…`.',
    },
    oauth: {
      type: 'oauth2',
      description:
        'An access token of an app that a person has allowed, for the resource `{base_url}/agent/v1`.',
      flows: {
        authorizationCode: {
          authorizationUrl: '{base_url}/oauth/auth',
          tokenUrl: '{base_url}/oauth/token',
          refreshUrl: '{base_url}/oauth/token',
          scopes: permissions,
        },
      },
    },
  },
}

/** What the people's API's document says of it as a whole. */
export const appApiDescription: ApiDescription = {
  title: "Postrider people's API",
  describesWebhooks: false,
  introduction: `What people do in a browser: the dashboard uses this, and nothing else does. Programs use the [Agent API]({base_url}/openapi).

- Every request carries the session in a cookie. Agent keys and access tokens are not accepted.
- A request that changes something comes from a page of this server, and carries the header \`X-Postrider-App: 1\`. No other site is let in (there is no CORS).
- What somebody may do follows from their role in the workspace.
- Every error is a problem (RFC 9457) with a stable \`code\`. [Each code has a page]({base_url}/problems).`,
  tags: {
    'Signing in': 'For those who are not signed in yet.',
    Person: 'Who is signed in, and how they sign in.',
    Workspaces: 'Workspaces and their settings.',
    Members: 'Who is in a workspace, and as what.',
    'Agent keys': 'Credentials for agents.',
    Approvals: 'Posts that wait for a person.',
    Channels: 'Connected accounts.',
    Audit: 'Who changed what.',
    ...agentApiDescription.tags,
    Webhooks: 'Where events are sent, and what became of them.',
  },
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-postrider',
      description: 'The session; on plain http the cookie is called `postrider`.',
    },
  },
}

function describeOperation(operation: Operation, shared: SharedProblems, components: Components): JsonObject {
  const { params, query, body, answer, permission } = operation
  const parameters = [
    ...parametersOf('path', params, components),
    ...parametersOf('query', query, components),
    ...(operation.idempotency?.includes('header') === true
      ? [{ ...IDEMPOTENCY_HEADER, required: operation.idempotency === 'header' }]
      : []),
    ...(answer.bytes === undefined ? [] : BYTES_HEADERS),
  ]
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${needsOf(operation)}`,
    'x-permission': permission,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(operation, components.refer(body)) }),
    responses: {
      [answer.status]: {
        description: answer.description,
        ...answerHeadersOf(operation),
        content: answerContent(operation, components),
      },
      ...(answer.bytes === undefined ? {} : bytesResponses(operation, components)),
      ...(answer.status === 201 && takesDryRun(operation) ? rehearsedResponse(operation, components) : {}),
      ...problemResponses(operation, shared),
    },
  }
}

function takesDryRun({ body }: Operation): boolean {
  return body !== undefined && 'properties' in body && 'dryRun' in (body.properties as object)
}

function answerHeadersOf(operation: Operation): JsonObject {
  const { answer, idempotency } = operation
  const own = headers(
    ...(answer.status === 201 && isForAgents(operation) ? ['Location'] : []),
    ...(idempotency === undefined || idempotency === 'none' ? [] : ['Idempotent-Replayed']),
  )
  return Object.keys(own).length === 0 ? {} : { headers: own }
}

function rehearsedResponse(operation: Operation, components: Components): JsonObject {
  return {
    200: {
      description: 'What a `dryRun` would have created. Nothing is stored.',
      content: answerContent(operation, components),
    },
  }
}

/** Who may ask, in a sentence or two. */
function needsOf({ permission, asks, fresh }: Operation): string {
  if (asks === 'anyone') return 'For anyone.'
  if (asks === 'person') return `For anyone who is signed in.${fresh === true ? FRESH : ''}`
  if (asks === 'member') {
    const who =
      permission === null ? 'For every member.' : `For members whose role has the right \`${permission}\`.`
    return `${who}${fresh === true ? FRESH : ''}`
  }
  return permission === null ? 'Any valid credential will do.' : `Needs the permission \`${permission}\`.`
}

const FRESH = ' Needs that they have shown who they are within the last ten minutes.'

const IDEMPOTENCY_HEADER: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Your own key for this one effect: 1 to 255 visible ASCII characters, bare or as a quoted string (RFC 9651). Send it again only with an unchanged request. All credentials of a workspace share its keys, for each operation.',
  schema: { type: 'string', minLength: 1 },
  example: 'cancel-launch-2026-11-21',
}

const BYTES_HEADERS: readonly JsonObject[] = [
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
  {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of an earlier answer: where it does not hold any more, the answer is 412.',
    schema: { type: 'string' },
    example: '"0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11"',
  },
]

function answerContent(operation: Operation, components: Components): JsonObject {
  const { answer } = operation
  if (answer.bytes === undefined) {
    const schema = components.refer(answer.schema)
    return { 'application/json': { schema, ...examplesOf(operation) } }
  }
  return Object.fromEntries(
    answer.bytes.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]),
  )
}

/** What a range or a condition makes of the answer. */
function bytesResponses(operation: Operation, components: Components): JsonObject {
  return {
    206: { description: 'The bytes that were asked for.', content: answerContent(operation, components) },
    304: { description: 'It has not changed.' },
  }
}

function requestBody({ file, example, examples, oneOf }: Operation, described: unknown): JsonObject {
  const schema =
    oneOf === undefined
      ? described
      : { ...(described as JsonObject), oneOf: oneOf.map((required) => ({ required })) }
  if (file !== undefined) {
    const sent = {
      type: 'string',
      contentMediaType: 'application/octet-stream',
      description: file.description,
    }
    const fields = isJsonObject(schema) ? schema : {}
    const properties = {
      [file.field]: sent,
      ...(isJsonObject(fields['properties']) ? fields['properties'] : {}),
    }
    const required = Array.isArray(fields['required']) ? (fields['required'] as string[]) : []
    const anyOf = [{ required: [file.field] }, { required: [file.urlField] }]
    return {
      required: true,
      content: {
        'multipart/form-data': { schema: { ...fields, properties, required, anyOf } },
        'application/json': { schema: { ...fields, required: [...required, file.urlField] } },
      },
    }
  }
  const all = { ...(example === undefined ? {} : { 'A request': example }), ...examples }
  const shown = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, { value }]))
  return {
    required: true,
    content: {
      'application/json': { schema, ...(Object.keys(all).length === 0 ? {} : { examples: shown }) },
    },
  }
}

function parametersOf(place: 'path' | 'query', declared: unknown, components: Components): JsonObject[] {
  if (!isJsonObject(declared) || !isJsonObject(declared['properties'])) return []
  const required = Array.isArray(declared['required']) ? declared['required'] : []
  return Object.entries(declared['properties']).map(([name, schema]) => {
    const { description, ...rest } = isJsonObject(schema) ? schema : {}
    return {
      name,
      in: place,
      ...(required.includes(name) ? { required: true } : {}),
      description: typeof description === 'string' ? description : `The \`${name}\` to look for.`,
      schema: components.refer(rest),
    }
  })
}
