import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import type { FaultProxy, HeldRequest, ProxyFault, Refused } from './fault-proxy.ts'

/*
 * A proxy between an adapter and a relay, which breaks talks as `fault-proxy.ts` breaks requests. The line of a message is its
 * type (`EVENT /`), that of a handshake begins with `CONNECT`; what is plain HTTP goes through.
 */

const HTML = '<!doctype html><title>Sign in</title>'
const DELAY_MS = 30

/** How a handshake ends that the proxy answers itself. */
const HANDSHAKE: Partial<Record<ProxyFault, number>> = {
  '200 with HTML': 200,
  '502 with HTML': 502,
  'a redirect': 302,
  '429': 429,
  '500': 500,
  '503': 503,
}

/** Opens a proxy in front of a relay: `await using proxy = await openRelayProxy(url)`. */
export async function openRelayProxy(upstream: URL): Promise<FaultProxy> {
  const held = new Set<HeldRequest>()
  const timers = new Set<NodeJS.Timeout>()
  const passing = new Set<WebSocket>()
  const sockets = new WebSocketServer({ noServer: true })
  const server = createServer(forward)

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => undefined)
    const fault = choose(`CONNECT ${request.url}`)
    const status = typeof fault === 'string' ? HANDSHAKE[fault] : undefined
    if (fault === 'reset before it is read') socket.destroy()
    else if (status !== undefined) {
      const location = status === 302 ? 'location: /elsewhere\r\n' : ''
      socket.end(`HTTP/1.1 ${status} No\r\n${location}content-length: ${HTML.length}\r\n\r\n${HTML}`)
    } else sockets.handleUpgrade(request, socket, head, serve)
  })

  function choose(line: string): ProxyFault | Refused | null {
    return (proxy.choose ?? ((each) => (proxy.faulty(each) ? proxy.fault : null)))(line)
  }

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const passed = httpRequest(
      new URL(request.url ?? '/', upstream),
      { method: request.method ?? 'GET', headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      },
    )
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  }

  function serve(client: WebSocket): void {
    client.on('error', () => undefined)
    client.on('message', (data: Buffer) => {
      const [type] = JSON.parse(data.toString()) as [string]
      meet(client, data, choose(`${type} /`))
    })
  }

  function meet(client: WebSocket, bytes: Buffer, fault: ProxyFault | Refused | null): void {
    if (typeof fault === 'object' && fault !== null) {
      const [, event] = JSON.parse(bytes.toString()) as [string, { id: string }]
      const refuse = () => client.send(JSON.stringify(['OK', event.id, false, fault.body]))
      if (fault.request === 'passed on') return pass(bytes, refuse)
      held.add({ bytes })
      return refuse()
    }
    switch (fault) {
      case 'reset before it is read':
      case 'cut in the request':
        client.terminate()
        return
      case '200 with HTML':
      case '502 with HTML':
      case 'a redirect':
      case '429':
      case '500':
      case '503':
        client.send(HTML)
        client.close()
        return
      case 'held up':
        held.add({ bytes })
        client.terminate()
        return
      case '504, held up':
        held.add({ bytes })
        client.send(HTML)
        client.close()
        return
      case 'reset after it was read':
      case 'half a body':
        pass(bytes, () => client.terminate())
        return
      case 'half an answer':
        pass(bytes, ([first = '']) => {
          client.send(first.slice(0, first.length / 2))
          client.close()
        })
        return
      case 'a slow drip':
        pass(bytes, () => undefined)
        return
      case 'a delay':
        timers.add(setTimeout(() => pass(bytes, (answers) => giveBack(client, answers)), DELAY_MS))
        return
      case 'sent twice':
        pass(bytes, () => undefined)
        pass(bytes, (answers) => giveBack(client, answers))
        return
      case null:
        pass(bytes, (answers) => giveBack(client, answers))
    }
  }

  function giveBack(client: WebSocket, answers: readonly string[]): void {
    for (const answer of answers) client.send(answer)
  }

  /** Gives the relay the message, and back its answers up to the last one. */
  function pass(bytes: Buffer, then: (answers: readonly string[]) => void): void {
    proxy.passed += 1
    const answers: string[] = []
    const relay = new WebSocket(upstream)
    passing.add(relay)
    relay.on('open', () => relay.send(bytes.toString()))
    relay.on('message', (data: Buffer) => {
      const answer = data.toString()
      answers.push(answer)
      if (!/^\["(?:OK|EOSE|CLOSED|NOTICE)"/.test(answer)) return
      relay.close()
      passing.delete(relay)
      then(answers)
    })
    relay.on('error', () => passing.delete(relay))
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
      return sockets.clients.size
    },
    get unanswered() {
      return passing.size
    },
    async letGo(which = held) {
      const messages = [...which]
      for (const message of messages) held.delete(message)
      await Promise.all(messages.map(({ bytes }) => new Promise<void>((done) => pass(bytes, () => done()))))
    },
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer)
      for (const client of [...sockets.clients, ...passing]) client.terminate()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return proxy
}
