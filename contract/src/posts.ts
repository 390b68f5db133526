import Type, { type Static, type TSchema } from 'typebox'
import { Content, FromTemplate, plannedContent } from './content.ts'
import { LabelFilter, Labels } from './labels.ts'
import { MediaItem } from './media.ts'
import { operation } from './operation.ts'
import { PlanToCheck, PostCheck, PostIssue, PostState, PublishAtInput, SpreadMinutes } from './post-checks.ts'
import { ProblemDocument } from './problem-document.ts'
import {
  ChangedBy,
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
    'Whether a person must approve the post, and what they decided. Editing a rejected post asks again.',
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
        'Whether the same content may succeed: false if it was refused for good, or if the result of a call is unknown. See `allowedActions` for what you can do now.',
    }),
  },
  { $id: 'DestinationError', description: 'Why it is not published.' },
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
  { description: 'Which commands this credential can use now.' },
)
export type AllowedActions = Static<typeof AllowedActions>

export const LatestChange = exact(
  {
    at: Instant,
    by: ChangedBy,
    fields: Type.Array(Type.String(), { description: 'What it changed.', examples: [['publishAt']] }),
  },
  { description: 'The latest change that replaced the token; null if none.' },
)

export const Destination = exact(
  {
    channelId: Id,
    provider: Type.String(),
    displayName: Type.String(),
    status: DestinationStatusSchema,
    publishAt: nullable(Instant),
    queued: Type.Boolean({
      description: 'Whether `publishAt` is a posting time from the queue.',
    }),
    publishedAt: nullable(Instant),
    releaseUrl: nullable(Type.String({ description: 'The public address of the first part.' })),
    checkAgainAt: nullable(Instant),
    expiresAt: nullable(Instant),
    waitReason: nullable(
      Type.String({
        description:
          'Why it waits past its time: for posts ahead of it on the channel, or for the occurrence of its series before it, which is `checking` or `reconnect_required`.',
      }),
    ),
    error: nullable(DestinationError),
    lastError: Type.Union([DestinationError, Type.Null()], {
      description: 'The latest `error`, kept until it is published.',
    }),
    content: nullable(Content),
    controlToken: Type.String({ description: 'Needed for commands on this destination.' }),
    settleUrl: nullable(
      Type.String({
        description: 'Where a person can settle a `checking` result. Send them there.',
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
    channelId: Type.Union([Id, Type.Null()], { description: 'Null for the whole post.' }),
    kind: Type.Enum(['post', 'approval', 'attempt', 'warning', 'event'], {
      description: '`warning`: what the attempt before it goes without, such as the card of a link.',
    }),
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
    seriesId: Type.Union([Id, Type.Null()], { description: 'The series it belongs to.' }),
    labels: Labels,
    content: nullable(Content),
    media: Type.Array(MediaItem, {
      description: 'The media of all parts. Empty without the permission `media:read`.',
    }),
    reviewStatus: ReviewStatus,
    approval: nullable(
      exact({
        status: Type.Enum(['pending', 'approved', 'rejected', 'expired']),
        reason: nullable(Type.String({ description: 'What ended the request, if not a decision.' })),
        reviewUrl: Type.String({ description: 'Where a person decides.' }),
        requestedAt: Instant,
        expiresAt: Type.String({ ...Instant, description: 'Until when a person can decide.' }),
        decidedAt: nullable(Instant),
        note: nullable(Type.String()),
      }),
    ),
    editToken: Type.String({
      description:
        'Needed to edit, move or cancel the post. Replaced by each change of content, review or a time.',
    }),
    latestChange: nullable(LatestChange),
    destinations: Type.Array(Destination),
    history: Type.Optional(
      Type.Array(HistoryEntry, {
        description:
          'What happened and what proves it, oldest first, at most 100 entries. Only with `include=history`.',
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
          "Only after an edit: media that a new `thread` dropped, and channels' own content that was replaced.",
      }),
    ),
  },
  { $id: 'Post', description: 'A post with all its destinations and tokens.' },
)
export type Post = Static<typeof Post>

const FirstImage = Type.Union([Id, Type.Null()], {
  description: 'The `mediaId` of its first file, if that is an image.',
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
    'Destinations in this status. `published` includes `partially_published`, `scheduled` includes `delayed`.',
})
export type PostFilter = Static<typeof PostFilter>

export const ChannelFilter = Type.String({
  ...Id,
  description: 'A channel, or a channel group: any of its channels.',
})

export const Author = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The exact name in `createdBy`.',
})

/** How many drafts without a time are counted. */
export const MOST_UNDATED = 100

export const listPosts = operation({
  id: 'listPosts',
  at: 'GET /agent/v1/posts',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'List posts',
  description:
    'Newest first. One destination must match all given of `status`, `channelId`, `from` and `to`. `q` searches all parts of all variants, regardless of case. `idempotencyKey` finds all posts that were created with that key, as long as the key is kept.',
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
    createdById: Type.Optional(Type.String({ ...Id, description: 'The id in `createdBy`.' })),
    updatedSince: Type.Optional(
      Type.String({ ...InstantInput, description: 'Posts changed at this time or later.' }),
    ),
    label: Type.Optional(LabelFilter),
    idempotencyKey: Type.Optional(IdempotencyKey),
    reference: Type.Optional(
      Type.String({
        ...Reference,
        maxLength: 256,
        pattern: '^[\\x21-\\x29\\x2b-\\x7e]+\\*?$',
        description: 'The `reference` of one post, or with `*` at its end a prefix.',
      }),
    ),
  }),
  answer: {
    status: 200,
    schema: exact({
      items: Type.Array(PostSummary),
      nextCursor: nullable(Type.String()),
      undatedDrafts: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MOST_UNDATED,
          description: `With \`from\` or \`to\`, on the first page: how many posts that match all else are drafts without a time, which are in no range; counted up to ${MOST_UNDATED}. Left out where too many posts would have to be read to count them.`,
        }),
      ),
    }),
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
  description: 'With its destinations, their parts, and the tokens that commands need.',
  permission: 'posts:read',
  params: exact({ postId: Id }),
  query: exact({
    include: Type.Optional(
      Type.Enum(['history'], { description: 'Adds what happened: attempts, evidence, events, decisions.' }),
    ),
  }),
  answer: { status: 200, schema: Post, description: 'The post.' },
  problems: ['not_found'],
})

export const DryRun = Type.Boolean({
  description:
    'Checks everything and stores nothing. Returns what would be created, with 200 instead of 201 and meaningless ids and tokens.',
})

export const createPost = operation({
  id: 'createPost',
  at: 'POST /agent/v1/posts',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'Create a post',
  description:
    'Creates one destination per channel. Send the idempotency key as `idempotencyKey` or in the header.',
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
      confirmed: true,
      idempotencyKey: 'launch-2026-11-22',
      state: 'scheduled',
      publishAt: '2027-01-01T09:00:00.000Z',
      targets: [{ channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', text: 'Hello' }],
    },
    'With a thread, media, and local time': {
      confirmed: true,
      idempotencyKey: 'launch-2026-11-23',
      state: 'scheduled',
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
    idempotencyKey: Type.Optional(
      Type.String({ ...IdempotencyKey, description: 'Unless the batch has one.' }),
    ),
    state: PostState,
    template: Type.Optional(FromTemplate),
    ...plannedContent,
    publishAt: PublishAtInput,
    spreadMinutes: SpreadMinutes,
    reference: Type.Optional(Reference),
  },
  { $id: 'NewPost', description: 'As for `createPost`.' },
)

/** How many posts one batch makes, or checks, at most. */
export const MOST_IN_BATCH = 100

const batchOf = (row: TSchema) =>
  exact({
    confirmed: Confirmed,
    idempotencyKey: Type.Optional(
      Type.String({
        ...IdempotencyKey,
        description:
          'Of the whole batch. Repeat it with all rows unchanged but refused ones, which may change or be left out.',
      }),
    ),
    posts: Type.Array(row, { minItems: 1, maxItems: MOST_IN_BATCH }),
    allOrNothing: Type.Optional(
      Type.Boolean({
        description: 'Creates all posts, or none if a row is refused: the others then say `batch_refused`.',
      }),
    ),
    dryRun: Type.Optional(DryRun),
  })

export const createPosts = operation({
  id: 'createPosts',
  at: 'POST /agent/v1/posts/batch',
  asks: 'agent',
  tag: 'Posts',
  summary: `Create up to ${MOST_IN_BATCH} posts`,
  description:
    'Each row is a `createPost` with its own result: a refused row says why, with pointers into this request, and the others are created. A repeated row returns its first result and `replayed`. Counts as one write towards the rate limit.',
  permission: 'posts:write',
  body: batchOf(NewPost),
  checkedBody: batchOf(Type.Unknown()),
  idempotency: 'none',
  answer: {
    status: 200,
    schema: exact({
      results: Type.Array(
        exact({
          status: Type.Integer({ description: 'The HTTP status of this row.' }),
          replayed: Type.Optional(
            Type.Boolean({ description: 'Whether it is the result of an earlier request.' }),
          ),
          post: Type.Optional(Post),
          problem: Type.Optional(ProblemDocument),
        }),
        { description: 'One per row, in the same order, with a `post` or a `problem`.' },
      ),
    }),
    description: 'The result of each row.',
  },
  problems: ['idempotency_key_required', 'idempotency_in_progress', 'idempotency_key_reused'],
  example: {
    confirmed: true,
    idempotencyKey: 'calendar-2026-12',
    posts: [
      {
        state: 'draft',
        channelIds: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'],
        text: 'Hello',
      },
    ],
  },
})

const checksOf = (row: TSchema) => exact({ posts: Type.Array(row, { minItems: 1, maxItems: MOST_IN_BATCH }) })

export const checkPosts = operation({
  id: 'checkPosts',
  at: 'POST /agent/v1/post-checks/batch',
  asks: 'agent',
  tag: 'Posts',
  summary: `Check up to ${MOST_IN_BATCH} post plans`,
  description:
    'Each row is a `checkPost` with its own result, as if the rows before it that are `ready` had been created: these take posting times, and count towards the limits of the credential. Stores nothing.',
  permission: 'channels:read',
  body: checksOf(PlanToCheck),
  checkedBody: checksOf(Type.Unknown()),
  answer: {
    status: 200,
    schema: exact({
      results: Type.Array(
        exact({
          status: Type.Integer({ description: 'The HTTP status of this row.' }),
          check: Type.Optional(PostCheck),
          problem: Type.Optional(ProblemDocument),
        }),
        { description: 'One per row, in the same order, with a `check` or a `problem`.' },
      ),
    }),
    description: 'The result of each row.',
  },
  problems: [],
  example: {
    posts: [{ state: 'draft', channelIds: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'], text: 'Hello' }],
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
    'One entry per destination whose `publishAt` or `publishedAt` is in [`from`, `to`), at most 62 days, by time. Drafts with a time, which wait for another approval, are left out unless `includeDrafts` is `true` or `status` is `draft`.',
  permission: 'calendar:read',
  query: exact({
    from: InstantInput,
    to: InstantInput,
    channelId: Type.Optional(ChannelFilter),
    status: Type.Optional(PostFilter),
    includeDrafts: Type.Optional(
      Type.Boolean({ default: false, description: 'Includes drafts with a time.' }),
    ),
    label: Type.Optional(LabelFilter),
  }),
  answer: { status: 200, schema: Type.Array(CalendarEntry), description: 'The entries.' },
  problems: ['validation_failed'],
})
