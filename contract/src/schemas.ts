import Type, { type Static, type TSchema } from 'typebox'
import { MOST_POSTING_TIMES, weekdays } from './weekdays.ts'

/** An object that refuses fields it does not know: a typo must never be ignored silently. */
export function exact<P extends Record<string, TSchema>>(properties: P, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
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
    'RFC 3339 date-time with `Z` or an offset; a time without an offset is refused, and so is one finer than a millisecond: digits after the third are 0. `:60` is the next second.',
  examples: ['2026-11-21T10:00:00+01:00'],
})

/** What a clock shows somewhere. */
export const LocalTimeInput = exact(
  {
    local: Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?$',
      maxLength: 40,
      description:
        'What a clock shows there: a date-time without an offset. Seconds may be left out; digits after the third are 0.',
      examples: ['2026-12-01T09:00'],
    }),
    timeZone: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The IANA name of a time zone.',
      examples: ['Europe/Berlin'],
    }),
  },
  {
    $id: 'LocalTime',
    description:
      'A local time. One that the clocks of the zone leave out, or show twice, is refused with the instants that may be meant.',
  },
)

/** A place in the queue of a channel. */
const QueueTimeInput = exact(
  {
    queue: Type.Union([Type.Enum(['next', 'first']), InstantInput], {
      description:
        '`next` is the first free one after all that is queued on the channel, `first` the earliest free one; a date-time is that one, if it is free.',
    }),
  },
  {
    $id: 'QueueTime',
    description:
      'A posting time of the channel, taken with this request, which no other post in the queue gets. With several channels, each has its own.',
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
        description: 'Hours and minutes by the clocks of the workspace, from `00:00` to `23:59`.',
        examples: ['09:00'],
      }),
    },
    { $id: 'PostingTime' },
  ),
  {
    maxItems: MOST_POSTING_TIMES,
    description: 'When posts of its queue are published every week, in the time zone of the workspace.',
  },
)
export type PostingTimes = Static<typeof PostingTimes>

export const Cursor = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'The `nextCursor` of the answer before, unchanged. Opaque.',
})

export const Limit = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 20,
  description: 'How many items at most.',
})

/** Confirms that the caller means this write. */
export const Confirmed = Type.Literal(true, { description: 'Must be `true`: the caller means this write.' })

/** One client-chosen key per intended effect. */
export const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x7e]+$',
  description:
    'Your own key for this one effect, of visible ASCII characters. Send it again only with an unchanged request. All credentials of a workspace share its keys, for each operation: whoever repeats the request gets the first result.',
  examples: ['launch-2026-11-21'],
})

/** A client's own name for a post. */
export const Reference = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x29\\x2b-\\x7e]+$',
  description:
    'Your own name for the post, of visible ASCII characters. A workspace has each once, for good: a create with one that a post has is refused, whatever its idempotency key.',
  examples: ['newsletter/2026-12'],
})

export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'The page that explains this code.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What to do, for this request.' }),
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
            Type.Array(Instant, { description: 'The instants that a local time may mean.' }),
          ),
          line: Type.Optional(Type.Integer({ description: 'Of the file of an import.' })),
          column: Type.Optional(
            Type.Integer({ description: 'In that line; of CSV, the number of the cell.' }),
          ),
          altText: Type.Optional(Type.String({ description: 'Of a file that is to be uploaded.' })),
        }),
      ),
    ),
  },
  { $id: 'Problem', additionalProperties: true, description: 'A problem (RFC 9457).' },
)
export type Problem = Static<typeof Problem>
