import { stringify } from 'yaml'
import type { Content } from '../content.ts'
import {
  besideNames,
  channelNames,
  contentNames,
  type FieldName,
  type PostFieldName,
  fieldRows,
  isNone,
  postFieldNames,
  toPlan,
} from '../content-fields.ts'
import type { Post } from '../posts.ts'
import { channelName, type NamedChannel } from './channel-names.ts'
import { readReference } from './references.ts'

/** What of a post stands in a file. */
export type WrittenPost = Pick<Post, PostFieldName | 'postId' | 'reference' | 'content' | 'media'> & {
  readonly destinations: readonly WrittenDestination[]
}

type WrittenDestination = Post['destinations'][number] & {
  /** Of the network; a post that is read over the API has none. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** A name of each channel that means no other. */
export function namesOf(channels: readonly NamedChannel[]): (channelId: string) => string {
  const names = new Map(channels.map((channel) => [channel.channelId, channelName(channel)]))
  const shared = new Set([...names.values()].filter((name, place, all) => all.indexOf(name) !== place))
  return (channelId) => {
    const name = names.get(channelId)
    return name === undefined || shared.has(name) ? channelId : name
  }
}

/** A plan as YAML. */
export function planText(written: object): string {
  return stringify(written, { lineWidth: 0 })
}

/** Posts as a plan that changes nothing when it is applied. */
export function writePlan(
  posts: readonly WrittenPost[],
  { plan, timeZone, channels }: { plan: string; timeZone: string; channels: readonly NamedChannel[] },
): object {
  const nameOf = namesOf(channels)
  return { plan, timeZone, posts: posts.map((post) => writtenPost(post, plan, nameOf)) }
}

const UNDECIDED: readonly string[] = ['draft', 'scheduled']

function writtenPost(post: WrittenPost, plan: string, nameOf: (channelId: string) => string) {
  const own = post.reference === null ? null : readReference(plan, post.reference)
  const planned = post.destinations.filter(({ status }) => status !== 'cancelled')
  const alive = planned.length === 0 ? post.destinations : planned
  const results = post.destinations.filter(({ status }) => !UNDECIDED.includes(status))
  const [first] = alive
  // One without a time would take that of all.
  const isTimed = alive.every(({ publishAt }) => publishAt !== null)
  const isOneTime = alive.every(({ publishAt }) => publishAt === first?.publishAt)
  const shared = post.content ?? first?.content ?? null
  const differing = alive.filter(({ content }) => (content ?? shared) !== shared)
  const ofChannel = (each: WrittenDestination) => written(channelNames, each)
  const perChannel = alive
    .filter((each) => differing.includes(each) || !isOneTime || Object.keys(ofChannel(each)).length > 0)
    .map((each) => [
      nameOf(each.channelId),
      {
        ...(differing.includes(each) && each.content !== null
          ? { ...emptied(shared), ...writtenContent(each.content, post) }
          : {}),
        ...ofChannel(each),
        ...(isOneTime || each.publishAt === null ? {} : { publishAt: each.publishAt }),
      },
    ])
  return {
    // What is not of this plan is named by what it already is, so that it is never created again.
    ...(own === null ? { id: `post-${post.postId}`, postId: post.postId } : { id: own.id }),
    channels: alive.map(({ channelId }) => nameOf(channelId)),
    ...(isTimed && first !== undefined && first.publishAt !== null ? { publishAt: first.publishAt } : {}),
    ...written(postFieldNames, post),
    ...(shared === null ? {} : writtenContent(shared, post)),
    ...(perChannel.length === 0 ? {} : { perChannel: Object.fromEntries(perChannel) as object }),
    ...(results.length === 0
      ? {}
      : {
          results: results.map(({ channelId, status, publishedAt, releaseUrl, error }) => ({
            channel: nameOf(channelId),
            status,
            ...(publishedAt === null ? {} : { publishedAt }),
            ...(releaseUrl === null ? {} : { releaseUrl }),
            ...(error === null ? {} : { error: error.message }),
          })),
        }),
  }
}

/** What a channel of a post has not, unless it says so itself. */
function emptied(shared: Content | null) {
  const names = contentNames.filter(
    (name) => name === 'mediaIds' || name === 'thread' || shared?.[name] !== undefined,
  )
  return Object.fromEntries(names.map((name) => [fieldRows[name].plan.key, toPlan(name, undefined)]))
}

/** Fields as a plan writes them, without those of which there is none. */
function written(
  names: readonly FieldName[],
  of: Readonly<Partial<Record<FieldName, unknown>>>,
): Record<string, unknown> {
  const said = names.filter((name) => !isNone(name, of[name]))
  return Object.fromEntries(said.map((name) => [fieldRows[name].plan.key, toPlan(name, of[name])]))
}

function writtenContent(content: Content, post: WrittenPost) {
  const { text, mediaIds = [], thread = [] } = content
  const media = (ids: readonly string[]) =>
    ids.length === 0
      ? {}
      : {
          media: ids.map((mediaId) => {
            const alt = post.media.find((item) => item.mediaId === mediaId)?.altText ?? null
            return { mediaId, ...(alt === null ? {} : { alt }) }
          }),
        }
  return {
    text,
    ...media(mediaIds),
    ...(thread.length === 0
      ? {}
      : { thread: thread.map((part) => ({ text: part.text, ...media(part.mediaIds ?? []) })) }),
    ...written(besideNames, content),
  }
}
