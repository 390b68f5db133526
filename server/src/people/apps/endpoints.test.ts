import { request } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type OAuthWorld, openOAuthWorld } from '../../../test/rigs/oauth-world.ts'

/*
 * The authorization server answers at the addresses of its table, spelled as they stand there, within their limits. Another
 * spelling of one of them is not found: a router that takes it for the same would pass it by the limit.
 */

const PER_MINUTE = 3
const CLIENT = JSON.stringify({
  redirect_uris: ['https://agent.example/callback'],
  token_endpoint_auth_method: 'none',
})

type Raw = {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Sends a path as it is spelled: `fetch` would put it in order first. */
function send(
  { baseUrl }: Pick<OAuthWorld, 'baseUrl'>,
  method: string,
  path: string,
  { body = '', headers = {} }: { body?: string; headers?: Record<string, string> } = {},
): Promise<Raw> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-type': 'application/json', 'content-length': body.length }
    const sent = request({ hostname, port, method, path, headers: { ...length, ...headers } }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
    })
    sent.on('error', reject).end(body)
  })
}

/** Ways to write a path that a lenient router takes for the same one. */
const respellings: Record<string, (path: string, at: number) => string> = {
  'a slash at its end': (path) => `${path}/`,
  'capital letters': (path) => path.toUpperCase(),
  'one capital letter': (path, at) => path.slice(0, at) + path.charAt(at).toUpperCase() + path.slice(at + 1),
  'a letter in percent-encoding': (path, at) =>
    `${path.slice(0, at)}%${path.charAt(at) === '' ? 'zz' : path.charCodeAt(at).toString(16)}${path.slice(at + 1)}`,
  'two slashes': (path, at) => {
    const slash = path.indexOf('/', at) === -1 ? 0 : path.indexOf('/', at)
    return `${path.slice(0, slash)}/${path.slice(slash)}`
  },
  'a segment that is a dot': (path) => path.replace(/\/([^/]*)$/, '/./$1'),
  'a segment that is left again': (path) => path.replace(/\/([^/]*)$/, '/x/../$1'),
  'a parameter of the segment': (path) => `${path};x=1`,
  'a space': (path) => `${path}%20`,
  'a NUL': (path) => `${path}%00`,
  'a backslash': (path) => path.replace(/\/([^/]*)$/, '%5c$1'),
  'a slash in percent-encoding': (path) => path.replace(/\/([^/]*)$/, '%2f$1'),
  'a letter of full width': (path) => path.replace(/[a-z]$/, '%EF%BD%87'),
}

/** Whether it begins with a slash, and what it escapes can be read. */
function isPath(written: string): boolean {
  try {
    return written.startsWith('/') && decodeURIComponent(written) !== ''
  } catch {
    return false
  }
}

const spelled = fc.record({
  path: fc.constantFrom(
    '/oauth/reg',
    '/oauth/auth',
    '/oauth/token',
    '/oauth/token/revocation',
    '/oauth/jwks',
  ),
  method: fc.constantFrom('GET', 'POST', 'OPTIONS'),
  how: fc.array(fc.constantFrom(...Object.values(respellings)), { maxLength: 2 }),
  at: fc.nat({ max: 10 }),
  query: fc.constantFrom('', '?', '?x', '?x=1&y'),
})

const world = await openOAuthWorld({ registrationsPerMinute: 100_000 })
afterAll(() => world[Symbol.asyncDispose]())
const { db } = world.world
const clients = async () => (await db`select from oauth_artifact where model = 'Client'`).length

describe('any spelling of an address', () => {
  beforeEach(() => db`delete from oauth_artifact`)

  test('is the one of the table, or is not found and stores nothing', async () => {
    await fc.assert(
      fc.asyncProperty(spelled, async ({ path, method, how, at, query }) => {
        const written = how.reduce<string>((text, spell) => spell(text, at), path)
        const before = await clients()
        const { status } = await send(world, method, written + query, {
          body: method === 'POST' ? CLIENT : '',
        })
        const registered = (await clients()) > before
        if (written === path) expect(registered).toBe(method === 'POST' && path === '/oauth/reg')
        else {
          // Below `/oauth/auth/` stands the id of a request, whatever it looks like: an address of its own.
          const refused = /^\/oauth\/auth\/[^/]+$/.test(written)
            ? [400, 404, 405]
            : [isPath(written) ? 404 : 400]
          expect({ written, registered, isRefused: refused.includes(status) }).toEqual({
            written,
            registered: false,
            isRefused: true,
          })
        }
      }),
      {
        numRuns: 150,
        examples: [
          [
            {
              path: '/oauth/reg',
              method: 'POST',
              how: [respellings['a letter in percent-encoding']!],
              at: 10,
              query: '',
            },
          ],
        ],
      },
    )
  })

  test.each(Object.entries(respellings))('%s', async (_what, spell) => {
    const written = spell('/oauth/reg', 8)
    const { status } = await send(world, 'POST', written, { body: CLIENT })
    expect({ written, status, clients: await clients() }).toEqual({ written, status: 404, clients: 0 })
  })
})

test('a query after the address of registration does not pass its limit', async () => {
  await using world = await openOAuthWorld({ registrationsPerMinute: PER_MINUTE })
  const statuses = []
  for (const query of ['', '?', '?x', '?x=1'])
    statuses.push((await send(world, 'POST', `/oauth/reg${query}`, { body: CLIENT })).status)
  expect(statuses).toEqual([201, 201, 201, 429])
})

test('whatever is refused has the id of its request, an error or a problem, and the methods that there are', async () => {
  await using world = await openOAuthWorld({ registrationsPerMinute: PER_MINUTE })
  const refused = [
    ['PUT', '/oauth/token', 405, 'OPTIONS, POST'],
    ['DELETE', '/oauth/auth', 405, 'GET, HEAD'],
    ['PUT', '/oauth/reg', 405, 'POST'],
    ['POST', '/oauth/token', 400, undefined],
    ['POST', '/oauth/token/revocation', 400, undefined],
    ['DELETE', '/oauth/nothing', 404, undefined],
    // Refused before anything of it is read: no more is known of it than that it came.
    ['BREW', '/oauth/token', 501, undefined],
  ] as const
  for (const [method, path, status, allow] of refused) {
    const { headers, text, ...answer } = await send(world, method, path)
    const { error, code = error } = JSON.parse(text) as { error?: string; code?: string }
    expect({ path, ...answer, allow: headers['allow'], id: headers['x-request-id'], code }).toEqual({
      path,
      status,
      allow,
      id: expect.stringMatching(/./),
      code: expect.stringMatching(/^[a-z_]+$/),
    })
  }
})
