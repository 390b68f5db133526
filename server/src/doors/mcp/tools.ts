import {
  besideNames,
  cancelDestination,
  checkPost,
  checkPosts,
  contentNames,
  createPost,
  createPosts,
  createSeries,
  createUploadAddress,
  type DestinationStatus,
  editPost,
  editSeries,
  type FieldName,
  fieldRows,
  generatePostDrafts,
  generatePostImage,
  labelPosts,
  listChannels,
  listEvents,
  listMedia,
  listPosts,
  listSeries,
  listTemplates,
  type CalendarEntry,
  type Operation,
  type Post,
  postFieldNames,
  type PostCheck,
  type Problem,
  type ProblemCode,
  readCalendar,
  readLabelResults,
  readMe,
  readMedia,
  readPost,
  readSeries,
  rescheduleDestination,
  retryDestination,
  scheduleDestination,
  setSeriesStatus,
  skipOccurrence,
  uploadMedia,
} from '@postrider/contract'
import type { ListToolsResult } from '@modelcontextprotocol/server'
import type { TObject } from 'typebox'
import { refuseViolations } from '../../edge/api/request/request-check.ts'
import { isSchema, type Schema } from '../../edge/api/request/schema-shape.ts'
import { violationsOf } from '../../edge/api/request/violations.ts'
import type { Refusal } from '../../edge/operations/refusal.ts'
import { asMeant } from './as-meant.ts'
import { pageOfCalendar } from './calendar-page.ts'
import { nextStepAfterRow } from './next-steps.ts'
import { argumentsOf, briefSchema, described, outlineOf } from './tool-schema.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** The request of an operation that a call stands for. */
export type OperationCall = {
  readonly operation: Operation
  /** The arguments that go into the path. */
  readonly params: Arguments
  readonly query: Arguments
  readonly body: Arguments | undefined
  /** What was given as `idempotencyKey`; undefined where the operation takes none. */
  readonly key: unknown
  /** How its answer is shown, where it holds more than a model needs. */
  readonly shownAs?: (answer: object) => Shown | Refusal
  /** In which status of the post it is asked for, where another was asked for before. */
  readonly inStatus?: DestinationStatus
}

/** An answer as it is shown, and whether it says that nothing was done. */
export type Shown = { readonly answer: object; readonly isError: boolean }

export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  readonly input: Schema
  readonly output: Schema
  /** All that it may ask for: it is offered to whoever may ask for one of them. */
  readonly operations: readonly Operation[]
  /** What the call asks for. A later one is asked for where the one before is refused for the status that it is for. */
  readonly askings: (given: Arguments) => readonly OperationCall[]
  /** The name of the one field that a list is answered in. */
  readonly listAs?: string
  /** Arguments that each ask for something else. */
  readonly atMostOne?: readonly string[]
  /** What it needs beside a permission. */
  readonly needs?: 'a model for texts' | 'a model for images'
}

type Annotations = {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

const READS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}
/** With its key, a write that is called again has no further effect. */
const WRITES: Annotations = { ...READS, readOnlyHint: false }
const DESTROYS: Annotations = { ...WRITES, destructiveHint: true }
/** What others see in the end. */
const PUBLISHES: Annotations = { ...WRITES, openWorldHint: true }

const KEY = { type: 'string', description: 'New for each write; the same if no answer came.' }
const POST_ID = { type: 'string' }
const WHEN =
  'RFC 3339 with offset; local time and IANA zone; or `{ queue: "next" }` (or `first`) for a free posting time of each channel, which the answer names.'
const OBJECTS = { type: 'array', items: { type: 'object' } }
const AS_IN_CREATE = 'As in create_post.'
const CURSOR = { type: 'string', description: '`nextCursor` of the last answer.' }
const CONTROL_TOKEN = { type: 'string', description: "The destination's `controlToken` from get_post." }
const CHANGED = { type: 'object', description: 'What changes, as in edit_post.' }
const EDIT_TOKEN = { type: 'string', description: "The post's `editToken` from get_post." }

const plan = fieldsOf(createPost.body)
const content = argumentsFor(contentNames)
const planned = {
  state: described(plan['state'], '`immediate` is published once a person approves it.'),
  publishAt: described(plan['publishAt'], `Required for \`scheduled\`. ${WHEN}`),
  spreadMinutes: described(plan['spreadMinutes'], 'From the first channel to the last.'),
  channelIds: described(
    plan['channelIds'],
    'Channels, or their groups, that share `text`. Either this or `targets`.',
  ),
  ...content,
  targets: { ...described(plan['targets'], 'Content for each channel.'), items: targetSchema() },
  ...argumentsFor(postFieldNames),
}
const command = {
  postId: POST_ID,
  channelId: { type: 'string' },
  controlToken: CONTROL_TOKEN,
  publishAt: described(scheduleDestination.body.properties.publishAt, WHEN),
  idempotencyKey: KEY,
}

/** What agents can do, in the order in which it is offered. */
export const tools: readonly Tool[] = [
  {
    ...reading(readMe),
    name: 'get_me',
    title: 'Who you are',
    description:
      'Workspace, time zone, permissions, limits and approval rules of this credential. Call it first.',
    input: argumentsOf({}, []),
  },
  {
    ...reading(listChannels, 'channels'),
    name: 'list_channels',
    title: 'List channels',
    description:
      'Connected accounts: ids, groups, character and media limits, and whether each can publish now. A `groupId` stands for all its channels.',
    input: argumentsOf({}, []),
  },
  {
    ...reading(checkPost),
    name: 'check_post',
    title: 'Check a post',
    description:
      'Dry run of create_post, with its arguments: says whether it would be accepted, and how to fix each issue. Stores nothing.',
    operations: [checkPost, checkPosts],
    askings: ({ posts, ...given }) => [
      Array.isArray(posts)
        ? { ...askingOf(checkPosts, { posts: rowsOf(posts, given, checkPosts) }), shownAs: shortChecks }
        : askingOf(checkPost, { posts, ...given }),
    ],
    input: argumentsOf({ ...bare(planned), targets: OBJECTS, posts: OBJECTS }, ['state']),
  },
  {
    ...asking(createPost),
    name: 'create_post',
    title: 'Create a post',
    description:
      'Creates a draft, a scheduled post, or one for approval (`immediate`; send the person to `approval.reviewUrl`); or up to 100 at once. Never twice: after a lost answer call again with the same arguments and key.',
    annotations: PUBLISHES,
    operations: [createPost, createPosts],
    askings: ({ posts, ...given }) => [
      Array.isArray(posts) ? askingForAll(posts, given) : askingOf(createPost, { posts, ...given }),
    ],
    input: argumentsOf(
      {
        idempotencyKey: KEY,
        ...planned,
        template: { type: 'object', description: '`{ templateId, fields }`.' },
        posts: {
          ...OBJECTS,
          description:
            'Several: in each what is its own, such as `text` and `publishAt`; all else as beside. Called again, only rows that were refused may change.',
        },
      },
      ['idempotencyKey', 'state'],
    ),
  },
  {
    name: 'list_posts',
    title: 'List posts',
    description:
      'Newest first, with filters; `from`, `to`: planned or published in [from, to); `undatedDrafts` counts drafts without a time, which are in none. `calendar: true`: these times in order, 62 days at most. `series`: those, or that with this id; `templates`: those.',
    annotations: READS,
    operations: [listPosts, readCalendar, readLabelResults, listSeries, readSeries, listTemplates],
    askings: ({ calendar, results, series, templates, ...given }) => {
      if (templates === true) return [askingOf(listTemplates, given)]
      if (series === true) return [askingOf(listSeries, given)]
      if (series !== undefined && series !== false)
        return [askingOf(readSeries, { ...given, seriesId: series })]
      if (results === true) return [askingOf(readLabelResults, given)]
      const more = { ...(isOff(calendar) ? {} : { calendar }), ...(isOff(results) ? {} : { results }) }
      return [calendar === true ? askingForCalendar(given) : askingOf(listPosts, { ...given, ...more })]
    },
    listAs: 'entries',
    atMostOne: ['calendar', 'results', 'series', 'templates'],
    input: argumentsOf(
      {
        ...briefFields(listPosts.query, [
          'q',
          'status',
          'channelId',
          'reviewStatus',
          'from',
          'to',
          'author',
          'label',
        ]),
        idempotencyKey: { type: 'string', description: 'Finds all that a create with this key made.' },
        calendar: { type: 'boolean' },
        results: {
          type: 'boolean',
          description: 'With `label`: counts by status and channel.',
        },
        includeDrafts: { type: 'boolean', description: 'With `calendar`.' },
        series: { anyOf: [{ type: 'boolean' }, { type: 'string' }] },
        templates: { type: 'boolean' },
        ...pages(),
      },
      [],
    ),
    output: {
      type: 'object',
      properties: {
        items: OBJECTS,
        entries: OBJECTS,
        nextCursor: {},
        undatedDrafts: { type: 'integer' },
      },
    },
  },
  {
    ...reading(readPost),
    name: 'get_post',
    title: 'Get a post',
    description:
      'A post with status, error, address and tokens for each channel, `history` (what happened, and the proof), and `allowedActions`: what may be done now and why not.',
    askings: (given) => [askingOf(readPost, { ...given, include: 'history' })],
    input: argumentsOf({ postId: POST_ID }, ['postId']),
  },
  {
    ...asking(editPost),
    name: 'edit_post',
    title: 'Edit a post',
    description:
      'Changes a draft or scheduled post. What is left out stays; `thread: []`, `mediaIds: []`, `firstComment: null` remove. With `targets` for those channels only.',
    annotations: DESTROYS,
    askings: ({ postId, editToken, idempotencyKey, keepOwn, ...change }) => [
      askingOf(editPost, {
        postId,
        editToken,
        idempotencyKey,
        content: change,
        ...(keepOwn === undefined ? {} : { keepOwn }),
      }),
    ],
    input: argumentsOf(
      {
        postId: POST_ID,
        editToken: EDIT_TOKEN,
        idempotencyKey: KEY,
        ...content,
        targets: {
          ...OBJECTS,
          description: 'As in create_post, with only what changes.',
        },
        parts: {
          ...OBJECTS,
          description: '`[{ index, text, mediaIds }]` changes single parts, 0 the first.',
        },
        keepOwn: { type: 'boolean', description: 'Refuse rather than drop media or texts of channels.' },
      },
      ['postId', 'editToken', 'idempotencyKey'],
    ),
  },
  {
    ...asking(rescheduleDestination),
    name: 'schedule_post',
    title: 'Schedule or reschedule',
    description:
      'Gives a draft a time, or a scheduled post another one: on one channel by `channelId` and `controlToken`, or on all by `editToken`, then also by `shift`. Of a post that is both, only what is scheduled moves.',
    annotations: PUBLISHES,
    operations: [scheduleDestination, rescheduleDestination],
    askings: (given) => {
      const [first, another] = [askingOf(scheduleDestination, given), askingOf(rescheduleDestination, given)]
      if ('channelId' in given && !('editToken' in given))
        return [first, { ...another, inStatus: 'scheduled' }]
      // What may be meant of a post that is both, is what publishes nothing more than was to be published.
      return 'shift' in given ? [another] : [another, { ...first, inStatus: 'draft' }]
    },
    input: argumentsOf(
      {
        ...command,
        editToken: EDIT_TOKEN,
        shift: { type: 'string', description: '`P1D`, `-PT2H`.' },
      },
      ['postId', 'idempotencyKey'],
    ),
  },
  {
    ...asking(cancelDestination),
    name: 'cancel_post',
    title: 'Cancel a post',
    description:
      'For good, before publishing has begun: on one channel by `channelId` and `controlToken`, or on all by `editToken`.',
    annotations: DESTROYS,
    input: argumentsOf(
      {
        postId: POST_ID,
        channelId: { type: 'string' },
        controlToken: CONTROL_TOKEN,
        editToken: EDIT_TOKEN,
        idempotencyKey: KEY,
      },
      ['postId', 'idempotencyKey'],
    ),
  },
  {
    ...asking(retryDestination),
    name: 'retry_post',
    title: 'Retry a failed post',
    description:
      'Only what is `failed`, or the rest of a thread that was refused for good, with changed `content` if needed. Refused while it may be live; never retry `checking`.',
    annotations: PUBLISHES,
    input: argumentsOf(
      {
        ...command,
        publishAt: described(scheduleDestination.body.properties.publishAt, AS_IN_CREATE),
        content: CHANGED,
      },
      Object.keys(command),
    ),
  },
  {
    ...asking(labelPosts),
    name: 'label_posts',
    title: 'Label posts',
    description:
      'Adds or removes labels: of all these posts or none, in any status. Labels are not published.',
    annotations: WRITES,
    input: argumentsOf(
      { idempotencyKey: KEY, ...briefFields(labelPosts.body, ['postIds', 'add', 'remove']) },
      ['idempotencyKey', 'postIds'],
    ),
  },
  {
    ...asking(createSeries),
    name: 'write_series',
    title: 'Repeat',
    description:
      'By `rule` (RFC 5545 with `COUNT` or `UNTIL`), `startsAt: { local, timeZone }` and content as in create_post, or `contents` to turn through. With `seriesId`: edits `from` a day or `only` it, skips a `date`, sets `status`.',
    annotations: PUBLISHES,
    operations: [createSeries, editSeries, skipOccurrence, setSeriesStatus],
    askings: ({ seriesId, editToken, idempotencyKey, series }) => {
      const given = isSchema(series) ? series : { series }
      if (seriesId === undefined) return [askingOf(createSeries, { ...given, idempotencyKey })]
      const change = 'date' in given ? skipOccurrence : 'status' in given ? setSeriesStatus : editSeries
      return [askingOf(change, { ...given, seriesId, editToken, idempotencyKey })]
    },
    input: argumentsOf(
      {
        idempotencyKey: KEY,
        seriesId: { type: 'string' },
        editToken: { type: 'string' },
        series: { type: 'object', properties: seriesFields() },
      },
      ['idempotencyKey', 'series'],
    ),
    output: { type: 'object' },
  },
  {
    ...asking(uploadMedia),
    name: 'upload_media',
    title: 'Upload media',
    description:
      'An image, video, audio or PDF for posts, from an https address or as base64 (4 MB at most). Strips metadata of images. With neither, gives an `uploadUrl` to PUT the bytes to, once and without a credential, or the media that was.',
    annotations: WRITES,
    operations: [uploadMedia, createUploadAddress],
    askings: ({ url, base64, ...given }) => [
      url === undefined && base64 === undefined
        ? askingOf(createUploadAddress, given)
        : askingOf(uploadMedia, url === undefined ? given : { ...given, sourceUrl: url }),
    ],
    input: argumentsOf(
      {
        idempotencyKey: KEY,
        url: { type: 'string', description: 'Without redirects.' },
        base64: { type: 'string' },
        altText: { type: 'string', description: 'What it shows, for the blind.' },
      },
      ['idempotencyKey'],
    ),
    output: {
      type: 'object',
      properties: {
        ...briefFields(uploadMedia.answer.schema, ['mediaId', 'kind', 'contentType', 'size', 'altText']),
        ...fieldsOf(outlineOf(createUploadAddress.answer.schema)),
      },
    },
  },
  {
    ...reading(listMedia),
    name: 'list_media',
    title: 'List media',
    description: 'Newest first; with `mediaId`, that one.',
    operations: [listMedia, readMedia],
    askings: (given) => ['mediaId' in given ? askingOf(readMedia, given) : askingOf(listMedia, given)],
    input: argumentsOf(
      { ...briefFields(listMedia.query, ['kind']), mediaId: { type: 'string' }, ...pages() },
      [],
    ),
  },
  {
    ...asking(generatePostDrafts),
    name: 'write_drafts',
    title: 'Write drafts',
    description: 'Has a model write texts that fit each channel. Stores and publishes nothing.',
    annotations: WRITES,
    needs: 'a model for texts',
    input: keyedInput(generatePostDrafts.body, {
      destinations: described(
        generatePostDrafts.body.properties.destinations,
        '`id` of a channel, or a `provider`.',
      ),
      language: { type: 'string', description: 'BCP 47.' },
      currentText: { type: 'string', description: 'For `rewrite`, `shorten`, `expand`.' },
    }),
  },
  {
    ...reading(listEvents),
    name: 'list_events',
    title: 'What happened',
    description:
      'Status changes, drafts, edits and approvals, oldest first, without gaps. Keep `nextCursor` and go on from it.',
    input: argumentsOf(
      { ...briefFields(listEvents.query, ['since', 'type', 'postId', 'label']), ...pages() },
      [],
    ),
  },
  {
    ...asking(generatePostImage),
    name: 'generate_image',
    title: 'Generate an image',
    description: 'Has a model draw an image, stored as media for posts.',
    annotations: WRITES,
    needs: 'a model for images',
    input: keyedInput(generatePostImage.body, {}),
  },
]

/** What a call asks for, with its arguments as they are meant. */
export function askingsOf(tool: Tool, given: Arguments): OperationCall[] {
  const meant = asMeant(tool.input, given) as Arguments
  return tool.askings(meant).map((asking) => {
    const { operation, query, body } = asking
    return {
      ...asking,
      query: asMeant(operation.query, query) as Arguments,
      body: body === undefined ? undefined : (asMeant(operation.body, body) as Arguments),
    }
  })
}

/** Refuses arguments by which nobody can tell what is asked for: those that the tool takes itself. Its operations judge all others. */
export function refuseArguments(tool: Tool, given: Arguments): Refusal | null {
  const { input, operations, atMostOne = [] } = tool
  const [main] = operations
  const meant = asMeant(input, given) as Arguments
  const known = { ...fieldsOf(main?.params), ...fieldsOf(main?.query), ...fieldsOf(main?.body) }
  const own = Object.entries(fieldsOf(input)).filter(
    ([name]) => !(name in known) && name !== 'idempotencyKey' && Object.hasOwn(meant, name),
  )
  const properties = Object.fromEntries(own.map(([name, schema]) => [name, typeOf(schema)]))
  const violations = violationsOf({ properties }, meant, 'body')
  if (violations.length > 0) return refuseViolations(violations)
  const [first, ...others] = atMostOne.filter((name) => !isOff(meant[name]))
  if (others.length === 0) return null
  return refuseViolations(
    others.map((name) => {
      const detail = `\`${first}\` and \`${name}\` ask for different lists. Send one of them.`
      return { pointer: `/${name}`, code: 'not_allowed', detail }
    }),
  )
}

function typeOf(schema: unknown): Schema {
  if (!isSchema(schema)) return {}
  const { type, anyOf } = schema
  return Array.isArray(anyOf) ? { anyOf: anyOf.map(typeOf) } : type === undefined ? {} : { type }
}

/** A tool as clients are told of it. */
export function definitionOf(tool: Tool): ListToolsResult['tools'][number] {
  const { name, title, description, annotations, input, output } = tool
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: { ...input, type: 'object' },
    outputSchema: { ...output, type: 'object' },
  }
}

export const toolByName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.name, tool]))

/** The tools of this name and order that these permissions open, and what this server can do. */
export function toolsFor(
  permissions: readonly string[],
  can: (need: NonNullable<Tool['needs']>) => boolean,
): Tool[] {
  const mayAsk = ({ permission }: Operation) => permission === null || permissions.includes(permission)
  return tools.filter(
    ({ operations, needs }) => operations.some(mayAsk) && (needs === undefined || can(needs)),
  )
}

function isOff(asked: unknown): boolean {
  return asked === undefined || asked === false
}

function reading(operation: Operation, listAs?: string) {
  const { output, ...rest } = asking(operation)
  return listAs === undefined
    ? { ...rest, output, annotations: READS }
    : {
        ...rest,
        annotations: READS,
        listAs,
        output: { type: 'object', properties: { [listAs]: OBJECTS } },
      }
}

function asking(operation: Operation) {
  return {
    operations: [operation],
    askings: (given: Arguments) => [askingOf(operation, given)],
    output: outlineOf(operation.answer.schema),
  }
}

/** Where an operation takes its arguments. */
type Places = {
  readonly inPath: readonly string[]
  readonly isWrite: boolean
  readonly keyInBody: boolean
  readonly confirmed: { readonly confirmed?: true }
}

const placesByOperation = new WeakMap<Operation, Places>()

function placesIn(operation: Operation): Places {
  const known = placesByOperation.get(operation)
  if (known !== undefined) return known
  const inBody = fieldsOf(operation.body)
  const places = {
    inPath: Object.keys(fieldsOf(operation.params)),
    isWrite: operation.idempotency !== undefined,
    keyInBody: 'idempotencyKey' in inBody,
    confirmed: 'confirmed' in inBody ? { confirmed: true as const } : {},
  }
  placesByOperation.set(operation, places)
  return places
}

/** Puts each argument where its operation wants it. What it does not know stays among the others, and is refused there. */
function askingOf(operation: Operation, given: Arguments): OperationCall {
  const { inPath, isWrite, keyInBody, confirmed } = placesIn(operation)
  // Not by assignments: an argument may be called `__proto__`.
  const rest = Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) =>
        value !== undefined &&
        !inPath.includes(name) &&
        !(isWrite && !keyInBody && name === 'idempotencyKey'),
    ),
  )
  const takesBody = operation.body !== undefined
  return {
    operation,
    params: Object.fromEntries(inPath.map((name) => [name, given[name]])),
    query: takesBody ? {} : rest,
    body: takesBody ? { ...rest, ...confirmed } : undefined,
    key: isWrite ? given['idempotencyKey'] : undefined,
  }
}

/** The calendar comes whole, unless a page of it is asked for. */
function askingForCalendar({ limit, cursor, ...given }: Arguments): OperationCall {
  const asking = askingOf(readCalendar, given)
  if (limit === undefined && cursor === undefined) return asking
  const shownAs = (answer: object) =>
    pageOfCalendar((answer as { entries: CalendarEntry[] }).entries, { limit, cursor })
  return { ...asking, shownAs }
}

/** The key is that of the call. */
function askingForAll(
  posts: readonly unknown[],
  { idempotencyKey: key, ...common }: Arguments,
): OperationCall {
  const rows = rowsOf(posts, common, createPosts)
  return { ...askingOf(createPosts, { posts: rows, idempotencyKey: key }), key, shownAs: shortResults }
}

/** Each row has what is said of all, and its own. */
function rowsOf(
  posts: readonly unknown[],
  common: Arguments,
  { body }: typeof createPosts | typeof checkPosts,
): unknown[] {
  const withoutContent = omit(common, ['channelIds', ...contentNames, 'template'])
  return posts.map((given) => {
    // What is said of all is not said again where a client sends null for it.
    const row = asMeant({ ...body.properties.posts.items, required: [] }, given)
    return isSchema(row) ? { ...('targets' in row ? withoutContent : common), ...row } : row
  })
}

type RowResult = { readonly status: number; readonly post?: Post; readonly problem?: Problem }

/** What became of each row, without what its author has just written. */
function shortResults(answer: object): Shown {
  const { results } = answer as { results: readonly RowResult[] }
  const isError = results.every(({ post }) => post === undefined)
  const short = {
    results: results.map(({ post, problem, ...rest }) => {
      if (post === undefined) return { ...rest, problem: shortProblem(problem) }
      const { postId, reviewStatus, approval, destinations } = post
      const channels = destinations.map(({ channelId, status, publishAt }) => ({
        channelId,
        status,
        publishAt,
      }))
      return { ...rest, postId, reviewStatus, reviewUrl: approval?.reviewUrl, channels }
    }),
  }
  return { answer: short, isError }
}

type CheckResult = { readonly status: number; readonly check?: PostCheck; readonly problem?: Problem }

/** What each row would be answered with, without what its author has just written. */
function shortChecks(answer: object): Shown {
  const { results } = answer as { results: readonly CheckResult[] }
  const short = {
    results: results.map(({ check, problem, ...rest }) => {
      if (check === undefined) return { ...rest, ready: false, problem: withFix(problem) }
      const channels = check.destinations.map(({ channelId, ready, publishAt }) => ({
        channelId,
        ready,
        publishAt,
      }))
      return { ...rest, ready: check.ready, channels, issues: check.issues }
    }),
  }
  return { answer: short, isError: results.every(({ check }) => check === undefined) }
}

/** As the error of a tool has it. */
function shortProblem(problem: Problem | undefined): object {
  if (problem === undefined) return {}
  return { ...withFix(problem), next: nextStepAfterRow(problem.code as ProblemCode) }
}

function withFix(problem: Problem | undefined): object {
  if (problem === undefined) return {}
  const rest = omit(problem, ['type', 'title', 'status', 'instance', 'requestId', 'detail'])
  return { ...rest, fix: problem.detail }
}

function omit(values: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}

function fieldsOf(schema: unknown): Schema {
  return isSchema(schema) && isSchema(schema['properties']) ? schema['properties'] : {}
}

function briefFields(schema: unknown, names: readonly string[]): Record<string, Schema> {
  const fields = fieldsOf(schema)
  return Object.fromEntries(names.map((name) => [name, briefSchema(fields[name])]))
}

/** What one channel gets. What is said beside it of all channels stands there alone. */
function targetSchema(): Schema {
  const target = briefSchema(plan['targets'])['items'] as Schema
  const types = besideNames.map((name) => [name, { type: (plan[name] as Schema)['type'] }])
  const beside = { publishAt: { description: 'As beside.' }, thread: OBJECTS, ...Object.fromEntries(types) }
  return { ...target, properties: omit({ ...fieldsOf(target), ...beside }, contentNames.filter(isOutside)) }
}

function isOutside(name: FieldName): boolean {
  return fieldRows[name].tool === null
}

/** The arguments of fields of a post. */
function argumentsFor(names: readonly FieldName[]): Record<string, Schema> {
  const told = names.flatMap((name) => {
    const { tool } = fieldRows[name]
    if (tool === null) return []
    const schema = tool.schema ?? briefSchema(plan[name])
    return [[name, tool.says === undefined ? schema : { ...schema, description: tool.says }] as const]
  })
  return Object.fromEntries(told)
}

/** Schemas without their descriptions, where another tool has these. */
function bare(fields: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, omit(field, ['description'])]),
  )
}

/** The names of all that can be said of a series, for a model that would guess them: what may be in each, the operations know. */
function seriesFields(): Record<string, Schema> {
  const bodies = [createSeries, editSeries, skipOccurrence, setSeriesStatus].map(({ body }) => fieldsOf(body))
  return omit(
    Object.assign(
      {},
      ...bodies.map((fields) => Object.fromEntries(Object.keys(fields).map((name) => [name, {}]))),
    ),
    ['confirmed', 'idempotencyKey', 'editToken'],
  ) as Record<string, Schema>
}

function pages(): Record<string, Schema> {
  return { limit: { type: 'integer', description: '1 to 100.' }, cursor: CURSOR }
}

/** All fields of a body, with a key. */
function keyedInput(body: TObject, change: Record<string, Schema>): Schema {
  const names = Object.keys(body.properties).filter((name) => name !== 'confirmed')
  const required = (body.required ?? []).filter((name) => name !== 'confirmed')
  return argumentsOf({ idempotencyKey: KEY, ...briefFields(body, names), ...change }, [
    'idempotencyKey',
    ...required,
  ])
}
