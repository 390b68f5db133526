import Type, { type Static } from 'typebox'
import { metaAccess } from '../meta-graph.ts'
import { storedAs } from '../../shared/stored-as.ts'

/** An Instagram account, with the access token of its Page, which has no end, and the proof of the app that goes with each call. */
export const InstagramAuthorization = Type.Object({
  userId: Type.String({ pattern: '^[0-9]+$' }),
  ...metaAccess,
})
export type InstagramAuthorization = Static<typeof InstagramAuthorization>

export const instagramAuthorization = storedAs(
  InstagramAuthorization,
  'The authorization of an Instagram account',
)
