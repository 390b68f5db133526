import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { bytesOf, formOf, openHttpDouble, Refusal, type Answered, type HttpDouble } from './http-double.ts'
import { xCalls } from './x-calls.ts'
import { refusedBy } from './value-table.ts'
import { longText, xValues } from './x-values.ts'

/*
 * X as its documentation describes it (https://docs.x.com/x-api, https://docs.x.com/fundamentals/authentication): OAuth with
 * PKCE for a confidential client, the account, chunked uploads, posts and their list. It refuses whatever is not documented.
 */

export type XDouble = HttpDouble & {
  readonly account: XAccount
  readonly posts: XPost[]
  /** What becomes of the next posts, in this order. */
  readonly orders: XOrder[]
  /** How many calls to post there were. */
  calls: number
  /** What the owner does at the address that they are sent to: allows these scopes. Gives the query of the way back. */
  readonly allow: (address: URL, scope?: string) => URLSearchParams
  /** Every access token that was given out so far is over. */
  readonly expireAccess: () => void
  /** The owner takes the access back. */
  readonly revoke: () => void
  /** So much time has passed since its posts were made. */
  readonly age: (ms: number) => void
}

/** `500 after storing`: it is there, and the answer does not say so. */
export type XOrder =
  | 'none'
  | 'rate limit'
  | 'the last of the window'
  | '500 after storing'
  | '503'
  | 'reply refused'

export type XAccount = { id: string; username: string; subscription: string; suspended: boolean }

export type XPost = {
  readonly id: string
  readonly text: string
  readonly parent: string | null
  readonly conversation: string
  readonly media: readonly Upload[]
  createdAt: string
  /** All that was asked for. */
  readonly request: Readonly<Record<string, unknown>>
}
type Upload = {
  readonly id: string
  readonly type: string
  readonly totalBytes: number
  readonly pieces: Buffer[]
  polls: number | null
  altText: string | null
}
type Grant = { readonly scope: string; refresh: string; access: string; accessOver: boolean }

export const X_APP = { clientId: 'app-of-the-tests', clientSecret: 'secret-of-the-app' }
const POLLS_UNTIL_READY = 2
const TOO_MANY = { title: 'Too Many Requests', type: 'about:blank', status: 429 }

function problem(status: number, name: string | null, title: string, detail: string): Refusal {
  const type = name === null ? 'about:blank' : `https://api.x.com/2/problems/${name}`
  return new Refusal(status, { title, detail, type, status })
}
const invalid = (detail: string) => problem(400, 'invalid-request', 'Invalid Request', detail)
const forbidden = (detail: string) => problem(403, null, 'Forbidden', detail)
const oauthError = (status: number, error: string, words: string) =>
  new Refusal(status, { error, error_description: words })

const ok = (body: unknown, status = 200): Answered => ({ status, body })

/** Starts one of a test's own: `await using network = await openXDouble()`. */
export async function openXDouble(): Promise<XDouble> {
  const posts: XPost[] = []
  const orders: XOrder[] = []
  const uploads = new Map<string, Upload>()
  const codes = new Map<string, { challenge: string; redirectUri: string; scope: string }>()
  const grants: Grant[] = []
  const account: XAccount = { id: '2244994945', username: 'alice', subscription: 'None', suspended: false }
  let ids = 1_900_000_000_000_000_000n
  let spentUntil = 0
  const newId = () => String(++ids)
  const server = await openHttpDouble(handle, xCalls, xValues)

  async function handle(request: IncomingMessage, address: URL): Promise<Answered> {
    const route = `${request.method} ${address.pathname}`
    if (route === 'POST /2/oauth2/token') return ok(exchange(request, await formOf(request)))
    const grant = grants.find(({ access }) => request.headers.authorization === `Bearer ${access}`)
    if (grant === undefined || grant.accessOver) throw problem(401, null, 'Unauthorized', 'Unauthorized')
    if (account.suspended) {
      throw problem(403, 'user-suspended', 'Forbidden', 'The user used for authentication is suspended')
    }
    const needs = (scope: string) => {
      if (!grant.scope.split(' ').includes(scope)) throw forbidden(`You need the scope ${scope}.`)
    }
    const [, , , , id = '', action] = address.pathname.split('/')
    if (route === 'GET /2/users/me') return ok(showAccount())
    if (route === `GET /2/users/${account.id}/tweets`) return ok(list(address.searchParams))
    if (address.pathname.startsWith('/2/media')) needs('media.write')
    if (route === 'GET /2/media/upload') return ok(readUpload(address.searchParams))
    if (route === 'POST /2/media/upload/initialize') return ok(initialise(await jsonOf(request)))
    if (request.method === 'POST' && action === 'append') {
      append(id, await formOf(request))
      return ok({ data: { expires_at: 1_800_000_000 } })
    }
    if (request.method === 'POST' && action === 'finalize') return ok(finalise(id))
    if (route === 'POST /2/media/metadata') return ok(describe(await jsonOf(request)))
    if (route === 'POST /2/tweets') {
      needs('tweet.write')
      return post(await jsonOf(request))
    }
    throw problem(404, 'resource-not-found', 'Not Found Error', 'There is nothing here.')
  }

  /* ---- OAuth ---- */

  function allow(address: URL, scope = address.searchParams.get('scope') ?? ''): URLSearchParams {
    const query = Object.fromEntries(address.searchParams)
    const { client_id: clientId, response_type: type, code_challenge_method: method } = query
    if (clientId !== X_APP.clientId || type !== 'code' || method !== 'S256')
      throw new Error('X shows an error')
    const { state = '', code_challenge: challenge = '', redirect_uri: redirectUri = '' } = query
    const code = `code-${newId()}`
    codes.set(code, { challenge, redirectUri, scope })
    return new URLSearchParams({ state, code })
  }

  function exchange({ headers }: IncomingMessage, form: FormData) {
    const expected = Buffer.from(`${X_APP.clientId}:${X_APP.clientSecret}`).toString('base64')
    if (headers.authorization !== `Basic ${expected}`) {
      throw oauthError(401, 'unauthorized_client', 'Missing valid authorization header')
    }
    const field = (name: string) => {
      const value = form.get(name)
      return typeof value === 'string' ? value : ''
    }
    if (field('grant_type') === 'refresh_token') return refresh(field('refresh_token'))
    const known = codes.get(field('code'))
    codes.delete(field('code'))
    const challenge = createHash('sha256').update(field('code_verifier')).digest('base64url')
    if (known === undefined || known.challenge !== challenge || known.redirectUri !== field('redirect_uri')) {
      throw oauthError(400, 'invalid_request', 'Value passed for the authorization code was invalid.')
    }
    const grant = { scope: known.scope, refresh: '', access: '', accessOver: false }
    grants.push(grant)
    return renew(grant)
  }

  function refresh(token: string) {
    const grant = grants.find((one) => one.refresh === token && token !== '')
    if (grant === undefined)
      throw oauthError(400, 'invalid_request', 'Value passed for the token was invalid.')
    return renew(grant)
  }

  /** Every refresh token counts once. */
  function renew(grant: Grant) {
    const offline = grant.scope.split(' ').includes('offline.access')
    const refreshed = offline ? `refresh-${newId()}` : ''
    Object.assign(grant, { access: `access-${newId()}`, refresh: refreshed, accessOver: false })
    return {
      token_type: 'bearer',
      expires_in: 7_200,
      access_token: grant.access,
      scope: grant.scope,
      ...(offline ? { refresh_token: refreshed } : {}),
    }
  }

  function showAccount() {
    const { id, username, subscription } = account
    return { data: { id, username, name: 'Alice', subscription_type: subscription } }
  }

  /* ---- media ---- */

  function initialise({ media_type: type, total_bytes: totalBytes, media_category: category }: Body) {
    const isVideo = category === 'tweet_video'
    const allowed = isVideo
      ? ['video/mp4']
      : category === 'tweet_gif'
        ? ['image/gif']
        : ['image/jpeg', 'image/png', 'image/webp']
    if (!allowed.includes(String(type))) throw invalid('media_type')
    const id = newId()
    uploads.set(id, {
      id,
      type: String(type),
      totalBytes: Number(totalBytes),
      pieces: [],
      polls: null,
      altText: null,
    })
    return { data: { id, media_key: keyOf(id), expires_after_secs: 86_400 } }
  }

  function append(id: string, form: FormData): void {
    const { pieces } = uploadNamed(id)
    const [segment, media] = [form.get('segment_index'), form.get('media')]
    if (segment !== String(pieces.length)) throw invalid('segment_index')
    if (!(media instanceof File) || media.size > 5 * 1024 * 1024) throw invalid('media')
    pieces.push(Buffer.alloc(media.size))
  }

  function finalise(id: string) {
    const upload = uploadNamed(id)
    const size = upload.pieces.reduce((sum, { length }) => sum + length, 0)
    if (size !== upload.totalBytes) throw invalid('Segments do not add up to the provided total file size.')
    upload.polls = 0
    return {
      data: { id, media_key: keyOf(id), size, processing_info: { state: 'pending', check_after_secs: 0 } },
    }
  }

  function readUpload(query: URLSearchParams) {
    const upload = uploadNamed(query.get('media_id') ?? '')
    if (upload.polls === null) throw invalid('command')
    upload.polls += 1
    const state = isReady(upload) ? 'succeeded' : 'in_progress'
    return { data: { id: upload.id, processing_info: { state, check_after_secs: 0 } } }
  }

  function describe({ id, metadata }: Body) {
    const upload = uploadNamed(String(id))
    const text = (metadata as { alt_text?: { text?: unknown } } | undefined)?.alt_text?.text
    upload.altText = String(text)
    return { data: { id: upload.id } }
  }

  function uploadNamed(id: string): Upload {
    const upload = uploads.get(id)
    if (upload === undefined) throw invalid('Your media IDs are invalid.')
    return upload
  }

  /* ---- posts ---- */

  function post(body: Body): Answered {
    double.calls += 1
    const order = orders.shift()
    const reset = Math.ceil(Date.now() / 1_000) + 1
    const limit = (remaining: number) => ({
      'x-rate-limit-limit': '100',
      'x-rate-limit-remaining': String(remaining),
      'x-rate-limit-reset': String(reset),
    })
    if (Date.now() < spentUntil) throw new Refusal(429, TOO_MANY, limit(0))
    if (order === '503') throw problem(503, null, 'Service Unavailable', 'Service Unavailable')
    if (order === 'reply refused') throw forbidden('You are not permitted to perform this action.')
    if (order === 'rate limit') {
      throw new Refusal(429, TOO_MANY, limit(0))
    }
    const made = create(body)
    const isLast = order === 'the last of the window'
    if (isLast) spentUntil = reset * 1_000
    if (order === '500 after storing')
      throw problem(500, null, 'Internal Server Error', 'Internal Server Error')
    return {
      ...ok({ data: { id: made.id, text: made.text, edit_history_post_ids: [made.id] } }, 201),
      headers: limit(isLast ? 0 : 99),
    }
  }

  function create(body: Body): XPost {
    const {
      text = '',
      media,
      reply,
    } = body as {
      text?: string
      media?: { media_ids: string[] }
      reply?: { in_reply_to_tweet_id: string }
    }
    const attached = (media?.media_ids ?? []).map((id) => uploadNamed(id))
    if (!attached.every(isReady)) throw invalid('Your media IDs are invalid.')
    if (text === '' && attached.length === 0)
      throw invalid('One or more parameters to your request was invalid.')
    const isSubscribed = ['Basic', 'Premium', 'PremiumPlus'].includes(account.subscription)
    const values = isSubscribed ? { ...xValues, facts: [longText] } : xValues
    if (refusedBy(values, { text }) !== null) throw forbidden('Your Tweet text is too long.')
    const parent = reply === undefined ? null : posts.find(({ id }) => id === reply.in_reply_to_tweet_id)
    if (parent === undefined) {
      throw forbidden('You attempted to reply to a Tweet that is deleted or not visible to you.')
    }
    if (text !== '' && posts.some((one) => one.text === text && one.parent === (parent?.id ?? null))) {
      throw forbidden('You are not allowed to create a Tweet with duplicate content.')
    }
    const id = newId()
    const made = {
      id,
      text,
      parent: parent?.id ?? null,
      conversation: parent?.conversation ?? id,
      media: attached,
      createdAt: new Date().toISOString(),
      request: body,
    }
    posts.push(made)
    return made
  }

  function list(query: URLSearchParams) {
    const size = Number(query.get('max_results') ?? 10)
    if (size < 5 || size > 100) throw invalid('max_results')
    const from = query.get('start_time') ?? ''
    const found = posts.filter(({ createdAt }) => createdAt >= from).toReversed()
    const at = Number(query.get('pagination_token') ?? 0)
    const page = found.slice(at, at + size)
    const more = at + size < found.length ? { next_token: String(at + size) } : {}
    const meta = { result_count: page.length, ...more }
    return page.length === 0 ? { meta } : { data: page.map(view), meta }
  }

  /** As a list shows it: links are shortened, media are links, and three signs are escaped. */
  function view({ id, text, conversation, media }: XPost) {
    const links = text.match(/https?:\/\/\S+/g) ?? []
    const urls = links.map((expanded, place) => ({
      url: `https://t.co/link${place}`,
      expanded_url: expanded,
    }))
    const shown = urls.reduce((sum, { url, expanded_url: written }) => sum.replace(written, url), text)
    const keys = media.map((one) => keyOf(one.id))
    const pictures = keys.map((key) => ({ url: 'https://t.co/media', media_key: key }))
    return {
      id,
      conversation_id: conversation,
      edit_history_post_ids: [id],
      text: escaped(keys.length === 0 ? shown : `${shown} https://t.co/media`.trim()),
      entities: { urls: [...urls, ...pictures].map((one) => ({ start: 0, end: 1, ...one })) },
      ...(keys.length === 0 ? {} : { attachments: { media_keys: keys } }),
    }
  }

  const double: XDouble = {
    ...server,
    account,
    posts,
    orders,
    calls: 0,
    allow,
    expireAccess: () => grants.forEach((grant) => void (grant.accessOver = true)),
    revoke: () => void grants.splice(0),
    age(ms) {
      for (const post of posts) post.createdAt = new Date(Date.parse(post.createdAt) - ms).toISOString()
    },
  }
  return double
}

type Body = Readonly<Record<string, unknown>>

async function jsonOf(request: IncomingMessage): Promise<Body> {
  return JSON.parse((await bytesOf(request)).toString()) as Body
}

function keyOf(id: string): string {
  return `3_${id}`
}

function isReady({ polls }: Upload): boolean {
  return polls !== null && polls >= POLLS_UNTIL_READY
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
