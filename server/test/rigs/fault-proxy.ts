import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/*
 * A proxy on the level of TCP, between an adapter and the server that it talks to. It reads each request whole, may pass it
 * on, and breaks what comes back.
 */

/** What becomes of the next requests. */
export const wireFaults = [
  /** The request never reaches the server. */
  'reset before it is read',
  /** It reaches the server, whose answer is lost. */
  'reset after it was read',
  'half an answer',
  '200 with HTML',
  '502 with HTML',
  'a redirect',
  /** One byte at a time, for longer than anybody waits. */
  'a slow drip',
] as const
export type WireFault = (typeof wireFaults)[number]

/** What else can become of a request. */
export type ProxyFault =
  | WireFault
  /** The server has its first half, and nothing more. */
  | 'cut in the request'
  /** A JSON that ends in its middle, and a head that says so. */
  | 'half a body'
  /** The proxy keeps the request until `letGo`, and the client has no answer. */
  | 'held up'
  /** The same, and the client is told that the server was too slow. */
  | '504, held up'
  /** Of the proxy itself. */
  | '429'
  | '500'
  | '503'
  | 'a delay'
  /** The proxy sends it again before the first one was answered. */
  | 'sent twice'

/** The client is answered so, whatever the server says: it is given the request now, or the proxy keeps it until `letGo`. */
export type Refused = {
  readonly status: number
  /** As JSON; at a relay, the words of its `OK false`. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly request: 'passed on' | 'held up'
}

export type FaultProxy = AsyncDisposable & {
  /** Where it listens. */
  readonly url: URL
  /** From now on every request ends so; null for none. */
  fault: ProxyFault | null
  /** The requests that were held up. */
  readonly held: ReadonlySet<HeldRequest>
  /** Gives the server what was held up. */
  letGo: (which?: Iterable<HeldRequest>) => Promise<void>
  /** The requests that a fault is for, by their first line; all of them unless it says otherwise. */
  faulty: (requestLine: string) => boolean
  /** Says of each request which fault it meets, by its first line; null where `fault` and `faulty` say. */
  choose: ((requestLine: string) => ProxyFault | Refused | null) | null
  /** How many requests the server was given. */
  passed: number
  /** How many connections are open. */
  readonly open: number
  /** How many requests the server was given and is still answering: what they do can come yet. */
  readonly unanswered: number
}

export type HeldRequest = { readonly bytes: Buffer }

const DELAY_MS = 30
const HTML = '<!doctype html><title>Sign in</title>'

/** Opens a proxy in front of a server: `await using proxy = await openFaultProxy(url)`. */
export async function openFaultProxy(upstream: URL): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  const timers = new Set<NodeJS.Timeout>()
  const held = new Set<HeldRequest>()
  const passing = new Set<Socket>()

  const server = createServer((client) => {
    keep(client)
    let received = Buffer.alloc(0)
    let served = false
    client.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (served || !isWhole(received)) return
      served = true
      serve(client, received)
    })
  })

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // A broken connection is what it is for.
    socket.on('error', () => undefined)
  }

  function serve(client: Socket, request: Buffer): void {
    const [line = ''] = request.toString('latin1').split('\r\n', 1)
    const choose = proxy.choose ?? ((each) => (proxy.faulty(each) ? proxy.fault : null))
    const fault = choose(line)
    if (typeof fault === 'object' && fault !== null) {
      const refuse = () =>
        answer(client, `${fault.status} No`, JSON.stringify(fault.body), {
          'content-type': 'application/json',
          ...fault.headers,
        })
      if (fault.request === 'passed on') return pass(request, refuse)
      held.add({ bytes: request })
      return refuse()
    }
    switch (fault) {
      case 'reset before it is read':
        client.resetAndDestroy()
        return
      case '200 with HTML':
        answer(client, '200 OK', HTML)
        return
      case '502 with HTML':
        answer(client, '502 Bad Gateway', HTML)
        return
      case 'a redirect':
        client.end(
          'HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
        )
        return
      case 'held up':
        held.add({ bytes: request })
        client.resetAndDestroy()
        return
      case '504, held up':
        held.add({ bytes: request })
        answer(client, '504 Gateway Timeout', HTML)
        return
      case '429':
        answer(client, '429 Too Many Requests', HTML)
        return
      case '500':
        answer(client, '500 Internal Server Error', HTML)
        return
      case '503':
        answer(client, '503 Service Unavailable', HTML)
        return
      case 'cut in the request':
        begin(request, () => client.resetAndDestroy())
        return
      case 'half a body':
        pass(request, (whole) => client.end(withHalfOfItsBody(whole)))
        return
      case 'a delay':
        timers.add(setTimeout(() => pass(request, (whole) => client.end(whole)), DELAY_MS))
        return
      case 'sent twice':
        pass(request, () => undefined)
        pass(request, (whole) => client.end(whole))
        return
      case 'reset after it was read':
        pass(request, () => client.resetAndDestroy())
        return
      case 'half an answer':
        pass(request, (whole) => client.write(whole.subarray(0, whole.length / 2), () => client.destroy()))
        return
      case 'a slow drip':
        pass(request, (whole) => drip(client, whole))
        return
      case null:
        pass(request, (whole) => client.end(whole))
    }
  }

  function answer(
    client: Socket,
    status: string,
    body: string,
    headers: Readonly<Record<string, string>> = { 'content-type': 'text/html' },
  ): void {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    client.end(
      `HTTP/1.1 ${status}\r\n${lines.join('')}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    )
  }

  /** Gives the server the request, and back the whole of its answer. */
  function pass(request: Buffer, then: (answer: Buffer) => void): void {
    proxy.passed += 1
    const chunks: Buffer[] = []
    const socket = connect(Number(upstream.port), upstream.hostname)
    keep(socket)
    passing.add(socket)
    socket.on('close', () => passing.delete(socket))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => then(Buffer.concat(chunks)))
    socket.write(
      request.toString('latin1').replace(/\r\nconnection: [^\r]*/i, '\r\nconnection: close'),
      'latin1',
    )
  }

  /** Gives the server the first half of the request. */
  function begin(request: Buffer, then: () => void): void {
    const socket = connect(Number(upstream.port), upstream.hostname)
    keep(socket)
    socket.on('close', then)
    socket.write(request.subarray(0, request.length / 2), () => socket.resetAndDestroy())
  }

  function drip(client: Socket, whole: Buffer): void {
    let at = 0
    const timer = setInterval(() => {
      if (client.destroyed || at >= whole.length) clearInterval(timer)
      else client.write(whole.subarray(at, ++at))
    }, 50)
    timers.add(timer)
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const proxy: FaultProxy = {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    fault: null,
    faulty: () => true,
    choose: null,
    passed: 0,
    held,
    get open() {
      return sockets.size
    },
    get unanswered() {
      return passing.size
    },
    async letGo(which = held) {
      const requests = [...which]
      for (const request of requests) held.delete(request)
      await Promise.all(requests.map(({ bytes }) => new Promise<void>((done) => pass(bytes, () => done()))))
    },
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
  return proxy
}

/** An answer whose JSON ends in its middle. */
function withHalfOfItsBody(whole: Buffer): Buffer {
  const end = whole.indexOf('\r\n\r\n') + 4
  const head = whole.subarray(0, end).toString('latin1')
  const body = bodyOf(head, whole.subarray(end))
  const half = body.subarray(0, body.length / 2)
  const lines = head
    .trimEnd()
    .split('\r\n')
    .filter((line) => !/^(?:content-length|transfer-encoding):/i.test(line))
  return Buffer.concat([
    Buffer.from(`${[...lines, `content-length: ${half.length}`].join('\r\n')}\r\n\r\n`, 'latin1'),
    half,
  ])
}

/** The body of an answer, out of its chunks where it came in chunks. */
function bodyOf(head: string, sent: Buffer): Buffer {
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return sent
  const chunks: Buffer[] = []
  for (let at = 0; at < sent.length;) {
    const end = sent.indexOf('\r\n', at)
    const size = Number.parseInt(sent.subarray(at, end).toString('latin1'), 16)
    if (!(size > 0)) break
    chunks.push(sent.subarray(end + 2, end + 2 + size))
    at = end + 4 + size
  }
  return Buffer.concat(chunks)
}

/** Whether a request has come to its end, as its own length says. */
function isWhole(request: Buffer): boolean {
  const end = request.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(request.subarray(0, end).toString('latin1'))?.[1] ?? '0'
  return request.length >= end + 4 + Number(length)
}
