/** Every "no" of the network: its HTTP status and what the caller may do about it. */
const refusals = {
  invalid_request: { httpStatus: 400, message: 'The request is not understood.' },
  invalid_token: { httpStatus: 401, message: 'The account token is unknown or revoked.' },
  forbidden: { httpStatus: 403, message: 'This account may not do that.' },
  not_found: { httpStatus: 404, message: 'There is nothing at this address.' },
  post_not_found: { httpStatus: 404, message: 'No such post.' },
  account_not_found: { httpStatus: 404, message: 'No such account.' },
  fault_not_found: { httpStatus: 404, message: 'No such fault plan.' },
  handle_taken: { httpStatus: 409, message: 'Another account has this handle.' },
  text_empty: { httpStatus: 422, message: 'A post needs text or media.' },
  text_too_long: { httpStatus: 422, message: 'The text is longer than this account allows.' },
  parent_not_found: { httpStatus: 422, message: 'The post to reply to does not exist.' },
  media_not_found: { httpStatus: 422, message: 'A media id is unknown to this account.' },
  unknown_directive: { httpStatus: 422, message: 'The text carries an unknown directive.' },
  rate_limited: { httpStatus: 429, message: 'Too many requests. Wait for the time in Retry-After.' },
  internal_error: { httpStatus: 500, message: 'Something broke here.' },
  outage: { httpStatus: 503, message: 'The network is down. Try later.' },
} as const satisfies Record<string, { httpStatus: number; message: string }>

export type RefusalCode = keyof typeof refusals

/** What goes back to the client: an HTTP status, a JSON body and extra headers. */
export type Answer = { httpStatus: number; body: unknown; headers?: Record<string, string> }

/** The answer for a refusal; `detail` replaces the general message where there is more to say. */
export function refuse(
  code: RefusalCode,
  detail?: { message?: string; httpStatus?: number; retryAfterSeconds?: number },
): Answer {
  const { httpStatus, message } = refusals[code]
  return customRefusal(
    detail?.httpStatus ?? httpStatus,
    code,
    detail?.message ?? message,
    detail?.retryAfterSeconds,
  )
}

/** A refusal with a code of the caller's choosing, as a fault plan may order. */
export function customRefusal(
  httpStatus: number,
  code: string,
  message: string,
  retryAfterSeconds?: number,
): Answer {
  return {
    httpStatus,
    body: { error: { code, message } },
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  }
}
