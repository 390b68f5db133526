import { createServer } from 'node:http'
import { serveBeside } from './serve-beside.ts'

/*
 * A network that answers at once and stores nothing, so that what is measured is the engine. It speaks as the sandbox
 * network does; an account's token is its id. `GET /arrivals` tells when each text came, in Unix milliseconds, and
 * forgets them.
 */

const arrivals = new Map<string, number>()
let posts = 0

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify([...arrivals]))
    arrivals.clear()
    return
  }
  const atMs = performance.timeOrigin + performance.now()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { text } = JSON.parse(Buffer.concat(chunks).toString()) as { text: string }
    arrivals.set(text, atMs)
    posts += 1
    const account = { id: request.headers.authorization?.replace('Bearer ', '') }
    const id = String(posts)
    const url = `http://127.0.0.1/${id}`
    const post = { id, status: 'published', url, text, inReplyTo: null, mediaIds: [] }
    response.statusCode = 201
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...post, createdAt: new Date().toISOString(), account }))
  })
})
server.keepAliveTimeout = 60_000
await serveBeside(server)
