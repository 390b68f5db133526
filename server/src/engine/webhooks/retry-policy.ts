/** At most this many automatic attempts at a delivery, whatever happens to the dispatcher. */
export const MAX_ATTEMPTS = 5

/** Waits after the first, second, third and fourth attempt. */
export const WAITS_MS = [1_000, 2_000, 4_000, 8_000] as const

/** A receiver may ask for a longer wait than that. No wait is longer than this, jitter included. */
const MAX_WAIT_MS = 60_000

/** Statuses other than 500 to 599 that mean "not now". */
export const retriedStatuses: readonly number[] = [408, 425, 429]

/** What became of one attempt, as the log of attempts keeps it. */
export type AttemptError =
  | 'http_status'
  | 'timeout'
  | 'dns'
  | 'connection'
  | 'tls'
  | 'target_refused'
  | 'address_refused'
  | 'request_refused'
  | 'secret_unreadable'
  | 'event_pruned'
  | 'interrupted'

/** Each error in words, for those who read the log of deliveries. */
export const attemptErrors: Readonly<Record<AttemptError, string>> = {
  http_status: 'The receiver answered with a status outside 200 to 299.',
  timeout: 'The receiver did not answer within 15 seconds.',
  dns: "The host's name could not be resolved.",
  connection: 'The connection failed or broke.',
  tls: 'The TLS handshake failed, or the certificate is not valid for the host.',
  target_refused: "The address can't be called.",
  address_refused: "The name leads to an address that can't be called.",
  request_refused: 'The request could not be written as HTTP.',
  secret_unreadable: "The signing secret can't be decrypted with the configured keys.",
  event_pruned: 'The event was older than EVENT_DAYS and is no longer stored; nothing was sent.',
  interrupted: 'The server crashed mid-request. The receiver may have the event.',
}

/** Errors of this server, before anything was sent: they do not count against the endpoint. */
export const unsentErrors: readonly AttemptError[] = ['secret_unreadable', 'event_pruned']

/** Errors that would only repeat themselves. */
const permanentErrors: readonly AttemptError[] = [
  'target_refused',
  'address_refused',
  'request_refused',
  ...unsentErrors,
]

/** Errors without an answer that a later attempt may not meet. */
export const retriedErrors = (Object.keys(attemptErrors) as AttemptError[]).filter(
  (error) => error !== 'http_status' && !permanentErrors.includes(error),
)

/** The result of one attempt: an HTTP answer, or why there is none. */
export type AttemptResult =
  | { readonly httpStatus: number; readonly retryAfter: string | null }
  | { readonly httpStatus: null; readonly error: AttemptError }

export type Decision =
  | { readonly move: 'confirm'; readonly error: null }
  | { readonly move: 'defer'; readonly error: AttemptError; readonly waitMs: number }
  | { readonly move: 'exhaust'; readonly error: AttemptError }

/**
 * What follows from the attempt with this number (from 1). `random` is in [0, 1): it spreads the retries of
 * many deliveries that failed together, and only ever adds to a wait.
 */
export function decide(result: AttemptResult, attempt: number, now: Date, random: number): Decision {
  if (result.httpStatus !== null && result.httpStatus >= 200 && result.httpStatus <= 299)
    return { move: 'confirm', error: null }
  const error = result.httpStatus === null ? result.error : 'http_status'
  const nominalMs = WAITS_MS[attempt - 1]
  if (nominalMs === undefined || !isRetried(result)) return { move: 'exhaust', error }
  const askedMs = result.httpStatus === null ? null : retryAfterMs(result.retryAfter, now)
  return { move: 'defer', error, waitMs: waitMs(nominalMs, askedMs, random) }
}

/** The nominal wait, or longer when the receiver asks for it; the jitter is at most a tenth, and never exceeds the limit. */
export function waitMs(nominalMs: number, askedMs: number | null, random: number): number {
  const wait = Math.max(nominalMs, askedMs ?? 0)
  return Math.min(Math.round(wait * (1 + random / 10)), MAX_WAIT_MS)
}

/**
 * Milliseconds that a `Retry-After` asks for (RFC 9110, 10.2.3): whole seconds, or an IMF-fixdate; null for anything
 * else. Neither `Number` nor `Date.parse` may read it: `Number('')` is 0, and `Date.parse('-1')` is in 2001.
 */
export function retryAfterMs(text: string | null, now: Date): number | null {
  if (text === null) return null
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  if (!IMF_FIXDATE.test(text)) return null
  const date = new Date(text)
  // The constructor turns 31 February into March; what it writes back must be what was read.
  return date.toUTCString() === text ? Math.max(0, date.getTime() - now.getTime()) : null
}

const IMF_FIXDATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

function isRetried(result: AttemptResult): boolean {
  if (result.httpStatus === null) return !permanentErrors.includes(result.error)
  const { httpStatus } = result
  return retriedStatuses.includes(httpStatus) || (httpStatus >= 500 && httpStatus <= 599)
}

/** The error of a call that brought no answer, by the code that the outbound call gives. */
export function errorOf(reason: string): AttemptError {
  return errorOfReason[reason] ?? (isTlsReason(reason) ? 'tls' : 'connection')
}

const errorOfReason: Readonly<Record<string, AttemptError>> = {
  TARGET_REFUSED: 'target_refused',
  ADDRESS_REFUSED: 'address_refused',
  REQUEST_REFUSED: 'request_refused',
  TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ABORTED: 'interrupted',
  ENOTFOUND: 'dns',
  ENODATA: 'dns',
  ESERVFAIL: 'dns',
  EREFUSED: 'dns',
  EBADRESP: 'dns',
  EBADNAME: 'dns',
  ETIMEOUT: 'dns',
  ECANCELLED: 'dns',
  EAI_AGAIN: 'dns',
}

function isTlsReason(reason: string): boolean {
  return /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH)/.test(reason)
}
