import type { IncomingMessage } from 'node:http'
import { bytesOf, formOf, openHttpDouble, Refusal, type Answered, type HttpDouble } from './http-double.ts'
import { mastodonCalls } from './mastodon-calls.ts'
import { mastodonValues } from './mastodon-values.ts'

/*
 * An instance of Mastodon as its documentation describes it (https://docs.joinmastodon.org/methods/), for what the real
 * server of the tests does not have: idempotency keys, sources, uploads that are processed, validation, rate limits. It
 * refuses whatever is not in the table of its calls.
 */

export type MastodonDouble = HttpDouble & {
  readonly statuses: Status[]
  /** What becomes of the next posts, in this order: nothing for none. */
  readonly orders: Order[]
  /** How long a text may be, whatever the instance says of itself. */
  maxCharacters: number
  software: Software
  /** The account of the token is suspended. */
  suspended: boolean
  /** Has the calls arrive that were held up. */
  letGo: () => void
  /** So much time has passed: it keeps a key for an hour. */
  age: (ms: number) => void
  /** How many calls to post there were. */
  calls: number
  /** How many posts it takes before `limitResetsAt`, in milliseconds since 1970 (300 in three hours at an instance). */
  postsLeft: number
  limitResetsAt: number
}

/** `… after storing`: it is there, and the answer does not say so (422: a hashtag is invalid). `held up`: a proxy keeps the call until `letGo`. */
export type Order = '500 after storing' | '422 after storing' | '422 in unknown words' | '503' | 'held up'

/** The server that it is: GoToSocial and the others keep no keys, and snac shows posts for followers to nobody. */
export type Software = 'mastodon' | 'gotosocial' | 'snac' | 'pleroma'
const VERSIONS: Readonly<Record<Software, string>> = {
  mastodon: '4.5.0',
  gotosocial: '0.20.1',
  snac: '2.75',
  pleroma: '2.10.0',
}

type Status = {
  readonly id: string
  readonly text: string
  readonly spoilerText: string
  readonly visibility: string
  readonly parent: string | null
  readonly media: readonly Media[]
  createdAt: string
}
type Media = {
  readonly id: string
  readonly type: string
  readonly description: string
  polls: number
  attached: boolean
}

export const TOKEN = 'token-of-alice'
const POLLS_UNTIL_READY = 2
/** app/services/post_status_service.rb, `idempotency_duplicate`. */
const KEY_KEPT_MS = 3_600_000

/** An error as Mastodon writes it. */
function refusal(status: number, error: string, headers: Record<string, string> = {}): Refusal {
  return new Refusal(status, { error }, headers)
}

/** Starts one of a test's own: `await using instance = await openMastodonDouble()`. */
export async function openMastodonDouble(): Promise<MastodonDouble> {
  const statuses: Status[] = []
  const uploads = new Map<string, Media>()
  const byKey = new Map<string, { readonly status: Status; at: number }>()
  const orders: Order[] = []
  let heldUp: (() => unknown)[] = []
  let ids = 100

  const server = await openHttpDouble(handle, mastodonCalls, mastodonValues)
  const { url } = server

  async function handle(request: IncomingMessage, { pathname, searchParams }: URL): Promise<Answered> {
    const route = `${request.method} ${pathname}`
    if (route === 'GET /api/v2/instance') return ok(describe())
    if (route === 'GET /.well-known/nodeinfo') {
      const rel = 'http://nodeinfo.diaspora.software/ns/schema/2.0'
      return ok({ links: [{ rel, href: `${url}/nodeinfo/2.0` }] })
    }
    if (route === 'GET /nodeinfo/2.0') {
      return ok({ version: '2.0', software: { name: double.software, version: VERSIONS[double.software] } })
    }
    if (request.headers.authorization !== `Bearer ${TOKEN}`) throw refusal(401, 'The access token is invalid')
    if (double.suspended) throw refusal(403, 'Your login is currently disabled')
    const [, , , kind = '', id = '', rest] = pathname.split('/')
    if (route === 'GET /api/v1/accounts/verify_credentials')
      return { ...ok({ id: '7', username: 'alice' }), headers: rateLimit() }
    if (route === 'GET /api/v1/apps/verify_credentials')
      return ok({
        name: 'Postrider',
        scopes: ['read:accounts', 'read:statuses', 'write:statuses', 'write:media'],
      })
    if (route === 'GET /api/v1/accounts/7/statuses') return ok(list(searchParams))
    if (route === 'POST /api/v2/media') return { status: 202, body: { ...(await store(request)), url: null } }
    if (request.method === 'GET' && kind === 'media') return poll(id)
    if (route === 'POST /api/v1/statuses') {
      spendPost()
      return { ...ok(await post(request)), headers: rateLimit() }
    }
    if (request.method === 'GET' && kind === 'statuses') {
      const status = statuses.find((one) => one.id === id)
      if (status === undefined) throw refusal(404, 'Record not found')
      return ok(
        rest === 'source' ? { id, text: status.text, spoiler_text: status.spoilerText } : view(status),
      )
    }
    throw refusal(404, 'Not Found')
  }

  const ok = (body: unknown) => ({ status: 200, body })

  /** https://docs.joinmastodon.org/api/rate-limits/ */
  function rateLimit() {
    return {
      'x-ratelimit-limit': '300',
      'x-ratelimit-remaining': String(double.postsLeft),
      'x-ratelimit-reset': new Date(double.limitResetsAt).toISOString(),
    }
  }

  function spendPost() {
    double.calls += 1
    if (Date.now() >= double.limitResetsAt) Object.assign(double, fullLimit())
    if (double.postsLeft === 0) throw refusal(429, 'Too many requests', rateLimit())
    double.postsLeft -= 1
  }

  function describe() {
    const configuration = { statuses: { max_characters: 500, max_media_attachments: 4 } }
    return { domain: 'social.example', version: '4.5.0', configuration }
  }

  function list(query: URLSearchParams) {
    const below = Number(query.get('max_id') ?? Infinity)
    const limit = Number(query.get('limit') ?? 20)
    if (limit > 40) throw refusal(400, 'limit is above 40')
    const isShown = ({ visibility }: Status) => double.software !== 'snac' || visibility === 'public'
    const found = statuses.filter((one) => Number(one.id) < below && isShown(one)).toReversed()
    return found.slice(0, limit).map(view)
  }

  function view({ id, text, parent, media, createdAt, visibility }: Status) {
    return {
      id,
      visibility,
      in_reply_to_id: parent,
      created_at: createdAt,
      edited_at: null,
      url: `${url}/@alice/${id}`,
      content: `<p>${text}</p>`,
      media_attachments: media.map(({ id, description }) => ({ id, description })),
    }
  }

  async function store(request: IncomingMessage) {
    const form = await formOf(request)
    const [file, description] = [form.get('file'), form.get('description')]
    if (!(file instanceof File) || file.size === 0)
      throw refusal(422, "Validation failed: File can't be blank")
    const media = {
      id: String(++ids),
      type: file.type.split('/')[0] ?? '',
      description: typeof description === 'string' ? description : '',
      polls: 0,
      attached: false,
    }
    uploads.set(media.id, media)
    return { id: media.id, type: media.type }
  }

  function poll(id: string) {
    const media = uploads.get(id)
    if (media === undefined) throw refusal(404, 'Record not found')
    media.polls += 1
    return { status: media.polls < POLLS_UNTIL_READY ? 206 : 200, body: { id } }
  }

  async function post(request: IncomingMessage) {
    const body = JSON.parse((await bytesOf(request)).toString()) as Record<string, unknown>
    const order = orders.shift()
    if (order === '422 in unknown words') throw refusal(422, 'Validierung fehlgeschlagen')
    if (order === '503') throw refusal(503, 'Service unavailable')
    const key = String(request.headers['idempotency-key'])
    const make = () => {
      const known = double.software === 'mastodon' ? byKey.get(key) : undefined
      if (known !== undefined && known.at > Date.now() - KEY_KEPT_MS) return known.status
      const status = create(body)
      byKey.set(key, { status, at: Date.now() })
      return status
    }
    if (order === 'held up') {
      heldUp.push(make)
      throw refusal(504, 'Gateway timeout')
    }
    const status = make()
    if (order === '422 after storing') throw refusal(422, 'Validation failed: Name is invalid')
    if (order === '500 after storing') throw refusal(500, 'Internal server error')
    return view(status)
  }

  function create(body: Record<string, unknown>): Status {
    const { status: text, spoiler_text: spoilerText = '', visibility, in_reply_to_id: parent = null } = body
    const media = ((body['media_ids'] ?? []) as string[]).map((id) => uploads.get(id))
    if (text === '' && media.length === 0) throw refusal(422, "Validation failed: Text can't be blank")
    if (`${String(text)}${String(spoilerText)}`.length > double.maxCharacters) {
      if (double.software === 'gotosocial') {
        throw refusal(400, `Bad Request: text with spoiler exceed max chars (${double.maxCharacters})`)
      }
      throw refusal(422, `Validation failed: Text character limit of ${double.maxCharacters} exceeded`)
    }
    if (parent !== null && !statuses.some(({ id }) => id === parent)) {
      throw refusal(404, 'The post you are trying to reply to does not appear to exist.')
    }
    const attached = media.map((one) => {
      if (one === undefined || one.attached) throw refusal(422, 'Media not found or already attached')
      if (one.polls < POLLS_UNTIL_READY) {
        throw refusal(422, 'Cannot attach files that have not finished processing. Try again in a moment!')
      }
      return one
    })
    for (const one of attached) one.attached = true
    const made = {
      id: String(++ids),
      text: String(text),
      spoilerText: String(spoilerText),
      media: attached,
      visibility: String(visibility),
      parent: parent as string | null,
      createdAt: new Date().toISOString(),
    }
    statuses.push(made)
    return made
  }

  const double: MastodonDouble = {
    ...server,
    statuses,
    orders,
    maxCharacters: 500,
    calls: 0,
    software: 'mastodon',
    suspended: false,
    ...fullLimit(),
    letGo() {
      for (const make of heldUp) make()
      heldUp = []
    },
    age(ms) {
      for (const known of byKey.values()) known.at -= ms
      for (const status of statuses)
        status.createdAt = new Date(Date.parse(status.createdAt) - ms).toISOString()
    },
  }
  return double
}

/** What an instance takes of an account in three hours (config/initializers/rack_attack.rb). */
export function fullLimit(): Pick<MastodonDouble, 'postsLeft' | 'limitResetsAt'> {
  return { postsLeft: 300, limitResetsAt: Date.now() + 3 * 3_600_000 }
}
