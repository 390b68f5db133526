import diagnostics from 'node:diagnostics_channel'
import { request } from 'node:http'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSession } from '../src/people/sign-in/session/session-store.ts'
import { client, OWN_PAGE } from './rigs/people-world.ts'
import { openRunningApp, type RunningApp } from './rigs/running-app.ts'

/*
 * A walk over every route of the real server, as it is mounted: no answer repeats a name that the request brought along,
 * and each carries the headers that tell browsers what it may do.
 */

const FOREIGN = 'evil.example'
const FORGED = {
  host: FOREIGN,
  'x-forwarded-host': FOREIGN,
  'x-forwarded-server': FOREIGN,
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '6666',
  'x-original-host': FOREIGN,
  'x-host': FOREIGN,
  forwarded: `for=192.0.2.1;host=${FOREIGN};proto=https`,
}

type Place = { method: string; url: string }
type Answer = { at: string; status: number; headers: Record<string, string>; text: string }

const places: Place[] = []
let app: RunningApp
let answers: Answer[]

beforeAll(async () => {
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
      for (const each of [method].flat()) places.push({ method: each, url })
    })
  }
  diagnostics.subscribe('fastify.initialization', watch)
  // A proxy is believed, so that what it forwards could be, too.
  app = await openRunningApp({
    roles: 'api',
    env: { TRUST_PROXY: '1', X_CLIENT_ID: 'x', X_CLIENT_SECRET: 'y' },
  })
  diagnostics.unsubscribe('fastify.initialization', watch)
  answers = []
  const { personId } = app.workspace.caller.member
  for (const { method, url } of places) {
    const session = await openSession(app.db, personId, client)
    for (const path of pathsOf(url)) answers.push(await send(method, path, session))
  }
}, 120_000)
afterAll(() => app[Symbol.asyncDispose]())

/** A path with something at the place of each parameter, and one that is spelled the wrong way. */
function pathsOf(url: string): string[] {
  const { workspaceId } = app.workspace
  const path = url
    .replace(':workspaceId', workspaceId)
    .replaceAll(/:provider/g, 'x')
    .replaceAll(/:\w+/g, '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11')
    .replace('*', 'unknown')
  return [path, `${path}/x`]
}

function send(method: string, path: string, session: string): Promise<Answer> {
  const { hostname, port } = new URL(app.baseUrl)
  const isAgent = path.startsWith('/agent/')
  const headers = {
    ...FORGED,
    accept: 'text/html, application/json, */*',
    ...(isAgent ? { authorization: `Bearer ${app.key}` } : { cookie: `postrider=${session}`, ...OWN_PAGE }),
    ...(isAgent ? {} : { origin: app.baseUrl }),
    ...(method === 'OPTIONS' ? { 'access-control-request-method': 'POST' } : {}),
    ...(method === 'POST' && path.startsWith('/oauth/token')
      ? { 'content-type': 'application/x-www-form-urlencoded' }
      : {}),
    connection: 'close',
  }
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      let text = ''
      const end = () =>
        resolve({
          at: `${method} ${path}`,
          status: answer.statusCode ?? 0,
          text,
          headers: Object.fromEntries(
            Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
          ),
        })
      // What goes on without end, such as the events of a dashboard, is left after its head.
      if (/event-stream/.test(answer.headers['content-type'] ?? '')) {
        sent.destroy()
        end()
        return
      }
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.on('end', end)
    })
    sent.on('error', reject).end()
  })
}

test('the walk reaches what the server has: the API, its pages, and every endpoint of OAuth', () => {
  expect(answers.length).toBeGreaterThan(200)
  const known = places.map(({ method, url }) => `${method} ${url}`)
  for (const place of ['POST /oauth/reg', 'GET /oauth/auth', 'POST /oauth/token', 'GET /sign-in', 'GET /'])
    expect(known).toContain(place)
  expect(answers.filter(({ status }) => status >= 500).map(({ at }) => at)).toEqual([])
})

test('no answer repeats a host that the request names', () => {
  const repeating = answers.filter(({ headers, text }) =>
    `${JSON.stringify(headers)}${text}`.includes(FOREIGN),
  )
  expect(repeating.map(({ at }) => at)).toEqual([])
})

test('every address in a header leads to our own', () => {
  const absolute = answers.flatMap(({ at, headers }) =>
    [headers['location'], /resource_metadata="([^"]+)"/.exec(headers['www-authenticate'] ?? '')?.[1]]
      .filter((address) => address !== undefined && /^[a-z]+:|^\/\//.test(address))
      .map((address) => ({ at, address: address ?? '' })),
  )
  expect(absolute.filter(({ address }) => new URL(address, 'none:').origin !== app.baseUrl)).toEqual([])
})

test('every answer says who it is, and what a browser may do with it', () => {
  const poor = answers.filter(
    ({ headers }) =>
      !/^[0-9a-f-]{36}$/.test(headers['x-request-id'] ?? '') ||
      headers['x-content-type-options'] !== 'nosniff' ||
      !/default-src 'none'.*frame-ancestors 'none'/.test(headers['content-security-policy'] ?? '') ||
      !['no-referrer', 'same-origin'].includes(headers['referrer-policy'] ?? '') ||
      headers['cache-control'] === undefined,
  )
  expect(poor.map(({ at, headers }) => ({ at, headers }))).toEqual([])
})

test('no page has a script of its own, and no policy allows one', () => {
  const inline = answers.filter(
    ({ headers, text }) =>
      /text\/html/.test(headers['content-type'] ?? '') &&
      /<script(?![^>]*\bsrc=)|\son\w+\s*=|javascript:/i.test(text),
  )
  expect(inline.map(({ at }) => at)).toEqual([])
  const lax = answers.filter(({ headers }) =>
    /script-src[^;]*('unsafe|sha256|nonce|\*|data:|https?:)/.test(headers['content-security-policy'] ?? ''),
  )
  expect(lax.map(({ at }) => at)).toEqual([])
})

test('below /oauth a refusal is an error of OAuth or a page, and a known path names its methods', async () => {
  const refusals = answers.filter(
    ({ at, status }) => / \/oauth\//.test(at) && status >= 400 && !at.startsWith('HEAD'),
  )
  const others = refusals.filter(({ headers, text }) => {
    if (/text\/html/.test(headers['content-type'] ?? '')) return false
    const { error, error_description } = JSON.parse(text) as Record<string, unknown>
    return !/^[a-z_]+$/.test(String(error)) || typeof error_description !== 'string'
  })
  expect(others).toEqual([])
  const paths = [...new Set(places.map(({ url }) => url).filter((url) => url.startsWith('/oauth/')))]
  for (const path of paths) {
    const known = places.filter(({ url }) => url === path).map(({ method }) => method)
    const answer = await send('DELETE', pathsOf(path)[0]!, 'none')
    expect([path, answer.status, answer.headers['allow']]).toEqual([path, 405, known.toSorted().join(', ')])
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'invalid_request' })
  }
})
