import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Edge, openEdge } from '../../test/edge.ts'

const head = [
  'POST /agent/v1/posts HTTP/1.1',
  'Host: localhost',
  'Authorization: Bearer good',
  'Connection: close',
]

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
  ])('%s is a problem, and no more', async (_, bytes) => {
    expectProblem(await send(bytes), 400, 'malformed_request')
  })

  test('an expectation is met with a go-ahead or with an answer', async () => {
    const goAhead = await send(withLength(2, 'Expect: 100-continue'), '{}')
    expect(goAhead.status).toBe(100)
    expect(goAhead.body).toContain('confirmation_required')
    expectProblem(await send(withLength(2, 'Expect: miracles'), '{}'), 400, 'confirmation_required')
  })

  test('nothing of it counts as our fault', async () => {
    const answer = await send('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect(answer.body).toBe('{"status":"ok"}')
    expect(edge.logged.filter(({ level }) => level === 'error')).toEqual([])
  })
})
