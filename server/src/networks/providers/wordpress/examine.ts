import { readBody, retryAfterMs } from '../shared/answers.ts'
import { accepted, examined, examinedRefusal, notSaid, usedUp } from '../port/examinations.ts'
import type { Examine } from '../port/port.ts'
import { call } from '../port/procedure.ts'
import { get } from '../shared/requests.ts'
import { wordpressAuthorization } from './authorization.ts'
import { Index, INDEX_FIELDS, User, USER_QUERY } from './connecting.ts'
import { read, refusalOf, routeOf } from './rest-api.ts'

const DOCS = 'https://developer.wordpress.org/rest-api'
const READ = '2026-11'
const VERSION = 'wp/v2'

/** A site has no limits of its own for calls: what stands before it may answer 429. A user of a site is never suspended, but removed. */
export const examine: Examine = {
  told: {
    access: { by: 'GET wp/v2/users/me', source: `${DOCS}/reference/users/`, read: READ },
    scopes: { by: '`capabilities` in GET wp/v2/users/me', source: `${DOCS}/reference/users/`, read: READ },
    quota: {
      by: 'any call, with 429',
      source: 'https://www.rfc-editor.org/rfc/rfc6585#section-4',
      read: READ,
      faultsOnly: true,
    },
    version: {
      by: '`namespaces` of the index',
      source: `${DOCS}/using-the-rest-api/discovery/`,
      read: READ,
    },
  },
  *ask({ authorization: stored }) {
    const authorization = wordpressAuthorization(stored)
    const home = yield* call(get(routeOf(authorization.root, '', INDEX_FIELDS)))
    if (home.status === 429)
      return examined(notSaid(home), { quotas: [usedUp('calls', retryAfterMs(home.headers))] })
    const index = readBody(home, Index)
    if (index === null) return examined(notSaid(home))
    const version = { name: VERSION, answered: index.namespaces.includes(VERSION) }
    if (!version.answered) return examined(notSaid(home), { version })
    const response = yield* call(read(authorization, 'wp/v2/users/me', USER_QUERY))
    const user = readBody(response, User)
    if (user === null) {
      const refusal = refusalOf(response)
      // Whoever may not even look at themselves may not post.
      return refusal?.is === 'rejected'
        ? examined(accepted(), { missing: { rights: ['publish_posts'] }, version })
        : { ...examinedRefusal(response, refusal), version }
    }
    const rights = (['publish_posts', 'upload_files'] as const).filter(
      (right) => user.capabilities[right] !== true,
    )
    return examined(accepted(), { missing: { rights }, version })
  },
}
