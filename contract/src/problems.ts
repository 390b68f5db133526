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
  malformed_request: { status: 400, also: [413, 415], title: 'The request could not be read' },
  validation_failed: { status: 400, title: 'The request breaks a rule' },
  confirmation_required: { status: 400, title: 'The write is not confirmed' },
  idempotency_key_required: { status: 400, title: 'An idempotency key is required' },
  invalid_cursor: { status: 400, title: 'The cursor is not valid here' },
  cursor_expired: { status: 410, title: 'The feed cannot be continued from this cursor' },
  invalid_credential: { status: 401, title: 'The credential is not valid' },
  not_signed_in: { status: 401, title: 'Nobody is signed in' },
  sign_in_failed: { status: 401, title: 'The sign-in failed' },
  missing_permission: { status: 403, title: 'The credential lacks a permission' },
  credential_limit: { status: 403, title: 'The credential is limited to less' },
  fresh_proof_required: { status: 403, title: 'Show first who you are' },
  cross_site_request: { status: 403, title: 'The request comes from another site' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, also: [501], title: 'The address has no such method' },
  stale_edit_token: { status: 409, title: 'The edit token is stale' },
  stale_control_token: { status: 409, title: 'The control token is stale' },
  invalid_state: { status: 409, title: 'The command is not allowed in this status' },
  already_exists: { status: 409, title: 'It is there already' },
  last_owner: { status: 409, title: 'A workspace needs an owner' },
  unsafe_retry: { status: 409, title: 'A retry could publish twice' },
  idempotency_in_progress: { status: 409, title: 'The same request is still running' },
  link_not_valid: { status: 410, title: 'The link is not valid' },
  batch_refused: { status: 409, title: 'Another row of the batch was refused' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key belongs to another request' },
  post_not_publishable: { status: 422, title: 'The post cannot be published as it is' },
  precondition_failed: { status: 412, title: 'It is not as the request wants it to be' },
  range_not_satisfiable: { status: 416, title: 'The range lies outside of the bytes' },
  media_too_large: { status: 413, title: 'The file is too large' },
  unsupported_media: { status: 415, title: 'The file type is not supported' },
  media_rejected: { status: 422, title: 'The file did not pass its check' },
  media_unavailable: { status: 503, title: 'The stored file of a media item cannot be read' },
  media_not_image: { status: 409, title: 'Only images have readable content' },
  search_too_broad: { status: 422, title: 'The search takes too long' },
  publish_time_in_past: { status: 422, title: 'The publish time is not in the future' },
  channel_unavailable: { status: 422, title: 'A channel is not available' },
  subscription_unconfirmed: { status: 422, title: 'The subscription is not confirmed' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something broke on our side' },
  ai_failed: { status: 502, title: 'No answer that can be used came from the model' },
  ai_not_configured: { status: 409, title: 'No model for this is configured' },
  not_ready: { status: 503, title: 'The service is not ready' },
} as const satisfies Record<string, ProblemFacts>

export type ProblemCode = keyof typeof problems

export const problemCodes = Object.keys(problems) as ProblemCode[]
