import {
  type Answer,
  channelNames,
  besideNames,
  type exportPosts as operation,
  type FieldName,
  fieldRows,
  type Input,
  MOST_IMPORTED,
  type Post,
  postFieldNames,
} from '@postrider/contract'
import { namesOf, type NamedChannel, planText, writePlan, type WrittenPost } from '@postrider/contract/plan'
import { allChannels } from '../../networks/channels/channel-store.ts'
import { listPosts } from '../listing/list-posts.ts'
import { findWorkspace } from '../../people/members/workspace-store.ts'
import { actorOf } from '../../edge/operations/actor.ts'
import type { Cursors } from '../../edge/operations/cursor.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { findPosts } from '../posts/post-store.ts'
import { type ViewOptions, viewPost } from '../posts/views.ts'
import { cellOf, cellOfLists, cellOfNames, cellOfParts, cellOfValue } from './csv-cells.ts'
import { columns, resultColumns } from './read-csv.ts'

type PostWithRows = Awaited<ReturnType<typeof findPosts>>[number]
type ExportedPost = Omit<Post, 'destinations'> & Pick<WrittenPost, 'destinations'>

type Query = Input<typeof operation>['query']

const PAGE = 100
/** No more than one import takes: a page of posts is held in memory beside it. */
const MOST_CHARACTERS = 6_000_000

/** Posts as a file. Oldest first, as people read plans. */
export async function exportPosts(
  db: Db,
  caller: Caller,
  { format, plan = 'exported', ...filters }: Query,
  { cursors, ...options }: ViewOptions & { readonly cursors: Cursors },
): Promise<Answer<typeof operation> | Refusal<'validation_failed' | 'search_too_broad'>> {
  const { workspaceId, credential } = caller
  const found: ExportedPost[] = []
  let characters = 0
  for (let cursor: string | undefined; ;) {
    const query = { ...filters, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
    const page = await listPosts(db, workspaceId, query, cursors, credential.limits)
    if (isRefusal(page))
      return page.refused === 'invalid_cursor' ? tooMany() : { ...page, refused: page.refused }
    const posts = await findPosts(
      db,
      workspaceId,
      page.items.map(({ postId }) => postId),
    )
    found.push(...posts.map((post) => withSettings(viewPost(post, actorOf(caller), options), post)))
    if (found.length > MOST_IMPORTED) return tooMany()
    characters += found
      .slice(-posts.length)
      .reduce(
        (sum, { content, destinations }) =>
          sum +
          lengthOf(content) +
          destinations.reduce(
            (own, each) => own + lengthOf(each.content ?? (format === 'csv' ? content : null)),
            0,
          ),
        0,
      )
    if (characters > MOST_CHARACTERS) return tooMuch()
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  const posts = found.toReversed()
  const [channels, workspace] = await Promise.all([
    allChannels(db, workspaceId),
    findWorkspace(db, workspaceId),
  ])
  const named = channels.map((channel) => ({ ...channel, groups: [] }))
  if (format === 'csv') return { posts: posts.length, file: writeCsv(posts, named) }
  const written = writePlan(posts, { plan, timeZone: workspace?.timeZone ?? 'UTC', channels: named })
  const file = format === 'json' ? `${JSON.stringify(written, null, 2)}\n` : planText(written)
  return { posts: posts.length, file }
}

/** What the API does not show of a post, and a file has to say to make the same again. */
function withSettings(post: Post, { destinations }: PostWithRows): ExportedPost {
  const settings = new Map(destinations.map((each) => [each.channelId, each.settings]))
  return {
    ...post,
    destinations: post.destinations.map((each) => ({
      ...each,
      settings: settings.get(each.channelId) ?? {},
    })),
  }
}

function lengthOf(content: Post['content']): number {
  return content === null ? 0 : JSON.stringify(content).length
}

function tooMuch(): Refusal<'search_too_broad'> {
  return refuse(
    'search_too_broad',
    'The texts of these posts are too long for one file. Shorten the time between `from` and `to`, or add a filter.',
  )
}

function tooMany(): Refusal<'search_too_broad'> {
  return refuse(
    'search_too_broad',
    `A file holds ${MOST_IMPORTED} posts. Shorten the time between \`from\` and \`to\`, or add a filter.`,
  )
}

type Row = Readonly<Record<string, string>>

/** With a byte order mark, by which Excel knows UTF-8, and lines that end as RFC 4180 has them. */
function writeCsv(posts: readonly ExportedPost[], channels: readonly NamedChannel[]): string {
  const head = [...columns, ...resultColumns]
  const nameOf = namesOf(channels)
  const rows = posts.flatMap((post) => rowsOf(post, nameOf))
  const lines = [head.join(','), ...rows.map((row) => head.map((name) => cellOf(row[name] ?? '')).join(','))]
  return `\ufeff${lines.join('\r\n')}\r\n`
}

/** A row for each channel, with what it got. */
function rowsOf(post: ExportedPost, nameOf: (channelId: string) => string): Row[] {
  const { postId, reviewStatus, media } = post
  return post.destinations.map((destination) => {
    const { channelId, status, publishAt, publishedAt, releaseUrl, error } = destination
    const content = destination.content ?? post.content ?? { text: '' }
    const { text, mediaIds = [], thread = [] } = content
    const altOf = (id: string) => media.find(({ mediaId }) => mediaId === id)?.altText ?? ''
    const files = [mediaIds, ...thread.map((part) => part.mediaIds ?? [])]
    return {
      text,
      ...cellsOf(besideNames, content),
      ...cellsOf(channelNames, destination),
      ...cellsOf(postFieldNames, post),
      id: `post-${postId}`,
      postId,
      thread: cellOfParts(thread.map(({ text }) => text)),
      channels: cellOfNames([nameOf(channelId)]),
      publishAt: publishAt ?? '',
      timeZone: '',
      media: cellOfLists(files),
      alt: cellOfLists(files.map((ids) => ids.map(altOf))),
      status,
      reviewStatus,
      publishedAt: publishedAt ?? '',
      releaseUrl: releaseUrl ?? '',
      error: error?.message ?? '',
    }
  })
}

/** The cells of these fields, by the keys of plans. */
function cellsOf(
  names: readonly FieldName[],
  of: Readonly<Partial<Record<FieldName, unknown>>>,
): Record<string, string> {
  return Object.fromEntries(names.map((name) => [fieldRows[name].plan.key, cellOfValue(name, of[name])]))
}
