import { type SharedAnswers, sharedAnswers } from './openapi-answers.ts'
import {
  answerHeaders,
  componentCollector,
  type Components,
  isJsonObject,
  type JsonObject,
  openAnswers,
} from './openapi-components.ts'
import { shareParameters } from './openapi-parameters.ts'
import { namedSchemas } from './openapi-named.ts'
import { PROBLEM, problemResponse, problemSchema } from './openapi-problems.ts'
import { webhookRequests } from './openapi-webhooks.ts'
import { permissions } from './permissions.ts'
import { isForAgents, type Operation, ownProblemsOf } from './operation.ts'

export type OpenApiOptions = {
  /** The address of the installation, without a slash at its end. */
  baseUrl: string
  version: string
  operations: readonly Operation[]
  about: ApiDescription
  /** The JSON Schemas of what may be set for each provider, by its name. */
  settings?: Readonly<Record<string, unknown>>
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
  /** Whether it also describes what endpoints are sent, beside the operations that are tagged `Webhooks`. */
  readonly describesWebhooks: boolean
}

/**
 * The OpenAPI 3.1 description of these operations: every parameter, answer and problem as the server checks and
 * sends them. Depends on nothing but its arguments. Throws when two different schemas share an `$id`.
 */
export function openApiDocument(options: OpenApiOptions): JsonObject {
  const { baseUrl, version, operations, about, settings = {} } = options
  const components = componentCollector(namedSchemas)
  const answers = sharedAnswers(operations, components)
  const described: Record<string, JsonObject> = {}
  for (const operation of operations) {
    const [method = '', path = ''] = operation.at.split(' ')
    described[path] = {
      ...described[path],
      [method.toLowerCase()]: describeOperation(operation, answers, components),
    }
  }
  const { paths, parameters } = shareParameters(described)
  const problem = problemResponse(operations, components)
  const describesWebhooks = about.describesWebhooks && operations.some(({ tag }) => tag === 'Webhooks')
  const webhooks = describesWebhooks ? { webhooks: webhookRequests(components) } : {}
  const { Settings: anySettings, [PROBLEM]: anyProblem } = components.schemas()
  const ofProviders =
    anySettings === undefined ? {} : { Settings: settingsSchema(anySettings, settings, components) }
  const own = { ...ofProviders, [PROBLEM]: problemSchema(anyProblem, operations) }
  const schemas = openAnswers({ ...components.schemas(), ...own }, [parameters, requestsIn(described)])
  const document = {
    openapi: '3.1.0',
    info: {
      title: about.title,
      version,
      description: about.introduction,
      contact: { name: 'Postrider', url: '{base_url}' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '{base_url}', description: 'This installation.' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({
      name,
      description: about.tags[name] ?? `${name}.`,
    })),
    security: Object.keys(about.securitySchemes).map((name) => ({ [name]: [] })),
    paths,
    ...webhooks,
    components: {
      securitySchemes: about.securitySchemes,
      headers: usedHeaders(problem),
      responses: { ...(answers.responses() as object), [PROBLEM]: problem },
      parameters,
      examples: answers.examples(),
      schemas,
    },
  }
  return JSON.parse(JSON.stringify(document).replaceAll('{base_url}', baseUrl)) as JsonObject
}

/** The bodies and parameters of requests. */
function requestsIn(paths: Readonly<Record<string, JsonObject>>): unknown[] {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods) as JsonObject[])
    .flatMap(({ parameters, requestBody }) => [parameters ?? [], requestBody ?? {}])
}

/** The headers that this response refers to: people are not told of credentials, for one. */
function usedHeaders({ headers: used }: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(used as JsonObject).map((name) => [name, answerHeaders[name]]))
}

/** What the provider of a channel lets authors set, each a schema by its own name: providers that take the same share one. */
function settingsSchema(
  any: unknown,
  settings: Readonly<Record<string, unknown>>,
  components: Components,
): unknown {
  const bySchema = Map.groupBy(Object.keys(settings), (provider) => JSON.stringify(settings[provider]))
  const anyOf = [...bySchema].map(([schema, providers]) =>
    components.refer({
      $id: `${providers.map(pascalCase).join('Or')}Settings`,
      ...(JSON.parse(schema) as JsonObject),
    }),
  )
  return { ...(any as JsonObject), ...(anyOf.length === 0 ? {} : { anyOf }) }
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** What the Agent API's document says of it as a whole. */
export const agentApiDescription: ApiDescription = {
  title: 'Postrider Agent API',
  describesWebhooks: true,
  introduction: `Publishes posts to social networks on behalf of a workspace: never twice, never lost, never a guess.

- Every request carries an agent key or an app's access token: \`Authorization: Bearer …\`. It acts in the workspace of that credential. The scope in \`security\` is the permission that either needs.
- Times are RFC 3339: in requests with any offset, in answers in UTC. Bodies also take a local time with its zone.
- Unknown fields and parameters are refused. Answers may gain fields.
- \`201\` has \`Location\`, the path of what was created.
- Every error is a problem (RFC 9457) with a stable \`code\`. [Each code has a page]({base_url}/problems) with an example and what to do.
- Every answer has \`X-Request-Id\`, its name in the log; problems repeat it. \`RateLimit-Policy\` says the limit of the credential (\`"default";q=600;w=60\`: 600 requests in 60 seconds), \`RateLimit\` what is left (\`"default";r=594;t=41\`).
- A write has an idempotency key. Repeated unchanged, it returns the first result and \`Idempotent-Replayed: true\`.
- A destination in the status \`checking\` is neither failed nor published: do not publish it again.
- Defaults, which the operator can change: 600 requests and 300 writes a minute for a credential, counted by each process; 300 failed authentications a minute for an address; 25 MB for images, 1,000 MB for video, 200 MB for audio, 100 MB for documents, 1 MB for JSON. Answers to idempotency keys are kept for 7 days, events and deliveries for 30. A destination expires when it is not published within 24 hours of its \`publishAt\`, a request for approval after 7 days. Access tokens are valid for 30 minutes, refresh tokens for 30 days.`,
  tags: {
    Identity: 'Who you are, where, and what you may do.',
    Channels: 'The connected accounts of the workspace.',
    Calendar: 'What is published when.',
    Commands: 'Changes to existing posts.',
    Posts: 'Posts, their destinations, and the check of a plan.',
    Series: 'Content that is posted repeatedly.',
    Templates: 'Texts with fields, to create posts from.',
    Media: 'Images, videos, audio and documents for posts.',
    AI: 'Drafts and images by a model.',
    Events: 'What happened to posts, in order.',
    Webhooks: 'Endpoints that this credential created, and their deliveries.',
  },
  securitySchemes: {
    agentKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'pr_…',
      description: 'An agent key of a workspace.',
    },
    oauth: {
      type: 'oauth2',
      description: 'An access token of an authorized app, for the resource `{base_url}/agent/v1`.',
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
- What people may do depends on their role in the workspace.
- Every error is a problem (RFC 9457) with a stable \`code\`. [Each code has a page]({base_url}/problems).`,
  tags: {
    'Signing in': 'For people who are not signed in yet.',
    Person: 'Who is signed in, and how they sign in.',
    Workspaces: 'Workspaces and their settings.',
    Members: 'Who is in a workspace, and in which role.',
    'Agent keys': 'Credentials for agents.',
    Approvals: 'Posts that wait for a person.',
    Channels: 'Connected accounts.',
    Audit: 'Who changed what.',
    ...agentApiDescription.tags,
    Webhooks: 'Where events are sent, and their deliveries.',
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

function describeOperation(operation: Operation, answers: SharedAnswers, components: Components): JsonObject {
  const { params, query, body, answer, permission } = operation
  const parameters = [
    ...parametersOf('path', params, components),
    ...parametersOf('query', query, components),
    ...(operation.idempotency?.includes('header') === true
      ? [{ ...IDEMPOTENCY_HEADER, required: operation.idempotency === 'header' }]
      : []),
    ...(answer.bytes === undefined ? [] : BYTES_HEADERS),
  ]
  const needed = permission !== null && isForAgents(operation)
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, ...needsOf(operation), ...refusalsOf(operation)].join('\n\n'),
    ...(needed ? { security: [{ agentKey: [] }, { oauth: [permission] }] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(operation, components.refer(body)) }),
    responses: {
      [answer.status]: answers.refer(operation),
      ...(answer.bytes === undefined ? {} : BYTES_ANSWERS),
      ...(answer.status === 201 && takesDryRun(operation) ? { 200: answers.refer(operation) } : {}),
      default: { $ref: `#/components/responses/${PROBLEM}` },
    },
  }
}

function takesDryRun({ body }: Operation): boolean {
  return body !== undefined && 'properties' in body && 'dryRun' in (body.properties as object)
}

/** The problems of this operation besides those that it shares, in a line. */
function refusalsOf(operation: Operation): string[] {
  const own = ownProblemsOf(operation)
  return own.length === 0 ? [] : [`Problems: ${own.map((code) => `\`${code}\``).join(', ')}.`]
}

/** Who may ask, in a sentence or two, where `security` does not say it. */
function needsOf({ permission, asks, fresh }: Operation): string[] {
  if (asks === 'agent' || asks === 'agent or member') return []
  if (asks === 'anyone') return ['For anyone.']
  if (asks === 'person') return [`For anyone who is signed in.${fresh === true ? FRESH : ''}`]
  const who =
    permission === null ? 'For every member.' : `For members whose role has the right \`${permission}\`.`
  return [`${who}${fresh === true ? FRESH : ''}`]
}

const FRESH = ' They must have confirmed their identity within the last ten minutes.'

const IDEMPOTENCY_HEADER: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'An `IdempotencyKey`, bare or as a quoted string (RFC 9651).',
  schema: { type: 'string', minLength: 1 },
  example: 'cancel-launch-2026-11-21',
}

const BYTES_HEADERS: readonly JsonObject[] = [
  {
    name: 'Range',
    in: 'header',
    required: false,
    description: 'One range of bytes (RFC 9110). Several are ignored, and the whole image is sent.',
    schema: { type: 'string' },
    example: 'bytes=0-1023',
  },
  {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of an earlier answer: 304 if it still matches.',
    schema: { type: 'string' },
    example: '"0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11"',
  },
  {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of an earlier answer: 412 if it no longer matches.',
    schema: { type: 'string' },
    example: '"0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11"',
  },
]

/** What a range or a condition makes of the answer. */
const BYTES_ANSWERS: JsonObject = {
  206: { description: 'The range of bytes.' },
  304: { description: 'Not changed.' },
}

/** Which fields of a body stand for each other. */
function alternatives({ oneOf: sets, unless }: Operation): JsonObject {
  if (sets === undefined) return {}
  const oneOf = sets.map((required) => ({ required }))
  return unless === undefined ? { oneOf } : { anyOf: [{ required: [unless] }, { oneOf }] }
}

function requestBody(operation: Operation, described: unknown): JsonObject {
  const { file, example, examples } = operation
  const schema = { ...(described as JsonObject), ...alternatives(operation) }
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
  return { required: true, content: { 'application/json': { schema, ...shownOf(example, examples) } } }
}

function shownOf(example: unknown, examples: Operation['examples']): JsonObject {
  if (examples === undefined) return example === undefined ? {} : { example }
  const all = Object.entries({ 'A request': example, ...examples })
  return { examples: Object.fromEntries(all.map(([name, value]) => [name, { value }])) }
}

function parametersOf(place: 'path' | 'query', declared: unknown, components: Components): JsonObject[] {
  if (!isJsonObject(declared) || !isJsonObject(declared['properties'])) return []
  const required = Array.isArray(declared['required']) ? declared['required'] : []
  return Object.entries(declared['properties']).map(([name, declaredSchema]) => {
    const { description, ...schema } = components.refer(declaredSchema) as JsonObject
    return {
      name,
      in: place,
      ...(required.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema,
    }
  })
}
