import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'

const Instant = Type.String({ pattern: '^\\d{4}-' })

/** An access token of a member, and as whom it posts. Refresh tokens are given to approved apps only. */
export const LinkedinGrant = Type.Object({
  /** The URN of the member or the organization. */
  author: Type.String({ pattern: '^urn:li:(?:person:[A-Za-z0-9_-]+|organization:[0-9]+)$' }),
  accessToken: Type.String({ minLength: 1 }),
  accessEndsAt: Instant,
  refresh: Type.Union([
    Type.Object({ token: Type.String({ minLength: 1 }), endsAt: Type.Union([Instant, Type.Null()]) }),
    Type.Null(),
  ]),
})
export type LinkedinGrant = Static<typeof LinkedinGrant>

export function linkedinGrant(grant: unknown): LinkedinGrant {
  if (!Check(LinkedinGrant, grant)) {
    throw new Error('The grant of a LinkedIn channel has not the shape it was stored with.')
  }
  return grant
}

/** Whether it posts as an organization, whose posts can be read; those of members cannot. */
export function isOrganization({ author }: Pick<LinkedinGrant, 'author'>): boolean {
  return author.startsWith('urn:li:organization:')
}

/** How the calls of an account are authorised. */
export function bearer({ accessToken }: Pick<LinkedinGrant, 'accessToken'>) {
  return { scheme: 'Bearer', credentials: accessToken } as const
}
