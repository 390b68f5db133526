import { attentionPostsMax, type NoticeKind, toLine } from '@postrider/contract/names'

/** What was there at a look. */
export type Seen = {
  readonly keys: ReadonlySet<string>
  /** Posts from before that were left out of a full list: they come up as others are solved, and are not new. Empty for none. */
  readonly leftOutBefore: string
}

type Matter = { readonly key: string; readonly kind: NoticeKind; readonly since: string }

/** `posts`: the list of the server, the latest first, whatever of it is told. */
export function seen(matters: readonly Matter[], posts: readonly { readonly since: string }[]): Seen {
  return {
    keys: new Set(matters.map(({ key }) => key)),
    leftOutBefore: posts.length < attentionPostsMax ? '' : (posts.at(-1)?.since ?? ''),
  }
}

export function newSince<M extends Matter>(matters: readonly M[], { keys, leftOutBefore }: Seen): M[] {
  const isPost = ({ kind }: Matter) => kind === 'posts_failed' || kind === 'posts_checking'
  return matters.filter(
    (matter) => !keys.has(matter.key) && !(isPost(matter) && matter.since < leftOutBefore),
  )
}

const EXCERPT = 100

/** The beginning of a text as one line, whole characters only, with no mark that turns the direction of what follows. */
export function excerptOf(text: string): string {
  const line = toLine(text.replaceAll(/[\u061c\u200e\u200f]/g, ''))
  const characters = Array.from(line)
  return characters.length <= EXCERPT ? line : `${characters.slice(0, EXCERPT - 1).join('')}…`
}
