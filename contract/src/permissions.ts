/** What a credential may do. Agent keys carry a subset; OAuth scopes are the same seven words. */
export const permissions = {
  'channels:read': 'Read connected channels and check a post plan against them.',
  'calendar:read': 'Read the calendar.',
  'posts:read': 'Read posts, their destinations and their tokens.',
  'posts:write': 'Create and change posts.',
  'media:read': 'Read media and its bytes.',
  'media:write': 'Upload media.',
  'ai:generate': 'Generate drafts and images.',
} as const

export type Permission = keyof typeof permissions

export const permissionNames = Object.keys(permissions) as Permission[]
