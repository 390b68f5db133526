const text = { type: 'string' } as const
const postText = { type: 'string', maxLength: 100_000 } as const
const millis = { type: 'integer', minimum: 0, maximum: 600_000 } as const
const seconds = { type: 'integer', minimum: 0, maximum: 86_400 } as const
const flag = { type: 'boolean' } as const

/** An object schema that refuses unknown fields. */
function object(required: Record<string, unknown>, optional: Record<string, unknown> = {}) {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  }
}

function fault(kind: string, required: Record<string, unknown> = {}, optional: Record<string, unknown> = {}) {
  return object({ kind: { const: kind }, ...required }, optional)
}

const faults = [
  fault('latency', { ms: millis }),
  fault('refuse', {
    status: { type: 'integer', minimum: 400, maximum: 599 },
    code: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
  }),
  fault('rate_limit', { retryAfterSeconds: seconds }),
  fault('unauthorized'),
  fault('revoke'),
  fault('accept_then_drop'),
  fault('drop_before'),
  fault('accept_then_500'),
  fault('error_500_before'),
  fault('garbage'),
  fault('slow_processing', { ms: millis }, { thenFail: flag }),
  fault('outage', {}, { retryAfterSeconds: seconds }),
  fault('hang'),
  fault('truncate'),
]

/** The rule for each request body and query of the network. */
export const schemas = {
  newPost: object(
    { text: postText },
    {
      inReplyTo: { type: ['string', 'null'] },
      mediaIds: { type: 'array', items: text, maxItems: 20, uniqueItems: true },
    },
  ),
  newAccount: object(
    {
      handle: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,30}$' },
      profile: { enum: ['short', 'professional'] },
    },
    {
      displayName: { type: 'string', minLength: 1, maxLength: 80 },
      idempotency: { enum: ['none', 'key'] },
      maxCharacters: { type: 'integer', minimum: 1, maximum: 100_000 },
      authorizedSeconds: { type: 'integer', minimum: 1, maximum: 31_536_000 },
    },
  ),
  restore: object({}, { newToken: flag }),
  newFaultPlan: object(
    {
      fault: { type: 'object', required: ['kind'], discriminator: { propertyName: 'kind' }, oneOf: faults },
    },
    {
      match: object(
        {},
        {
          accountId: text,
          textIncludes: { type: 'string', minLength: 1 },
          calls: { enum: ['create', 'read', 'every'] },
        },
      ),
      times: { oneOf: [{ type: 'integer', minimum: 1, maximum: 1_000_000 }, { const: 'always' }] },
    },
  ),
  reset: object({}, { accounts: flag }),
  nothing: object({}),
  postsQuery: object(
    {},
    { sinceId: text, beforeId: text, limit: { type: 'string', pattern: '^[0-9]{1,3}$' } },
  ),
  createsQuery: object({}, { accountId: text, text }),
  mediaQuery: object({}, { altText: { type: 'string', maxLength: 2000 } }),
} as const
