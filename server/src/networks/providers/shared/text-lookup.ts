import { mayBeSameText } from './compare-words.ts'
import type { ListShows, LookupResult, LookupWork } from '../port/port.ts'
import { unavailable } from '../port/verdicts.ts'

/** One of an account's posts, as its list shows it. */
export type ListedPost = {
  readonly remoteId: string
  /** Its text as its author wrote it. */
  readonly text: string
  readonly mediaIds: readonly string[]
  /** Whether it stands where the part was meant to. */
  readonly inPlace: boolean
  readonly wasEdited: boolean
}

/** The posts since before a call; `complete` says that there are no more. */
export type Since<Post> = { readonly posts: readonly Post[]; readonly complete: boolean }

/**
 * Looks for a part among the posts since before its call. An upload is in one post only, so a post with our media
 * (`ours`) is ours, exactly; one without is recognised by its text and its place. "Absent" is said only when every post
 * since then is certainly another one. `canonical` is what the network leaves of a text.
 */
export function recognise(
  { posts, complete }: Since<ListedPost>,
  { text, knownRemoteIds }: Pick<LookupWork, 'text' | 'knownRemoteIds'>,
  {
    ours,
    canonical,
    addressOf,
    shows,
  }: {
    readonly ours: readonly string[]
    readonly canonical: (text: string) => string
    readonly addressOf: (remoteId: string) => string | null
    readonly shows: ListShows
  },
): LookupResult {
  const candidates = posts.filter(({ remoteId }) => !knownRemoteIds.includes(remoteId))
  const hasOurs = ({ mediaIds }: ListedPost) =>
    mediaIds.length === ours.length && ours.every((id) => mediaIds.includes(id))
  const saysIt = (post: ListedPost) => canonical(post.text) === canonical(text)
  const sure = ours.length > 0
  const found = candidates.find((post) => hasOurs(post) && (sure || (post.inPlace && saysIt(post))))
  if (found !== undefined) {
    const { remoteId } = found
    return { is: 'found', remoteId, url: addressOf(remoteId), exact: sure }
  }
  if (candidates.some(({ wasEdited }) => wasEdited)) {
    return unavailable("A post that was edited since then can't be compared.")
  }
  if (candidates.some((post) => saysIt(post) || mayBeSameText(post.text, text))) {
    return unavailable(
      'A post is there that may be this one, with another text, other media or another place.',
    )
  }
  return complete
    ? { is: 'absent', seen: shows, keepsKeys: false }
    : unavailable('Too many posts have been made since the call.')
}
