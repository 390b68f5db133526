import { operations, type Operations, type Problem, type ProblemCode } from './api.ts'
import { type Answered } from './call.ts'
import { AnswerError, ConnectionError, type Outcome, ProblemError } from './errors.ts'
import { isAnswerOf, REQUEST_ID, redirectOf, sayNotOurs, sayRedirect } from './foreign.ts'
import { checkNumbers } from './numbers.ts'
import { type Attempt, nextAttempt, retryAfterOf } from './retry.ts'

export type OperationId = keyof Operations

export type ClientOptions = {
  /** An agent key (`pr_…`) or an access token; a function is asked before each attempt. Undefined, as of a variable, is refused. */
  readonly key: string | undefined | (() => string | Promise<string>)
  /** The address of the server, such as `https://posts.example.com`. */
  readonly baseUrl: string
  /** How often a request is repeated at most when no answer came, or one that passes: 2 if left out. */
  readonly maxRetries?: number
  /** How long one attempt may take, in milliseconds: 60,000 if left out; files and models have ten minutes. */
  readonly timeoutMs?: number
  /** Sends the requests: the global `fetch` if left out. */
  readonly fetch?: typeof fetch
  /** Is told of every attempt. The key and the bodies are never logged. */
  readonly logger?: { readonly debug: (message: string, facts: Readonly<Record<string, unknown>>) => void }
}

export type CallOptions = {
  /** The key of this one effect; made anew for each call if left out. Pass that of an error to repeat what is unknown. */
  readonly idempotencyKey?: string | null
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly maxRetries?: number
}

/** What a call asks for. `form` holds a file and its fields, in place of a body. */
export type Asked<Id extends OperationId> = {
  readonly params?: Operations[Id]['params']
  readonly query?: Operations[Id]['query']
  readonly body?: Operations[Id]['body']
  readonly file?: Blob
}

type Call = {
  readonly method: string
  readonly path: string
  readonly key?: true
  readonly confirmed?: true
  readonly file?: string
  readonly bytes?: true
  readonly has?: string
}

/** Writes that have no key, and another effect each time. */
const SENT_ONCE: readonly OperationId[] = ['createOwnEndpoint', 'rotateOwnEndpointSecret']

const SLOW: readonly OperationId[] = [
  'importPosts',
  'exportPosts',
  'uploadMedia',
  'readMediaContent',
  'generatePostDrafts',
  'generatePostImage',
]
const SLOW_TIMEOUT_MS = 600_000
const TIMEOUT_MS = 60_000
/** How long a request that is still running is waited for in all. */
const LONGEST_WAIT_MS = 120_000

/** Sends requests, and repeats what is safe to repeat. */
export class Transport {
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    const { maxRetries, timeoutMs } = options
    checkNumbers({ maxRetries, timeoutMs })
    this.#options = { ...options, baseUrl: checkedBaseUrl(options.baseUrl) }
  }

  /** Resolves with the answer; rejects with a `PostriderError`, or with the reason of the signal. */
  async send<Id extends OperationId>(
    id: Id,
    asked: Asked<Id>,
    options: CallOptions = {},
  ): Promise<Answered<Operations[Id]['answer']>> {
    const { maxRetries: retries, timeoutMs } = options
    checkNumbers({ maxRetries: retries, timeoutMs })
    const call: Call = operations[id]
    // The key is made once, before the first attempt: whatever happens to it, a repeat is the same effect.
    const idempotencyKey = call.key === true ? (options.idempotencyKey ?? crypto.randomUUID()) : null
    const waitUntil = performance.now() + LONGEST_WAIT_MS
    const maxRetries = SENT_ONCE.includes(id) ? 0 : (retries ?? this.#options.maxRetries ?? 2)
    let outcome: Outcome = 'none'
    for (let attempts = 1, retried = 0; ; attempts += 1) {
      const ended = await this.#attempt(id, call, asked, idempotencyKey, options)
      if (ended.kind === 'answer') return ended.answered
      if (call.method !== 'GET') outcome = outcomeAfter(outcome, ended)
      const next = nextAttempt(ended.attempt, {
        retried,
        retriesLeft: maxRetries - retried,
        random: Math.random(),
      })
      if (next === null || (!next.counts && performance.now() + next.afterMs > waitUntil)) {
        throw ended.toError({ operation: id, outcome, idempotencyKey, attempts })
      }
      if (next.counts) retried += 1
      await pause(next.afterMs, options.signal)
    }
  }

  async #attempt<Id extends OperationId>(
    id: Id,
    call: Call,
    asked: Asked<Id>,
    idempotencyKey: string | null,
    { signal, timeoutMs }: CallOptions,
  ): Promise<Ended<Operations[Id]['answer']>> {
    const { fetch: send = fetch, key, baseUrl, logger } = this.#options
    const limit = timeoutMs ?? (SLOW.includes(id) ? SLOW_TIMEOUT_MS : (this.#options.timeoutMs ?? TIMEOUT_MS))
    signal?.throwIfAborted()
    const credential = typeof key === 'function' ? await key() : key
    if (!/^[!-~]+$/.test(credential ?? ''))
      throw new TypeError('key is missing, or no agent key or access token: it has characters that none has.')
    const clock = AbortSignal.timeout(limit)
    const begunAt = performance.now()
    const log = (ended: string) =>
      logger?.debug(`${call.method} ${call.path}: ${ended}`, {
        operation: id,
        ms: Math.round(performance.now() - begunAt),
        idempotencyKey,
      })
    try {
      const address = addressOf(call.path, asked.params, asked.query)
      const response = await send(baseUrl + address, {
        method: call.method,
        headers: {
          authorization: `Bearer ${credential}`,
          accept: call.bytes === true ? '*/*' : 'application/json',
          ...(call.method === 'POST' && call.file === undefined
            ? { 'content-type': 'application/json' }
            : {}),
          ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
        },
        body: bodyOf(call, asked),
        redirect: 'manual',
        signal: signal === undefined ? clock : AbortSignal.any([signal, clock]),
      })
      const ended = await read<Operations[Id]['answer']>(response, call, idempotencyKey, { baseUrl, address })
      log(String(response.status))
      return ended
    } catch (cause) {
      signal?.throwIfAborted()
      log('no answer')
      const why = clock.aborted ? `no answer came within ${limit} ms` : `no answer came: ${reasonOf(cause)}`
      return {
        kind: 'error',
        attempt: { kind: 'no answer' },
        isUnknown: !wasNeverSent(cause),
        toError: (facts) => new ConnectionError(`${baseUrl}: ${why}.${hint(facts)}`, { ...facts, cause }),
      }
    }
  }
}

type FailedCall = {
  readonly operation: string
  readonly outcome: Outcome
  readonly idempotencyKey: string | null
  readonly attempts: number
}

type Ended<Data> = { readonly kind: 'answer'; readonly answered: Answered<Data> } | Failed

type Failed = {
  readonly kind: 'error'
  readonly attempt: Attempt
  /** Whether the request may have had its effect all the same. */
  readonly isUnknown: boolean
  readonly toError: (facts: FailedCall) => Error
}

/**
 * What is known of the effect after one more attempt. What became unknown stays so until the server refuses the very request:
 * the credential and the rate are judged before its key is looked at, and say nothing of an earlier attempt.
 */
function outcomeAfter(before: Outcome, { attempt, isUnknown }: Failed): Outcome {
  if (isUnknown) return 'unknown'
  const isRefusal =
    attempt.kind === 'answered' && attempt.code !== null && ![401, 403, 408, 429].includes(attempt.status)
  return isRefusal ? 'none' : before
}

async function read<Data>(
  response: Response,
  call: Call,
  idempotencyKey: string | null,
  { baseUrl, address }: { readonly baseUrl: string; readonly address: string },
): Promise<Ended<Data>> {
  const { ok, status, headers } = response
  const type = headers.get('content-type') ?? ''
  const retryAfterMs = retryAfterOf(headers, Date.now())
  // 303 answers what was done, elsewhere (RFC 9110, 15.4.4); any other redirect has done nothing.
  const isUnknown = ok || status === 303 || status >= 500
  const foreign = (said: string): Failed => ({
    kind: 'error',
    attempt: { kind: 'answered', status, code: null, retryAfterMs },
    isUnknown,
    toError: (facts) => new AnswerError(`${said}${hint(facts)}`, status, facts),
  })
  const notOurs = (what: string) => foreign(sayNotOurs(baseUrl, `status ${status}, ${what}`))
  const redirect = redirectOf(response, baseUrl, address)
  if (redirect !== null) return foreign(sayRedirect(redirect, baseUrl))
  if (ok && (call.bytes === true || type.startsWith('application/json'))) {
    const data = (call.bytes === true ? await response.arrayBuffer() : await response.json()) as Data
    if (!isAnswerOf(call, data, headers)) return notOurs('with other JSON')
    const requestId = headers.get(REQUEST_ID)
    const replayed = headers.get('idempotent-replayed') === 'true'
    return { kind: 'answer', answered: { data, response, requestId, replayed, idempotencyKey } }
  }
  const problem = type.startsWith('application/problem+json') ? await problemIn(response) : null
  if (problem === null) return notOurs(type === '' ? 'without a type' : type)
  return {
    kind: 'error',
    attempt: { kind: 'answered', status, code: problem.code, retryAfterMs },
    isUnknown: isUnknown || problem.code === 'idempotency_in_progress',
    toError: (facts) => new ProblemError(problem, facts),
  }
}

async function problemIn(response: Response): Promise<(Problem & { code: ProblemCode }) | null> {
  const body = (await response.json()) as Partial<Problem> | null
  return typeof body?.code === 'string' ? (body as Problem & { code: ProblemCode }) : null
}

function hint({ outcome, idempotencyKey }: FailedCall): string {
  if (outcome === 'none') return ''
  if (idempotencyKey === null) return ' The result is unknown: read what exists before you call again.'
  return ` The result is unknown. Call again with the idempotencyKey ${idempotencyKey} to find out, without a second effect.`
}

function addressOf(path: string, params: object | undefined, query: object | undefined): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown> | undefined)?.[name])),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(name, value instanceof Date ? value.toISOString() : String(value))
  }
  return search.size === 0 ? filled : `${filled}?${search.toString()}`
}

function bodyOf<Id extends OperationId>(call: Call, { body, file }: Asked<Id>): FormData | string | null {
  if (call.method !== 'POST') return null
  const fields = { ...body, ...(call.confirmed === true ? { confirmed: true } : {}) }
  if (call.file === undefined) return JSON.stringify(fields)
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, String(value))
  if (file !== undefined) form.set(call.file, file)
  return form
}

function checkedBaseUrl(baseUrl: string): string {
  const { protocol, href, search, hash } = new URL(baseUrl)
  if (!/^https?:$/.test(protocol) || search !== '' || hash !== '') {
    throw new TypeError(`baseUrl is the http(s) address of the server, and nothing else: ${baseUrl}`)
  }
  return href.replace(/\/+$/, '')
}

/** What Node's `fetch` names where no connection came about; elsewhere that is not told. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

function wasNeverSent(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  return NEVER_SENT.includes(String((cause as { code?: unknown }).code)) || wasNeverSent(cause.cause)
}

/** The first reason behind an error of `fetch`, which itself only says that it failed. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? reasonOf(cause.cause) : cause.message || cause.name
}

/** Rejects with the reason of the signal once it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resume, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resume()
    }, ms)
    if (signal?.aborted === true) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
