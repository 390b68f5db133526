import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'

/** An access token of one account at one instance. Mastodon's tokens have no end of their own, and no refresh. */
export const MastodonGrant = Type.Object({
  /** The origin of the instance. */
  server: Type.String(),
  accountId: Type.String({ minLength: 1 }),
  accessToken: Type.String({ minLength: 1 }),
})
export type MastodonGrant = Static<typeof MastodonGrant>

export function mastodonGrant(grant: unknown): MastodonGrant {
  if (!Check(MastodonGrant, grant)) {
    throw new Error('The grant of a Mastodon channel has not the shape it was stored with.')
  }
  return grant
}
