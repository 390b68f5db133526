import { createServer } from 'node:http'
import { serveBeside } from './serve-beside.ts'

/*
 * Receivers of webhooks: /hang never answers, every other path does so at once. `GET /arrivals` tells which event came
 * when, in Unix milliseconds, and forgets them.
 */

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
    response.writeHead(204).end()
  })
})
server.requestTimeout = 0
await serveBeside(server)
