import Type, { type Static } from 'typebox'
import { exact, nullable } from './schemas.ts'

const fields = {
  all: Type.Boolean({
    description: 'Whether everything that a credential would publish waits for a person.',
  }),
  withinMinutes: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 525_600,
      description:
        'What a credential would publish within so many minutes from now waits for a person: by a create, or by a command that gives it such a time or changes it so shortly before.',
    }),
  ),
  firstPosts: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description:
        'What a credential would publish waits for a person until so many of its posts have been approved.',
    }),
  ),
}

/** What of a credential's posts waits for a person, besides immediate ones, which always do. */
export const ApprovalPolicy = exact(fields, {
  $id: 'ApprovalPolicy',
  description:
    'What waits for a person besides immediate posts, which always do. Drafts wait for nobody; what people write is not meant.',
})
export type ApprovalPolicy = Static<typeof ApprovalPolicy>

/** The same in a request: what is left out asks for nothing. */
export const ApprovalPolicyInput = exact(
  {
    all: Type.Optional(fields.all),
    withinMinutes: Type.Optional(fields.withinMinutes),
    firstPosts: Type.Optional(fields.firstPosts),
  },
  { description: 'What waits for a person besides immediate posts; what is left out asks for nothing.' },
)
export type ApprovalPolicyInput = Static<typeof ApprovalPolicyInput>
