import Type, { type Static } from 'typebox'
import { approvedContent } from '../content.ts'
import { MediaItem } from '../media.ts'
import { operation } from '../operation.ts'
import { DestinationStatusSchema } from '../posts.ts'
import { exact, Id, Instant, nullable } from '../schemas.ts'
import { partKindNames } from '../statuses.ts'
import { InWorkspace } from './app-schemas.ts'

const ApprovalStatus = Type.Enum(['pending', 'approved', 'rejected', 'superseded', 'expired'])

const summary = {
  approvalId: Id,
  postId: Id,
  status: ApprovalStatus,
  requestedAt: Instant,
  expiresAt: Instant,
  decidedAt: nullable(Instant),
  decidedBy: nullable(Type.String()),
  note: nullable(Type.String()),
  text: Type.String({ description: 'The first 280 characters of what was asked about.' }),
  publishAt: nullable(
    Type.String({
      ...Instant,
      description:
        'The earliest time at which something of the post is published; null where that is as soon as it is approved.',
    }),
  ),
  moreTimes: Type.Integer({ description: 'How many other times its channels have.' }),
}

export const ApprovalSummary = exact(summary, { $id: 'ApprovalSummary' })
export type ApprovalSummary = Static<typeof ApprovalSummary>

const Parts = Type.Array(
  exact({ kind: Type.Enum(partKindNames), text: Type.String(), mediaIds: Type.Array(Id) }),
)

export const ApprovalView = exact(
  {
    ...summary,
    askedBy: Type.String({ description: 'The credential or person who asked.' }),
    unchanged: Type.Boolean({ description: 'Whether the post is still what the request is about.' }),
    digest: Type.String({
      description: 'Names exactly what is shown here. A decision carries it, and counts for nothing else.',
    }),
    undo: exact(
      {
        allowed: Type.Boolean(),
        reason: nullable(Type.String({ description: 'Why not; null when allowed.' })),
      },
      { description: 'Whether the decision can be taken back now.' },
    ),
    media: Type.Array(MediaItem, { description: 'The media of all parts, now and before.' }),
    destinations: Type.Array(
      exact({
        channelId: Id,
        provider: nullable(Type.String()),
        handle: nullable(Type.String()),
        displayName: nullable(Type.String()),
        status: nullable(DestinationStatusSchema),
        publishAt: Type.Union([Instant, Type.Null()], {
          description: 'When it would be published; null or a past time means upon approval.',
        }),
        settings: Type.Record(Type.String(), Type.Unknown()),
        parts: Parts,
        ...approvedContent,
      }),
      { description: 'What would be published on each channel.' },
    ),
    previous: Type.Union(
      [
        exact({
          status: ApprovalStatus,
          decidedBy: nullable(Type.String()),
          note: nullable(Type.String()),
          destinations: Type.Array(exact({ channelId: Id, parts: Parts })),
        }),
        Type.Null(),
      ],
      {
        description:
          'The previous request, with its content, to show what changed since. Null for the first.',
      },
    ),
  },
  { $id: 'Approval', description: 'A request for approval, with everything a person needs to decide.' },
)
export type ApprovalView = Static<typeof ApprovalView>

const approvals = { tag: 'Approvals', asks: 'member', permission: 'posts:read' } as const
const InApproval = exact({ workspaceId: Id, approvalId: Id })

export const listApprovals = operation({
  ...approvals,
  id: 'listApprovals',
  at: 'GET /app/api/workspaces/{workspaceId}/approvals',
  summary: 'List requests for approval',
  description: 'Oldest first; with `all`, including closed ones.',
  params: InWorkspace,
  query: exact({ all: Type.Optional(Type.Enum(['true', 'false'])) }),
  answer: { status: 200, schema: Type.Array(ApprovalSummary), description: 'The requests.' },
  problems: [],
})

export const readApproval = operation({
  ...approvals,
  id: 'readApproval',
  at: 'GET /app/api/workspaces/{workspaceId}/approvals/{approvalId}',
  summary: 'Read what would be published',
  description: 'Exactly what would be published where, with its digest.',
  params: InApproval,
  answer: { status: 200, schema: ApprovalView, description: 'The request.' },
  problems: ['not_found'],
})

export const decideApproval = operation({
  ...approvals,
  id: 'decideApproval',
  at: 'POST /app/api/workspaces/{workspaceId}/approvals/{approvalId}/decide',
  summary: 'Approve or reject',
  description:
    'Decides once, and only on what was seen: send its `digest`. Approved posts are scheduled, rejected ones stay drafts.',
  permission: 'approvals:decide',
  params: InApproval,
  body: exact({
    verdict: Type.Enum(['approve', 'reject']),
    digest: Type.String({ maxLength: 64 }),
    note: Type.Optional(Type.String({ maxLength: 2_000 })),
  }),
  idempotency: 'none',
  answer: { status: 200, schema: ApprovalSummary, description: 'The request as it is now.' },
  problems: ['not_found', 'invalid_state'],
  example: { verdict: 'approve', digest: 'ab'.repeat(32) },
})

export const undoDecision = operation({
  ...approvals,
  id: 'undoDecision',
  at: 'POST /app/api/workspaces/{workspaceId}/approvals/{approvalId}/undo',
  summary: 'Undo a decision',
  description:
    'The request waits for a decision again. What the approval scheduled becomes a draft and keeps its time: nothing is published without another approval. Allowed until publishing has started, for the latest request of a post with unchanged content.',
  permission: 'approvals:decide',
  params: InApproval,
  idempotency: 'none',
  answer: { status: 200, schema: ApprovalSummary, description: 'The request as it is now.' },
  problems: ['not_found', 'invalid_state'],
})
