import Type, { type Static } from 'typebox'
import { ApprovalPolicy, ApprovalPolicyInput } from './approval-policy.ts'
import { Label } from './labels.ts'
import { exact, Id, nullable } from './schemas.ts'

const ChannelIds = Type.Array(Id, {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description: 'The channels that it may post to and see.',
})
const OneLabel = Type.String({
  ...Label,
  description: 'The label of every post that it may create, see or change.',
})
const PostsPerDay = Type.Integer({
  minimum: 1,
  maximum: 100_000,
  description:
    'How many posts it may create per day in the time zone of the workspace. Drafts and cancelled posts count; checks, edits, other commands and repeated requests do not.',
})
const PublishWithinHours = Type.Number({
  exclusiveMinimum: 0,
  maximum: 87_600,
  description: 'How many hours ahead it may set `publishAt`.',
})
const DraftsOnly = Type.Boolean({
  description: 'Whether it may only check posts, and create, edit and cancel drafts.',
})
const Networks = Type.Array(Type.String({ minLength: 2, maxLength: 64, examples: ['203.0.113.0/24'] }), {
  minItems: 1,
  maxItems: 50,
  description: 'The IP networks that it may be used from, as CIDR.',
})

/** What a credential is narrowed to besides its permissions; null and false narrow nothing. */
export const CredentialLimits = exact(
  {
    channelIds: nullable(ChannelIds),
    label: nullable(OneLabel),
    postsPerDay: nullable(PostsPerDay),
    publishWithinHours: nullable(PublishWithinHours),
    draftsOnly: DraftsOnly,
    networks: nullable(Networks),
    approval: nullable(ApprovalPolicy),
  },
  { $id: 'CredentialLimits', description: 'What a credential is limited to beyond its permissions.' },
)
export type CredentialLimits = Static<typeof CredentialLimits>

/** The same in a request: what is left out narrows nothing. */
export const CredentialLimitsInput = exact(
  {
    channelIds: Type.Optional(nullable(ChannelIds)),
    label: Type.Optional(nullable(OneLabel)),
    postsPerDay: Type.Optional(nullable(PostsPerDay)),
    publishWithinHours: Type.Optional(nullable(PublishWithinHours)),
    draftsOnly: Type.Optional(DraftsOnly),
    networks: Type.Optional(nullable(Networks)),
    approval: Type.Optional(nullable(ApprovalPolicyInput)),
  },
  { description: 'What it is limited to beyond its permissions; omitted fields set no limit.' },
)
export type CredentialLimitsInput = Static<typeof CredentialLimitsInput>
