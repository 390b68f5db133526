/** The script of each screen by its part of the address, loaded when it is first opened, or about to be. */
export const screens = {
  today: () => import('./features/today/today-screen.tsx'),
  calendar: () => import('./features/calendar/calendar-screen.tsx'),
  posts: () => import('./features/posts/posts-screen.tsx'),
  series: () => import('./features/series/all-series-screen.tsx'),
  compose: () => import('./features/composer/composer-screen.tsx'),
  approvals: () => import('./features/approvals/approvals-screen.tsx'),
  attention: () => import('./features/attention/attention-screen.tsx'),
  channels: () => import('./features/channels/channels-screen.tsx'),
  keys: () => import('./features/keys/keys-screen.tsx'),
  webhooks: () => import('./features/webhooks/webhooks-screen.tsx'),
  apps: () => import('./features/apps/apps-screen.tsx'),
  media: () => import('./features/media/media-screen.tsx'),
  events: () => import('./features/events/events-screen.tsx'),
  members: () => import('./features/settings/members-screen.tsx'),
  audit: () => import('./features/settings/audit-screen.tsx'),
  settings: () => import('./features/settings/settings-screen.tsx'),
} as const
