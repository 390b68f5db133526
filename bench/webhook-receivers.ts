import { createServer } from 'node:http'
import { serveBeside } from './serve-beside.ts'

/*
 * Receivers of webhooks: /hang never answers, /far after a quarter of a second, every other path at once. `GET /arrivals` tells which event came
 * when, in Unix milliseconds, and forgets them.
 */

/** As an endpoint on another continent takes, that does something before it answers. */
const FAR_MS = 250

let arrivals: [id: string, atMs: number][] = []

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(arrivals))
    arrivals = []
    return
  }
  if (request.url?.startsWith('/hang')) return
  request.resume().on('end', () => {
    arrivals.push([String(request.headers['x-service-event-id']), Date.now()])
    setTimeout(() => response.writeHead(204).end(), request.url?.startsWith('/far') ? FAR_MS : 0)
  })
})
server.requestTimeout = 0
await serveBeside(server)
