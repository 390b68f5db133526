import Type, { type Static } from 'typebox'
import { KnownLabel, Label, Labels, MOST_LABELS } from './labels.ts'
import { operation } from './operation.ts'
import { DestinationStatusSchema } from './posts.ts'
import { Confirmed, exact, Id, Instant, InstantInput, nullable } from './schemas.ts'
import { destinationStatusNames } from './statuses.ts'

export const labelPosts = operation({
  id: 'labelPosts',
  at: 'POST /agent/v1/posts/labels',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'Add or remove labels',
  description:
    'On all of these posts or none, without a token, in every status: labels are not published, and approved posts stay approved.',
  permission: 'posts:write',
  body: exact({
    confirmed: Confirmed,
    postIds: Type.Array(Id, { minItems: 1, maxItems: 100, uniqueItems: true }),
    add: Type.Optional(Labels),
    remove: Type.Optional(Type.Array(KnownLabel, { maxItems: MOST_LABELS })),
  }),
  idempotency: 'header',
  answer: {
    status: 200,
    schema: exact({ posts: Type.Array(exact({ postId: Id, labels: Labels })) }),
    description: 'The labels that each post has now.',
  },
  problems: ['validation_failed', 'not_found', 'credential_limit'],
  example: {
    confirmed: true,
    postIds: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'],
    add: ['Spring sale'],
  },
})

export const listLabels = operation({
  id: 'listLabels',
  at: 'GET /agent/v1/labels',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'List labels',
  description: 'All labels in use, in alphabetical order, at most 1,000.',
  permission: 'posts:read',
  answer: { status: 200, schema: exact({ labels: Type.Array(Label) }), description: 'The labels.' },
  problems: [],
})

export const StatusCounts = Type.Partial(
  exact(Object.fromEntries(destinationStatusNames.map((name) => [name, Type.Integer()]))),
  {
    additionalProperties: false,
    description: 'How many destinations are in each status; zeros are omitted.',
  },
)

export const LabelResults = exact(
  {
    label: Label,
    posts: Type.Integer(),
    statuses: StatusCounts,
    channels: Type.Array(exact({ channelId: Id, provider: Type.String(), statuses: StatusCounts })),
    firstPublishedAt: nullable(Instant),
    lastPublishedAt: nullable(Instant),
    nextPublishAt: Type.Union([Instant, Type.Null()], { description: 'The next planned time.' }),
    before: Type.Optional(
      exact(
        { from: Instant, to: Instant, posts: Type.Integer(), statuses: StatusCounts },
        { description: 'The same for the previous range of equal length.' },
      ),
    ),
    troubled: Type.Array(exact({ postId: Id, channelId: Id, status: DestinationStatusSchema }), {
      description: 'Failed, expired, partially published, unconfirmed or without access: the newest 100.',
    }),
  },
  { $id: 'LabelResults', description: 'The results of the posts with a label.' },
)
export type LabelResults = Static<typeof LabelResults>

export const readLabelResults = operation({
  id: 'readLabelResults',
  at: 'GET /agent/v1/labels/results',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'Read the results of a label',
  description:
    'The results of all posts with this label, such as a campaign; with `from` and `to`, of those published, or planned, in [`from`, `to`). Zeros for an unused label.',
  permission: 'posts:read',
  query: exact({
    label: Label,
    from: Type.Optional(InstantInput),
    to: Type.Optional(InstantInput),
  }),
  answer: { status: 200, schema: LabelResults, description: 'The results.' },
  problems: ['validation_failed', 'search_too_broad'],
})
