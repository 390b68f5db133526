import Type from 'typebox'
import { operations } from '../operations.ts'
import { type Operation, operation } from '../operation.ts'
import { changeProblems, EditToken, moveProblems } from '../commands.ts'
import { namedChange } from '../content.ts'
import { Destination, Post } from '../posts.ts'
import { Confirmed, exact, Id, InstantInput, nullable, TimeInput } from '../schemas.ts'

const PREFIX = '/agent/v1'

/** An operation of the Agent API for people: the same request and answer, in the workspace that the path names. */
function inWorkspace(agent: Operation): Operation {
  const [method, path = ''] = agent.at.split(' ')
  const { properties = {} } = (agent.params ?? {}) as { properties?: Parameters<typeof exact>[0] }
  return {
    ...agent,
    id: appIdOf(agent),
    at: `${method as 'GET' | 'POST' | 'DELETE'} /app/api/workspaces/{workspaceId}${path.slice(PREFIX.length)}`,
    asks: 'member',
    params: exact({ workspaceId: Id, ...properties }),
  }
}

/** The id that an operation of the Agent API has among those for people. */
export function appIdOf({ id }: Pick<Operation, 'id'>): string {
  return `app${id.charAt(0).toUpperCase()}${id.slice(1)}`
}

/** What people and agents do alike. */
export const sharedOperations: readonly Operation[] = operations
  .filter(({ asks }) => asks === 'agent or member')
  .map(inWorkspace)

const ControlToken = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'As you last read it.',
})

export const revisePost = operation({
  id: 'revisePost',
  at: 'POST /app/api/workspaces/{workspaceId}/posts/{postId}/revise',
  tag: 'Posts',
  summary: 'Change content, times and channels of a post at once',
  description:
    'All or nothing. A channel with its `controlToken` is changed: omitted content is kept, and `publishAt` schedules it. A channel without a `controlToken` is added, as a draft unless it has a `publishAt`. `cancel` removes channels for good. Anything not named is kept. Allowed while every active destination is a draft or scheduled; the result must pass the same check as a new post. A post that needed approval asks for it again.',
  permission: 'posts:write',
  asks: 'member',
  params: exact({ workspaceId: Id, postId: Id }),
  body: exact({
    confirmed: Confirmed,
    editToken: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'As you last read it.',
    }),
    targets: Type.Array(
      exact({
        ...namedChange,
        controlToken: Type.Optional(ControlToken),
        publishAt: Type.Optional(TimeInput),
      }),
      { maxItems: 50 },
    ),
    cancel: Type.Optional(Type.Array(exact({ channelId: Id, controlToken: ControlToken }), { maxItems: 50 })),
  }),
  idempotency: 'header',
  answer: { status: 200, schema: Post, description: 'The post as it is now.' },
  problems: changeProblems,
  example: {
    confirmed: true,
    editToken: 'X1nVf0m0n1X1nVf0m0n1',
    targets: [
      {
        channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11',
        controlToken: 'X1nVf0m0n1X1nVf0m0n1',
        text: 'Hello',
        publishAt: '2027-01-01T09:00:00.000Z',
      },
    ],
  },
})

export const movePost = operation({
  id: 'movePost',
  at: 'POST /app/api/workspaces/{workspaceId}/posts/{postId}/move',
  tag: 'Posts',
  summary: 'Give channels of a post other times',
  description:
    'Each of these channels gets its own time: all of them or, if one is no longer `scheduled`, none. Channels that are not named stay as they are.',
  permission: 'posts:write',
  asks: 'member',
  params: exact({ workspaceId: Id, postId: Id }),
  body: exact({
    confirmed: Confirmed,
    editToken: EditToken,
    times: Type.Array(exact({ channelId: Id, publishAt: InstantInput }), { minItems: 1, maxItems: 50 }),
  }),
  idempotency: 'header',
  answer: { status: 200, schema: Post, description: 'The post, with a new `editToken`.' },
  problems: moveProblems,
  example: {
    confirmed: true,
    editToken: 'X1nVf0m0n1X1nVf0m0n1',
    times: [{ channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', publishAt: '2027-01-01T09:00:00.000Z' }],
  },
})

export const resolveDestination = operation({
  id: 'resolveDestination',
  at: 'POST /app/api/workspaces/{workspaceId}/posts/{postId}/resolve',
  tag: 'Posts',
  summary: 'Settle an unproven result',
  description:
    'By what you saw at the provider; your statement is kept as evidence with your name. `published`: it is out, under this id. `absent`: it is not, and is published now. `failed`: it is not, and nothing more is sent automatically. `absent` and `failed` are accepted only once the call has had time to show.',
  permission: 'posts:resolve',
  asks: 'member',
  params: exact({ workspaceId: Id, postId: Id }),
  body: exact({
    channelId: Id,
    controlToken: Type.String({ maxLength: 200, description: 'As you last read it.' }),
    finding: Type.Enum(['published', 'absent', 'failed']),
    remoteId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'With `published`: its id at the provider, or its address if that contains the id.',
      }),
    ),
    url: Type.Optional(
      nullable(Type.String({ maxLength: 2_000, description: 'With `published`: its public address.' })),
    ),
    note: Type.Optional(Type.String({ maxLength: 2_000, description: 'How you know.' })),
  }),
  idempotency: 'none',
  answer: { status: 200, schema: Destination, description: 'The destination as it is now.' },
  problems: ['not_found', 'validation_failed', 'stale_control_token', 'invalid_state'],
  example: {
    channelId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11',
    controlToken: 'X1nVf0m0n1X1nVf0m0n1',
    finding: 'absent',
  },
})
