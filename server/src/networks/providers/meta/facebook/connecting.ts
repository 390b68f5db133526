import Type, { type Static } from 'typebox'
import { readBody } from '../../shared/answers.ts'
import type { HttpResponse } from '../../port/calls.ts'
import { read } from '../meta-graph.ts'
import { facebookLogin } from '../meta-login.ts'
import { BUSINESS_PERMISSION } from '../meta-pages.ts'
import type { Adapter, Origins } from '../../port/port.ts'
import { call } from '../../port/procedure.ts'
import { accountOf, unavailable } from '../../port/verdicts.ts'
import { facebookAuthorization, type FacebookAuthorization } from './authorization.ts'
import { PERMISSIONS } from './permissions.ts'
import { refusalOf } from './refusals.ts'

const page = {
  id: Type.String({ pattern: '^[0-9]+$' }),
  name: Type.String({ minLength: 1 }),
  username: Type.Optional(Type.String({ minLength: 1 })),
  picture: Type.Optional(
    Type.Object({ data: Type.Optional(Type.Object({ url: Type.Optional(Type.String()) })) }),
  ),
}
const Page = Type.Object(page)
export const FIELDS = 'id,name,username,picture{url}'

/** The Page that an answer shows; null for every other answer. */
export function pageIn(response: HttpResponse): Static<typeof Page> | null {
  return readBody(response, Page)
}

/** How Pages are connected, and how their authorizations are checked. */
export function connectingTo(origins: Origins): Pick<Adapter, 'oauth' | 'profile'> {
  return {
    oauth: facebookLogin(origins, {
      permissions: PERMISSIONS,
      optional: [BUSINESS_PERMISSION],
      fields: FIELDS,
      page,
      grantOf(shown, access) {
        const authorization: FacebookAuthorization = { pageId: shown.id, ...access }
        return { authorization, account: accountOfPage(shown) }
      },
    }),
    *profile({ authorization }) {
      const access = facebookAuthorization(authorization)
      const response = yield* call(read(origins.api, access, access.pageId, { fields: FIELDS }))
      const shown = pageIn(response)
      if (shown !== null && shown.id === access.pageId)
        return { is: 'profile', account: accountOfPage(shown) }
      if (refusalOf(response)?.is === 'reauthorize') return { is: 'reauthorize' }
      return unavailable(`Facebook answered with status ${response.status}.`)
    },
  }
}

function accountOfPage({ id, name, username = id, picture }: Static<typeof Page>) {
  return accountOf({
    remoteAccountId: id,
    displayName: name,
    handle: username,
    avatar: picture?.data?.url,
  })
}
