// Receivers of the webhook bench in a process of their own: /healthy answers at once, /hang never does.
// It prints its port, and for each line on standard input the arrivals since the last one.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

let arrivals: [id: string, atMs: number][] = []

const server = createServer((request, response) => {
  if (request.url?.startsWith('/hang')) return
  request.resume().on('end', () => {
    arrivals.push([String(request.headers['x-service-event-id']), Date.now()])
    response.writeHead(204).end()
  })
})
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => print((server.address() as AddressInfo).port))

createInterface(process.stdin)
  .on('line', () => {
    print(arrivals)
    arrivals = []
  })
  .on('close', () => process.exit())

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
