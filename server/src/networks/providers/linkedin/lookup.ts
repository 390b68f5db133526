import Type, { type Static } from 'typebox'
import { isAhead, readBody } from '../shared/answers.ts'
import { fromLittleText } from '../shared/little-text.ts'
import type { ListShows, LookupResult, LookupWork, Origins } from '../port/port.ts'
import { call, type Procedure, type Steps } from '../port/procedure.ts'
import { withQuery } from '../shared/requests.ts'
import { recognise, type ListedPost, type Since } from '../shared/text-lookup.ts'
import { unavailable, unreadable } from '../port/verdicts.ts'
import { apiRequest, refusalOf } from './answers.ts'
import { isOrganization, linkedinAuthorization, type LinkedinAuthorization } from './authorization.ts'
import { addressOf } from './posting.ts'

const Item = Type.Object({ id: Type.String() })
const Listed = Type.Object({
  id: Type.String({ minLength: 1 }),
  commentary: Type.String(),
  createdAt: Type.Integer(),
  content: Type.Optional(
    Type.Object({
      media: Type.Optional(Item),
      multiImage: Type.Optional(Type.Object({ images: Type.Array(Item) })),
    }),
  ),
  lifecycleStateInfo: Type.Optional(Type.Object({ isEditedByAuthor: Type.Optional(Type.Boolean()) })),
})
type Listed = Static<typeof Listed>
const Page = Type.Object({ elements: Type.Array(Listed) })

const PAGE = 50
const MAX_PAGES = 4
/** How far back from the call posts are read: the clocks of LinkedIn and of the database may be half as far apart. */
const CLOCKS_MS = 60 * 60_000

/** Its documentation promises "all posts" of a page, and does not speak of those that are not public. */
const SHOWS: ListShows = {
  replies: false,
  settings: { visibility: ['PUBLIC'], resharing: 'any', linkCard: 'any' },
}

/**
 * Reads a page's posts back to before the call. Posts of members can be read by no app that anybody can have
 * (r_member_social): about them a person decides.
 */
export function lookupAt({ api, site }: Origins): Procedure<LookupWork, LookupResult> {
  return function* lookup(work) {
    const authorization = linkedinAuthorization(work.authorization)
    if (!isOrganization(authorization)) return unavailable("LinkedIn doesn't let apps read a member's posts.")
    const since = yield* postsSince(api, authorization, work)
    if ('is' in since) return since
    return recognise({ ...since, posts: since.posts.map(toListedPost) }, work, {
      ours: work.media.map(({ remoteId }) => remoteId),
      canonical,
      addressOf: (urn) => addressOf(site, urn),
      shows: SHOWS,
    })
  }
}

function toListedPost({ id, commentary, content, lifecycleStateInfo }: Listed): ListedPost {
  const { media, multiImage } = content ?? {}
  const items = [...(media === undefined ? [] : [media]), ...(multiImage?.images ?? [])]
  return {
    remoteId: id,
    text: fromLittleText(commentary),
    mediaIds: items.map((item) => item.id),
    inPlace: true,
    wasEdited: lifecycleStateInfo?.isEditedByAuthor === true,
  }
}

function* postsSince(
  api: string,
  authorization: LinkedinAuthorization,
  { armedAt, now }: LookupWork,
): Steps<Since<Listed> | LookupResult> {
  const from = armedAt.getTime() - CLOCKS_MS
  const posts: Listed[] = []
  for (let page = 0; page < MAX_PAGES; page++) {
    const url = withQuery(new URL('/rest/posts', api), {
      q: 'author',
      author: authorization.author,
      sortBy: 'CREATED',
      start: String(page * PAGE),
      count: String(PAGE),
    })
    const headers = { 'x-restli-method': 'FINDER' }
    const response = yield* call(apiRequest(api, authorization, '', { url, headers }))
    const body = readBody(response, Page)
    if (body === null) return unreadable(response, refusalOf(response, authorization))
    if (isAhead(now, response, CLOCKS_MS / 2)) {
      return unavailable('The database clock is ahead of the clock of LinkedIn.')
    }
    if (!body.elements.every(isNotNewerThanBefore)) return unavailable('The list of posts is not in order.')
    for (const post of body.elements) {
      if (post.createdAt < from) return { posts, complete: true }
      posts.push(post)
    }
    if (body.elements.length < PAGE) return { posts, complete: true }
  }
  return { posts, complete: false }
}

/** Where the newest come first, what is older than the call ends the list. */
function isNotNewerThanBefore({ createdAt }: Listed, place: number, all: readonly Listed[]): boolean {
  const before = all[place - 1]
  return before === undefined || createdAt <= before.createdAt
}

/** LinkedIn trims texts, and nothing else. */
function canonical(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
}
