import Type, { type Static } from 'typebox'
import { exact, nullable } from './schemas.ts'

const fields = {
  all: Type.Boolean({
    description: 'Whether everything that a credential would publish waits for approval.',
  }),
  withinMinutes: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 525_600,
      description:
        'Posts that a credential creates, schedules or changes less than this many minutes before their time wait for approval.',
    }),
  ),
  firstPosts: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: "A credential's posts wait for approval until this many were approved.",
    }),
  ),
}

/** What of a credential's posts waits for a person, besides immediate ones, which always do. */
export const ApprovalPolicy = exact(fields, {
  $id: 'ApprovalPolicy',
  description:
    'Which posts of credentials wait for approval besides immediate ones, which always do. Drafts, and what people write, never wait.',
})
export type ApprovalPolicy = Static<typeof ApprovalPolicy>

/** The same in a request: what is left out asks for nothing. */
export const ApprovalPolicyInput = exact(
  {
    all: Type.Optional(fields.all),
    withinMinutes: Type.Optional(fields.withinMinutes),
    firstPosts: Type.Optional(fields.firstPosts),
  },
  { description: 'What waits for approval besides immediate posts; omitted fields ask for nothing.' },
)
export type ApprovalPolicyInput = Static<typeof ApprovalPolicyInput>
