import type { Dispatcher } from 'undici'
import { type MayBegin, TooLate } from './may-begin.ts'

export type ExchangeLimits = {
  /** From now to the last byte of the answer. */
  readonly totalMs: number
  /** A longer body is an error; or, when it is dropped, it ends with what came so far. */
  readonly bodyMaxBytes: number
  /** The status is the whole answer: its body is read for at most this long, for the connection's sake, and dropped. */
  readonly dropBodyAfterMs?: number
  readonly signal?: AbortSignal
  /** Asked when a connection is ready for the request, whose bytes are written next; any time is right when left out. */
  readonly mayBegin?: MayBegin
}

export type ExchangeAnswer = { status: number; headers: Record<string, string>; body: string }

/**
 * One request and its answer, as undici's connections hand them over: the streams and signals that its `request` puts
 * around them cost more than the request. Throws what undici does, a TimeoutError, what the signal says, or
 * BODY_TOO_LARGE.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<ExchangeAnswer> {
  const running = new Exchange(limits)
  if (!running.ended) dispatcher.dispatch(request, running)
  return running.answer
}

/** An exchange under way. It ends once: with its answer, with a failure, or by a limit, whichever comes first. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits
  readonly #answer = Promise.withResolvers<ExchangeAnswer>()
  readonly #totalTimer: NodeJS.Timeout
  #dropTimer: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | null = null
  #head: Pick<ExchangeAnswer, 'status' | 'headers'> | null = null
  #ended = false
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(limits: ExchangeLimits) {
    const { totalMs, signal } = limits
    this.#limits = limits
    this.#totalTimer = setTimeout(() => this.#abort(new DOMException('over', 'TimeoutError')), totalMs)
    signal?.addEventListener('abort', this.#onSignal)
    if (signal?.aborted) this.#onSignal()
  }

  get answer(): Promise<ExchangeAnswer> {
    return this.#answer.promise
  }

  get ended(): boolean {
    return this.#ended
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#ended) controller.abort(new DOMException('given up', 'AbortError'))
    else if (this.#limits.mayBegin?.() === false) this.#abort(new TooLate())
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return
    this.#head = { status, headers: firstValues(headers) }
    const { dropBodyAfterMs } = this.#limits
    if (dropBodyAfterMs === undefined) return
    this.#dropTimer = setTimeout(() => this.#abort(new BodyTooLarge()), dropBodyAfterMs)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#limits.bodyMaxBytes) this.#abort(new BodyTooLarge())
    else if (!this.#dropsBody) this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    if (this.#head === null || !this.#end()) return
    this.#answer.resolve({ ...this.#head, body: Buffer.concat(this.#chunks).toString() })
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, cause: Error): void {
    this.#fail(cause)
  }

  readonly #onSignal = () => this.#abort(this.#limits.signal?.reason)

  /** Ends the exchange, and with it the request. */
  readonly #abort = (cause: unknown): void => {
    this.#fail(cause)
    this.#controller?.abort(cause as Error)
  }

  /** Once the status of a body that is dropped has come, whatever ends it is its end. */
  #fail(cause: unknown): void {
    if (this.#head !== null && this.#dropsBody) return this.onResponseEnd()
    if (!this.#end()) return
    this.#answer.reject(cause)
  }

  /** False when it has ended before. */
  #end(): boolean {
    if (this.#ended) return false
    this.#ended = true
    clearTimeout(this.#totalTimer)
    clearTimeout(this.#dropTimer)
    this.#limits.signal?.removeEventListener('abort', this.#onSignal)
    return true
  }

  get #dropsBody(): boolean {
    return this.#limits.dropBodyAfterMs !== undefined
  }
}

/** The first value of each header. */
export function firstValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value
    if (first !== undefined) values[name.toLowerCase()] = first
  }
  return values
}

class BodyTooLarge extends Error {
  readonly code = 'BODY_TOO_LARGE'
}
