import { accountPath } from './accounts.ts'

export type Post = {
  id: number
  accountId: string
  handle: string
  displayName: string
  text: string
  inReplyTo: number | null
  mediaIds: readonly string[]
  createdAtMs: number
  visibleAtMs: number
  fails: boolean
}

export type PostStatus = 'processing' | 'published' | 'failed'

/** Where a post stands at a moment. Only a published one is public. */
export function statusOf(post: Pick<Post, 'visibleAtMs' | 'fails'>, nowMs: number): PostStatus {
  if (nowMs < post.visibleAtMs) return 'processing'
  return post.fails ? 'failed' : 'published'
}

/** The path of a post's public page. */
export function postPath(post: Pick<Post, 'id' | 'handle'>): string {
  return `${accountPath(post.handle)}/${post.id}`
}

/** The number in a post id from outside; null when it cannot be one. */
export function parsePostId(text: string): number | null {
  return /^[1-9][0-9]{15}$/.test(text) ? Number(text) : null
}

/** The answers to a post, each followed at once by its own answers. Keeps the given order among siblings. */
export function inThreadOrder(rootId: number, descendants: readonly Post[]): Post[] {
  const byParent = Map.groupBy(descendants, ({ inReplyTo }) => inReplyTo)
  const ordered: Post[] = []
  const waiting = (byParent.get(rootId) ?? []).toReversed()
  for (let post = waiting.pop(); post !== undefined; post = waiting.pop()) {
    ordered.push(post)
    waiting.push(...(byParent.get(post.id) ?? []).toReversed())
  }
  return ordered
}

/** A published post as the API shows it. */
export function viewPost(post: Post, baseUrl: string) {
  return {
    id: String(post.id),
    status: 'published',
    url: `${baseUrl}${postPath(post)}`,
    text: post.text,
    inReplyTo: post.inReplyTo === null ? null : String(post.inReplyTo),
    mediaIds: post.mediaIds,
    createdAt: new Date(post.createdAtMs).toISOString(),
    account: { id: post.accountId, handle: post.handle },
  }
}
