import { randomUUID } from 'node:crypto'
import Type from 'typebox'
import { Check } from 'typebox/value'
import type { MayBegin } from '../../../platform/outbound/may-begin.ts'
import type { Outbound } from '../../../platform/outbound/outbound-http.ts'
import type { SocketResult } from '../../../platform/outbound/guarded-socket.ts'
import { jsonOf } from '../shared/answers.ts'
import type {
  CallAnswer,
  HttpRequest,
  Json,
  RelayExchange,
  RequestAuthorization,
  SignerQuestion,
} from './calls.ts'
import { conversationKey, decrypt, encrypt } from './nostr-encryption.ts'
import {
  type EventDraft,
  eventJson,
  isSigned,
  publicKeyOf,
  signedBy,
  type SignedEvent,
  signEvent,
} from '../shared/nostr-events.ts'
import type { RelayReport } from '../shared/relay-reports.ts'

type Key = Extract<RequestAuthorization, { scheme: 'Nostr' }>

/** How long a proof for an upload is accepted. */
const UPLOAD_SECONDS = 600

/** An upload as BUD-11 wants it signed: for this file, at this server, for a short time. Or why nobody has signed it. */
export async function authorizeUpload(
  { url, headers = {} }: HttpRequest,
  key: Key,
  talk: Outbound['talk'],
  signal?: AbortSignal,
): Promise<{ readonly url: URL; readonly headers: Readonly<Record<string, string>> } | CallAnswer> {
  const now = Math.floor(Date.now() / 1_000)
  const draft: EventDraft = {
    kind: 24_242,
    created_at: now,
    tags: [
      ['t', 'upload'],
      ['expiration', String(now + UPLOAD_SECONDS)],
      ['x', headers['x-sha-256'] ?? ''],
      ['server', url.hostname],
    ],
    content: 'Upload a file for a post',
  }
  if (key.signer === undefined) return withProof(url, signEvent(key.credentials, draft))
  const answer = await askSigner({ method: 'sign_event', params: [JSON.stringify(draft)] }, key, talk, signal)
  // The file has not been sent.
  if (!answer.arrived) return { ...answer, maybeSent: false }
  const signed = signedBy(answer.response, draft)
  return signed === null ? answer : withProof(url, signed)
}

function withProof(url: URL, event: SignedEvent) {
  const proof = Buffer.from(JSON.stringify(event)).toString('base64url')
  return { url, headers: { authorization: `Nostr ${proof}` } }
}

const SIGNING = 24_133
/** Relays keep nothing of this kind; whoever does would answer an old question. */
const SINCE_SECONDS = 60

/** Asks a remote signer by all of its relays at the same time; the first answer counts. */
export async function askSigner(
  { method, params }: SignerQuestion,
  { credentials, signer }: Key,
  talk: Outbound['talk'],
  signal: AbortSignal = new AbortController().signal,
): Promise<CallAnswer> {
  const begun = performance.now()
  const durationMs = () => Math.round((performance.now() - begun) * 10) / 10
  const key = signer === undefined ? null : conversationKey(credentials, signer.pubkey)
  const own = publicKeyOf(credentials)
  if (signer === undefined || key === null || own === null)
    return { arrived: false, maybeSent: false, reason: 'NO_SIGNER', durationMs: durationMs() }
  const id = randomUUID()
  const now = Math.floor(Date.now() / 1_000)
  const content = encrypt(JSON.stringify({ id, method, params }), key)
  const asked = signEvent(credentials, {
    kind: SIGNING,
    created_at: now,
    tags: [['p', signer.pubkey]],
    content,
  })
  const filter = { kinds: [SIGNING], authors: [signer.pubkey], '#p': [own], since: now - SINCE_SECONDS }
  const opening = [
    ['REQ', id, filter],
    ['EVENT', eventJson(asked)],
  ].map((message) => JSON.stringify(message))
  let body: string | null = null
  const hear = (text: string) => {
    const [type, subscription, event] = read(text) ?? []
    if (type !== 'EVENT' || subscription !== id || !Check(FromSigner, event)) return GOES_ON
    if (event.pubkey !== signer.pubkey || !isSigned(event)) return GOES_ON
    const answer = jsonOf({ body: decrypt(event.content, key) ?? '' })
    if (!Check(SignerAnswer, answer) || answer.id !== id) return GOES_ON
    const { result = null, error = null } = answer
    body = JSON.stringify({ result, error })
    over.abort()
    return { send: [], ends: true }
  }
  const over = new AbortController()
  const limit = AbortSignal.any([signal, over.signal])
  const told = await Promise.all(
    signer.relays.map((relay) => talk({ url: new URL(relay.replace(/^ws/, 'http')), opening, hear }, limit)),
  )
  if (body !== null)
    return { arrived: true, response: { status: 101, headers: {}, body }, durationMs: durationMs() }
  const { maybeSent = false, reason } = told.find((one) => one.maybeSent) ?? told[0] ?? {}
  return { arrived: false, maybeSent, reason: reason ?? 'UNKNOWN', durationMs: durationMs() }
}

const FromSigner = Type.Object({
  id: Type.String(),
  pubkey: Type.String(),
  created_at: Type.Integer(),
  kind: Type.Literal(SIGNING),
  tags: Type.Array(Type.Array(Type.String())),
  content: Type.String(),
  sig: Type.String(),
})
const Said = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const SignerAnswer = Type.Object({ id: Type.String(), result: Said, error: Said })

/** Talks with all relays at the same time, and puts together what they said. */
export async function talkWithRelays(
  { url, authorization }: HttpRequest,
  asked: RelayExchange,
  talk: Outbound['talk'],
  signal: AbortSignal = new AbortController().signal,
  mayBegin?: MayBegin,
): Promise<CallAnswer> {
  const begun = performance.now()
  const over = new AbortController()
  const limit = AbortSignal.any([signal, over.signal])
  let grace: NodeJS.Timeout | undefined
  const key =
    authorization?.scheme === 'Nostr' && authorization.signer === undefined ? authorization.credentials : null
  const reports = await Promise.all(
    [url, ...asked.others].map(async (relay) => {
      const listener = openListener(relay, asked, key)
      const told = await talk({ url: relay, opening: listener.opening, hear: listener.hear }, limit, mayBegin)
      if (told.reason === null && listener.endedWell() && asked.graceMs !== null)
        grace ??= setTimeout(() => over.abort(), asked.graceMs)
      return { told, report: reportOf(relay, told, listener.heard()) }
    }),
  )
  clearTimeout(grace)
  const durationMs = Math.round((performance.now() - begun) * 10) / 10
  if (reports.some(({ told, report }) => told.reason === null || report.said.length > 0)) {
    const body = JSON.stringify(reports.map(({ report }) => report))
    return { arrived: true, response: { status: 101, headers: {}, body }, durationMs }
  }
  const silent = reports.find(({ told }) => told.maybeSent) ?? reports[0]
  const { maybeSent = false, reason } = silent?.told ?? {}
  return { arrived: false, maybeSent, reason: reason ?? 'UNKNOWN', durationMs }
}

function reportOf(relay: URL, { maybeSent, reason }: SocketResult, said: readonly Json[]): RelayReport {
  return { relay: relay.href.replace(/^http/, 'ws'), sent: maybeSent, silence: reason, said }
}

/** Who hears what one relay says, and proves who talks where it asks for that. */
function openListener(relay: URL, { messages, until }: RelayExchange, key: string | null) {
  const opening = messages.map((message) => JSON.stringify(message))
  const subjects = messages.map(subjectOf)
  const said: Json[] = []
  let challenge: string | null = null
  let refused: Json | null = null
  let proof: string | null = null
  let proven = false
  let good = false

  /** Sends the proof once it is wanted and there is something to sign. */
  function prove(): string[] {
    if (refused === null || challenge === null || proof !== null || key === null) return []
    const event = signEvent(key, {
      kind: 22_242,
      created_at: Math.floor(Date.now() / 1_000),
      tags: [
        ['relay', relay.href.replace(/^http/, 'ws')],
        ['challenge', challenge],
      ],
      content: '',
    })
    proof = event.id
    return [JSON.stringify(['AUTH', eventJson(event)])]
  }

  function hear(text: string): { send: readonly string[]; ends: boolean } {
    const message = read(text)
    if (message === null) return GOES_ON
    const [type, subject, third, words] = message
    if (type === 'AUTH' && typeof subject === 'string') {
      challenge = subject
      return { send: prove(), ends: false }
    }
    if (type === 'OK' && subject === proof) {
      proven = third === true
      return proven ? { send: opening, ends: false } : { send: [], ends: true }
    }
    if (!subjects.includes(subject as string)) return GOES_ON
    const why = type === 'OK' ? words : third
    const isRefused = type === 'CLOSED' || (type === 'OK' && third === false)
    if (isRefused && key !== null && proof === null && typeof why === 'string' && WANTS_PROOF.test(why)) {
      refused = message
      return { send: prove(), ends: false }
    }
    said.push(message)
    good ||= type === until && !isRefused
    return { send: [], ends: type === until || type === 'CLOSED' }
  }

  return {
    opening,
    hear,
    endedWell: () => good,
    /** A refusal for want of a proof, too, if none was taken: some relays answer no proof. */
    heard: () => (refused !== null && !proven ? [...said, refused] : said),
  }
}

/** NIP-42; some relays put the prefix behind one of their own. */
const WANTS_PROOF = /^(?:blocked: )?auth-required:/i

const GOES_ON = { send: [], ends: false }

/** What the answers to a message name: the id of its event, or its subscription. */
function subjectOf(message: Json): string | null {
  if (!Array.isArray(message)) return null
  const [type, subject] = message as readonly Json[]
  if (typeof subject === 'string') return subject
  if (type !== 'EVENT' || typeof subject !== 'object' || subject === null || !('id' in subject)) return null
  return typeof subject.id === 'string' ? subject.id : null
}

function read(text: string): readonly Json[] | null {
  try {
    const message = JSON.parse(text) as Json
    return Array.isArray(message) ? (message as readonly Json[]) : null
  } catch {
    return null
  }
}
