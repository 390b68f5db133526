import { AnyEvent, type Event, type PostEvent } from './events.ts'
import type { Components, JsonObject } from './openapi-components.ts'

/** What an endpoint is sent, as the document says it: the request, how to verify it, and what follows each answer. */
export function webhookRequests(components: Components): JsonObject {
  return {
    event: {
      post: {
        operationId: 'receiveEvent',
        tags: ['Webhooks'],
        summary: 'An event reaches your endpoint',
        description: RECIPE,
        security: [],
        parameters: HEADERS.map(([name, description, example]) => ({
          name,
          in: 'header',
          required: true,
          description,
          example,
          schema: { type: 'string' },
        })),
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: components.refer(AnyEvent),
              examples: {
                published: { summary: 'A post is published on a channel', value: EXAMPLE },
                approvalRequested: { summary: 'A person is asked to approve a post', value: ASKED },
              },
            },
          },
        },
        responses: {
          '2XX': { description: 'Delivered: you have stored the event.' },
          '4XX': { description: 'Failed for good, except 408, 425 and 429, which are retried.' },
          '5XX': {
            description:
              'Retried after 1, 2, 4 and 8 seconds, or later if `Retry-After` says so: five attempts in all.',
          },
        },
      },
    },
  }
}

const RECIPE = `One signed \`POST\` for each change of a post on a channel. An endpoint that names their types also gets events about posts as a whole (\`PostEvent\`).

To verify it, take the raw body and compute HMAC-SHA256 over the timestamp \`t\` of \`X-Service-Signature\`, a full stop and the body's exact bytes. The key is the whole text of the secret, \`whsec_\` included. Compare the lower-case hexadecimal result in constant time with each \`v1\`; one must match. Refuse a \`t\` more than five minutes from now.

Events may arrive in any order, and more than once: recognise repeats by \`id\`, and read the post where order matters. Answer within 15 seconds.`

const HEADERS = [
  ['X-Service-Event-Id', 'The `id` of the event.', '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'],
  ['X-Service-Event-Type', 'The `type` of the event.', 'post.published'],
  ['X-Service-Timestamp', 'When it was signed, in seconds since 1970.', '1795251600'],
  [
    'X-Service-Signature',
    'The timestamp, and one `v1` for each valid secret.',
    't=1795251600,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  ],
] as const

const ID = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'

const EXAMPLE: Event = {
  id: ID,
  type: 'post.published',
  createdAt: '2026-11-21T09:00:00.000Z',
  data: {
    post: { postId: ID },
    destination: {
      channelId: ID,
      provider: 'sandbox-short',
      publishAt: '2026-11-21T09:00:00.000Z',
      releaseUrl: 'https://social.example/posts/1',
      status: 'published',
    },
  },
}

const ASKED: PostEvent = {
  id: ID,
  type: 'approval.requested',
  createdAt: '2026-11-21T08:00:00.000Z',
  data: {
    post: { postId: ID },
    channelIds: [ID],
    by: { type: 'agent_key', name: 'Planner' },
    approval: {
      status: 'pending',
      reviewUrl: `https://postrider.example/review/${ID}`,
      expiresAt: '2026-11-28T08:00:00.000Z',
    },
  },
}
