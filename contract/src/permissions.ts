/** What a credential may do. Agent keys carry a subset; OAuth scopes are the same words. */
export const permissions = {
  'channels:read': 'Read connected channels and check a post plan against them.',
  'calendar:read': 'Read the calendar.',
  'posts:read': 'Read posts, their destinations and their tokens.',
  'posts:write': 'Create and change posts.',
  'media:read': 'Read media and its bytes.',
  'media:write': 'Upload media.',
  'ai:generate': 'Generate drafts and images.',
  'webhooks:write': 'Create webhook endpoints, and manage those that it created itself.',
} as const

export type Permission = keyof typeof permissions

export const permissionNames = Object.keys(permissions) as Permission[]

/** What a credential has to be given by name: neither `all` nor a request without scopes means it. */
const byNameOnly: readonly Permission[] = ['webhooks:write']

/** What is given where nothing is chosen. */
export const presetPermissions = permissionNames.filter((name) => !byNameOnly.includes(name))
