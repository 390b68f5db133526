import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CallTable, fileSign, hostsOf, readCall, type SeenCall } from './call-table.ts'
import { refusedBy, type SentFile, type ValueTable } from './value-table.ts'

/*
 * What the doubles of networks share: a server on this machine that answers in JSON, and refuses calls that are not in the network's table, or
 * whose values are beyond what the network takes.
 */

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

export type HttpDouble = AsyncDisposable & {
  /** Where all of it answers. */
  readonly url: string
  /** Where one of its hosts answers, and calls that belong to another are refused. */
  readonly at: (host: string) => string
  /** All of these addresses. */
  readonly origins: readonly string[]
  /** The calls that it takes; null where there is no table. */
  readonly table: CallTable | null
}

type Handle = (request: IncomingMessage, address: URL) => Promise<Answered>

/** Starts a server that answers calls of the tables so; what it throws, besides refusals, is a 500. */
export async function openHttpDouble(
  handle: Handle,
  table?: CallTable,
  values?: ValueTable,
): Promise<HttpDouble> {
  const opened = new AsyncDisposableStack()
  const open = async (host: string | null) => {
    const checked: Handle = async (request, address) =>
      (values === undefined ? null : await refusedValueIn(values, request, address)) ??
      (table === undefined ? null : await refusalIn(table, request, address, host)) ??
      handle(request, address)
    return opened.use(await listen(checked)).url
  }
  const url = await open(null)
  const named = table === undefined ? [] : hostsOf(table)
  const hosts = new Map<string, string>()
  // A network with one host has no other to take it for.
  for (const host of named) hosts.set(host, named.length === 1 ? url : await open(host))
  return {
    url,
    origins: [...new Set([url, ...hosts.values()])],
    table: table ?? null,
    at(host) {
      const at = hosts.get(host)
      if (at === undefined) throw new Error(`${host} is no host of this network`)
      return at
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** The network's answer to a call that is not in its table; null for one that is. */
async function refusalIn(
  table: CallTable,
  request: IncomingMessage,
  address: URL,
  host: string | null,
): Promise<Answered | null> {
  const seen = await seenIn(request, address, host)
  const read = readCall(table, seen)
  return 'fault' in read ? table.refusal(read.fault, address.pathname, seen.body.value) : null
}

/** The network's answer to a call with a value that it does not take, right away; null for one that it takes at first. */
async function refusedValueIn(
  values: ValueTable,
  request: IncomingMessage,
  { pathname: path, searchParams: query }: URL,
): Promise<Answered | null> {
  const { method = '', headers } = request
  const bytes = await bytesOf(request)
  const json = () => (jsonIn(bytes) ?? {}) as Readonly<Record<string, unknown>>
  const form = () => formOf(request)
  // A call of another shape is refused for that.
  const read = async () => {
    const sent = await values.sentBy({ method, path, query, headers, bytes, json, form })
    return sent === null ? null : refusedBy(values, sent)
  }
  const fact = await read().catch(() => null)
  return fact === null || fact.refused === 'fitted there' || 'later' in fact.refused ? null : fact.refused
}

/** Refuses a file that the network does not take, or gives what it says of it later; null for nothing. */
export function refuseFile(values: ValueTable, file: SentFile): string | null {
  const fact = refusedBy(values, { files: [file] })
  if (fact === null || fact.refused === 'fitted there') return null
  if ('later' in fact.refused) return fact.refused.later
  const { status, body } = fact.refused
  throw new Refusal(status, body)
}

async function listen(handle: Handle): Promise<AsyncDisposable & { readonly url: string }> {
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

const bodies = new WeakMap<IncomingMessage, Promise<Buffer>>()

/** The whole body of a request, also when it was read before. */
export function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const known = bodies.get(request)
  if (known !== undefined) return known
  const read = readBytes(request)
  bodies.set(request, read)
  return read
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A request in its parts. */
async function seenIn(
  request: IncomingMessage,
  { pathname, searchParams }: URL,
  host: string | null,
): Promise<SeenCall> {
  const { method = '', headers } = request
  return { method, host, path: pathname, query: valuesOf(searchParams), headers, body: await bodyOf(request) }
}

async function bodyOf(request: IncomingMessage): Promise<SeenCall['body']> {
  const bytes = await bytesOf(request)
  const type = request.headers['content-type'] ?? ''
  if (bytes.length === 0 && type === '') return { as: 'none', value: null }
  if (/^application\/json\b/.test(type)) return { as: 'json', value: jsonIn(bytes) }
  if (/^application\/x-www-form-urlencoded\b/.test(type))
    return { as: 'form', value: valuesOf(new URLSearchParams(bytes.toString())) }
  if (!type.startsWith('multipart/form-data')) return { as: 'file', value: type }
  const form = [...(await formOf(request))].map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'string' ? value : fileSign(value.type),
  ])
  return { as: 'multipart', value: valuesOf(form) }
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

/** By name; a list for one that comes more than once. */
function valuesOf(entries: Iterable<[string, unknown]>): Record<string, unknown> {
  const all = Map.groupBy(entries, ([name]) => name)
  return Object.fromEntries(
    [...all].map(([name, found]) => [
      name,
      found.length === 1 ? found[0]?.[1] : found.map(([, value]) => value),
    ]),
  )
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
