import Type, { type Static } from 'typebox'
import { storedAs } from '../shared/stored-as.ts'

/** Tokens of one account at X: the access token lasts two hours, and each refresh replaces both. */
export const XAuthorization = Type.Object({
  accountId: Type.String({ pattern: '^[0-9]{1,19}$' }),
  username: Type.String({ minLength: 1 }),
  accessToken: Type.String({ minLength: 1 }),
  refreshToken: Type.String({ minLength: 1 }),
  accessEndsAt: Type.String({ pattern: '^\\d{4}-' }),
})
export type XAuthorization = Static<typeof XAuthorization>

export const xAuthorization = storedAs(XAuthorization, 'The authorization of an X channel')
