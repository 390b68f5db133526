import type { Channel, Content, Post } from '@postrider/sdk'
import { stringify } from 'yaml'
import { channelName, readReference } from '@postrider/contract/plan'
import { type Context, textOf } from '../command.ts'
import { usageError } from '../exits.ts'

const LARGEST_PAGE = 100

/** `postrider export`: what is planned, as a file that changes nothing when it is applied. */
export async function run({ values, json, client, address, signal }: Context): Promise<void> {
  const plan = textOf(values, 'plan') ?? 'exported'
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/.test(plan))
    throw usageError(`--plan ${plan} is letters, digits, dots, dashes and underscores.`)
  const api = client()
  const [channels, { workspace }] = await Promise.all([api.channels({ signal }), api.me({ signal })])
  const [from, to] = [textOf(values, 'from') ?? new Date().toISOString(), textOf(values, 'to')]
  const query = {
    status: 'scheduled',
    from,
    limit: LARGEST_PAGE,
    ...(to === undefined ? {} : { to }),
  } as const
  const posts: Post[] = []
  for await (const { postId } of api.posts.list(query, { signal }))
    posts.push(await api.posts.read(postId, { signal }))
  const written = {
    plan,
    timeZone: workspace.timeZone,
    posts: posts.toReversed().map((post) => writtenPost(post, plan, channels)),
  }
  // With it, an editor checks the file while it is written.
  const schema = `# yaml-language-server: $schema=${address().replace(/\/$/, '')}/docs/plan.schema.json\n`
  process.stdout.write(
    json ? `${JSON.stringify(written, null, 2)}\n` : schema + stringify(written, { lineWidth: 0 }),
  )
}

function writtenPost(post: Post, plan: string, channels: readonly Channel[]) {
  const own = post.reference === null ? null : readReference(plan, post.reference)
  const alive = post.destinations.filter(({ status }) => status !== 'cancelled')
  const nameOf = (channelId: string) => {
    const channel = channels.find((each) => each.channelId === channelId)
    const isOnly =
      channels.filter((each) => channel !== undefined && channelName(each) === channelName(channel))
        .length === 1
    return channel === undefined || !isOnly ? channelId : channelName(channel)
  }
  const [first] = alive
  const isOneTime = alive.every(({ publishAt }) => publishAt === first?.publishAt)
  const shared = post.content ?? first?.content ?? null
  const differing = alive.filter(({ content }) => (content ?? shared) !== shared)
  const perChannel = alive
    .filter((each) => differing.includes(each) || !isOneTime)
    .map((each) => [
      nameOf(each.channelId),
      {
        ...(differing.includes(each) && each.content !== null
          ? { media: [], thread: [], ...writtenContent(each.content, post) }
          : {}),
        ...(isOneTime || each.publishAt === null ? {} : { publishAt: each.publishAt }),
      },
    ])
  return {
    // What is not of this plan is named by what it already is, so that it is never created again.
    ...(own === null ? { id: `post-${post.postId}`, postId: post.postId } : { id: own.id }),
    channels: alive.map(({ channelId }) => nameOf(channelId)),
    ...(first?.publishAt === null || first === undefined ? {} : { publishAt: first.publishAt }),
    ...(shared === null ? {} : writtenContent(shared, post)),
    ...(perChannel.length === 0 ? {} : { perChannel: Object.fromEntries(perChannel) as object }),
  }
}

function writtenContent({ text, mediaIds = [], thread = [] }: Content, post: Post) {
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
  }
}
