import { createServer } from 'node:http'
import { serveBeside } from '../serve-beside.ts'

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
await serveBeside(server)
