import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import type { HttpRequest, HttpResponse, Json } from '../port/calls.ts'
import { isSigned, type SignedEvent } from '../shared/nostr-events.ts'
import { reportsOf } from '../shared/relay-reports.ts'
import type { keyOf, NostrAuthorization } from './authorization.ts'

/* Relays: their addresses, what they are asked, and what an account says of its own (NIP-65). */

/** How many relays a note goes to, at most. */
export const MAX_RELAYS = 10

/** `wss://…` as it is called: with the scheme of its handshake. */
export function relayUrl(relay: string): URL {
  return new URL(relay.replace(/^ws/i, 'http'))
}

/** The one spelling of the address of a relay; null for what is none. */
export function readRelay(typed: string): string | null {
  const address = /^wss?:\/\//i.test(typed) ? typed : `wss://${typed}`
  const url = URL.parse(address.replace(/^ws/i, 'http'))
  if (url === null || typed.includes('://') !== /^wss?:/i.test(typed)) return null
  if (url.username !== '' || url.password !== '' || url.hash !== '') return null
  if (!url.hostname.includes('.') && !url.hostname.includes(':') && url.hostname !== 'localhost') return null
  return url.href.replace(/^http/, 'ws').replace(/\/$/, '')
}

/** All relays that a channel writes to, those that its owner named first. */
export function writeRelays({ named, listed }: Pick<NostrAuthorization, 'named' | 'listed'>): string[] {
  return [...new Set([...named, ...listed])].slice(0, MAX_RELAYS)
}

const Event = Type.Object({
  id: Type.String(),
  pubkey: Type.String(),
  created_at: Type.Integer(),
  kind: Type.Integer(),
  tags: Type.Array(Type.Array(Type.String())),
  content: Type.String(),
  sig: Type.String(),
})

type Key = ReturnType<typeof keyOf>

/** Every subscription has a connection of its own. */
const SUBSCRIPTION = 'postrider'

/** Asks relays for stored events. */
export function ask(
  relays: readonly string[],
  filter: { readonly [name: string]: Json },
  { graceMs, key }: { readonly graceMs: number | null; readonly key?: Key },
): HttpRequest {
  return talk(relays, [['REQ', SUBSCRIPTION, filter]], { until: 'EOSE', graceMs }, key)
}

/** Gives relays an event. */
export function give(relays: readonly string[], event: Json, graceMs: number, key: Key): HttpRequest {
  return talk(relays, [['EVENT', event]], { until: 'OK', graceMs }, key)
}

function talk(
  relays: readonly string[],
  messages: readonly Json[],
  { until, graceMs }: { readonly until: 'OK' | 'EOSE'; readonly graceMs: number | null },
  key: Key | undefined,
): HttpRequest {
  const [url, ...others] = relays.map(relayUrl)
  if (url === undefined) throw new Error('there is no relay to talk to')
  return {
    method: 'GET',
    url,
    relays: { others, messages, until, graceMs },
    ...(key === undefined ? {} : { authorization: key }),
  }
}

/** What relays had: events with the id and signature of their author, and whether each relay told all that it has. */
export type Stored = { readonly events: readonly SignedEvent[]; readonly complete: boolean }

/** What relays answered; null for an answer that is none of relays. */
export function storedIn(response: HttpResponse): Stored | null {
  const reports = reportsOf(response)
  if (reports === null) return null
  const said = reports.map((report) => report.said)
  const told = said
    .flat()
    .flatMap(([type, , event]) => (type === 'EVENT' && Check(Event, event) ? [event] : []))
  // Relays tell the same, and a signature takes milliseconds.
  const different = new Map(told.map((event) => [JSON.stringify(event), event]))
  const events = [...different.values()].filter(isSigned)
  return { events, complete: said.every((each) => each.at(-1)?.[0] === 'EOSE') }
}

/** The newest event of an author of this kind; of two of one second the one with the lower id (NIP-01). */
export function newestOf(
  events: readonly SignedEvent[],
  author: string,
  kind: number,
): Static<typeof Event> | SignedEvent | null {
  return (
    events
      .filter((event) => event.pubkey === author && event.kind === kind)
      .toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1))[0] ?? null
  )
}

/** https://github.com/nostr-protocol/nips/blob/master/65.md */
export const RELAY_LIST = 10_002

/** The relays of a list that its author writes to, or reads from: without a marker it is both. */
export function relaysIn(list: Pick<SignedEvent, 'tags'> | null, use: 'read' | 'write'): string[] {
  const found = (list?.tags ?? []).flatMap(([name, relay = '', marker]) => {
    const address =
      name === 'r' && (marker === undefined || marker === '' || marker === use) ? readRelay(relay) : null
    return address === null ? [] : [address]
  })
  return [...new Set(found)]
}
