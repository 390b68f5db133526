import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import type { HttpRequest, HttpResponse, Json } from '../port/calls.ts'
import { eventJson } from '../shared/nostr-events.ts'
import type {
  LookupResult,
  LookupWork,
  PrepareVerdict,
  PrepareWork,
  PublishWork,
  Refusal,
  Verdict,
} from '../port/port.ts'
import { call, tryCall, type Procedure, type Steps } from '../port/procedure.ts'
import { reportsOf } from '../shared/relay-reports.ts'
import { storedAs } from '../shared/stored-as.ts'
import { AWAY, rateLimited, rejected, unavailable } from '../port/verdicts.ts'
import { keyOf, nostrAuthorization, type NostrAuthorization } from './authorization.ts'
import { neventOf } from './nip19.ts'
import { contentOf, hashtagsIn, mediaTag, referencesIn, replyTags, type Tag } from './note.ts'
import type { NostrPlaces } from './places.ts'
import { ask, give, MAX_RELAYS, newestOf, RELAY_LIST, relaysIn, storedIn, writeRelays } from './relays.ts'
import { signNote } from './signer.ts'
import { Uploaded } from './upload.ts'

/** A note is signed before the call: its id is the digest of all of it, and the same for every repeat. */
const Prepared = Type.Object({
  event: Type.Object({
    id: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    pubkey: Type.String(),
    created_at: Type.Integer(),
    kind: Type.Integer(),
    tags: Type.Array(Type.Array(Type.String())),
    content: Type.String(),
    sig: Type.String(),
  }),
  /** Where it goes, in order. */
  relays: Type.Array(Type.String(), { minItems: 1 }),
})
type Prepared = Static<typeof Prepared>
const preparedOf = storedAs(Prepared, 'What is prepared of a Nostr note')

/** https://github.com/nostr-protocol/nips/blob/master/10.md */
const TEXT_NOTE = 1

/* ----------------------------------------------------------------------------------------------------------- prepare */

/** How many of the mentioned are told of a note, and at how many of their relays. */
const MAX_TOLD = 5
const RELAYS_OF_EACH = 2

export function prepare(places: NostrPlaces): Procedure<PrepareWork, PrepareVerdict> {
  return function* prepareNote(work) {
    const authorization = nostrAuthorization(work.authorization)
    const relays = yield* relaysFor(authorization, work, places)
    // What was taken for absent is sent again as it is: there is one note, however late an earlier call arrives.
    if (Check(Prepared, work.former)) return prepared({ ...work.former, relays })
    const [relay = ''] = relays
    const signed = yield* signNote(authorization, {
      kind: TEXT_NOTE,
      created_at: Math.floor(work.now.getTime() / 1_000),
      tags: tagsOf(work, { relay, author: authorization.pubkey }),
      content: contentOf(
        work.text,
        work.media.map((item) => uploadedOf(item.details).url),
      ),
    })
    if ('is' in signed) return signed
    const { id, pubkey, created_at, kind, tags, content, sig } = signed
    const event = { id, pubkey, created_at, kind, tags: tags.map((tag) => [...tag]), content, sig }
    return prepared({ event, relays })
  }
}

function prepared(what: Prepared): PrepareVerdict {
  return { is: 'prepared', prepared: what }
}

/**
 * Where a note goes (NIP-65): the relays that its author writes to, by the newest list that can be had, and those that the mentioned
 * read from. Without an answer, by the list of when the channel was connected.
 */
function* relaysFor(
  authorization: NostrAuthorization,
  { text }: PrepareWork,
  { directory }: NostrPlaces,
): Steps<string[]> {
  const { pubkey, named } = authorization
  const told = referencesIn(text)
    .mentioned.filter((mentioned) => mentioned !== pubkey)
    .slice(0, MAX_TOLD)
  const known = writeRelays(authorization)
  const asked = [...new Set([...known, ...directory])]
  const answered = yield* tryCall(
    ask(asked, { kinds: [RELAY_LIST], authors: [pubkey, ...told] }, { graceMs: 1_500 }),
  )
  const { events = [] } = (answered === null ? null : storedIn(answered)) ?? {}
  const listOf = (author: string) => newestOf(events, author, RELAY_LIST)
  const own = relaysIn(listOf(pubkey), 'write')
  const written = own.length === 0 ? known : writeRelays({ named, listed: own })
  const ofTold = told.flatMap((mentioned) => relaysIn(listOf(mentioned), 'read').slice(0, RELAYS_OF_EACH))
  return [...new Set([...written, ...ofTold])].slice(0, MAX_RELAYS + MAX_TOLD)
}

function tagsOf(
  { text, media, settings, parent, root }: PrepareWork,
  from: { readonly relay: string; readonly author: string },
): Tag[] {
  const { contentWarning, tags = [] } = settings as { contentWarning?: string; tags?: readonly string[] }
  const { mentioned, quoted } = referencesIn(text)
  const authors = quoted.flatMap(({ author }) => (author === null ? [] : [author]))
  const people = new Set([...(parent === null ? [] : [from.author]), ...mentioned, ...authors])
  const hashtags = new Set([...hashtagsIn(text), ...tags.map((tag) => tag.toLowerCase())])
  return [
    ...(parent === null ? [] : replyTags({ parent: parent.remoteId, root: (root ?? parent).remoteId }, from)),
    ...quoted.map(({ id, author }) => (author === null ? ['q', id, ''] : ['q', id, '', author])),
    ...[...people].map((pubkey) => ['p', pubkey]),
    ...[...hashtags].map((tag) => ['t', tag]),
    ...media.map((item) => mediaTag(item, uploadedOf(item.details))),
    ...(contentWarning === undefined ? [] : [['content-warning', contentWarning]]),
  ]
}

function uploadedOf(details: Json | undefined): Uploaded {
  if (!Check(Uploaded, details)) throw new Error('an uploaded file has no address')
  return details
}

/* ----------------------------------------------------------------------------------------------------------- publish */

/** How long the other relays are waited for once one has taken the note. */
const GRACE_MS = 3_000

/** Gives all relays the note at the same time. It is published where one of them has taken it. */
export function publishRequest({ authorization, prepared: stored }: PublishWork): HttpRequest {
  const { event, relays } = preparedOf(stored)
  return give(relays, eventJson(event), GRACE_MS, keyOf(nostrAuthorization(authorization)))
}

export function judgePublish(response: HttpResponse, work: PublishWork): Verdict {
  const { event, relays } = preparedOf(work.prepared)
  const reports = reportsOf(response)
  if (reports === null) return { is: 'unknown', detail: 'The answer is not one that relays send.' }
  const answers = reports.map(({ sent, said }): Answer => {
    const about = said.findLast(([type, id]) => type === 'OK' && id === event.id)
    return about === undefined ? (sent ? 'silent' : 'not reached') : answerIn(about)
  })
  const taken = answers.indexOf('taken')
  if (taken >= 0) {
    const relay = reports[taken]?.relay ?? relays[0] ?? ''
    return { is: 'published', ...placeOf(event, relay) }
  }
  if (answers.some((answer) => answer === 'silent' || answer === 'unclear')) {
    return { is: 'unknown', detail: 'No relay has confirmed the note, but one may still have it.' }
  }
  // One that was not reached, or is busy, may take it later.
  if (answers.includes('busy')) return rateLimited(null)
  if (answers.includes('not reached')) return AWAY
  return refusalFor(answers)
}

type Answer = 'taken' | 'silent' | 'not reached' | keyof typeof REFUSED | 'busy' | 'unclear'

/**
 * What the prefix of a refusal says (NIP-01, NIP-42). Some relays refuse without one, or with one of their own. `error:` may come from a
 * relay that failed after it had stored it.
 */
const REFUSED = {
  other: rejected(
    'permission_refused',
    "The account's relays refuse the note, without a reason that is known.",
  ),
  blocked: rejected('permission_refused', "The account's relays do not take notes of this account."),
  restricted: rejected(
    'permission_refused',
    "The account's relays do not let this account write: it may have to register or pay there.",
  ),
  'auth-required': rejected('permission_refused', "The account's relays do not accept its sign-in."),
  invalid: rejected('content_refused', "The account's relays refuse the note as invalid."),
  pow: rejected(
    'content_refused',
    "The account's relays require a proof of work for each note, which Postrider does not compute. Enter other relays.",
  ),
} as const satisfies Record<string, Refusal>

function answerIn([, , accepted, words]: readonly Json[]): Answer {
  if (accepted === true) return 'taken'
  if (accepted === false && typeof words === 'string') return refusalIn(words)
  return 'unclear'
}

function refusalIn(words: string): Answer {
  // Some relays write it with a capital.
  const prefix = /^([a-z-]+):/i.exec(words)?.[1]?.toLowerCase() ?? ''
  // Older relays say so of what they have.
  if (prefix === 'duplicate') return 'taken'
  if (prefix === 'rate-limited') return 'busy'
  if (prefix === 'error') return 'unclear'
  if (Object.hasOwn(REFUSED, prefix)) return prefix as keyof typeof REFUSED
  return IN_WORDS.find(([said]) => said.test(words))?.[1] ?? 'other'
}

/**
 * nostream has a prefix of its own for what is too long or too old (src/handlers/event-message-handler.ts), and the relay of LNbits has none
 * (github.com/lnbits/nostrrelay, relay/event_validator.py and client_connection.py; all read 2026-11-29).
 */
const IN_WORDS: readonly (readonly [RegExp, Answer])[] = [
  [/^rejected:|^created_at is too/i, 'invalid'],
  [/max events per/i, 'busy'],
  [/requires authentication/i, 'auth-required'],
  [/paid relay/i, 'restricted'],
]

function refusalFor(answers: readonly Answer[]): Verdict {
  const first = answers.find((answer): answer is keyof typeof REFUSED => Object.hasOwn(REFUSED, answer))
  return first === undefined ? AWAY : REFUSED[first]
}

function placeOf({ id, pubkey }: Prepared['event'], relay: string) {
  return { remoteId: id, url: `https://njump.me/${neventOf({ id, relay, author: pubkey })}` }
}

/* ------------------------------------------------------------------------------------------------------------ lookup */

/** Asks for the note by its id. That no relay has it is known only once each of them has said so. */
export function* lookup({ authorization, prepared: stored }: LookupWork): Steps<LookupResult> {
  const key = keyOf(nostrAuthorization(authorization))
  const { event, relays } = preparedOf(stored)
  const response = yield* call(ask(relays, { ids: [event.id] }, { graceMs: null, key }))
  const found = storedIn(response)
  if (found === null) return unavailable('The answer is not one that relays send.')
  const reports = reportsOf(response) ?? []
  if (found.events.some(({ id }) => id === event.id)) {
    const has = reports.find(({ said }) => said.some(([type]) => type === 'EVENT'))
    return { is: 'found', ...placeOf(event, has?.relay ?? ''), exact: true }
  }
  if (!found.complete || reports.length < relays.length) {
    return unavailable('Not all relays have said whether they have the note.')
  }
  return { is: 'absent', seen: 'by key', keepsKeys: true }
}
