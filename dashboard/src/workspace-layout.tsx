import type { Right } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Fragment, lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { useServerAway } from './api/away.ts'
import { call } from './api/client.ts'
import { useLive } from './api/live.ts'
import { explainProblem } from './api/problem.ts'
import { isSignedOut, queryClient, read, useWrite } from './api/queries.ts'
import { useAttention } from './features/attention/use-attention.ts'
import { BulkRuns } from './features/bulk/bulk-runs.tsx'
import { worstOf } from './features/calendar/cards.ts'
import { useChannels } from './features/channels/use-channels.ts'
import { useNotices } from './features/notices/use-notices.ts'
import { moreTimesOf, preferClock, showMoment, withMoreTimes } from './lib/time.ts'
import { navigate, usePlace } from './navigation.tsx'
import { type Session, SessionProvider, useSession } from './session.tsx'
import { ErrorBoundary } from './ui/error-boundary.tsx'
import { useKeys } from './ui/keys.ts'
import { Page } from './ui/page.tsx'
import { Palette, type PaletteCommand } from './ui/palette.tsx'
import { Shell } from './ui/shell.tsx'
import { Loading, Unread } from './ui/states.tsx'
import { statusLooks } from './ui/status.tsx'
import { announce } from './ui/toast.tsx'
import { words } from './ui/words.ts'

// Few ever see it.
const OtherWorkspaceScreen = lazy(async () => {
  const { OtherWorkspaceScreen: screen } = await import('./features/settings/no-workspace-screen.tsx')
  return { default: screen }
})

/** The frame of every screen in a workspace: who is signed in, the way to all screens, keys and commands. */
export function WorkspaceLayout({ workspaceId, children }: { workspaceId: string; children: ReactNode }) {
  const me = useQuery(read('readPersonalMe', {}))
  const away = useServerAway()
  if (me.data === undefined)
    return (
      <Shell {...{ workspaceId, away }}>
        <WaitingScreen>{me.isError && !isSignedOut(me.error) ? <Unread of={me} /> : null}</WaitingScreen>
      </Shell>
    )
  const workspace = me.data.workspaces.find((one) => one.workspaceId === workspaceId)
  if (workspace === undefined)
    return (
      <Suspense fallback={<Loading />}>
        <OtherWorkspaceScreen others={me.data.workspaces} />
      </Suspense>
    )
  return <Frame session={{ me: me.data, workspace }}>{children}</Frame>
}

/** A screen whose script is on its way. */
export function WaitingScreen({ children }: { children?: ReactNode }): ReactNode {
  const { path } = usePlace()
  const [, name = '', id] = /\/w\/[^/]+\/([a-z]+)(\/.)?/.exec(path) ?? []
  return (
    <Page title={id === undefined ? (titles[name] ?? words.loading) : words.post}>
      {children ?? <Loading />}
    </Page>
  )
}

const titles: Readonly<Record<string, string>> = {
  today: words.today,
  calendar: words.calendar,
  posts: words.posts,
  compose: words.newPost,
  series: words.series,
  templates: words.templates,
  approvals: words.approvals,
  attention: words.attention,
  channels: words.channels,
  media: words.media,
  keys: words.keys,
  apps: words.apps,
  webhooks: words.webhooks,
  events: words.events,
  members: words.members,
  audit: words.audit,
  settings: words.settings,
}

function Frame({ session, children }: { session: Session; children: ReactNode }) {
  const { me, workspace } = session
  const { workspaceId } = workspace
  const [searching, setSearching] = useState(false)
  const { path } = usePlace()
  const approvals = useQuery(read('listApprovals', { params: { workspaceId }, query: {} }))
  const { count: attention } = useAttention(workspaceId)
  useLive(workspaceId)
  useNotices(workspace)
  const away = useServerAway()
  useReturn(away)
  // Before anything below is rendered that shows a time.
  preferClock(me.preferences.clock)
  const signOut = useWrite('signOut')
  const commands = useCommands(workspaceId, workspace.rights)
  useEffect(() => localStorage.setItem('postrider.workspace', workspaceId), [workspaceId])
  useKeys({
    'mod+k': () => setSearching(true),
    ...Object.fromEntries(
      commands.filter(({ key }) => key !== undefined).map(({ key = '', run }) => [key, run]),
    ),
  })

  return (
    <SessionProvider value={session}>
      <Shell
        {...{ workspaceId, away }}
        known={{
          workspaceName: workspace.name,
          personName: me.person.name,
          waiting: approvals.data?.length ?? 0,
          attention,
          rights: workspace.rights,
          otherWorkspaces: me.workspaces.filter((one) => one.workspaceId !== workspaceId),
          onSwitch: (id) => void navigate({ to: '/w/$workspaceId/today', params: { workspaceId: id } }),
          onSearch: () => setSearching(true),
          onAccount: () => location.assign(new URL('account', document.baseURI)),
          onSignOut: () =>
            signOut.mutate(
              {},
              {
                onSuccess: () => location.assign(new URL('sign-in', document.baseURI)),
                // The menu that it was chosen in is closed.
                onError: (error) => announce(explainProblem(error).detail),
              },
            ),
        }}
      >
        <BulkRuns workspaceId={workspaceId} />
        <ErrorBoundary resetKey={path}>
          <Fragment key={me.preferences.clock}>{children}</Fragment>
        </ErrorBoundary>
      </Shell>
      {searching ? (
        <SearchPalette {...{ workspaceId, commands }} onClose={() => setSearching(false)} />
      ) : null}
    </SessionProvider>
  )
}

const AGAIN_MS = 3_000

/** Its answer, or that there is none, is noted with each request. */
const lookForServer = () => void call('readPersonalMe', {}).catch(() => undefined)

/** Asks a server that is away until it is back; then everything that is shown is read anew. */
function useReturn(away: boolean): void {
  // Without the internet, a server of this network can still be there.
  useEffect(() => {
    addEventListener('offline', lookForServer)
    return () => removeEventListener('offline', lookForServer)
  }, [])
  useEffect(() => {
    if (!away) return
    const timer = setInterval(lookForServer, AGAIN_MS)
    return () => {
      clearInterval(timer)
      void queryClient.invalidateQueries()
    }
  }, [away])
}

type Command = PaletteCommand & { key?: string }
type Place = {
  readonly to:
    | 'compose'
    | 'today'
    | 'calendar'
    | 'posts'
    | 'series'
    | 'templates'
    | 'approvals'
    | 'attention'
    | 'channels'
    | 'media'
    | 'keys'
    | 'apps'
    | 'webhooks'
    | 'events'
    | 'members'
    | 'audit'
    | 'settings'
  readonly label: string
  readonly key?: string
  readonly needs?: Right
}

/** `needs`: what a role has to have, so that the place is there at all. */
const places: readonly Place[] = [
  { to: 'compose', label: words.newPost, key: 'c', needs: 'posts:write' },
  { to: 'today', label: words.goToday, key: 'g t' },
  { to: 'calendar', label: words.goCalendar, key: 'g c' },
  { to: 'posts', label: words.goPosts, key: 'g p' },
  { to: 'series', label: words.goSeries },
  { to: 'templates', label: words.goTemplates },
  { to: 'approvals', label: words.goApprovals, key: 'g a' },
  { to: 'attention', label: words.goAttention, key: 'g n' },
  { to: 'channels', label: words.goChannels, key: 'g h' },
  { to: 'media', label: words.goMedia, key: 'g m' },
  { to: 'keys', label: words.goKeys, key: 'g k', needs: 'keys:manage' },
  { to: 'apps', label: words.goApps, needs: 'keys:manage' },
  { to: 'webhooks', label: words.goWebhooks, key: 'g w', needs: 'webhooks:manage' },
  { to: 'events', label: words.goEvents, key: 'g e' },
  { to: 'members', label: words.goMembers },
  { to: 'audit', label: words.goAudit, needs: 'audit:read' },
  { to: 'settings', label: words.goSettings, key: 'g s' },
]

function useCommands(workspaceId: string, rights: readonly Right[]): Command[] {
  return useMemo(() => {
    const params = { workspaceId }
    return places
      .filter(({ needs }) => needs === undefined || rights.includes(needs))
      .map(({ to, key, label }) => ({
        id: to,
        label,
        ...(key === undefined ? {} : { key }),
        run: () => void navigate({ to: `/w/$workspaceId/${to}`, params }),
      }))
  }, [workspaceId, rights])
}

type SearchPaletteProps = { workspaceId: string; commands: readonly Command[]; onClose: () => void }

const FOUND_TEXT = 80

/** Commands first, then posts that hold what was typed. */
function SearchPalette({ workspaceId, commands, onClose }: SearchPaletteProps) {
  const { timeZone: zone } = useSession().workspace
  const { channelOf } = useChannels()
  const [query, setQuery] = useState('')
  const q = query.trim()
  const posts = useQuery({
    ...read('appListPosts', { params: { workspaceId }, query: { q, limit: 8 } }),
    enabled: q.length > 1,
  })
  const found = (posts.data?.items ?? []).map(({ postId, text, publishAt, destinations }) => {
    const where = destinations.map((one) => channelOf(one).displayName).join(', ')
    const status = statusLooks[worstOf(destinations.map((one) => one.status))].label
    const when =
      publishAt === null ? [] : [withMoreTimes(showMoment(publishAt, zone), moreTimesOf(destinations))]
    return {
      id: postId,
      label: text.slice(0, FOUND_TEXT),
      hint: [status, ...when, where].join(' · '),
      isFound: true as const,
      run: () => void navigate({ to: '/w/$workspaceId/posts/$postId', params: { workspaceId, postId } }),
    }
  })
  useEffect(() => () => void queryClient.cancelQueries({ queryKey: ['appListPosts'] }), [])
  return <Palette commands={[...commands, ...found]} onQuery={setQuery} onClose={onClose} />
}
