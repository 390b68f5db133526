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
          ...{ channelIds, label, postsPerDay, publishWithinHours, draftsOnly, networks },
          latestPublishAt: nullable(
            Type.String({ ...Instant, description: 'The latest `publishAt` that it may give now.' }),
          ),
          postsLeftToday: nullable(
            Type.Integer({
              description: 'How many posts it may still create today, where they are limited.',
            }),
          ),
          dayEndsAt: nullable(
            Type.String({ ...Instant, description: 'When today is over in the time zone of the workspace.' }),
          ),
        },
        { description: 'What it is limited to besides its permissions; null and false limit nothing.' },
      ),
      approval: exact(
        {
          ...ApprovalPolicy.properties,
          firstPostsLeft: nullable(
            Type.Integer({
              description:
                'How many posts people have still to approve before its posts no longer wait for that.',
            }),
          ),
        },
        {
          description:
            'What of its posts waits for a person, besides immediate ones, which always do: by the policies of the workspace and of the credential.',
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
            description: 'Whether a doubtful result can be looked up at the provider.',
          }),
          firstComment: Type.Boolean({ description: 'Whether a post may carry a `firstComment`.' }),
        }),
        settings: Type.Record(Type.String(), Type.Unknown(), {
          description:
            'JSON Schema of what `targets[].settings` may hold for this provider. Every setting is optional.',
        }),
      }),
    ),
  },
  { $id: 'Me', description: 'Who is asking, where, and with what rights.' },
)
export type Me = Static<typeof Me>

export const readMe = operation({
  id: 'readMe',
  at: 'GET /agent/v1/me',
  asks: 'agent',
  tag: 'Identity',
  summary: 'Read who you are here',
  description:
    'The workspace, the credential with its limits and what is left of them today, its owner, and the enabled providers.',
  permission: null,
  answer: { status: 200, schema: Me, description: 'The caller.' },
  problems: [],
})
