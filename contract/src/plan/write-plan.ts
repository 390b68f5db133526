import { stringify } from 'yaml'
import type { Content } from '../content.ts'
import type { Post } from '../posts.ts'
import { channelName, type NamedChannel } from './channel-names.ts'
import { readReference } from './references.ts'

/** What of a post stands in a file. */
export type WrittenPost = Pick<Post, 'postId' | 'reference' | 'labels' | 'content' | 'media'> & {
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
  const hasSettings = ({ settings = {} }: WrittenDestination) => Object.keys(settings).length > 0
  const perChannel = alive
    .filter((each) => differing.includes(each) || !isOneTime || hasSettings(each))
    .map((each) => [
      nameOf(each.channelId),
      {
        ...(differing.includes(each) && each.content !== null
          ? { ...emptied(shared), ...writtenContent(each.content, post) }
          : {}),
        ...(hasSettings(each) ? { settings: each.settings } : {}),
        ...(isOneTime || each.publishAt === null ? {} : { publishAt: each.publishAt }),
      },
    ])
  return {
    // What is not of this plan is named by what it already is, so that it is never created again.
    ...(own === null ? { id: `post-${post.postId}`, postId: post.postId } : { id: own.id }),
    channels: alive.map(({ channelId }) => nameOf(channelId)),
    ...(isTimed && first !== undefined && first.publishAt !== null ? { publishAt: first.publishAt } : {}),
    ...(post.labels.length === 0 ? {} : { labels: post.labels }),
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
  return {
    media: [],
    thread: [],
    ...(shared?.firstComment === undefined ? {} : { firstComment: '' }),
    ...(shared?.tagLinks === undefined ? {} : { tagLinks: true }),
  }
}

function writtenContent(
  { text, mediaIds = [], thread = [], firstComment, tagLinks }: Content,
  post: WrittenPost,
) {
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
    ...(firstComment === undefined ? {} : { firstComment: firstComment.text }),
    ...(tagLinks === undefined ? {} : { tagLinks }),
  }
}
