type ProblemFacts = {
  /** The HTTP status; further ones the code may travel under stand in `also`. */
  readonly status: number
  readonly also?: readonly number[]
  readonly title: string
}

/**
 * Every problem the API can answer with (RFC 9457). Each code has a page in `docs/problems/`, served at
 * `{base_url}/problems/{code}`.
 */
export const problems = {
  malformed_request: { status: 400, also: [413, 415], title: 'Invalid request' },
  validation_failed: { status: 400, title: 'Invalid input' },
  confirmation_required: { status: 400, title: 'Confirmation required' },
  idempotency_key_required: { status: 400, title: 'Idempotency key required' },
  invalid_cursor: { status: 400, title: 'Invalid cursor' },
  cursor_expired: { status: 410, title: 'Cursor expired' },
  invalid_credential: { status: 401, title: 'Invalid key or token' },
  not_signed_in: { status: 401, title: 'Sign-in required' },
  sign_in_failed: { status: 401, title: 'Sign-in failed' },
  missing_permission: { status: 403, title: 'Permission required' },
  credential_limit: { status: 403, title: 'Outside the limits of this key or app' },
  fresh_proof_required: { status: 403, title: "Confirm it's you" },
  cross_site_request: { status: 403, title: 'Request blocked' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, also: [501], title: 'Method not allowed' },
  stale_edit_token: { status: 409, title: 'Changed meanwhile' },
  stale_control_token: { status: 409, title: 'Post has changed on this channel' },
  invalid_state: { status: 409, title: 'Not possible in this status' },
  already_exists: { status: 409, title: 'Already exists' },
  last_owner: { status: 409, title: 'Owner required' },
  unsafe_retry: { status: 409, title: 'Retry could publish twice' },
  idempotency_in_progress: { status: 409, title: 'Still in progress' },
  link_not_valid: { status: 410, title: 'Link not valid' },
  batch_refused: { status: 409, title: 'Another row was refused' },
  import_refused: { status: 422, title: "Can't import this file" },
  idempotency_key_reused: { status: 422, title: 'Idempotency key already used' },
  post_not_publishable: { status: 422, title: "Can't publish this post" },
  arrived_late: { status: 412, title: 'Arrived too late' },
  precondition_failed: { status: 412, title: 'Changed in the meantime' },
  range_not_satisfiable: { status: 416, title: 'Range not available' },
  media_too_large: { status: 413, title: 'File too large' },
  unsupported_media: { status: 415, title: 'File type not supported' },
  media_rejected: { status: 422, title: 'File rejected' },
  media_unavailable: { status: 503, title: 'File missing' },
  media_not_image: { status: 409, title: 'Only images can be downloaded' },
  search_too_broad: { status: 422, title: 'Search too broad' },
  publish_time_in_past: { status: 422, title: 'Time is in the past' },
  channel_unavailable: { status: 422, title: 'Channel unavailable' },
  subscription_unconfirmed: { status: 422, title: 'Subscription not confirmed' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something went wrong' },
  ai_failed: { status: 502, title: 'No usable AI result' },
  ai_not_configured: { status: 409, title: "AI isn't set up" },
  not_ready: { status: 503, title: 'Temporarily unavailable' },
} as const satisfies Record<string, ProblemFacts>

export type ProblemCode = keyof typeof problems

export const problemCodes = Object.keys(problems) as ProblemCode[]
