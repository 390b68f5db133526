import type { ProblemCode } from '@postrider/contract'

const UNCHANGED =
  'Nothing is lost: call again with unchanged arguments, the same idempotencyKey included, after `retryAfterSeconds`.'
const CORRECT =
  'Nothing was changed. Correct the arguments and call again; the same idempotencyKey may be used.'
const READ_AGAIN =
  'Nothing was changed. Read the post again with get_post, and decide again by what it says now.'
const ASK_PERSON = 'Nothing was changed. Ask a person of the workspace; trying again will not help.'

/** What an agent does best after a refusal, beside what the refusal itself says. */
const nextSteps: Partial<Record<ProblemCode, string>> = {
  validation_failed: CORRECT,
  confirmation_required: CORRECT,
  idempotency_key_required: CORRECT,
  malformed_request: CORRECT,
  post_not_publishable: CORRECT,
  publish_time_in_past: CORRECT,
  media_too_large: CORRECT,
  unsupported_media: CORRECT,
  media_rejected: CORRECT,
  search_too_broad: CORRECT,
  invalid_cursor: 'Begin again without `cursor`.',
  cursor_expired: 'Go on from `oldestCursor`: what was before it is no longer kept.',
  not_found: 'Nothing was changed. Find ids with list_posts, list_channels or list_media.',
  channel_unavailable: 'Nothing was changed. Choose among the channels of list_channels.',
  stale_edit_token: READ_AGAIN,
  stale_control_token: READ_AGAIN,
  invalid_state: `${READ_AGAIN} \`allowedActions\` says what is possible. What is \`checking\` may be live: never create it anew.`,
  unsafe_retry:
    'Nothing was changed. It may be live: do not create it anew. Look at get_post later, or send a person to its `settleUrl`.',
  idempotency_key_reused:
    'Nothing was changed. This key belongs to another write, which list_posts finds by `idempotencyKey`: to repeat it send its arguments; for a new one choose a new key.',
  idempotency_in_progress: UNCHANGED,
  rate_limited: UNCHANGED,
  not_ready: UNCHANGED,
  internal_error: UNCHANGED,
  media_unavailable: UNCHANGED,
  missing_permission: ASK_PERSON,
  credential_limit: ASK_PERSON,
  subscription_unconfirmed: ASK_PERSON,
  ai_not_configured: ASK_PERSON,
  ai_failed: 'Nothing was stored. Call again with a new idempotencyKey, or write the text yourself.',
}

/** What an agent does best after one row of several was refused. */
export function nextStepAfterRow(code: ProblemCode): string {
  const why = nextSteps[code] === ASK_PERSON ? ' Ask a person of the workspace first.' : ''
  return `This row was not created.${why} Correct it or leave it out, and call again with all other rows unchanged and the same idempotencyKey: what was created is not created again.`
}

export function nextStepAfter(code: ProblemCode): string | null {
  return nextSteps[code] ?? null
}
