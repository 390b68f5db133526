import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'

/** A question as it came over the wire. */
export type Heard = {
  path: string
  authorization: string | undefined
  body: {
    model?: string
    messages: { role: string; content: string }[]
    /** Of a request for an image. */
    prompt?: string
    size?: string
    response_format?: { type: string; json_schema?: { schema: object; strict?: boolean } }
    max_tokens?: number
    tools?: unknown
    stream?: boolean
  }
  /** Resolves when the connection closes before the answer was whole. */
  dropped: Promise<void>
}

/** How the double answers: with a text, or in its own way. */
export type Manner = string | ((response: ServerResponse, heard: Heard) => void | Promise<void>)

export type AiDouble = AsyncDisposable & {
  /** As for OPENAI_BASE_URL. */
  baseUrl: string
  heard: Heard[]
  /** Answers the questions that come next, in this order; the last one stays. */
  answer: (...manners: Manner[]) => void
}

/** A server that speaks OpenAI's chat protocol, on 127.0.0.1, and says what it is told to. */
export async function openAiDouble(...manners: Manner[]): Promise<AiDouble> {
  const heard: Heard[] = []
  let script: Manner[] = manners
  const server = createServer((request, response) => {
    void hear(request, response).then((question) => {
      heard.push(question)
      const manner = (script.length > 1 ? script.shift() : script[0]) ?? ''
      return typeof manner === 'string' ? say(response, manner) : manner(response, question)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    heard,
    answer: (...next) => void (script = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function hear(request: IncomingMessage, response: ServerResponse): Promise<Heard> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const dropped = new Promise<void>((resolve) => {
    response.once('close', () => response.writableFinished || resolve())
  })
  return {
    path: request.url ?? '',
    authorization: request.headers.authorization,
    body: JSON.parse(Buffer.concat(chunks).toString() || '{}') as Heard['body'],
    dropped,
  }
}

export type Said = {
  content?: string | null
  refusal?: string
  finish_reason?: string
  usage?: object | null
}

/** A whole answer. */
export function say(response: ServerResponse, said: string | Said): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(completion(typeof said === 'string' ? { content: said } : said)))
}

export function completion({ content = null, refusal, finish_reason = 'stop', usage }: Said): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'test',
    choices: [
      {
        index: 0,
        finish_reason,
        message: { role: 'assistant', content, ...(refusal === undefined ? {} : { refusal }) },
      },
    ],
    ...(usage === null
      ? {}
      : { usage: usage ?? { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } }),
  }
}

/** A picture, as OpenAI's image protocol sends it. */
export function show(bytes: Uint8Array): (response: ServerResponse) => void {
  return (response) => {
    response.setHeader('content-type', 'application/json')
    const data = [{ b64_json: Buffer.from(bytes).toString('base64') }]
    response.end(
      JSON.stringify({ created: 1, data, usage: { input_tokens: 30, output_tokens: 70, total_tokens: 100 } }),
    )
  }
}

/** An error as OpenAI words it. */
export function fail(status: number, headers: Record<string, string> = {}): Manner {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ error: { message: 'It went wrong.', type: 'server_error' } }))
  }
}

/** Half of an answer, then the end of the connection. */
export const breakOff: Manner = (response) => {
  const whole = JSON.stringify(completion({ content: drafts('never heard') }))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(whole.length) })
  response.write(whole.slice(0, whole.length / 2), () => response.destroy())
}

/** A whole answer, a few bytes at a time. */
export function inPieces(content: string): Manner {
  return async (response) => {
    response.setHeader('content-type', 'application/json')
    const whole = Buffer.from(JSON.stringify(completion({ content })))
    for (let at = 0; at < whole.length; at += 17) {
      await new Promise((sent) => response.write(whole.subarray(at, at + 17), sent))
    }
    response.end()
  }
}

/** An answer as a stream of events. */
export function stream(content: string): Manner {
  return (response) => {
    response.setHeader('content-type', 'text/event-stream')
    const chunk = { id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] }
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
  }
}

/** A short text for whatever number of variants is asked for. */
export const obey: Manner = async (response, { body, path }) => {
  if (path.endsWith('/images/generations')) return draw(response, { body })
  const { task } = JSON.parse(body.messages[1]?.content ?? '{}') as {
    task: { variants: string; destinations: unknown[] }
  }
  const count = task.variants.startsWith('Exactly one') ? 1 : task.destinations.length
  say(response, drafts(...Array.from({ length: count }, () => 'A text that fits.')))
}

/** A picture of the size that is asked for. */
export async function draw(response: ServerResponse, { body }: Pick<Heard, 'body'>): Promise<void> {
  const [width = 64, height = 64] = (body.size ?? '').split('x').map(Number)
  const picture = sharp({ create: { width, height, channels: 3, background: '#8040c0' } })
  show(await picture.png().toBuffer())(response)
}

/** No answer until `release`. */
export function hold(): { manner: Manner; release: (text: string) => void } {
  const { promise, resolve } = Promise.withResolvers<string>()
  return { manner: async (response) => say(response, await promise), release: resolve }
}

/** The text of an answer of the form that is asked for: one variant for each text, or parts of a thread. */
export function drafts(...texts: (string | readonly string[])[]): string {
  const variants = texts.map((text, index) => {
    const [first = '', ...thread] = typeof text === 'string' ? [text] : text
    return { number: index + 1, text: first, thread }
  })
  return JSON.stringify({ language: 'en', variants })
}
