import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aPost } from '../rigs/fixtures.ts'
import { answerOn, openSocket, statusOf } from './raw-socket.ts'
import { openServerProcess, peakGrowth, type ServerProcess } from './server-process.ts'

/*
 * What strangers may do to the sockets of a server: nothing of it ends the process, keeps memory or descriptors, or
 * shuts others out. What single connections are answered is in server/src/edge/api/http/sockets.test.ts.
 */

const MEGABYTE = 1_000_000

let server: ServerProcess
beforeAll(async () => {
  server = await openServerProcess()
  const { world, workspace } = server
  for (let n = 0; n < 100; n++) await aPost(world.db, workspace.workspaceId, { texts: ['a'.repeat(1_000)] })
  // What is loaded with the first request is no growth.
  for (const path of ['/healthz', '/openapi/assets/swagger-ui-bundle.js', '/metrics']) {
    await (await fetch(server.baseUrl + path)).arrayBuffer()
  }
})
afterAll(() => server[Symbol.asyncDispose]())

async function expectWell(): Promise<void> {
  server.expectRunning()
  expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200)
  expect(server.logged()).not.toMatch(/"level":"(error|fatal)"/)
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const post = (path: string, ...headers: string[]) =>
  `POST ${path} HTTP/1.1\r\n${['Host: x', 'Content-Type: application/json', ...headers].join('\r\n')}\r\n\r\n`

/** How a connection may begin. What it does after that is up to chance. */
function beginnings(key: string): (string | Buffer)[] {
  const authorized = `Authorization: Bearer ${key}`
  return [
    '',
    'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
    'CONNECT / HTTP/1.0\r\n\r\n',
    `${get('/healthz')}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x05hello',
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
    Buffer.from('16030100f4010000f00303', 'hex'),
    'GET /healthz HTTP/1.1\r\nHo',
    'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
    'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET http://other.example/healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(3_000)}\r\n`,
    get('/healthz').repeat(200),
    `${get('/openapi')}garbage\r\n\r\n`,
    post('/agent/v1/posts', 'Content-Length: 1000'),
    post('/agent/v1/posts', authorized, 'Content-Length: 1000'),
    post('/agent/v1/posts', authorized, 'Transfer-Encoding: chunked') + 'zz\r\n',
    post('/agent/v1/posts', authorized, 'Transfer-Encoding: chunked') + '1\r\n{\r\n',
    post('/agent/v1/posts', authorized, 'Expect: 100-continue', 'Content-Length: 10'),
    post('/agent/v1/media', authorized, 'Idempotency-Key: k', 'Content-Length: 1000') + '--x\r\n',
    post('/nothing', 'Transfer-Encoding: chunked') + 'ffffffffff\r\n',
  ]
}

test('a stranger’s CONNECT that is reset ends nothing', async () => {
  for (let n = 0; n < 20; n++) {
    const socket = await openSocket(server.port)
    socket.write('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n')
    if (n % 2 === 0) await delay(5)
    socket.resetAndDestroy()
  }
  await expectWell()
})

test('connections that speak something else, break off or are reset leave nothing behind', async () => {
  const choices = beginnings(server.key)
  const chaos = async () => {
    const socket = await openSocket(server.port)
    socket.write(choices[randomInt(choices.length)] ?? '')
    await delay(randomInt(30))
    const end = randomInt(5)
    if (end === 0) socket.resetAndDestroy()
    else if (end === 1) socket.end()
    else if (end === 2) socket.destroy()
    else {
      socket.write(Buffer.from(Array.from({ length: 50 }, () => randomInt(256))))
      await delay(randomInt(30))
      socket.resetAndDestroy()
    }
  }
  const growth = await peakGrowth(server, async () => {
    for (let round = 0; round < 25; round++) await Promise.all(Array.from({ length: 40 }, chaos))
  })
  expect(growth).toBeLessThan(100 * MEGABYTE)
  await expectWell()
  await expect.poll(() => socketsOf(server.pid), { timeout: 10_000 }).toBeLessThan(20)
})

test.each([
  ['static files', '/openapi/assets/swagger-ui-bundle.js', 50],
  ['documents', '/openapi/json', 50],
  // These are made for each request, which leaves something to collect.
  ['lists of the API', '/agent/v1/posts?limit=100', 100],
])('answers that nobody reads cost next to nothing: %s', async (_, path, megabytes) => {
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\n\r\n`
  // What answering takes by itself, read or not, is no growth.
  for (let n = 0; n < 100; n++) {
    const answer = await fetch(server.baseUrl + path, { headers: { authorization: `Bearer ${server.key}` } })
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(50_000)
  }
  const sockets: Socket[] = []
  const growth = await peakGrowth(server, async () => {
    for (let n = 0; n < 40; n++) {
      const socket = await openSocket(server.port)
      socket.pause()
      socket.write(request.repeat(60))
      sockets.push(socket)
    }
    await delay(2_000)
  })
  for (const socket of sockets) socket.destroy()
  expect(growth).toBeLessThan(megabytes * MEGABYTE)
  await expectWell()
})

test('of requests that are sent ahead, only some wait in memory', async () => {
  const sockets: Socket[] = []
  const growth = await peakGrowth(server, async () => {
    for (let n = 0; n < 40; n++) {
      const socket = await openSocket(server.port)
      socket.pause()
      for (let piece = 0; piece < 20; piece++) socket.write(get('/openapi/json').repeat(1_000))
      sockets.push(socket)
    }
    await delay(2_000)
  })
  for (const socket of sockets) socket.destroy()
  expect(growth).toBeLessThan(150 * MEGABYTE)
  await expectWell()
})

test('whoever sends bodies drop by drop to where nobody wants them is cut off', async () => {
  const targets = [
    post('/nothing', 'Content-Length: 100000'),
    post('/agent/v1/posts', 'Transfer-Encoding: chunked'),
    post('/agent/v1/posts', 'Authorization: Bearer pr_wrong', 'Content-Length: 100000'),
    post('/agent/v1/media', 'Content-Length: 100000'),
  ]
  const cutOff = targets.map(async (head) => {
    const socket = await openSocket(server.port)
    const drip = setInterval(() => socket.write('1\r\na\r\n'), 100)
    socket.write(head)
    const answer = await answerOn(socket, 20_000)
    clearInterval(drip)
    expect(socket.destroyed).toBe(true)
    return statusOf(answer)
  })
  expect(await Promise.all(cutOff)).toEqual([404, 401, 401, 401])
})

test('with few file descriptors, 120 connections of one address shut nobody else out, nor the database', async () => {
  await using small = await openServerProcess({ descriptors: 128 })
  const sockets = await Promise.all(
    Array.from({ length: 120 }, async (_, n) => {
      const socket = await openSocket(small.port)
      socket.write(n % 2 === 0 ? 'GET /healthz HTTP/1.1\r\nHo' : post('/agent/v1/posts', 'Content-Length: 9'))
      return socket
    }),
  )
  const drip = setInterval(() => sockets.forEach((socket) => socket.write('a')), 200)
  try {
    // On Linux, all of 127.0.0.0/8 is this machine.
    for (let n = 0; n < 5; n++) {
      const neighbour = await openSocket(small.port, '127.0.0.2')
      neighbour.write(
        `GET /agent/v1/channels HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${small.key}\r\nConnection: close\r\n\r\n`,
      )
      expect(statusOf(await answerOn(neighbour))).toBe(200)
    }
    small.expectRunning()
  } finally {
    clearInterval(drip)
    for (const socket of sockets) socket.destroy()
  }
})

test('connections that are held open do not hold up the end of the process', async () => {
  await using held = await openServerProcess()
  const sockets = await Promise.all(
    beginnings(held.key).map(async (bytes) => {
      const socket = await openSocket(held.port)
      socket.write(bytes)
      return socket
    }),
  )
  await delay(200)
  const { code, tookMs } = await held.stop()
  for (const socket of sockets) socket.destroy()
  expect({ code, logged: held.logged() }).toMatchObject({ code: 0 })
  // STOP_SECONDS is 10, and a body that is still coming in may take all of it.
  expect(tookMs).toBeLessThan(20_000)
})

function socketsOf(pid: number): number {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/fd`).length - 30 : 0
}
