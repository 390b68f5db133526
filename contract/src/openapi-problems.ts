import { type Components, headers, type JsonObject } from './openapi-components.ts'
import { isForAgents, type Operation, problemsOf } from './operation.ts'
import { type ProblemCode, problems } from './problems.ts'
import { ProblemDocument } from './problem-document.ts'

/**
 * One response per HTTP status: the codes that travel under it. Responses are shared by all operations with the same codes, and each
 * code has one example.
 */
export function problemResponses(operation: Operation, shared: SharedProblems): JsonObject {
  const byStatus = Map.groupBy(
    problemsOf(operation).flatMap((code) =>
      httpStatusesOf(code, operation).map((status) => ({ code, status })),
    ),
    ({ status }) => status,
  )
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b)
  return Object.fromEntries(
    statuses.map(([status, found]) => {
      const codes = found.map(({ code }) => code)
      return [status, shared.refer(status, codes, isForAgents(operation))]
    }),
  )
}

/** Collects the problem responses of a document, and their examples. */
export type SharedProblems = {
  readonly refer: (status: number, codes: readonly ProblemCode[], forAgents: boolean) => JsonObject
  readonly responses: () => JsonObject
  readonly examples: () => JsonObject
}

export function sharedProblems(baseUrl: string, components: Components): SharedProblems {
  const responses = new Map<string, JsonObject>()
  const examples = new Map<string, JsonObject>()
  return {
    refer(status, codes, forAgents) {
      const name = [status, ...codes].join('.')
      if (!responses.has(name)) responses.set(name, problemResponse(status, codes, forAgents, components))
      for (const code of codes) examples.set(exampleName(status, code), exampleOf(status, code, baseUrl))
      return { $ref: `#/components/responses/${name}` }
    },
    responses: () => Object.fromEntries(responses),
    examples: () => Object.fromEntries(examples),
  }
}

/** What a code travels under besides its own status is about bodies. */
function httpStatusesOf(code: ProblemCode, { body }: Operation): number[] {
  const facts = problems[code]
  return [facts.status, ...('also' in facts && body !== undefined ? facts.also : [])]
}

/** Under another status than its own, a problem looks otherwise. */
function exampleName(status: number, code: ProblemCode): string {
  return problems[code].status === status ? code : `${code}.${status}`
}

function exampleOf(status: number, code: ProblemCode, baseUrl: string): JsonObject {
  const { title } = problems[code]
  return {
    summary: title,
    value: {
      type: `${baseUrl}/problems/${code}`,
      title,
      status,
      detail: EXAMPLES[code]?.detail ?? `${title}.`,
      instance: '/agent/v1/posts',
      code,
      requestId: '0199c1df-02b4-7e0c-8a51-6f3c9d2e7b10',
      ...EXAMPLES[code]?.facts,
    },
  }
}

function problemResponse(
  status: number,
  codes: readonly ProblemCode[],
  forAgents: boolean,
  components: Components,
): JsonObject {
  const waits = codes.some((code) => WAITS.includes(code))
  const challenges = forAgents && (status === 401 || status === 403)
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${exampleName(status, code)}` }])
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join('\n\n'),
    headers: headers(
      'X-Request-Id',
      ...(waits ? ['Retry-After'] : []),
      ...(challenges ? ['WWW-Authenticate'] : []),
    ),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            components.refer(ProblemDocument),
            {
              type: 'object',
              properties: {
                status: { type: 'integer', const: status },
                code: { type: 'string', enum: codes },
              },
            },
          ],
        },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

const WAITS: readonly ProblemCode[] = ['rate_limited', 'idempotency_in_progress', 'ai_failed', 'not_ready']

const EXAMPLE_ID = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'

const EXAMPLES: Partial<Record<ProblemCode, { detail: string; facts?: JsonObject }>> = {
  malformed_request: {
    detail: 'The body is not valid JSON at position 17 (line 1 column 18). Send one JSON object.',
  },
  validation_failed: {
    detail: '`limit` must be between 1 and 100; `500` was sent.',
    facts: {
      errors: [
        {
          pointer: '?limit',
          code: 'out_of_range',
          detail: '`limit` must be between 1 and 100; `500` was sent.',
        },
      ],
    },
  },
  confirmation_required: {
    detail: 'This is a write. Send `"confirmed": true` to say that you mean it.',
    facts: {
      errors: [
        {
          pointer: '/confirmed',
          code: 'confirmation_required',
          detail: '`confirmed` must be `true`: it says that you mean this write.',
        },
      ],
    },
  },
  idempotency_key_required: { detail: 'Send a key of your own that names this one effect.' },
  invalid_cursor: {
    detail: 'This cursor was not issued for this list with these filters. Start again without it.',
  },
  cursor_expired: {
    detail:
      'Events after this cursor are gone. Continue with `oldestCursor`, and skip the events whose `id` you know.',
    facts: { oldestCursor: 'AnsicyI6IjAiLCJldmVudElkIjpudWxsfQ' },
  },
  invalid_credential: {
    detail:
      'This credential is malformed, unknown, expired, revoked or suspended since a restore. Check it, or issue a new one.',
  },
  credential_limit: {
    detail:
      'This credential is limited to 10 posts a day, and has created 10 today. Go on tomorrow, or have somebody who manages keys change the limit.',
    facts: { limit: 'postsPerDay' },
  },
  missing_permission: {
    detail: 'This credential lacks `posts:write`. Use one that has it, or have it granted.',
    facts: { requiredPermission: 'posts:write', grantedPermissions: ['posts:read'] },
  },
  not_found: { detail: 'There is nothing under this id in this workspace.' },
  stale_edit_token: {
    detail:
      'The post has changed since this token was read. Read the post again, and retry with its new token.',
    facts: {
      currentStatus: 'scheduled',
      changedAt: '2026-11-21T09:00:00.000Z',
      changedBy: { type: 'person', name: 'Ada' },
      changed: ['text'],
    },
  },
  stale_control_token: {
    detail:
      'The destination has changed since this token was read. Read the post again, and retry with its new token.',
    facts: {
      currentStatus: 'scheduled',
      changedAt: '2026-11-21T09:00:00.000Z',
      changedBy: { type: 'agent_key', name: 'Planner' },
      changed: ['publishAt', 'expiresAt'],
    },
  },
  invalid_state: {
    detail: 'The destination is `publishing`; this command is allowed before that.',
    facts: { currentStatus: 'publishing', allowedStatuses: ['draft', 'scheduled'] },
  },
  unsafe_retry: { detail: 'A retry could publish this twice. Have a person look at the channel first.' },
  idempotency_in_progress: {
    detail: 'A request with this idempotency key is still running. Send the same request again in a second.',
    facts: { retryAfterSeconds: 1 },
  },
  idempotency_key_reused: { detail: 'This idempotency key was used for a different request. Use a new key.' },
  post_not_publishable: {
    detail: 'The post cannot be published as it is. See `issues`.',
    facts: {
      issues: [
        {
          code: 'text_too_long',
          severity: 'error',
          channelId: EXAMPLE_ID,
          partIndex: 0,
          pointer: '/text',
          message: 'The text has 312 characters, and the channel takes 280.',
          fix: 'Shorten the text by 32 characters, or continue it in `thread`.',
        },
      ],
    },
  },
  media_too_large: { detail: 'An image may have 25 MB. Make it smaller, and upload it again.' },
  unsupported_media: { detail: 'The file is no image, video, audio or PDF of a supported type.' },
  media_rejected: { detail: 'The image cannot be decoded: it is damaged or cut short. Export it again.' },
  media_unavailable: {
    detail:
      'The stored file of this media item is missing or damaged. Upload the same file again, which restores it for everything that uses it, or have it restored from a backup.',
  },
  media_not_image: { detail: 'This is a video. Only the bytes of images can be read back.' },
  publish_time_in_past: { detail: '`publishAt` is past. Choose a time in the future.' },
  channel_unavailable: { detail: `There is no enabled channel ${EXAMPLE_ID} in this workspace.` },
  subscription_unconfirmed: {
    detail:
      'More than 280 characters on X need a connected channel with a subscription. Name the channel by its `id`, or reconnect it.',
  },
  ai_failed: {
    detail:
      'After two repairs the text is still too long for sandbox-short: 301 of 280 characters. Nothing was stored. Shorten the brief, or try again.',
  },
  ai_not_configured: {
    detail:
      'Set OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, or OPENAI_BASE_URL for a server of your own.',
  },
  rate_limited: {
    detail: 'Too many requests with this credential. Wait 12 seconds, then retry.',
    facts: { retryAfterSeconds: 12 },
  },
  internal_error: { detail: 'Something broke on our side. Report the `requestId` if it happens again.' },
  not_ready: {
    detail: 'The database cannot be reached at the moment. Send the request again in a second.',
    facts: { retryAfterSeconds: 1 },
  },
}
