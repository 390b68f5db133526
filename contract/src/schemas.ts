import Type, { type Static, type TSchema } from 'typebox'
import { MOST_POSTING_TIMES, weekdays } from './weekdays.ts'

/** An object that refuses fields it does not know: a typo must never be ignored silently. */
export function exact<P extends Record<string, TSchema>>(properties: P, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

/** A line of text, such as a name. `lineFault` says what its format leaves out. */
export function line(maxLength: number, options: object = {}) {
  return Type.String({ minLength: 1, maxLength, format: 'line', ...options })
}

/** A lower-case UUIDv7 (RFC 9562). */
export const Id = Type.String({
  format: 'uuid',
  description: 'Lower-case UUID.',
  examples: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'],
})

/** An instant in an answer: UTC with milliseconds. */
export const Instant = Type.String({
  format: 'date-time',
  description: 'ISO 8601 in UTC with milliseconds.',
  examples: ['2026-11-21T09:00:00.000Z'],
})

/** An instant in a request: any offset, but one must be given. */
export const InstantInput = Type.String({
  format: 'date-time',
  maxLength: 40,
  description:
    'RFC 3339 date-time with `Z` or an offset, to the millisecond: further digits must be 0. `:60` is the next second.',
  examples: ['2026-11-21T10:00:00+01:00'],
})

/** What a clock shows somewhere. */
export const LocalTimeInput = exact(
  {
    local: Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?$',
      maxLength: 40,
      description: 'Date-time without an offset, to the millisecond. Seconds are optional.',
      examples: ['2026-12-01T09:00'],
    }),
    timeZone: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'An IANA name, kept as it is written.',
      examples: ['Europe/Berlin'],
    }),
  },
  {
    $id: 'LocalTime',
    description:
      'A local time. One that does not exist in the zone, or exists twice, is refused with the possible instants.',
  },
)

/** A place in the queue of a channel. */
const QueueTimeInput = exact(
  {
    queue: Type.Union([Type.Enum(['next', 'first']), InstantInput], {
      description:
        '`next`: the first free one after everything in the queue. `first`: the earliest free one. A date-time: that one, if it is free.',
    }),
  },
  {
    $id: 'QueueTime',
    description:
      'A posting time of the channel, reserved by this request. With several channels, each gets its own.',
  },
)

/** A time in the body of a request. */
export const TimeInput = Type.Union([InstantInput, LocalTimeInput, QueueTimeInput])
export type TimeInput = Static<typeof TimeInput>

export const PostingTimes = Type.Array(
  exact(
    {
      weekday: Type.Enum([...weekdays]),
      time: Type.String({
        pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
        description: 'Local time, `00:00` to `23:59`.',
        examples: ['09:00'],
      }),
    },
    { $id: 'PostingTime' },
  ),
  {
    maxItems: MOST_POSTING_TIMES,
    description: 'When its queue is published each week, in the time zone of the workspace.',
  },
)
export type PostingTimes = Static<typeof PostingTimes>

export const Cursor = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'The `nextCursor` of the previous answer. Opaque.',
})

export const Limit = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 20,
  description: 'The maximum number of items.',
})

/** Confirms that the caller means this write. */
/** Who changed something, as they are called in the workspace; `service` is Postrider itself. */
export const ChangedBy = exact(
  { type: Type.Enum(['agent_key', 'oauth', 'person', 'service']), name: Type.String() },
  { $id: 'ChangedBy' },
)

export const Confirmed = Type.Literal(true, { description: 'Must be `true`: you mean this write.' })

/** One client-chosen key per intended effect. */
export const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x7e]+$',
  description:
    'Your own key for this one effect. Reuse it only to repeat the same request. Keys are shared by all credentials of a workspace, per operation: repeating the request returns the first result.',
  examples: ['launch-2026-11-21'],
})

/** A client's own name for a post. */
export const Reference = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x29\\x2b-\\x7e]+$',
  description:
    'Your own name for the post, unique in the workspace forever: creating another post with it is refused, whatever the idempotency key.',
  examples: ['newsletter/2026-12'],
})

export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'The page that explains this code.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What to do about this request.' }),
    instance: Type.String({ description: 'The path of the request.' }),
    code: Type.String({ description: 'The stable name of the problem.' }),
    requestId: Type.String(),
    errors: Type.Optional(
      Type.Array(
        exact({
          pointer: Type.String({
            description:
              'A JSON Pointer into the body (RFC 6901), `?name` for a query parameter, `@name` for a header.',
          }),
          code: Type.String(),
          detail: Type.String(),
          candidates: Type.Optional(
            Type.Array(Instant, { description: 'The instants that a local time can mean.' }),
          ),
          line: Type.Optional(Type.Integer({ description: 'In the imported file.' })),
          column: Type.Optional(
            Type.Integer({ description: 'In that line; for CSV, the number of the cell.' }),
          ),
          altText: Type.Optional(Type.String({ description: 'Of a file to upload.' })),
        }),
      ),
    ),
  },
  { $id: 'Problem', additionalProperties: true, description: 'A problem (RFC 9457).' },
)
export type Problem = Static<typeof Problem>
