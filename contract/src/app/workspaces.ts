import Type, { type Static } from 'typebox'
import { ApprovalPolicy, ApprovalPolicyInput } from '../approval-policy.ts'
import { LinkTags } from '../link-tags.ts'
import { operation } from '../operation.ts'
import { exact, Id, Instant, line, nullable } from '../schemas.ts'
import { Done, EmailAddress, InWorkspace, RoleSchema } from './app-schemas.ts'

const WorkspaceName = line(100)
const TimeZone = Type.String({
  maxLength: 64,
  description: 'An IANA name, kept as it is written.',
  examples: ['Europe/Vienna'],
})
const AllowedHours = Type.Number({
  exclusiveMinimum: 0,
  maximum: 8_760,
  description: 'How many hours after its time a post can still be published.',
})

export const WorkspaceView = exact(
  {
    workspaceId: Id,
    name: Type.String(),
    timeZone: Type.String(),
    allowedHours: Type.Number(),
    approvalPolicy: ApprovalPolicy,
    linkTags: nullable(LinkTags),
    createdAt: Instant,
  },
  { $id: 'Workspace' },
)
export type WorkspaceView = Static<typeof WorkspaceView>

export const createWorkspace = operation({
  id: 'createWorkspace',
  at: 'POST /app/api/workspaces',
  tag: 'Workspaces',
  summary: 'Create a workspace',
  description: 'You become its owner. For people who already own a workspace.',
  permission: null,
  asks: 'person',
  fresh: true,
  body: exact({ name: WorkspaceName, timeZone: TimeZone }),
  idempotency: 'none',
  answer: { status: 201, schema: WorkspaceView, description: 'The workspace.' },
  problems: ['validation_failed', 'missing_permission'],
  example: { name: 'Acme', timeZone: 'Europe/Vienna' },
})

export const readWorkspace = operation({
  id: 'readWorkspace',
  at: 'GET /app/api/workspaces/{workspaceId}',
  tag: 'Workspaces',
  summary: 'Read a workspace',
  description: 'Its name and settings.',
  permission: 'workspace:read',
  asks: 'member',
  params: InWorkspace,
  answer: { status: 200, schema: WorkspaceView, description: 'The workspace.' },
  problems: ['not_found'],
})

export const updateWorkspace = operation({
  id: 'updateWorkspace',
  at: 'POST /app/api/workspaces/{workspaceId}',
  tag: 'Workspaces',
  summary: 'Change a workspace',
  description: 'Omitted fields are kept. Scheduled posts keep their deadlines.',
  fresh: true,
  permission: 'workspace:manage',
  asks: 'member',
  params: InWorkspace,
  body: exact({
    name: Type.Optional(WorkspaceName),
    timeZone: Type.Optional(TimeZone),
    allowedHours: Type.Optional(AllowedHours),
    approvalPolicy: Type.Optional(ApprovalPolicyInput),
    linkTags: Type.Optional(nullable(LinkTags)),
  }),
  idempotency: 'none',
  answer: { status: 200, schema: WorkspaceView, description: 'The workspace as it is now.' },
  problems: ['validation_failed', 'not_found'],
  example: { name: 'Acme', allowedHours: 12 },
})

export const MemberView = exact(
  {
    memberId: Id,
    name: Type.String(),
    email: Type.String(),
    role: RoleSchema,
    keys: Type.Integer({
      description: 'How many active agent keys they have; these end with the membership.',
    }),
    createdAt: Instant,
  },
  { $id: 'Member' },
)
export type MemberView = Static<typeof MemberView>

const members = { tag: 'Members', asks: 'member', permission: 'members:manage' } as const
/** A change, without a key: each request is an effect of its own. */
const write = { ...members, idempotency: 'none' } as const
const InMember = exact({ workspaceId: Id, memberId: Id })

export const listMembers = operation({
  ...members,
  id: 'listMembers',
  at: 'GET /app/api/workspaces/{workspaceId}/members',
  summary: 'List members',
  description: 'Longest-standing members first.',
  permission: 'workspace:read',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(MemberView), description: 'The members.' },
  problems: [],
})

export const changeMemberRole = operation({
  ...write,
  id: 'changeMemberRole',
  at: 'POST /app/api/workspaces/{workspaceId}/members/{memberId}/role',
  summary: "Change a member's role",
  description: 'Only owners can grant or revoke the owner role. The last owner stays.',
  fresh: true,
  params: InMember,
  body: exact({ role: RoleSchema }),
  answer: {
    status: 200,
    schema: exact({ memberId: Id, role: RoleSchema }),
    description: 'The role is changed.',
  },
  problems: ['missing_permission', 'not_found', 'last_owner'],
  example: { role: 'editor' },
})

export const removeMember = operation({
  ...write,
  id: 'removeMember',
  at: 'POST /app/api/workspaces/{workspaceId}/members/{memberId}/remove',
  summary: 'Remove a member',
  description:
    'Also ends their agent keys and connected apps in this workspace, and the invitations they sent.',
  fresh: true,
  params: InMember,
  answer: {
    status: 200,
    schema: exact({ keysEnded: Type.Integer() }),
    description: 'The member is removed.',
  },
  problems: ['missing_permission', 'not_found', 'last_owner'],
})

export const leaveWorkspace = operation({
  ...write,
  id: 'leaveWorkspace',
  at: 'POST /app/api/workspaces/{workspaceId}/leave',
  summary: 'Leave a workspace',
  description: 'Also ends your agent keys and connected apps there. The last owner cannot leave.',
  permission: 'workspace:read',
  fresh: true,
  params: InWorkspace,
  answer: { status: 200, schema: exact({ keysEnded: Type.Integer() }), description: 'You have left.' },
  problems: ['missing_permission', 'not_found', 'last_owner'],
})

export const transferOwnership = operation({
  ...write,
  id: 'transferOwnership',
  at: 'POST /app/api/workspaces/{workspaceId}/ownership',
  summary: 'Transfer the ownership',
  description: 'The member becomes an owner, and you an admin.',
  permission: 'owners:manage',
  fresh: true,
  params: InWorkspace,
  body: exact({ memberId: Id }),
  answer: {
    status: 200,
    schema: exact({ memberId: Id, role: RoleSchema }),
    description: 'The ownership is transferred.',
  },
  problems: ['missing_permission', 'not_found', 'last_owner'],
  example: { memberId: '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11' },
})

export const InvitationView = exact(
  {
    invitationId: Id,
    email: Type.String(),
    role: RoleSchema,
    invitedBy: Type.String(),
    deliverBy: Type.Enum(['link', 'mail']),
    expiresAt: Instant,
    createdAt: Instant,
  },
  { $id: 'Invitation' },
)
export type InvitationView = Static<typeof InvitationView>

export const listInvitations = operation({
  ...members,
  id: 'listInvitations',
  at: 'GET /app/api/workspaces/{workspaceId}/invitations',
  summary: 'List open invitations',
  description: 'Neither accepted, withdrawn nor expired.',
  params: InWorkspace,
  answer: { status: 200, schema: Type.Array(InvitationView), description: 'The invitations.' },
  problems: [],
})

export const inviteMember = operation({
  ...write,
  id: 'inviteMember',
  at: 'POST /app/api/workspaces/{workspaceId}/invitations',
  summary: 'Invite a member',
  description:
    'By a link that works once, within seven days: passed on by you (`link`, shown only once), or emailed and not shown (`mail`, if the server sends email). An earlier invitation of the address is withdrawn.',
  fresh: true,
  params: InWorkspace,
  body: exact({ email: EmailAddress, role: RoleSchema, deliverBy: Type.Enum(['link', 'mail']) }),
  answer: {
    status: 201,
    schema: exact({
      invitationId: Id,
      link: Type.Union([Type.String(), Type.Null()], { description: 'Shown only once; null if emailed.' }),
      expiresAt: Instant,
    }),
    description: 'The invitation.',
  },
  problems: ['validation_failed', 'already_exists', 'missing_permission', 'rate_limited'],
  example: { email: 'bob@example.com', role: 'editor', deliverBy: 'link' },
})

export const revokeInvitation = operation({
  ...write,
  id: 'revokeInvitation',
  at: 'POST /app/api/workspaces/{workspaceId}/invitations/{invitationId}/revoke',
  summary: 'Withdraw an invitation',
  description: 'Its link no longer works.',
  params: exact({ workspaceId: Id, invitationId: Id }),
  answer: { status: 200, schema: Done, description: 'The invitation is withdrawn.' },
  problems: ['not_found'],
})
