import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isAhead, jsonOf } from '../answers.ts'
import { mayBeSameText } from '../compare-words.ts'
import { fromLittleText } from '../little-text.ts'
import type { HttpResponse, ListShows, LookupResult, LookupWork } from '../port.ts'
import { call, type Procedure, type Steps } from '../procedure.ts'
import { withQuery } from '../query.ts'
import { apiRequest, refusalOf } from './answers.ts'
import { isOrganization, linkedinGrant, type LinkedinGrant } from './grant.ts'
import type { LinkedinOrigins } from './linkedin.ts'
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
 * Reads a page's posts back to before the call. An upload is in one post only, so a post with our media is ours, exactly;
 * one without is recognised by its text. "Absent" is said only when every post since then is certainly another one. Posts
 * of members can be read by no app that anybody can have (r_member_social): about them a person decides.
 */
export function lookupAt({ api, site }: LinkedinOrigins): Procedure<LookupWork, LookupResult> {
  return function* lookup(work) {
    const grant = linkedinGrant(work.grant)
    if (!isOrganization(grant)) return unavailable('LinkedIn lets no app read the posts of a member.')
    const since = yield* postsSince(api, grant, work)
    if ('is' in since) return since
    const candidates = since.posts.filter(({ id }) => !work.knownRemoteIds.includes(id))
    const ours = work.media.map(({ remoteId }) => remoteId)
    const found = ours.length === 0 ? undefined : candidates.find((post) => hasMedia(post, ours))
    if (found !== undefined) return foundPost(found, true)

    const posts = candidates.map((post) => {
      const shown = fromLittleText(post.commentary)
      return { post, shown, sameText: canonical(shown) === canonical(work.text) }
    })
    const same = posts.find(({ post, sameText }) => sameText && ours.length === 0 && hasMedia(post, []))
    if (same !== undefined) return foundPost(same.post, false)
    if (posts.some(({ post }) => post.lifecycleStateInfo?.isEditedByAuthor === true)) {
      return unavailable('A post that was edited since cannot be compared.')
    }
    if (posts.some(({ shown, sameText }) => sameText || mayBeSameText(shown, work.text))) {
      return unavailable('A post stands there that may be this one, with another text or media.')
    }
    return since.complete
      ? { is: 'absent', seen: SHOWS, keepsKeys: false }
      : unavailable('Too many posts have been made since the call.')

    function foundPost({ id }: Listed, exact: boolean): LookupResult {
      return { is: 'found', remoteId: id, url: addressOf(site, id), exact }
    }
  }
}

function* postsSince(
  api: string,
  grant: LinkedinGrant,
  { armedAt, now }: LookupWork,
): Steps<{ posts: Listed[]; complete: boolean } | LookupResult> {
  const from = armedAt.getTime() - CLOCKS_MS
  const posts: Listed[] = []
  for (let page = 0; page < MAX_PAGES; page++) {
    const url = withQuery(new URL('/rest/posts', api), {
      ...{ q: 'author', author: grant.author, sortBy: 'CREATED' },
      ...{ start: String(page * PAGE), count: String(PAGE) },
    })
    const headers = { 'x-restli-method': 'FINDER' }
    const response = yield* call(apiRequest(api, grant, '', { url, headers }))
    const body = jsonOf(response)
    if (response.status !== 200 || !Check(Page, body)) return unreadable(response)
    if (isAhead(now, response, CLOCKS_MS / 2)) {
      return unavailable('The clock of the database is ahead of LinkedIn.')
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

function unreadable(response: HttpResponse): LookupResult {
  const refusal = refusalOf(response)
  if (refusal?.is === 'expired' || refusal?.is === 'reauthorize') return refusal
  return unavailable(`The look at the posts was answered with status ${response.status}.`)
}

function hasMedia({ content }: Listed, ours: readonly string[]): boolean {
  const { media, multiImage } = content ?? {}
  const items = [...(media === undefined ? [] : [media]), ...(multiImage?.images ?? [])]
  return items.length === ours.length && items.every(({ id }) => ours.includes(id))
}

/** LinkedIn trims texts, and nothing else. */
function canonical(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
}

function unavailable(detail: string) {
  return { is: 'unavailable', detail } as const
}
