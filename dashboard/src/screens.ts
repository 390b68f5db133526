import type { ComponentType } from 'react'
import type { Address } from './addresses.ts'

/** The script of each screen, loaded when it is first opened, or about to be. */
export const screens: { readonly [At in Exclude<Address, '/'>]: () => Promise<ComponentType> } = {
  '/w/$workspaceId/today': async () => (await import('./features/today/today-screen.tsx')).TodayScreen,
  '/w/$workspaceId/calendar': async () =>
    (await import('./features/calendar/calendar-screen.tsx')).CalendarScreen,
  '/w/$workspaceId/posts': async () => (await import('./features/posts/posts-screen.tsx')).PostsScreen,
  '/w/$workspaceId/posts/$postId': async () => (await import('./features/posts/post-screen.tsx')).PostScreen,
  '/w/$workspaceId/series': async () =>
    (await import('./features/series/all-series-screen.tsx')).AllSeriesScreen,
  '/w/$workspaceId/series/$seriesId': async () =>
    (await import('./features/series/series-screen.tsx')).SeriesScreen,
  '/w/$workspaceId/compose': async () =>
    (await import('./features/composer/composer-screen.tsx')).ComposerScreen,
  '/w/$workspaceId/approvals': async () =>
    (await import('./features/approvals/approvals-screen.tsx')).ApprovalsScreen,
  '/w/$workspaceId/attention': async () =>
    (await import('./features/attention/attention-screen.tsx')).AttentionScreen,
  '/w/$workspaceId/channels': async () =>
    (await import('./features/channels/channels-screen.tsx')).ChannelsScreen,
  '/w/$workspaceId/media': async () => (await import('./features/media/media-screen.tsx')).MediaScreen,
  '/w/$workspaceId/templates': async () =>
    (await import('./features/templates/templates-screen.tsx')).TemplatesScreen,
  '/w/$workspaceId/templates/$templateId': async () =>
    (await import('./features/templates/template-screen.tsx')).TemplateScreen,
  '/w/$workspaceId/keys': async () => (await import('./features/keys/keys-screen.tsx')).KeysScreen,
  '/w/$workspaceId/apps': async () => (await import('./features/apps/apps-screen.tsx')).AppsScreen,
  '/w/$workspaceId/webhooks': async () =>
    (await import('./features/webhooks/webhooks-screen.tsx')).WebhooksScreen,
  '/w/$workspaceId/webhooks/$endpointId': async () =>
    (await import('./features/webhooks/endpoint-screen.tsx')).EndpointScreen,
  '/w/$workspaceId/events': async () => (await import('./features/events/events-screen.tsx')).EventsScreen,
  '/w/$workspaceId/members': async () =>
    (await import('./features/settings/members-screen.tsx')).MembersScreen,
  '/w/$workspaceId/audit': async () => (await import('./features/settings/audit-screen.tsx')).AuditScreen,
  '/w/$workspaceId/settings': async () =>
    (await import('./features/settings/settings-screen.tsx')).SettingsScreen,
}
