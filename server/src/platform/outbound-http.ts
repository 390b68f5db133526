import { Readable } from 'node:stream'
import { Agent, errors } from 'undici'

export type OutboundRequest = {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly json?: unknown
  /** The bytes of a file, instead of JSON. */
  readonly file?: {
    readonly contentType: string
    readonly size: number
    readonly open: () => AsyncIterable<Uint8Array>
  }
}

/** What came back. `maybeSent` is false only when not one byte of the request can have left. */
export type OutboundAnswer =
  | {
      readonly arrived: true
      readonly response: { status: number; headers: Record<string, string>; body: string }
      readonly durationMs: number
    }
  | {
      readonly arrived: false
      readonly maybeSent: boolean
      readonly reason: string
      readonly durationMs: number
    }

export type OutboundOptions = {
  readonly connectMs: number
  /** From the start of the call to the last byte of the answer; a file has the time besides that it takes on a slow line. */
  readonly totalMs: number
  /** A longer body counts as no answer: half of it proves nothing. */
  readonly bodyMaxBytes: number
  readonly userAgent: string
}

export type Outbound = {
  call(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundAnswer>
  close(): Promise<void>
}

/**
 * Makes single HTTP calls: no redirects, no repeats, one time limit over everything. Never throws: silence
 * is an answer, too, and says whether the other side may have heard us.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const agent = new Agent({
    connect: { timeout: options.connectMs },
    headersTimeout: options.totalMs,
    bodyTimeout: options.totalMs,
    allowH2: false,
    // A retried idempotent request would be a second call that nobody armed.
    pipelining: 1,
  })

  async function call(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundAnswer> {
    const begun = performance.now()
    const durationMs = () => Math.round((performance.now() - begun) * 10) / 10
    const limit = AbortSignal.timeout(
      options.totalMs + Math.ceil((request.file?.size ?? 0) / SLOW_BYTES_PER_MS),
    )
    try {
      const response = await agent.request({
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: {
          'user-agent': options.userAgent,
          accept: 'application/json',
          ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(request.file === undefined
            ? {}
            : { 'content-type': request.file.contentType, 'content-length': String(request.file.size) }),
          ...request.headers,
        },
        body: bodyOf(request),
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      })
      const body = await readWithin(response.body, options.bodyMaxBytes)
      const answer = { status: response.statusCode, headers: firstValues(response.headers), body }
      return { arrived: true, response: answer, durationMs: durationMs() }
    } catch (failure) {
      return { arrived: false, ...silence(failure), durationMs: durationMs() }
    }
  }

  return { call, close: () => agent.destroy() }
}

/** A quarter of a megabyte in a second. */
const SLOW_BYTES_PER_MS = 250

function bodyOf({ json, file }: OutboundRequest): string | Readable | null {
  if (file !== undefined) return Readable.from(file.open())
  return json === undefined ? null : JSON.stringify(json)
}

class BodyTooLarge extends Error {
  readonly code = 'BODY_TOO_LARGE'
}

async function readWithin(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw new BodyTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function firstValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value
      return first === undefined ? [] : [[name.toLowerCase(), first]]
    }),
  )
}

/** Failures that come before a connection exists: nothing can have been sent. */
const beforeConnection = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

function silence(failure: unknown): { maybeSent: boolean; reason: string } {
  const causes = failure instanceof AggregateError ? (failure.errors as unknown[]) : [failure]
  const codes = causes.map(codeOf)
  const [first] = codes
  return { maybeSent: !codes.every((code) => beforeConnection.has(code)), reason: first ?? 'UNKNOWN' }
}

function codeOf(failure: unknown): string {
  if (failure instanceof errors.UndiciError) return failure.code
  if (failure instanceof DOMException) return failure.name === 'TimeoutError' ? 'TIMEOUT' : 'ABORTED'
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined
  return typeof code === 'string' ? code : 'UNKNOWN'
}
