import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isWebAddress, readBody } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse, Json } from '../port/calls.ts'
import type {
  Adapter,
  DiscardVerdict,
  DraftName,
  LookupResult,
  LookupWork,
  PrepareVerdict,
  PrepareWork,
  PublishWork,
  Refusal,
  RemoteMedia,
  Verdict,
} from '../port/port.ts'
import { call, tryCall, type Steps } from '../port/procedure.ts'
import { storedAs } from '../shared/stored-as.ts'
import { AWAY, gone, MEDIA_GONE, out, unavailable, unknown } from '../port/verdicts.ts'
import { wordpressAuthorization, type WordpressAuthorization } from './authorization.ts'
import { markdownBlocks, mediaBlock, plainBlocks } from './blocks.ts'
import { contentRefusal, errorOf, read, refusalOf, write } from './rest-api.ts'
import { termsNamed } from './terms.ts'
import { entryOf } from './title.ts'
import { Uploaded } from './upload.ts'

/*
 * A post is made as a draft before its call, and the call makes the draft public: whether it has is seen of the draft's own id, and
 * once more changes nothing. Until then the draft has a slug of ours, by which it is found again if its id was lost.
 */

/** https://developer.wordpress.org/rest-api/reference/posts/ */
const Post = Type.Object({ id: Type.Integer({ minimum: 1 }), status: Type.String() })
const Marked = Type.Object({ ...Post.properties, slug: Type.String() })
const Binned = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const Shown = Type.Object({ ...Post.properties, link: Type.String() })
const Files = Type.Array(Type.Object({ id: Type.Integer({ minimum: 1 }) }))
const Drafts = Type.Array(
  Type.Object({ id: Type.Integer({ minimum: 1 }), slug: Type.String(), modified_gmt: Type.String() }),
)

const preparedOf = storedAs(
  Type.Object({
    postId: Type.Integer({ minimum: 1 }),
    /** The slug that it is published with; none: the site makes one of the title. */
    slug: Type.String(),
  }),
  'What is prepared of a WordPress post',
)

type Settings = {
  readonly title?: string
  readonly format?: 'markdown' | 'plain'
  readonly excerpt?: string
  readonly slug?: string
  readonly categories?: readonly string[]
  readonly tags?: readonly string[]
  readonly featuredImage?: boolean
  readonly comments?: boolean
}

/* ----------------------------------------------------------------------------------------------------------- prepare */

export function* prepare(work: PrepareWork): Steps<PrepareVerdict> {
  const authorization = wordpressAuthorization(work.authorization)
  const { slug = '', categories = [], tags = [] } = work.settings as Settings
  const inCategories = yield* termsNamed(authorization, 'categories', categories)
  if ('is' in inCategories) return inCategories
  const withTags = yield* termsNamed(authorization, 'tags', tags)
  if ('is' in withTags) return withTags

  const known = yield* draftOf(authorization, work)
  if (known !== null && 'is' in known) return known
  // An earlier call has made it public after all: to publish it again says where it is.
  if (known?.isOut === true) return { is: 'prepared', prepared: { postId: known.postId, slug } }
  if (yield* isMediaGone(authorization, work)) return MEDIA_GONE

  const fields = {
    ...fieldsOf(work),
    status: 'draft',
    slug: markOf(work),
    ...(inCategories.ids.length === 0 ? {} : { categories: inCategories.ids }),
    ...(withTags.ids.length === 0 ? {} : { tags: withTags.ids }),
  }
  const route = known === null ? 'wp/v2/posts' : `wp/v2/posts/${known.postId}`
  const response = yield* call(write(authorization, route, fields, { _fields: 'id,status' }))
  const draft = readBody(response, Post, 200, 201)
  if (draft === null) return refusalOf(response) ?? contentRefusal(response) ?? AWAY
  yield* removeLeftovers(authorization, work)
  return { is: 'prepared', prepared: { postId: draft.id, slug } }
}

/** Whether someone has deleted a file from the library that an earlier try has put there. What does not say so is no reason to wait. */
function* isMediaGone(authorization: WordpressAuthorization, { media }: PrepareWork): Steps<boolean> {
  if (media.length === 0) return false
  const ids = media.map((item) => uploadedOf(item).id)
  const query = { include: ids.join(), per_page: String(ids.length), _fields: 'id' }
  const response = yield* tryCall(read(authorization, 'wp/v2/media', query))
  const files = response === null ? null : readBody(response, Files)
  return files !== null && ids.some((id) => files.every((file) => file.id !== id))
}

const MARK = 'postrider-'

/** The slug of a draft: no other part has it. */
function markOf({ idempotencyKey }: Pick<PrepareWork, 'idempotencyKey'>): string {
  return `${MARK}${idempotencyKey.toLowerCase()}`
}

type Draft = { readonly postId: number; readonly isOut: boolean }

/** The draft that an earlier run has made; null where there is none. */
function* draftOf(authorization: WordpressAuthorization, work: PrepareWork): Steps<Draft | null | Refusal> {
  if (work.former !== null) {
    const { postId } = preparedOf(work.former)
    const response = yield* call(readPost(authorization, postId))
    const post = readBody(response, Post)
    if (post !== null) return { postId, isOut: post.status === 'publish' }
    return isMissing(response) ? null : (refusalOf(response) ?? AWAY)
  }
  const query = { slug: markOf(work), status: 'draft', context: 'edit', per_page: '100' }
  const response = yield* call(read(authorization, 'wp/v2/posts', { ...query, _fields: DRAFT_FIELDS }))
  const drafts = readBody(response, Drafts)
  if (drafts === null) return refusalOf(response) ?? (yield* refusalOfDraftQuery(authorization, response))
  const [first, ...others] = drafts
    .filter(({ id, slug }) => slug === markOf(work) && !work.discarded.includes(nameOf(id)))
    .toSorted((a, b) => a.id - b.id)
  for (const { id } of others) yield* tryCall(binRequest(authorization, id))
  return first === undefined ? null : { postId: first.id, isOut: false }
}

/** WordPress answers an unauthenticated query for drafts with 400 (invalid parameter): a second request tells whether the credentials are refused. */
function* refusalOfDraftQuery(
  authorization: WordpressAuthorization,
  { status }: HttpResponse,
): Steps<Refusal> {
  if (status !== 400) return AWAY
  const response = yield* call(read(authorization, 'wp/v2/users/me', { _fields: 'id' }))
  return refusalOf(response) ?? AWAY
}

const DRAFT_FIELDS = 'id,slug,modified_gmt'

function fieldsOf({ text, media, settings }: PrepareWork): Readonly<Record<string, Json>> {
  const { title, format = 'markdown', excerpt, featuredImage = true, comments } = settings as Settings
  const entry = entryOf(text, title)
  const featured = featuredImage ? media.find(({ kind }) => kind === 'image') : undefined
  const shown = media.filter((item) => item !== featured)
  const blocks = format === 'markdown' ? markdownBlocks(entry.body) : plainBlocks(entry.body)
  const content = [...blocks, ...shown.map((item) => mediaBlock(item, uploadedOf(item)))].join('\n\n')
  return {
    // A title is HTML to WordPress, too.
    title: asHtml(entry.title),
    content,
    featured_media: featured === undefined ? 0 : uploadedOf(featured).id,
    ...(excerpt === undefined ? {} : { excerpt: asHtml(excerpt) }),
    ...(comments === undefined ? {} : { comment_status: comments ? 'open' : 'closed' }),
  }
}

function asHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('[', '&#91;')
}

function uploadedOf({ details }: RemoteMedia): Uploaded {
  if (!Check(Uploaded, details)) throw new Error('an uploaded file is in no media library')
  return details
}

/** How long a draft may wait for its call: what is older, no post needs any more, or it makes another one. */
const DRAFT_MS = 48 * 60 * 60_000
const MAX_REMOVED = 20

/**
 * Moves drafts of ours into the site's bin whose posts were cancelled, edited or lost on the way. A page of a list has 100 drafts at
 * most (https://developer.wordpress.org/rest-api/reference/posts/#arguments): those of others are not asked for.
 */
function* removeLeftovers(authorization: WordpressAuthorization, { now }: PrepareWork): Steps<void> {
  const query = {
    status: 'draft',
    context: 'edit',
    orderby: 'modified',
    order: 'asc',
    per_page: '100',
    ...(authorization.userId === undefined ? {} : { author: String(authorization.userId) }),
  }
  const response = yield* tryCall(read(authorization, 'wp/v2/posts', { ...query, _fields: DRAFT_FIELDS }))
  const drafts = (response === null ? null : readBody(response, Drafts)) ?? []
  const left = drafts.filter(
    ({ slug, modified_gmt: at }) => slug.startsWith(MARK) && Date.parse(`${at}Z`) < now.getTime() - DRAFT_MS,
  )
  for (const { id } of left.slice(0, MAX_REMOVED)) yield* tryCall(binRequest(authorization, id))
}

function nameOf(postId: number): DraftName {
  return `post:${postId}`
}

/** A draft goes to the site's bin, where somebody has not changed its status or its slug. */
export const leftovers: NonNullable<Adapter['leftovers']> = {
  named: ({ prepared }) => (prepared === null ? [] : [nameOf(preparedOf(prepared).postId)]),
  *discard({ authorization: stored, name }) {
    const authorization = wordpressAuthorization(stored)
    const postId = Number(name.replace(/^post:/, ''))
    const query = { context: 'edit', _fields: 'id,status,slug' }
    const shown = yield* call(read(authorization, `wp/v2/posts/${postId}`, query))
    const post = readBody(shown, Marked)
    if (post === null) return isMissing(shown) ? { is: 'gone' } : stopped(shown)
    if (post.status === 'trash') return { is: 'gone' }
    if (post.status !== 'draft' || !post.slug.startsWith(MARK)) return { is: 'used' }
    const removed = yield* call(binRequest(authorization, postId))
    if (readBody(removed, Binned) !== null) return { is: 'removed' }
    return isMissing(removed) ? { is: 'gone' } : stopped(removed)
  },
}

function stopped(response: HttpResponse): DiscardVerdict {
  return { is: refusalOf(response)?.is === 'reauthorize' ? 'reauthorize' : 'unavailable' }
}

/** Some hosts let no DELETE through (https://developer.wordpress.org/rest-api/using-the-rest-api/global-parameters/#_method). */
function binRequest(authorization: WordpressAuthorization, postId: number): HttpRequest {
  return write(authorization, `wp/v2/posts/${postId}`, {}, { _method: 'DELETE', _fields: 'id' })
}

function readPost(authorization: WordpressAuthorization, postId: number): HttpRequest {
  return read(authorization, `wp/v2/posts/${postId}`, { context: 'edit', _fields: 'id,status,link' })
}

function isMissing(response: HttpResponse): boolean {
  return response.status === 404 && errorOf(response)?.code === 'rest_post_invalid_id'
}

/* ----------------------------------------------------------------------------------------------------------- publish */

export function publishRequest({ authorization, prepared }: PublishWork): HttpRequest {
  const { postId, slug } = preparedOf(prepared)
  return write(
    wordpressAuthorization(authorization),
    `wp/v2/posts/${postId}`,
    { status: 'publish', slug },
    { _fields: 'id,status,link' },
  )
}

export function judgePublish(response: HttpResponse, { prepared }: PublishWork): Verdict {
  const { postId } = preparedOf(prepared)
  const post = readBody(response, Shown)
  if (post?.id === postId && post.status === 'publish') return { is: 'published', ...publishedPost(post) }
  const refusal = refusalOf(response) ?? contentRefusal(response)
  if (refusal !== null) return refusal
  // Somebody has deleted the draft: the next try makes another one.
  if (isMissing(response)) return AWAY
  return unknown(response, 'the draft was published')
}

function publishedPost({ id, link }: Static<typeof Shown>) {
  return { remoteId: String(id), url: isWebAddress(link) ? link : null }
}

/* ------------------------------------------------------------------------------------------------------------ lookup */

/** Looks at the draft by its id. */
export function* lookup({ authorization, prepared }: LookupWork): Steps<LookupResult> {
  const { postId } = preparedOf(prepared)
  const response = yield* call(readPost(wordpressAuthorization(authorization), postId))
  const post = readBody(response, Shown)
  if (post?.id === postId) {
    if (post.status === 'publish') return { is: 'found', ...publishedPost(post), exact: true }
    if (post.status === 'draft') return ABSENT
    return post.status === 'trash'
      ? gone('The draft is in the bin of the site.')
      : out('Someone changed the status of the draft on the site.')
  }
  if (isMissing(response)) return ABSENT
  if (refusalOf(response)?.is === 'reauthorize') return { is: 'reauthorize' }
  return unavailable(`The check of the post was answered with status ${response.status}.`)
}

const ABSENT = { is: 'absent', seen: 'by key', keepsKeys: true } as const
