import { RECORDED_WORDS } from './recorded-words.ts'
import type { Call, CallAnswer, HttpRequest, Json, Multipart, RequestAuthorization } from './calls.ts'

/*
 * A record of calls and answers that can be shown to others: what was asked for and what was answered, without what is somebody's. It
 * has the form of everything and the content of little. Every word in it is one of `RECORDED_WORDS`, which are those of networks' APIs;
 * every number is short; all else is `…`. So no token, text, name, address or id can be in it, wherever a network or a fault of ours puts
 * one: nothing is looked for and taken out, but only what is known is let through.
 */

/** Where records go. */
export type CallRecorder = { readonly note: (request: HttpRequest, answer: CallAnswer) => void }

/** A recorder that gives each call as a line of JSON. */
export function callRecorder(
  write: (line: string) => void,
  now: () => Date = () => new Date(),
): CallRecorder {
  /** Servers of people, by number: their addresses would say whose they are. */
  const servers = new Map<string, number>()
  function hostOf({ host }: URL): string {
    if (HOSTS.has(host)) return host
    if (!servers.has(host)) servers.set(host, servers.size + 1)
    return `server ${servers.get(host)}`
  }
  return {
    note: (request, answer) =>
      write(
        JSON.stringify({ at: now().toISOString(), host: hostOf(request.url), ...recordOf(request, answer) }),
      ),
  }
}

/** Makes calls as before, and notes each of them; without a recorder they are the same calls. */
export function recorded(call: Call, recorder: CallRecorder | null): Call {
  if (recorder === null) return call
  return async (request, signal, mayBegin) => {
    const answer = await call(request, signal, mayBegin)
    recorder.note(request, answer)
    return answer
  }
}

/** The networks' own hosts. */
export const HOSTS: ReadonlySet<string> = new Set([
  'api.x.com',
  'api.linkedin.com',
  'www.linkedin.com',
  'www.googleapis.com',
  'oauth2.googleapis.com',
  'graph.facebook.com',
  'graph-video.facebook.com',
  'rupload.facebook.com',
  'graph.threads.net',
  'api.telegram.org',
  'discord.com',
  'public.api.bsky.app',
  'plc.directory',
  'bsky.social',
  'api.twitter.com',
])

type Shape = Json

/** A call and its answer, as they are recorded. */
export function recordOf(request: HttpRequest, answer: CallAnswer): { readonly [name: string]: Json } {
  return { asked: askedOf(request), answered: answeredOf(answer, textsOf(request)) }
}

/* -------------------------------------------------------------------------------------------------------------- words */

/** What is not let through. */
const NOT_SHOWN = '…'
const SHORT_NUMBER = /^\d{1,5}$/
/** `v27.0`, `v2`, and the `2` of X. */
const VERSION = /^(?:v\d{1,3}(?:\.\d{1,2})?|\d)$/
/** Dates of versions, such as 202609. */
const MAX_CODE = 9_999_999

/** Whether a name is made of known words alone, as `in_reply_to_tweet_id`, `mediaIds` or `com.atproto.repo.putRecord` is. */
export function isKnown(name: string): boolean {
  const pieces = name.split(/[\s_.\-:$@~[\]]+|(?<=[a-z])(?=\d)/i).filter((piece) => piece !== '')
  return pieces.length > 0 && pieces.every((piece) => isWord(piece) || humpsOf(piece).every(isWord))
}

function humpsOf(piece: string): string[] {
  return piece
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(' ')
}

/** In one number or the other. */
function isWord(written: string): boolean {
  const word = written.toLowerCase()
  return (
    RECORDED_WORDS.has(word) ||
    (word.endsWith('s') && RECORDED_WORDS.has(word.slice(0, -1))) ||
    /^\d{1,3}$/.test(word)
  )
}

function nameOf(name: string): string {
  return isKnown(name) && /[a-z]/i.test(name) ? name : NOT_SHOWN
}

const MAX_WORDS = 60

/** A sentence of a network, of which known words and short numbers are let through; what it repeats of what was sent is not. */
function sentenceOf(text: string, sent: SentWords = NOTHING): string {
  const words = text
    .slice(0, 2_000)
    .split(/\s+/)
    .filter((word) => word !== '')
  const repeated = repeatedIn(words.map(bareOf), sent)
  const shown = words.map((word, place) => {
    const bare = bareOf(word)
    if (bare.startsWith('https://')) return addressOf(bare)
    const isShown = bare === '' || isKnown(bare) || SHORT_NUMBER.test(bare)
    return isShown && !repeated.has(place) ? word : NOT_SHOWN
  })
  return shown
    .filter((word, place) => word !== NOT_SHOWN || shown[place - 1] !== NOT_SHOWN)
    .slice(0, MAX_WORDS)
    .join(' ')
}

/** X names its errors by addresses. */
function addressOf(text: string): string {
  const url = URL.parse(text)
  return url !== null && HOSTS.has(url.host) ? `${url.host}${pathOf(url.pathname)}` : NOT_SHOWN
}

function bareOf(word: string): string {
  const [, bare = ''] = /^["'(`“”]*(.*?)[.,:;!?"')`“”]*$/s.exec(word) ?? []
  return bare.replaceAll('’', "'")
}

/** Runs of words of what was sent: as many as tell a text from a sentence of the network. */
type SentWords = ReadonlySet<string>
const NOTHING: SentWords = new Set()
const RUN = 3

function runsIn(words: readonly string[], length: number): { readonly at: number; readonly run: string }[] {
  return words.flatMap((_, at) => {
    const run = words.slice(at, at + length)
    return run.length === length ? [{ at, run: run.join(' ').toLowerCase() }] : []
  })
}

/** Every text of two words or more that a request has. */
function textsOf({ json, form, multipart }: HttpRequest): SentWords {
  const texts: string[] = []
  JSON.stringify(
    [json, form, multipart?.parts.map((part) => ('value' in part ? part.value : ''))],
    (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value)
      return value
    },
  )
  const runs = texts.flatMap((text) => {
    const words = text
      .split(/\s+/)
      .map(bareOf)
      .filter((word) => word !== '')
    return words.length < 2 ? [] : runsIn(words, Math.min(RUN, words.length))
  })
  return new Set(runs.map(({ run }) => run))
}

/** The places of words that stand in a run which was sent. */
function repeatedIn(words: readonly string[], sent: SentWords): ReadonlySet<number> {
  const found =
    sent.size === 0
      ? []
      : [2, RUN].flatMap((length) => runsIn(words, length).map((one) => ({ ...one, length })))
  const places = found.flatMap(({ at, run, length }) =>
    sent.has(run) ? Array.from({ length }, (_, place) => at + place) : [],
  )
  return new Set(places)
}

/* -------------------------------------------------------------------------------------------------------------- shapes */

/** Names of what is asked for whose values are words of the network itself. */
const CHOICES: ReadonlySet<string> = new Set([
  'type',
  '$type',
  'visibility',
  'media_type',
  'grant_type',
  'privacyStatus',
  'reply_control',
  'reply_settings',
  'media_category',
  'upload_phase',
  'video_state',
  'unpublished_content_type',
  'lifecycleState',
  'feedDistribution',
  'format',
  'q',
  'role',
])
/** The same in answers: a status there is none that a person has written. */
const ANSWERED_CHOICES: ReadonlySet<string> = new Set([
  ...CHOICES,
  'status',
  'status_code',
  'state',
  'kind',
  'error',
  'uploadStatus',
  'processingStatus',
])

const MAX_DEPTH = 12
const MAX_MEMBERS = 60

/** How a value is shown: its texts by this function, and its numbers or not. */
type Showing = { readonly text: (text: string, name: string) => Shape; readonly numbers: boolean }

const choosing = (choices: ReadonlySet<string>): Showing => ({
  text: (text, name) => (choices.has(name) && isChoice(text) ? text : textShape(text)),
  numbers: false,
})
const ASKED = choosing(CHOICES)
const ANSWERED = choosing(ANSWERED_CHOICES)
/** Of an answer that refuses, words and numbers say why. */
const refusing = (sent: SentWords): Showing => ({ text: (text) => sentenceOf(text, sent), numbers: true })

function isChoice(text: string): boolean {
  return text.length <= 60 && !/\s/.test(text) && isKnown(text)
}

function shapeOf(value: unknown, showing: Showing, name = '', depth = 0): Shape {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return showing.numbers && Math.abs(value) <= MAX_CODE ? value : 'number'
  if (typeof value === 'string') return showing.text(value, name)
  if (typeof value !== 'object' || depth > MAX_DEPTH) return NOT_SHOWN
  if (Array.isArray(value)) {
    const shapes = value.slice(0, MAX_MEMBERS).map((item) => shapeOf(item, showing, name, depth + 1))
    const different = [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()]
    return different.length === shapes.length ? shapes : [`${value.length} items`, ...different]
  }
  const members = Object.entries(value)
    .slice(0, MAX_MEMBERS)
    .map(([key, member]) => [nameOf(key), shapeOf(member, showing, key, depth + 1)] as const)
  return Object.fromEntries(members)
}

/** Of what kind a text is, and how long. */
function textShape(text: string): string {
  const length = Array.from(text).length
  if (/^\d+$/.test(text)) return `${length} digits`
  if (/^https?:\/\//.test(text)) return `address of ${length} characters`
  return `text of ${length} characters`
}

function shapesOf(fields: Readonly<Record<string, string>>): Shape {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      nameOf(name),
      CHOICES.has(name) && isChoice(value) ? value : jsonShape(value),
    ]),
  )
}

/** Of a field whose text may be JSON. */
function jsonShape(text: string): Shape {
  if (!/^[[{]/.test(text)) return textShape(text)
  try {
    return shapeOf(JSON.parse(text), ASKED)
  } catch {
    return textShape(text)
  }
}

/* --------------------------------------------------------------------------------------------------------------- asked */

function askedOf({ method, url, headers = {}, authorization, ...body }: HttpRequest): Shape {
  const query = [...new Set(url.searchParams.keys())].map(nameOf)
  // A site without permalinks has its path there.
  const route = url.searchParams.get('rest_route')
  return {
    call: `${method} ${pathOf(url.pathname)}${route === null ? '' : ` (${pathOf(route)})`}`,
    ...(query.length === 0 ? {} : { query }),
    ...(authorization === undefined ? {} : { authorization: schemeOf(authorization) }),
    ...headersOf(headers, HEADERS_ASKED),
    ...bodyOf(body),
  }
}

function pathOf(path: string): string {
  const segments = path.split('/').map((segment) => {
    if (segment === '' || VERSION.test(segment)) return segment
    return isKnown(segment) && !/^\d+$/.test(segment) ? segment.replace('~secret~', '{token}') : '{…}'
  })
  return segments.join('/')
}

function schemeOf({ scheme, ...more }: RequestAuthorization): Shape {
  const query = 'query' in more ? Object.keys(more.query ?? {}).map(nameOf) : []
  return [scheme, ...(query.length === 0 ? [] : [`with ${query.join(', ')}`])].join(' ')
}

function bodyOf({
  json,
  form,
  multipart,
  file,
  relays,
  toSigner,
}: Omit<HttpRequest, 'method' | 'url' | 'headers' | 'authorization'>): { readonly [name: string]: Shape } {
  if (json !== undefined) return { json: shapeOf(json, ASKED) }
  if (form !== undefined) return { form: shapesOf(form) }
  if (multipart !== undefined) return { multipart: multipartOf(multipart) }
  if (file !== undefined) return { file: fileOf(file) }
  if (toSigner !== undefined) return { signer: nameOf(toSigner.method) }
  if (relays === undefined) return {}
  const messages = relays.messages.map((message) =>
    Array.isArray(message)
      ? message.map((item, place) => (place === 0 ? kindOf(item) : shapeOf(item, ASKED)))
      : NOT_SHOWN,
  )
  return { relays: 1 + relays.others.length, messages, until: relays.until }
}

function kindOf(item: unknown): Shape {
  return typeof item === 'string' ? nameOf(item) : NOT_SHOWN
}

function multipartOf({ parts }: Multipart): Shape {
  return parts.map((part) => ({
    [nameOf(part.name)]: 'file' in part ? fileOf(part.file) : jsonShape(part.value),
  }))
}

function fileOf({ contentType, size }: { readonly contentType: string; readonly size: number }): Shape {
  return `${mediaTypeOf(contentType)}, ${size} bytes`
}

/* ------------------------------------------------------------------------------------------------------------- answered */

function answeredOf(answer: CallAnswer, sent: SentWords): Shape {
  const tookMs = Math.round(answer.durationMs)
  if (!answer.arrived) {
    const reason = /^[A-Z_]{2,40}$/.test(answer.reason) ? answer.reason : NOT_SHOWN
    return { silence: reason, maybeSent: answer.maybeSent, tookMs }
  }
  const { status, headers, body } = answer.response
  return { status, tookMs, ...headersOf(headers, HEADERS_ANSWERED), ...answeredBody(status, body, sent) }
}

function answeredBody(status: number, body: string, sent: SentWords): { readonly [name: string]: Shape } {
  if (body === '') return {}
  try {
    // What relays say of an event is no status of HTTP.
    return { body: shapeOf(JSON.parse(body), status >= 400 || status === 101 ? refusing(sent) : ANSWERED) }
  } catch {
    return { body: `no JSON, ${body.length} characters` }
  }
}

/* --------------------------------------------------------------------------------------------------------------- headers */

const NUMBER = /^\d{1,7}(?:\.\d{1,6})?$/
/** In seconds since 1970. */
const UNIX_TIME = /^[1-3]\d{9}$/
const TIME =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|\d{4}-\d\d-\d\dT[\d:]{8}(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))$/
const MEDIA_TYPE =
  /^(?:application\/(?:(?:problem|activity|nostr|ld)\+)?json|application\/(?:x-www-form-urlencoded|octet-stream|pdf)|multipart\/form-data|text\/(?:html|plain|javascript)|image\/(?:jpeg|png|gif|webp)|video\/(?:mp4|webm|quicktime)|audio\/\w{1,6})$/

const HEADERS_ASKED = [
  'content-type',
  'content-range',
  'linkedin-version',
  'x-restli-protocol-version',
] as const
const HEADERS_ANSWERED = [
  ...(['content-type', 'date', 'retry-after', 'facebook-api-version', 'x-app-usage'] as const),
  ...(['x-business-use-case-usage', 'content-range', 'range', 'www-authenticate'] as const),
]
/** Of rate limits, as networks call them. */
const LIMITS = /^(?:x-)?(?:rate-?limit|(?:app|user)-limit)[a-z0-9-]{0,40}$/

function headersOf(
  headers: Readonly<Record<string, string>>,
  wanted: readonly string[],
): { readonly headers?: Shape } {
  const shown = Object.entries(headers)
    .filter(([name]) => wanted.includes(name) || LIMITS.test(name))
    .map(([name, value]) => [name, headerOf(name, value)] as const)
  return shown.length === 0 ? {} : { headers: Object.fromEntries(shown) }
}

function headerOf(name: string, value: string): Shape {
  if (name === 'content-type') return mediaTypeOf(value)
  if (
    NUMBER.test(value) ||
    UNIX_TIME.test(value) ||
    TIME.test(value) ||
    VERSION.test(value) ||
    /^\d\.\d\.\d$/.test(value)
  )
    return value
  if (name.endsWith('usage')) return usageOf(value)
  // `bytes 0-8388607/20000000`
  if (/^bytes[ =][\d*-]{1,25}(?:\/[\d*]{1,12})?$/.test(value)) return value
  return sentenceOf(value)
}

/** How much of limits is used, by the id of who they are of. */
function usageOf(value: string): Shape {
  try {
    return shapeOf(JSON.parse(value), refusing(NOTHING))
  } catch {
    return NOT_SHOWN
  }
}

function mediaTypeOf(value: string): string {
  const [type = ''] = value.split(';', 1)
  return MEDIA_TYPE.test(type.trim()) ? type.trim() : NOT_SHOWN
}
