import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Edge, openEdge, testRoutes } from '../../../../test/rigs/edge.ts'
import { remoteParty } from '../../../platform/outbound/remote-party.ts'
import type { ConnectionRules } from './connections.ts'

const head = [
  'POST /agent/v1/posts HTTP/1.1',
  'Host: localhost',
  'Authorization: Bearer good',
  'Connection: close',
]

async function open(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  return socket
}

describe('what comes over a real socket', () => {
  let edge: Edge
  let port: number
  beforeAll(async () => {
    edge = await openEdge()
    await edge.app.listen({ host: '127.0.0.1', port: 0 })
    port = (edge.app.server.address() as AddressInfo).port
  })
  afterAll(() => edge[Symbol.asyncDispose]())

  /** Sends these bytes as they are, and reads what comes back until the server closes. */
  async function send(...pieces: (string | Buffer)[]) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const answer = text(socket)
    // The server may hang up while a large body is still being written.
    socket.on('error', () => socket.destroy())
    for (const piece of pieces) socket.write(piece)
    const whole = await answer
    const [status = '', ...rest] = whole.split('\r\n')
    const body = whole.slice(whole.indexOf('\r\n\r\n') + 4)
    return { status: Number(status.split(' ')[1]), headers: rest.join('\n').toLowerCase(), body }
  }

  function chunked(...chunks: Buffer[]): Buffer {
    const framed = chunks.flatMap((chunk) => [
      Buffer.from(`${chunk.length.toString(16)}\r\n`),
      chunk,
      Buffer.from('\r\n'),
    ])
    return Buffer.concat([...framed, Buffer.from('0\r\n\r\n')])
  }

  const asJson = [...head, 'Content-Type: application/json']
  const chunkedHead = `${[...asJson, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n`
  const withLength = (length: number, ...more: string[]) =>
    `${[...asJson, `Content-Length: ${length}`, ...more].join('\r\n')}\r\n\r\n`

  function expectProblem(answer: Awaited<ReturnType<typeof send>>, status: number, code: string) {
    expect(answer.status).toBe(status)
    expect(answer.headers).toContain('content-type: application/problem+json')
    const problem = JSON.parse(answer.body) as { code: string; status: number; requestId: string }
    expect(problem).toMatchObject({ code, status })
    expect(answer.headers).toContain(`x-request-id: ${problem.requestId}`)
  }

  test('a chunked body above 1 MiB is refused before its end', async () => {
    const piece = Buffer.alloc(600_000, 'a')
    const answer = await send(chunkedHead, chunked(piece, piece, piece))
    expectProblem(answer, 413, 'malformed_request')
  })

  test('a body that announces more than 1 MiB is refused before it is sent', async () => {
    expectProblem(await send(withLength(50_000_000)), 413, 'malformed_request')
  })

  test('a chunked body below 1 MiB is read', async () => {
    expectProblem(
      await send(chunkedHead, chunked(Buffer.from('{"conf'), Buffer.from('irmed":true}'))),
      400,
      'idempotency_key_required',
    )
  })

  test('invalid UTF-8 is refused, split characters are not', async () => {
    const invalid = Buffer.from([0x7b, 0x22, 0xe2, 0x82, 0x22, 0x3a, 0x31, 0x7d])
    expectProblem(await send(withLength(invalid.length), invalid), 400, 'malformed_request')
    const euro = Buffer.from('{"text":"€"}')
    const split = chunked(euro.subarray(0, 10), euro.subarray(10))
    expectProblem(await send(chunkedHead, split), 400, 'confirmation_required')
  })

  test('two content types are refused', async () => {
    expectProblem(await send(withLength(2, 'content-type: text/plain'), '{}'), 400, 'malformed_request')
  })

  test('headers above the limit are a problem, too', async () => {
    const answer = await send(`GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`)
    expectProblem(answer, 431, 'malformed_request')
  })

  test.each([
    ['BREW', '/agent/v1/posts', 501],
    ['get', '/agent/v1/posts', 501],
    ['PROPFIND', '/agent/v1/posts', 405],
    ['PROPFIND', '/agent/v1/nothing', 404],
  ])('%s %s is answered with a problem and %d', async (method, path, status) => {
    const answer = await send(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    expectProblem(answer, status, status === 404 ? 'not_found' : 'method_not_allowed')
    expect(answer.headers).toMatch(/^x-request-id: /m)
    if (status === 405) expect(answer.headers).toMatch(/^allow: get, head, post$/m)
  })

  test.each([
    ['noise', 'nonsense\r\n\r\n'],
    ['a request without a host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a request for a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: localhost\r\nbroken\r\n\r\n'],
    [
      'length and chunks at once',
      `${[...asJson, 'Content-Length: 2', 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n{}`,
    ],
    ['two lengths', withLength(2, 'Content-Length: 3')],
    ['a broken chunk', `${chunkedHead}zz\r\n`],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS handshake', Buffer.from('16030100f4010000f00303', 'hex')],
  ])('%s is a problem, and no more', async (_, bytes) => {
    expectProblem(await send(bytes), 400, 'malformed_request')
  })

  test.each([
    ['two hosts', '@Host', asJson, ['host: other.example']],
    ['two credentials', '@Authorization', asJson, ['authorization: Bearer reader']],
    ['two content types', '@Content-Type', asJson, ['content-type: text/plain']],
    ['a coding beside chunks', '@Transfer-Encoding', asJson, ['Transfer-Encoding: gzip, chunked']],
  ])('%s are refused, and named', async (_, pointer, sent, more) => {
    const answer = await send(`${[...sent, ...more].join('\r\n')}\r\n\r\n`)
    expectProblem(answer, 400, 'malformed_request')
    expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ pointer }] })
  })

  test('a body that is compressed is refused, not taken for what it is not', async () => {
    const bytes = gzipSync('{"confirmed":true}')
    const answer = await send(withLength(bytes.length, 'Content-Encoding: gzip'), bytes)
    expectProblem(answer, 415, 'malformed_request')
    expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ pointer: '@Content-Encoding' }] })
  })

  test('a wish for another protocol is not granted, and the request is answered', async () => {
    const upgrade = ['Connection: Upgrade, close', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
    const answer = await send(`${['GET /healthz HTTP/1.1', 'Host: x', ...upgrade].join('\r\n')}\r\n\r\n`)
    expect(answer).toMatchObject({ status: 200, body: '{"status":"ok"}' })
  })

  test('an expectation is met with a go-ahead or with an answer', async () => {
    const goAhead = await send(withLength(2, 'Expect: 100-continue'), '{}')
    expect(goAhead.status).toBe(100)
    expect(goAhead.body).toContain('confirmation_required')
    expectProblem(await send(withLength(2, 'Expect: miracles'), '{}'), 400, 'confirmation_required')
  })

  test('whoever is refused is told so before a body is sent', async () => {
    const unknown = ['POST /nothing HTTP/1.1', 'Host: x', 'Expect: 100-continue', 'Content-Length: 9']
    expectProblem(await send(`${unknown.join('\r\n')}\r\n\r\n`), 404, 'not_found')
    const nobody = [...unknown.with(0, 'POST /agent/v1/posts HTTP/1.1'), 'Content-Type: application/json']
    expectProblem(await send(`${nobody.join('\r\n')}\r\n\r\n`), 401, 'invalid_credential')
  })

  test('a client that leaves in the middle of a body is no fault of ours', async () => {
    const closed = new Promise((resolve) =>
      edge.app.server.once('connection', (theirs: Socket) => theirs.once('close', resolve)),
    )
    const socket = await open(port)
    socket.write(`${withLength(50)}{"conf`)
    await delay(50)
    socket.resetAndDestroy()
    await closed
    expect(edge.logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('nothing of it counts as our fault', async () => {
    const answer = await send('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect(answer.body).toBe('{"status":"ok"}')
    expect(edge.logged.filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('a connection', () => {
  /** An edge that listens, with other rules for connections. */
  async function listening(rules: Partial<ConnectionRules>, options: Parameters<typeof openEdge>[0] = {}) {
    const edge = await openEdge({ ...options, config: { connections: rules } })
    await edge.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = edge.app.server.address() as AddressInfo
    return { ...edge, port }
  }
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const authorized = 'Authorization: Bearer good\r\n'
  const statuses = (answers: string) => [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)

  test('has its requests answered one after the other, in order', async () => {
    const { operations, routes } = testRoutes({ begun: 0, answer: async () => null })
    let atOnce = 0
    let most = 0
    const counting = routes.map((route) =>
      route.operation.id !== 'listChannels'
        ? route
        : {
            ...route,
            handle: async () => {
              most = Math.max(most, ++atOnce)
              await delay(5)
              atOnce--
              return []
            },
          },
    )
    await using edge = await listening({}, { operations, routes: counting })
    const socket = await open(edge.port)
    const answers = text(socket)
    const one = get('/agent/v1/channels', authorized)
    socket.write(`${one.repeat(20)}${get('/nothing')}${get('/healthz', 'Connection: close\r\n')}`)
    expect(statuses(await answers)).toEqual([...Array.from({ length: 20 }, () => '200'), '404', '200'])
    expect(most).toBe(1)
  })

  test('is closed when more is sent ahead than may wait', async () => {
    await using edge = await listening({ waiting: 3 })
    const [fits, exceeds] = [await open(edge.port), await open(edge.port)]
    const answers = [text(fits), text(exceeds)]
    fits.write(get('/healthz').repeat(3) + get('/healthz', 'Connection: close\r\n'))
    exceeds.write(get('/healthz').repeat(50))
    const [all = '', none = ''] = await Promise.all(answers)
    expect(statuses(all)).toEqual(['200', '200', '200', '200'])
    expect(statuses(none).length).toBeLessThan(50)
  })

  test('is dropped when its peer takes nothing of the answer', async () => {
    await using edge = await listening({ unreadMs: 500 })
    const socket = await open(edge.port)
    socket.pause()
    socket.write(get('/openapi/assets/swagger-ui-bundle.js').repeat(20))
    await expect.poll(() => connectionsOf(edge), { timeout: 10_000 }).toBe(0)
    socket.destroy()
  })

  test('with the largest answer of all that wait is dropped when they hold too much memory together', async () => {
    await using edge = await listening({ unreadBytes: 4_000_000 })
    const path = '/openapi/assets/swagger-ui-bundle.js'
    const large = await Promise.all(Array.from({ length: 12 }, () => open(edge.port)))
    for (const socket of large) socket.pause().write(get(path).repeat(20))
    const small = await open(edge.port)
    small.write(get('/healthz'))
    await once(small, 'data')
    // As many are left as fit, and whoever reads goes on.
    await expect.poll(() => connectionsOf(edge), { timeout: 10_000 }).toBeLessThan(6)
    const answers = text(small)
    small.write(get('/healthz', 'Connection: close\r\n'))
    expect(statuses(await answers)).toEqual(['200'])
    for (const socket of large) socket.destroy()
  })

  test('may be slow in taking its answer, as long as it goes on', async () => {
    await using edge = await listening({ unreadMs: 3_000 })
    const socket = await open(edge.port)
    const path = '/openapi/assets/swagger-ui-bundle.js'
    const whole = Buffer.byteLength((await edge.app.inject(path)).rawPayload)
    socket.write(get(path).repeat(10) + get('/healthz', 'Connection: close\r\n'))
    let bytes = 0
    for await (const chunk of socket) {
      bytes += (chunk as Buffer).length
      if (bytes < 2 * whole) await delay(100)
    }
    expect(bytes).toBeGreaterThan(10 * whole)
  })

  test('with a body that was refused is closed after a moment, and not before the answer is read', async () => {
    await using edge = await listening({ drainMs: 100 })
    const socket = await open(edge.port)
    const answers = text(socket)
    socket.write('POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc')
    expect(await answers).toContain('404 Not Found')
  })

  test('goes on when the body that was refused has come whole', async () => {
    await using edge = await listening({ drainMs: 100 })
    const socket = await open(edge.port)
    const answers = text(socket)
    const body = 'a'.repeat(100_000)
    socket.write(`POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    await delay(300)
    socket.write(get('/healthz', 'Connection: close\r\n'))
    expect(statuses(await answers)).toEqual(['404', '200'])
  })

  test('with a body that was refused counts as busy while its next request is answered', async () => {
    const [begun, answer] = [Promise.withResolvers<null>(), Promise.withResolvers<unknown[]>()]
    const { operations, routes } = testRoutes({ begun: 0, answer: async () => null })
    const handle = () => {
      begun.resolve(null)
      return answer.promise
    }
    const slow = routes.map((route) => (route.operation.id === 'listChannels' ? { ...route, handle } : route))
    await using edge = await listening({ drainMs: 50, perAddress: 1 }, { operations, routes: slow })
    const socket = await open(edge.port)
    const answers = text(socket)
    const refused = once(socket, 'data')
    socket.write('POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab')
    await refused
    socket.write(`cde${get('/agent/v1/channels', `${authorized}Connection: close\r\n`)}`)
    await begun.promise

    await delay(200)
    expect(await text(await open(edge.port))).toContain('429 Too Many Requests')

    answer.resolve([])
    expect(statuses(await answers)).toEqual(['404', '200'])
  })

  test('that is refused many times in a moment is watched no more for each', async () => {
    await using edge = await listening({})
    const socket = await open(edge.port)
    const watching = new Promise<Socket>((resolve) =>
      edge.app.server.once('request', ({ socket: of }) => resolve(of)),
    )
    let heads = ''
    socket.on('data', (bytes: Buffer) => (heads += bytes.toString()))
    const refuse = async (nth: number) => {
      socket.write('POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na')
      await expect.poll(() => statuses(heads).length).toBe(nth)
      socket.write('b')
    }
    await refuse(1)
    const before = (await watching).listenerCount('close')
    for (let nth = 2; nth <= 5; nth += 1) await refuse(nth)
    expect((await watching).listenerCount('close')).toBe(before)
    socket.destroy()
  })

  test.each([
    ['nothing', ''],
    ['half a head', 'GET /healthz HTTP/1.1\r\nHo'],
  ])('that has sent %s is given up, in words', async (_, bytes) => {
    await using edge = await listening({ headMs: 300 })
    const socket = await open(edge.port)
    const answers = text(socket)
    socket.write(bytes)
    expect(await answers).toContain('408 Request Timeout')
  })

  test.each([
    ['blank lines', '', '\r\n', ['408']],
    ['blank lines after an answer', get('/healthz'), '\r\n', ['200', '408']],
    ['a head letter by letter', 'GET /', 'a', ['408']],
    ['a head letter by letter after an answer', `${get('/healthz')}GET /`, 'a', ['200', '408']],
    ['header after header', 'GET /healthz HTTP/1.1\r\n', 'x: y\r\n', ['408']],
  ])('that drips %s is given up after the time for a head', async (_, first, drop, answered) => {
    await using edge = await listening({ headMs: 1_000 })
    const socket = await open(edge.port)
    const answers = text(socket)
    socket.write(first)
    const drip = setInterval(() => socket.write(drop), 100)
    expect(statuses(await answers)).toEqual(answered)
    clearInterval(drip)
  })

  test('that cannot be accepted ends nothing', async () => {
    await using edge = await listening({})
    edge.app.server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
    expect(edge.logged.at(-1)).toMatchObject({ level: 'warn', err: { code: 'EMFILE' } })
    expect((await edge.app.inject('/healthz')).statusCode).toBe(200)
  })

  test('whose body stands still is given up, in words', async () => {
    await using edge = await listening({ bodyMs: 500 })
    const socket = await open(edge.port)
    const answers = text(socket)
    socket.write(
      `${[...head.slice(0, 3), 'Content-Type: application/json', 'Content-Length: 50'].join('\r\n')}\r\n\r\n{`,
    )
    expect(await answers).toContain('408 Request Timeout')
    expect(edge.knocks.begun).toBe(0)
  })

  test.each([
    ['byte after byte', 1],
    ['steadily', 8_192],
  ])('whose body comes %s for longer than a body may take is given up, in words', async (_, bytes) => {
    await using edge = await listening({ bodyMs: 1_000, bodyBytes: 8_192, wholeBodyMs: 2_500 })
    const socket = await open(edge.port)
    const answers = text(socket)
    socket.write(
      `${[...head.slice(0, 3), 'Content-Type: application/json', 'Content-Length: 1000000'].join('\r\n')}\r\n\r\n{"text":"`,
    )
    const drip = setInterval(() => socket.write('a'.repeat(bytes)), 100)
    expect(await answers).toContain('408 Request Timeout')
    clearInterval(drip)
    expect(edge.knocks.begun).toBe(0)
  })

  test('more than one address may have is refused in words, unless another one is idle', async () => {
    await using edge = await listening({ perAddress: 2 })
    const [first, second] = [await open(edge.port), await open(edge.port)]
    const refused = await text(await open(edge.port))
    expect(refused).toContain('429 Too Many Requests')
    expect(refused).toContain('"code":"rate_limited"')

    first.write(get('/healthz'))
    await once(first, 'data')
    const gone = once(first, 'close')
    const third = await open(edge.port)
    const answers = text(third)
    third.write(get('/healthz', 'Connection: close\r\n'))
    expect(statuses(await answers)).toEqual(['200'])
    await gone
    second.destroy()
  })

  test('more than there may be in all is refused in words; a proxy counts only for that', async () => {
    let begun = 0
    const answer = Promise.withResolvers<unknown[]>()
    const routes = listsChannels(() => {
      begun += 1
      return answer.promise
    })
    await using edge = await listening({ total: 3, perAddress: 1, isProxy: () => true }, routes)
    const open3 = [await open(edge.port), await open(edge.port), await open(edge.port)]
    for (const socket of open3) socket.write(get('/agent/v1/channels', authorized))
    await expect.poll(() => begun).toBe(3)
    const refused = await text(await open(edge.port))
    expect(refused).toContain('503 Service Unavailable')
    expect(refused).toContain('"code":"not_ready"')
    answer.resolve([])
    for (const socket of open3) socket.destroy()
    await expect.poll(() => connectionsOf(edge)).toBe(0)
    const socket = await open(edge.port)
    const answers = text(socket)
    socket.write(get('/healthz', 'Connection: close\r\n'))
    expect(statuses(await answers)).toEqual(['200'])
  })

  test.each([
    ['half a head', 'GET /healthz HTTP/1.1\r\nHo'],
    ['nothing', ''],
    ['blank lines', '\r\n\r\n'],
    [
      'half a body',
      `${[...head.slice(0, 3), 'Content-Type: application/json', 'Content-Length: 1000'].join('\r\n')}\r\n\r\n{`,
    ],
    ['half a body that is refused', 'POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n{'],
  ])('of many that send %s makes room for one that is quick or slow, from elsewhere', async (_, bytes) => {
    await using edge = await listening({ total: 24, perAddress: 8, drainMs: 60_000 })
    const slow = await open(edge.port)
    const slowAnswers = text(slow)
    slow.write('GET /healthz HTTP/1.1\r\nHost: x\r\n')
    const attack: Socket[] = []
    for (let last = 2; last <= 7; last += 1) {
      for (let nth = 0; nth < 8; nth += 1) {
        const socket = await open(edge.port, `127.0.0.${last}`)
        socket.write(bytes)
        attack.push(socket)
        const quick = await open(edge.port)
        const answers = text(quick)
        quick.write(get('/healthz', 'Connection: close\r\n'))
        expect(statuses(await answers)).toEqual(['200'])
      }
    }
    slow.write('Connection: close\r\n\r\n')
    expect(statuses(await slowAnswers)).toEqual(['200'])
    for (const socket of attack) socket.destroy()
  })

  test('of IPv6 counts for its /56', () => {
    expect(remoteParty('2001:db8:1:2ff::1')).toBe(remoteParty('2001:db8:1:200:ffff::9'))
    expect(remoteParty('2001:db8:1:300::1')).not.toBe(remoteParty('2001:db8:1:200::1'))
    expect(remoteParty('::ffff:192.0.2.1')).toBe(remoteParty('192.0.2.1'))
  })

  test.each([
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'],
    ['half a request', 'GET /healthz HTTP/1.1\r\nHo'],
    ['nothing', ''],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a body without an end', 'POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n'],
  ])('that is held open after %s does not hold up the end', async (_, bytes) => {
    const edge = await listening({ drainMs: 60_000 })
    const socket = connect({ port: edge.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(bytes)
    await expect.poll(() => connectionsOf(edge)).toBe(1)
    await delay(50)
    await edge.app.close()
    socket.destroy()
  })

  test('whose request is being answered is waited for at the end', async () => {
    const begun = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<unknown[]>()
    const edge = await listening(
      {},
      listsChannels(() => {
        begun.resolve()
        return answer.promise
      }),
    )
    const socket = await open(edge.port)
    const answers = text(socket)
    socket.write(get('/agent/v1/channels', authorized))
    await begun.promise
    const closing = edge.app.close()
    await delay(50)
    answer.resolve([])
    expect(statuses(await answers)).toEqual(['200'])
    await closing
  })

  /** Routes of which the one for channels answers like this. */
  function listsChannels(handle: () => Promise<unknown[]>): ReturnType<typeof testRoutes> {
    const { operations, routes } = testRoutes({ begun: 0, answer: async () => null })
    return {
      operations,
      routes: routes.map((route) => (route.operation.id === 'listChannels' ? { ...route, handle } : route)),
    }
  }

  function connectionsOf({ app }: Edge): Promise<number> {
    return new Promise((resolve, reject) =>
      app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    )
  }
})
