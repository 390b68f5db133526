import { codeOf, type DatabaseTrouble, databaseTrouble } from '../../../platform/postgres/db.ts'
import { refuse, type Refusal, ThrownRefusal, Unready } from '../../operations/refusal.ts'
import { RefusedBody } from '../request/json-body.ts'

export type FaultAnswer = {
  readonly refusal: Refusal
  readonly httpStatus?: number
  /** Whether the fault is ours and belongs into the log with its stack. */
  readonly ours: boolean
}

/** Decides what a client is told of something thrown. What is not known to be its doing is ours, and says nothing. */
export function answerFault(fault: unknown): FaultAnswer {
  if (fault instanceof RefusedBody) {
    const { refusal, httpStatus } = fault
    return { refusal, ...(httpStatus === undefined ? {} : { httpStatus }), ours: false }
  }
  if (fault instanceof ThrownRefusal) return { refusal: fault.refusal, ours: true }
  if (fault instanceof Unready) {
    return { refusal: refuse('not_ready', fault.message, { retryAfterSeconds: 60 }), ours: true }
  }
  const trouble = databaseTrouble(fault)
  if (trouble !== null) {
    const { detail, retryAfterSeconds } = TROUBLE[trouble.is]
    return { refusal: refuse('not_ready', detail, { retryAfterSeconds }), ours: true }
  }
  return (
    FRAMEWORK[codeOf(fault) ?? ''] ?? { refusal: refuse('internal_error', INTERNAL_ERROR_DETAIL), ours: true }
  )
}

const TROUBLE: Readonly<Record<DatabaseTrouble['is'], { detail: string; retryAfterSeconds: number }>> = {
  away: {
    detail: 'The database cannot be reached at the moment. Send the request again in a second.',
    retryAfterSeconds: 1,
  },
  full: {
    detail: 'The database has no room left for writes. Nothing was changed; send the request again later.',
    retryAfterSeconds: 60,
  },
  slow: {
    detail:
      'The database took too long. Send the request again in a few seconds, and ask for less where you can.',
    retryAfterSeconds: 5,
  },
}

const INTERNAL_ERROR_DETAIL =
  'Something went wrong in the server. If the request was a write with an idempotency key, sending it unchanged is safe; report the `requestId` if it happens again.'

/** What Fastify's own errors mean to a client. */
const FRAMEWORK: Partial<Record<string, FaultAnswer>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unread(
    'Send the body as JSON, with `Content-Type: application/json`.',
    415,
  ),
  FST_ERR_CTP_BODY_TOO_LARGE: unread('The body is larger than what this address takes.', 413),
  FST_ERR_BAD_URL: unread('The path holds a `%` that does not begin a valid UTF-8 escape.', 400),
  FST_ERR_MAX_PARAM_LENGTH: {
    refusal: refuse('not_found', 'There is nothing at this address.'),
    ours: false,
  },
}

function unread(detail: string, httpStatus: number): FaultAnswer {
  return { refusal: refuse('malformed_request', detail), httpStatus, ours: false }
}
