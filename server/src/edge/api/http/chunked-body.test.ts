import { createRequire } from 'node:module'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createLog } from '../../../platform/process/log.ts'
import { CONNECTION_RULES } from './connections.ts'
import { httpServer } from './http-server.ts'

/** Node's own, whose functions each chunk of a body is handed to. */
const { HTTPParser } = createRequire(import.meta.url)('_http_common') as { HTTPParser: { kOnBody: number } }

const MOST_CHUNKS = 8_192
/** What one read of a socket holds at most. */
const READ_BYTES = 65_536

/** A server that counts the chunks that its parsers hand over, and how a socket of it is opened. */
async function openCounting(handle: RequestListener) {
  const log = createLog({ level: 'fatal' })
  const http = httpServer({ baseUrl: 'https://postrider.test', log, rules: CONNECTION_RULES })
  const server = http.create(handle)
  const seen = { chunks: 0, bytes: 0 }
  server.on('connection', (socket: Socket) => {
    const { parser } = socket as Socket & { parser: Record<number, (bytes: Buffer) => void> }
    const original = parser[HTTPParser.kOnBody]!
    parser[HTTPParser.kOnBody] = function count(bytes) {
      seen.chunks += 1
      original.call(this, bytes)
    }
    socket.once('close', () => {
      seen.bytes += socket.bytesRead
      parser[HTTPParser.kOnBody] = original
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    seen,
    async send(...pieces: (string | Buffer)[]): Promise<string> {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => socket.destroy())
      const answer = text(socket)
      for (const piece of pieces) socket.write(piece)
      return answer
    },
    async [Symbol.asyncDispose]() {
      http.stopServing()
      server.close()
      await once(server, 'close')
    },
  }
}

const head = (...more: string[]) =>
  `${['POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', ...more].join('\r\n')}\r\n\r\n`
const chunksOf = (bytes: number, total: number) =>
  `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`.repeat(total / bytes)
const last = '0\r\n\r\n'

const refuses: RequestListener = (_request, response) => void response.writeHead(401).end()
/** Answers with how much came. */
const reads: RequestListener = (request, response) => {
  let bytes = 0
  request.on('data', (chunk: Buffer) => (bytes += chunk.length))
  request.on('end', () => void response.writeHead(200, { connection: 'close' }).end(`${bytes} bytes`))
  request.on('error', () => undefined)
}
/** Neither reads nor answers. */
const waits: RequestListener = (request) => void request.on('error', () => undefined)

/** As one does that asks somebody else first. */
const refusesLater: RequestListener = (request, response) => void setImmediate(refuses, request, response)

test.each([
  ['refused at once', refuses],
  ['refused a moment later', refusesLater],
])(
  'of a body of tiny chunks that is %s, next to nothing is parsed, and the answer is read',
  async (_, handle) => {
    await using server = await openCounting(handle)

    const answer = await server.send(head(), chunksOf(1, 500_000))

    expect(answer).toMatch(/^HTTP\/1\.1 4/)
    // The head comes with the first read; those that are under way when it is answered add to it.
    expect(server.seen.chunks).toBeLessThan(MOST_CHUNKS + (3 * READ_BYTES) / 6)
  },
)

test.each([
  ['read', reads],
  ['neither read nor answered', waits],
])('a body of tiny chunks that is %s is given up early, in words', async (_, handle) => {
  await using server = await openCounting(handle)

  const answer = await server.send(head(), chunksOf(1, 500_000))

  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('too many small chunks')
  expect(server.seen.chunks).toBeLessThan(MOST_CHUNKS + READ_BYTES / 6 + 1)
})

test('what a peer goes on sending after its refusal is read up to a limit, and not for ever', async () => {
  await using server = await openCounting(refuses)
  const piece = Buffer.alloc(1_000_000, chunksOf(50_000, 50_000))

  const answer = await server.send(head(), ...Array.from({ length: 60 }, () => piece))

  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  await expect.poll(() => server.seen.bytes).toBeGreaterThan(0)
  expect(server.seen.bytes).toBeLessThan(CONNECTION_RULES.drainBytes + 20 * READ_BYTES)
})

test.each([
  ['16 kB each', 16_000, 32_000_000],
  ['a kilobyte each', 1_000, 20_000_000],
  ['100 bytes each, a megabyte', 100, 1_000_000],
  ['8 bytes each, 64 kB', 8, 64_000],
])('honest chunks pass: %s', async (_, bytes, total) => {
  await using server = await openCounting(reads)

  const answer = await server.send(head(), chunksOf(bytes, total), last)

  expect(answer).toContain(`${total} bytes`)
})

test('a request behind another is given up with its connection, and the one before it is answered', async () => {
  const held = Promise.withResolvers<void>()
  await using server = await openCounting((request, response) => {
    if (request.headers['transfer-encoding'] === undefined)
      void held.promise.then(() => response.writeHead(204).end())
    else refuses(request, response)
  })
  const answer = server.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n', head(), chunksOf(1, 500_000))
  await expect.poll(() => server.seen.chunks).toBeGreaterThan(0)
  held.resolve()

  expect(await answer).toMatch(/^HTTP\/1\.1 204 /)
  expect(server.seen.chunks).toBeLessThan(MOST_CHUNKS + (3 * READ_BYTES) / 6)
})

test.each([
  ['extensions', `1;${'a'.repeat(20_000)}\r\na\r\n`],
  ['extensions of many chunks', '1;abcdefgh\r\na\r\n'.repeat(100_000)],
  ['trailers', `${last.slice(0, -2)}${'a: b\r\n'.repeat(100_000)}`],
])('%s of chunks come to an end', async (_, bytes) => {
  await using server = await openCounting(reads)

  const answer = await server.send(head(), bytes)

  expect(answer).toMatch(/^HTTP\/1\.1 4/)
  expect(server.seen.chunks).toBeLessThan(MOST_CHUNKS + READ_BYTES)
})

test('chunks of every size come through as they were sent, in their order', async () => {
  await using server = await openCounting((request, response) => {
    void text(request).then((body) => response.writeHead(200, { connection: 'close' }).end(body))
  })
  const sizes = [
    1,
    3,
    511,
    512,
    1,
    32,
    33,
    4_096,
    1,
    100,
    500,
    500,
    500,
    5_000,
    2,
    ...Array<number>(2_000).fill(7),
  ]
  const sent = sizes.map((size, n) => String.fromCharCode(97 + (n % 26)).repeat(size))
  const framed = sent.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')

  const answer = await server.send(head(), framed, last)

  expect(answer).toContain(sent.join(''))
})

test('a small chunk reaches its reader before the next one comes', async () => {
  await using server = await openCounting((request, response) => {
    request.once('data', (bytes: Buffer) =>
      response.writeHead(200, { connection: 'close' }).end(`first ${bytes.toString()}`),
    )
  })
  expect(await server.send(head(), '1\r\na\r\n')).toContain('first a')
})
