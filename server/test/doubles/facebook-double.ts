import type { IncomingMessage } from 'node:http'
import { facebookCalls } from './facebook-calls.ts'
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
import {
  type BusinessPage,
  expired,
  fault,
  openMetaLogin,
  type PagesOfBusiness,
  textsIn,
  textsOf,
  VERSION,
} from './meta-login-double.ts'
import { facebookValues } from './facebook-values.ts'

/*
 * Facebook as its documentation describes it (https://developers.facebook.com/docs/): Facebook Login, the Pages of a person,
 * unpublished photos, videos in pieces, reels, drafts of posts that are shown by their id, comments. Every call needs the
 * proof of the app. It refuses whatever is not in the table of its calls.
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
  /** The person's business portfolios, by their ids. */
  businesses: Record<string, Record<PagesOfBusiness, BusinessPage[]>>
  /** All that was made, seen or not. */
  readonly made: ReadonlyMap<string, Thing>
  readonly comments: { readonly id: string; readonly on: string; readonly message: string }[]
  readonly photos: ReadonlyMap<string, Photo>
  /** In how many looks a video is still processed. */
  looksUntilReady: number
  /** The address of what takes reels; its own unless told otherwise. */
  uploadsAt: string
  /** The connection of the next bytes that go up breaks after so many of them; null for never. */
  breaksAfter: number | null
  /** What the person does at the address that they are sent to: grants these permissions. Gives the query of the way back. */
  readonly allow: (address: URL, permissions?: string) => URLSearchParams
  /** The person takes the access back. */
  readonly revoke: () => void
  /** No upload session is known any more. */
  readonly forgetSessions: () => void
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

const PERMISSIONS = [
  'pages_show_list',
  'pages_read_engagement',
  'pages_manage_posts',
  'pages_manage_engagement',
  'business_management',
]
const PIECE_BYTES = 16

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
  let ids = 20_000_000
  const newId = () => String(++ids)
  const server = await openHttpDouble(handle, facebookCalls, facebookValues)
  const login = openMetaLogin({
    permissions: PERMISSIONS,
    newId,
    next: () => `${server.url}/next`,
    pages: () => pages.map(({ tasks, ...page }) => ({ ...page, tasks, picture: pictureOf(page.id) })),
    pagesAtOnce: () => double.pagesAtOnce,
    businesses: () => double.businesses,
  })

  async function handle(request: IncomingMessage, address: URL): Promise<Answered> {
    const answered = await route(request, address)
    return { ...answered, headers: { 'facebook-api-version': VERSION, ...double.usage, ...answered.headers } }
  }

  async function route(request: IncomingMessage, address: URL): Promise<Answered> {
    const { method = '' } = request
    const reel = /^\/video-upload\/v27\.0\/(\d+)$/.exec(address.pathname)?.[1]
    if (reel !== undefined && method === 'POST') return receiveReel(request, reel)
    const [, , ...path] = address.pathname.split('/')
    const where = path.join('/')
    if (method === 'POST' && where === 'oauth/access_token') return ok(login.exchange(await textsOf(request)))
    const debugged = login.debug(method, where, request, address)
    if (debugged !== null) return ok(debugged)
    const token = login.tokenOf(request, address)
    const told = login.answerPerson(method, where, token, address)
    if (told !== null) return ok(told)
    const page = login.pageOf(token)
    if (page === undefined) throw expired()
    const [id = '', edge] = path
    if (method === 'GET' && id === page && edge === undefined) return ok(showPage(page))
    if (edge === undefined) {
      const thing = made.get(id)
      if (photos.has(id)) return photoAt(method, id)
      if (thing === undefined || thing.page !== page) throw missing()
      if (method === 'DELETE') return ok({ success: made.delete(id) })
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
    if (!(file instanceof File)) throw fault(100, 'Invalid parameter')
    if (!/^image\/(?:jpeg|png)$/.test(file.type)) throw fault(1, 'An unknown error occurred')
    const id = newId()
    photos.set(id, { ...(await received(file)), alt: fields['alt_text_custom'] ?? null })
    return { id }
  }

  function photoAt(method: string, id: string): Answered {
    if (method === 'DELETE') return ok({ success: photos.delete(id) })
    if (method !== 'GET') throw fault(100, 'Invalid parameter')
    const story = posts.find(({ thing }) =>
      Object.values(thing.form).some((value) => value.includes(`"${id}"`)),
    )
    return ok({ id, ...(story === undefined ? {} : { page_story_id: story.id }) })
  }

  function newVideo(page: string, kind: 'video' | 'reel', size: number): Thing {
    const thing: Thing = {
      id: newId(),
      page,
      kind,
      form: {},
      text: '',
      shown: false,
      size,
      bytes: 0,
      finished: false,
      looks: 0,
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
    if (thing.finished) throw fault(6_000, 'There was a problem uploading your video file.')
    if (phase === 'transfer') {
      const file = form.get('video_file_chunk')
      if (!(file instanceof File)) throw fault(100, 'Invalid parameter')
      if (fields['start_offset'] !== String(thing.bytes)) throw elsewhere(thing)
      thing.bytes += file.size
      breakOff(file.size)
      return offsets(thing.bytes, thing.size)
    }
    if (thing.bytes !== thing.size) throw fault(6_000, 'There was a problem uploading your video file.')
    thing.finished = true
    return { success: true }
  }

  /** https://developers.facebook.com/docs/graph-api/video-uploads: what is to be sent instead. */
  function elsewhere({ bytes, size }: Thing): Refusal {
    const end = Math.min(bytes + PIECE_BYTES, size)
    return fault(6_001, 'There was a problem uploading your video. Please try again.', 1_363_037, 400, {
      error_data: { start_offset: bytes, end_offset: end },
    })
  }

  /** Nobody hears what became of bytes that were taken. */
  function breakOff(taken: number): void {
    if (double.breaksAfter === null || taken < double.breaksAfter) return
    double.breaksAfter = null
    throw new Refusal(502, '')
  }

  function offsets(from: number, size: number) {
    return { start_offset: String(from), end_offset: String(Math.min(from + PIECE_BYTES, size)) }
  }

  function reelStep(page: string, form: Record<string, string>): Answered {
    const { upload_phase: phase, video_id: id = '', description = '' } = form
    if (phase === 'start') {
      const thing = newVideo(page, 'reel', 0)
      const uploadUrl = `${double.uploadsAt}/video-upload/${VERSION}/${thing.id}`
      return ok({ video_id: thing.id, upload_url: uploadUrl })
    }
    const thing = made.get(id)
    if (thing?.kind !== 'reel' || !thing.finished) throw fault(100, 'Invalid parameter')
    return shown(thing, () => ok({ success: true, post_id: newId() }), description)
  }

  async function receiveReel(request: IncomingMessage, id: string): Promise<Answered> {
    const token = /^OAuth (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const thing = made.get(id)
    if (thing?.kind !== 'reel' || login.pageOf(token) !== thing.page) throw expired()
    const { length } = await bytesOf(request)
    const { offset, file_size: size } = request.headers
    if (thing.finished || offset !== String(thing.bytes) || size !== String(thing.bytes + length))
      throw new Refusal(400, { debug_info: { retriable: false, type: 'OffsetInvalidError' } })
    thing.size = Number(size)
    const taken = Math.min(length, double.breaksAfter ?? length)
    thing.bytes += taken
    breakOff(taken)
    thing.finished = true
    return ok({ success: true })
  }

  /* ---- Posts ---- */

  function draft(page: string, form: Record<string, string>) {
    const { message = '', link } = form
    const attached = Object.entries(form).flatMap(([name, value]) =>
      name.startsWith('attached_media') ? [(JSON.parse(value) as { media_fbid: string }).media_fbid] : [],
    )
    if (!attached.every((id) => photos.has(id))) throw fault(100, 'Invalid parameter: attached_media')
    if (message === '' && link === undefined && attached.length === 0)
      throw fault(100, 'You must provide a message or a link.')
    const last = posts.at(-1)
    if (message !== '' && last?.text === message && last.thing.page === page)
      throw fault(506, 'Duplicate status message')
    const id = `${page}_${newId()}`
    const thing: Thing = {
      id,
      page,
      kind: 'post',
      form,
      text: message,
      shown: false,
      size: 0,
      bytes: 0,
      finished: true,
      looks: 0,
    }
    made.set(id, thing)
    return { id }
  }

  function change(thing: Thing, form: Record<string, string>): Answered {
    const { fields = '', description = thing.text } = form
    if (thing.kind === 'reel' || !thing.finished) throw fault(100, 'Invalid parameter')
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
    const isReady = thing.finished && thing.looks >= double.looksUntilReady
    if (isLook && thing.finished && (thing.kind === 'video' || thing.shown)) thing.looks += 1
    const phase = (isOver: boolean) => ({ status: isOver ? 'complete' : 'not_started' })
    return {
      video_status: isReady ? 'ready' : 'processing',
      uploading_phase: uploading(thing),
      processing_phase: phase(isReady),
      publishing_phase: { status: thing.shown ? (isReady ? 'complete' : 'in_progress') : 'not_started' },
    }
  }

  /** Bytes are told of reels alone: of other videos no page of the documentation says so. */
  function uploading({ kind, bytes, finished }: Thing) {
    if (finished) return { status: 'complete', ...(kind === 'reel' ? { bytes_transferred: bytes } : {}) }
    if (bytes === 0) return { status: 'not_started' }
    return { status: 'in_progress', ...(kind === 'reel' ? { bytes_transferred: bytes } : {}) }
  }

  function comment(on: string, form: Record<string, string>) {
    const { message = '', fields = 'id' } = form
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
    ...server,
    posts,
    orders,
    calls: 0,
    pages,
    pagesAtOnce: 25,
    businesses: {},
    made,
    comments,
    photos,
    looksUntilReady: 0,
    uploadsAt: server.url,
    breaksAfter: null,
    usage: {},
    allow: login.allow,
    revoke: login.revoke,
    forgetSessions: () => sessions.clear(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return double
}

const ok = (body: unknown): Answered => ({ status: 200, body })
