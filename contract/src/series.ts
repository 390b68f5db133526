import Type, { type Static } from 'typebox'
import { EditToken } from './commands.ts'
import { changed, Content, plannedContent, Target } from './content.ts'
import { operation } from './operation.ts'
import { PostIssue } from './post-checks.ts'
import { DestinationStatusSchema, LatestChange } from './posts.ts'
import {
  Confirmed,
  Cursor,
  exact,
  Id,
  IdempotencyKey,
  Instant,
  Limit,
  LocalTimeInput,
  nullable,
  TimeInput,
} from './schemas.ts'

/** How many occurrences a series may have. */
export const MOST_OCCURRENCES = 1_000

const LOCAL_DATE = '^\\d{4}-\\d{2}-\\d{2}$'

const LocalDate = Type.String({
  pattern: LOCAL_DATE,
  description: 'A day in the time zone of the series. It names the occurrence on that day.',
  examples: ['2027-01-04'],
})

const Rule = Type.String({
  minLength: 1,
  maxLength: 200,
  description: `When it repeats, as in RFC 5545: \`FREQ\` (\`DAILY\`, \`WEEKLY\` or \`MONTHLY\`) with \`INTERVAL\`, \`BYDAY\`, \`BYMONTHDAY\` and \`WKST\`, ending with \`COUNT\` or \`UNTIL\` (a day, inclusive). At most ${MOST_OCCURRENCES} occurrences.`,
  examples: ['FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20271231'],
})

const startsAt = {
  description: 'Time of day, time zone, and the first possible day: `COUNT` and `INTERVAL` count from it.',
}

const Except = Type.Array(LocalDate, {
  maxItems: 366,
  uniqueItems: true,
  description: 'Days of the rule that are left out.',
})

const Contents = Type.Array(Content, {
  minItems: 1,
  maxItems: 100,
  description: 'Instead of `text`, with `channelIds`: occurrences use these in turn.',
})

/** What one channel gets: its time is that of the rule. */
const SeriesTarget = exact(Type.Omit(Target, ['publishAt']).properties, { $id: 'SeriesTarget' })

const SeriesTargets = Type.Array(SeriesTarget, {
  minItems: 1,
  maxItems: 50,
  description: 'One entry per channel, each with its own content. Either this or `channelIds`.',
})

const seriesContent = {
  ...plannedContent,
  contents: Type.Optional(Contents),
  targets: Type.Optional(SeriesTargets),
}

const StartsAt = exact(LocalTimeInput.properties, startsAt)
const seriesTimes = { rule: Rule, startsAt: StartsAt, except: Except }

/** What a post is made of, as an edit of one occurrence takes it. */
const OccurrenceContent = exact(
  { ...plannedContent, targets: Type.Optional(SeriesTargets) },
  { $id: 'OccurrenceContent' },
)

export const Occurrence = exact(
  {
    date: LocalDate,
    publishAt: Instant,
    status: Type.Enum(['planned', 'made', 'waiting', 'missed', 'skipped'], {
      description:
        '`planned`: its post is created seven days before. `made`: it is the post `postId`. `waiting`: its post was refused and is retried until the deadline. `missed`: it was not created in time. `skipped`: left out.',
    }),
    reason: nullable(Type.String({ description: 'Why it waits, was missed, or lacks channels.' })),
    postId: nullable(Id),
    changed: Type.Boolean({ description: 'Whether it has its own content or time.' }),
    text: Type.String({ description: 'The first 280 characters.' }),
    channels: Type.Array(
      exact({
        channelId: Id,
        status: DestinationStatusSchema,
        waitReason: nullable(Type.String()),
      }),
      { description: 'The channels of its post; empty before it is created.' },
    ),
    content: Type.Optional(OccurrenceContent),
  },
  { $id: 'Occurrence', description: 'One day of a series, and its post.' },
)
export type Occurrence = Static<typeof Occurrence>

const SeriesStatus = Type.Enum(['active', 'paused', 'ended'])

const series = {
  seriesId: Id,
  status: SeriesStatus,
  reason: nullable(Type.String({ description: 'Why it is paused or ended.' })),
  ...seriesTimes,
  postsBy: exact(
    { type: Type.Enum(['agent_key', 'oauth', 'person']), name: Type.String() },
    {
      description:
        'Who its posts are created as: whoever last created, edited or resumed it, with their limits and approval rules.',
    },
  ),
  nextAt: Type.Union([Instant, Type.Null()], { description: 'The next occurrence.' }),
  editToken: Type.String({ description: 'Needed for changes.' }),
  latestChange: nullable(LatestChange),
  createdAt: Instant,
  updatedAt: Instant,
}

export const SeriesSummary = exact(
  {
    ...series,
    text: Type.String({ description: 'The first 280 characters.' }),
    channelIds: Type.Array(Id),
  },
  { $id: 'SeriesSummary' },
)
export type SeriesSummary = Static<typeof SeriesSummary>

/** What the document repeats of them, by the names that it gives it. */
export const seriesSchemas = {
  SeriesContents: Contents,
  SeriesDay: LocalDate,
  SeriesExcept: Except,
  SeriesPostsBy: series.postsBy,
  SeriesRule: Rule,
  SeriesStart: StartsAt,
  SeriesTargets,
}

export const Series = exact(
  {
    ...series,
    ...seriesContent,
    occurrences: Type.Array(Occurrence, { description: 'In order, at most 100.' }),
    issues: Type.Optional(
      Type.Array(PostIssue, { description: 'Warnings, after it was created or edited.' }),
    ),
    effects: Type.Optional(
      Type.Array(
        exact({
          date: LocalDate,
          postId: Id,
          effect: Type.Enum(['cancelled', 'kept'], {
            description:
              '`cancelled`: its post is created again if the series still has the day. `kept`: unchanged, for the `reason`.',
          }),
          reason: nullable(Type.String()),
        }),
        { description: 'What the change did to existing posts.' },
      ),
    ),
  },
  { $id: 'Series', description: 'Content that is posted repeatedly.' },
)
export type Series = Static<typeof Series>

const common = { tag: 'Series', asks: 'agent or member' } as const
const write = { ...common, permission: 'posts:write' } as const
const read = { ...common, permission: 'posts:read' } as const
const params = exact({ seriesId: Id })
const AN_ID = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
const answer = { status: 200, schema: Series, description: 'The series, with a new `editToken`.' } as const
const planProblems = [
  'validation_failed',
  'credential_limit',
  'post_not_publishable',
  'publish_time_in_past',
  'channel_unavailable',
] as const
const changeProblems = ['not_found', 'invalid_state', 'stale_edit_token'] as const

export const createSeries = operation({
  ...write,
  id: 'createSeries',
  at: 'POST /agent/v1/series',
  summary: 'Create a series',
  description:
    'Creates a scheduled post for each occurrence, seven days before its time, exactly once. An occurrence is not published while the one before it on the channel is `checking` or `reconnect_required`. All content is checked now; `issues` warn where a network may refuse repeated texts. Local times that do not exist, or exist twice, on a day of the rule are refused.',
  body: exact({
    confirmed: Confirmed,
    idempotencyKey: Type.Optional(IdempotencyKey),
    ...seriesTimes,
    except: Type.Optional(Except),
    ...seriesContent,
    dryRun: Type.Optional(Type.Boolean({ description: 'Checks everything, stores nothing, returns 200.' })),
  }),
  oneOf: [['channelIds'], ['targets']],
  idempotency: 'header or body',
  answer: { status: 201, schema: Series, description: 'The series as created.' },
  problems: planProblems,
  example: {
    confirmed: true,
    idempotencyKey: 'tips-2027',
    rule: 'FREQ=WEEKLY;BYDAY=MO;COUNT=10',
    startsAt: { local: '2027-01-04T09:00', timeZone: 'Europe/Berlin' },
    channelIds: [AN_ID],
    contents: [{ text: 'A tip' }, { text: 'Another tip' }],
  },
})

export const listSeries = operation({
  ...read,
  id: 'listSeries',
  at: 'GET /agent/v1/series',
  summary: 'List series',
  description: 'Newest first.',
  query: exact({
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
    status: Type.Optional(SeriesStatus),
  }),
  answer: {
    status: 200,
    schema: exact({ items: Type.Array(SeriesSummary), nextCursor: nullable(Type.String()) }),
    description: 'One page of series.',
  },
  problems: ['validation_failed', 'invalid_cursor'],
})

export const readSeries = operation({
  ...read,
  id: 'readSeries',
  at: 'GET /agent/v1/series/{seriesId}',
  summary: 'Read a series',
  description: 'With its occurrences from seven days ago, or from `from`.',
  params,
  query: exact({
    from: Type.Optional(LocalDate),
    only: Type.Optional(
      Type.String({
        pattern: LOCAL_DATE,
        description: 'Only this occurrence, with the whole `content` of its post.',
      }),
    ),
  }),
  answer: { status: 200, schema: Series, description: 'The series.' },
  problems: ['validation_failed', 'not_found'],
})

export const editSeries = operation({
  ...write,
  id: 'editSeries',
  at: 'POST /agent/v1/series/{seriesId}/edit',
  summary: 'Edit a series, or one occurrence of it',
  description:
    'Omitted fields are kept. With `only`, edits that occurrence, until its post is created: then edit the post. Otherwise from the day `from`, or from today: later posts are cancelled and created again, unless they were changed or reviewed; see `effects`. A day whose post is out, or kept, gets no second one.',
  params,
  body: exact(
    {
      confirmed: Confirmed,
      editToken: EditToken,
      only: Type.Optional(LocalDate),
      from: Type.Optional(LocalDate),
      publishAt: Type.Optional(
        Type.Union([...TimeInput.anyOf, Type.Null()], {
          description: 'With `only`: its time, not from a queue. Null restores that of the series.',
        }),
      ),
      rule: Type.Optional(Rule),
      startsAt: Type.Optional(seriesTimes.startsAt),
      except: Type.Optional(Except),
      ...seriesContent,
      ...changed,
      dryRun: Type.Optional(Type.Boolean({ description: 'Changes nothing.' })),
    },
    { minProperties: 3 },
  ),
  idempotency: 'header',
  answer,
  problems: [...planProblems, ...changeProblems],
  example: { confirmed: true, editToken: 'X1nVf0m0n1X1nVf0m0n1', text: 'A better tip' },
})

export const skipOccurrence = operation({
  ...write,
  id: 'skipOccurrence',
  at: 'POST /agent/v1/series/{seriesId}/skip',
  summary: 'Skip or restore an occurrence',
  description: 'Skipping cancels its post. Refused once publishing has started.',
  params,
  body: exact({
    confirmed: Confirmed,
    editToken: EditToken,
    date: LocalDate,
    skip: Type.Optional(Type.Boolean({ default: true, description: '`false` restores it.' })),
  }),
  idempotency: 'header',
  answer,
  problems: ['validation_failed', 'credential_limit', ...changeProblems],
  example: { confirmed: true, editToken: 'X1nVf0m0n1X1nVf0m0n1', date: '2027-01-11' },
})

export const setSeriesStatus = operation({
  ...write,
  id: 'setSeriesStatus',
  at: 'POST /agent/v1/series/{seriesId}/status',
  summary: 'Pause, resume or end a series',
  description:
    '`paused` and `ended` cancel its posts that are not out, even changed ones. `active` creates future ones again, in the name of the caller. `ended` is final.',
  params,
  body: exact({ confirmed: Confirmed, editToken: EditToken, status: SeriesStatus }),
  idempotency: 'header',
  answer,
  problems: ['credential_limit', ...changeProblems, 'validation_failed'],
  example: { confirmed: true, editToken: 'X1nVf0m0n1X1nVf0m0n1', status: 'paused' },
})
