import Type, { type Static } from 'typebox'
import { storedAs } from '../stored-as.ts'

/** The access token of one Page, which has no end, and the proof of the app that goes with each call. */
export const FacebookAuthorization = Type.Object({
  pageId: Type.String({ pattern: '^[0-9]+$' }),
  accessToken: Type.String({ minLength: 1 }),
  /** HMAC-SHA256 of the token under the app's secret (https://developers.facebook.com/docs/graph-api/guides/secure-requests). */
  proof: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})
export type FacebookAuthorization = Static<typeof FacebookAuthorization>

export const facebookAuthorization = storedAs(FacebookAuthorization, 'The authorization of a Facebook Page')
