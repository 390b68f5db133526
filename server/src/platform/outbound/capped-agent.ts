import { Agent, type Dispatcher } from 'undici'
import { isMostlyFraming } from './framing.ts'

/** More than any server has a use for: 100, then some of 102 or 103. */
const MOST_INTERIM = 8
const HEAD_BYTES = 16_384

/**
 * The one kind of agent that calls others: whatever its options say, an answer may have so many interim ones before it
 * (1xx), so many bytes of each head, and so many chunks. What a peer can repeat at no cost would otherwise keep this
 * process from everything else until the time of the call is over. Reading and connecting are limited by the options.
 */
export function openCappedAgent(options: Agent.Options): Dispatcher {
  return new Agent({ ...options, maxHeaderSize: HEAD_BYTES }).compose(
    (dispatch) => (request, handler) => dispatch(request, new Capped(handler)),
  )
}

/** What ends a call whose answer is made to keep us busy. */
class AnswerRefused extends Error {
  override name = 'AnswerRefused'
  readonly code: 'TOO_MANY_INTERIM_ANSWERS' | 'MOSTLY_FRAMING'

  constructor(code: AnswerRefused['code']) {
    super(`The answer was given up: ${code}.`)
    this.code = code
  }
}

class Capped implements Dispatcher.DispatchHandler {
  readonly #inner: Dispatcher.DispatchHandler
  #interim = 0
  #chunks = 0
  #bytes = 0

  constructor(inner: Dispatcher.DispatchHandler) {
    this.#inner = inner
  }

  onRequestStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
    this.#inner.onRequestStart?.(...args)
  }

  onRequestUpgrade(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestUpgrade']>>): void {
    this.#inner.onRequestUpgrade?.(...args)
  }

  onResponseStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    const [controller, status] = args
    if (status < 200 && ++this.#interim > MOST_INTERIM) {
      controller.abort(new AnswerRefused('TOO_MANY_INTERIM_ANSWERS'))
    } else this.#inner.onResponseStart?.(...args)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks += 1
    this.#bytes += chunk.length
    if (isMostlyFraming(this.#chunks, this.#bytes)) controller.abort(new AnswerRefused('MOSTLY_FRAMING'))
    else this.#inner.onResponseData?.(controller, chunk)
  }

  onResponseEnd(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.#inner.onResponseEnd?.(...args)
  }

  onResponseError(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>): void {
    this.#inner.onResponseError?.(...args)
  }
}
