import Type, { type Static } from 'typebox'
import { storedAs } from '../shared/stored-as.ts'

const Instant = Type.String({ pattern: '^\\d{4}-' })

/** An access token of a member, and as whom it posts. Refresh tokens are given to approved apps only. */
export const LinkedinAuthorization = Type.Object({
  /** The URN of the member or the organization. */
  author: Type.String({ pattern: '^urn:li:(?:person:[A-Za-z0-9_-]+|organization:[0-9]+)$' }),
  accessToken: Type.String({ minLength: 1 }),
  accessEndsAt: Instant,
  /** When the access token was given; left out where that was before it was kept. */
  accessSince: Type.Optional(Instant),
  refresh: Type.Union([
    Type.Object({ token: Type.String({ minLength: 1 }), endsAt: Type.Union([Instant, Type.Null()]) }),
    Type.Null(),
  ]),
})
export type LinkedinAuthorization = Static<typeof LinkedinAuthorization>

export const linkedinAuthorization = storedAs(
  LinkedinAuthorization,
  'The authorization of a LinkedIn channel',
)

/** Whether it posts as an organization, whose posts can be read; those of members cannot. */
export function isOrganization({ author }: Pick<LinkedinAuthorization, 'author'>): boolean {
  return author.startsWith('urn:li:organization:')
}
