import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isAhead, jsonOf } from '../answers.ts'
import { mayBeSameText } from '../compare-words.ts'
import type { HttpRequest, HttpResponse, ListShows, LookupResult, LookupWork, RemoteMedia } from '../port.ts'
import { call, type Procedure, type Steps } from '../procedure.ts'
import { withQuery } from '../query.ts'
import { refusalOf } from './answers.ts'
import { bearer, xGrant, type XGrant } from './grant.ts'
import { addressOf } from './publish.ts'
import { canonical, ShownText, shownText } from './shown-text.ts'
import type { XOrigins } from './x.ts'

/**
 * A post (https://docs.x.com/x-api/fundamentals/data-dictionary). The API's own description says `post` where its guides
 * and older versions say `tweet`: both are read.
 */
const Listed = Type.Object({
  id: Type.String({ minLength: 1 }),
  ...ShownText.properties,
  /** The first post of the thread; the post itself where it is that. */
  conversation_id: Type.String({ minLength: 1 }),
  attachments: Type.Optional(
    Type.Object({ media_keys: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])) }),
  ),
  edit_history_post_ids: Type.Optional(Type.Array(Type.String())),
  edit_history_tweet_ids: Type.Optional(Type.Array(Type.String())),
  note_post: Type.Optional(ShownText),
  note_tweet: Type.Optional(ShownText),
})
type Listed = Static<typeof Listed>
const Page = Type.Object({
  data: Type.Optional(Type.Array(Listed)),
  errors: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 0 })),
  meta: Type.Object({
    result_count: Type.Integer(),
    next_token: Type.Optional(Type.String({ minLength: 1 })),
  }),
})

const PAGE = '100'
const MAX_PAGES = 5
/** How far back from the call posts are read: the clocks of X and of the database may be half as far apart. */
const CLOCKS_MS = 60 * 60_000
const FIELDS = ['conversation_id', 'attachments', 'entities']
/** What the API calls a post: a version that does not know the first refuses it. */
type PostName = 'post' | 'tweet'

/** https://docs.x.com/x-api/users/get-posts leaves out nothing but what `exclude` names. It does not speak of communities. */
const SHOWS: ListShows = {
  replies: true,
  settings: { replies: 'any', madeWithAi: 'any', paidPartnership: 'any' },
}

/**
 * Reads the account's posts back to before the call. An upload is in one post only, so a post with our media is ours,
 * exactly; one without is recognised by its text and its place, since X refuses an equal text for a while. "Absent" is
 * said only when every post since then is certainly another one.
 */
export function lookupAt({ api, site }: XOrigins): Procedure<LookupWork, LookupResult> {
  return function* lookup(work) {
    const grant = xGrant(work.grant)
    const since = yield* postsSince(api, grant, work)
    if ('is' in since) return since
    const candidates = since.posts.filter(({ id }) => !work.knownRemoteIds.includes(id))
    const ours = work.media.map(mediaKeyOf)
    const found = ours.length === 0 ? undefined : candidates.find((post) => hasMedia(post, ours))
    if (found !== undefined) return foundPost(found, true)

    const posts = candidates.map((post) => {
      const shown = shownText(post.note_post ?? post.note_tweet ?? post)
      return { post, shown, sameText: canonical(shown) === canonical(work.text) }
    })
    const same = posts.find(
      ({ post, sameText }) => sameText && ours.length === 0 && hasMedia(post, []) && isInPlace(post, work),
    )
    if (same !== undefined) return foundPost(same.post, false)
    if (posts.some(({ post }) => wasEdited(post))) {
      return unavailable('A post that was edited since cannot be compared.')
    }
    if (posts.some(({ shown, sameText }) => sameText || mayBeSameText(shown, work.text))) {
      return unavailable('A post stands there that may be this one, with another text, media or place.')
    }
    return since.complete
      ? { is: 'absent', seen: SHOWS, keepsKeys: false }
      : unavailable('Too many posts have been made since the call.')

    function foundPost({ id }: Listed, exact: boolean): LookupResult {
      return { is: 'found', remoteId: id, url: addressOf(site, grant.username, id), exact }
    }
  }
}

/** https://docs.x.com/x-api/users/get-posts */
function* postsSince(
  api: string,
  grant: XGrant,
  { armedAt, now }: LookupWork,
): Steps<{ posts: Listed[]; complete: boolean } | LookupResult> {
  const startTime = new Date(armedAt.getTime() - CLOCKS_MS).toISOString().replace(/\.\d+Z$/, 'Z')
  const posts: Listed[] = []
  let name: PostName = 'post'
  let token: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const response: HttpResponse = yield* call(pageRequest(api, grant, { name, startTime, token }))
    if (response.status === 400 && name === 'post') {
      name = 'tweet'
      continue
    }
    const body = jsonOf(response)
    if (response.status !== 200 || !Check(Page, body)) return unreadable(response)
    if (isAhead(now, response, CLOCKS_MS / 2)) return unavailable('The clock of the database is ahead of X.')
    posts.push(...(body.data ?? []))
    token = body.meta.next_token
    if (token === undefined) return { posts, complete: true }
  }
  return { posts, complete: false }
}

function pageRequest(
  api: string,
  grant: XGrant,
  { name, startTime, token }: { name: PostName; startTime: string; token: string | undefined },
): HttpRequest {
  const url = withQuery(new URL(`/2/users/${grant.accountId}/tweets`, api), {
    start_time: startTime,
    max_results: PAGE,
    exclude: 'retweets',
    [`${name}.fields`]: [...FIELDS, `note_${name}`].join(','),
    ...(token === undefined ? {} : { pagination_token: token }),
  })
  return { method: 'GET', url, headers: {}, authorization: bearer(grant) }
}

function unreadable(response: HttpResponse): LookupResult {
  const refusal = refusalOf(response)
  if (refusal?.is === 'expired') return refusal
  return unavailable(`The look at the posts was answered with status ${response.status}.`)
}

const Details = Type.Object({ mediaKey: Type.String() })

function mediaKeyOf({ remoteId, details }: RemoteMedia): string {
  return Check(Details, details) ? details.mediaKey : remoteId
}

function hasMedia({ attachments }: Listed, ours: readonly string[]): boolean {
  const keys = attachments?.media_keys ?? []
  return keys.length === ours.length && ours.every((key) => keys.includes(key))
}

function wasEdited(post: Listed): boolean {
  return (post.edit_history_post_ids ?? post.edit_history_tweet_ids ?? []).length > 1
}

/** Whether a post stands where the part was meant to: in its thread, or at the beginning of one. */
function isInPlace({ id, conversation_id: first }: Listed, { root }: LookupWork): boolean {
  return first === (root?.remoteId ?? id)
}

function unavailable(detail: string) {
  return { is: 'unavailable', detail } as const
}
