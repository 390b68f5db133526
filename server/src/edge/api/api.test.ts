import { operations } from '@postrider/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AN_ID,
  aCaller,
  BASE_URL,
  callers,
  openEdge,
  testRoutes,
  WORKSPACE,
} from '../../../test/rigs/edge.ts'
import { answered, unreachable } from '../../../test/rigs/database-faults.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import { DatabaseAway } from '../../platform/postgres/errors.ts'
import { refuse } from '../operations/refusal.ts'
import { ownRateLimit } from './http/rate-limits.ts'
import type { Readiness } from './http/status-routes.ts'

const good = { authorization: 'Bearer good' }

function knock(body: unknown, headers: Record<string, string> = {}) {
  return {
    method: 'POST' as const,
    url: `/agent/v1/doors/${AN_ID}/knock`,
    headers: { ...good, 'content-type': 'application/json', 'idempotency-key': 'k', ...headers },
    payload: JSON.stringify(body),
  }
}

describe('building', () => {
  test('refuses an operation without a route, a second route, and a route without an operation', async () => {
    const { routes } = testRoutes({ begun: 0, answer: async () => null })
    await expect(openEdge({ routes: routes.slice(1) })).rejects.toThrow('The operation readMe has no route.')
    await expect(openEdge({ routes: [...routes, routes[0]!] })).rejects.toThrow(
      'The operation readMe has two routes.',
    )
    await expect(openEdge({ operations })).rejects.toThrow('No operation is declared for the routes knock.')
  })
})

describe('credentials', () => {
  test.each([
    ['none', undefined],
    ['another scheme', 'Basic Z29vZA=='],
    ['an unknown one', 'Bearer wrong'],
    ['an empty one', 'Bearer '],
    ['one with a space', 'Bearer go od'],
    ['one of great length', `Bearer ${'a'.repeat(5_000)}`],
  ])('with %s the answer is 401 and says where to learn more', async (_, authorization) => {
    await using edge = await openEdge()
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await edge.app.inject({ url: '/agent/v1/channels', headers })
    expect(answer.statusCode).toBe(401)
    expect(answer.json()).toMatchObject({
      code: 'invalid_credential',
      type: `${BASE_URL}/problems/invalid_credential`,
    })
    expect(answer.headers['www-authenticate']).toContain(
      `Bearer resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource/agent/v1"`,
    )
    expect(answer.headers['ratelimit']).toBeUndefined()
  })

  test('the scheme may be written in any case', async () => {
    await using edge = await openEdge()
    const answer = await edge.app.inject({
      url: '/agent/v1/channels',
      headers: { authorization: 'bearer good' },
    })
    expect(answer.statusCode).toBe(200)
  })

  test('credential and permission come before the body is read', async () => {
    await using edge = await openEdge()
    const broken = { method: 'POST' as const, url: '/agent/v1/posts', payload: '{' }
    const type = { 'content-type': 'application/json' }
    expect((await edge.app.inject({ ...broken, headers: type })).statusCode).toBe(401)
    const answer = await edge.app.inject({ ...broken, headers: { ...type, authorization: 'Bearer reader' } })
    expect(answer.json()).toMatchObject({
      status: 403,
      code: 'missing_permission',
      requiredPermission: 'posts:write',
      grantedPermissions: ['posts:read'],
    })
    expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope", scope="posts:write"')
    expect((await edge.app.inject({ ...broken, headers: { ...type, ...good } })).statusCode).toBe(400)
  })
})

describe('rate limits', () => {
  test('no window is said to be longer than it is, whenever it begins', () => {
    const { take } = ownRateLimit('default', 2)
    const resets = Array.from({ length: 10_000 }, (_, n) => take(`client ${n}`).resetSeconds)
    expect(Math.max(...resets)).toBe(60)
  })

  test('each answer tells what is left, and one too many is refused with a time', async () => {
    await using edge = await openEdge({ limits: { perMinute: 2 } })
    const ask = () => edge.app.inject({ url: '/agent/v1/channels', headers: good })
    const [first, second, third] = [await ask(), await ask(), await ask()]
    expect(first.headers['ratelimit-policy']).toBe('"default";q=2;w=60')
    expect(first.headers['ratelimit']).toBe('"default";r=1;t=60')
    expect(second.statusCode).toBe(200)
    expect(third.statusCode).toBe(429)
    expect(third.headers['retry-after']).toMatch(/^\d+$/)
    expect(third.json()).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: Number(third.headers['retry-after']),
    })
    const other = await edge.app.inject({ url: '/agent/v1/me', headers: { authorization: 'Bearer reader' } })
    expect(other.headers['ratelimit']).toContain('r=1')
  })

  test('writes may have a limit of their own', async () => {
    await using edge = await openEdge({ limits: { perMinute: 9, writesPerMinute: 1 } })
    const broken = knock({}, {})
    expect((await edge.app.inject(broken)).statusCode).toBe(400)
    const second = await edge.app.inject(broken)
    expect(second.statusCode).toBe(429)
    expect(second.headers['ratelimit']).toMatch(/^"default";r=7;t=\d+, "writes";r=0;t=\d+$/)
    expect((await edge.app.inject({ url: '/agent/v1/channels', headers: good })).statusCode).toBe(200)
  })

  test('failed authentications are limited by address, without locking out credentials that were good', async () => {
    await using edge = await openEdge({ limits: { failedAuthenticationsPerMinute: 1 } })
    const ask = (secret: string) =>
      edge.app.inject({ url: '/agent/v1/channels', headers: { authorization: `Bearer ${secret}` } })
    expect((await ask('good')).statusCode).toBe(200)
    expect((await ask('wrong')).statusCode).toBe(401)
    expect((await ask('wrong')).statusCode).toBe(429)
    expect((await ask('good')).statusCode).toBe(200)
  })

  test('once failures are limited, the database is not asked about unknown credentials any more', async () => {
    const looked: string[] = []
    await using edge = await openEdge({
      limits: { failedAuthenticationsPerMinute: 3 },
      authenticate: async (_db, secret) => {
        looked.push(secret)
        return null
      },
    })
    const guess = (secret: string) =>
      edge.app.inject({ url: '/agent/v1/channels', headers: { authorization: `Bearer ${secret}` } })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => guess(`wrong${n % 20}`)))
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(3)
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(37)
    expect(looked).toHaveLength(3)
  })

  test('requests that come together with a new credential are no failures, nor is a database that is away', async () => {
    let away = true
    await using edge = await openEdge({
      limits: { failedAuthenticationsPerMinute: 1 },
      authenticate: async (_db, secret) => {
        if (away) throw unreachable('ECONNREFUSED')
        return callers[secret] ?? null
      },
    })
    const ask = () => edge.app.inject({ url: '/agent/v1/channels', headers: good })
    const statuses = async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, ask))
      return [...new Set(answers.map(({ statusCode }) => statusCode))]
    }
    expect(await statuses()).toEqual([503])
    away = false
    expect(await statuses()).toEqual([200])
  })

  test('a credential that is revoked counts as failed from then on', async () => {
    let revoked = false
    await using edge = await openEdge({
      limits: { failedAuthenticationsPerMinute: 1 },
      authenticate: async (_db, secret) => (revoked ? null : (callers[secret] ?? null)),
    })
    const ask = () => edge.app.inject({ url: '/agent/v1/channels', headers: good })
    expect((await ask()).statusCode).toBe(200)
    revoked = true
    expect((await ask()).statusCode).toBe(401)
    expect((await ask()).statusCode).toBe(429)
  })
})

describe('answers', () => {
  test('carry the security headers and a request id of our own, whatever was sent', async () => {
    await using edge = await openEdge()
    for (const url of ['/agent/v1/channels', '/nothing', '/openapi/json', '/agent/v1/posts/%zz']) {
      const { headers } = await edge.app.inject({
        url,
        headers: { ...good, 'x-request-id': 'mine', 'request-id': 'mine' },
      })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(headers['cache-control']).toMatch(/^no-/)
      expect(headers['x-powered-by']).toBeUndefined()
    }
  })

  test('HEAD answers like GET without the body', async () => {
    await using edge = await openEdge()
    const answer = await edge.app.inject({ method: 'HEAD', url: '/agent/v1/channels', headers: good })
    expect({ status: answer.statusCode, body: answer.body }).toEqual({ status: 200, body: '' })
  })

  test('a body on a GET is ignored', async () => {
    await using edge = await openEdge()
    const headers = { ...good, 'content-type': 'application/json' }
    const answer = await edge.app.inject({ method: 'GET', url: '/agent/v1/channels', headers, payload: '{' })
    expect(answer.statusCode).toBe(200)
  })

  test('a plus in the offset of a time is understood as it was meant', async () => {
    await using edge = await openEdge()
    const url = '/agent/v1/calendar?from=2026-11-21T10:00:00+01:00&to=2026-11-22T10:00:00%2B01:00'
    expect((await edge.app.inject({ url, headers: good })).statusCode).toBe(200)
  })

  test('a fault is logged with its stack, and tells the client nothing', async () => {
    const { operations: all, routes } = testRoutes({ begun: 0, answer: async () => null })
    const broken = routes.map((route) =>
      route.operation.id === 'listChannels'
        ? { ...route, handle: () => Promise.reject(new Error('secret inside')) }
        : route,
    )
    await using edge = await openEdge({ operations: all, routes: broken })
    const answer = await edge.app.inject({ url: '/agent/v1/channels', headers: good })
    expect(answer.json()).toMatchObject({ status: 500, code: 'internal_error' })
    expect(answer.body).not.toContain('secret inside')
    const [line] = edge.logged
    expect(line).toMatchObject({
      level: 'error',
      requestId: answer.headers['x-request-id'],
      err: { message: 'secret inside' },
    })
    expect(JSON.stringify(line)).toContain('api.test.ts')
  })

  test.each([
    ['away', '1', unreachable('ECONNREFUSED')],
    ['away', '1', new DatabaseAway('CONNECT_TIMEOUT')],
    ['away', '1', answered('57P01')],
    ['slow or locked', '5', answered('57014')],
    ['slow or locked', '5', answered('40P01')],
    ['slow or locked', '5', new DatabaseAway('POOL_TIMEOUT')],
    ['full', '60', answered('53100')],
  ])(
    'a database that is %s is 503 with a time to come back (%s s), and told once, without a stack',
    async (is, retryAfter, fault) => {
      await using edge = await openEdge({ authenticate: () => Promise.reject(fault) })
      for (let n = 0; n < 3; n++) {
        const answer = await edge.app.inject({ url: '/agent/v1/me', headers: good })
        expect(answer.json()).toMatchObject({ status: 503, code: 'not_ready' })
        expect(answer.headers['retry-after']).toBe(retryAfter)
      }
      const messages = () => edge.logged.map(({ level, msg }) => `${level as string} ${msg as string}`)
      const told = is === 'full' ? 'warn the database has no room left' : `warn the database is ${is}`
      await expect
        .poll(() => messages().toSorted())
        .toEqual(['info request', 'info request', 'info request', told])
      expect(JSON.stringify(edge.logged)).not.toContain('"err"')
    },
  )
})

describe('what operators see', () => {
  test('one line per request, without credential, body or query', async () => {
    await using edge = await openEdge()
    await edge.app.inject({ url: '/agent/v1/posts?q=private&limit=0', headers: good })
    expect(edge.logged).toHaveLength(1)
    expect(edge.logged[0]).toMatchObject({
      operation: 'listPosts',
      method: 'GET',
      path: '/agent/v1/posts',
      address: '127.0.0.1',
      credential: 'agent_key',
      status: 400,
      code: 'validation_failed',
      workspaceId: WORKSPACE,
      credentialId: aCaller().credential.id,
      role: 'owner',
    })
    expect(JSON.stringify(edge.logged)).not.toMatch(/private|good|Bearer/)
  })

  test('a path is logged as its pattern, one that is nowhere not at all, and a probe only when that is asked for', async () => {
    await using edge = await openEdge()
    await edge.app.inject({ url: `/agent/v1/posts/${AN_ID}?q=private`, headers: good })
    await edge.app.inject('/some/secret/path')
    for (const probe of ['/healthz', '/readyz', '/metrics']) await edge.app.inject(probe)
    expect(edge.logged.map(({ method, path, status }) => ({ method, path, status }))).toEqual([
      { method: 'GET', path: '/agent/v1/posts/:postId', status: 400 },
      { method: 'GET', path: undefined, status: 404 },
    ])
    expect(JSON.stringify(edge.logged)).not.toMatch(new RegExp(`private|secret|${AN_ID}`))
  })

  test('metrics count by operation, never by path', async () => {
    await using edge = await openEdge()
    await edge.app.inject({ url: `/agent/v1/posts/${AN_ID}`, headers: good })
    await edge.app.inject('/some/unknown/path')
    const { body, headers } = await edge.app.inject('/metrics')
    expect(headers['content-type']).toContain('text/plain')
    expect(body).toContain('postrider_http_requests_total{operation="readPost",status="500"} 1')
    expect(body).toContain('postrider_http_requests_total{operation="other",status="404"} 1')
    expect(body).not.toContain('unknown/path')
  })

  test('metrics may be closed, or switched off', async () => {
    await using closed = await openEdge({ config: { metrics: { bearer: 'm' } } })
    expect((await closed.app.inject('/metrics')).statusCode).toBe(401)
    expect(
      (await closed.app.inject({ url: '/metrics', headers: { authorization: 'Bearer m' } })).statusCode,
    ).toBe(200)
    await using off = await openEdge({ config: { metrics: 'off' } })
    expect((await off.app.inject('/metrics')).statusCode).toBe(404)
  })

  test('a process whose embedded database does not come back is not alive', async () => {
    const ailment = { status: 'database_down', message: 'It has been gone for 61 seconds.' } as const
    await using edge = await openEdge({ ailment: () => ailment })
    const answer = await edge.app.inject('/healthz')
    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toEqual(ailment)
  })

  test('readiness is told with its reasons', async () => {
    const workers = [{ roles: ['publisher'], heartbeatAgeSeconds: 2, alive: true }]
    const found: Readiness = {
      status: 'not_ready',
      database: 'reachable',
      reason: 'It is older.',
      schema: 'behind',
      workers,
    }
    await using edge = await openEdge({
      readiness: async () => found,
      warnings: async () => ['mail queue: late'],
    })
    const answer = await edge.app.inject('/readyz')
    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toMatchObject({ ...found, warnings: ['mail queue: late'] })
  })
})

describe('writes', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
    await world.db`insert into workspace (id, name) values (${WORKSPACE}, 'Test')`
  })
  afterAll(() => world[Symbol.asyncDispose]())
  const open = async () => {
    await world.db`delete from idempotency_record`
    return openEdge({ db: world.db })
  }

  test('answer as declared, leak nothing else, and say where the new thing is', async () => {
    await using edge = await open()
    const { app, knocks } = edge
    knocks.answer = async () => ({ knockId: AN_ID, note: 'n', secret: 'x' })
    const answer = await app.inject(knock({ confirmed: true }))
    expect(answer.statusCode).toBe(201)
    expect(answer.body).toBe(`{"knockId":"${AN_ID}","note":"n"}`)
    expect(answer.headers['location']).toBe(`/agent/v1/knocks/${AN_ID}`)
    expect(answer.headers['idempotent-replayed']).toBeUndefined()
  })

  test('repeated unchanged, are answered with the very same bytes and not done again', async () => {
    await using edge = await open()
    const { app, knocks, logged } = edge
    const first = await app.inject(knock({ confirmed: true, times: 2 }))
    knocks.answer = async () => refuse('invalid_state', 'Nobody is at home any more.')
    const again = await app.inject({ ...knock({}), payload: '{ "times": 2.0, "confirmed": true }' })
    expect(again.body).toBe(first.body)
    expect({ status: again.statusCode, location: again.headers['location'] }).toEqual({
      status: 201,
      location: first.headers['location'],
    })
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(logged.at(-1)).toMatchObject({ idempotentReplay: true })
    expect(knocks.begun).toBe(1)
  })

  test('the quoted and the bare spelling of a key are one key', async () => {
    await using edge = await open()
    const { app, knocks } = edge
    await app.inject(knock({ confirmed: true }, { 'idempotency-key': 'a"b' }))
    const again = await app.inject(knock({ confirmed: true }, { 'idempotency-key': '"a\\"b"' }))
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(knocks.begun).toBe(1)
  })

  test('a key used for another body or another address is refused', async () => {
    await using edge = await open()
    const { app, knocks } = edge
    await app.inject(knock({ confirmed: true }))
    const body = await app.inject(knock({ confirmed: true, times: 1 }))
    expect(body.json()).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
    const other = knock({ confirmed: true })
    const path = await app.inject({ ...other, url: other.url.replace('9a11', '9a12') })
    expect(path.json()).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
    expect(knocks.begun).toBe(1)
  })

  test('the same key in another workspace is another key', async () => {
    await using edge = await open()
    const { app, knocks } = edge
    const elsewhere = '01900000-0000-7000-8000-0000000000ff'
    await world.db`insert into workspace (id, name) values (${elsewhere}, 'Other') on conflict do nothing`
    callers['elsewhere'] = aCaller({ id: '01900000-0000-7000-8000-0000000000fe' }, elsewhere)
    await app.inject(knock({ confirmed: true }))
    const other = await app.inject(
      knock({ confirmed: true, times: 3 }, { authorization: 'Bearer elsewhere' }),
    )
    expect(other.statusCode).toBe(201)
    expect(knocks.begun).toBe(2)
  })

  test('a refusal carries its facts, and leaves the key unused', async () => {
    await using edge = await open()
    const { app, knocks } = edge
    const done = knocks.answer
    knocks.answer = async () =>
      refuse('invalid_state', 'Closed.', { currentStatus: 'closed', allowedStatuses: ['open'] })
    const refused = await app.inject(knock({ confirmed: true }))
    expect(refused.json()).toMatchObject({
      status: 409,
      code: 'invalid_state',
      detail: 'Closed.',
      currentStatus: 'closed',
    })
    knocks.answer = done
    expect((await app.inject(knock({ confirmed: true, times: 4 }))).statusCode).toBe(201)
  })

  test('a fault in the handler leaves the key unused, too', async () => {
    await using edge = await open()
    const { app, knocks } = edge
    const done = knocks.answer
    knocks.answer = () => Promise.reject(new Error('broken'))
    expect((await app.inject(knock({ confirmed: true }))).statusCode).toBe(500)
    knocks.answer = done
    expect((await app.inject(knock({ confirmed: true }))).statusCode).toBe(201)
  })

  test('a hundred equal requests at once have one effect', async () => {
    await using edge = await open()
    const { app, knocks } = edge
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => app.inject(knock({ confirmed: true }))),
    )
    expect(knocks.begun).toBe(1)
    const kinds = answers.map(({ statusCode, json, headers }) =>
      statusCode === 201
        ? `201 ${String(headers['idempotent-replayed'])}`
        : `${statusCode} ${json<{ code: string }>().code}`,
    )
    expect(kinds.filter((kind) => kind === '201 undefined')).toHaveLength(1)
    expect(new Set(kinds)).not.toContain('500 internal_error')
    expect(
      [...new Set(kinds)].every((kind) =>
        ['201 undefined', '201 true', '409 idempotency_in_progress'].includes(kind),
      ),
    ).toBe(true)
  })
})

test.each([
  ['https://postrider.test', 'max-age=31536000'],
  ['http://localhost:4000', null],
])('browsers of %s keep to https: %s', async (baseUrl, policy) => {
  await using edge = await openEdge({ config: { baseUrl } })
  for (const url of ['/healthz', '/agent/v1/channels', '/nothing'])
    expect((await edge.app.inject(url)).headers['strict-transport-security'] ?? null).toBe(policy)
})
