import Type, { type Static } from 'typebox'
import { eachMeans, type IssueCode, issueCodes } from './codes.ts'
import { FromTemplate, plannedContent } from './content.ts'
import { MediaItem } from './media.ts'
import { operation } from './operation.ts'
import { exact, Id, Instant, TimeInput } from './schemas.ts'

export const PostState = Type.Enum(['draft', 'scheduled', 'immediate'], {
  description: '`scheduled` is published at `publishAt`, `immediate` once a person has approved it.',
})

export const PublishAt = Type.Union(TimeInput.anyOf, {
  description: 'Required for `scheduled`, unless each target has its own; refused otherwise.',
})

export const PublishAtInput = Type.Optional(PublishAt)

export const SpreadMinutes = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 10_080,
    description:
      'With a shared `publishAt`: the first channel is published then, the last so many minutes later, the others evenly in between.',
  }),
)

export const PostPlan = exact(
  {
    state: PostState,
    template: Type.Optional(FromTemplate),
    ...plannedContent,
    publishAt: PublishAtInput,
    spreadMinutes: SpreadMinutes,
  },
  { $id: 'PostPlan' },
)
export type PostPlan = Static<typeof PostPlan>

export const PostIssue = exact(
  {
    code: Type.Enum(Object.keys(issueCodes) as IssueCode[], {
      description: eachMeans(issueCodes),
      examples: ['text_too_long'],
    }),
    severity: Type.Enum(['error', 'warning'], {
      description: 'Only an `error` refuses the plan.',
    }),
    channelId: Type.Optional(Id),
    partIndex: Type.Optional(Type.Integer()),
    mediaId: Type.Optional(Id),
    pointer: Type.String({ description: 'A JSON Pointer into the request (RFC 6901).' }),
    message: Type.String(),
    fix: Type.String({ description: 'What to change.' }),
  },
  { $id: 'PostIssue' },
)
export type PostIssue = Static<typeof PostIssue>

export const PostCheck = exact(
  {
    ready: Type.Boolean({ description: 'Whether create would accept this plan.' }),
    destinations: Type.Array(
      exact({
        channelId: Id,
        provider: Type.String(),
        ready: Type.Boolean(),
        publishAt: Type.Optional(
          Type.String({ ...Instant, description: 'When it would be published, if the plan has a time.' }),
        ),
        maxCharacters: Type.Integer(),
        parts: Type.Array(
          exact({
            index: Type.Integer(),
            characters: Type.Integer(),
            text: Type.Optional(
              Type.String({ description: 'What would be published, if link tags or a template change it.' }),
            ),
          }),
        ),
      }),
    ),
    media: Type.Array(MediaItem, { description: 'The media of the plan.' }),
    issues: Type.Array(PostIssue),
  },
  { $id: 'PostCheck' },
)
export type PostCheck = Static<typeof PostCheck>

const checkedPostId = Type.Optional(
  Type.String({
    ...Id,
    description:
      'The post that the plan changes: its own texts are no duplicates, and it is no post of today.',
  }),
)

export const PlanToCheck = exact(
  { postId: checkedPostId, ...PostPlan.properties },
  { $id: 'PlanToCheck', description: 'As for `checkPost`.' },
)

export const checkPost = operation({
  id: 'checkPost',
  at: 'POST /agent/v1/post-checks',
  asks: 'agent or member',
  tag: 'Posts',
  summary: 'Check a post plan without creating anything',
  description:
    'The same check as on creation: what is `ready` here, create accepts. Stores nothing and asks no provider. A plan with media also needs `media:read`.',
  permission: 'channels:read',
  body: exact({ ...PostPlan.properties, postId: checkedPostId }),
  answer: { status: 200, schema: PostCheck, description: 'The result of the check.' },
  problems: ['validation_failed', 'missing_permission', 'credential_limit'],
  oneOf: [['channelIds'], ['targets']],
  unless: 'template',
  example: { state: 'draft', channelIds: ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'], text: 'Hello' },
})
