import type { PostSummary } from '@postrider/sdk'
import { channelCell, channelsForNames, placeOption } from '../channels.ts'
import { type Context, textOf } from '../command.ts'
import { givenOf, readWhole } from '../fields.ts'
import { excerpt, table, timeCell } from '../terminal.ts'

const LIMIT = 20
const LARGEST_PAGE = 100

/** `postrider list` */
export async function run(context: Context): Promise<void> {
  const { values, signal } = context
  const client = context.client()
  const limit = textOf(values, 'limit') === undefined ? LIMIT : readWhole('--limit', String(values['limit']))
  const channelId = await placeOption(context, client)
  const query = {
    ...givenOf('listPosts', values, ['limit', 'channelId', 'cursor']),
    ...(channelId === undefined ? {} : { channelId }),
    limit: Math.min(limit, LARGEST_PAGE),
  }
  const naming = channelsForNames(context, client)
  const posts: PostSummary[] = []
  for await (const post of client.posts.list(query, { signal })) {
    if (posts.push(post) === limit) break
  }
  const channels = await naming
  const rows = posts.flatMap((post) => post.destinations.map((destination) => ({ post, destination })))
  const text = table(
    {
      POST: ({ post }) => post.postId,
      STATUS: ({ destination }) => destination.status,
      TIME: ({ destination }) => timeCell(destination.publishAt),
      CHANNEL: ({ destination }) => channelCell(channels, destination),
      TEXT: ({ post }) => excerpt(post.text),
    },
    rows,
  )
  context.answer(posts, posts.length === 0 ? 'No posts.' : text)
}
