import { isDay, type View, views } from './features/calendar/grid.ts'

/* The addresses of the dashboard, and what may follow the question mark in each: anything else there is ignored. */

/** The periods that a list of posts can be narrowed to. */
const spans = ['today', 'week', 'month', 'pastWeek', 'pastMonth'] as const
export type Span = (typeof spans)[number]

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

/** What the address says of a name, undefined where nothing. */
type Said = (name: string) => string | undefined

const oneOf = <const Value extends string>(values: readonly Value[], value: string | undefined) =>
  values.find((one) => one === value)
/** A day that there is. */
const dayOf = (value = '') => (isDay(value) ? value : undefined)
const nothing = (): Record<string, never> => ({})

export const addresses = {
  '/': nothing,
  '/w/$workspaceId/today': nothing,
  '/w/$workspaceId/calendar': (said: Said): CalendarSearch => ({
    view: oneOf(views, said('view')),
    day: dayOf(said('day')),
    channelId: said('channelId'),
    status: said('status'),
    author: said('author'),
    label: said('label'),
  }),
  '/w/$workspaceId/posts': (said: Said): PostsSearch => ({
    q: said('q'),
    status: said('status'),
    channelId: said('channelId'),
    author: said('author'),
    label: said('label'),
    span: oneOf(spans, said('span')),
    sort: oneOf(['next', 'last'], said('sort')),
  }),
  '/w/$workspaceId/posts/$postId': nothing,
  '/w/$workspaceId/series': nothing,
  '/w/$workspaceId/series/$seriesId': nothing,
  '/w/$workspaceId/compose': (said: Said): ComposeSearch => ({
    day: dayOf(said('day')),
    slot: said('slot'),
    channel: said('channel'),
    template: said('template'),
    postId: said('postId'),
    draft: said('draft'),
    approve: said('approve') === 'true' || undefined,
  }),
  '/w/$workspaceId/approvals': (said: Said): ApprovalsSearch => ({
    request: said('request'),
    show: oneOf(['decided'], said('show')),
  }),
  '/w/$workspaceId/attention': nothing,
  '/w/$workspaceId/channels': nothing,
  '/w/$workspaceId/media': nothing,
  '/w/$workspaceId/templates': nothing,
  '/w/$workspaceId/templates/$templateId': (said: Said): TemplateSearch => ({ postId: said('postId') }),
  '/w/$workspaceId/keys': nothing,
  '/w/$workspaceId/apps': nothing,
  '/w/$workspaceId/webhooks': nothing,
  '/w/$workspaceId/webhooks/$endpointId': nothing,
  '/w/$workspaceId/events': nothing,
  '/w/$workspaceId/members': nothing,
  '/w/$workspaceId/audit': nothing,
  '/w/$workspaceId/settings': nothing,
} satisfies Record<string, (said: Said) => object>

export type Address = keyof typeof addresses
export type SearchAt<To extends Address> = ReturnType<(typeof addresses)[To]>

/** The parts of an address that are not fixed: `workspaceId` and `postId` of `/w/$workspaceId/posts/$postId`. */
export type NamesIn<To extends string> = To extends `${string}$${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : To extends `${string}$${infer Name}`
    ? Name
    : never

/** Where the page is. */
export type Place = {
  readonly path: string
  /** Null for what is no address of the dashboard. */
  readonly address: Address | null
  readonly params: Readonly<Record<string, string>>
  readonly search: object
}

const patterns = Object.keys(addresses).map((address) => ({
  address: address as Address,
  pattern: new RegExp(`^${address.replaceAll(/\$(\w+)/g, '(?<$1>[^/]+)')}$`),
}))
const inWorkspace = /^\/w\/(?<workspaceId>[^/]+)/

export function placeAt({ pathname, search }: { pathname: string; search: string }): Place {
  const path = pathname.replace(/(?<=.)\/+$/, '')
  for (const { address, pattern } of patterns) {
    const params = decoded(pattern.exec(path)?.groups, address === '/' && path === '/')
    if (params === null) continue
    const asked = new URLSearchParams(search)
    return { path, address, params, search: addresses[address]((name) => asked.get(name) || undefined) }
  }
  return { path, address: null, params: decoded(inWorkspace.exec(path)?.groups, false) ?? {}, search: {} }
}

/** Null where nothing was found, or what was found is no text. */
function decoded(
  groups: Record<string, string> | undefined,
  isWithout: boolean,
): Readonly<Record<string, string>> | null {
  if (groups === undefined) return isWithout ? {} : null
  try {
    return Object.fromEntries(
      Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch {
    return null
  }
}

export function pathOf(
  address: Address,
  params: Readonly<Record<string, string | undefined>>,
  search: object,
): string {
  const path = address.replaceAll(/\$(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const said = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  return said.length === 0 ? path : `${path}?${new URLSearchParams(said as [string, string][]).toString()}`
}
