import Type, { type Static } from 'typebox'
import { metaAccess } from '../meta-graph.ts'
import { storedAs } from '../../shared/stored-as.ts'

/** The access token of one Page, which has no end, and the proof of the app that goes with each call. */
export const FacebookAuthorization = Type.Object({
  pageId: Type.String({ pattern: '^[0-9]+$' }),
  ...metaAccess,
})
export type FacebookAuthorization = Static<typeof FacebookAuthorization>

export const facebookAuthorization = storedAs(FacebookAuthorization, 'The authorization of a Facebook Page')
