import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, readBody } from '../shared/answers.ts'
import type { SignedEvent } from '../shared/nostr-events.ts'
import type { Limits } from '../port/bounds.ts'
import type {
  Account,
  Adapter,
  ConnectFields,
  ConnectRefusal,
  ConnectVerdict,
  FormWork,
  ProfileVerdict,
  ProfileWork,
} from '../port/port.ts'
import { call, tryCall, type Steps } from '../port/procedure.ts'
import { readServerAddress } from '../shared/server-address.ts'
import { accountOf, refused, unavailable } from '../port/verdicts.ts'
import { nostrAuthorization, type NostrAuthorization } from './authorization.ts'
import { npubOf } from './nip19.ts'
import type { NostrPlaces } from './places.ts'
import {
  ask,
  MAX_RELAYS,
  newestOf,
  readRelay,
  RELAY_LIST,
  relaysIn,
  relayUrl,
  storedIn,
  writeRelays,
} from './relays.ts'
import { signingOf } from './signer.ts'

type NotConnected = Exclude<ConnectVerdict, { is: 'connected' }>

/** How accounts are connected: by their key, and what relays know of them. */
export function connectingWith(places: NostrPlaces, defaults: Limits): Pick<Adapter, 'form' | 'profile'> {
  return {
    form: (work) => connect(work, places, defaults),
    profile: (work) => profile(work, places, defaults),
  }
}

const METADATA = 0
/** https://github.com/hzrd149/blossom/blob/master/buds/03.md */
const MEDIA_SERVERS = 10_063

const GRACE_MS = 3_000

function* connect(
  { fields }: FormWork,
  { directory, mediaServer }: NostrPlaces,
  defaults: Limits,
): Steps<ConnectVerdict> {
  const named = relaysNamed(fields)
  if ('is' in named) return named
  const files = fields['mediaServer'] === undefined ? null : mediaServerNamed(fields['mediaServer'])
  if (files !== null && 'is' in files) return files
  const signing = yield* signingOf(fields['secretKey'] ?? '')
  if ('is' in signing) return signing
  const { pubkey } = signing

  const events = yield* eventsOf(pubkey, [...named, ...directory])
  if ('is' in events) return events
  const listed = relaysIn(newestOf(events, pubkey, RELAY_LIST), 'write').slice(0, MAX_RELAYS)
  if (named.length + listed.length === 0) return NO_RELAYS
  const authorization: NostrAuthorization = {
    ...signing,
    named: [...named],
    listed,
    mediaServer: files?.server ?? firstServerIn(newestOf(events, pubkey, MEDIA_SERVERS)) ?? mediaServer,
  }
  const limits = yield* limitsAt(writeRelays(authorization), defaults)
  return { is: 'connected', authorization, account: accountIn(events, pubkey, limits) }
}

const NO_RELAYS = refused(
  'invalid_field',
  'No relay has a list of the relays that this account writes to. Enter the relays to publish to.',
  'relays',
)

function relaysNamed(fields: ConnectFields): readonly string[] | ConnectRefusal {
  const typed = (fields['relays'] ?? '').split(/[\s,]+/).filter((one) => one !== '')
  const relays = typed.map(readRelay)
  const wrong = typed.find((_, at) => relays[at] === null)
  if (wrong !== undefined) {
    const detail = `${wrong} is not the address of a relay. It looks like wss://relay.example.com.`
    return refused('invalid_field', detail, 'relays')
  }
  if (relays.length > MAX_RELAYS) {
    return refused('invalid_field', `Name at most ${MAX_RELAYS} relays.`, 'relays')
  }
  return [...new Set(relays.filter((relay) => relay !== null))]
}

function mediaServerNamed(typed: string) {
  return readServerAddress(typed, { field: 'mediaServer', example: 'https://blossom.example.com' })
}

function firstServerIn(list: Pick<SignedEvent, 'tags'> | null): string | null {
  for (const [name, address = ''] of list?.tags ?? []) {
    const url = name === 'server' ? URL.parse(address) : null
    if (url?.protocol === 'https:') return url.origin
  }
  return null
}

/** What relays know of an account: who it is, where it writes and where its files are. */
function* eventsOf(pubkey: string, relays: readonly string[]): Steps<readonly SignedEvent[] | NotConnected> {
  const filter = { kinds: [METADATA, RELAY_LIST, MEDIA_SERVERS], authors: [pubkey] }
  const response = yield* call(ask([...new Set(relays)], filter, { graceMs: GRACE_MS }))
  return (
    storedIn(response)?.events ?? unavailable('No relay answered. Try again later, or enter other relays.')
  )
}

/* ----------------------------------------------------------------------------------------------------------- account */

/** https://github.com/nostr-protocol/nips/blob/master/24.md#kind-0 */
const Metadata = Type.Object({
  name: Type.Optional(Type.Unknown()),
  display_name: Type.Optional(Type.Unknown()),
  picture: Type.Optional(Type.Unknown()),
})

const MAX_NAME = 200

function accountIn(events: readonly SignedEvent[], pubkey: string, limits: Limits): Account {
  const told = jsonOf({ body: newestOf(events, pubkey, METADATA)?.content ?? '' })
  const { name, display_name, picture } = Check(Metadata, told) ? told : {}
  const handle = npubOf(pubkey)
  const shown = [display_name, name].find((one) => typeof one === 'string' && one.trim() !== '')
  return accountOf({
    remoteAccountId: pubkey,
    displayName: typeof shown === 'string' ? shown.trim().slice(0, MAX_NAME) : `${handle.slice(0, 12)}…`,
    handle,
    avatar: typeof picture === 'string' ? picture : undefined,
    limits,
  })
}

/** https://github.com/nostr-protocol/nips/blob/master/11.md#server-limitations */
const Count = Type.Integer({ minimum: 1, maximum: 1e9 })
const Information = Type.Object({
  limitation: Type.Object({
    max_content_length: Type.Optional(Count),
    max_message_length: Type.Optional(Count),
  }),
})

/** How many relays are asked for their limits. */
const MAX_ASKED = 4
/** What a message has besides the content: id, key, signature and tags. */
const MESSAGE_BYTES = 4_000
/** Less than this is no limit but a mistake. */
const LEAST = 100

/** What all of an account's relays take, as far as they say so. */
export function* limitsAt(relays: readonly string[], defaults: Limits): Steps<Limits> {
  let { maxCharacters, maxBytes = Infinity } = defaults
  for (const relay of relays.slice(0, MAX_ASKED)) {
    const response = yield* tryCall({
      method: 'GET',
      url: relayUrl(relay),
      headers: { accept: 'application/nostr+json' },
    })
    const { limitation = {} } = (response === null ? null : readBody(response, Information)) ?? {}
    const { max_content_length: characters = Infinity, max_message_length: bytes = Infinity } = limitation
    maxCharacters = Math.max(LEAST, Math.min(maxCharacters, characters))
    maxBytes = Math.max(LEAST, Math.min(maxBytes, bytes - MESSAGE_BYTES))
  }
  return { ...defaults, maxCharacters, maxBytes }
}

function* profile(
  { authorization: stored }: ProfileWork,
  { directory }: NostrPlaces,
  defaults: Limits,
): Steps<ProfileVerdict> {
  const authorization = nostrAuthorization(stored)
  const relays = writeRelays(authorization)
  const events = yield* eventsOf(authorization.pubkey, [...relays, ...directory])
  if ('is' in events) return unavailable('No relay answered.')
  const limits = yield* limitsAt(relays, defaults)
  return { is: 'profile', account: accountIn(events, authorization.pubkey, limits) }
}
