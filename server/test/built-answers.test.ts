import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { problemCodes } from '@postrider/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { aChannel, aPicture, aPost, aWorkspace, type AWorkspace } from './rigs/fixtures.ts'
import { MAIN } from './rigs/built.ts'
import { freePort } from './rigs/free-port.ts'
import { inPlace } from './rigs/openapi-judge.ts'
import { aKey, openRunningApp } from './rigs/running-app.ts'
import { openWorld, type World } from './rigs/world.ts'

/*
 * What runs is the build, and most tests run the sources: a walk over every operation of the OpenAPI document, and what else is served,
 * compares what the two answer.
 */

type Json = { [name: string]: any }
type Operation = {
  id: string
  method: string
  path: string
  parameters: Json[]
  bodies: (Json | undefined)[]
}
type Side = { world: World; workspace: AWorkspace; key: string; baseUrl: string }

const publishAt = new Date(Date.now() + 40 * 86_400_000)
const seriesDay = publishAt.toISOString().slice(0, 10)
const opened = new AsyncDisposableStack()
let sources: Side
let built: Side

beforeAll(async () => {
  const app = opened.use(await openRunningApp())
  sources = app
  built = await startBuilt(app.env)
})
afterAll(() => opened.disposeAsync())

/** With the same settings. */
async function startBuilt(settings: Record<string, string>): Promise<Side> {
  const world = opened.use(await openWorld())
  const workspace = await aWorkspace(world.db)
  const key = await aKey(world.db, workspace)
  const folder = await mkdtemp(join(tmpdir(), 'postrider-built-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const port = await freePort()
  const place = { DATABASE_URL: world.databaseUrl, DATA_DIR: folder, PORT: String(port) }
  const env = { ...settings, ...place }
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, cwd: folder, stdio: 'ignore' })
  const ended = once(child, 'exit')
  opened.defer(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const baseUrl = `http://127.0.0.1:${port}`
  await vi.waitUntil(async () => (await fetch(`${baseUrl}/readyz`).catch(() => null))?.ok, {
    timeout: 60_000,
  })
  return { world, workspace, key, baseUrl }
}

async function readOperations(): Promise<Operation[]> {
  const { paths, components } = (await (await fetch(`${sources.baseUrl}/openapi/json`)).json()) as Json
  return Object.entries(inPlace({ components }, paths) as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, { operationId: id, parameters = [], requestBody }]) => ({
      id,
      method: method.toUpperCase(),
      path,
      parameters,
      bodies: requestBody === undefined ? [undefined] : [...examplesOf(requestBody.content), { unknown: 1 }],
    })),
  )
}

function examplesOf(content: Json): Json[] {
  const { examples, example } = content['application/json'] ?? {}
  return Object.values((examples ?? { one: { value: example } }) as Json).flatMap(({ value }) => value ?? [])
}

/** A post, a picture and a channel of that side, for one request alone. */
async function seed({ world: { db }, workspace: { workspaceId } }: Side): Promise<Json> {
  const channelId = await aChannel(db, workspaceId, { displayName: 'A channel' })
  const said = { states: ['scheduled'] as const, channelIds: [channelId], texts: ['Hello'], publishAt }
  const { postId } = await aPost(db, workspaceId, said)
  const [tokens] = await db<{ editToken: string; controlToken: string }[]>`
    select p.edit_token as "editToken", d.control_token as "controlToken"
    from   post p join destination d on d.workspace_id = p.workspace_id and d.post_id = p.id
    where  p.workspace_id = ${workspaceId} and p.id = ${postId}`
  const mediaId = await aPicture(db, workspaceId)
  return { postId, postIds: postId, channelId, channelIds: channelId, mediaId, mediaIds: mediaId, ...tokens }
}

function fill(node: unknown, values: Json): unknown {
  if (Array.isArray(node)) return node.map((item) => fill(item, values))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => {
      if (name === 'publishAt') return [name, publishAt.toISOString()]
      if (name === 'local') return [name, `${seriesDay}T09:00`]
      if (name === 'date') return [name, seriesDay]
      if (values[name] === undefined) return [name, fill(value, values)]
      return [name, Array.isArray(value) ? [values[name]] : values[name]]
    }),
  )
}

async function ask(side: Side, { method, path, parameters }: Operation, body: Json | undefined, key: string) {
  const values = await seed(side)
  const needed = parameters.filter(
    (one) => one['in'] === 'path' || (one['in'] === 'query' && one['required']),
  )
  const query = new URLSearchParams()
  let address = path
  for (const { name, in: place, schema, example } of needed) {
    const value = String(
      values[name] ?? example ?? schema?.enum?.[0] ?? '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11',
    )
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value))
    else query.set(name, value)
  }
  const filled = fill(body, values) as Json | undefined
  const asked: RequestInit = {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(filled === undefined ? {} : { 'content-type': 'application/json' }),
      // A create carries its key in its body.
      ...(filled !== undefined && 'idempotencyKey' in filled
        ? {}
        : { 'idempotency-key': `${method} ${path}`.replaceAll(/\W/g, '-') }),
    },
    body: filled === undefined ? null : JSON.stringify(filled),
  }
  return read(side, `${address}?${query.toString()}`, asked)
}

/** What a client sees: all but what is another one each time. */
async function read(side: Side, path: string, asked: RequestInit = {}): Promise<string> {
  const ending = new AbortController()
  const answer = await fetch(side.baseUrl + path, { redirect: 'manual', ...asked, signal: ending.signal })
  const headers = Object.fromEntries(answer.headers)
  for (const name of CHANGING) delete headers[name]
  // A stream has no end.
  const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false
  const text = isStream ? '' : await answer.text()
  ending.abort()
  const seen = new Map<string, string>()
  const placeholder = (found: string) => seen.get(found) ?? seen.set(found, `#${seen.size}`).get(found)!
  return `${answer.status} ${JSON.stringify(headers)} ${text}`
    .replaceAll(new RegExp(`(127.0.0.1|localhost):${new URL(side.baseUrl).port}`, 'g'), 'HOST')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|\+00:00)/g, 'TIME')
    .replaceAll(UNIQUE, placeholder)
}

const CHANGING = [
  'date',
  'content-length',
  'etag',
  'ratelimit',
  'x-request-id',
  'request-id',
  'server-timing',
]
/** Ids, tokens and keys. */
const UNIQUE =
  /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|(?:pr_|whsec_)[\w+/=-]+|(?<=oken":"|ursor":"|\/uploads\/)[\w-]{16,}/g

/** Those that differ, since all of them are megabytes. */
function expectEqual(other: readonly string[], own: readonly string[]): void {
  const differing = (some: readonly string[]) => some.filter((_, n) => other[n] !== own[n])
  expect(differing(other)).toEqual(differing(own))
}

test('the build answers each operation as the sources do', { timeout: 600_000 }, async () => {
  const operations = await readOperations()
  const [own, other] = [[], []] as [string[], string[]]
  for (const operation of operations) {
    for (const [n, body] of operation.bodies.entries()) {
      for (const isKnown of [true, false]) {
        const at = `${operation.id} ${n}`
        own.push(`${at} ${await ask(sources, operation, body, isKnown ? sources.key : 'none')}`)
        other.push(`${at} ${await ask(built, operation, body, isKnown ? built.key : 'none')}`)
      }
    }
  }
  expect(operations.length).toBeGreaterThan(50)
  expect(own.filter((answer) => /^\w+ \d+ 2/.test(answer)).length).toBeGreaterThan(operations.length / 2)
  expectEqual(other, own)
})

test('the build serves the same pages, documents and scripts', async () => {
  const [page, docs] = await Promise.all(
    ['/', '/docs/'].map(async (path) => (await fetch(sources.baseUrl + path)).text()),
  )
  const paths = [
    '/',
    '/nothing',
    '/sign-in',
    '/passkeys.js',
    '/openapi',
    '/openapi/json',
    '/openapi/assets/swagger-ui-bundle.js',
    '/problems',
    ...problemCodes.map((code) => `/problems/${code}`),
    '/.well-known/oauth-authorization-server',
    '/oauth/auth',
    '/docs/search-index.json',
    ...(page?.match(/(?<=(?:src|href)=")\/assets\/[^"]+/g) ?? []),
    ...(docs?.match(/(?<=href=")[\w/-]+\.html/g) ?? []).map((path) => `/docs/${path}`),
  ]
  expect(paths.length).toBeGreaterThan(60)
  const [own, other] = [[], []] as [string[], string[]]
  for (const path of paths) {
    own.push(`${path} ${await read(sources, path)}`)
    other.push(`${path} ${await read(built, path)}`)
  }
  expect(own.filter((answer) => /^\S+ 200 /.test(answer)).length).toBeGreaterThan(60)
  expectEqual(other, own)
})
