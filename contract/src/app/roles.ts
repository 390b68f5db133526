import type { Permission } from '../permissions.ts'

/** What a member is in a workspace, from the one who may do everything to the one who may only look. */
export const roles = {
  owner: 'Has every right and appoints other owners. A workspace always has one.',
  admin: 'Manages members, agent keys, webhooks, channels and policies.',
  editor: 'Writes posts, uploads media and resolves unconfirmed results.',
  approver: 'Approves or rejects posts, and changes nothing else.',
  viewer: 'Sees posts, calendar, media and channels, and changes nothing.',
} as const

export type Role = keyof typeof roles

export const roleNames = Object.keys(roles) as Role[]

type RightFacts = { readonly meaning: string; readonly roles: readonly Role[] }

const everyone = roleNames
const writers = ['owner', 'admin', 'editor'] as const satisfies Role[]
const managers = ['owner', 'admin'] as const satisfies Role[]

/**
 * What each role may do: the one table that guards, tests and `docs/roles.md` are made from. The permissions of
 * credentials are rights, too: no credential may do more than the member who owns it.
 */
export const rights = {
  'workspace:read': { meaning: 'See the workspace, its settings and its members.', roles: everyone },
  'channels:read': { meaning: 'See channels and check posts against them.', roles: everyone },
  'calendar:read': { meaning: 'See the calendar.', roles: everyone },
  'posts:read': { meaning: 'See posts, events and requests for approval.', roles: everyone },
  'media:read': { meaning: 'See media.', roles: everyone },
  'posts:write': { meaning: 'Create and change posts.', roles: writers },
  'posts:resolve': { meaning: 'Resolve unconfirmed results.', roles: writers },
  'media:write': { meaning: 'Upload media.', roles: writers },
  'ai:generate': { meaning: 'Generate drafts and images.', roles: writers },
  'approvals:decide': {
    meaning: 'Approve or reject posts.',
    roles: ['owner', 'admin', 'approver'],
  },
  'channels:manage': { meaning: 'Connect, reconnect, disable and enable channels.', roles: managers },
  'webhooks:manage': { meaning: 'See and change webhook endpoints and their deliveries.', roles: managers },
  'webhooks:write': {
    meaning: 'Have agent keys and apps create webhook endpoints of their own.',
    roles: managers,
  },
  'keys:manage': { meaning: 'Create, limit and revoke agent keys and connected apps.', roles: managers },
  'members:manage': { meaning: 'Invite and remove members, and change their roles.', roles: managers },
  'workspace:manage': {
    meaning: 'Change name, time zone, publishing deadline and policies.',
    roles: managers,
  },
  'audit:read': { meaning: 'Read the audit log.', roles: managers },
  'owners:manage': { meaning: 'Make members owners, or take ownership away.', roles: ['owner'] },
} as const satisfies Record<string, RightFacts> & Record<Permission, RightFacts>

export type Right = keyof typeof rights

export const rightNames = Object.keys(rights) as Right[]

/** Whether a member with this role has the right. */
export function roleHas(role: Role, right: Right): boolean {
  const { roles: having }: RightFacts = rights[right]
  return having.includes(role)
}
