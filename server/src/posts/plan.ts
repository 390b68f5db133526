import type { Content, PostPlan, Target } from '@postrider/contract'
import { readPublishAt, type FieldError } from './publish-time.ts'

type Settings = Readonly<Record<string, unknown>>

/** What one channel is to get, and where in the request each piece of it stands. */
export type PlannedDestination = {
  readonly channelId: string
  readonly content: Content
  readonly settings: Settings
  /** JSON Pointers; `content` is the object in which `text`, `thread` and `settings` stand. */
  readonly pointers: { readonly channel: string; readonly content: string }
}

/** A request to post something, with its two ways of saying it made one. */
export type Plan = {
  readonly state: PostPlan['state']
  readonly publishAt: Date | null
  /** The content of all destinations; null when each has its own. */
  readonly shared: Content | null
  readonly destinations: readonly PlannedDestination[]
}

/**
 * Reads a plan that has passed its schema. What the schema cannot say is refused here: content is given once,
 * either with `channelIds` or in `targets`; `publishAt` belongs to `scheduled` and to nothing else.
 */
export function readPlan(body: PostPlan): { plan: Plan } | { errors: FieldError[] } {
  const time = body.publishAt === undefined ? null : readPublishAt(body.publishAt)
  const errors = [...contentErrors(body), ...timeErrors(body, time)]
  const publishAt = time instanceof Date ? time : null
  if (errors.length > 0) return { errors }

  const shared = body.targets === undefined ? contentOf({ ...body, text: body.text ?? '' }) : null
  const destinations =
    shared === null
      ? (body.targets ?? []).map(targetDestination)
      : (body.channelIds ?? []).map((channelId, index) => ({
          channelId,
          content: shared,
          settings: {},
          pointers: { channel: `/channelIds/${index}`, content: '' },
        }))
  return { plan: { state: body.state, publishAt, shared, destinations } }
}

export type ContentPart = { readonly text: string; readonly mediaIds: readonly string[] }

/** The publication parts of a content, in order. */
export function partsOf({ text, mediaIds = [], thread = [] }: Content): ContentPart[] {
  return [{ text, mediaIds }, ...thread.map(({ text, mediaIds = [] }) => ({ text, mediaIds }))]
}

/** The channels of a plan, each once. */
export function channelIdsOf(plan: Plan): string[] {
  return [...new Set(plan.destinations.map(({ channelId }) => channelId))]
}

/** The media of a plan, each once, in the order in which it comes up. */
export function mediaIdsOf(plan: Plan): string[] {
  const contents = plan.shared === null ? plan.destinations.map(({ content }) => content) : [plan.shared]
  return [...new Set(contents.flatMap((content) => partsOf(content).flatMap(({ mediaIds }) => mediaIds)))]
}

/** Where a part stands in the request, relative to its content. */
export function partPointer(index: number): string {
  return `${partPath(index)}/text`
}

/** Where a part begins in the request, relative to its content. */
export function partPath(index: number): string {
  return index === 0 ? '' : `/thread/${index - 1}`
}

type GivenPart = { text: string; mediaIds?: Content['mediaIds'] | undefined }

/** A content without anything else, and without empty lists. */
export function contentOf({
  thread = [],
  ...first
}: GivenPart & { thread?: Content['thread'] | undefined }): Content {
  return { ...partOf(first), ...(thread.length === 0 ? {} : { thread: thread.map(partOf) }) }
}

function partOf({ text, mediaIds = [] }: GivenPart): { text: string; mediaIds?: string[] } {
  return mediaIds.length === 0 ? { text } : { text, mediaIds: [...mediaIds] }
}

function targetDestination(
  { channelId, settings = {}, ...content }: Target,
  index: number,
): PlannedDestination {
  return {
    channelId,
    content: contentOf(content),
    settings,
    pointers: { channel: `/targets/${index}/channelId`, content: `/targets/${index}` },
  }
}

function contentErrors({ targets, channelIds, text, mediaIds, thread }: PostPlan): FieldError[] {
  if (targets !== undefined) {
    const besides = Object.entries({ channelIds, text, mediaIds, thread }).filter(
      ([, value]) => value !== undefined,
    )
    return besides.map(([name]) => ({
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

function timeErrors({ state }: PostPlan, time: ReturnType<typeof readPublishAt> | null): FieldError[] {
  const pointer = '/publishAt'
  if (state === 'scheduled' && time === null) {
    return [{ pointer, code: 'required', detail: '`publishAt` is missing: `scheduled` needs a time.' }]
  }
  if (state !== 'scheduled' && time !== null) {
    const detail = `\`publishAt\` is not allowed with \`${state}\`: only \`scheduled\` has a time.`
    return [{ pointer, code: 'not_allowed', detail }]
  }
  return time === null || time instanceof Date ? [] : [time.error]
}
