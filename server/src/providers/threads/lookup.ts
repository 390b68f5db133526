import Type, { type Static } from 'typebox'
import { isAhead, isWebAddress, readBody } from '../answers.ts'
import { mayBeSameText } from '../compare-words.ts'
import type { AddressWork, LookupResult, LookupWork, Origins } from '../port.ts'
import { call, type Procedure, type Steps } from '../procedure.ts'
import { unavailable, unreadable } from '../verdicts.ts'
import { read, refusalOf } from './answers.ts'
import { threadsAuthorization, type ThreadsAuthorization } from './authorization.ts'
import { containerOf, readContainer } from './posting.ts'

/** https://developers.facebook.com/documentation/threads/reference/media-retrieval */
const Media = Type.Object({
  id: Type.String({ pattern: '^[0-9]+$' }),
  permalink: Type.Optional(Type.String()),
})
const Listed = Type.Object({
  ...Media.properties,
  text: Type.Optional(Type.String()),
  timestamp: Type.String(),
  replied_to: Type.Optional(Type.Object({ id: Type.String() })),
})
const Page = Type.Object({ data: Type.Array(Listed) })

/** How far the clocks of Threads and of the database may be apart. */
const CLOCKS_MS = 10 * 60_000
const PAGE = '100'

/** Asks the container of the call what became of it, and of one that was published, which post it is. */
export function lookupAt({ api }: Origins): Procedure<LookupWork, LookupResult> {
  return function* lookup(work) {
    const access = threadsAuthorization(work.authorization)
    const shown = yield* readContainer(api, access, containerOf(work))
    if ('response' in shown) return unreadable(shown.response, refusalOf(shown.response))
    return shown.status === 'PUBLISHED'
      ? yield* findPost(api, access, work)
      : { is: 'absent', seen: 'by key', keepsKeys: false }
  }
}

/**
 * The container does not name its post, so it is found among the profile's own by its words and its place. That it is out is proven;
 * which one it is, only where a single one can be it.
 */
function* findPost(
  api: string,
  access: ThreadsAuthorization,
  { text, parent, armedAt, now, knownRemoteIds }: LookupWork,
): Steps<LookupResult> {
  const list = parent === null ? 'threads' : 'replies'
  const fields = 'id,permalink,text,timestamp,replied_to'
  const query = { fields, limit: PAGE }
  const response = yield* call(read(api, access, `${access.userId}/${list}`, query))
  const page = readBody(response, Page)
  if (page === null) return unreadable(response, refusalOf(response))
  if (isAhead(now, response, CLOCKS_MS)) return unavailable('The clock of the database is ahead of Threads.')
  const since = armedAt.getTime() - CLOCKS_MS
  const candidates = page.data.filter(
    (post) =>
      !knownRemoteIds.includes(post.id) &&
      !(Date.parse(post.timestamp) < since) &&
      (parent === null || post.replied_to?.id === parent.remoteId),
  )
  const same = candidates.filter((post) => saysSame(post, text))
  const found = same.at(-1) ?? candidates.findLast((post) => mayBeSameText(post.text ?? '', text))
  if (found === undefined) return unavailable('Threads says that it is published, and does not list it yet.')
  return { is: 'found', remoteId: found.id, url: addressOf(found), exact: same.length === 1 }
}

function saysSame({ text = '' }: Static<typeof Listed>, meant: string): boolean {
  const plain = (one: string) => one.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
  return plain(text) === plain(meant)
}

function addressOf({ permalink = '' }: Static<typeof Media>): string | null {
  return isWebAddress(permalink) ? permalink : null
}

/** Where a post that was published is seen: the answer to the call has its id alone. */
export function addressAt({ api }: Origins): Procedure<AddressWork, string | null> {
  return function* findAddress({ authorization, remoteId }) {
    const access = threadsAuthorization(authorization)
    const response = yield* call(read(api, access, remoteId, { fields: 'id,permalink' }))
    const media = readBody(response, Media)
    return media?.id === remoteId ? addressOf(media) : null
  }
}
