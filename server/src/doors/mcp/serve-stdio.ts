import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { serveStdio as serve, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { isSchema, type Schema } from '../../edge/api/request/schema-shape.ts'
import {
  type Outbound,
  openOutbound,
  type OutboundAnswer,
  type OutboundRequest,
} from '../../platform/outbound/outbound-http.ts'
import { version } from '../../platform/process/version.ts'
import { CAPABILITIES, INSTRUCTIONS } from './mcp-server.ts'

/** A server elsewhere, and the key to it. */
export type Remote = { readonly baseUrl: URL; readonly key: string }

/** Whoever starts this says where the server is: it may be anywhere. */
const ANYWHERE = { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] } as const
const LIMITS = {
  connectMs: 5_000,
  totalMs: 120_000,
  bodyMaxBytes: 16 * 1_048_576,
  userAgent: 'Postrider-MCP/1',
}
/** How often a message is sent that gets no answer, and how long is waited in between. */
const ATTEMPTS = 3
const PAUSE_MS = 1_000

const FORWARDED = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
] as const

/**
 * Serves MCP over stdin and stdout, for clients that start a program, until stdin ends. Each message is passed on to the server; one
 * without an answer is sent again, which does nothing twice, since every write carries its key. Files of this machine can be uploaded.
 */
export async function serveStdio(
  { baseUrl, key }: Remote,
  streams: { readonly input: Readable; readonly output: Writable },
): Promise<void> {
  const outbound = openOutbound({ ...LIMITS, rules: ANYWHERE })
  const remote = { baseUrl, key, outbound }
  const transport = new StdioServerTransport(streams.input, streams.output)
  const handle = serve(() => serverFor(remote), { transport })
  await finished(streams.input, { writable: false }).catch(() => undefined)
  await handle.close()
  await outbound.close()
}

type Open = Remote & { readonly outbound: Outbound }

function serverFor(remote: Open): Server {
  const server = new Server(
    { name: 'postrider', title: 'Postrider', version },
    { capabilities: CAPABILITIES, instructions: INSTRUCTIONS },
  )
  for (const method of FORWARDED) {
    server.setRequestHandler(method, async ({ params }) => {
      const asked: Schema = isSchema(params) ? params : {}
      const path = method === 'tools/call' ? pathIn(asked) : null
      if (path !== null) return uploadFile(remote, path.path, path.given)
      const result = await forward(remote, method, asked)
      return (method === 'tools/list' ? withPaths(result) : result) as never
    })
  }
  return server
}

let messages = 0

/** Sends one message on, as clients did before 2026, whose messages say nothing of themselves. */
async function forward(remote: Open, method: string, asked: Schema): Promise<unknown> {
  // What a message says of itself is of this connection, and not of the next one.
  const params = Object.fromEntries(Object.entries(asked).filter(([name]) => name !== '_meta'))
  const answer = await insist(remote, {
    method: 'POST',
    url: new URL('mcp', remote.baseUrl),
    headers: {
      authorization: `Bearer ${remote.key}`,
      accept: 'application/json, text/event-stream',
    },
    json: { jsonrpc: '2.0', id: ++messages, method, params },
  })
  if (!answer.arrived) return unreachable(remote, answer.reason)
  const body = parse(answer.response.body)
  const { result, error, detail } = body
  if (result !== undefined) return result
  if (isSchema(error)) throw new ProtocolError(Number(error['code']), String(error['message']), error['data'])
  const said = typeof detail === 'string' ? detail : `The server answered ${answer.response.status}.`
  throw new ProtocolError(ProtocolErrorCode.InternalError, said)
}

/** The same request until it is answered, by the server and not by something on the way. */
async function insist({ outbound }: Open, request: OutboundRequest): Promise<OutboundAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await outbound.call(request)
    const isAnswered = answer.arrived && ![502, 503, 504].includes(answer.response.status)
    if (isAnswered || attempt === ATTEMPTS) return answer
    await delay(PAUSE_MS)
  }
}

function unreachable({ baseUrl }: Remote, reason: string): never {
  const said = `No answer from ${baseUrl.origin} (${reason}). What was asked may have been done: call again with the same arguments, the idempotencyKey included.`
  throw new ProtocolError(ProtocolErrorCode.InternalError, said)
}

function parse(text: string): Schema {
  try {
    const value: unknown = JSON.parse(text)
    return isSchema(value) ? value : {}
  } catch {
    return {}
  }
}

const PATH = { type: 'string', description: 'A file of this machine, instead of `url` or `base64`.' }

/** Here a file may be named by its path, too. */
function withPaths(result: unknown): unknown {
  if (!isSchema(result) || !Array.isArray(result['tools'])) return result
  const tools = result['tools'].map((tool: unknown) => {
    if (!isSchema(tool) || tool['name'] !== 'upload_media' || !isSchema(tool['inputSchema'])) return tool
    const { properties, ...rest } = tool['inputSchema']
    return { ...tool, inputSchema: { ...rest, properties: { ...(properties as Schema), path: PATH } } }
  })
  return { ...result, tools }
}

function pathIn(asked: Schema): { path: string; given: Schema } | null {
  const given = asked['arguments']
  if (asked['name'] !== 'upload_media' || !isSchema(given) || typeof given['path'] !== 'string') return null
  return { path: given['path'], given }
}

async function uploadFile(remote: Open, path: string, given: Schema): Promise<CallToolResult> {
  const { idempotencyKey, altText } = given
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile())
    return asError({ code: 'validation_failed', fix: '`path` leads to no file that can be read here.' })
  const boundary = `postrider-${randomUUID()}`
  const fields = { confirmed: 'true', ...(typeof altText === 'string' ? { altText } : {}) }
  const head = Buffer.from(
    Object.entries(fields)
      .map(
        ([name, text]) =>
          `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
      )
      .join('') + `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="file"\r\n\r\n`,
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const answer = await insist(remote, {
    method: 'POST',
    url: new URL('agent/v1/media', remote.baseUrl),
    headers: {
      authorization: `Bearer ${remote.key}`,
      'idempotency-key': typeof idempotencyKey === 'string' ? idempotencyKey : '',
    },
    file: {
      contentType: `multipart/form-data; boundary=${boundary}`,
      size: head.length + found.size + tail.length,
      open: async function* () {
        yield head
        yield* createReadStream(path) as AsyncIterable<Uint8Array>
        yield tail
      },
    },
  })
  if (!answer.arrived) return unreachable(remote, answer.reason)
  const body = parse(answer.response.body)
  if (answer.response.status < 400) return asResult(body)
  const { code, title, detail, type: page, errors, requestId } = body
  return asError({ code, title, fix: detail, errors, page, requestId })
}

function asResult(value: object): CallToolResult {
  const text = JSON.stringify(value)
  return { content: [{ type: 'text', text }], structuredContent: parse(text) }
}

function asError(problem: object): CallToolResult {
  return { ...asResult(problem), isError: true }
}
