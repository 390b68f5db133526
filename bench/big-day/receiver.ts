import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/* The systems of customers, in a process of their own: they take every delivery, and say on GET how many came. */

export type Received = { deliveries: number; events: number }

const events = new Set<string>()
let deliveries = 0

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const received: Received = { deliveries, events: events.size }
    response.end(JSON.stringify(received))
    return
  }
  request.resume().on('end', () => {
    deliveries += 1
    events.add(String(request.headers['x-service-event-id']))
    response.writeHead(204).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
)
process.once('disconnect', () => process.exit())
