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

export type FaultProxy = AsyncDisposable & {
  /** Where it listens. */
  readonly url: URL
  /** From now on every request ends so; null for none. */
  fault: WireFault | 'held up' | null
  /** Gives the server the requests that were held up. */
  letGo: () => Promise<void>
  /** The requests that a fault is for, by their first line; all of them unless it says otherwise. */
  faulty: (requestLine: string) => boolean
  /** How many requests the server was given. */
  passed: number
}

const HTML = '<!doctype html><title>Sign in</title>'

/** Opens a proxy in front of a server: `await using proxy = await openFaultProxy(url)`. */
export async function openFaultProxy(upstream: URL): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  const timers = new Set<NodeJS.Timeout>()
  let held: Buffer[] = []

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
    switch (proxy.faulty(line) ? proxy.fault : null) {
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
        held.push(request)
        client.resetAndDestroy()
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

  function answer(client: Socket, status: string, body: string): void {
    client.end(
      `HTTP/1.1 ${status}\r\ncontent-type: text/html\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    )
  }

  /** Gives the server the request, and back the whole of its answer. */
  function pass(request: Buffer, then: (answer: Buffer) => void): void {
    proxy.passed += 1
    const chunks: Buffer[] = []
    const socket = connect(Number(upstream.port), upstream.hostname)
    keep(socket)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => then(Buffer.concat(chunks)))
    socket.write(
      request.toString('latin1').replace(/\r\nconnection: [^\r]*/i, '\r\nconnection: close'),
      'latin1',
    )
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
    passed: 0,
    async letGo() {
      const requests = held
      held = []
      await Promise.all(requests.map((request) => new Promise<void>((done) => pass(request, () => done()))))
    },
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
  return proxy
}

/** Whether a request has come to its end, as its own length says. */
function isWhole(request: Buffer): boolean {
  const end = request.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(request.subarray(0, end).toString('latin1'))?.[1] ?? '0'
  return request.length >= end + 4 + Number(length)
}
