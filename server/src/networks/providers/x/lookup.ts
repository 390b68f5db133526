import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isAhead, readBody } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { ListShows, LookupResult, LookupWork, Origins, RemoteMedia } from '../port/port.ts'
import { call, type Procedure, type Steps } from '../port/procedure.ts'
import { bearer, get, withQuery } from '../shared/requests.ts'
import { recognise, type ListedPost, type Since } from '../shared/text-lookup.ts'
import { unavailable, unreadable } from '../port/verdicts.ts'
import { refusalOf } from './answers.ts'
import { xAuthorization, type XAuthorization } from './authorization.ts'
import { addressOf } from './publish.ts'
import { canonical, ShownText, shownText } from './shown-text.ts'

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

/** Reads the account's posts back to before the call; X refuses an equal text for a while. */
export function lookupAt({ api, site }: Origins): Procedure<LookupWork, LookupResult> {
  return function* lookup(work) {
    const authorization = xAuthorization(work.authorization)
    const since = yield* postsSince(api, authorization, work)
    if ('is' in since) return since
    const posts = since.posts.map((post): ListedPost => ({
      remoteId: post.id,
      text: shownText(post.note_post ?? post.note_tweet ?? post),
      mediaIds: post.attachments?.media_keys ?? [],
      // In its thread, or at the beginning of one.
      inPlace: post.conversation_id === (work.root?.remoteId ?? post.id),
      wasEdited: (post.edit_history_post_ids ?? post.edit_history_tweet_ids ?? []).length > 1,
    }))
    return recognise({ ...since, posts }, work, {
      ours: work.media.map(mediaKeyOf),
      canonical,
      addressOf: (id) => addressOf(site, authorization.username, id),
      shows: SHOWS,
    })
  }
}

/** https://docs.x.com/x-api/users/get-posts */
function* postsSince(
  api: string,
  authorization: XAuthorization,
  { armedAt, now }: LookupWork,
): Steps<Since<Listed> | LookupResult> {
  const startTime = new Date(armedAt.getTime() - CLOCKS_MS).toISOString().replace(/\.\d+Z$/, 'Z')
  const posts: Listed[] = []
  let name: PostName = 'post'
  let token: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const response: HttpResponse = yield* call(pageRequest(api, authorization, { name, startTime, token }))
    if (response.status === 400 && name === 'post') {
      name = 'tweet'
      continue
    }
    const body = readBody(response, Page)
    if (body === null) return unreadable(response, refusalOf(response))
    if (isAhead(now, response, CLOCKS_MS / 2))
      return unavailable('The database clock is ahead of the clock of X.')
    posts.push(...(body.data ?? []))
    token = body.meta.next_token
    if (token === undefined) return { posts, complete: true }
  }
  return { posts, complete: false }
}

function pageRequest(
  api: string,
  authorization: XAuthorization,
  { name, startTime, token }: { name: PostName; startTime: string; token: string | undefined },
): HttpRequest {
  const url = withQuery(new URL(`/2/users/${authorization.accountId}/tweets`, api), {
    start_time: startTime,
    max_results: PAGE,
    exclude: 'retweets',
    [`${name}.fields`]: [...FIELDS, `note_${name}`].join(','),
    ...(token === undefined ? {} : { pagination_token: token }),
  })
  return get(url, bearer(authorization))
}

const Details = Type.Object({ mediaKey: Type.String() })

function mediaKeyOf({ remoteId, details }: RemoteMedia): string {
  return Check(Details, details) ? details.mediaKey : remoteId
}
