import type { CallAnswer, HttpRequest, HttpResponse } from '../../src/networks/providers/port/calls.ts'

/* What must be in no record of calls, in every form, and what puts it into every place of a call and an answer. */

const TOKENS = [
  'EAAGm0PX4ZCpsBAKZCh7rzZAfoo3Qw9',
  '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
  'nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5',
]
/** What people are, write and have: the words of `TRACES` are nobody else's. */
const OF_PEOPLE = [
  'Wilhelmina Quarkfinger',
  'w.quark@harbour-roast.example',
  'We roast on Tuesdays, come by the quay',
  '12 Harbourlane, Kingsbrücke',
  'did:plc:ewvi7nxzyoun6zhxrhs64oiz',
  '17841405822304914',
  'abcd-efgh-ijkl-mnop-qrst',
]

const hex = (text: string) => Buffer.from(text).toString('hex')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const inPercents = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const forms: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  inPercents,
  base64,
  (text) => Buffer.from(text).toString('base64url'),
  hex,
  (text) => `Bearer ${text}`,
  (text) => base64(`client:${text}`),
  (text) => JSON.stringify({ access_token: text, [text]: 1 }),
  (text) => `https://example.com/${encodeURIComponent(text)}?access_token=${encodeURIComponent(text)}`,
]

/** Each of them in each form. */
export const planted: readonly string[] = [...TOKENS, ...OF_PEOPLE].flatMap((text) =>
  forms.map((form) => form(text)),
)

const WINDOW = 8
const windowsOf = (text: string) =>
  Array.from({ length: Math.max(1, text.length - WINDOW + 1) }, (_, at) => text.slice(at, at + WINDOW))

/** What shows that something of it came through: eight characters of a token in a row, or a word that only people use. */
const TRACES: readonly string[] = [
  ...TOKENS.flatMap((text) => [text, base64(text), hex(text)]).flatMap(windowsOf),
  ...OF_PEOPLE.flatMap((text) => [base64(text), hex(text)]).flatMap(windowsOf),
  'wilhelmina',
  'quarkfinger',
  'harbour',
  'roast',
  'tuesdays',
  'quay',
  'kingsbr',
  'efgh',
  'mnop',
  'ewvi7nxz',
  '17841405',
  'w.quark',
].map((trace) => trace.toLowerCase())

/** The traces in lines of a record. None of them has a space or a quotation mark, so each word is looked at once: most lines have the same. */
export function tracesIn(lines: readonly unknown[]): string[] {
  const words = new Set(
    lines.flatMap((line) =>
      JSON.stringify(line)
        .toLowerCase()
        .split(/[\s"]+/),
    ),
  )
  const whole = [...words].join(' ')
  return TRACES.filter((trace) => whole.includes(trace))
}

/** Those that a record has of what is asked and answered, and some that it has not. */
const HEADERS = [
  'content-type',
  'content-range',
  'linkedin-version',
  'x-restli-protocol-version',
  'authorization',
  'date',
  'retry-after',
  'facebook-api-version',
  'x-app-usage',
  'x-business-use-case-usage',
  'range',
  'www-authenticate',
  'x-ratelimit-remaining',
  'ratelimit-policy',
  'x-rate-limit-reset',
  'set-cookie',
  'x-user-limit-24hour-remaining',
  'x-restli-id',
  'location',
  'server',
]
const headersOf = (text: string) => Object.fromEntries(HEADERS.map((name) => [name, text]))

/** A request with it in every place that a request has. */
export function plantedIn(request: HttpRequest, text: string): HttpRequest {
  const url = new URL(request.url)
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, text)
  url.searchParams.set(text, text)
  const escaped = encodeURIComponent(text)
  const [, ...segments] = url.pathname.split('/')
  url.pathname = ['', ...segments.flatMap((segment) => [segment, escaped, `bot${escaped}`])].join('/')
  const { json, form, multipart, authorization } = request
  return {
    ...request,
    url,
    headers: headersOf(text),
    ...(authorization === undefined
      ? {}
      : { authorization: { scheme: 'Bearer', credentials: text, query: { [text]: text } } }),
    ...(json === undefined ? {} : { json: everywhere(json, text) }),
    ...(form === undefined ? {} : { form: { ...(everywhere(form, text) as Record<string, string>) } }),
    ...(multipart === undefined
      ? {}
      : {
          multipart: {
            boundary: text,
            parts: multipart.parts.map((part) =>
              'file' in part
                ? { ...part, fileName: text, name: text, file: { ...part.file, contentType: text } }
                : { name: part.name, value: text, contentType: text },
            ),
          },
        }),
  }
}

export function plantedInAnswer({ status, body }: HttpResponse, text: string): HttpResponse {
  return { status, headers: headersOf(text), body: JSON.stringify(everywhere(jsonOr(body), text)) }
}

function jsonOr(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

/** As the value of every text and number, in a sentence, and as a name. */
function everywhere(value: unknown, text: string): unknown {
  if (typeof value === 'string' || typeof value === 'number') return text
  if (Array.isArray(value)) return [...value.map((item) => everywhere(item, text)), text]
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, everywhere(member, text)] as const)
  const told = { error: text, code: text, message: `The text ${text} was refused.`, status: text, type: text }
  return { ...Object.fromEntries(members), ...told, [text]: text }
}

export function arrived(response: HttpResponse): CallAnswer {
  return { arrived: true, response, durationMs: 1 }
}

/** Every name in a request that a record has: the words of its path, of its query, and of its body. What has a digit may be an id. */
export function namesOf({ url, json, form, multipart, toSigner }: HttpRequest): string[] {
  const segments = decodeURIComponent(url.pathname)
    .split('/')
    .filter((segment) => segment !== '' && !/\d/.test(segment))
  const ofForm = [...Object.keys(form ?? {}), ...(multipart?.parts ?? []).map(({ name }) => name)]
  const signer = toSigner === undefined ? [] : [toSigner.method]
  return [...segments, ...url.searchParams.keys(), ...ofForm, ...signer, ...membersOf(json)]
}

function membersOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(membersOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...membersOf(member)])
}
