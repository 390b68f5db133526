import Type, { type Static } from 'typebox'
import { exact, Id, Instant, nullable } from './schemas.ts'
import { allEventTypeNames } from './statuses.ts'

export const EventTypes = Type.Array(Type.Enum(allEventTypeNames), { minItems: 1, uniqueItems: true })
export const Description = Type.String({ maxLength: 200 })
export const AutoReplay = Type.Boolean({
  description:
    'Whether deliveries of the last 24 hours that failed are sent again once the endpoint answers. Refusals for good are not.',
})
export const Url = Type.String({
  maxLength: 2_000,
  description: 'An https address.',
  examples: ['https://example.com/hook'],
})

export const EndpointView = exact(
  {
    endpointId: Id,
    url: Type.String({ description: 'What looks like a secret in its query is masked.' }),
    description: Type.String(),
    eventTypes: Type.Array(Type.Enum(allEventTypeNames)),
    status: Type.Enum(['active', 'disabled']),
    statusSince: Instant,
    disabledReason: nullable(Type.Enum(['by_hand', 'failing', 'secret_lost', 'credential_ended'])),
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
    eventType: Type.Enum(allEventTypeNames),
    postId: Type.Union([Id, Type.Null()], {
      description: 'The post that the event is about; null for a test, and once the event is no longer kept.',
    }),
    test: Type.Boolean(),
    status: Type.Enum(['pending', 'sending', 'delivered', 'failed']),
    attempts: Type.Integer({ description: 'Of the present round.' }),
    round: Type.Integer(),
    nextAt: nullable(Instant),
    httpStatus: nullable(Type.Integer()),
    error: nullable(Type.String()),
    settledAt: nullable(Instant),
    createdAt: Instant,
  },
  { $id: 'Delivery', description: 'One event owed to one endpoint.' },
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
