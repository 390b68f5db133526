import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  bytesOf,
  formOf,
  openHttpDouble,
  received,
  Refusal,
  type Answered,
  type HttpDouble,
  type Received,
} from './http-double.ts'

/*
 * Facebook as its documentation describes it (https://developers.facebook.com/docs/): Facebook Login, the Pages of a person,
 * unpublished photos, videos in pieces, reels, drafts of posts that are shown by their id, comments. Every call needs the
 * proof of the app. It refuses whatever is not documented.
 */

export type FacebookDouble = HttpDouble & {
  /** What everybody sees. */
  readonly posts: FacebookPost[]
  /** What becomes of the next calls that show something, in this order. */
  readonly orders: FacebookOrder[]
  /** How many such calls there were. */
  calls: number
  /** The Pages of the person. */
  readonly pages: FacebookPage[]
  /** How many Pages a list has. */
  pagesAtOnce: number
  /** All that was made, seen or not. */
  readonly made: ReadonlyMap<string, Thing>
  readonly comments: { readonly id: string; readonly on: string; readonly message: string }[]
  readonly photos: ReadonlyMap<string, Photo>
  /** In how many looks a video is still processed. */
  looksUntilReady: number
  /** The address of what takes reels; its own unless told otherwise. */
  uploadsAt: string
  /** What the person does at the address that they are sent to: grants these permissions. Gives the query of the way back. */
  readonly allow: (address: URL, permissions?: string) => URLSearchParams
  /** The person takes the access back. */
  readonly revoke: () => void
  /** Sent with each answer. */
  usage: Readonly<Record<string, string>>
}

/** `500 after storing`: it is there, and the answer does not say so; `no fields`: it is there, and the answer is bare. */
export type FacebookOrder =
  | 'fine'
  | 'rate limit'
  | '500 after storing'
  | '503'
  | 'no fields'
  | 'blocked'
  | 'unknown error'

export type FacebookPage = {
  readonly id: string
  readonly name: string
  readonly username?: string
  readonly tasks: readonly string[]
}
export type FacebookPost = { readonly id: string; readonly text: string; readonly thing: Thing }
export type Photo = Received & { readonly alt: string | null }
export type Thing = {
  readonly id: string
  readonly page: string
  readonly kind: 'post' | 'video' | 'reel'
  readonly form: Readonly<Record<string, string>>
  text: string
  shown: boolean
  /** Of an upload. */
  size: number
  bytes: number
  finished: boolean
  looks: number
}

export const FACEBOOK_APP = { clientId: '1234567890123456', clientSecret: 'secret-of-the-app' }
const VERSION = 'v27.0'
const PERMISSIONS = [
  'pages_show_list',
  'pages_read_engagement',
  'pages_manage_posts',
  'pages_manage_engagement',
]
const PIECE_BYTES = 16

export function fault(code: number, message: string, subcode?: number, status = 400): Refusal {
  const error = { message, type: 'OAuthException', code, fbtrace_id: 'EJplcsCHuLu' }
  return new Refusal(status, {
    error: subcode === undefined ? error : { ...error, error_subcode: subcode },
  })
}

const missing = () =>
  fault(
    100,
    'Unsupported request. Object does not exist, cannot be loaded due to missing permissions, or does not support this operation',
    33,
  )

/** Starts one of a test's own: `await using network = await openFacebookDouble()`. */
export async function openFacebookDouble(): Promise<FacebookDouble> {
  const posts: FacebookPost[] = []
  const orders: FacebookOrder[] = []
  const pages: FacebookPage[] = [
    {
      id: '1001',
      name: 'Example Roasters',
      username: 'exampleroasters',
      tasks: ['CREATE_CONTENT', 'MANAGE'],
    },
  ]
  const made = new Map<string, Thing>()
  const sessions = new Map<string, string>()
  const comments: { id: string; on: string; message: string }[] = []
  const photos = new Map<string, Photo>()
  const codes = new Map<string, { redirectUri: string; permissions: string[] }>()
  /** Of the person, by token; short ones are exchanged. */
  const people = new Map<string, { permissions: string[]; long: boolean }>()
  /** The Page of each token. */
  const pageTokens = new Map<string, string>()
  let ids = 20_000_000
  const newId = () => String(++ids)
  const server = await openHttpDouble(handle)

  async function handle(request: IncomingMessage, address: URL): Promise<Answered> {
    const answered = await route(request, address)
    return { ...answered, headers: { ...double.usage, ...answered.headers } }
  }

  async function route(request: IncomingMessage, address: URL): Promise<Answered> {
    const { method = '' } = request
    const reel = /^\/video-upload\/v27\.0\/(\d+)$/.exec(address.pathname)?.[1]
    if (reel !== undefined && method === 'POST') return receiveReel(request, reel)
    const [, version, ...path] = address.pathname.split('/')
    if (version !== VERSION) throw fault(2_635, 'You are calling a deprecated version of the Ads API.')
    const where = path.join('/')
    if (method === 'POST' && where === 'oauth/access_token') return ok(exchange(await textsOf(request)))
    const token = tokenOf(request, address)
    if (where === 'me/permissions' || where === 'me/accounts') {
      const person = people.get(token)
      if (method !== 'GET' || person === undefined || !person.long) throw expired()
      return ok(where === 'me/accounts' ? listPages(token, address) : listPermissions(person.permissions))
    }
    const page = pageTokens.get(token)
    if (page === undefined) throw expired()
    const [id = '', edge] = path
    if (method === 'GET' && id === page && edge === undefined) return ok(showPage(page))
    if (edge === undefined) {
      const thing = made.get(id)
      if (thing === undefined || thing.page !== page) throw missing()
      return method === 'GET' ? ok(show(thing, address.searchParams)) : change(thing, await textsOf(request))
    }
    if (edge === 'comments') {
      const on = made.get(id)
      if (on === undefined || on.page !== page) throw missing()
      return method === 'GET' ? ok(listComments(id)) : ok(comment(id, await textsOf(request)))
    }
    if (id !== page || method !== 'POST') throw missing()
    if (edge === 'feed') return ok(draft(page, await textsOf(request)))
    if (edge === 'photos') return ok(await photo(await formOf(request)))
    if (edge === 'videos') return ok(await video(page, await formOf(request)))
    if (edge === 'video_reels') return reelStep(page, await textsOf(request))
    throw missing()
  }

  /* ---- Facebook Login ---- */

  function allow({ pathname, searchParams }: URL, permissions = searchParams.get('scope') ?? '') {
    const {
      client_id: clientId,
      response_type: type,
      auth_type: again,
      ...query
    } = Object.fromEntries(searchParams)
    const { redirect_uri: redirectUri = '', state = '', scope: asked = '', ...rest } = query
    const known = asked.split(',').every((one) => PERMISSIONS.includes(one))
    const fine = pathname === `/${VERSION}/dialog/oauth` && type === 'code' && again === 'rerequest' && known
    if (clientId !== FACEBOOK_APP.clientId || !fine || Object.keys(rest).length > 0)
      throw new Error('Facebook shows an error')
    const code = `code-${newId()}`
    codes.set(code, { redirectUri, permissions: permissions.split(',') })
    return new URLSearchParams({ state, code })
  }

  function exchange(form: Record<string, string>) {
    const { client_id: clientId, client_secret: secret, grant_type: type } = form
    if (clientId !== FACEBOOK_APP.clientId) throw fault(101, 'Error validating application.')
    if (secret !== FACEBOOK_APP.clientSecret) throw fault(1, 'Error validating client secret.')
    const token = `person-${newId()}`
    if (type === 'fb_exchange_token') {
      const short = people.get(form['fb_exchange_token'] ?? '')
      if (short === undefined) throw expired()
      people.set(token, { ...short, long: true })
      return { access_token: token, token_type: 'bearer', expires_in: 5_184_000 }
    }
    const code = codes.get(form['code'] ?? '')
    codes.delete(form['code'] ?? '')
    if (code === undefined || code.redirectUri !== form['redirect_uri'])
      throw fault(100, 'This authorization code has been used.', 36_009)
    people.set(token, { permissions: code.permissions, long: false })
    return { access_token: token, token_type: 'bearer', expires_in: 5_183_944 }
  }

  function tokenOf(request: IncomingMessage, { searchParams }: URL): string {
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) throw fault(2_500, 'An active access token must be used to query information.')
    const proof = createHmac('sha256', FACEBOOK_APP.clientSecret).update(token).digest('hex')
    if (searchParams.get('appsecret_proof') !== proof)
      throw fault(100, 'Invalid appsecret_proof provided in the API argument')
    return token
  }

  const expired = () =>
    fault(190, 'Error validating access token: The session has been invalidated.', 460, 401)

  function listPermissions(granted: readonly string[]) {
    return {
      data: PERMISSIONS.map((permission) => ({
        permission,
        status: granted.includes(permission) ? 'granted' : 'declined',
      })),
    }
  }

  function listPages(token: string, { searchParams }: URL) {
    needs(searchParams, ['fields', 'limit'], ['after'])
    const start = Number(searchParams.get('after') ?? '0')
    const end = start + Math.min(Number(searchParams.get('limit')), double.pagesAtOnce)
    const data = pages.slice(start, end).map(({ tasks, ...page }) => {
      const pageToken = `page-${page.id}-${token}`
      pageTokens.set(pageToken, page.id)
      return { ...page, tasks, access_token: pageToken, picture: pictureOf(page.id) }
    })
    const cursors = { before: String(start), after: String(end) }
    const next = end < pages.length ? { next: `${server.url}/next?access_token=${token}` } : {}
    return { data, paging: { cursors, ...next } }
  }

  function pictureOf(id: string) {
    return { data: { url: `https://scontent.example/${id}.jpg` } }
  }

  function showPage(id: string) {
    const page = pages.find((one) => one.id === id)
    if (page === undefined) throw missing()
    const { name, username } = page
    return { id, name, ...(username === undefined ? {} : { username }), picture: pictureOf(id) }
  }

  /* ---- Uploads ---- */

  async function photo(form: FormData) {
    const file = form.get('source')
    const fields = textsIn(form)
    if (!(file instanceof File) || fields['published'] !== 'false' || fields['temporary'] !== 'true')
      throw fault(100, 'Invalid parameter')
    if (!/^image\/(?:jpeg|png)$/.test(file.type)) throw fault(1, 'An unknown error occurred')
    const id = newId()
    photos.set(id, { ...(await received(file)), alt: fields['alt_text_custom'] ?? null })
    return { id }
  }

  function newVideo(page: string, kind: 'video' | 'reel', size: number): Thing {
    const thing: Thing = {
      ...{ id: newId(), page, kind, form: {}, text: '', shown: false },
      ...{ size, bytes: 0, finished: false, looks: 0 },
    }
    made.set(thing.id, thing)
    return thing
  }

  async function video(page: string, form: FormData) {
    const fields = textsIn(form)
    const { upload_phase: phase, upload_session_id: session = '' } = fields
    if (phase === 'start') {
      const size = Number(fields['file_size'])
      if (!Number.isSafeInteger(size) || size <= 0)
        throw fault(6_001, 'There was a problem uploading your video.')
      const { id } = newVideo(page, 'video', size)
      const key = newId()
      sessions.set(key, id)
      return { video_id: id, upload_session_id: key, ...offsets(0, size) }
    }
    const thing = made.get(sessions.get(session) ?? '')
    if (thing === undefined) throw fault(6_000, 'There was a problem uploading your video file.')
    if (phase === 'transfer') {
      const file = form.get('video_file_chunk')
      if (!(file instanceof File) || fields['start_offset'] !== String(thing.bytes)) {
        throw fault(6_001, 'There was a problem uploading your video.', 1_363_037)
      }
      thing.bytes += file.size
      return offsets(thing.bytes, thing.size)
    }
    if (phase !== 'finish' || thing.bytes !== thing.size || fields['published'] !== 'false')
      throw fault(6_000, 'There was a problem uploading your video file.')
    thing.finished = true
    return { success: true }
  }

  function offsets(from: number, size: number) {
    return { start_offset: String(from), end_offset: String(Math.min(from + PIECE_BYTES, size)) }
  }

  function reelStep(page: string, form: Record<string, string>): Answered {
    const { upload_phase: phase, video_id: id = '', video_state: state, description = '' } = form
    if (phase === 'start') {
      const thing = newVideo(page, 'reel', 0)
      const uploadUrl = `${double.uploadsAt}/video-upload/${VERSION}/${thing.id}`
      return ok({ video_id: thing.id, upload_url: uploadUrl })
    }
    const thing = made.get(id)
    if (phase !== 'finish' || state !== 'PUBLISHED' || thing?.kind !== 'reel' || thing.bytes === 0)
      throw fault(100, 'Invalid parameter')
    return shown(thing, () => ok({ success: true, post_id: newId() }), description)
  }

  async function receiveReel(request: IncomingMessage, id: string): Promise<Answered> {
    const token = /^OAuth (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const thing = made.get(id)
    if (thing?.kind !== 'reel' || pageTokens.get(token) !== thing.page) throw expired()
    const bytes = await bytesOf(request)
    const { offset, file_size: size } = request.headers
    if (offset !== '0' || size !== String(bytes.length))
      throw new Refusal(400, { debug_info: { retriable: false, type: 'OffsetInvalidError' } })
    thing.bytes = bytes.length
    return ok({ success: true })
  }

  /* ---- Posts ---- */

  function draft(page: string, form: Record<string, string>) {
    const { message = '', link, published, unpublished_content_type: type, ...rest } = form
    if (published !== 'false' || type !== 'DRAFT') throw fault(100, 'Invalid parameter')
    const attached = Object.entries(rest).map(([name, value]) => {
      const { media_fbid: id } = JSON.parse(value) as { media_fbid?: string }
      if (!/^attached_media\[\d\]$/.test(name) || id === undefined || !photos.has(id))
        throw fault(100, 'Invalid parameter: attached_media')
      return id
    })
    if (message === '' && link === undefined && attached.length === 0)
      throw fault(100, 'You must provide a message or a link.')
    const last = posts.at(-1)
    if (message !== '' && last?.text === message && last.thing.page === page)
      throw fault(506, 'Duplicate status message')
    const id = `${page}_${newId()}`
    const thing: Thing = {
      ...{ id, page, kind: 'post', form, text: message, shown: false },
      ...{ size: 0, bytes: 0, finished: true, looks: 0 },
    }
    made.set(id, thing)
    return { id }
  }

  function change(thing: Thing, form: Record<string, string>): Answered {
    const { fields = '', ...changes } = form
    const key = thing.kind === 'post' ? 'is_published' : 'published'
    const { [key]: isShown, description = thing.text, ...rest } = changes
    if (thing.kind === 'reel' || isShown !== 'true' || Object.keys(rest).length > 0)
      throw fault(100, 'Invalid parameter')
    if (!thing.finished) throw fault(100, 'Invalid parameter')
    return shown(
      thing,
      () => ok({ success: true, ...show(thing, new URLSearchParams({ fields })) }),
      description,
    )
  }

  /** Shows a thing, as it is ordered. */
  function shown(thing: Thing, answer: () => Answered, text: string): Answered {
    double.calls += 1
    const order = orders.shift()
    if (order === 'rate limit') {
      const usage = { call_count: 100, total_cputime: 25, total_time: 25, type: 'pages' }
      const told = { [thing.page]: [{ ...usage, estimated_time_to_regain_access: 0.02 }] }
      const body = {
        error: { message: 'There have been too many calls', type: 'OAuthException', code: 80_001 },
      }
      throw new Refusal(400, body, { 'x-business-use-case-usage': JSON.stringify(told) })
    }
    if (order === '503') throw new Refusal(503, '')
    if (order === 'blocked') throw fault(368, 'The action attempted has been deemed abusive')
    thing.text = text
    if (!thing.shown) {
      thing.shown = true
      posts.push({ id: thing.id, text, thing })
    }
    if (order === '500 after storing') throw new Refusal(500, '')
    if (order === 'unknown error') throw fault(1, 'An unknown error occurred', undefined, 500)
    return order === 'no fields' ? ok({ success: true }) : answer()
  }

  function show(thing: Thing, searchParams: URLSearchParams) {
    const fields = (searchParams.get('fields') ?? 'id').split(',')
    const all: Record<string, unknown> = {
      id: thing.id,
      ...(thing.kind === 'post'
        ? { is_published: thing.shown, permalink_url: `${server.url}/${thing.id}` }
        : { published: thing.shown, permalink_url: `/${thing.page}/videos/${thing.id}/` }),
      ...(thing.kind === 'post' ? {} : { status: statusOf(thing, fields.includes('status')) }),
    }
    const unknown = fields.find((field) => !(field in all))
    if (unknown !== undefined) throw fault(100, `Tried accessing nonexisting field (${unknown})`)
    return Object.fromEntries(fields.map((field) => [field, all[field]]))
  }

  function statusOf(thing: Thing, isLook: boolean) {
    const isReady = thing.looks >= double.looksUntilReady
    if (isLook && (thing.kind === 'video' || thing.shown)) thing.looks += 1
    const phase = (isOver: boolean) => ({ status: isOver ? 'complete' : 'not_started' })
    return {
      video_status: isReady ? 'ready' : 'processing',
      uploading_phase: phase(thing.bytes > 0),
      processing_phase: phase(isReady),
      publishing_phase: { status: thing.shown ? (isReady ? 'complete' : 'in_progress') : 'not_started' },
    }
  }

  function comment(on: string, form: Record<string, string>) {
    const { message = '', fields = 'id', ...rest } = form
    if (message === '' || Object.keys(rest).length > 0) throw fault(100, 'Invalid parameter')
    const order = orders.shift()
    const made = { id: `${on.split('_').at(-1) ?? ''}_${newId()}`, on, message }
    comments.push(made)
    if (order === '500 after storing') throw new Refusal(500, '')
    return fields === 'id' ? { id: made.id } : { id: made.id, permalink_url: `${server.url}/${made.id}` }
  }

  function listComments(on: string) {
    const page = made.get(on)?.page
    const data = comments
      .filter((one) => one.on === on)
      .map(({ id, message }) => ({ id, message, from: { id: page } }))
    return { data: data.toReversed() }
  }

  const double: FacebookDouble = {
    ...{ ...server, posts, orders, calls: 0, pages, pagesAtOnce: 25, made, comments, photos },
    ...{ looksUntilReady: 0, uploadsAt: server.url, usage: {} },
    allow,
    revoke: () => {
      people.clear()
      pageTokens.clear()
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return double
}

const ok = (body: unknown): Answered => ({ status: 200, body })

function needs(given: URLSearchParams, required: readonly string[], optional: readonly string[]): void {
  const names = [...given.keys()].filter((name) => name !== 'appsecret_proof')
  const known = names.every((name) => [...required, ...optional].includes(name))
  if (!known || required.some((name) => !names.includes(name))) throw fault(100, 'Invalid parameter')
}

function textsIn(form: FormData): Record<string, string> {
  return Object.fromEntries(
    [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

async function textsOf(request: IncomingMessage): Promise<Record<string, string>> {
  return textsIn(await formOf(request))
}
