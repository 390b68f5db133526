import Type from 'typebox'
import { operation } from './operation.ts'
import { exact, Id, Instant } from './schemas.ts'
import {
  AttemptView,
  CreatedEndpoint,
  DeliveryFilter,
  DeliveryView,
  endpointExample,
  EndpointView,
  NewEndpoint,
  Replay,
  Replayed,
  RotatedSecret,
  Rotation,
  TestEvent,
  TestRequest,
} from './webhook-schemas.ts'

/*
 * The webhook endpoints that the asking credential has created. Those of people and of other credentials are answered as
 * unknown ids are.
 */

const own = { tag: 'Webhooks', asks: 'agent', permission: 'webhooks:write' } as const
const at = '/agent/v1/webhook-endpoints'
const InOwnEndpoint = exact({ endpointId: Id })
const OfDelivery = exact({ endpointId: Id, eventId: Id })

export const listOwnEndpoints = operation({
  ...own,
  id: 'listOwnEndpoints',
  at: `GET ${at}`,
  summary: 'List your webhook endpoints',
  description: 'Only those that this credential created, oldest first.',
  answer: { status: 200, schema: Type.Array(EndpointView), description: 'The endpoints.' },
  problems: [],
})

export const createOwnEndpoint = operation({
  ...own,
  id: 'createOwnEndpoint',
  at: `POST ${at}`,
  summary: 'Create a webhook endpoint',
  description:
    'It receives all events of the chosen types in the workspace, signed with its own secret. The secret is shown only once, so each request creates one: if you got no response, list your endpoints and delete what you do not need. Needs `posts:read`, too. At most 20 per credential. When the credential ends, its endpoints are disabled; a person can enable them again.',
  body: NewEndpoint,
  idempotency: 'none',
  answer: {
    status: 201,
    schema: CreatedEndpoint,
    description: 'The endpoint, with its signing secret.',
  },
  problems: ['validation_failed', 'missing_permission', 'credential_limit', 'invalid_state'],
  example: endpointExample,
})

export const readOwnEndpoint = operation({
  ...own,
  id: 'readOwnEndpoint',
  at: `GET ${at}/{endpointId}`,
  summary: 'Read a webhook endpoint',
  description: 'Its signing secret is never shown again.',
  params: InOwnEndpoint,
  answer: { status: 200, schema: EndpointView, description: 'The endpoint.' },
  problems: ['not_found'],
})

export const deleteOwnEndpoint = operation({
  ...own,
  id: 'deleteOwnEndpoint',
  at: `DELETE ${at}/{endpointId}`,
  summary: 'Delete a webhook endpoint',
  description: 'Nothing more is sent to it, and its secrets are deleted.',
  params: InOwnEndpoint,
  idempotency: 'none',
  answer: {
    status: 200,
    schema: exact({ endpointId: Id, deletedAt: Instant }),
    description: 'The endpoint is deleted.',
  },
  problems: ['not_found'],
})

export const rotateOwnEndpointSecret = operation({
  ...own,
  id: 'rotateOwnEndpointSecret',
  at: `POST ${at}/{endpointId}/rotate`,
  summary: 'Rotate the signing secret',
  description:
    'The new secret is shown only once. The previous one also signs for 24 hours, or ends immediately with `atOnce`.',
  params: InOwnEndpoint,
  body: Rotation,
  idempotency: 'none',
  answer: {
    status: 200,
    schema: RotatedSecret,
    description: 'The new secret.',
  },
  problems: ['not_found', 'invalid_state'],
  example: { atOnce: true },
})

export const testOwnEndpoint = operation({
  ...own,
  id: 'testOwnEndpoint',
  at: `POST ${at}/{endpointId}/test`,
  summary: 'Send a test event',
  description:
    'A made-up event of a type that it receives, signed like any other. Its deliveries show the result.',
  params: InOwnEndpoint,
  body: TestRequest,
  idempotency: 'none',
  answer: {
    status: 200,
    schema: TestEvent,
    description: 'The event.',
  },
  problems: ['not_found', 'invalid_state'],
  example: {},
})

export const listOwnDeliveries = operation({
  ...own,
  id: 'listOwnDeliveries',
  at: `GET ${at}/{endpointId}/deliveries`,
  summary: 'List deliveries',
  description: 'Newest first. For the next page, send the last `eventId` as `before`.',
  params: InOwnEndpoint,
  query: DeliveryFilter,
  answer: { status: 200, schema: Type.Array(DeliveryView), description: 'Deliveries.' },
  problems: ['not_found'],
})

export const listOwnDeliveryAttempts = operation({
  ...own,
  id: 'listOwnDeliveryAttempts',
  at: `GET ${at}/{endpointId}/deliveries/{eventId}/attempts`,
  summary: 'List the attempts of a delivery',
  description: 'Oldest first.',
  params: OfDelivery,
  answer: { status: 200, schema: Type.Array(AttemptView), description: 'The attempts.' },
  problems: ['not_found'],
})

export const resendOwnDelivery = operation({
  ...own,
  id: 'resendOwnDelivery',
  at: `POST ${at}/{endpointId}/deliveries/{eventId}/resend`,
  summary: 'Resend a delivery',
  description: 'The same bytes with the same event id, whatever the result was before.',
  params: OfDelivery,
  idempotency: 'none',
  answer: {
    status: 200,
    schema: exact({ endpointId: Id, eventId: Id }),
    description: 'The delivery is pending again.',
  },
  problems: ['not_found', 'invalid_state'],
})

export const replayOwnDeliveries = operation({
  ...own,
  id: 'replayOwnDeliveries',
  at: `POST ${at}/{endpointId}/replay`,
  summary: 'Resend everything since a time',
  description: 'All events of its types, or only failed deliveries.',
  params: InOwnEndpoint,
  body: Replay,
  idempotency: 'none',
  answer: { status: 200, schema: Replayed, description: 'How many are pending.' },
  problems: ['not_found', 'invalid_state'],
  example: { since: '2026-11-21T00:00:00Z', onlyFailed: true },
})
