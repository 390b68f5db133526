import type { app } from '@postrider/contract'
import { type FetchQueryOptions, useQuery } from '@tanstack/react-query'
import {
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Address, Place } from './addresses.ts'
import { whenServed } from './api/away.ts'
import { homeAddress, isSignedOut, queryClient, read, signInAddress } from './api/queries.ts'
import { keepLanguage } from './lib/language.ts'
import { Navigate, Navigation, usePlace } from './navigation.tsx'
import { screens } from './screens.ts'
import { ErrorBoundary } from './ui/error-boundary.tsx'
import { NotFound } from './ui/not-found.tsx'
import { Loading, ProblemNotice, Unread } from './ui/states.tsx'
import { words } from './ui/words.ts'
import { WaitingScreen, WorkspaceLayout } from './workspace-layout.tsx'

const ME_FRESH_MS = 30_000

/** Who is signed in, told again with every change of page: what they may do can have changed. */
async function loadMe(): Promise<void> {
  const query: FetchQueryOptions<app.PersonalMe> = { ...read('readPersonalMe', {}), staleTime: ME_FRESH_MS }
  try {
    keepLanguage((await queryClient.fetchQuery(query)).preferences.language)
  } catch (error) {
    // Anything else is told by the page's frame, which reads the same.
    if (isSignedOut(error)) location.assign(signInAddress())
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

type Loaded = { readonly component: ComponentType } | { readonly error: unknown }
const loaded = new Map<Address, Loaded>()
const loading = new Map<Address, Promise<void>>()

function load(address: Address): Promise<void> | null {
  if (address === '/' || loaded.has(address)) return null
  const known = loading.get(address)
  if (known !== undefined) return known
  const begun = loadScreen(address, screens[address])
  loading.set(address, begun)
  return begun
}

async function loadScreen(address: Address, script: () => Promise<ComponentType>): Promise<void> {
  try {
    loaded.set(address, { component: await whenServed(script)() })
  } catch (error) {
    if (!reloadsFor(error)) loaded.set(address, { error })
  }
  loading.delete(address)
  tell()
}

/** The server may run another release than this page, whose scripts have other names: the page is loaded anew, once. */
function reloadsFor(error: unknown): boolean {
  const key = `postrider.reloaded:${String(error)}`
  if (sessionStorage.getItem(key) !== null) return false
  sessionStorage.setItem(key, '')
  location.reload()
  return true
}

const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}
function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function App(): ReactNode {
  return <Navigation load={load}>{(place) => <Entered {...place} />}</Navigation>
}

function Entered(place: Place) {
  const { path } = place
  const { workspaceId } = place.params
  useEffect(() => {
    if (workspaceId !== undefined) readAhead(workspaceId)
    if (workspaceId !== undefined || path === '/') void loadMe()
  }, [workspaceId, path])
  return (
    <ErrorBoundary resetKey={path}>
      <At {...place} />
    </ErrorBoundary>
  )
}

function At({ address, params: { workspaceId }, path }: Place) {
  if (address === '/') return <Home />
  if (workspaceId === undefined)
    return (
      <main>
        <a href={homeAddress()}>{words.toWorkspace}</a>
      </main>
    )
  return (
    <WorkspaceLayout workspaceId={workspaceId}>
      {path.split('/').length === 3 ? <Navigate to="/w/$workspaceId/today" /> : <Screen />}
    </WorkspaceLayout>
  )
}

/** The screen of the address, or that it is on its way. */
function Screen() {
  const { address } = usePlace()
  const screen = useSyncExternalStore(listen, () => (address === null ? undefined : loaded.get(address)))
  if (address === null) return <NotFound />
  if (screen === undefined) {
    void load(address)
    return <WaitingScreen />
  }
  if ('component' in screen) return <screen.component />
  const again = () => {
    loaded.delete(address)
    tell()
  }
  return <ProblemNotice error={screen.error} onRetry={again} />
}

const NoWorkspaceScreen = lazy(async () => {
  const { NoWorkspaceScreen: screen } = await import('./features/settings/no-workspace-screen.tsx')
  return { default: screen }
})

/** The workspace that the person has used last. */
function Home() {
  const me = useQuery(read('readPersonalMe', {}))
  const [last] = useState(() => localStorage.getItem('postrider.workspace'))
  if (me.data === undefined)
    return <main>{me.isError && !isSignedOut(me.error) ? <Unread of={me} /> : <Loading />}</main>
  const { workspaces } = me.data
  const workspace = workspaces.find(({ workspaceId }) => workspaceId === last) ?? workspaces[0]
  if (workspace !== undefined)
    return <Navigate to="/w/$workspaceId/today" params={{ workspaceId: workspace.workspaceId }} />
  return (
    <Suspense fallback={<Loading />}>
      <NoWorkspaceScreen />
    </Suspense>
  )
}
