import Type, { type Static } from 'typebox'
import { readBody } from '../../shared/answers.ts'
import type { HttpResponse } from '../../port/calls.ts'
import { read } from '../meta-graph.ts'
import { facebookLogin } from '../meta-login.ts'
import type { Adapter, Origins } from '../../port/port.ts'
import { call } from '../../port/procedure.ts'
import { accountOf, unavailable } from '../../port/verdicts.ts'
import { instagramAuthorization, type InstagramAuthorization } from './authorization.ts'
import { PERMISSIONS } from './permissions.ts'
import { refusalOf } from './refusals.ts'

/** https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user */
const User = Type.Object({
  id: Type.String({ pattern: '^[0-9]+$' }),
  username: Type.String({ minLength: 1 }),
  name: Type.Optional(Type.String()),
  profile_picture_url: Type.Optional(Type.String()),
})
export const FIELDS = 'id,username,name,profile_picture_url'

/** The account that an answer shows; null for every other answer. */
export function userIn(response: HttpResponse): Static<typeof User> | null {
  return readBody(response, User)
}

/** How the accounts of Pages are connected, and how their authorizations are checked. Only professional accounts are a Page's. */
export function connectingTo(origins: Origins): Pick<Adapter, 'oauth' | 'profile'> {
  return {
    oauth: facebookLogin(origins, {
      permissions: PERMISSIONS,
      fields: `id,name,instagram_business_account{${FIELDS}}`,
      page: { instagram_business_account: Type.Optional(User) },
      grantOf({ instagram_business_account: user }, access) {
        if (user === undefined) return null
        const authorization: InstagramAuthorization = { userId: user.id, ...access }
        return { authorization, account: accountOfUser(user) }
      },
      none: 'Facebook gave access to no Page with a professional Instagram account where you can create content. Make the account professional in the Instagram app, link it to your Page, and connect again.',
    }),
    *profile({ authorization }) {
      const access = instagramAuthorization(authorization)
      const response = yield* call(read(origins.api, access, access.userId, { fields: FIELDS }))
      const user = userIn(response)
      if (user !== null && user.id === access.userId) return { is: 'profile', account: accountOfUser(user) }
      if (refusalOf(response)?.is === 'reauthorize') return { is: 'reauthorize' }
      return unavailable(`Instagram answered with status ${response.status}.`)
    },
  }
}

function accountOfUser({ id, username, name = '', profile_picture_url: avatar }: Static<typeof User>) {
  const displayName = name === '' ? username : name
  return accountOf({ remoteAccountId: id, displayName, handle: username, avatar })
}
