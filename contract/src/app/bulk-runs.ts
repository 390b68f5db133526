import Type, { type Static } from 'typebox'
import { EditToken } from '../commands.ts'
import { operation } from '../operation.ts'
import type { Right } from './roles.ts'
import { Confirmed, exact, Id, Instant, nullable } from '../schemas.ts'
import { InWorkspace } from './app-schemas.ts'

export const postActionNames = ['move', 'submit', 'cancel', 'discard'] as const
export const verdictNames = ['approve', 'reject'] as const
export const bulkActionNames = [...postActionNames, ...verdictNames] as const
export type BulkAction = (typeof bulkActionNames)[number]

/** What a member needs for a run to go on in their name, and to stop or undo it. */
export const rightsOfBulk = {
  move: 'posts:write',
  submit: 'posts:write',
  cancel: 'posts:write',
  discard: 'posts:write',
  approve: 'approvals:decide',
  reject: 'approvals:decide',
} as const satisfies Record<BulkAction, Right>

/** How many posts one run takes. */
export const MOST_BULK_POSTS = 1_000

export const bulkRunStatusNames = ['waiting', 'running', 'done', 'stopped', 'undoing', 'undone'] as const

const Count = Type.Integer({ minimum: 0 })

export const BulkRun = exact(
  {
    runId: Id,
    action: Type.Enum(bulkActionNames),
    minutes: nullable(Type.Integer({ description: 'Of a move; negative for earlier.' })),
    status: Type.Enum(bulkRunStatusNames, {
      description:
        '`waiting`: it begins in some seconds, so that it can be stopped before. `undoing`: what it has moved is moved back, what it has decided waits again.',
    }),
    startedBy: Type.String({ description: 'The name of the member whose rights it acts with.' }),
    isMine: Type.Boolean(),
    posts: Count,
    done: Type.Integer({
      minimum: 0,
      description: 'Posts that are changed, without those that are changed back.',
    }),
    undone: Count,
    left: Type.Integer({ minimum: 0, description: 'Posts that nothing was done with so far.' }),
    unchanged: Type.Integer({ minimum: 0, description: 'Posts that could not be changed, or changed back.' }),
    refusals: Type.Array(
      exact({
        postId: Id,
        text: Type.String({ description: 'The beginning of the post.' }),
        code: Type.String(),
        detail: Type.String(),
      }),
      { description: 'The first 100 of those that were refused, and why.' },
    ),
    canUndo: Type.Boolean({ description: 'Whether what it has done can be taken back.' }),
    reason: nullable(Type.String({ description: 'Why it ended before its last post.' })),
    createdAt: Instant,
    endedAt: nullable(Instant),
  },
  { $id: 'BulkRun' },
)
export type BulkRun = Static<typeof BulkRun>

const onRuns = { tag: 'Posts', asks: 'member' } as const
const AT = '/app/api/workspaces/{workspaceId}/bulk-runs'
const oneRun = exact({ ...InWorkspace.properties, runId: Id })

export const startBulkRun = operation({
  ...onRuns,
  id: 'startBulkRun',
  at: `POST ${AT}`,
  summary: 'Do something with several posts',
  description:
    'Goes on by itself on the server, one post after the other: each post is changed as a whole or not at all, if it is as its `editToken` says. `move` moves what is scheduled by `minutes` of the workspace’s clock, `submit` requests approval of drafts, `cancel` cancels what is scheduled, `discard` cancels drafts. A cancel begins ten seconds later, unless a post is due by then. It stops when the member may no longer change posts.',
  permission: 'posts:write',
  params: InWorkspace,
  body: exact({
    confirmed: Confirmed,
    action: Type.Enum(postActionNames),
    minutes: Type.Optional(
      Type.Integer({ minimum: -1_000_000, maximum: 1_000_000, description: 'For `move` alone; not 0.' }),
    ),
    posts: Type.Array(exact({ postId: Id, editToken: EditToken }), {
      minItems: 1,
      maxItems: MOST_BULK_POSTS,
    }),
  }),
  idempotency: 'header',
  answer: { status: 201, schema: BulkRun, description: 'The run.' },
  problems: ['validation_failed'],
  example: {
    confirmed: true,
    action: 'move',
    minutes: 1_440,
    posts: [{ postId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', editToken: 'X1nVf0m0n1X1nVf0m0n1' }],
  },
})

export const decideApprovals = operation({
  id: 'decideApprovals',
  at: 'POST /app/api/workspaces/{workspaceId}/approvals/decide',
  asks: 'member',
  tag: 'Approvals',
  summary: 'Approve or reject several',
  description:
    'Goes on by itself on the server, as `startBulkRun` does: each request is decided as by `decideApproval`, only on what was seen. It stops when the member may no longer decide.',
  permission: 'approvals:decide',
  params: InWorkspace,
  body: exact({
    verdict: Type.Enum(verdictNames),
    note: Type.Optional(Type.String({ maxLength: 2_000 })),
    requests: Type.Array(exact({ approvalId: Id, digest: Type.String({ maxLength: 64 }) }), {
      minItems: 1,
      maxItems: MOST_BULK_POSTS,
    }),
  }),
  idempotency: 'header',
  answer: { status: 201, schema: BulkRun, description: 'The run.' },
  problems: ['validation_failed'],
  example: {
    verdict: 'approve',
    requests: [{ approvalId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', digest: 'ab'.repeat(32) }],
  },
})

export const listBulkRuns = operation({
  ...onRuns,
  id: 'listBulkRuns',
  at: `GET ${AT}`,
  summary: 'List what is being done with several posts',
  description: 'The runs that go on or have ended within the last ten minutes, newest first.',
  permission: 'posts:read',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(BulkRun), description: 'The runs.' },
  problems: [],
})

export const readBulkRun = operation({
  ...onRuns,
  id: 'readBulkRun',
  at: `GET ${AT}/{runId}`,
  summary: 'Read what became of a run',
  description: 'Runs are kept for 30 days.',
  permission: 'posts:read',
  params: oneRun,
  answer: { status: 200, schema: BulkRun, description: 'The run.' },
  problems: ['not_found'],
})

export const stopBulkRun = operation({
  ...onRuns,
  id: 'stopBulkRun',
  at: `POST ${AT}/{runId}/stop`,
  summary: 'Stop a run',
  description:
    'What it has done stays as it is; the rest is left. Needs the right that its beginning needed: `posts:write`, or `approvals:decide`.',
  permission: 'posts:read',
  params: oneRun,
  idempotency: 'none',
  answer: { status: 200, schema: BulkRun, description: 'The run as it is now.' },
  problems: ['not_found', 'invalid_state', 'missing_permission'],
})

export const undoBulkRun = operation({
  ...onRuns,
  id: 'undoBulkRun',
  at: `POST ${AT}/{runId}/undo`,
  summary: 'Take a move or decisions back',
  description:
    'Each post that was moved gets the times back that it had, and each request that was decided waits again, unless someone has changed the post since or it is being published. A run that goes on is stopped with it. What is cancelled or sent for approval can’t be taken back. Needs the right that its beginning needed: `posts:write`, or `approvals:decide`.',
  permission: 'posts:read',
  params: oneRun,
  idempotency: 'none',
  answer: { status: 200, schema: BulkRun, description: 'The run as it is now.' },
  problems: ['not_found', 'invalid_state', 'missing_permission'],
})
