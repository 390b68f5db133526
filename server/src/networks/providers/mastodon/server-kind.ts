import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf } from '../shared/answers.ts'
import type { HttpRequest } from '../port/calls.ts'
import type { Limits } from '../port/bounds.ts'
import type { ListShows } from '../port/port.ts'
import { call, type Steps } from '../port/procedure.ts'
import { read } from './answers.ts'

/** What is known of the software that answers at an instance. */
export type ServerKind = {
  /** Which of an account's posts its own list shows to it (`GET /api/v1/accounts/:id/statuses`). */
  readonly shows: ListShows
  /** Whether a second call with an `Idempotency-Key` makes nothing: for an hour, at Mastodon. */
  readonly keepsKeys: boolean
  /** How it counts a text: Mastodon alone counts every link as 23, and mentions without their domain. */
  readonly characterCounting: Limits['characterCounting']
}

const everyPost: ListShows = {
  replies: true,
  settings: { visibility: 'any', contentWarning: 'any', sensitive: 'any', language: 'any' },
}

/** By the name that a server gives in its NodeInfo, with the versions that this was read in or tried with. */
const KINDS: Readonly<Record<string, Omit<ServerKind, 'characterCounting'> & { readonly versions: RegExp }>> =
  {
    // app/lib/account_statuses_filter.rb (`account.statuses.all` for the author) and app/services/post_status_service.rb.
    // Of forks, glitch-soc alone is known to have left both as they are.
    mastodon: {
      versions: /^(?:[4-9]|\d\d)\.\d+\.\d+(?:-(?:alpha|beta|rc|nightly)[\w.-]*)?(?:\+glitch[\w.]*)?$/,
      shows: everyPost,
      keepsKeys: true,
    },
    // internal/filter/visibility/status.go ("Author can always see their own status"). It reads no key of a call.
    gotosocial: { versions: /^0\.\d+\.\d+/, shows: everyPost, keepsKeys: false },
    // Tried: its list is the account's public page, so that posts for followers are not in it.
    snac: {
      versions: /^2\.\d+/,
      shows: { replies: true, settings: { ...everyPost.settings, visibility: ['public'] } },
      keepsKeys: false,
    },
  }

/** What the API's own description says of the list: "statuses posted to the given account", and nothing of who sees which. */
const UNKNOWN: Omit<ServerKind, 'characterCounting'> = {
  shows: { replies: false, settings: { visibility: ['public'], sensitive: [false], language: 'any' } },
  keepsKeys: false,
}

const Links = Type.Object({ links: Type.Array(Type.Object({ rel: Type.String(), href: Type.String() })) })
const NodeInfo = Type.Object({
  software: Type.Object({ name: Type.String(), version: Type.String() }),
})

/**
 * What kind of server an instance is, by its NodeInfo (https://nodeinfo.diaspora.software/protocol). Software that is not known,
 * or that the instance does not tell, makes the server an unknown one; null where the answer is broken, so that the next one may tell.
 */
export function* serverKind(server: string): Steps<ServerKind | null> {
  const software = yield* softwareOf(server)
  if (software === null) return null
  const { name, version } = software
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  const { shows, keepsKeys } = kind?.versions.test(version) === true ? kind : UNKNOWN
  // Others count links in full (GoToSocial: internal/processing/status/common.go): no text is longer than its code points.
  return { shows, keepsKeys, characterCounting: name === 'mastodon' ? 'mastodon' : 'code_points' }
}

const UNTOLD = { name: '', version: '' }

function* softwareOf(server: string): Steps<{ readonly name: string; readonly version: string } | null> {
  const known = yield* call(ask(server, '/.well-known/nodeinfo'))
  if (known.status === 404 || known.status === 410) return UNTOLD
  const links = jsonOf(known)
  if (known.status !== 200 || !Check(Links, links)) return null
  const href = links.links.find(({ rel }) => rel.includes('nodeinfo.diaspora.software/ns/schema/2'))?.href
  if (href === undefined) return UNTOLD
  const path = URL.parse(href)?.pathname
  if (path === undefined) return null
  // Asked of the instance itself, by whatever name it calls itself.
  const response = yield* call(ask(server, path))
  const told = jsonOf(response)
  return response.status === 200 && Check(NodeInfo, told) ? told.software : null
}

function ask(server: string, path: string): HttpRequest {
  return read({ server }, path)
}
