import type { Outbound } from '../platform/outbound-http.ts'
import type { SocketTold } from '../platform/guarded-socket.ts'
import type { CallAnswer, HttpRequest, Json, RelayTalk, RequestAuthorization } from './calls.ts'
import { eventJson, signEvent } from './nostr-events.ts'
import type { RelayReport } from './relay-reports.ts'

type Key = Extract<RequestAuthorization, { scheme: 'Nostr' }>

/** How long a proof for an upload is accepted. */
const UPLOAD_SECONDS = 600

/** An upload as BUD-11 wants it signed: for this file, at this server, for a short time. */
export function authorizeUpload({ url, headers = {} }: HttpRequest, { credentials }: Key) {
  const now = Math.floor(Date.now() / 1_000)
  const event = signEvent(credentials, {
    kind: 24_242,
    created_at: now,
    tags: [
      ['t', 'upload'],
      ['expiration', String(now + UPLOAD_SECONDS)],
      ['x', headers['x-sha-256'] ?? ''],
      ['server', url.hostname],
    ],
    content: 'Upload a file for a post',
  })
  const proof = Buffer.from(JSON.stringify(event)).toString('base64url')
  return { url, headers: { authorization: `Nostr ${proof}` } }
}

/** Talks with all relays at the same time, and puts together what they said. */
export async function talkWithRelays(
  { url, authorization }: HttpRequest,
  asked: RelayTalk,
  talk: Outbound['talk'],
  signal: AbortSignal = new AbortController().signal,
): Promise<CallAnswer> {
  const begun = performance.now()
  const over = new AbortController()
  const limit = AbortSignal.any([signal, over.signal])
  let grace: NodeJS.Timeout | undefined
  const key = authorization?.scheme === 'Nostr' ? authorization.credentials : null
  const reports = await Promise.all(
    [url, ...asked.others].map(async (relay) => {
      const listener = openListener(relay, asked, key)
      const told = await talk({ url: relay, opening: listener.opening, hear: listener.hear }, limit)
      if (told.reason === null && listener.endedWell() && asked.graceMs !== null)
        grace ??= setTimeout(() => over.abort(), asked.graceMs)
      return { told, report: reportOf(relay, told, listener.heard()) }
    }),
  )
  clearTimeout(grace)
  const durationMs = Math.round((performance.now() - begun) * 10) / 10
  if (reports.some(({ told }) => told.reason === null)) {
    const body = JSON.stringify(reports.map(({ report }) => report))
    return { arrived: true, response: { status: 101, headers: {}, body }, durationMs }
  }
  const silent = reports.find(({ told }) => told.maybeSent) ?? reports[0]
  const { maybeSent = false, reason } = silent?.told ?? {}
  return { arrived: false, maybeSent, reason: reason ?? 'UNKNOWN', durationMs }
}

function reportOf(relay: URL, { maybeSent, reason }: SocketTold, said: readonly Json[]): RelayReport {
  return { relay: relay.href.replace(/^http/, 'ws'), sent: maybeSent, silence: reason, said }
}

/** Who hears what one relay says, and proves who talks where it asks for that. */
function openListener(relay: URL, { messages, until }: RelayTalk, key: string | null) {
  const opening = messages.map((message) => JSON.stringify(message))
  const subjects = messages.map(subjectOf)
  const said: Json[] = []
  let challenge: string | null = null
  let refused: Json | null = null
  let proof: string | null = null
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
      if (third === true) return { send: opening, ends: false }
      said.push(refused)
      return { send: [], ends: true }
    }
    if (!subjects.includes(subject as string)) return GOES_ON
    const why = type === 'OK' ? words : third
    const isRefused = type === 'CLOSED' || (type === 'OK' && third === false)
    if (
      isRefused &&
      key !== null &&
      proof === null &&
      typeof why === 'string' &&
      why.startsWith('auth-required:')
    ) {
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
    /** A refusal for want of a proof, too, which nobody could give. */
    heard: () => (refused !== null && proof === null ? [...said, refused] : said),
  }
}

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
