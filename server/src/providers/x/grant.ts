import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'

/** Tokens of one account at X: the access token lasts two hours, and each refresh replaces both. */
export const XGrant = Type.Object({
  accountId: Type.String({ pattern: '^[0-9]{1,19}$' }),
  username: Type.String({ minLength: 1 }),
  accessToken: Type.String({ minLength: 1 }),
  refreshToken: Type.String({ minLength: 1 }),
  accessEndsAt: Type.String({ pattern: '^\\d{4}-' }),
})
export type XGrant = Static<typeof XGrant>

export function xGrant(grant: unknown): XGrant {
  if (!Check(XGrant, grant))
    throw new Error('The grant of an X channel has not the shape it was stored with.')
  return grant
}

/** How the calls of an account are authorised. */
export function bearer({ accessToken }: Pick<XGrant, 'accessToken'>) {
  return { scheme: 'Bearer', credentials: accessToken } as const
}
