import Type, { type Static, type TSchema } from 'typebox'
import { Content, FromTemplate, plannedContent } from './content.ts'
import { LabelFilter, Labels } from './labels.ts'
import { MediaItem } from './media.ts'
import { operation } from './operation.ts'
import { PostIssue, PostState, PublishAtInput, SpreadMinutes } from './post-checks.ts'
import { ProblemDocument } from './problem-document.ts'
import {
  Confirmed,
  Cursor,
  exact,
  Id,
  IdempotencyKey,
  Instant,
  InstantInput,
  Limit,
  nullable,
  Reference,
} from './schemas.ts'
import { eachMeans, type ErrorCode, errorCodes } from './codes.ts'
import {
  destinationStatuses,
  destinationStatusNames,
  partKindNames,
  partKinds,
  partStatuses,
  partStatusNames,
} from './statuses.ts'

export const DestinationStatusSchema = Type.Enum(destinationStatusNames, {
  description: eachMeans(
    Object.fromEntries(Object.entries(destinationStatuses).map(([name, { meaning }]) => [name, meaning])),
  ),
})

export const ReviewStatus = Type.Enum(['not_required', 'pending', 'approved', 'rejected'], {
  description:
    'Whether a person has to approve the post: not at all, not decided yet, or decided. A rejected post can be edited, and asks again.',
})
export type ReviewStatus = Static<typeof ReviewStatus>

export const DestinationError = exact(
  {
    code: Type.Enum(Object.keys(errorCodes) as ErrorCode[], {
      description: eachMeans(errorCodes),
      examples: ['content_refused'],
    }),
    message: Type.String(),
    provider: Type.String(),
    retryable: Type.Boolean({
      description:
        'Whether the same content may succeed: false where it was refused for good, or where a call was made whose result is not known. It says nothing of commands: which one is allowed now stands in `allowedActions`.',
    }),
  },
  { $id: 'DestinationError', description: 'Why it is not published, in our words.' },
)
export type DestinationError = Static<typeof DestinationError>

export const AllowedAction = exact({
  allowed: Type.Boolean(),
  reason: nullable(Type.String({ description: 'Why not; null when allowed.' })),
})

export const AllowedActions = exact(
  {
    edit: AllowedAction,
    schedule: AllowedAction,
    reschedule: AllowedAction,
    cancel: AllowedAction,
    retry: AllowedAction,
  },
  { description: 'What each command would answer now, to this credential.' },
)
export type AllowedActions = Static<typeof AllowedActions>

export const LatestChange = exact(
  {
    at: Instant,
    by: exact({ type: Type.Enum(['agent_key', 'oauth', 'person', 'service']), name: Type.String() }),
    fields: Type.Array(Type.String(), { description: 'What it changed.', examples: [['publishAt']] }),
  },
  { description: 'The latest change that replaced the token, and whose it was; null for none yet.' },
)

export const Destination = exact(
  {
    channelId: Id,
    provider: Type.String(),
    displayName: Type.String(),
    status: DestinationStatusSchema,
    publishAt: nullable(Instant),
    queued: Type.Boolean({
      description: 'Whether `publishAt` is a posting time that it took from the queue.',
    }),
    publishedAt: nullable(Instant),
    releaseUrl: nullable(Type.String({ description: 'The public address of the first part.' })),
    checkAgainAt: nullable(Instant),
    expiresAt: nullable(Instant),
    waitReason: nullable(
      Type.String({
        description:
          'What it waits for beyond its time: an earlier occurrence of its series on the channel that is `checking` or `reconnect_required`.',
      }),
    ),
    error: nullable(DestinationError),
    lastError: Type.Union([DestinationError, Type.Null()], {
      description: 'The latest `error`, kept until it is published: also while it is tried again.',
    }),
    content: nullable(Content),
    controlToken: Type.String({ description: 'Compare-and-swap value for commands on this destination.' }),
    settleUrl: nullable(
      Type.String({
        description: 'Where a person says whether it is out, while it is `checking`. Send them there.',
      }),
    ),
    latestChange: nullable(LatestChange),
    allowedActions: AllowedActions,
    parts: Type.Array(
      exact({
        index: Type.Integer(),
        kind: Type.Enum(partKindNames, { description: eachMeans(partKinds) }),
        status: Type.Enum(partStatusNames, { description: eachMeans(partStatuses) }),
        text: Type.String(),
        mediaIds: Type.Array(Id),
        publishedAt: nullable(Instant),
        releaseUrl: nullable(Type.String()),
      }),
    ),
  },
  { $id: 'Destination', description: 'One post on one channel.' },
)
export type Destination = Static<typeof Destination>

export const HistoryEntry = exact(
  {
    at: Instant,
    endedAt: nullable(Instant),
    channelId: Type.Union([Id, Type.Null()], { description: 'Null where it concerns the whole post.' }),
    kind: Type.Enum(['post', 'approval', 'attempt', 'event']),
    text: Type.String({ description: 'What happened, in words.' }),
    steps: Type.Array(Type.String(), { description: 'The evidence of an attempt, oldest first.' }),
  },
  { $id: 'HistoryEntry' },
)
export type HistoryEntry = Static<typeof HistoryEntry>

export const Post = exact(
  {
    postId: Id,
    reference: nullable(Reference),
    seriesId: Type.Union([Id, Type.Null()], { description: 'The series that it is an occurrence of.' }),
    labels: Labels,
    content: nullable(Content),
    media: Type.Array(MediaItem, {
      description: 'The media of all its parts, each once. Empty for a credential without `media:read`.',
    }),
    reviewStatus: ReviewStatus,
    approval: nullable(
      exact({
        status: Type.Enum(['pending', 'approved', 'rejected', 'expired']),
        reason: nullable(
          Type.String({ description: 'What ended the request, where it was no decision of a person.' }),
        ),
        reviewUrl: Type.String({ description: 'Where a person decides.' }),
        requestedAt: Instant,
        expiresAt: Type.String({ ...Instant, description: 'Until when a person can decide.' }),
        decidedAt: nullable(Instant),
        note: nullable(Type.String()),
      }),
    ),
    editToken: Type.String({ description: 'Compare-and-swap value for editing.' }),
    latestChange: nullable(LatestChange),
    destinations: Type.Array(Destination),
    history: Type.Optional(
      Type.Array(HistoryEntry, {
        description:
          'What happened and what proves it, oldest first, 100 entries at most: only where it was asked for.',
      }),
    ),
    createdBy: exact({
      type: Type.Enum(['agent_key', 'oauth', 'person']),
      id: nullable(Type.String({ format: 'uuid', description: 'Of the key or app; null for a person.' })),
      name: Type.String(),
    }),
    createdAt: Instant,
    updatedAt: Instant,
    warnings: Type.Optional(
      Type.Array(PostIssue, {
        description:
          'Answers of an edit only: media that a new `thread` dropped without naming it, and content of their own that channels lost.',
      }),
    ),
  },
  { $id: 'Post', description: 'A post with all its destinations and tokens.' },
)
export type Post = Static<typeof Post>

const FirstImage = Type.Union([Id, Type.Null()], {
  description: 'The `mediaId` of its first file, where that is an image.',
})

export const PostSummary = exact(
  {
    postId: Id,
    reference: nullable(Reference),
    labels: Labels,
    text: Type.String({ description: 'The first 280 characters.' }),
    imageId: FirstImage,
    reviewStatus: ReviewStatus,
    publishAt: nullable(Instant),
    destinations: Type.Array(
      exact({
        channelId: Id,
        provider: Type.String(),
        status: DestinationStatusSchema,
        publishAt: nullable(Instant),
        releaseUrl: nullable(Type.String()),
        controlToken: Type.String(),
      }),
    ),
    editToken: Type.String(),
    createdAt: Instant,
    updatedAt: Instant,
  },
  { $id: 'PostSummary' },
)
export type PostSummary = Static<typeof PostSummary>

export const PostFilter = Type.Enum(['all', ...destinationStatusNames], {
  default: 'all',
  description:
    'Destinations in this status. `published` takes in `partially_published`, `scheduled` takes in `delayed`.',
})
export type PostFilter = Static<typeof PostFilter>

export const ChannelFilter = Type.String({
  ...Id,
  description: 'A channel, or a channel group: any of its channels.',
})

export const Author = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The name in `createdBy`, as it stands there.',
})

export const listPosts = operation({
  id: 'listPosts',
  at: 'GET /agent/v1/posts',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'List posts',
  description:
    'Newest first. `status`, `channelId`, `from` and `to` match when one destination has all of what is given of them. `q` finds text in any part of any variant, whatever its case. With `idempotencyKey` the answer is the post that a create with that key made, as a list of at most one, for as long as the key is kept.',
  permission: 'posts:read',
  query: exact({
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Text to find.' })),
    status: Type.Optional(PostFilter),
    channelId: Type.Optional(ChannelFilter),
    from: Type.Optional(
      Type.String({ ...InstantInput, description: '`publishAt` or `publishedAt` not before this.' }),
    ),
    to: Type.Optional(
      Type.String({ ...InstantInput, description: '`publishAt` or `publishedAt` before this.' }),
    ),
    reviewStatus: Type.Optional(ReviewStatus),
    author: Type.Optional(Author),
    createdById: Type.Optional(
      Type.String({ ...Id, description: 'The id in `createdBy`: of a key or an app.' }),
    ),
    updatedSince: Type.Optional(
      Type.String({ ...InstantInput, description: 'Changed at this time or later, itself or on a channel.' }),
    ),
    label: Type.Optional(LabelFilter),
    idempotencyKey: Type.Optional(IdempotencyKey),
    reference: Type.Optional(
      Type.String({
        ...Reference,
        maxLength: 256,
        pattern: '^[\\x21-\\x29\\x2b-\\x7e]+\\*?$',
        description: 'The `reference` of one post; with `*` at its end, all that begin so.',
      }),
    ),
  }),
  answer: {
    status: 200,
    schema: exact({ items: Type.Array(PostSummary), nextCursor: nullable(Type.String()) }),
    description: 'One page of posts.',
  },
  problems: ['validation_failed', 'invalid_cursor', 'search_too_broad'],
})

export const readPost = operation({
  id: 'readPost',
  at: 'GET /agent/v1/posts/{postId}',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'Read a post',
  description: 'The post, each of its destinations with its parts, and the tokens that commands need.',
  permission: 'posts:read',
  params: exact({ postId: Id }),
  query: exact({
    include: Type.Optional(
      Type.Enum(['history'], { description: 'Also what happened: attempts, evidence, events, decisions.' }),
    ),
  }),
  answer: { status: 200, schema: Post, description: 'The post.' },
  problems: ['not_found'],
})

export const DryRun = Type.Boolean({
  description:
    'Checks everything and stores nothing. What would be created is answered with 200 instead of 201: its ids and tokens belong to nothing, and its key stays unused.',
})

export const createPost = operation({
  id: 'createPost',
  at: 'POST /agent/v1/posts',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'Create a post',
  description:
    'Creates one destination per channel. The idempotency key may be sent as `idempotencyKey` or in the header, with the same effect.',
  permission: 'posts:write',
  body: exact({
    confirmed: Confirmed,
    idempotencyKey: Type.Optional(IdempotencyKey),
    state: PostState,
    template: Type.Optional(FromTemplate),
    ...plannedContent,
    publishAt: PublishAtInput,
    spreadMinutes: SpreadMinutes,
    reference: Type.Optional(Reference),
    dryRun: Type.Optional(DryRun),
  }),
  oneOf: [['channelIds'], ['targets']],
  unless: 'template',
  idempotency: 'header or body',
  answer: { status: 201, schema: Post, description: 'The post as created.' },
  problems: [
    'validation_failed',
    'credential_limit',
    'post_not_publishable',
    'publish_time_in_past',
    'channel_unavailable',
    'already_exists',
  ],
  example: {
    confirmed: true,
    idempotencyKey: 'launch-2026-11-21',
    state: 'draft',
    channelIds: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'],
    text: 'Hello',
  },
  examples: {
    'For each channel': {
      ...{ confirmed: true, idempotencyKey: 'launch-2026-11-22', state: 'scheduled' },
      publishAt: '2027-01-01T09:00:00.000Z',
      targets: [{ channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', text: 'Hello' }],
    },
    'With a thread, media, and local time': {
      ...{ confirmed: true, idempotencyKey: 'launch-2026-11-23', state: 'scheduled' },
      publishAt: { local: '2027-01-01T09:00', timeZone: 'Europe/Berlin' },
      channelIds: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'],
      text: 'Hello',
      mediaIds: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'],
      thread: [{ text: 'And more' }],
    },
  },
})

const NewPost = exact(
  {
    idempotencyKey: IdempotencyKey,
    state: PostState,
    template: Type.Optional(FromTemplate),
    ...plannedContent,
    publishAt: PublishAtInput,
    spreadMinutes: SpreadMinutes,
    reference: Type.Optional(Reference),
  },
  { $id: 'NewPost', description: 'A post to create, with its own key: what `createPost` takes.' },
)

const batchOf = (row: TSchema) =>
  exact({
    confirmed: Confirmed,
    posts: Type.Array(row, { minItems: 1, maxItems: 100 }),
    allOrNothing: Type.Optional(
      Type.Boolean({
        description:
          'Creates all posts, or none where a row is refused: the others then say `batch_refused`.',
      }),
    ),
    dryRun: Type.Optional(DryRun),
  })

export const createPosts = operation({
  id: 'createPosts',
  at: 'POST /agent/v1/posts/batch',
  asks: 'agent',
  tag: 'Posts',
  summary: 'Create up to 100 posts',
  description:
    'Each row is a create of its own, with its own idempotency key and its own answer: a row that is refused says why, with pointers into this request, and the others are created. Sending the batch again, as after a lost connection, has no further effect: rows that were done are answered with their first result and `replayed`. A key is the same key here and in `createPost`. The whole counts as one write towards the rate limit.',
  permission: 'posts:write',
  body: batchOf(NewPost),
  checkedBody: batchOf(Type.Unknown()),
  idempotency: 'none',
  answer: {
    status: 200,
    schema: exact({
      results: Type.Array(
        exact({
          status: Type.Integer({ description: 'What the row alone would have been answered with.' }),
          replayed: Type.Optional(Type.Boolean({ description: 'The answer of an earlier request.' })),
          post: Type.Optional(Post),
          problem: Type.Optional(ProblemDocument),
        }),
        { description: 'One for each row, in the same order, with a `post` or a `problem`.' },
      ),
    }),
    description: 'What became of each row.',
  },
  problems: [],
  example: {
    confirmed: true,
    posts: [
      {
        idempotencyKey: 'calendar-2026-12-row-1',
        state: 'draft',
        channelIds: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'],
        text: 'Hello',
      },
    ],
  },
})

export const CalendarEntry = exact(
  {
    postId: Id,
    channelId: Id,
    provider: Type.String(),
    status: DestinationStatusSchema,
    publishAt: nullable(Instant),
    publishedAt: nullable(Instant),
    text: Type.String({ description: 'The first 280 characters.' }),
    imageId: FirstImage,
    releaseUrl: nullable(Type.String()),
    reviewStatus: ReviewStatus,
    editToken: Type.String(),
    controlToken: Type.String(),
    author: Type.String({ description: 'The name in `createdBy`.' }),
    seriesId: nullable(Id),
    labels: Labels,
  },
  { $id: 'CalendarEntry' },
)
export type CalendarEntry = Static<typeof CalendarEntry>

export const readCalendar = operation({
  id: 'readCalendar',
  at: 'GET /agent/v1/calendar',
  asks: 'agent or member',
  tag: 'Calendar',
  summary: 'Read the calendar',
  description:
    'One entry per destination whose `publishAt` or `publishedAt` lies in [`from`, `to`), ordered by time. The range is at most 62 days. Drafts that have a time, since they wait to be approved again, are left out unless `includeDrafts` is `true` or `status` is `draft`.',
  permission: 'calendar:read',
  query: exact({
    from: InstantInput,
    to: InstantInput,
    channelId: Type.Optional(ChannelFilter),
    status: Type.Optional(PostFilter),
    includeDrafts: Type.Optional(
      Type.Boolean({ default: false, description: 'Also drafts that have a time.' }),
    ),
    label: Type.Optional(LabelFilter),
  }),
  answer: { status: 200, schema: Type.Array(CalendarEntry), description: 'The entries.' },
  problems: ['validation_failed'],
})
