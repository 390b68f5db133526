import { type ComponentProps, createContext, type ReactNode, use, useMemo } from 'react'
import { Link as RouterLink, Redirect, Router } from 'wouter'
import { navigate as changeAddress, useLocationProperty } from 'wouter/use-browser-location'
import { type Address, type NamesIn, pathOf, type Place, placeAt, type SearchAt } from './addresses.ts'

/* Navigation with addresses that the compiler checks; the history and links are the router's. */

type Target<To extends Address> = {
  to: To
  replace?: boolean | undefined
  /** A function gets what the address says now, where that is the same one. */
  search?: SearchAt<To> | ((now: SearchAt<To>) => SearchAt<To>) | undefined
} & ParamsOf<Exclude<NamesIn<To>, 'workspaceId'>>

/** The workspace is that of the page, unless another is named. */
type ParamsOf<Name extends string> = [Name] extends [never]
  ? { params?: { workspaceId?: string } | undefined }
  : { params: Record<Name, string> & { workspaceId?: string } }

/** What its parts are known by once they are put together. */
type AnyTarget = {
  to: Address
  params?: Readonly<Record<string, string>> | undefined
  search?: object | ((now: never) => object) | undefined
}

function hrefOf(target: AnyTarget, from: Place): string {
  const { to, params, search = {} } = target
  const current = from.address === to ? from.search : {}
  return pathOf(to, { ...from.params, ...params }, typeof search === 'function' ? search(current) : search)
}

/** Loads the script of a screen; null where it is loaded. */
type LoadScreen = (address: Address) => Promise<unknown> | null
let loadScreen: LoadScreen = () => null

/** The former screen stays that long while the script of the next one is loading. */
const PENDING_MS = 300

let latestHref = ''

/** Ends when the other screen is shown, or another navigation has taken its place. */
async function goTo(href: string, replace = false): Promise<void> {
  const from = location.href
  const target = new URL(href, from)
  const { address } = placeAt(target)
  latestHref = href
  const loading = address === null ? null : loadScreen(address)
  if (loading !== null) await Promise.race([loading.catch(() => undefined), pending()])
  if (latestHref !== href || location.href !== from) return
  changeAddress(href, { replace: replace || target.href === from })
  if (target.pathname !== new URL(from).pathname) scrollTo(0, 0)
}

const pending = () => new Promise((resolve) => setTimeout(resolve, PENDING_MS))

export function navigate<To extends Address>(target: Target<To>): Promise<void> {
  return goTo(hrefOf(target, placeAt(location)), target.replace)
}

const PlaceContext = createContext<Place>({ path: '/', address: null, params: {}, search: {} })

/** Gives everything below it the place that the address names. */
export function Navigation({ load, children }: { load: LoadScreen; children: (place: Place) => ReactNode }) {
  loadScreen = load
  return (
    <Router aroundNav={(_navigate, href, options) => void goTo(href, options?.replace)}>
      <PlaceProvider>{children}</PlaceProvider>
    </Router>
  )
}

function PlaceProvider({ children }: { children: (place: Place) => ReactNode }) {
  // As it stands there: the router's own hooks decode it, and what is read of it would be decoded twice.
  const href = useLocationProperty(() => location.pathname + location.search)
  const place = useMemo(() => placeAt(new URL(href, location.origin)), [href])
  return <PlaceContext value={place}>{children(place)}</PlaceContext>
}

export const usePlace = (): Place => use(PlaceContext)

/** What follows the question mark, on the screen of the address. */
export const useSearch = <At extends Address>(_: At) => use(PlaceContext).search as SearchAt<At>

/** The parts of the address that are not fixed, on its screen. */
export const useParams = <At extends Address>(_: At) =>
  use(PlaceContext).params as Readonly<Record<NamesIn<At>, string>>

type LinkProps<To extends Address> = Omit<ComponentProps<'a'>, 'href'> & Target<To>

const INTENT_MS = 50

/** A link to an address of the dashboard. The screen is loaded as soon as the pointer or the focus is on the link. */
export function Link<To extends Address>(link: LinkProps<To>): ReactNode
export function Link({
  to,
  params,
  search,
  replace = false,
  ...rest
}: ComponentProps<'a'> & AnyTarget & { replace?: boolean | undefined }) {
  const href = hrefOf({ to, params, search }, usePlace())
  const preload = () => void loadScreen(to)?.catch(() => undefined)
  return (
    <RouterLink
      {...rest}
      href={href}
      replace={replace}
      onPointerEnter={() => setTimeout(preload, INTENT_MS)}
      onFocus={preload}
      onTouchStart={preload}
    />
  )
}

/** Navigates as soon as it is shown. */
export function Navigate<To extends Address>(target: Target<To>): ReactNode {
  return <Redirect replace href={hrefOf(target, usePlace())} />
}
