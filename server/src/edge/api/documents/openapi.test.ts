import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import {
  agentApiDescription,
  app,
  appApiDescription,
  cancelDestination,
  exact,
  Confirmed,
  Id,
  openApiDocument,
  type Operation,
  operations,
  permissionNames,
  type ProblemCode,
  problemCodes,
  problems,
  problemsOf,
  readPost,
  sharedProblems,
} from '@postrider/contract'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AN_ID, BASE_URL, knock, openEdge, WORKSPACE } from '../../../../test/rigs/edge.ts'
import { openApiJudge } from '../../../../test/rigs/openapi-judge.ts'
import { openWorld } from '../../../../test/rigs/world.ts'
import { judges } from '../../../../test/rigs/judges.ts'
import { providers } from '../../../networks/providers/registry.ts'

const ROOT = new URL('../../../../../', import.meta.url).pathname
const run = promisify(execFile)

type Example = { value: unknown }
type Content = {
  [type: string]: { schema?: object; example?: unknown; examples?: { [name: string]: Example } }
}
type Described = {
  description: string
  requestBody?: { content: Content }
  responses: { [status: string]: { description: string; content?: Content } }
}
type Json = Record<string, { properties: Record<string, { description: string; enum: string[] }> }>

function describedOperations(document: object): [string, Described][] {
  const { paths } = document as { paths: Record<string, Record<string, Described & { operationId: string }>> }
  return Object.values(paths).flatMap((path) =>
    Object.values(path).map((one): [string, Described] => [one.operationId, one]),
  )
}

const documents = [
  ['the Agent API', [...operations, knock], agentApiDescription],
  ['the people’s API', app.appOperations, appApiDescription],
] as const

describe.each(documents)('two linters find nothing to say of %s', (_, described, about) => {
  let folder: string
  let file: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openapi-'))
    file = join(folder, 'openapi.json')
    const document = openApiDocument({
      baseUrl: 'https://postrider.test',
      version: '0.0.0',
      about,
      operations: described,
    })
    await writeFile(file, JSON.stringify(document))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const bin = async (name: string) => join(await judges(), '.bin', name)
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

  test('redocly', { timeout: 600_000 }, async () => {
    const found = await run(
      await bin('redocly'),
      ['lint', file, '--config', join(ROOT, 'redocly.yaml'), '--format', 'json'],
      { env },
    )
    expect(JSON.parse(found.stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } })
  })

  test('spectral', { timeout: 600_000 }, async () => {
    const ruleset = join(ROOT, '.spectral.yaml')
    const found = await run(
      await bin('spectral'),
      ['lint', file, '--ruleset', ruleset, '--fail-severity', 'hint', '--format', 'json', '--quiet'],
      { env },
    )
    expect(JSON.parse(found.stdout)).toEqual([])
  })
})

test(
  'a generator of clients makes one that compiles, whose answers are told apart',
  { timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'openapi-'))
    try {
      const [source, made] = [join(folder, 'openapi.json'), join(folder, 'client')]
      const document = openApiDocument({
        baseUrl: BASE_URL,
        version: '0',
        operations,
        about: agentApiDescription,
      })
      await writeFile(source, JSON.stringify(document))
      await run(process.execPath, [
        join(await judges(), '@hey-api/openapi-ts/bin/run.js'),
        '-i',
        source,
        '-o',
        made,
      ])
      await writeFile(join(folder, 'use.ts'), USE)
      const strict = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext']
      const compiling = run(join(ROOT, 'node_modules/.bin/tsc'), [...strict, join(folder, 'use.ts')], {
        cwd: folder,
      })
      expect(await compiling).toMatchObject({ stdout: '' })
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)

const USE = `import type { CancelDestinationResponse, ListEventsResponse, CreatePostData } from './client/types.gen.js'
export const cancelled = (one: CancelDestinationResponse): string => ('postId' in one ? one.editToken : one.status)
export const channels = ({ items }: ListEventsResponse): string[] =>
  items.flatMap(({ data }) => ('destination' in data ? [data.destination.channelId] : data.channelIds))
export const body: CreatePostData['body'] = { confirmed: true, state: 'draft', channelIds: [], text: '' }
`

describe('the document', () => {
  const judge = openApiJudge()
  const described = describedOperations(judge.document)

  test('has every operation', () => {
    expect(described.map(([id]) => id).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
  })

  test.each(described)('%s shows examples that are as it says', (id, { requestBody, responses }) => {
    expect(() => {
      for (const { value } of examplesIn(requestBody?.content)) judge.judgeRequest(id, value)
      for (const [status, { content }] of Object.entries(responses)) {
        if (!status.startsWith('2') || content?.['application/json'] === undefined) continue
        const answers = examplesIn(content)
        if (answers.length === 0) throw new Error(`${id} has no example of success.`)
        for (const { value } of answers) judge.judge(id, Number(status), value)
      }
    }).not.toThrow()
  })

  test.each(operations)('$id has every problem it can answer with', (operation: Operation) => {
    const [, found] = described.find(([id]) => id === operation.id) ?? []
    const refused = found?.responses['default']?.description ?? ''
    const own = /^Problems: (.*)\.$/m.exec(found?.description ?? '')?.[1] ?? ''
    const codesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, code]) => code)
    const said = sharedProblems.flatMap(({ where, has }) => {
      const line = refused.split(/[;.] /).find((one) => one.startsWith(where)) ?? ''
      return has(operation) ? codesIn(line.slice(where.length)).filter((code) => code !== 'confirmed') : []
    })
    expect(new Set([...said, ...codesIn(own)])).toEqual(new Set(problemsOf(operation)))
  })

  test('says of every problem under which HTTP status it travels', () => {
    const { schemas } = (judge.document as { components: { schemas: Json } }).components
    const { description, enum: codes } = schemas['Problem']!.properties['code']!
    const answered = [...operations.flatMap(problemsOf), 'not_found', 'method_not_allowed', 'batch_refused']
    expect(codes).toEqual(problemCodes.filter((code) => answered.includes(code)))
    expect(codes).not.toContain('not_signed_in')
    for (const code of answered)
      expect(description).toContain(`- \`${code}\` (${problems[code as ProblemCode].status}`)
    expect(description.split('\n- ')).toHaveLength(codes.length + 1)
  })

  test('takes no text for another thing because it is as long', () => {
    const url = Type.String({ description: 'An address.', minLength: 1, maxLength: 128 })
    const { paths } = openApiDocument({
      baseUrl: BASE_URL,
      version: '0',
      about: agentApiDescription,
      operations: [{ ...knock, body: exact({ url, confirmed: Confirmed }) }],
    })
    expect(JSON.stringify(paths)).toContain(JSON.stringify(url))
    expect(JSON.stringify(paths)).not.toContain('Token')
  })

  test('describes the request that carries an event, with an example that is as it says', () => {
    const { post } = (
      judge.document as { webhooks: { event: { post: { requestBody: { content: Content } } } } }
    ).webhooks.event
    const items = examplesIn(post.requestBody.content).map(({ value }) => value)
    expect(items).not.toEqual([])
    expect(() => judge.judge('listEvents', 200, { items, nextCursor: 'end', hasMore: false })).not.toThrow()
  })

  test('refuses two schemas of one name', () => {
    const one = {
      ...operations[0]!,
      answer: { status: 200 as const, schema: exact({ a: Id }, { $id: 'Twin' }), description: '.' },
    }
    const other = {
      ...one,
      id: 'b',
      at: 'GET /b' as const,
      answer: { ...one.answer, schema: Type.String({ $id: 'Twin' }) },
    }
    const build = () =>
      openApiDocument({
        baseUrl: 'https://a.test',
        version: '0',
        operations: [one, other],
        about: agentApiDescription,
      })
    expect(build).toThrow('Two different schemas are called Twin.')
  })
})

describe('real answers are as documented', () => {
  test('those of a write: done, replayed, refused in every way', async () => {
    await using world = await openWorld()
    await world.db`insert into workspace (id, name) values (${WORKSPACE}, 'Test')`
    await using edge = await openEdge({ db: world.db })
    const { judge } = openApiJudge([...operations, knock])
    const send = async (payload: string, headers: Record<string, string> = {}) => {
      const url = `/agent/v1/doors/${AN_ID}/knock`
      const own = {
        authorization: 'Bearer good',
        'content-type': 'application/json',
        'idempotency-key': 'k',
        ...headers,
      }
      const answer = await edge.app.inject({ method: 'POST', url, headers: own, payload })
      judge('knock', answer.statusCode, answer.json())
      return answer.statusCode
    }
    const statuses = [
      await send('{"confirmed":true}'),
      await send('{"confirmed":true}'),
      await send('{"confirmed":true,"times":2}'),
      await send('{"confirmed":true,"times":10}'),
      await send('{"confirmed":false}'),
      await send('{'),
      await send('{}', { 'idempotency-key': '' }),
      await send('{}', { 'content-type': 'text/plain' }),
      await send(`{"a":"${'a'.repeat(1_048_576)}"}`),
      await send('{}', { authorization: 'Bearer wrong' }),
      await send('{}', { authorization: 'Bearer reader' }),
    ]
    expect(statuses).toEqual([201, 201, 422, 400, 400, 400, 400, 415, 413, 401, 403])
    edge.knocks.answer = () => Promise.reject(new Error('broken'))
    expect(await send('{"confirmed":true}', { 'idempotency-key': 'l' })).toBe(500)
  })

  test('and the judge would notice if they were not', () => {
    const { judge } = openApiJudge([knock])
    judge('knock', 201, { knockId: AN_ID, note: null })
    expect(() => judge('knock', 201, { knockId: AN_ID, note: null, more: 1 })).toThrow('is not as documented')
    expect(() => judge('knock', 201, { knockId: AN_ID })).toThrow('is not as documented')
    expect(() => judge('knock', 200, {})).toThrow('is not documented')
    expect(() => judge('knock', 418, {})).toThrow('is not documented')
    expect(() => judge('nock', 200, {})).toThrow('No operation is called nock')
  })
})

describe('the reference', () => {
  test('has its document at both addresses, with the ways in that there are', async () => {
    await using edge = await openEdge()
    const [one, other] = await Promise.all([
      edge.app.inject('/openapi/json'),
      edge.app.inject('/openapi.json'),
    ])
    expect([other.statusCode, other.headers['access-control-allow-origin']]).toEqual([200, '*'])
    expect(other.body).toBe(one.body)
    const { components, security } = other.json()
    expect(security).toEqual([{ agentKey: [] }, { oauth: [] }])
    const { authorizationCode } = components.securitySchemes.oauth.flows
    expect(authorizationCode.tokenUrl).toBe(`${BASE_URL}/oauth/token`)
    expect(Object.keys(authorizationCode.scopes)).toEqual(permissionNames)
  })

  test('has it small, and does not send again what has not changed', async () => {
    await using edge = await openEdge()
    const ask = (encoding: string, tag = '') =>
      edge.app.inject({
        url: '/openapi/json',
        headers: { 'accept-encoding': encoding, ...(tag === '' ? {} : { 'if-none-match': tag }) },
      })
    const plain = await ask('identity')
    expect(plain.headers['content-encoding']).toBeUndefined()
    const [br, gzip] = [await ask('gzip, deflate, br'), await ask('gzip;q=0.5, br;q=0')]
    expect(br.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(plain.body)
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body)
    const tags = [plain, br, gzip].map(({ headers }) => String(headers.etag))
    expect(new Set(tags).size).toBe(3)
    expect((await ask('gzip, deflate, br', `"other", W/${tags[1]}`)).statusCode).toBe(304)
    expect((await ask('gzip, deflate, br', tags[0])).statusCode).toBe(200)
  })

  test('is a document that models can read', () => {
    const written = (described: readonly Operation[]) =>
      JSON.stringify(
        openApiDocument({
          baseUrl: BASE_URL,
          version: '0.0.0',
          operations: described,
          about: agentApiDescription,
          settings: Object.fromEntries([...providers].map(([name, { settings }]) => [name, settings])),
        }),
      )
    const text = written(operations)
    // The aim was 80 kB, which each group of operations keeps (mcp.test.ts). The whole has 162 for 52 operations and the settings of every network, 3.1 for each; no schema, parameter, response
    // or problem stands there twice. In kB: sentences 41 (fields 16, operations 11, codes and statuses 7, settings 4, the introduction 2,
    // responses and webhooks 2) with their keyword 6, references 27, examples 17 (2 of them items of other examples: a value cannot refer
    // to one), types 10, names of fields 9, lists of required fields 8, limits of values 6, enumerations 5, ids, titles and tags of
    // operations 5, scopes 3, other keywords 13, brackets 7, the rest 1. Without any sentence and example it would still have 94. What is
    // left to save are 3 by `allOf` in bodies, which generators and models read worse. On the way it is 26 with br, 31 with gzip.
    expect(text.length).toBeLessThan(operations.length * 3_150)
    expect(brotliCompressSync(text).length).toBeLessThan(operations.length * 495)
    // What it says of one more operation is its own: words, parameters, body. All else is a reference.
    const { params, permission } = cancelDestination
    const further: Operation = {
      ...readPost,
      id: 'further',
      params,
      permission,
      at: 'POST /agent/v1/posts/{postId}/further',
      body: exact({ confirmed: Confirmed }),
      idempotency: 'header',
    }
    expect(written([...operations, further]).length - text.length).toBeLessThan(800)
  })

  test('says no schema of some size twice', () => {
    const document = openApiDocument({
      baseUrl: BASE_URL,
      version: '0.0.0',
      operations,
      about: agentApiDescription,
    })
    const places = new Map<string, string[]>()
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null || /\/(example|examples|value|responses)$/.test(path))
        return
      const text = JSON.stringify(node)
      if (!Array.isArray(node) && text.length > 120) places.set(text, [...(places.get(text) ?? []), path])
      for (const [name, each] of Object.entries(node)) visit(each, `${path}/${name}`)
    }
    visit({ paths: document['paths'], components: document['components'] }, '')
    expect([...places.values()].filter(({ length }) => length > 1)).toEqual([])
  })

  test('is served whole, from here alone, without any script inside the page', async () => {
    await using edge = await openEdge()
    const page = await edge.app.inject('/openapi')
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-security-policy']).toContain("script-src 'self';")
    const links = [...page.body.matchAll(/(?:src|href|data-document)="([^"]+)"/g)].map(
      ([, link]) => link ?? '',
    )
    expect(links.length).toBeGreaterThan(5)
    for (const link of links) {
      expect(link).toMatch(/^\//)
      expect({ link, status: (await edge.app.inject(link)).statusCode }).toEqual({ link, status: 200 })
    }
    expect(page.body).not.toMatch(/<script>|onload=|https?:\/\//)
  })

  test.each(['/openapi/assets/package.json', '/openapi/assets/constructor', '/openapi/assets/..%2findex.js'])(
    '%s is not part of it',
    async (url) => {
      await using edge = await openEdge()
      expect((await edge.app.inject(url)).json()).toMatchObject({ code: 'not_found' })
    },
  )
})

function examplesIn(content: Content | undefined): Example[] {
  return Object.values(content ?? {}).flatMap(({ example, examples }) => [
    ...Object.values(examples ?? {}),
    ...(example === undefined ? [] : [{ value: example }]),
  ])
}
