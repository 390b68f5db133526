import type { Target } from '../content.ts'
import {
  besideNames,
  type BesideName,
  channelNames,
  type ChannelFieldName,
  fieldRows,
  fromPlan,
  type PostFieldName,
  postFieldNames,
  pickFields,
} from '../content-fields.ts'
import type { PostPlan } from '../post-checks.ts'
import { channelName, findChannel, findChannels, isId, type NamedChannel } from './channel-names.ts'
import { shapeFaults } from './check-shape.ts'
import type { Fault, Place } from './faults.ts'
import { instantsBeside, instantsOf, isZone } from './local-time.ts'
import type { Source, Sources } from './sources.ts'
import { planSchema, postSchema } from './schema.ts'

/** A file that a post carries. `name` is what stands in the plan. */
export type PlannedMedia = { readonly alt: string | null; readonly place: Place } & (
  | { readonly is: 'file'; readonly path: string }
  | { readonly is: 'url'; readonly url: string }
  | { readonly is: 'item'; readonly mediaId: string }
)

export type PlannedPart = { readonly text: string; readonly media: readonly PlannedMedia[] }

/** A time in milliseconds since 1970, or a place in the queue of the channel. */
export type PlannedTime = number | 'next' | 'first'

/** What one channel is to get. `at` is null for a draft. */
export type PlannedTarget = {
  readonly channelId: string
  readonly name: string
  /** Where in `channels` of the post it is named, itself or by its group. */
  readonly place: number
  /** The text and its follow-ups. */
  readonly parts: readonly PlannedPart[]
  /** What it has beside them, as the API takes it: without what says that there is none. */
  readonly beside: Pick<Target, BesideName>
  /** What is said of the channel itself, also that there is none. */
  readonly ofChannel: Pick<Target, ChannelFieldName>
  readonly at: PlannedTime | null
}

export type PlannedPost = {
  readonly id: string
  /** The post that it already is, where the plan says so. */
  readonly postId: string | null
  /** What it is created with as a whole. */
  readonly ofPost: Pick<PostPlan, PostFieldName>
  readonly targets: readonly PlannedTarget[]
  /** Whether nothing is wrong with it. */
  readonly isSound: boolean
  /** Where a field of it stands. */
  readonly placeOf: (path: readonly (string | number)[]) => Place
}

export type ReadPlan = {
  readonly plan: string
  readonly posts: readonly PlannedPost[]
  readonly faults: readonly Fault[]
}

type RawMedia = string | { file?: string; url?: string; mediaId?: string; alt?: string }
type RawContent = {
  text?: string
  media?: RawMedia[]
  thread?: (string | { text: string; media?: RawMedia[] })[]
  /** Of the other fields, by their keys. */
  [key: string]: unknown
}
type RawPost = RawContent & {
  id: string
  postId?: string
  channels?: string[]
  publishAt?: string
  timeZone?: string
  perChannel?: Record<string, RawContent & { publishAt?: string }>
}
type RawPlan = { plan: string; timeZone?: string; channels?: string[]; posts?: RawPost[] }

/** What the workspace has that a plan names. */
export type Known = {
  readonly channels: readonly NamedChannel[]
  readonly timeZone: string
  /** The file of a name beside the plan; or why there is none to take. */
  readonly findFile: (folder: string, name: string) => { readonly path: string } | { readonly fault: string }
}

/** Reads a plan, and says all that is wrong with it: nothing of it is to be done then. */
export function readPlan({ plan: head, posts: others, faults: unread }: Sources, known: Known): ReadPlan {
  if (unread.length > 0) return { plan: '', posts: [], faults: unread }
  const misshapen = [
    ...shapeFaults(head.value, planSchema).map(({ path, message }) => ({ ...head.placeOf(path), message })),
    ...others.flatMap((source) =>
      shapeFaults(source.value, postSchema).map(({ path, message }) => ({
        ...source.placeOf(path),
        message,
      })),
    ),
  ]
  if (misshapen.length > 0) return { plan: '', posts: [], faults: misshapen }
  const raw = head.value as RawPlan
  const sources = [
    ...(raw.posts ?? []).map((value, index) => ({ value, source: within(head, ['posts', index]) })),
    ...others.map((source) => ({ value: source.value as RawPost, source })),
  ]
  const faults: Fault[] = []
  checkZone(raw.timeZone, head, faults)
  const posts = sources.map(({ value, source }) => readPost(value, source, raw, known, faults))
  return { plan: raw.plan, posts, faults: faults.concat(repeatedIds(posts)) }
}

function checkZone(zone: string | undefined, { placeOf }: Source, faults: Fault[]): void {
  if (zone === undefined || isZone(zone)) return
  const message = `There is no time zone ${zone}. Use a name such as Europe/Berlin.`
  faults.push({ ...placeOf(['timeZone']), message })
}

function within(source: Source, start: readonly (string | number)[]): Source {
  return { ...source, placeOf: (path) => source.placeOf([...start, ...path]) }
}

function repeatedIds(posts: readonly PlannedPost[]): Fault[] {
  const seen = new Map<string, Place>()
  return posts.flatMap(({ id, placeOf }) => {
    const [first, place] = [seen.get(id), placeOf(['id'])]
    seen.set(id, first ?? place)
    return first === undefined
      ? []
      : [
          {
            ...place,
            message: `The ID ${id} is also used at ${first.file}:${first.line}. Give each post its own.`,
          },
        ]
  })
}

function readPost(raw: RawPost, source: Source, head: RawPlan, known: Known, faults: Fault[]): PlannedPost {
  const { placeOf } = source
  const before = faults.length
  const fault = (path: readonly (string | number)[], message: string) =>
    void faults.push({ ...placeOf(path), message })
  const reading = { findFile: known.findFile, fault }
  const names = raw.channels ?? head.channels ?? []
  if (names.length === 0)
    fault([], `${raw.id} has no channels. Give it \`channels\`, or set \`channels\` for all posts.`)
  const zone = raw.timeZone ?? head.timeZone ?? known.timeZone
  checkZone(raw.timeZone, source, faults)
  const named = names.map((name, index) => {
    const found = findChannels(known.channels, name)
    if (!('fault' in found)) return { name, ...found }
    fault(raw.channels === undefined ? [] : ['channels', index], found.fault)
    return { name, id: null, channels: [] }
  })
  const repeated = named.findIndex(
    ({ id }, index) => id !== null && named.findIndex((other) => other.id === id) < index,
  )
  if (repeated >= 0) fault(['channels', repeated], `${names[repeated]} appears twice.`)
  // A group stands for the channels that it has now. One that is named itself is called as it is there, and one in two groups is one.
  const placed = new Map<string, Pick<PlannedTarget, 'channelId' | 'name' | 'place'>>()
  for (const [place, { name, id, channels }] of named.entries()) {
    for (const channel of channels) {
      const { channelId } = channel
      if (id === channelId) placed.set(channelId, { channelId, name, place })
      else if (!placed.has(channelId)) placed.set(channelId, { channelId, name: channelName(channel), place })
    }
  }
  const own = new Map(
    Object.entries(raw.perChannel ?? {}).map(([name, value]) => {
      const found = findChannel(known.channels, name)
      const channelId = 'fault' in found ? null : found.channelId
      if ('fault' in found) fault(['perChannel', name], found.fault)
      else if (!placed.has(found.channelId))
        fault(['perChannel', name], `${name} is not one of the channels of ${raw.id}.`)
      return [channelId, { name, value }]
    }),
  )
  const at = readTime(raw.publishAt, zone, (message) => fault(['publishAt'], message))
  const shared = readParts(raw, source, [], reading)
  const targets = [...placed.values()].map((target): PlannedTarget => {
    const mine = own.get(target.channelId)
    const path = mine === undefined ? [] : ['perChannel', mine.name]
    const ownParts =
      mine === undefined ? [] : readParts({ ...raw, ...mine.value }, source, path, reading, mine.value)
    return {
      ...target,
      parts: mine === undefined ? shared : ownParts,
      beside: pickFields(besideNames, (name) => {
        const { key } = fieldRows[name].plan
        return fromPlan(name, mine?.value[key] ?? raw[key])
      }),
      ofChannel: pickFields(channelNames, (name) => mine?.value[fieldRows[name].plan.key] ?? undefined),
      at:
        mine?.value.publishAt === undefined
          ? at
          : readTime(mine.value.publishAt, zone, (message) => fault([...path, 'publishAt'], message)),
    }
  })
  const times = targets.map((target) => target.at)
  // Of a post that is there already, some channels may be scheduled and others not.
  const isNew = raw.postId === undefined
  if (isNew && times.some((time) => time === null) && times.some((time) => time !== null)) {
    fault(['publishAt'], 'Some channels have a time and others have none. Give all of them a time, or none.')
  }
  if (raw.postId !== undefined && !isId(raw.postId)) fault(['postId'], `${raw.postId} is not a post ID.`)
  const { id, postId = null } = raw
  const ofPost = pickFields(postFieldNames, (name) =>
    fromPlan(name, raw[fieldRows[name].plan.key]),
  ) as PlannedPost['ofPost']
  return { id, postId, ofPost, targets, placeOf, isSound: faults.length === before && isZone(zone) }
}

type Reading = Pick<Known, 'findFile'> & {
  readonly fault: (path: readonly (string | number)[], message: string) => void
}

function readParts(
  { text = '', media = [], thread = [] }: RawContent,
  source: Source,
  path: readonly (string | number)[],
  reading: Reading,
  own: Pick<RawContent, 'text' | 'media' | 'thread'> = { text, media, thread },
): PlannedPart[] {
  const placeIn = (name: 'text' | 'media' | 'thread') => (own[name] === undefined ? [name] : [...path, name])
  const first = { text, media: readMedia(media, source, placeIn('media'), reading) }
  if (text.trim() === '' && media.length === 0)
    reading.fault(placeIn('text'), 'This post is empty. Give it `text` or `media`.')
  return [
    first,
    ...thread.map((part, index) => {
      const place = [...placeIn('thread'), index]
      return typeof part === 'string'
        ? { text: part, media: [] }
        : { text: part.text, media: readMedia(part.media ?? [], source, [...place, 'media'], reading) }
    }),
  ]
}

function readMedia(
  media: readonly RawMedia[],
  { folder, placeOf }: Source,
  path: readonly (string | number)[],
  { findFile, fault }: Reading,
): PlannedMedia[] {
  return media.flatMap((raw, index): PlannedMedia[] => {
    const at = [...path, index]
    const given = typeof raw === 'string' ? fromText(raw) : raw
    const common = { alt: given.alt ?? null, place: placeOf(at) }
    const named = [given.file, given.url, given.mediaId].filter((each) => each !== undefined)
    if (named.length !== 1) {
      fault(at, 'Give exactly one of `file`, `url` and `mediaId`.')
      return []
    }
    if (given.url !== undefined) return [{ ...common, is: 'url', url: given.url }]
    if (given.mediaId !== undefined) {
      if (isId(given.mediaId)) return [{ ...common, is: 'item', mediaId: given.mediaId }]
      fault(at, `${given.mediaId} is not a media ID.`)
      return []
    }
    const file = findFile(folder, given.file ?? '')
    if ('path' in file) return [{ ...common, is: 'file', path: file.path }]
    fault(at, file.fault)
    return []
  })
}

function fromText(text: string): Exclude<RawMedia, string> {
  if (isId(text)) return { mediaId: text }
  return text.startsWith('https://') ? { url: text } : { file: text }
}

const LOCAL = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/

function readTime(
  text: string | undefined,
  zone: string,
  fault: (message: string) => void,
): PlannedTime | null {
  if (text === undefined) return null
  if (text === 'next' || text === 'first') return text
  if (/(?:Z|[+-]\d{2}:\d{2})$/i.test(text)) {
    const instant = Date.parse(text)
    if (Number.isNaN(instant)) fault(`${text} is not a time. Write it as 2027-01-10T09:00+01:00.`)
    return instant
  }
  const local = text.replace(' ', 'T')
  if (!LOCAL.test(text) || Number.isNaN(Date.parse(`${local}Z`))) {
    fault(`${text} is not a time. Write it as 2027-01-10T09:00, or with an offset as 2027-01-10T09:00+01:00.`)
    return Number.NaN
  }
  if (!isZone(zone)) return Number.NaN
  const instants = instantsOf(local, zone)
  const [only] = instants
  if (only !== undefined && instants.length === 1) return only
  const choices = (instants.length === 0 ? instantsBeside(local, zone) : instants)
    .map((each) => new Date(each).toISOString())
    .join(' or ')
  fault(
    instants.length === 0
      ? `${text} does not exist in ${zone}, because clocks go forward. Write ${choices}.`
      : `${text} exists twice in ${zone}, because clocks go back. Write ${choices}.`,
  )
  return Number.NaN
}
