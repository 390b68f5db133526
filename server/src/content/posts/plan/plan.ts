import {
  besideNames,
  type Content,
  type ContentName,
  contentNames,
  inOneOrder,
  isNone,
  type PostPlan,
  type Target,
} from '@postrider/contract'
import type { PlannedTime } from '../../../engine/destinations/destination-store.ts'
import { readLabels } from '../../../edge/operations/read-labels.ts'
import { readPublishAt, type FieldError, type QueueRequest } from './publish-time.ts'

type Settings = Readonly<Record<string, unknown>>

/** What one channel is to get, and where in the request each piece of it stands. */
export type PlannedDestination = {
  readonly channelId: string
  readonly content: Content
  readonly settings: Settings
  /** What is published, with link tags; left out before it is known which channel it is. */
  readonly parts?: readonly ContentPart[]
  /** When it is to be published, and where that stands; null where it is not said, or wished for. */
  readonly time: (PlannedTime & { readonly pointer: string }) | null
  /** A posting time that it is to take, and where that stands; null where it is to take none. */
  readonly queueRequest: (QueueRequest & { readonly pointer: string }) | null
  /** Whether its id is that of a group that has no channel. */
  readonly emptyGroup?: true
  /** JSON Pointers; `content` is the object in which `text`, `thread` and `settings` stand. */
  readonly pointers: { readonly channel: string; readonly content: string }
}

/** A request to post something, with its two ways of saying it made one. */
export type Plan = {
  readonly state: PostPlan['state']
  /** As they are stored: each once. Only a new post says them. */
  readonly labels?: readonly string[]
  /** The content of all destinations; null when each has its own. */
  readonly shared: Content | null
  readonly destinations: readonly PlannedDestination[]
  /** Over how many minutes the channels are spread that have the time of all. */
  readonly spreadMinutes?: number
}

/**
 * Reads a plan that has passed its schema. What the schema cannot say is refused here: content is given once,
 * either with `channelIds` or in `targets`; `publishAt` belongs to `scheduled` and to nothing else. A target's own one comes
 * before that of all.
 */
export function readPlan(body: PostPlan): { plan: Plan } | { errors: FieldError[] } {
  const times = timesOf(body)
  const errors = [...contentErrors(body), ...timeErrors(body, times), ...spreadErrors(body, times)]
  if (errors.length > 0) return { errors }

  const shared = body.targets === undefined ? contentOf({ ...body, text: body.text ?? '' }) : null
  const destinations =
    shared === null
      ? (body.targets ?? []).map((target, index) => targetDestination(target, index, times))
      : (body.channelIds ?? []).map((channelId, index) => ({
          channelId,
          content: shared,
          settings: {},
          ...plannedTime(times.all, TIME_OF_ALL),
          pointers: { channel: `/channelIds/${index}`, content: '' },
        }))
  const { state, spreadMinutes } = body
  const spread = spreadMinutes === undefined ? {} : { spreadMinutes }
  return { plan: { state, labels: readLabels(body.labels), shared, destinations, ...spread } }
}

/** The channels of groups, by the id of the group. */
export type GroupChannels = ReadonlyMap<string, readonly string[]>

/**
 * The plan with each group replaced by its channels. A channel that is named itself has what is said there, and one in several
 * groups that get the same content is one destination.
 */
export function withGroups({ destinations, ...plan }: Plan, groups: GroupChannels): Plan {
  const taken = new Set(destinations.map(({ channelId }) => channelId))
  const expanded = destinations.flatMap((planned): PlannedDestination[] => {
    const ids = groups.get(planned.channelId)
    if (ids === undefined) return [planned]
    if (ids.length === 0) return [{ ...planned, emptyGroup: true }]
    const own = ids.filter((id) => !taken.has(id))
    if (plan.shared !== null) for (const id of own) taken.add(id)
    return own.map((channelId) => ({ ...planned, channelId }))
  })
  return { ...plan, destinations: expanded }
}

/** The plan with the channels that have the time of all evenly over its minutes, in the order of the request. */
export function spreadOut(plan: Plan): Plan {
  const { spreadMinutes, destinations } = plan
  const last = destinations.filter(hasTimeOfAll).length - 1
  if (spreadMinutes === undefined || last < 1) return plan
  let place = 0
  const spread = destinations.map((planned) => {
    const { time } = planned
    if (time === null || !hasTimeOfAll(planned)) return planned
    const laterMs = Math.round((place++ * spreadMinutes * 60) / last) * 1_000
    return { ...planned, time: { ...time, at: new Date(time.at.getTime() + laterMs) } }
  })
  return { ...plan, destinations: spread }
}

function hasTimeOfAll({ time }: PlannedDestination): boolean {
  return time?.pointer === TIME_OF_ALL
}

const TIME_OF_ALL = '/publishAt'

export type ContentPart = {
  readonly text: string
  readonly mediaIds: readonly string[]
  readonly firstComment: boolean
}

/** The publication parts of a content, in order. */
export function partsOf({ text, mediaIds, thread = [], firstComment }: Content): ContentPart[] {
  const parts = [{ text, mediaIds }, ...thread].map(({ text, mediaIds = [] }) => ({
    text,
    mediaIds,
    firstComment: false,
  }))
  return firstComment === undefined
    ? parts
    : [...parts, { text: firstComment.text, mediaIds: [], firstComment: true }]
}

/** What a destination publishes. */
export function plannedParts({
  content,
  parts,
}: Pick<PlannedDestination, 'content' | 'parts'>): readonly ContentPart[] {
  return parts ?? partsOf(content)
}

/** The times of a plan; the latest first. */
export function timesOfPlan({ destinations }: Plan): NonNullable<PlannedDestination['time']>[] {
  return destinations
    .flatMap(({ time }) => (time === null ? [] : [time]))
    .toSorted((a, b) => b.at.getTime() - a.at.getTime())
}

/** The channels of a plan, each once. */
export function channelIdsOf(plan: Plan): string[] {
  return [...new Set(plan.destinations.map(({ channelId }) => channelId))]
}

/** The plan without these channels; as it is where none of its channels would be left. */
export function withoutChannels(plan: Plan, channelIds: readonly string[]): Plan {
  const destinations = plan.destinations.filter(({ channelId }) => !channelIds.includes(channelId))
  return destinations.length === 0 || channelIds.length === 0 ? plan : { ...plan, destinations }
}

/** The media of a plan, each once, in the order in which it comes up. */
export function mediaIdsOf(plan: Plan): string[] {
  const contents = plan.shared === null ? plan.destinations.map(({ content }) => content) : [plan.shared]
  return [...new Set(contents.flatMap((content) => partsOf(content).flatMap(({ mediaIds }) => mediaIds)))]
}

/** Where a part stands in the request, relative to its content. */
export function partPointer(part: Pick<ContentPart, 'firstComment'>, index: number): string {
  return `${partPath(part, index)}/text`
}

/** Where a part begins in the request, relative to its content. */
export function partPath({ firstComment }: Pick<ContentPart, 'firstComment'>, index: number): string {
  if (firstComment) return '/firstComment'
  return index === 0 ? '' : `/thread/${index - 1}`
}

type GivenPart = { text: string; mediaIds?: Content['mediaIds'] | undefined }

/** A content in one spelling: without anything else, and without what says that there is none. */
export function contentOf(given: GivenContent): Content {
  const { thread = [] } = given
  const content: Record<string, unknown> = partOf(given)
  if (thread.length > 0) content['thread'] = thread.map(partOf)
  for (const name of besideNames) if (!isNone(name, given[name])) content[name] = inOneOrder(given[name])
  return content as Content
}

type GivenContent = GivenPart &
  Readonly<
    Partial<{ [N in Exclude<ContentName, 'text' | 'mediaIds' | 'thread'>]: Content[N] | null | undefined }>
  > & {
    readonly thread?: Content['thread'] | undefined
  }

function partOf({ text, mediaIds = [] }: GivenPart): { text: string; mediaIds?: string[] } {
  return mediaIds.length === 0 ? { text } : { text, mediaIds: [...mediaIds] }
}

function targetDestination(
  { channelId, settings = {}, publishAt: _, ...content }: Target,
  index: number,
  { all, own }: GivenTimes,
): PlannedDestination {
  const at = `/targets/${index}`
  const time = own[index] ?? null
  return {
    channelId,
    content: contentOf(content),
    settings,
    ...(time === null ? plannedTime(all, TIME_OF_ALL) : plannedTime(time, `${at}/publishAt`)),
    pointers: { channel: `${at}/channelId`, content: at },
  }
}

function contentErrors(plan: PostPlan): FieldError[] {
  const { targets, channelIds, text } = plan
  if (targets !== undefined) {
    const besides = (['channelIds', ...contentNames] as const).filter((name) => plan[name] !== undefined)
    return besides.map((name) => ({
      pointer: `/${name}`,
      code: 'not_allowed',
      detail: `\`${name}\` is not allowed beside \`targets\`: each target carries its own content.`,
    }))
  }
  if (channelIds === undefined && text === undefined) {
    const detail = 'Give either `channelIds` with `text`, or `targets` with content for each channel.'
    return [{ pointer: '/channelIds', code: 'required', detail }]
  }
  if (channelIds === undefined) {
    const detail = '`channelIds` is missing: `text` needs the channels that get it.'
    return [{ pointer: '/channelIds', code: 'required', detail }]
  }
  if (text === undefined) {
    return [
      {
        pointer: '/text',
        code: 'required',
        detail: '`text` is missing: the channels need something to publish.',
      },
    ]
  }
  return []
}

type GivenTime = ReturnType<typeof readPublishAt>

/** What is said of times: for all, and for each target; null where nothing is. */
type GivenTimes = { readonly all: GivenTime | null; readonly own: readonly (GivenTime | null)[] }

function timesOf({ publishAt, targets = [] }: PostPlan): GivenTimes {
  const read = (sent: Target['publishAt']) => (sent === undefined ? null : readPublishAt(sent))
  return { all: read(publishAt), own: targets.map((target) => read(target.publishAt)) }
}

function plannedTime(
  time: GivenTime | null,
  pointer: string,
): Pick<PlannedDestination, 'time' | 'queueRequest'> {
  if (time instanceof Date) return { time: { at: time, queued: false, pointer }, queueRequest: null }
  const queueRequest = time === null || 'error' in time ? null : { ...time, pointer: `${pointer}/queue` }
  return { time: null, queueRequest }
}

function spreadErrors({ spreadMinutes }: PostPlan, { all }: GivenTimes): FieldError[] {
  if (spreadMinutes === undefined || all instanceof Date || (all !== null && 'error' in all)) return []
  const detail =
    all === null
      ? '`spreadMinutes` needs the `publishAt` of all: it is the time of the first channel.'
      : '`spreadMinutes` is not allowed with the queue: each channel has its own posting times.'
  return [{ pointer: '/spreadMinutes', code: 'not_allowed', detail }]
}

function timeErrors({ state }: PostPlan, { all, own }: GivenTimes): FieldError[] {
  const given = [{ time: all, at: '' }, ...own.map((time, index) => ({ time, at: `/targets/${index}` }))]
  const isWhole = own.length > 0 && own.every((time) => time !== null)
  if (state === 'scheduled' && all === null && !isWhole) {
    const pointer = own.some((time) => time !== null)
      ? `/targets/${own.indexOf(null)}/publishAt`
      : '/publishAt'
    return [{ pointer, code: 'required', detail: '`publishAt` is missing: `scheduled` needs a time.' }]
  }
  return given.flatMap(({ time, at }): FieldError[] => {
    if (time === null) return []
    if (state !== 'scheduled') {
      const detail = `\`publishAt\` is not allowed with \`${state}\`: only \`scheduled\` has a time.`
      return [{ pointer: `${at}/publishAt`, code: 'not_allowed', detail }]
    }
    return 'error' in time ? [{ ...time.error, pointer: `${at}${time.error.pointer}` }] : []
  })
}
