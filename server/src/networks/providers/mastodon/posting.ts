import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isAhead, isWebAddress, readBody } from '../shared/answers.ts'
import { mayBeSameText } from '../shared/compare-words.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import { uploadBoundary } from '../shared/multipart.ts'
import type {
  LookupResult,
  LookupWork,
  PrepareVerdict,
  PrepareWork,
  PublishWork,
  Refusal,
  UploadVerdict,
  UploadWork,
  Verdict,
} from '../port/port.ts'
import { call, wait, type Steps } from '../port/procedure.ts'
import { bearer } from '../shared/requests.ts'
import { storedAs } from '../shared/stored-as.ts'
import { AWAY, MEDIA_GONE, notOffered, rejected, unavailable, unknown, unreadable } from '../port/verdicts.ts'
import { errorOf, isNoCall, read, refusalOf, refusedQuestion } from './answers.ts'
import { mastodonAuthorization, type MastodonAuthorization } from './authorization.ts'
import { sameSource, sameVisibleText, visibleText } from './same-text.ts'
import { serverKind } from './server-kind.ts'

/** https://docs.joinmastodon.org/entities/Status/ */
const Posted = Type.Object({
  /** Servers have ids of their own kind; none has spaces or quotes in them. */
  id: Type.String({ pattern: '^[!#-\\[\\]-~]+$' }),
  url: Type.Optional(Type.Unknown()),
})
const Listed = Type.Object({
  id: Type.String({ minLength: 1 }),
  url: Type.Optional(Type.Unknown()),
  created_at: Type.String(),
  edited_at: Type.Optional(Type.Unknown()),
  in_reply_to_id: Type.Optional(Type.Unknown()),
  content: Type.String(),
  media_attachments: Type.Array(Type.Object({ id: Type.String() })),
})
type Listed = Static<typeof Listed>
const Page = Type.Array(Listed)
const Source = Type.Object({ text: Type.String() })
const Media = Type.Object({ id: Type.String({ minLength: 1 }) })
const Checkpoint = Type.Object({ mediaId: Type.String({ minLength: 1 }) })

/** What is known before the call: the newest post of the account. What was posted since is newer. */
const preparedOf = storedAs(
  Type.Object({ newestId: Type.Union([Type.String(), Type.Null()]) }),
  'What is prepared of a Mastodon post',
)

/* ------------------------------------------------------------------------------------------------------------ upload */

const POLL_MS = 2_000

/** https://docs.joinmastodon.org/methods/media/#v2: 200 is ready, 202 is processed still. What no post shows is removed in a day. */
export function* upload(work: UploadWork): Steps<UploadVerdict> {
  const authorization = mastodonAuthorization(work.authorization)
  let mediaId: string
  // A later run begins when the wait before it is over.
  if (Check(Checkpoint, work.checkpoint)) mediaId = work.checkpoint.mediaId
  else {
    const begun = yield* begin(authorization, work)
    if ('is' in begun) return begun
    if (begun.ready) return uploaded(begun.mediaId)
    mediaId = begun.mediaId
    yield* wait(POLL_MS, { mediaId })
  }
  for (;;) {
    const response = yield* call(read(authorization, `/api/v1/media/${encodeURIComponent(mediaId)}`))
    if (readBody(response, Media) !== null) return uploaded(mediaId)
    if (response.status === 422) return rejected('media_refused', 'The instance could not process this file.')
    if (response.status !== 206) return refusalOf(response) ?? AWAY
    yield* wait(POLL_MS, { mediaId })
  }
}

function uploaded(mediaId: string): UploadVerdict {
  return { is: 'uploaded', media: { remoteId: mediaId } }
}

function* begin(
  authorization: MastodonAuthorization,
  work: UploadWork,
): Steps<{ mediaId: string; ready: boolean } | Refusal> {
  const response = yield* call(uploadRequest(authorization, work))
  const media = readBody(response, Media, 200, 202)
  const { status } = response
  if (media !== null) return { mediaId: media.id, ready: status === 200 }
  if (status === 413)
    return rejected('media_refused', 'The file or its alt text is larger than the instance allows.')
  if (status === 422 && errorOf(response) !== null) {
    return rejected('media_refused', 'The instance does not accept this file or its alt text.')
  }
  if (isNoCall(response)) return notOffered('The instance')
  return refusalOf(response) ?? AWAY
}

function uploadRequest(authorization: MastodonAuthorization, { file, altText }: UploadWork): HttpRequest {
  const [, extension = 'bin'] = file.contentType.split('/')
  return {
    method: 'POST',
    url: new URL('/api/v2/media', authorization.server),
    authorization: bearer(authorization),
    multipart: {
      boundary: uploadBoundary(authorization),
      parts: [
        ...(altText === null || altText === '' ? [] : [{ name: 'description', value: altText }]),
        { name: 'file', fileName: `media.${extension}`, file },
      ],
    },
  }
}

/* ----------------------------------------------------------------------------------------------------------- prepare */

/** Remembers which post was the newest, so that a look-up knows how far to read; and looks whether the parent stands. */
export function* prepare({ authorization: stored, parent }: PrepareWork): Steps<PrepareVerdict> {
  const authorization = mastodonAuthorization(stored)
  if (parent !== null) {
    const shown = yield* call(read(authorization, `/api/v1/statuses/${encodeURIComponent(parent.remoteId)}`))
    if (shown.status === 404 && errorOf(shown) !== null) return PARENT_MISSING
    if (shown.status !== 200) return refusalOf(shown) ?? refusedQuestion(shown) ?? AWAY
  }
  const response = yield* call(statusesOf(authorization, { limit: '1' }))
  const page = readBody(response, Page)
  if (page === null) return refusalOf(response) ?? refusedQuestion(response) ?? AWAY
  return { is: 'prepared', prepared: { newestId: page[0]?.id ?? null } }
}

const PARENT_MISSING = rejected(
  'parent_missing',
  'The post before this one is no longer on the instance, so this one would not be a reply to it.',
)

function statusesOf(
  authorization: MastodonAuthorization,
  query: Readonly<Record<string, string>>,
): HttpRequest {
  const path = `/api/v1/accounts/${encodeURIComponent(authorization.accountId)}/statuses`
  return read(authorization, path, { exclude_reblogs: 'true', ...query })
}

/* ----------------------------------------------------------------------------------------------------------- publish */

/** https://docs.joinmastodon.org/methods/statuses/#create */
export function publishRequest(work: PublishWork): HttpRequest {
  const { text, media, settings, parent, idempotencyKey } = work
  const authorization = mastodonAuthorization(work.authorization)
  // An instance may have another default than ours.
  const { visibility = 'public', contentWarning, sensitive, language } = settings
  return {
    method: 'POST',
    url: new URL('/api/v1/statuses', authorization.server),
    // Refusals are known by their words.
    headers: { 'idempotency-key': idempotencyKey, 'accept-language': 'en' },
    authorization: bearer(authorization),
    json: {
      status: text,
      ...(media.length === 0 ? {} : { media_ids: media.map(({ remoteId }) => remoteId) }),
      ...(parent === null ? {} : { in_reply_to_id: parent.remoteId }),
      visibility,
      ...(contentWarning === undefined ? {} : { spoiler_text: contentWarning }),
      ...(sensitive === true || contentWarning !== undefined ? { sensitive: true } : {}),
      ...(language === undefined ? {} : { language }),
    },
  }
}

export function judgePublish(response: HttpResponse, { parent, authorization }: PublishWork): Verdict {
  const { status } = response
  const posted = readBody(response, Posted)
  if (posted !== null) return { is: 'published', ...placeOf(posted) }
  const refusal = refusalOf(response)
  if (refusal !== null && refusal.is !== 'expired') return refusal
  const error = errorOf(response)
  if (status === 404 && error !== null && parent !== null) return PARENT_MISSING
  if (isNoCall(response)) return notOffered('The instance')
  if (status === 400 && error !== null && BAD_REQUEST.test(error)) return refusedFor(error, authorization)
  const invalid = status === 422 && error !== null ? judgeInvalid(error, authorization) : null
  if (invalid !== null) return invalid
  return unknown(response, 'the post was made')
}

/** GoToSocial refuses so, before it stores anything (internal/gtserror/withcode.go). */
const BAD_REQUEST = /^bad request: \S/i

/**
 * A refusal of the post comes before anything is stored. Of its hashtags there can be one after that (`postprocess_status!` in
 * app/services/post_status_service.rb), with the same status: only its words tell, so that what is not known proves nothing.
 */
function judgeInvalid(error: string, authorization: PublishWork['authorization']): Refusal | null {
  if (/processing|not found|already attached/i.test(error)) {
    return MEDIA_GONE
  }
  // Its media are checked before a post is made (`validate_media!` in the same file).
  if (/^cannot attach\b/i.test(error)) return refusedFor(error, authorization)
  if (/character limit|too long/i.test(error)) {
    return rejected('content_refused', 'The text is longer than the instance allows.')
  }
  return /^validation failed: (?:text|status|spoiler|visibility|language|media|thread)\b/i.test(error)
    ? refusedFor(error, authorization)
    : null
}

const MAX_REASON = 200

/** The instance's reason as one line in our words, unless it repeats the token. */
function refusedFor(error: string, authorization: PublishWork['authorization']): Refusal {
  const reason = error.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  if (reason === '' || error.includes(mastodonAuthorization(authorization).accessToken)) {
    return rejected('content_refused', 'The instance refuses the post as invalid.')
  }
  const shown = reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON).toWellFormed()}…` : reason
  return rejected('content_refused', `The instance refuses the post. It says: “${shown}”`)
}

function placeOf({ id, url }: { id: string; url?: unknown }) {
  return { remoteId: id, url: typeof url === 'string' && isWebAddress(url) ? url : null }
}

/* ------------------------------------------------------------------------------------------------------------ lookup */

const PAGE = 40
const MAX_PAGES = 5
/** How many posts are compared, at a call each. */
const MAX_COMPARED = 20
/** What is older than the call by this was not made by it, where the clocks are half as far apart at most. */
const CLOCKS_MS = 60 * 60_000

/**
 * Reads the account's posts back to the one that was the newest before the call. An upload is attached to one post
 * only, so a post with our media is ours, exactly; one without is recognised by its text, and looked for among all of
 * them before anything else is concluded. "Absent" is said only when every post since then was compared with the text as
 * it was sent, and with what kind of server says so.
 */
export function* lookup(work: LookupWork): Steps<LookupResult> {
  const authorization = mastodonAuthorization(work.authorization)
  const since = yield* postsSince(authorization, work)
  if ('is' in since) return since
  const candidates = since.posts.filter(({ id }) => !work.knownRemoteIds.includes(id))
  const ours = work.media.map(({ remoteId }) => remoteId).toSorted()
  const withOurs = ours.length === 0 ? undefined : candidates.find((post) => hasMedia(post, ours))
  if (withOurs !== undefined) return { is: 'found', ...placeOf(withOurs), exact: true }

  // What is of before the call is not among them, or an equal text of long ago would be taken for the part.
  if (since.doubt !== null) return since.doubt

  let doubt: LookupResult | null = null
  for (const post of likeliestFirst(candidates, work).slice(0, MAX_COMPARED)) {
    const equal = yield* saysTheSame(authorization, post, work)
    if (typeof equal === 'object') {
      if (equal.is !== 'unavailable') return equal
      doubt ??= equal
    } else if (equal) {
      const asMeant =
        post.media_attachments.length === ours.length &&
        (post.in_reply_to_id ?? null) === (work.parent?.remoteId ?? null)
      // Uploads are ours by their ids alone, and those are not in it.
      if (asMeant && ours.length === 0) return { is: 'found', ...placeOf(post), exact: false }
      doubt ??= unavailable(
        'A post with the same words is there, with other media or as a reply to another post.',
      )
    }
  }
  if (candidates.length > MAX_COMPARED) doubt ??= TOO_MANY
  if (doubt !== null) return doubt
  const kind = yield* serverKind(authorization.server)
  if (kind === null) return UNTOLD_NOW
  return { is: 'absent', seen: kind.shows, keepsKeys: kind.keepsKeys }
}

/** What shows the words of the part comes first, and what may be a changed copy of it next: each comparison is a call. */
function likeliestFirst(candidates: readonly Listed[], work: LookupWork): Listed[] {
  const sent = textAsSent(work)
  const rank = ({ content }: Listed) =>
    sameVisibleText(content, sent) ? 0 : mayBeSameText(visibleText(content), sent) ? 1 : 2
  return candidates
    .map((post) => ({ post, rank: rank(post) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ post }) => post)
}

const TOO_MANY = unavailable('Too many posts have been made since the call.')
const ENDS_EARLY = unavailable('The list of posts does not reach back to before the call.')

const UNTOLD_NOW = unavailable(
  "The instance does not properly say which software it runs (NodeInfo), so it isn't known which posts its list shows.",
)

/** `doubt`: why there may be more posts since the call than these; null where what the list ends at is from before it. */
type Since = { readonly posts: readonly Listed[]; readonly doubt: LookupResult | null }

function* postsSince(authorization: MastodonAuthorization, work: LookupWork): Steps<Since | LookupResult> {
  const { newestId } = preparedOf(work.prepared)
  const posts: Listed[] = []
  for (let page = 0; page < MAX_PAGES; page++) {
    const last = posts.at(-1)
    const query = { limit: String(PAGE), ...(last === undefined ? {} : { max_id: last.id }) }
    const response = yield* call(statusesOf(authorization, query))
    const listed = readBody(response, Page)
    if (listed === null) return unreadable(response, refusalOf(response))
    const fresh = listed.filter(({ id }) => !posts.some((post) => post.id === id))
    // The newest of then may have been deleted since: then the list ends at what is older than the call.
    const newest = fresh.findIndex(({ id }) => id === newestId)
    const comparable = !isAhead(work.now, response, CLOCKS_MS / 2)
    const end = newest >= 0 || !comparable ? newest : fresh.findIndex((post) => isBefore(post, work))
    if (end >= 0) return { posts: [...posts, ...fresh.slice(0, end)], doubt: null }
    posts.push(...fresh)
    // Some servers know no pages: what is shorter than one is all there is.
    if (fresh.length === 0) {
      if (listed.length >= PAGE)
        return { posts, doubt: unavailable("The list of posts can't be read to its end.") }
      return { posts, doubt: newestId === null ? null : ENDS_EARLY }
    }
  }
  return { posts, doubt: TOO_MANY }
}

function isBefore({ created_at: createdAt }: Listed, { armedAt }: LookupWork): boolean {
  return Date.parse(createdAt) < armedAt.getTime() - CLOCKS_MS
}

function hasMedia({ media_attachments }: Listed, ours: readonly string[]): boolean {
  const ids = media_attachments.map(({ id }) => id).toSorted()
  return ids.length === ours.length && ids.every((id, place) => id === ours[place])
}

/**
 * Whether a post says what the part says: by its source, as it was sent. Where the server gives none, by what is shown;
 * there a difference proves nothing, since servers change what they show.
 */
function* saysTheSame(
  authorization: MastodonAuthorization,
  post: Listed,
  work: LookupWork,
): Steps<boolean | LookupResult> {
  const response = yield* call(read(authorization, `/api/v1/statuses/${encodeURIComponent(post.id)}/source`))
  const source = readBody(response, Source)
  const sent = textAsSent(work)
  if (source !== null) {
    if (sameSource(source.text, sent)) return true
    if (post.edited_at != null) return unavailable("A post that was edited since then can't be compared.")
    if (!mayBeSameText(source.text, sent)) return false
    return unavailable('A post is there that may be this one, with another text.')
  }
  if (response.status !== 404) return unreadable(response, refusalOf(response))
  if (sameVisibleText(post.content, sent)) return true
  return unavailable("A post from that time can't be compared: the instance doesn't say what was sent.")
}

/** A content warning without a text becomes the text (app/services/post_status_service.rb). */
function textAsSent({ text, settings: { contentWarning } }: LookupWork): string {
  return text.trim() === '' && typeof contentWarning === 'string' ? contentWarning : text
}
