import Type, { type Static } from 'typebox'
import { CharacterCounting } from './channels.ts'
import { ApprovalPolicy } from './approval-policy.ts'
import { CredentialLimits } from './limits.ts'
import { LinkTags } from './link-tags.ts'
import { operation } from './operation.ts'
import { permissionNames } from './permissions.ts'
import { exact, Id, Instant, nullable } from './schemas.ts'

const { channelIds, label, postsPerDay, publishWithinHours, draftsOnly, networks } =
  CredentialLimits.properties

export const Me = exact(
  {
    workspace: exact({
      id: Id,
      name: Type.String(),
      timeZone: Type.String({ examples: ['Europe/Vienna'] }),
      linkTags: nullable(LinkTags),
    }),
    credential: exact({
      type: Type.Enum(['agent_key', 'oauth']),
      name: Type.String(),
      permissions: Type.Array(Type.Enum(permissionNames)),
      expiresAt: nullable(Instant),
      limits: exact(
        {
          channelIds,
          label,
          postsPerDay,
          publishWithinHours,
          draftsOnly,
          networks,
          latestPublishAt: nullable(
            Type.String({ ...Instant, description: 'The latest `publishAt` that it may set now.' }),
          ),
          postsLeftToday: nullable(
            Type.Integer({
              description: 'How many more posts it may create today, if limited.',
            }),
          ),
          dayEndsAt: nullable(
            Type.String({ ...Instant, description: 'When today ends in the time zone of the workspace.' }),
          ),
        },
        { description: 'Limits beyond its permissions; null and false set none.' },
      ),
      approval: exact(
        {
          ...ApprovalPolicy.properties,
          firstPostsLeft: nullable(
            Type.Integer({
              description: 'How many more of its posts people must approve.',
            }),
          ),
        },
        {
          description:
            'Which of its posts wait for approval, by the policies of workspace and credential; immediate ones always do.',
        },
      ),
    }),
    user: exact({ id: Id, name: Type.String(), email: Type.String() }),
    providers: Type.Array(
      exact({
        provider: Type.String(),
        displayName: Type.String(),
        maxCharacters: Type.Integer({ description: 'The usual limit; a channel may have its own.' }),
        characterCounting: CharacterCounting,
        supports: exact({
          threads: Type.Boolean(),
          lookup: Type.Boolean({
            description: 'Whether an uncertain result can be looked up at the provider.',
          }),
          firstComment: Type.Boolean({ description: 'Whether posts can have a `firstComment`.' }),
        }),
        settings: Type.Record(Type.String(), Type.Unknown(), {
          description: 'JSON Schema of `targets[].settings` for this provider. Every setting is optional.',
        }),
      }),
    ),
  },
  { $id: 'Me', description: 'Who you are, where, and what you may do.' },
)
export type Me = Static<typeof Me>

export const readMe = operation({
  id: 'readMe',
  at: 'GET /agent/v1/me',
  asks: 'agent',
  tag: 'Identity',
  summary: 'Read who you are here',
  description:
    "The workspace, the credential with today's remaining limits, its owner, and the enabled providers.",
  permission: null,
  answer: { status: 200, schema: Me, description: 'The caller.' },
  problems: [],
})
