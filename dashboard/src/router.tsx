import type { app } from '@postrider/contract'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent as lazily,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { FetchQueryOptions } from '@tanstack/react-query'
import { whenServed } from './api/away.ts'
import { homeAddress, queryClient, read, isSignedOut, signInAddress } from './api/queries.ts'
import { keepLanguage } from './lib/language.ts'
import { NotFound } from './ui/not-found.tsx'
import { ProblemNotice } from './ui/states.tsx'
import { screens } from './screens.ts'
import { WaitingFrame, WaitingScreen, WorkspaceLayout } from './workspace-layout.tsx'
import type { Span } from './features/posts/use-listed.ts'
import { isDay, type View, views } from './features/calendar/grid.ts'
import { words } from './ui/words.ts'

const root = createRootRoute({
  component: Outlet,
  errorComponent: ({ error, reset }) => <ProblemNotice error={error} onRetry={reset} />,
  notFoundComponent: () => (
    <main>
      <a href={homeAddress()}>{words.toWorkspace}</a>
    </main>
  ),
})

/** A screen that is loaded when it is first opened, or about to be. */
const lazyRouteComponent: typeof lazily = (load, name) => lazily(whenServed(load), name)

const ME_FRESH_MS = 30_000
/** A screen whose script comes sooner is shown at once. */
const PENDING_MS = 300

async function loadMe(): Promise<app.PersonalMe> {
  const query = { ...read('readPersonalMe', {}), staleTime: ME_FRESH_MS }
  const known = queryClient.getQueryData(query.queryKey)
  const asked = askMe(query)
  if (known === undefined) return asked
  // A server that is away, or slow, does not take the page away: what is new is shown when it comes.
  void asked.catch(() => undefined)
  return known
}

async function askMe(query: FetchQueryOptions<app.PersonalMe>): Promise<app.PersonalMe> {
  try {
    const me = await queryClient.fetchQuery(query)
    keepLanguage(me.preferences.language)
    return me
  } catch (error) {
    if (isSignedOut(error)) location.assign(signInAddress())
    throw error
  }
}

/** What the frame and most screens ask for is on its way while their scripts still are; a refusal is met where it is shown. */
function readAhead(workspaceId: string): void {
  const params = { workspaceId }
  const channels = read('listManagedChannels', { params })
  if (queryClient.getQueryState(channels.queryKey) !== undefined) return
  void queryClient.prefetchQuery(channels)
  void queryClient.prefetchQuery(read('listApprovals', { params, query: {} }))
}

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  loader: async (): Promise<void> => {
    const { workspaces } = await loadMe()
    const last = localStorage.getItem('postrider.workspace')
    const workspace = workspaces.find(({ workspaceId }) => workspaceId === last) ?? workspaces[0]
    if (workspace === undefined) return
    throw redirect({ to: '/w/$workspaceId/today', params: { workspaceId: workspace.workspaceId } })
  },
  component: lazyRouteComponent(
    () => import('./features/settings/no-workspace-screen.tsx'),
    'NoWorkspaceScreen',
  ),
})

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspaceId',
  loader: ({ params }) => {
    readAhead(params.workspaceId)
    return loadMe()
  },
  component: WorkspaceLayout,
  pendingComponent: WaitingFrame,
  pendingMs: 0,
  notFoundComponent: NotFound,
})

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const SPANS: readonly Span[] = ['today', 'week', 'month', 'pastWeek', 'pastMonth']

/** A day that there is. */
const dayOf = (value: unknown): string | undefined => (isDay(String(value)) ? String(value) : undefined)

export type CalendarSearch = {
  view?: View | undefined
  day?: string | undefined
  channelId?: string | undefined
  status?: string | undefined
  author?: string | undefined
  label?: string | undefined
}
export type PostsSearch = {
  q?: string | undefined
  status?: string | undefined
  channelId?: string | undefined
  author?: string | undefined
  label?: string | undefined
  span?: Span | undefined
  /** By the time of publication; left out for the newest first. */
  sort?: 'next' | 'last' | undefined
}
export type ApprovalsSearch = {
  /** The one that is open. */
  request?: string | undefined
  show?: 'decided' | undefined
}
export type ComposeSearch = {
  day?: string | undefined
  /** A posting time that it is to take, and the channel that has it where that is one. */
  slot?: string | undefined
  channel?: string | undefined
  postId?: string | undefined
  /** A template that it begins with. */
  template?: string | undefined
  /** The draft that is kept in this browser. */
  draft?: string | undefined
  /** Whether the writer approves what they save. */
  approve?: true | undefined
}

export type TemplateSearch = {
  /** What a new one begins with. */
  postId?: string | undefined
}

// Each has a name of its own: written within the list below, their types would be lost.
const today = createRoute({
  getParentRoute: () => workspace,
  path: 'today',
  component: lazyRouteComponent(screens.today, 'TodayScreen'),
})

const calendar = createRoute({
  getParentRoute: () => workspace,
  path: 'calendar',
  validateSearch: (search): CalendarSearch => ({
    view: views.find((view) => view === search['view']),
    day: dayOf(search['day']),
    channelId: text(search['channelId']),
    status: text(search['status']),
    author: text(search['author']),
    label: text(search['label']),
  }),
  component: lazyRouteComponent(screens.calendar, 'CalendarScreen'),
})

const posts = createRoute({
  getParentRoute: () => workspace,
  path: 'posts',
  validateSearch: (search): PostsSearch => ({
    q: text(search['q']),
    status: text(search['status']),
    channelId: text(search['channelId']),
    author: text(search['author']),
    label: text(search['label']),
    span: SPANS.find((span) => span === search['span']),
    sort: (['next', 'last'] as const).find((sort) => sort === search['sort']),
  }),
  component: lazyRouteComponent(screens.posts, 'PostsScreen'),
})

const allSeries = createRoute({
  getParentRoute: () => workspace,
  path: 'series',
  component: lazyRouteComponent(screens.series, 'AllSeriesScreen'),
})

const series = createRoute({
  getParentRoute: () => workspace,
  path: 'series/$seriesId',
  component: lazyRouteComponent(() => import('./features/series/series-screen.tsx'), 'SeriesScreen'),
})

const post = createRoute({
  getParentRoute: () => workspace,
  path: 'posts/$postId',
  component: lazyRouteComponent(() => import('./features/posts/post-screen.tsx'), 'PostScreen'),
})

const compose = createRoute({
  getParentRoute: () => workspace,
  path: 'compose',
  validateSearch: (search): ComposeSearch => ({
    day: dayOf(search['day']),
    slot: text(search['slot']),
    channel: text(search['channel']),
    template: text(search['template']),
    postId: text(search['postId']),
    draft: text(search['draft']),
    approve: search['approve'] === true || undefined,
  }),
  component: lazyRouteComponent(screens.compose, 'ComposerScreen'),
})

const approvals = createRoute({
  getParentRoute: () => workspace,
  path: 'approvals',
  validateSearch: (search): ApprovalsSearch => ({
    request: text(search['request']),
    show: search['show'] === 'decided' ? 'decided' : undefined,
  }),
  component: lazyRouteComponent(screens.approvals, 'ApprovalsScreen'),
})

const attention = createRoute({
  getParentRoute: () => workspace,
  path: 'attention',
  component: lazyRouteComponent(screens.attention, 'AttentionScreen'),
})

const channels = createRoute({
  getParentRoute: () => workspace,
  path: 'channels',
  component: lazyRouteComponent(screens.channels, 'ChannelsScreen'),
})

const keys = createRoute({
  getParentRoute: () => workspace,
  path: 'keys',
  component: lazyRouteComponent(screens.keys, 'KeysScreen'),
})

const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: 'webhooks',
  component: lazyRouteComponent(screens.webhooks, 'WebhooksScreen'),
})

const endpoint = createRoute({
  getParentRoute: () => workspace,
  path: 'webhooks/$endpointId',
  component: lazyRouteComponent(() => import('./features/webhooks/endpoint-screen.tsx'), 'EndpointScreen'),
})

const apps = createRoute({
  getParentRoute: () => workspace,
  path: 'apps',
  component: lazyRouteComponent(screens.apps, 'AppsScreen'),
})

const media = createRoute({
  getParentRoute: () => workspace,
  path: 'media',
  component: lazyRouteComponent(screens.media, 'MediaScreen'),
})

const templates = createRoute({
  getParentRoute: () => workspace,
  path: 'templates',
  component: lazyRouteComponent(screens.templates, 'TemplatesScreen'),
})

const template = createRoute({
  getParentRoute: () => workspace,
  path: 'templates/$templateId',
  validateSearch: (search): TemplateSearch => ({ postId: text(search['postId']) }),
  component: lazyRouteComponent(() => import('./features/templates/template-screen.tsx'), 'TemplateScreen'),
})

const events = createRoute({
  getParentRoute: () => workspace,
  path: 'events',
  component: lazyRouteComponent(screens.events, 'EventsScreen'),
})

const members = createRoute({
  getParentRoute: () => workspace,
  path: 'members',
  component: lazyRouteComponent(screens.members, 'MembersScreen'),
})

const audit = createRoute({
  getParentRoute: () => workspace,
  path: 'audit',
  component: lazyRouteComponent(screens.audit, 'AuditScreen'),
})

const settings = createRoute({
  getParentRoute: () => workspace,
  path: 'settings',
  component: lazyRouteComponent(screens.settings, 'SettingsScreen'),
})

const all = [
  today,
  calendar,
  posts,
  post,
  allSeries,
  series,
  compose,
  approvals,
  attention,
  channels,
  media,
  templates,
  template,
  keys,
  apps,
  webhooks,
  endpoint,
  events,
  members,
  audit,
  settings,
] as const
const routeTree = root.addChildren([home, workspace.addChildren([...all])])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingComponent: WaitingScreen,
  defaultPendingMs: PENDING_MS,
  defaultPendingMinMs: 0,
  defaultErrorComponent: ({ error, reset }) => <ProblemNotice error={error} onRetry={reset} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
