import Type from 'typebox'
import { readBody } from '../../shared/answers.ts'
import { containerOf, findPublished, shownAt, unlisted, unseenContainer } from '../meta-containers.ts'
import type { AddressWork, LookupResult, LookupWork, Origins } from '../../port/port.ts'
import { call, type Procedure, type Steps } from '../../port/procedure.ts'
import { faultOf, isMissing, read, refusalOf } from './answers.ts'
import { threadsAuthorization, type ThreadsAuthorization } from './authorization.ts'
import { readContainer } from './posting.ts'

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

const PAGE = '100'

/** Asks the container of the call what became of it, and of one that was published, which post it is. */
export function lookupAt({ api }: Origins): Procedure<LookupWork, LookupResult> {
  return function* lookup(work) {
    const access = threadsAuthorization(work.authorization)
    const shown = yield* readContainer(api, access, containerOf(work))
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

function* findPost(api: string, access: ThreadsAuthorization, work: LookupWork): Steps<LookupResult> {
  const { parent } = work
  const list = parent === null ? 'threads' : 'replies'
  const fields = 'id,permalink,text,timestamp,replied_to'
  const query = { fields, limit: PAGE }
  const response = yield* call(read(api, access, `${access.userId}/${list}`, query))
  const page = readBody(response, Page)
  if (page === null) return unlisted(response, refusalOf(response))
  const posts = page.data.map(({ text = '', replied_to: to, ...post }) => ({
    ...post,
    text,
    inPlace: parent === null || to?.id === parent.remoteId,
  }))
  return findPublished(posts, response, work, {
    ahead: 'The database clock is ahead of the clock of Threads.',
    unlisted: 'Threads says that the post is published but does not list it yet.',
  })
}

/** Where a post that was published is seen: the answer to the call has its id alone. */
export function addressAt({ api }: Origins): Procedure<AddressWork, string | null> {
  return function* findAddress({ authorization, remoteId }) {
    const access = threadsAuthorization(authorization)
    const response = yield* call(read(api, access, remoteId, { fields: 'id,permalink' }))
    const media = readBody(response, Media)
    return media?.id === remoteId ? shownAt(media.permalink) : null
  }
}
