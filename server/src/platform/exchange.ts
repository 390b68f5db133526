import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'

export type ExchangeLimits = {
  /** From now to the last byte of the answer. */
  readonly totalMs: number
  /** A longer body is an error; or, when it is dropped, it ends with what came so far. */
  readonly bodyMaxBytes: number
  /** The status is the whole answer: its body is read for at most this long, for the connection's sake, and dropped. */
  readonly dropBodyAfterMs?: number
  readonly signal?: AbortSignal
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
  return new Promise((resolve, reject) => {
    const { totalMs, bodyMaxBytes, dropBodyAfterMs, signal } = limits
    const drops = dropBodyAfterMs !== undefined
    let controller: Dispatcher.DispatchController | null = null
    let head: Pick<ExchangeAnswer, 'status' | 'headers'> | null = null
    let ended = false
    let dropTimer: NodeJS.Timeout | undefined
    const chunks: Buffer[] = []
    let size = 0

    const totalTimer = setTimeout(() => giveUp(new DOMException('over', 'TimeoutError')), totalMs)
    const onAbort = () => giveUp(signal?.reason)
    signal?.addEventListener('abort', onAbort)

    function end(): boolean {
      if (ended) return false
      ended = true
      clearTimeout(totalTimer)
      clearTimeout(dropTimer)
      signal?.removeEventListener('abort', onAbort)
      return true
    }

    /** Once the status of a body that is dropped has come, whatever ends it is its end. */
    function fail(cause: unknown): void {
      if (head !== null && drops) return succeed()
      if (!end()) return
      if (request.body instanceof Readable) request.body.destroy()
      reject(cause)
    }

    function succeed(): void {
      if (end() && head !== null) resolve({ ...head, body: drops ? '' : Buffer.concat(chunks).toString() })
    }

    function giveUp(cause: unknown): void {
      fail(cause)
      controller?.abort(cause as Error)
    }

    if (request.body instanceof Readable) request.body.once('error', giveUp)
    if (signal?.aborted) return giveUp(signal.reason)
    dispatcher.dispatch(request, {
      onRequestStart(given) {
        controller = given
        if (ended) given.abort(new DOMException('given up', 'AbortError'))
      },
      onResponseStart(_controller, status, headers) {
        if (status < 200) return
        head = { status, headers: firstValues(headers) }
        if (drops) dropTimer = setTimeout(() => giveUp(new BodyTooLarge()), dropBodyAfterMs)
      },
      onResponseData(_controller, chunk) {
        size += chunk.length
        if (size > bodyMaxBytes) giveUp(new BodyTooLarge())
        else if (!drops) chunks.push(chunk)
      },
      onResponseEnd: succeed,
      onResponseError: (_controller, cause) => fail(cause),
    })
  })
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
