import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Certificate } from './certificate.ts'

export type Received = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly at: number
}

export type Receiver = AsyncDisposable & {
  readonly port: number
  /** Its origin on 127.0.0.1. */
  readonly origin: string
  readonly received: Received[]
  /** How many connections were ever opened. */
  readonly connections: () => number
}

type Respond = (request: Received, response: ServerResponse, raw: IncomingMessage) => void

/** A receiver of webhooks on 127.0.0.1. It answers 204, or does what `respond` says once a request is there. */
export async function openReceiver(
  respond: Respond = (_request, response) => response.writeHead(204).end(),
  tls?: Certificate,
): Promise<Receiver> {
  const received: Received[] = []
  const listener: RequestListener = (raw, response) => {
    const chunks: Buffer[] = []
    raw.on('data', (chunk: Buffer) => chunks.push(chunk))
    raw.on('error', () => undefined)
    raw.on('end', () => {
      const request = {
        method: raw.method ?? '',
        path: raw.url ?? '',
        headers: raw.headers as Record<string, string>,
        body: Buffer.concat(chunks),
        at: Date.now(),
      }
      received.push(request)
      respond(request, response, raw)
    })
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer({ ...tls }, listener)
  return { ...(await opened(server, tls === undefined ? 'http' : 'https')), received }
}

/** A server that speaks raw TCP: `talk` is given each socket with the first bytes that came in. */
export async function openRawReceiver(talk: (socket: Socket, first: Buffer) => void): Promise<Receiver> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (first) => talk(socket, first))
  })
  return { ...(await opened(server, 'http')), received: [] }
}

async function opened(server: Server, scheme: string) {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `${scheme}://127.0.0.1:${port}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
