import { once } from 'node:events'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../../test/rigs/free-port.ts'
import { addressesOf, findFreePort, listen, NotListening } from './listen.ts'

const HERE = { host: '127.0.0.1', baseUrl: 'http://localhost:4000' }
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)
const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

function aServer(): FastifyInstance {
  const server = fastify({ return503OnClosing: false })
  server.get('/', async () => 'ours')
  ends.push(() => server.close())
  return server
}

/** What answers there: `ours`, the code of the error, or of another program its own text. */
function ask(host: string, port: number, path = '/'): Promise<string> {
  return new Promise((resolve) => {
    get({ host, port, path, agent: false }, (response) => {
      let text = ''
      response.on('data', (part) => (text += String(part)))
      response.on('end', () => resolve(text))
    }).once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
  })
}

async function taken(host: string, port: number): Promise<void> {
  const other = createServer().listen({ host, port })
  ends.push(() => new Promise((resolve) => other.close(resolve)))
  await once(other, 'listening')
}

test.each([
  ['127.0.0.1', 'http://localhost:4000', ['127.0.0.1', '::1']],
  ['localhost', 'http://localhost:4000', ['127.0.0.1', '::1']],
  ['::1', 'http://localhost:4000', ['::1', '127.0.0.1']],
  ['0.0.0.0', 'http://localhost:4000', ['0.0.0.0', '::1']],
  ['::', 'http://localhost:4000', ['::']],
  ['127.0.0.1', 'https://post.example.com', ['127.0.0.1']],
  ['0.0.0.0', 'http://post.example.com', ['0.0.0.0']],
  ['192.0.2.7', 'http://192.0.2.7:4000', ['192.0.2.7']],
])('HOST=%s, opened at %s, listens at %j', (host, baseUrl, addresses) => {
  expect(addressesOf({ host, baseUrl })).toEqual(addresses)
})

test('an address that the machine does not have is left out', async () => {
  const port = await freePort()
  const server = aServer()
  // RFC 3849: for documentation, so nobody's.
  await listen(server, { ...HERE, port }, ['127.0.0.1', '2001:db8::1'])
  expect(await ask('127.0.0.1', port)).toBe('ours')
})

describe.skipIf(!hasIpv6)('with IPv6', () => {
  test.each(['127.0.0.1', '::1', '0.0.0.0'])(
    'HOST=%s answers at both addresses of `localhost`',
    async (host) => {
      const at = { ...HERE, host }
      const port = await findFreePort(at)
      await listen(aServer(), { ...at, port })
      expect(await Promise.all([ask('127.0.0.1', port), ask('::1', port)])).toEqual(['ours', 'ours'])
    },
  )

  test('an address that somebody else listens at is told', async () => {
    const port = await findFreePort(HERE)
    await taken('::1', port)
    const refused = await listen(aServer(), { ...HERE, port }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(NotListening)
    expect(refused).toMatchObject({ host: '::1', cause: { code: 'EADDRINUSE' } })
  })

  test('a request that came in at the second address is answered before the server is closed', async () => {
    const server = aServer()
    const [came, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    server.get('/slow', async () => {
      came.resolve()
      await answer.promise
      return 'late'
    })
    const port = await findFreePort(HERE)
    await listen(server, { ...HERE, port })
    const late = ask('::1', port, '/slow')
    await came.promise
    let closed = false
    const closing = server.close().then(() => (closed = true))
    await expect.poll(() => ask('::1', port)).toBe('ECONNREFUSED')
    expect(closed).toBe(false)
    answer.resolve()
    expect(await late).toBe('late')
    await closing
    expect(await ask('127.0.0.1', port)).toBe('ECONNREFUSED')
  })
})
