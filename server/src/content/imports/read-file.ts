import {
  besideNames,
  channelNames,
  contentNames,
  type FieldName,
  fieldRows,
  postFieldNames,
  toPlan,
} from '@postrider/contract/names'
import {
  type Fault,
  inOrder,
  parseText,
  type Place,
  type PlannedPost,
  type PlannedTarget,
  readPlan,
  type Source,
  type Sources,
} from '@postrider/contract/plan'
import { csvPlan } from './csv-plan.ts'
import {
  type FileJob,
  type FileRead,
  type FileRefused,
  MOST_FAULTS,
  nearestPlace,
  type Path,
  type ToldPlace,
  type ToldPost,
} from './told-file.ts'

/* Runs in a process of its own: whatever a file does to a parser, it does not do to the server. */

const MOST_MESSAGE_CHARACTERS = 500
/** Of what a post gives to all of its channels together. */
const MOST_POST_CHARACTERS = 1_000_000
const MOST_CHARACTERS = 40_000_000

/** Reads a file as a plan, with what is wrong in it. */
export function readFile(job: FileJob): FileRead | FileRefused {
  const sources = sourcesOf(job)
  const many = countPosts(sources)
  if (many > job.mostPosts) {
    const detail = `The file has ${many} posts. An import can have ${job.mostPosts}. Split the file.`
    return { code: 'too_many', detail }
  }
  const known = {
    channels: job.channels,
    timeZone: job.timeZone,
    findFile: (_: string, path: string) => ({ path }),
  }
  const { plan, posts, faults } = readPlan(sources, known)
  const told: string[] = []
  const tooLarge: Fault[] = []
  let characters = 0
  for (const post of posts) {
    const one = { ...post, isSound: post.isSound && charactersOf(post) <= MOST_POST_CHARACTERS }
    if (one.isSound !== post.isSound) tooLarge.push({ ...post.placeOf([]), message: TOO_LARGE })
    const text = JSON.stringify(one.isSound ? tell(one) : tell({ ...one, targets: [], ofPost: {} }))
    characters += text.length
    if (characters > MOST_CHARACTERS) return { code: 'too_large', detail: TOO_LARGE_FILE }
    told.push(text)
  }
  const ordered = inOrder(faults.concat(tooLarge))
  const named = ordered
    .slice(0, MOST_FAULTS)
    .map((fault) => ({ ...fault, message: shortened(fault.message) }))
  return { plan, posts: told, faults: named, faultCount: ordered.length }
}

const TOO_LARGE = 'This post is too large. Shorten its texts, or name fewer channels.'
const TOO_LARGE_FILE = 'The file says too much for all of its channels together. Split it into smaller files.'

function shortened(message: string): string {
  return message.length <= MOST_MESSAGE_CHARACTERS ? message : `${message.slice(0, MOST_MESSAGE_CHARACTERS)}…`
}

function sourcesOf({ format, file, name, channelIds }: FileJob): Sources {
  if (format === 'csv') return csvPlan(file, { name, channels: channelIds })
  const { source, faults } = parseText('file', file, '')
  return { plan: withChannels(source, channelIds), posts: [], faults }
}

function countPosts({ plan: { value }, posts }: Sources): number {
  const own = (value as { posts?: unknown } | null)?.posts
  return posts.length + (Array.isArray(own) ? own.length : 0)
}

/** A plan whose posts that name no channels go to these. */
function withChannels(source: Source, channelIds: readonly string[]): Source {
  const { value } = source
  if (channelIds.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return source
  return { ...source, value: { channels: [...channelIds], ...value } }
}

/** Counted before it is written: the same text for a hundred channels is written a hundred times. */
function charactersOf({ targets }: PlannedPost): number {
  let characters = 0
  for (const { parts, beside } of targets) {
    for (const name of besideNames)
      if (beside[name] !== undefined) characters += String(toPlan(name, beside[name])).length
    for (const { text, media } of parts)
      characters += text.length + media.reduce((sum, { alt }) => sum + (alt?.length ?? 0), 0)
  }
  return characters
}

/** With the place of all that a refusal may point to, where it is not that of what holds it. */
function tell({ placeOf, ...post }: PlannedPost): ToldPost {
  const places: ToldPlace[] = []
  const known = new Map<string, Place>()
  for (const path of pathsOf(post)) {
    const place = placeOf(path)
    if (isSame(place, nearestPlace(known, path))) continue
    known.set(JSON.stringify(path), place)
    places.push({ path, place })
  }
  return { ...post, places }
}

function isSame(one: Place, other: Place | null): boolean {
  return other !== null && one.line === other.line && one.column === other.column && one.cell === other.cell
}

const keyOf = (name: FieldName) => fieldRows[name].plan.key
const FIELDS = [
  'id',
  'postId',
  'publishAt',
  'timeZone',
  ...postFieldNames.map(keyOf),
  'channels',
  'perChannel',
]
const CONTENT = [...[...contentNames, ...channelNames].map(keyOf), 'publishAt']

/** Each behind what holds it. */
function* pathsOf({ targets, ofPost }: Pick<PlannedPost, 'targets' | 'ofPost'>): Iterable<Path> {
  yield []
  for (const field of FIELDS) yield [field]
  for (const name of postFieldNames) yield* pathsIn([keyOf(name)], ofPost[name])
  if (targets[0] !== undefined) yield* contentPaths([], targets[0])
  for (const target of targets) {
    yield ['channels', target.place]
    yield ['perChannel', target.name]
    yield* contentPaths(['perChannel', target.name], target)
  }
}

/** What a field has: items of a list by their numbers, others by their names. */
function* pathsIn(path: Path, value: unknown): Iterable<Path> {
  if (typeof value !== 'object' || value === null) return
  for (const name of Object.keys(value)) yield [...path, Array.isArray(value) ? Number(name) : name]
}

function* contentPaths(within: Path, { parts, ofChannel }: PlannedTarget): Iterable<Path> {
  for (const field of CONTENT) yield [...within, field]
  for (const name of channelNames) yield* pathsIn([...within, keyOf(name)], ofChannel[name])
  for (const [index, { media }] of parts.entries()) {
    const part = index === 0 ? within : [...within, 'thread', index - 1]
    if (index > 0) yield part
    for (const place of media.keys()) yield [...part, 'media', place]
  }
}
