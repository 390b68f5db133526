import Type from 'typebox'
import { operation } from '../operation.ts'
import {
  AttemptView,
  CreatedEndpoint,
  DeliveryFilter,
  DeliveryView,
  EndpointChange,
  endpointExample,
  EndpointView,
  NewEndpoint,
  Replay,
  Replayed,
  RotatedSecret,
  Rotation,
  TestEvent,
  TestRequest,
} from '../webhook-schemas.ts'
import { exact, Id, Instant } from '../schemas.ts'
import { Done, InWorkspace } from './app-schemas.ts'

const webhooks = { tag: 'Webhooks', asks: 'member', permission: 'webhooks:manage' } as const
/** A change, without a key: each request is an effect of its own. */
const write = { ...webhooks, idempotency: 'none' } as const
const InEndpoint = exact({ workspaceId: Id, endpointId: Id })
const at = '/app/api/workspaces/{workspaceId}/endpoints'

export const listEndpoints = operation({
  ...webhooks,
  id: 'listEndpoints',
  at: `GET ${at}`,
  summary: 'List webhook endpoints',
  description: 'Oldest first.',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(EndpointView), description: 'The endpoints.' },
  problems: [],
})

export const createEndpoint = operation({
  ...write,
  id: 'createEndpoint',
  at: `POST ${at}`,
  summary: 'Create a webhook endpoint',
  description: 'Its signing secret is shown only once.',
  fresh: true,
  params: InWorkspace,
  body: NewEndpoint,
  answer: {
    status: 201,
    schema: CreatedEndpoint,
    description: 'The endpoint.',
  },
  problems: ['validation_failed', 'not_found', 'invalid_state'],
  example: endpointExample,
})

export const updateEndpoint = operation({
  ...write,
  id: 'updateEndpoint',
  at: `POST ${at}/{endpointId}`,
  summary: 'Change a webhook endpoint',
  description: 'Omitted fields are kept. Pending deliveries go to the new address.',
  fresh: true,
  params: InEndpoint,
  body: EndpointChange,
  answer: { status: 200, schema: EndpointView, description: 'The endpoint as it is now.' },
  problems: ['validation_failed', 'not_found', 'invalid_state'],
  example: { description: 'Production' },
})

export const rotateEndpointSecret = operation({
  ...write,
  id: 'rotateEndpointSecret',
  at: `POST ${at}/{endpointId}/rotate`,
  summary: 'Rotate the signing secret',
  description:
    'The new secret is shown only once. The previous one also signs for 24 hours, or ends immediately if it has leaked.',
  fresh: true,
  params: InEndpoint,
  body: Rotation,
  answer: {
    status: 200,
    schema: RotatedSecret,
    description: 'The new secret.',
  },
  problems: ['not_found', 'invalid_state'],
  example: { atOnce: false },
})

export const disableEndpoint = operation({
  ...write,
  id: 'disableEndpoint',
  at: `POST ${at}/{endpointId}/disable`,
  summary: 'Disable an endpoint',
  description: 'Nothing more is delivered. Pending deliveries are dropped, and can be replayed.',
  params: InEndpoint,
  answer: { status: 200, schema: EndpointView, description: 'The endpoint as it is now.' },
  problems: ['not_found'],
})

export const enableEndpoint = operation({
  ...write,
  id: 'enableEndpoint',
  at: `POST ${at}/{endpointId}/enable`,
  summary: 'Enable an endpoint',
  description: 'Delivers from the next event. Refused if its signing secret is lost: rotate that first.',
  params: InEndpoint,
  answer: { status: 200, schema: EndpointView, description: 'The endpoint as it is now.' },
  problems: ['not_found', 'invalid_state'],
})

export const deleteEndpoint = operation({
  ...write,
  id: 'deleteEndpoint',
  at: `POST ${at}/{endpointId}/delete`,
  summary: 'Delete a webhook endpoint',
  description: 'Nothing more is sent to it, and its secrets are deleted immediately.',
  params: InEndpoint,
  answer: {
    status: 200,
    schema: exact({ endpointId: Id, deletedAt: Instant }),
    description: 'The endpoint is deleted.',
  },
  problems: ['not_found'],
})

export const testEndpoint = operation({
  ...write,
  id: 'testEndpoint',
  at: `POST ${at}/{endpointId}/test`,
  summary: 'Send a test event',
  description:
    'A made-up event of a type that the endpoint receives, signed like any other. Its delivery shows the result.',
  params: InEndpoint,
  body: TestRequest,
  answer: {
    status: 200,
    schema: TestEvent,
    description: 'The event.',
  },
  problems: ['not_found', 'invalid_state'],
  example: {},
})

export const listDeliveries = operation({
  ...webhooks,
  id: 'listDeliveries',
  at: `GET ${at}/{endpointId}/deliveries`,
  summary: 'List deliveries',
  description: 'Newest first. For the next page, send the last `eventId` as `before`.',
  params: InEndpoint,
  query: DeliveryFilter,
  answer: { status: 200, schema: Type.Array(DeliveryView), description: 'Deliveries.' },
  problems: ['not_found'],
})

export const listDeliveryAttempts = operation({
  ...webhooks,
  id: 'listDeliveryAttempts',
  at: `GET ${at}/{endpointId}/deliveries/{eventId}/attempts`,
  summary: 'List the attempts of a delivery',
  description: 'Oldest first.',
  params: exact({ workspaceId: Id, endpointId: Id, eventId: Id }),
  answer: {
    status: 200,
    schema: Type.Array(AttemptView),
    description: 'The attempts.',
  },
  problems: ['not_found'],
})

export const resendDelivery = operation({
  ...write,
  id: 'resendDelivery',
  at: `POST ${at}/{endpointId}/deliveries/{eventId}/resend`,
  summary: 'Resend a delivery',
  description: 'The same bytes, whatever the result was before.',
  params: exact({ workspaceId: Id, endpointId: Id, eventId: Id }),
  answer: { status: 200, schema: Done, description: 'The delivery is pending again.' },
  problems: ['not_found', 'invalid_state'],
})

export const replayDeliveries = operation({
  ...write,
  id: 'replayDeliveries',
  at: `POST ${at}/{endpointId}/replay`,
  summary: 'Resend everything since a time',
  description: 'All events of its types, or only failed deliveries.',
  params: InEndpoint,
  body: Replay,
  answer: { status: 200, schema: Replayed, description: 'How many are pending.' },
  problems: ['not_found', 'invalid_state'],
  example: { since: '2026-11-21T00:00:00Z', onlyFailed: true },
})
