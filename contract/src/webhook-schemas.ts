import Type, { type Static } from 'typebox'
import { exact, Id, Instant, InstantInput, Limit, line, nullable } from './schemas.ts'
import { allEventTypeNames } from './statuses.ts'

const EventType = Type.Enum(allEventTypeNames)
const DeliveryStatus = Type.Enum(['pending', 'sending', 'delivered', 'failed'])
const EventTypes = Type.Array(EventType, { minItems: 1, uniqueItems: true })
const Description = line(200, { minLength: 0 })
export const AutoReplay = Type.Boolean({
  description:
    'Whether failed deliveries of the last 24 hours are resent once the endpoint answers again, except final refusals.',
})
const Url = Type.String({
  maxLength: 2_000,
  description: 'An https address.',
  examples: ['https://example.com/hook'],
})

export const EndpointView = exact(
  {
    endpointId: Id,
    url: Type.String({ description: 'Apparent secrets in its query are masked.' }),
    description: Type.String(),
    eventTypes: Type.Array(EventType),
    status: Type.Enum(['active', 'disabled']),
    statusSince: Instant,
    disabledReason: nullable(
      Type.Enum(['by_hand', 'failing', 'secret_lost', 'credential_ended', 'right_lost']),
    ),
    failingSince: nullable(Instant),
    autoReplay: AutoReplay,
    credentialId: nullable(
      Type.String({
        format: 'uuid',
        description: 'The agent key or connected app that created it; null where a person did.',
      }),
    ),
    createdAt: Instant,
  },
  { $id: 'Endpoint', description: 'Where events are sent.' },
)
export type EndpointView = Static<typeof EndpointView>

export const DeliveryView = exact(
  {
    eventId: Id,
    eventType: EventType,
    postId: Type.Union([Id, Type.Null()], {
      description: 'Null for a test, or once the event is no longer kept.',
    }),
    test: Type.Boolean(),
    status: DeliveryStatus,
    attempts: Type.Integer({ description: 'In the current round.' }),
    round: Type.Integer(),
    nextAt: nullable(Instant),
    httpStatus: nullable(Type.Integer()),
    error: nullable(Type.String()),
    settledAt: nullable(Instant),
    createdAt: Instant,
  },
  { $id: 'Delivery', description: 'One event for one endpoint.' },
)
export type DeliveryView = Static<typeof DeliveryView>

export const AttemptView = exact({
  round: Type.Integer(),
  number: Type.Integer(),
  endedAt: Instant,
  durationMs: nullable(Type.Number()),
  httpStatus: nullable(Type.Integer()),
  error: nullable(Type.String()),
})

/** What an endpoint is created with, and what of it can be changed. */
export const NewEndpoint = exact({
  url: Url,
  eventTypes: EventTypes,
  description: Type.Optional(Description),
  autoReplay: Type.Optional(AutoReplay),
})

export const EndpointChange = Type.Partial(NewEndpoint, { additionalProperties: false })

export const CreatedEndpoint = exact({
  endpointId: Id,
  endpoint: EndpointView,
  secret: Type.String({ description: 'The signing secret. Shown only once.' }),
})

export const Rotation = exact({ atOnce: Type.Boolean() })

export const RotatedSecret = exact({
  secret: Type.String({ description: 'Shown only once.' }),
  overlapUntil: nullable(Instant),
})

export const TestRequest = exact({ type: Type.Optional(EventType) })
export const TestEvent = exact({ eventId: Id, type: EventType })

export const DeliveryFilter = exact({
  status: Type.Optional(DeliveryStatus),
  before: Type.Optional(Id),
  limit: Type.Optional(Limit),
})

export const Replay = exact({ since: InstantInput, onlyFailed: Type.Boolean() })
export const Replayed = exact({ count: Type.Integer() })

export const endpointExample = {
  url: 'https://example.com/hook',
  eventTypes: ['post.published', 'post.failed'],
} as const
