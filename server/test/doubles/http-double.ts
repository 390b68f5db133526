import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/* What the doubles of networks share: a server on this machine that answers in JSON. */

/** An answer; without a body it is empty, and texts and bytes are sent as they are. */
export type Answered = {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Thrown by a double for what its network refuses. */
export class Refusal extends Error {
  readonly answer: Answered

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`${status} ${JSON.stringify(body)}`)
    this.answer = { status, body, headers }
  }
}

export type HttpDouble = AsyncDisposable & { readonly url: string }

/** Starts a server that answers so; what it throws, besides refusals, is a 500. */
export async function openHttpDouble(
  handle: (request: IncomingMessage, address: URL) => Promise<Answered>,
): Promise<HttpDouble> {
  const server = createServer((request, response) => {
    void handle(request, new URL(request.url ?? '/', url))
      .catch((fault: unknown): Answered =>
        fault instanceof Refusal ? fault.answer : { status: 500, body: { error: String(fault) } },
      )
      .then(({ status, body, headers }) => {
        const sentAsIs = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
        const text = sentAsIs ? body : JSON.stringify(body)
        response
          .writeHead(status, {
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          })
          .end(text)
      })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** The whole body of a request. */
export async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A request's body as a form, multipart or not. */
export async function formOf(request: IncomingMessage): Promise<FormData> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  return new Response(await bytesOf(request), { headers }).formData()
}

/** A file of a form, as it came. */
export type Received = { readonly name: string; readonly contentType: string; readonly bytes: Buffer }

export async function received(file: File): Promise<Received> {
  return { name: file.name, contentType: file.type, bytes: Buffer.from(await file.arrayBuffer()) }
}
