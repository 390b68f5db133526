import Type from 'typebox'
import { readBody } from '../../shared/answers.ts'
import { findPublished, shownAt, unlisted, unseenContainer } from '../meta-containers.ts'
import { faultOf, isMissing, read } from '../meta-graph.ts'
import type { AddressWork, LookupResult, LookupWork, Origins } from '../../port/port.ts'
import { call, type Procedure, type Steps } from '../../port/procedure.ts'
import { recognise } from '../../shared/text-lookup.ts'
import { unreadable } from '../../port/verdicts.ts'
import { instagramAuthorization, type InstagramAuthorization } from './authorization.ts'
import { preparedOf, readContainer } from './posting.ts'
import { refusalOf } from './refusals.ts'

const Id = Type.String({ pattern: '^[0-9]+$' })
/** https://developers.facebook.com/documentation/instagram-platform/reference/instagram-media */
const Media = Type.Object({ id: Id, permalink: Type.Optional(Type.String()) })
const Page = Type.Object({
  data: Type.Array(
    Type.Object({
      ...Media.properties,
      caption: Type.Optional(Type.String()),
      timestamp: Type.String(),
    }),
  ),
})
const Comments = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Id,
      text: Type.Optional(Type.String()),
      from: Type.Optional(Type.Object({ id: Type.String() })),
    }),
  ),
  paging: Type.Optional(Type.Object({ next: Type.Optional(Type.String()) })),
})

/** Asks the container of the call what became of it, and of one that was published, which post it is. */
export function lookupAt({ api }: Origins): Procedure<LookupWork, LookupResult> {
  return function* lookup(work) {
    const access = instagramAuthorization(work.authorization)
    const prepared = preparedOf(work.prepared)
    if ('as' in prepared) return yield* lookForComment(api, access, work)
    const shown = yield* readContainer(api, access, prepared.container)
    if ('response' in shown) {
      const { response } = shown
      return unseenContainer(response, work, {
        refusal: refusalOf(response),
        isMissing: isMissing(faultOf(response)),
      })
    }
    return shown.status === 'PUBLISHED'
      ? yield* findPost(api, access, work)
      : { is: 'absent', seen: 'by key', keepsKeys: false }
  }
}

/** Stories have a list of their own, and no caption. */
function* findPost(api: string, access: InstagramAuthorization, work: LookupWork): Steps<LookupResult> {
  const list = work.settings['story'] === true ? 'stories' : 'media'
  const query = { fields: 'id,permalink,caption,timestamp', limit: '100' }
  const response = yield* call(read(api, access, `${access.userId}/${list}`, query))
  const page = readBody(response, Page)
  if (page === null) return unlisted(response, refusalOf(response))
  const posts = page.data.map(({ caption: text = '', ...post }) => ({ ...post, text, inPlace: true }))
  return findPublished(posts, response, work, {
    ahead: 'The database clock is ahead of the clock of Instagram.',
    unlisted: 'Instagram says that the post is published but does not list it yet.',
  })
}

function* lookForComment(api: string, access: InstagramAuthorization, work: LookupWork): Steps<LookupResult> {
  const query = { fields: 'id,text,from', limit: '50' }
  const response = yield* call(read(api, access, `${work.root?.remoteId ?? ''}/comments`, query))
  const body = readBody(response, Comments)
  if (body === null) return unreadable(response, refusalOf(response))
  const posts = body.data
    .filter(({ from }) => from === undefined || from.id === access.userId)
    .map(({ id, text = '' }) => ({ remoteId: id, text, mediaIds: [], inPlace: true, wasEdited: false }))
  return recognise({ posts, complete: body.paging?.next === undefined }, work, {
    ours: [],
    canonical: (text) => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim(),
    addressOf: () => null,
    // Its documentation does not promise that a list has every comment.
    shows: { replies: false, settings: {} },
  })
}

/** Where a post that was published is seen: the answer to the call has its id alone. A comment has no address. */
export function addressAt({ api }: Origins): Procedure<AddressWork, string | null> {
  return function* findAddress({ authorization, remoteId }) {
    const access = instagramAuthorization(authorization)
    const response = yield* call(read(api, access, remoteId, { fields: 'id,permalink' }))
    const media = readBody(response, Media)
    return media?.id === remoteId ? shownAt(media.permalink) : null
  }
}
