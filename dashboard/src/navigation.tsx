import { type ComponentProps, createContext, type ReactNode, use, useEffect } from 'react'
import { type Address, type NamesIn, pathOf, type Place, placeAt, type SearchAt } from './addresses.ts'

/* Going from one address of the dashboard to another, without loading the page anew. */

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
  const now = from.address === to ? from.search : {}
  return pathOf(to, { ...from.params, ...params }, typeof search === 'function' ? search(now) : search)
}

/** What a navigation waits for. */
type Arrival = {
  /** Loads the screen of an address; null where it is there. */
  readonly load: (address: Address) => Promise<unknown> | null
  readonly show: (place: Place) => void
}
let arrival: Arrival = { load: () => null, show: () => undefined }
/** Where the page is, or is about to be. */
let latest: Place

/** A screen whose script comes sooner is shown at once; meanwhile the former one stays. */
const PENDING_MS = 300

export function startNavigation(started: Arrival): Place {
  arrival = started
  latest = placeAt(location)
  addEventListener('popstate', () => {
    latest = placeAt(location)
    void arrive(latest)
  })
  return latest
}

async function arrive(place: Place): Promise<void> {
  const loading = place.address === null ? null : arrival.load(place.address)
  if (loading !== null) await Promise.race([loading.catch(() => undefined), pending()])
  // Meanwhile somebody went elsewhere.
  if (latest === place) arrival.show(place)
}

const pending = () => new Promise((resolve) => setTimeout(resolve, PENDING_MS))

/** Ends when the other screen is shown. */
export function navigate<To extends Address>(target: Target<To>): Promise<void> {
  return goTo(hrefOf(target, latest), target.replace)
}

async function goTo(href: string, replace = false): Promise<void> {
  const { path } = latest
  const isHere = href === location.pathname + location.search
  history[replace || isHere ? 'replaceState' : 'pushState'](null, '', href)
  latest = placeAt(location)
  await arrive(latest)
  if (latest.path !== path) scrollTo(0, 0)
}

const PlaceContext = createContext<Place>({ path: '/', address: null, params: {}, search: {} })
export const PlaceProvider = PlaceContext.Provider

export const usePlace = (): Place => use(PlaceContext)

/** What follows the question mark, on the screen of the address. */
export const useSearch = <At extends Address>(_: At) => use(PlaceContext).search as SearchAt<At>

/** The parts of the address that are not fixed, on its screen. */
export const useParams = <At extends Address>(_: At) =>
  use(PlaceContext).params as Readonly<Record<NamesIn<At>, string>>

type LinkProps<To extends Address> = Omit<ComponentProps<'a'>, 'href'> & Target<To>

const INTENT_MS = 50

/** A link to an address of the dashboard. Its screen is loaded as soon as somebody is about to follow it. */
export function Link<To extends Address>(link: LinkProps<To>): ReactNode
export function Link({
  to,
  params,
  search,
  replace,
  onClick,
  ...rest
}: ComponentProps<'a'> & AnyTarget & { replace?: boolean | undefined }) {
  const href = hrefOf({ to, params, search }, usePlace())
  const preload = () => void arrival.load(to)?.catch(() => undefined)
  return (
    <a
      {...rest}
      href={href}
      onPointerEnter={() => setTimeout(preload, INTENT_MS)}
      onFocus={preload}
      onTouchStart={preload}
      onClick={(event) => {
        onClick?.(event)
        const { metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event
        if (metaKey || ctrlKey || shiftKey || altKey || defaultPrevented) return
        event.preventDefault()
        void goTo(href, replace)
      }}
    />
  )
}

/** Goes there as soon as it is shown. */
export function Navigate<To extends Address>(target: Target<To>): null {
  const href = hrefOf(target, usePlace())
  useEffect(() => void goTo(href, true), [href])
  return null
}
