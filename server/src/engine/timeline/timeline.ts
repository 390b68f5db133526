import type { app, EventType } from '@postrider/contract'
import { fieldRows } from '@postrider/contract/names'
import type { CardLack, LackReason } from '../../networks/providers/port/procedure.ts'
import { clockZone } from '../../platform/text/time-zone.ts'

/** What is kept of what happened to a post, as the database has it: times are text. */
export type Happened = {
  readonly created: { readonly at: string; readonly by: string }
  /** In which times are told. */
  readonly timeZone: string
  readonly edits: readonly {
    readonly at: string
    readonly data: { readonly by: { readonly name: string }; readonly changed?: readonly string[] }
  }[]
  readonly approvals: readonly {
    readonly at: string
    readonly decidedAt: string | null
    readonly status: 'pending' | 'approved' | 'rejected' | 'superseded' | 'expired'
    readonly note: string | null
    readonly by: string | null
  }[]
  readonly attempts: readonly {
    readonly at: string
    readonly endedAt: string | null
    readonly channelId: string
    readonly part: number
    readonly firstComment: boolean
    readonly verdict: Verdict | null
    readonly evidence: readonly Evidence[]
  }[]
  /** What was made at a network, seen by nobody, and of no more use. */
  readonly leftovers: readonly {
    readonly at: string
    readonly channelId: string
    readonly kind: 'post' | 'photo' | 'video' | 'reel'
    readonly outcome: 'removed' | 'gone' | 'used' | 'failed'
    readonly remoteId?: string
  }[]
  readonly events: readonly {
    readonly at: string
    readonly type: EventType
    readonly channelId: string
    readonly body: {
      readonly data?: { readonly destination?: { readonly publishAt: string | null } }
      readonly checkAgainAt?: string
      readonly error?: { readonly message: string }
    }
    readonly deliveries: readonly Delivery[]
  }[]
}

type Verdict = 'published' | 'rejected' | 'deferred' | 'reauthorize' | 'unknown' | 'absent'

/** One exchange that told something; which of the fields it has follows from `by`. */
export type Evidence = {
  readonly by: string
  readonly verdict?: string
  readonly httpStatus?: number
  readonly durationMs?: number
  readonly remoteId?: string
  readonly silence?: string
  readonly maybeSent?: boolean
  readonly unfinished?: boolean
  /** Why a look proves nothing. */
  readonly detail?: string
  /** When a look was made that proved nothing, how often it showed the same, and until when. */
  readonly at?: string
  readonly times?: number
  readonly until?: string
  readonly name?: string
  readonly note?: string | null
  /** What of it is no exchange, but what the attempt went without: `by` is `card` then. */
  readonly of?: CardLack['of']
  readonly why?: LackReason
  readonly host?: string
  readonly status?: number
}

type Delivery = {
  readonly url: string
  readonly status: 'pending' | 'sending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly httpStatus: number | null
  readonly error: string | null
}

type Entry = app.TimelineEntry

/** What happened, in words, oldest first. */
export function timelineOf(happened: Happened): Entry[] {
  const { created, edits, approvals, attempts, leftovers } = happened
  const entries = [
    entry(created.at, null, 'post', 'neutral', `${created.by} created this post.`),
    ...edits.map(editEntry),
    ...approvals.flatMap(approvalEntries),
    ...attempts.flatMap(attemptEntries),
    ...leftovers.map(leftoverEntry),
    ...eventEntries(happened),
  ]
  return entries.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

function entry(
  at: string,
  channelId: string | null,
  kind: Entry['kind'],
  tone: Entry['tone'],
  text: string,
): Entry {
  return { at: iso(at), channelId, kind, tone, text, endedAt: null, steps: [] }
}

const iso = (at: string) => new Date(at).toISOString()

/** Who changed what of it. */
function editEntry({ at, data: { by, changed = [] } }: Happened['edits'][number]): Entry {
  const list = new Intl.ListFormat('en', { type: 'conjunction' })
  const said =
    changed.length === 0
      ? `${by.name} edited this post.`
      : `${by.name} changed the ${list.format(changed.map((one) => editWords[one] ?? one))}.`
  return entry(at, null, 'post', 'neutral', said)
}

/** The fields of a post, as people call them. */
const editWords: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(fieldRows).map(([name, { words }]) => [name, words.en])),
  publishAt: 'time',
  channelIds: 'channels',
}

function approvalEntries({ at, decidedAt, status, note, by }: Happened['approvals'][number]): Entry[] {
  const asked = entry(at, null, 'approval', 'neutral', 'Approval requested.')
  if (decidedAt === null) return [asked]
  const who = by ?? 'Someone'
  const [tone, said] =
    status === 'approved'
      ? (['good', `${who} approved this post.`] as const)
      : (['bad', `${who} rejected this post.`] as const)
  return [asked, entry(decidedAt, null, 'approval', tone, note === null ? said : `${said} “${note}”`)]
}

const verdictWords: Record<Verdict, { tone: Entry['tone']; is: string }> = {
  published: { tone: 'good', is: 'Published' },
  rejected: { tone: 'bad', is: 'Refused, not published' },
  deferred: { tone: 'neutral', is: 'Not possible right now, not published' },
  reauthorize: { tone: 'bad', is: 'Access no longer accepted, not published' },
  unknown: { tone: 'doubt', is: 'Not confirmed' },
  absent: { tone: 'neutral', is: 'Not on the network' },
}

/** The attempt, and behind it what it went without. */
function attemptEntries(attempt: Happened['attempts'][number]): Entry[] {
  const { at, channelId, evidence } = attempt
  const exchanges = evidence.filter(({ by }) => by !== 'card')
  const lacks = evidence.filter(({ by }) => by === 'card')
  return [
    attemptEntry({ ...attempt, evidence: exchanges }),
    ...lacks.map((lack) => entry(at, channelId, 'warning', 'warning', cardWords(lack))),
  ]
}

function attemptEntry({
  at,
  endedAt,
  channelId,
  part,
  firstComment,
  verdict,
  evidence,
}: Happened['attempts'][number]): Entry {
  const restored = evidence[0]?.by === 'restore'
  const doing = restored ? 'Restored from a backup' : 'Publishing attempt'
  const followUp = part === 0 ? doing : `${doing}, follow-up ${part}`
  const what = firstComment ? `${doing}, first comment` : followUp
  const { tone, is } =
    verdict === null ? { tone: 'neutral' as const, is: 'In progress' } : verdictWords[verdict]
  return {
    ...entry(at, channelId, 'attempt', tone, `${what}. ${is}.`),
    endedAt: endedAt === null ? null : iso(endedAt),
    steps: [...(restored ? [] : ['Attempt recorded before sending.']), ...evidence.map(evidenceWords)],
  }
}

/** That there is no card, or no picture in it, and why. */
export function cardWords({ of = 'card', why = 'fault', host = '', status = 0 }: Evidence): string {
  return of === 'card'
    ? `No link card was made. ${lackWords[why].page(host, status)}`
    : `The link card has no picture. ${lackWords[why].picture(host, status)}`
}

type Reason = (host: string, status: number) => string
type LackWords = { readonly page: Reason; readonly picture: Reason }

const ofBoth = (reason: Reason): LackWords => ({ page: reason, picture: reason })

/** Why, by what is missing: of a card the page says it, of a picture the picture. */
export const lackWords: Record<LackReason, LackWords> = {
  forbidden_address: ofBoth(
    (host) => `This server does not open ${host}: it opens public https addresses only.`,
  ),
  no_connection: ofBoth((host) => `No connection to ${host} was possible.`),
  slow: {
    page: (host) => `The page at ${host} could not be read in time.`,
    picture: (host) => `The picture at ${host} could not be read in time.`,
  },
  redirects: ofBoth((host) => `The address redirects too many times, last to ${host}.`),
  refused: {
    page: (host, status) => `The page at ${host} could not be read: the answer was HTTP ${status}.`,
    picture: (host, status) => `The picture at ${host} could not be read: the answer was HTTP ${status}.`,
  },
  broken_off: ofBoth((host) => `The connection to ${host} broke off.`),
  no_page: ofBoth((host) => `The file at ${host} is not a web page.`),
  untitled: ofBoth((host) => `The page at ${host} has no title.`),
  not_named: ofBoth((host) => `The page at ${host} names no picture.`),
  invalid_address: ofBoth((host) => `The page at ${host} names a picture with an invalid address.`),
  too_large: ofBoth((host) => `The picture at ${host} is too large.`),
  unreadable: {
    page: (host) => `The page at ${host} is too complex to read.`,
    picture: (host) => `The picture at ${host} is damaged, too large, or of a type that cannot be read.`,
  },
  network: ofBoth(() => 'The network did not accept the picture.'),
  fault: ofBoth((host) => `Because of an error on this server, ${host} could not be read.`),
}

const leftoverWords = {
  post: 'draft',
  photo: 'unpublished photo',
  video: 'unpublished video',
  reel: 'unpublished reel',
}

function leftoverEntry({ at, channelId, kind, outcome, remoteId }: Happened['leftovers'][number]): Entry {
  const what = leftoverWords[kind]
  const [tone, said] = {
    removed: ['neutral', `Removed the ${what} from the network.`] as const,
    gone: ['neutral', `The ${what} is no longer on the network.`] as const,
    used: [
      'doubt',
      `Someone published or changed the ${what} on the network, so it was left there.`,
    ] as const,
    failed: ['bad', `The ${what} could not be removed from the network. Delete it there.`] as const,
  }[outcome]
  const steps = remoteId === undefined || outcome === 'removed' ? [] : [`ID on the network: ${remoteId}.`]
  return { ...entry(at, channelId, 'event', tone, said), steps }
}

/** One exchange in a few sentences: what was done, what came back, and what follows from that. */
export function evidenceWords(evidence: Evidence): string {
  const { by, remoteId, name, note } = evidence
  const id = remoteId === undefined ? '' : ` ID on the network: ${remoteId}.`
  if (by === 'person')
    return `${name ?? 'Someone'} checked the network. ${concluded(evidence)}${id}${note ? ` “${note}”` : ''}`
  if (by === 'restore')
    return 'The server that made the backup may have published this since. Look on the network, then resolve it.'
  if (by === 'recovery') return 'The server stopped before recording an answer.'
  return `${openings[by] ?? 'Answered by the server'}. ${came(evidence)}${concluded(evidence)}${id}${repeated(evidence)}`
}

const openings: Readonly<Record<string, string>> = {
  publish: 'Sent to the network',
  lookup: 'Looked for the post on the network',
  poll: 'Asked the network for progress',
  repeat: 'Sent again under the same key',
  engine: 'Not sent',
  late: 'Confirmed late by the network',
  late_post: 'Confirmed by an earlier attempt',
}

function came({ httpStatus, durationMs, silence, maybeSent, unfinished }: Evidence): string {
  const ms = durationMs === undefined ? null : Math.max(1, Math.round(durationMs))
  if (httpStatus !== undefined)
    return ms === null ? `Answer: HTTP ${httpStatus}. ` : `Answer: HTTP ${httpStatus} after ${ms} ms. `
  if (silence === undefined) return ms === null ? '' : `It took ${ms} ms. `
  const why = silenceWords[silence] ?? silence
  const none = ms === null ? `No answer (${why}).` : `No answer after ${ms} ms (${why}).`
  const maybe =
    unfinished === true ? 'The request was interrupted on its way.' : 'The request may have arrived.'
  return `${none} ${maybeSent === true ? maybe : 'The request was not sent.'} `
}

/** Codes of the HTTP client that only its makers know. */
const silenceWords: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'answer incomplete in time',
}

/** When it was, of what was kept before the end of the attempt; and of looks that showed the same, until when. */
function repeated({ at, times, until }: Evidence): string {
  if (at === undefined) return ''
  return times === undefined || until === undefined
    ? ` (${iso(at)})`
    : ` (${times} times the same, ${iso(at)} to ${iso(until)})`
}

function concluded({ verdict, detail }: Evidence): string {
  if (detail !== undefined) return `Not conclusive: ${detail.replace(/\.$/, '')}.`
  if (verdict === 'not_yet') return 'Not there yet, may still appear.'
  return verdict !== undefined && verdict in verdictWords
    ? `${verdictWords[verdict as Verdict].is}.`
    : verdict === 'failed'
      ? 'Not on the network.'
      : 'No result.'
}

const eventWords: Record<EventType, { tone: Entry['tone']; text: string }> = {
  'post.scheduled': { tone: 'neutral', text: 'Scheduled' },
  'post.published': { tone: 'good', text: 'Published' },
  'post.partial': { tone: 'bad', text: 'Partly published' },
  'post.failed': { tone: 'bad', text: 'Failed' },
  'post.delayed': { tone: 'neutral', text: 'Delayed' },
  'post.reconnect_required': { tone: 'bad', text: 'Reconnect needed' },
  'post.recovery_required': { tone: 'doubt', text: 'Checking' },
  'post.cancelled': { tone: 'neutral', text: 'Cancelled' },
  'post.expired': { tone: 'bad', text: 'Expired' },
}

function eventEntries({ events, timeZone }: Happened): Entry[] {
  // The time that each channel had so far, and that the rest of its thread had.
  const times = new Map<string, string>()
  const rests = new Map<string, string>()
  return events.map(({ at, type, channelId, body, deliveries }) => {
    const { tone, text } = eventWords[type]
    const planned = plannedTime(type, at, body)
    const ofRest = type === 'post.partial'
    const known = ofRest ? rests : times
    const before = known.get(channelId)
    if (planned !== null) known.set(channelId, planned)
    else if (ofRest) rests.delete(channelId)
    const wording = ofRest ? restWords : scheduledWords
    // Neither sent nor refused before its time.
    const isLeft = ofRest && before !== undefined && Date.parse(before) > Date.parse(at)
    const unplanned = isLeft ? REST_CANCELLED : text
    const what = planned === null ? unplanned : wording(planned, before, timeZone)
    const why = body.error === undefined ? '' : ` ${body.error.message}`
    const shown = ofRest && planned !== null ? 'neutral' : tone
    return { ...entry(at, channelId, 'event', shown, `${what}.${why}`), steps: deliveries.map(deliveryWords) }
  })
}

const REST_CANCELLED = 'The rest was cancelled. Partly published'

/** The time that an event gives a post, or the rest of a thread; null for none. */
function plannedTime(
  type: EventType,
  at: string,
  { data, error }: Happened['events'][number]['body'],
): string | null {
  const publishAt = data?.destination?.publishAt ?? null
  if (publishAt === null || type === 'post.scheduled') return publishAt
  const isRest = type === 'post.partial' && error === undefined && Date.parse(publishAt) > Date.parse(at)
  return isRest ? publishAt : null
}

/** When the rest of a thread is sent, which had another time before. */
function restWords(publishAt: string, before: string | undefined, timeZone: string): string {
  const [when, was] = [clockOf(publishAt, timeZone), before === undefined ? null : clockOf(before, timeZone)]
  return was === null || was === when
    ? `The rest will be sent on ${when}`
    : `The rest was moved from ${was} to ${when}`
}

/** From when to when, where it had another time before. */
function scheduledWords(publishAt: string, before: string | undefined, timeZone: string): string {
  const when = (at: string) => clockOf(at, timeZone)
  return before === undefined || before === publishAt
    ? `Scheduled for ${when(publishAt)}`
    : `Moved from ${when(before)} to ${when(publishAt)}`
}

function clockOf(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { ...CLOCK, timeZone: clockZone(timeZone) }).format(new Date(at))
}

const CLOCK: Intl.DateTimeFormatOptions = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
}

/** The path and the query of an endpoint may be what keeps it secret. */
function deliveryWords({ url, status, attempts, httpStatus, error }: Delivery): string {
  const { host } = new URL(url)
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  if (status === 'delivered') return `Webhook to ${host}: delivered, HTTP ${httpStatus}, ${tries}.`
  if (status === 'failed')
    return error === null
      ? `Webhook to ${host}: failed, ${tries}.`
      : `Webhook to ${host}: failed, ${tries} (${error}).`
  return `Webhook to ${host}: pending, ${tries} so far.`
}
