import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { makeCertificate } from '../../../test/rigs/certificate.ts'
import { openNameServer } from '../../../test/rigs/name-server.ts'
import { setProcessClock } from '../../../test/rigs/process-clock.ts'
import { openRawReceiver, openReceiver } from '../../../test/rigs/receiver.ts'
import { openOutbound, type OutboundAnswer, type OutboundOptions } from './outbound-http.ts'

const limits = { connectMs: 1_000, totalMs: 2_000, bodyMaxBytes: 16_384, userAgent: 'Test/1' }
const strict = { httpsOnly: true, trustedOrigins: [], trustedNetworks: [] }
const anywhere = { ...strict, trustedOrigins: 'any' as const }
/** 127.0.0.0/24 stands for the public internet, and the rest of 127.0.0.0/8 for what must not be reached. */
const loopbackIsPublic = { httpsOnly: false, trustedOrigins: [], trustedNetworks: ['127.0.0.0/24'] }

/** Posts once, as a webhook would be, and lets go of everything. */
async function post(
  url: string,
  options: Partial<OutboundOptions> = {},
  headers: Record<string, string> = {},
): Promise<OutboundAnswer> {
  const outbound = openOutbound({ ...limits, rules: anywhere, ...options })
  try {
    return await outbound.call({ method: 'POST', url: new URL(url), headers, body: Buffer.from('{"a": 1}') })
  } finally {
    await outbound.close()
  }
}

/** The same for a caller to whom the status is the whole answer. */
function deliver(url: string, options: Partial<OutboundOptions> = {}) {
  return post(url, { dropBodyAfterMs: 200, ...options })
}

const unsent = (reason: string) => expect.objectContaining({ arrived: false, maybeSent: false, reason })
const silent = (reason: string) => expect.objectContaining({ arrived: false, maybeSent: true, reason })
const arrived = (status: number) =>
  expect.objectContaining({ arrived: true, response: expect.objectContaining({ status }) })

test('the bytes given are the bytes sent', async () => {
  await using receiver = await openReceiver()
  expect(await post(`${receiver.origin}/in?x=1`)).toEqual(arrived(204))
  const [request] = receiver.received
  expect(request?.body.toString()).toBe('{"a": 1}')
  expect(request).toMatchObject({ method: 'POST', path: '/in?x=1' })
  expect(request?.headers['user-agent']).toBe('Test/1')
})

/** A file of two pieces; the second one takes as long as told. */
function twoPieces(wait: () => void = () => undefined) {
  async function* open() {
    yield Buffer.alloc(1_024)
    wait()
    yield Buffer.alloc(1_024)
  }
  return { contentType: 'image/png', size: 2_048, open }
}

test.each([
  ['JSON', { json: {} }, {}, [false]],
  ['a file', { file: twoPieces() }, { unfinished: true }, [false]],
  ['a file whose first piece was long in coming', { file: twoPieces() }, { unfinished: true }, [true, false]],
] as const)('a call of %s that may not begin any more has sent nothing', async (_, body, also, answers) => {
  await using receiver = await openReceiver()
  const left: boolean[] = [...answers]
  const outbound = openOutbound({ ...limits, rules: anywhere })
  const request = { method: 'POST', url: new URL(receiver.origin), headers: {}, ...body } as const
  const answer = await outbound.call(request, undefined, () => left.shift()!)
  expect(answer).toMatchObject({ arrived: false, maybeSent: false, reason: 'TOO_LATE', ...also })
  await outbound.close()
  expect(receiver.received).toEqual([])
})

test('a file goes no further once the time of its call is over, whatever the timers say', async () => {
  await using receiver = await openReceiver()
  const file = twoPieces(() => setProcessClock(limits.totalMs + 60_000))
  const outbound = openOutbound({ ...limits, rules: anywhere })
  const answer = await outbound.call({ method: 'POST', url: new URL(receiver.origin), headers: {}, file })
  expect(answer).toMatchObject({ arrived: false, maybeSent: true, unfinished: true, reason: 'TIMEOUT' })
  await outbound.close()
  expect(receiver.received).toEqual([])
})

test('connections are kept for the next call to the same origin', async () => {
  await using receiver = await openReceiver((_, response) => response.end('thanks'))
  const outbound = openOutbound({ ...limits, rules: anywhere, dropBodyAfterMs: 200 })
  const request = { method: 'POST', url: new URL(receiver.origin), headers: {}, json: {} } as const
  for (let n = 0; n < 5; n++) expect(await outbound.call(request)).toEqual(arrived(200))
  await outbound.close()
  // A connection is free again a turn after its last byte, so the pool may open a second one.
  expect(receiver.connections()).toBeLessThanOrEqual(2)
})

test.each([
  [
    'in the middle of its file',
    { unfinished: true },
    () => openRawReceiver((socket) => socket.resetAndDestroy()),
  ],
  ['after its file', {}, () => openReceiver((_request, _response, raw) => raw.socket.resetAndDestroy())],
])('a connection that is reset %s', async (_, unfinished, openServer) => {
  await using receiver = await openServer()
  const outbound = openOutbound({ ...limits, rules: anywhere })
  const piece = Buffer.alloc(1_048_576)
  async function* open() {
    for (let n = 0; n < 64; n++) yield piece
  }
  const file = { contentType: 'video/mp4', size: 64 * piece.length, open }
  const answer = await outbound.call({ method: 'POST', url: new URL(receiver.origin), headers: {}, file })
  await outbound.close()
  expect(answer).toEqual({
    arrived: false,
    maybeSent: true,
    ...unfinished,
    reason: expect.any(String),
    durationMs: expect.any(Number),
  })
})

test.each([
  'http://127.0.0.1:9/',
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://localhost/',
  'https://u@a.example.com/',
])('%s is refused before anything is sent', async (url) => {
  expect(await post(url, { rules: strict })).toEqual(unsent('TARGET_REFUSED'))
})

test('plain http is refused where https is demanded, and reached where it is not', async () => {
  await using receiver = await openReceiver()
  expect(await post(receiver.origin, { rules: { ...loopbackIsPublic, httpsOnly: true } })).toEqual(
    unsent('TARGET_REFUSED'),
  )
  expect(await post(receiver.origin, { rules: loopbackIsPublic })).toEqual(arrived(204))
})

test.each([
  ['a private address', ['127.1.2.3']],
  ['the metadata address', ['169.254.169.254']],
  ['a public and a private address', ['127.0.0.1', '10.0.0.1']],
  ['a public IPv4 and a private IPv6 address', ['127.0.0.1', '::1']],
  ['an IPv4-mapped address', ['127.0.0.1', '::ffff:7f00:1']],
])('a name that leads to %s is refused, and nobody is connected to', async (_, addresses) => {
  await using names = await openNameServer(() => addresses)
  await using receiver = await openReceiver()
  const answer = await post(`http://hooks.example.com:${receiver.port}/`, {
    rules: loopbackIsPublic,
    nameServers: [names.address],
  })
  expect(answer).toEqual(unsent('ADDRESS_REFUSED'))
  expect(receiver.connections()).toBe(0)
})

test('a name is asked for once per connection, and the connection goes where the check was', async () => {
  // Rebinding: good the first time it is asked, bad from then on.
  await using names = await openNameServer((_, time) => (time === 0 ? ['127.0.0.1'] : ['127.6.6.6']))
  await using receiver = await openReceiver((_, response) =>
    response.writeHead(204, { connection: 'close' }).end(),
  )
  const outbound = openOutbound({ ...limits, rules: loopbackIsPublic, nameServers: [names.address] })
  const url = new URL(`http://rebind.example.com:${receiver.port}/`)
  const request = { method: 'POST', url, headers: {}, json: {} } as const

  expect(await outbound.call(request)).toEqual(arrived(204))
  expect(names.asked).toEqual(['rebind.example.com'])
  expect(await outbound.call(request)).toEqual(unsent('ADDRESS_REFUSED'))
  expect(receiver.received).toHaveLength(1)
  await outbound.close()
})

test('a name that nobody knows, and one that nobody answers for, are not reached', async () => {
  await using names = await openNameServer((name) => (name.startsWith('silent') ? 'silent' : []))
  const options = { rules: strict, nameServers: [names.address] }
  expect(await post('https://unknown.example.com/', options)).toEqual(unsent('ENOTFOUND'))
  const answer = await post('https://silent.example.com/', { ...options, connectMs: 300 })
  expect(answer).toEqual(unsent('ECANCELLED'))
})

test('dead name servers of some names do not delay another', async () => {
  await using names = await openNameServer((name) => (name.startsWith('dead') ? 'silent' : ['127.0.0.1']))
  await using receiver = await openReceiver()
  const patient = { ...limits, connectMs: 20_000, totalMs: 20_000 }
  const outbound = openOutbound({ ...patient, rules: loopbackIsPublic, nameServers: [names.address] })
  const leaving = new AbortController()
  const call = (name: string, signal?: AbortSignal) =>
    outbound.call(
      { method: 'POST', url: new URL(`http://${name}:${receiver.port}/`), headers: {}, json: {} },
      signal,
    )
  const dead = Array.from({ length: 20 }, (_, n) => call(`dead${n}.example.com`, leaving.signal))
  expect(await Promise.race([call('alive.example.com'), ...dead])).toEqual(arrived(204))
  leaving.abort()
  await Promise.all(dead)
  await outbound.close()
})

test('https works with a name, its certificate checked against it', async () => {
  const certificate = makeCertificate(['hooks.example.com'])
  await using names = await openNameServer(() => ['127.0.0.1'])
  await using receiver = await openReceiver(undefined, certificate)
  const options = { rules: loopbackIsPublic, nameServers: [names.address], extraCa: certificate.cert }
  expect(await post(`https://hooks.example.com:${receiver.port}/`, options)).toEqual(arrived(204))
  expect(await post(`https://other.example.com:${receiver.port}/`, options)).toEqual(
    unsent('ERR_TLS_CERT_ALTNAME_INVALID'),
  )
})

test.each([
  ['self-signed', makeCertificate(['hooks.example.com']), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['expired', makeCertificate(['hooks.example.com'], { expired: true }), 'CERT_HAS_EXPIRED'],
])('a certificate that is %s ends the call before anything is sent', async (kind, certificate, code) => {
  await using names = await openNameServer(() => ['127.0.0.1'])
  await using receiver = await openReceiver(undefined, certificate)
  const answer = await post(`https://hooks.example.com:${receiver.port}/`, {
    rules: loopbackIsPublic,
    nameServers: [names.address],
    ...(kind === 'expired' ? { extraCa: certificate.cert } : {}),
  })
  expect(answer).toEqual(unsent(code))
  expect(receiver.received).toEqual([])
})

test('a server that does not speak TLS ends the call', async () => {
  await using receiver = await openRawReceiver((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const answer = await post(`https://127.0.0.1:${receiver.port}/`)
  expect(answer).toMatchObject({ arrived: false, maybeSent: false })
})

test('nobody listening is known not to have heard', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  expect(await post(`http://127.0.0.1:${port}/`)).toEqual(unsent('ECONNREFUSED'))
})

test('redirects are answers, and are not followed', async () => {
  await using other = await openReceiver()
  await using receiver = await openReceiver((_, response) =>
    response.writeHead(307, { location: other.origin }).end(),
  )
  expect(await deliver(receiver.origin)).toEqual(arrived(307))
  expect(other.connections()).toBe(0)
})

test('hanging before the headers ends at the total limit', async () => {
  await using receiver = await openReceiver(() => undefined)
  const answer = await post(receiver.origin, { totalMs: 300 })
  expect(answer).toEqual(silent('TIMEOUT'))
})

test('a head that comes byte by byte ends at the total limit', async () => {
  await using receiver = await openRawReceiver((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx: '))
  const answer = await post(receiver.origin, { totalMs: 300 })
  expect(answer).toEqual(silent('TIMEOUT'))
})

/** Sends the same bytes again and again, as fast as they are taken, and tells how many were. */
async function openFlood(beginning: string, unit: string) {
  const flood = unit.repeat(Math.ceil(16_384 / unit.length))
  let sent: Socket | null = null
  const receiver = await openRawReceiver((socket) => {
    sent = socket
    socket.write(beginning)
    const more = () => {
      while (!socket.destroyed && socket.write(flood));
    }
    socket.on('drain', more)
    more()
  })
  return { ...receiver, taken: () => (sent === null ? 0 : sent.bytesWritten - sent.writableLength) }
}

/** What has left the flood when it is ended at the first look: what the system holds for both sides. */
const IN_FLIGHT_BYTES = 12_000_000
const chunkedHead = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

test.each([
  ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'TOO_MANY_INTERIM_ANSWERS'],
  [
    'interim answers with heads',
    '',
    `HTTP/1.1 103 A\r\nlink: ${'a'.repeat(8_000)}\r\n\r\n`,
    'TOO_MANY_INTERIM_ANSWERS',
  ],
  ['headers', 'HTTP/1.1 200 OK\r\n', 'a: b\r\n', 'UND_ERR_HEADERS_OVERFLOW'],
  ['tiny chunks', chunkedHead, '1\r\na\r\n', 'MOSTLY_FRAMING'],
  ['trailers', `${chunkedHead}0\r\n`, 'a: b\r\n', 'UND_ERR_HEADERS_OVERFLOW'],
])(
  'an endless flood of %s ends the call at once, however much time it has',
  async (_, beginning, unit, reason) => {
    await using flood = await openFlood(beginning, unit)
    const roomy = { totalMs: 60_000, bodyMaxBytes: 1_048_576 }

    expect(await post(flood.origin, roomy)).toEqual(silent(reason))
    expect(flood.taken()).toBeLessThan(IN_FLIGHT_BYTES)
  },
)

test('a page that comes in tiny chunks is given up, too', async () => {
  await using flood = await openFlood(chunkedHead, '1\r\na\r\n')
  const outbound = openOutbound({ ...limits, totalMs: 60_000, rules: anywhere })

  const opened = await outbound.open(new URL(flood.origin), { accept: '*/*' })

  if (!opened.arrived) throw new Error(opened.reason)
  await expect(buffer(opened.body)).rejects.toMatchObject({ code: 'MOSTLY_FRAMING' })
  await outbound.close()
})

test('some interim answers, and chunks of some size, are what servers may send', async () => {
  const body = 'a'.repeat(1_000)
  await using receiver = await openRawReceiver((socket) =>
    socket.end(
      `${'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(3)}${chunkedHead}${`3e8\r\n${body}\r\n`.repeat(1_000)}0\r\n\r\n`,
    ),
  )
  const answer = await post(receiver.origin, { bodyMaxBytes: 1_048_576 })
  expect(answer).toMatchObject({ arrived: true, response: { status: 200, body: body.repeat(1_000) } })
})

test('a dripping body ends at the total limit; for a caller of statuses it ends early, and counts', async () => {
  await using receiver = await openReceiver((_, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  })
  const answer = await post(receiver.origin, { totalMs: 500 })
  expect(answer).toEqual(silent('TIMEOUT'))
  expect(await deliver(receiver.origin, { totalMs: 20_000 })).toEqual(arrived(200))
})

test('an endless body is cut off after 16 KiB', async () => {
  let written = 0
  await using receiver = await openReceiver((_, response) => {
    response.writeHead(200, { 'content-length': String(10 * 1_024 ** 3) })
    const chunk = Buffer.alloc(65_536)
    const more = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length
    }
    response.on('drain', more)
    more()
  })
  expect(await post(receiver.origin)).toEqual(silent('BODY_TOO_LARGE'))
  expect(await deliver(receiver.origin)).toEqual(arrived(200))
  expect(written).toBeLessThan(64 * 1_024 ** 2)
})

test('a compressed body is not decoded', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  await using receiver = await openReceiver((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  expect(await deliver(receiver.origin)).toEqual(arrived(200))
})

test('an overlong head ends the call', async () => {
  await using receiver = await openRawReceiver((socket) =>
    socket.end(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`),
  )
  expect(await post(receiver.origin)).toEqual(silent('UND_ERR_HEADERS_OVERFLOW'))
})

test.each([
  ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
  ['closes without a word', (socket: Socket) => socket.end()],
  ['answers with something else than HTTP', (socket: Socket) => socket.end('SSH-2.0-x\r\n')],
  [
    'switches protocols',
    (socket: Socket) => socket.write('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  ],
])('a receiver that %s may have heard us', async (_, talk) => {
  await using receiver = await openRawReceiver(talk)
  expect(await post(receiver.origin)).toMatchObject({ arrived: false, maybeSent: true })
})

test('a body that breaks off after its status still counts for a caller of statuses', async () => {
  await using receiver = await openRawReceiver((socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
  )
  expect(await deliver(receiver.origin)).toEqual(arrived(200))
  expect(await post(receiver.origin)).toMatchObject({ arrived: false, maybeSent: true })
})

test.each(['a\r\nx-injected: 1', 'a\nb', 'a\0b', 'snow☃man'])(
  'a header that HTTP cannot carry (%j) is refused for good',
  async (value) => {
    await using receiver = await openReceiver()
    expect(await post(receiver.origin, {}, { 'x-name': value })).toEqual(unsent('REQUEST_REFUSED'))
    expect(receiver.received).toEqual([])
  },
)

test('a caller may give up', async () => {
  await using receiver = await openReceiver(() => undefined)
  const outbound = openOutbound({ ...limits, rules: anywhere })
  const giveUp = new AbortController()
  const answer = outbound.call({ method: 'GET', url: new URL(receiver.origin), headers: {} }, giveUp.signal)
  giveUp.abort()
  expect(await answer).toMatchObject({ arrived: false, reason: 'ABORTED' })
  await outbound.close()
})

function drip(socket: Socket, begin: string): void {
  socket.write(begin)
  const timer = setInterval(() => socket.write('x'), 20)
  socket.on('close', () => clearInterval(timer))
}
