import { redirectOf, sayNotOurs, sayRedirect } from '@postrider/sdk'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { type Context, textOf } from '../command.ts'
import { openLogin } from '../credentials.ts'

type Message = {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
}

/** How often a message is sent that gets no answer; every write carries its key, so that this does nothing twice. */
const ATTEMPTS = 3
const PAUSE_MS = 1_000
const TIMEOUT_MS = 120_000
/** Of JSON-RPC 2.0, section 5.1. */
const [PARSE_ERROR, INTERNAL_ERROR] = [-32_700, -32_603]

/** `postrider mcp`: each line of standard input is a message, and goes to the server as it is. */
export async function run({ values, env, signal }: Context): Promise<void> {
  const login = openLogin(env, textOf(values, 'server'), 'tools')
  let revision: string | undefined
  const pending = new Set<Promise<void>>()
  const lines = createInterface({ input: process.stdin })
  signal.addEventListener('abort', () => lines.close(), { once: true })
  for await (const line of lines) {
    if (line.trim() === '') continue
    const message = messageIn(line)
    if (message === null) {
      process.stdout.write(`${failed(null, 'This line is no message of JSON-RPC.', PARSE_ERROR)}\n`)
      continue
    }
    const told = revisionIn(message)
    if (told !== undefined) revision = told
    const answering: Promise<void> = answerTo(login, message, line, revision, signal).then((answer) => {
      if (answer !== null) process.stdout.write(`${answer}\n`)
      pending.delete(answering)
    })
    pending.add(answering)
  }
  await Promise.all(pending)
}

/** One message; null for a line that is none. Several in one line were of the protocol before 2025-06-18. */
function messageIn(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** The revision of the protocol that a message is of: said by each one, or before 2026 by the first. */
function revisionIn({ method, params }: Message): string | undefined {
  const meta = params?.['_meta'] as Record<string, unknown> | undefined
  const said =
    meta?.['io.modelcontextprotocol/protocolVersion'] ??
    (method === 'initialize' ? params?.['protocolVersion'] : undefined)
  return typeof said === 'string' ? said : undefined
}

type Login = ReturnType<typeof openLogin>

async function answerTo(
  { server, key }: Login,
  message: Message,
  line: string,
  revision: string | undefined,
  signal: AbortSignal,
): Promise<string | null> {
  const name = message.params?.['name'] ?? message.params?.['uri']
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(`${server}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await key()}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(revision === undefined || message.method === 'initialize'
            ? {}
            : { 'mcp-protocol-version': revision }),
          ...(message.method === undefined ? {} : { 'mcp-method': message.method }),
          ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
        },
        body: line,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      const redirect = redirectOf(response, server, '/mcp')
      if (redirect !== null)
        return message.id === undefined ? null : failed(message.id, sayRedirect(redirect, server))
      const text = await response.text()
      if ([502, 503, 504].includes(response.status) && attempt < ATTEMPTS)
        throw new Error(`status ${response.status}`)
      return message.id === undefined ? null : answerIn(text, response, server, message.id)
    } catch (cause) {
      // Whoever interrupts it waits for no answer.
      if (signal.aborted) return null
      if (attempt < ATTEMPTS) {
        await delay(PAUSE_MS)
        continue
      }
      const said = `No answer from ${server}: ${String(cause)}. What was asked may have been done: call again with the same arguments, the idempotencyKey included.`
      return message.id === undefined ? null : failed(message.id, said)
    }
  }
}

/** The message of an answer, out of its event stream where it is one. */
function answerIn(text: string, response: Response, server: string, id: string | number): string {
  const data =
    response.headers.get('content-type')?.startsWith('text/event-stream') === true
      ? text
          .split('\n')
          .findLast((line) => line.startsWith('data:'))
          ?.slice('data:'.length)
      : text
  try {
    const answer = JSON.parse(data ?? '') as { jsonrpc?: string; detail?: string; title?: string }
    return answer.jsonrpc === undefined
      ? failed(id, answer.detail ?? answer.title ?? sayNotOurs(server, `status ${response.status}`))
      : JSON.stringify(answer)
  } catch {
    return failed(id, sayNotOurs(server, `status ${response.status}`))
  }
}

function failed(id: string | number | null, message: string, code = INTERNAL_ERROR): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}
