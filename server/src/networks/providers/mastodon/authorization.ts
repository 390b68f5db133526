import Type, { type Static } from 'typebox'
import { storedAs } from '../shared/stored-as.ts'

/** An access token of one account at one instance. Mastodon's tokens have no end of their own, and no refresh. */
export const MastodonAuthorization = Type.Object({
  /** The origin of the instance. */
  server: Type.String(),
  accountId: Type.String({ minLength: 1 }),
  accessToken: Type.String({ minLength: 1 }),
})
export type MastodonAuthorization = Static<typeof MastodonAuthorization>

export const mastodonAuthorization = storedAs(
  MastodonAuthorization,
  'The authorization of a Mastodon channel',
)
