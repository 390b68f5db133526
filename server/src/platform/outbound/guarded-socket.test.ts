import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { openNameServer } from '../../../test/rigs/name-server.ts'
import { openRawReceiver } from '../../../test/rigs/receiver.ts'
import type { SocketExchange } from './guarded-socket.ts'
import { openOutbound, type OutboundOptions } from './outbound-http.ts'

const limits = { connectMs: 10_000, totalMs: 20_000, bodyMaxBytes: 100_000, userAgent: 'Test/1' }
const anywhere = { httpsOnly: true, trustedOrigins: 'any' as const, trustedNetworks: [] }
const strict = { ...anywhere, trustedOrigins: [] }

const servers: WebSocketServer[] = []
afterAll(() => {
  for (const server of servers) {
    for (const client of server.clients) client.terminate()
    server.close()
  }
})

/** A server that does this with each connection. */
async function aServer(serve: (client: WebSocket, agent: string) => void): Promise<URL> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  servers.push(server)
  server.on('connection', (client, { headers }) => serve(client, headers['user-agent'] ?? ''))
  await new Promise((listening) => server.once('listening', listening))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

/** Says hello, and is done with the first answer that is not an echo of it. */
function talk(url: URL, options: Partial<OutboundOptions> = {}, change: Partial<SocketExchange> = {}) {
  const outbound = openOutbound({ ...limits, rules: anywhere, ...options })
  const hear = (message: string) => ({ send: [], ends: message !== 'hello' })
  return outbound.talk({ url, opening: ['hello'], hear, ...change }, new AbortController().signal)
}

test('a talk is what is sent, what is heard, and what is sent to that', async () => {
  const heard: string[] = []
  const url = await aServer((client, agent) => {
    client.on('message', (data: Buffer) => {
      heard.push(`${agent} ${data.toString()}`)
      client.send(data.toString() === 'hello' ? 'who?' : 'welcome')
    })
  })
  const hear = (message: string) =>
    message === 'who?' ? { send: ['me'], ends: false } : { send: [], ends: true }
  expect(await talk(url, {}, { hear })).toEqual({
    maybeSent: true,
    reason: null,
    messages: ['who?', 'welcome'],
  })
  expect(heard).toEqual(['Test/1 hello', 'Test/1 me'])
})

test.each([
  ['at its opening', [false], []],
  ['in its answer', [true, false], ['hello']],
])('nothing is sent that may not be sent any more %s', async (_, answers, sent) => {
  const heard: string[] = []
  const url = await aServer((client) => {
    client.on('message', (data: Buffer) => {
      heard.push(data.toString())
      client.send('who?')
    })
  })
  const left = [...answers]
  const outbound = openOutbound({ ...limits, rules: anywhere })
  const hear = () => ({ send: ['me'], ends: false })
  const told = await outbound.talk({ url, opening: ['hello'], hear }, new AbortController().signal, () =>
    left.shift()!,
  )
  expect(told).toMatchObject({ maybeSent: sent.length > 0, reason: 'TOO_LATE' })
  expect(heard).toEqual(sent)
})

test.each([
  ['http://127.0.0.1:4000/', 'TARGET_REFUSED'],
  ['https://localhost/', 'TARGET_REFUSED'],
  ['http://relay.example.com/', 'TARGET_REFUSED'],
])('%s is not called where only public addresses are', async (address, reason) => {
  expect(await talk(new URL(address), { rules: strict })).toEqual({ maybeSent: false, messages: [], reason })
})

test('a name that leads to this machine is not called', async () => {
  await using names = await openNameServer(() => ['127.0.0.1'])
  const told = await talk(new URL('https://relay.example.com:8443/'), {
    rules: strict,
    nameServers: [names.address],
  })
  expect(told).toEqual({ maybeSent: false, messages: [], reason: 'ADDRESS_REFUSED' })
})

test('where nobody listens, nothing was sent', async () => {
  expect(await talk(new URL('http://127.0.0.1:1/'))).toEqual({
    maybeSent: false,
    messages: [],
    reason: 'ECONNREFUSED',
  })
})

test.each([
  ['HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n', 'HTTP_302'],
  ['HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n', 'HTTP_403'],
])('what refuses the handshake was sent nothing: %j', async (answer, reason) => {
  await using receiver = await openRawReceiver((socket: Socket) => socket.end(answer))
  expect(await talk(new URL(receiver.origin))).toEqual({ maybeSent: false, messages: [], reason })
})

test('a handshake that does not come to an end was sent nothing', async () => {
  const server = createServer((socket) => socket.resume())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const told = await talk(new URL(`http://127.0.0.1:${port}/`), { totalMs: 100 })
  expect(told).toEqual({ maybeSent: false, messages: [], reason: 'TIMEOUT' })
  await new Promise((closed) => server.close(closed))
})

test.each<[string, (client: WebSocket) => void, string]>([
  ['says nothing', () => undefined, 'TIMEOUT'],
  ['hangs up', (client) => client.terminate(), 'CLOSED'],
  ['says goodbye', (client) => client.close(), 'CLOSED'],
  [
    'sends more than may be',
    (client) => client.send('a'.repeat(200_000)),
    'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH',
  ],
  ['repeats itself', (client) => flood(client, 'a'.repeat(1_000)), 'BODY_TOO_LARGE'],
  ['sends next to nothing all the time', (client) => flood(client, ''), 'MOSTLY_FRAMING'],
  ['pings all the time', (client) => pings(client), 'MOSTLY_FRAMING'],
])('a server that %s has had the message, and is given up', async (_, serve, reason) => {
  const url = await aServer((client) => client.on('message', () => serve(client)))
  const hear = () => ({ send: [], ends: false })
  const told = await talk(url, reason === 'TIMEOUT' ? { totalMs: 2_000 } : {}, { hear })
  expect(told).toMatchObject({ maybeSent: true, reason })
})

test('pings are answered, also many at once', async () => {
  let pongs = 0
  const url = await aServer((client) => {
    client.on('message', () => {
      for (let n = 0; n < 100; n++) client.ping()
    })
    client.on('pong', () => {
      pongs += 1
      if (pongs === 100) client.send('that were all')
    })
  })
  expect(await talk(url)).toMatchObject({ reason: null, messages: ['that were all'] })
})

function flood(client: WebSocket, message: string): void {
  for (let n = 0; n < 10_000; n++) client.send(message)
}

function pings(client: WebSocket): void {
  for (let n = 0; n < 10_000; n++) client.ping()
}
