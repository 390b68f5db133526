import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { elapsedClock } from '../process/elapsed-clock.ts'
import { codeOf } from '../process/error-code.ts'
import { exchange, firstValues } from './http-exchange.ts'
import type { ConnectOptions } from './guarded-connect.ts'
import type { SocketExchange, SocketResult } from './guarded-socket.ts'
import { type MayBegin, TooLate } from './may-begin.ts'
import { NotConnected } from './not-connected.ts'
import { onFirstUse } from '../process/on-first-use.ts'
import { targetFault } from './outbound-guard.ts'

export type OutboundRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Serialised for this call; for bytes that must not change there is `body`. */
  readonly json?: unknown
  /** Sent as it is. */
  readonly body?: Uint8Array
  /** The bytes of a file, instead of JSON. */
  readonly file?: {
    readonly contentType: string
    readonly size: number
    readonly open: () => AsyncIterable<Uint8Array>
  }
}

/**
 * What came back. `maybeSent` is false only when not one byte of the request can have left. `unfinished` says that not
 * all bytes of the file were taken from it, so that no whole request can have arrived. `reason` is a code:
 * `TARGET_REFUSED` (its URL), `ADDRESS_REFUSED` (where its name leads), `REQUEST_REFUSED` (not expressible in HTTP)
 * will be the same next time; `TOO_LATE` (it was not to begin any more), `TIMEOUT`, `ABORTED`, `BODY_TOO_LARGE`, `TOO_MANY_INTERIM_ANSWERS`, `MOSTLY_FRAMING` and
 * the codes of sockets, DNS and TLS may not.
 */
export type OutboundAnswer =
  | {
      readonly arrived: true
      readonly response: { status: number; headers: Record<string, string>; body: string }
      readonly durationMs: number
    }
  | {
      readonly arrived: false
      readonly maybeSent: boolean
      readonly unfinished?: true
      readonly reason: string
      readonly durationMs: number
    }

/** Whether a call was not made because this installation calls no such address. */
export function isRefusedTarget(reason: string): boolean {
  return reason === 'TARGET_REFUSED' || reason === 'ADDRESS_REFUSED'
}

export type OutboundOptions = ConnectOptions & {
  /** From the start of the call to the last byte of the answer; a file has the time besides that it takes on a slow line. */
  readonly totalMs: number
  /** A longer body counts as no answer: half of it proves nothing. Or, when `drop` says so, it is left unread. */
  readonly bodyMaxBytes: number
  /**
   * For callers to whom the HTTP status is the whole answer: the body is read for at most this long, so that
   * the connection can serve again, and then dropped. The answer's body is empty.
   */
  readonly dropBodyAfterMs?: number
  readonly userAgent: string
}

export type OpenOptions = { readonly accept: string; readonly encodings?: string }

/** What is at an address, still to be read: destroy the body where it is not read to its end. */
export type OpenedDownload =
  | {
      readonly arrived: true
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: Readable
    }
  | { readonly arrived: false; readonly reason: string }

export type Outbound = {
  /** With `mayBegin`, it begins while that is true or never. */
  call(request: OutboundRequest, signal?: AbortSignal, mayBegin?: MayBegin): Promise<OutboundAnswer>
  /** Talks over a WebSocket, under the same rules and limits. */
  talk(talk: SocketExchange, signal: AbortSignal, mayBegin?: MayBegin): Promise<SocketResult>
  /**
   * Opens what is at an address, under the same rules, for a reader that takes it piece by piece. `encodings` are those that the reader
   * unpacks: the body is as it was sent.
   */
  open(url: URL, options: OpenOptions, signal?: AbortSignal): Promise<OpenedDownload>
  close(): Promise<void>
}

/**
 * Makes single HTTP calls to permitted addresses: no redirects, no repeats, no decoding, one time limit over
 * everything. Never throws: silence is an answer, too, and says whether the other side may have heard us.
 * Connections are kept for later calls to the same origin; each stays with the address that was checked.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const agent = onFirstUse(() => openAgent(options))

  async function call(
    request: OutboundRequest,
    signal?: AbortSignal,
    mayBegin?: MayBegin,
  ): Promise<OutboundAnswer> {
    const begun = performance.now()
    const durationMs = () => Math.round((performance.now() - begun) * 10) / 10
    if (targetFault(request.url, options.rules) !== null)
      return { arrived: false, maybeSent: false, reason: 'TARGET_REFUSED', durationMs: durationMs() }

    const totalMs = options.totalMs + Math.ceil((request.file?.size ?? 0) / SLOW_BYTES_PER_MS)
    const overAt = elapsed() + totalMs
    const goesOn = () => elapsed() < overAt
    const file = request.file && watchReading(request.file, { mayBegin, goesOn })
    const watched = file === undefined ? request : { ...request, file }
    try {
      const response = await exchange(await agent.get(), optionsOf(watched, options.userAgent), {
        totalMs,
        bodyMaxBytes: options.bodyMaxBytes,
        ...(options.dropBodyAfterMs === undefined ? {} : { dropBodyAfterMs: options.dropBodyAfterMs }),
        ...(signal === undefined ? {} : { signal }),
        ...(mayBegin === undefined ? {} : { mayBegin }),
      })
      return { arrived: true, response, durationMs: durationMs() }
    } catch (failure) {
      const unfinished = file?.finished() === false ? ({ unfinished: true } as const) : {}
      return { arrived: false, ...silence(failure), ...unfinished, durationMs: durationMs() }
    }
  }

  async function open(
    url: URL,
    { accept, encodings }: OpenOptions,
    signal?: AbortSignal,
  ): Promise<OpenedDownload> {
    if (targetFault(url, options.rules) !== null) return { arrived: false, reason: 'TARGET_REFUSED' }
    const limit = AbortSignal.timeout(options.totalMs)
    try {
      const response = await (
        await agent.get()
      ).request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'GET',
        headers: {
          'user-agent': options.userAgent,
          accept,
          ...(encodings === undefined ? {} : { 'accept-encoding': encodings }),
        },
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      })
      const { statusCode: status, body } = response
      // One that is given up ends with an error, which its reader may not be there to hear.
      body.on('error', () => undefined)
      return { arrived: true, status, headers: firstValues(response.headers), body }
    } catch (failure) {
      return { arrived: false, reason: silence(failure).reason }
    }
  }

  async function talk(
    wanted: SocketExchange,
    signal: AbortSignal,
    mayBegin?: MayBegin,
  ): Promise<SocketResult> {
    if (targetFault(wanted.url, options.rules) !== null)
      return { maybeSent: false, messages: [], reason: 'TARGET_REFUSED' }
    const { talkOverSocket } = await sockets.get()
    return talkOverSocket(wanted, { ...options, maxBytes: options.bodyMaxBytes }, signal, mayBegin)
  }

  return { call, open, talk, close: async () => (await agent.opened())?.destroy() }
}

/** Few networks speak over sockets. */
const sockets = onFirstUse(() => import('./guarded-socket.ts'))

/** undici is loaded with the first call: it takes 12 MB. */
async function openAgent(options: OutboundOptions): Promise<Dispatcher> {
  const [{ openCappedAgent }, { guardedConnector }] = await Promise.all([
    import('./capped-agent.ts'),
    import('./guarded-connect.ts'),
  ])
  return openCappedAgent({
    connect: guardedConnector(options),
    headersTimeout: options.totalMs,
    bodyTimeout: options.totalMs,
    allowH2: false,
    // A retried idempotent request would be a second call without an armed attempt.
    pipelining: 1,
    // Longer is riskier: a server that closes an idle connection just as a request goes out leaves doubt behind.
    keepAliveTimeout: 4_000,
    // A kept connection outlives a change of the name by this much at most between two calls.
    keepAliveMaxTimeout: 60_000,
  })
}

/** The time of all calls of this process, in milliseconds. */
const elapsed = elapsedClock()

/** A quarter of a megabyte in a second. */
const SLOW_BYTES_PER_MS = 250

function optionsOf(request: OutboundRequest, userAgent: string): Dispatcher.DispatchOptions {
  const { url, method } = request
  const path = url.pathname + url.search
  // undici takes what can be iterated, and asks for the next piece once the line has taken the one before; its types do not say so.
  const body = bodyOf(request) as NonNullable<Dispatcher.DispatchOptions['body']> | null
  return { origin: url.origin, path, method, headers: headersOf(request, userAgent), body }
}

function headersOf({ headers, json, file }: OutboundRequest, userAgent: string): Record<string, string> {
  return {
    'user-agent': userAgent,
    accept: 'application/json',
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(file === undefined ? {} : { 'content-type': file.contentType, 'content-length': String(file.size) }),
    ...headers,
  }
}

function bodyOf({
  json,
  body,
  file,
}: OutboundRequest): Uint8Array | string | AsyncIterable<Uint8Array> | null {
  if (file !== undefined) return file.open()
  if (body !== undefined) return body
  return json === undefined ? null : JSON.stringify(json)
}

type FileTimes = { readonly mayBegin: MayBegin | undefined; readonly goesOn: () => boolean }

/**
 * The same file, and whether all of its bytes were taken. Those that were may still not have left. Before a piece is given out, the clock is
 * looked at again: it is the last piece that makes a request whole, and reading it may have taken any time.
 */
function watchReading(
  { contentType, size, open }: NonNullable<OutboundRequest['file']>,
  { mayBegin, goesOn }: FileTimes,
) {
  let taken = 0
  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const bytes of open()) {
      if (taken === 0 && mayBegin?.() === false) throw new TooLate()
      if (!goesOn()) throw new DOMException('over', 'TimeoutError')
      taken += bytes.byteLength
      yield bytes
    }
  }
  return { contentType, size, open: watched, finished: () => taken >= size }
}

function silence(failure: unknown): { maybeSent: boolean; reason: string } {
  if (failure instanceof NotConnected || failure instanceof TooLate)
    return { maybeSent: false, reason: failure.code }
  // undici checks a request before it takes it on: a line end in a header, a character beyond latin1.
  if (codeOf(failure) === 'UND_ERR_INVALID_ARG') return { maybeSent: false, reason: 'REQUEST_REFUSED' }
  return { maybeSent: true, reason: reasonOf(failure) }
}

function reasonOf(failure: unknown): string {
  if (failure instanceof DOMException) return failure.name === 'TimeoutError' ? 'TIMEOUT' : 'ABORTED'
  return codeOf(failure) ?? 'UNKNOWN'
}
