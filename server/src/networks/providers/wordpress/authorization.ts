import Type, { type Static } from 'typebox'
import { storedAs } from '../shared/stored-as.ts'

/** An application password of one user of a site. It has no end, and its owner can revoke it. */
export const WordpressAuthorization = Type.Object({
  /** Where the REST API is: `https://example.com/wp-json/`, or `https://example.com/?rest_route=/`. */
  root: Type.String({ minLength: 1 }),
  user: Type.String({ minLength: 1 }),
  password: Type.String({ minLength: 1 }),
  /** The site's own id of the user; left out where the site was connected before it was kept. */
  userId: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type WordpressAuthorization = Static<typeof WordpressAuthorization>

export const wordpressAuthorization = storedAs(
  WordpressAuthorization,
  'The authorization of a WordPress channel',
)
