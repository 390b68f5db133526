import type { IncomingMessage } from 'node:http'
import { formOf, openHttpDouble, refuseFile, Refusal, type Answered, type HttpDouble } from './http-double.ts'
import { threadsCalls } from './threads-calls.ts'
import { threadsValues } from './threads-values.ts'
import { fileIn } from './value-table.ts'

/*
 * Threads as its documentation describes it (https://developers.facebook.com/documentation/threads): the tokens, the profile, containers
 * and their publication, the limits, the lists. It refuses whatever is not in the table of its calls.
 */

export type ThreadsDouble = HttpDouble & {
  readonly posts: ThreadsPost[]
  readonly containers: Map<string, ThreadsContainer>
  /** What becomes of the next publications, in this order. */
  readonly orders: ThreadsOrder[]
  /** How many calls to publish there were. */
  calls: number
  /** How often a container of media is asked for until it is ready. */
  looksUntilReady: number
  /** Why the next container of media fails. */
  mediaFault: string | null
  /** Posts and replies that are used up besides those made here. */
  used: { posts: number; replies: number }
  /** How many there may be within 24 hours. */
  total: { posts: number; replies: number }
  /** Where media is fetched, whatever the origin of its address; null: it is taken as fetched. */
  fetchAt: string | null
  /** What was fetched. */
  readonly fetched: { readonly type: string; readonly size: number }[]
  /** What the owner does at the address that they are sent to: allows these permissions. Gives the query of the way back. */
  readonly allow: (address: URL, scope?: string) => URLSearchParams
  /** The owner takes the access back. */
  readonly revoke: () => void
  /** A permission is taken away. */
  readonly withdraw: (permission: string) => void
  /** So much time has passed since everything was made. */
  readonly age: (ms: number) => void
}

/** `500 after storing`: it is out, and the answer does not say so. */
export type ThreadsOrder = 'none' | 'rate limit' | '500 after storing' | '500' | 'refused'

export type ThreadsPost = {
  readonly id: string
  readonly text: string
  readonly parent: string | null
  createdAt: number
  readonly container: ThreadsContainer
}
export type ThreadsContainer = {
  readonly id: string
  readonly form: Readonly<Record<string, string>>
  looks: number
  createdAt: number
  fault: string | null
  published: boolean
}

export const THREADS_APP = { clientId: '990602627938098', clientSecret: 'secret-of-the-app' }
export const PROFILE = { id: '17841400008460056', username: 'coffee_example', name: 'Coffee' }
const DAY_MS = 24 * 60 * 60_000
const PERMISSIONS = [
  'threads_basic',
  'threads_content_publish',
  'threads_manage_replies',
  'threads_read_replies',
]

function error(status: number, code: number, message: string, subcode?: number): Refusal {
  const more = subcode === undefined ? {} : { error_subcode: subcode }
  return new Refusal(status, {
    error: { message, type: 'OAuthException', code, ...more, fbtrace_id: 'A6LJylpZRKw' },
  })
}
const invalid = (message: string) => error(400, 100, message)
const missing = (id: string) =>
  error(400, 100, `Unsupported get request. Object with ID '${id}' does not exist`, 33)
const ok = (body: unknown): Answered => ({ status: 200, body, headers: { date: new Date().toUTCString() } })

type Grant = { access: string; scope: string[]; short: boolean; createdAt: number }

/** Starts one of a test's own: `await using network = await openThreadsDouble()`. */
export async function openThreadsDouble(): Promise<ThreadsDouble> {
  const posts: ThreadsPost[] = []
  const containers = new Map<string, ThreadsContainer>()
  const orders: ThreadsOrder[] = []
  const fetched: ThreadsDouble['fetched'] = []
  const codes = new Map<string, { redirectUri: string; scope: string[] }>()
  const grants: Grant[] = []
  let ids = 17_900_000_000_000_000n
  const newId = () => String((ids += 7n))
  const server = await openHttpDouble(handle, threadsCalls, threadsValues)

  async function handle(request: IncomingMessage, address: URL): Promise<Answered> {
    const query = Object.fromEntries(address.searchParams)
    const route = `${request.method} ${address.pathname}`
    if (route === 'POST /oauth/access_token') return ok(exchange(await formOf(request)))
    if (route === 'GET /access_token') return ok(lengthen(query))
    if (route === 'GET /refresh_access_token') return ok(renew(query))
    const { access_token: token, ...asked } = query
    const grant = grants.find(({ access }) => access === token)
    if (grant === undefined || grant.short) throw error(400, 190, 'Invalid OAuth access token.', 467)
    const needs = (permission: string) => {
      if (!grant.scope.includes(permission))
        throw error(403, 10, `Application does not have permission for this action (${permission})`)
    }
    needs('threads_basic')
    const [, , one = '', edge] = address.pathname.split('/')
    if (request.method === 'POST') {
      if (one !== PROFILE.id) throw missing(one)
      const form = textsOf(await formOf(request))
      needs('threads_content_publish')
      if (edge === 'threads') {
        if (form['reply_to_id'] !== undefined) needs('threads_manage_replies')
        return ok({ id: (await create(form)).id })
      }
      return publish(form)
    }
    const { fields = 'id', limit } = asked
    const names = fields.split(',')
    if (one === 'me' && edge === undefined) return ok(shown(PROFILE_SHOWN, names))
    if (one === PROFILE.id && edge === 'threads_publishing_limit') {
      needs('threads_content_publish')
      if (fields.includes('reply_')) needs('threads_manage_replies')
      return ok({ data: [shown(quota(), names)] })
    }
    if (one === PROFILE.id && (edge === 'threads' || edge === 'replies')) {
      if (edge === 'replies') needs('threads_read_replies')
      return ok({ data: list(edge, names, Number(limit)) })
    }
    if (edge !== undefined) throw missing(one)
    const container = containers.get(one)
    if (container !== undefined) return ok({ ...look(container, names), id: one })
    const post = posts.find(({ id }) => id === one)
    if (post === undefined) throw missing(one)
    return ok(shown(view(post), [...names, 'id']))
  }

  /* ---- tokens ---- */

  function allow(address: URL, scope = address.searchParams.get('scope') ?? ''): URLSearchParams {
    const query = Object.fromEntries(address.searchParams)
    const { client_id: clientId, response_type: type, state = '', redirect_uri: redirectUri = '' } = query
    const known = Object.keys(query).every((name) =>
      ['client_id', 'response_type', 'state', 'redirect_uri', 'scope'].includes(name),
    )
    const asked = scope.split(',').filter((one) => one !== '')
    if (
      address.pathname !== '/oauth/authorize' ||
      clientId !== THREADS_APP.clientId ||
      type !== 'code' ||
      !known ||
      !asked.every((one) => PERMISSIONS.includes(one))
    )
      throw new Error('Threads shows an error')
    const code = `code-${newId()}`
    codes.set(code, { redirectUri, scope: asked })
    return new URLSearchParams({ state, code })
  }

  function exchange(form: FormData) {
    const {
      client_id: id,
      client_secret: secret,
      grant_type: type,
      redirect_uri: uri,
      code = '',
    } = textsOf(form)
    if (id !== THREADS_APP.clientId || secret !== THREADS_APP.clientSecret)
      throw error(400, 101, 'Error validating client secret.')
    const known = codes.get(code)
    codes.delete(code)
    if (type !== 'authorization_code' || known === undefined || known.redirectUri !== uri)
      throw error(400, 100, 'Invalid authorization code')
    // A number that is no longer exact in JavaScript.
    return { access_token: grantOf(known.scope, true).access, user_id: 17_841_400_008_460_056 }
  }

  function grantOf(scope: string[], short: boolean): Grant {
    const grant = { access: `THQ-${newId()}`, scope, short, createdAt: Date.now() }
    grants.push(grant)
    return grant
  }

  function lengthen({ grant_type: type, client_secret: secret, access_token: token }: Query) {
    if (type !== 'th_exchange_token' || secret !== THREADS_APP.clientSecret)
      throw error(400, 101, 'Error validating client secret.')
    const short = grants.find(({ access, short: isShort }) => access === token && isShort)
    if (short === undefined) throw error(400, 190, 'Invalid OAuth access token.')
    return longLived(short.scope)
  }

  /** "At least 24 hours old". */
  function renew({ grant_type: type, access_token: token }: Query) {
    const grant = grants.find(({ access, short }) => access === token && !short)
    if (type !== 'th_refresh_token' || grant === undefined)
      throw error(400, 190, 'Invalid OAuth access token.')
    if (Date.now() - grant.createdAt < DAY_MS) throw invalid('The token is less than 24 hours old.')
    return longLived(grant.scope)
  }

  function longLived(scope: string[]) {
    return { access_token: grantOf(scope, false).access, token_type: 'bearer', expires_in: 5_183_944 }
  }

  /* ---- containers ---- */

  async function create(form: Record<string, string>): Promise<ThreadsContainer> {
    const { media_type: type, text = '', children, reply_to_id: parent, topic_tag: topic } = form
    if (topic !== undefined && !/^[^.&]+$/.test(topic)) throw invalid('Param topic_tag')
    if (parent !== undefined && !posts.some(({ id }) => id === parent)) throw missing(parent)
    let fault: string | null = null
    switch (type) {
      case 'TEXT':
        if (text.trim() === '') throw invalid('Param text is required')
        break
      case 'IMAGE':
        fault = await fetchMedia(form['image_url'])
        break
      case 'VIDEO':
        fault = await fetchMedia(form['video_url'])
        break
      case 'CAROUSEL': {
        const items = (children ?? '').split(',').map((id) => containers.get(id))
        if (items.length < 2) throw invalid('A carousel has 2 to 20 items')
        if (!items.every((one) => one?.form['is_carousel_item'] === 'true' && statusOf(one) === 'FINISHED'))
          throw invalid('Param children')
        break
      }
      case undefined:
      default:
        throw invalid('Param media_type')
    }
    if (type === 'IMAGE' || type === 'VIDEO') fault = double.mediaFault ?? fault
    double.mediaFault = null
    const made = { id: newId(), form, looks: 0, createdAt: Date.now(), fault, published: false }
    containers.set(made.id, made)
    return made
  }

  /** What is said of the file later; null for nothing. */
  async function fetchMedia(url: string | undefined): Promise<string | null> {
    if (url === undefined || !URL.canParse(url)) throw invalid('The media URL is missing')
    if (double.fetchAt === null) {
      if (!/^https:.*\.(?:jpg|png|mp4|mov)$/.test(url)) throw invalid('The media could not be fetched')
      return null
    }
    const { pathname } = new URL(url)
    const answer = await fetch(double.fetchAt + pathname)
    const bytes = Buffer.from(await answer.arrayBuffer())
    const type = answer.headers.get('content-type') ?? ''
    if (answer.status !== 200) throw invalid('The media could not be fetched')
    fetched.push({ type, size: bytes.length })
    return refuseFile(threadsValues, await fileIn(bytes, type))
  }

  function statusOf(container: ThreadsContainer): string {
    if (container.published) return 'PUBLISHED'
    if (container.fault !== null) return 'ERROR'
    if (Date.now() - container.createdAt > DAY_MS) return 'EXPIRED'
    return container.form['media_type'] === 'TEXT' || container.looks >= double.looksUntilReady
      ? 'FINISHED'
      : 'IN_PROGRESS'
  }

  function look(container: ThreadsContainer, names: readonly string[]) {
    container.looks += 1
    const status = statusOf(container)
    const message = status === 'ERROR' ? { error_message: container.fault } : {}
    return shown({ status, ...message }, names)
  }

  function publish({ creation_id: id = '' }: Record<string, string>): Answered {
    double.calls += 1
    const order = orders.shift()
    if (order === '500') throw new Refusal(500, { error: { message: 'An unknown error occurred', code: 1 } })
    if (order === 'rate limit') throw error(400, 4, 'Application request limit reached')
    if (order === 'refused') throw error(400, 24, 'The requested resource does not exist', 4_279_009)
    const container = containers.get(id)
    if (
      container === undefined ||
      statusOf(container) !== 'FINISHED' ||
      container.form['is_carousel_item'] === 'true'
    )
      throw error(400, 24, 'The requested resource does not exist', 4_279_009)
    const parent = container.form['reply_to_id'] ?? null
    const { quota_usage: used, reply_quota_usage: repliesUsed } = quota()
    if (parent === null ? used >= double.total.posts : repliesUsed >= double.total.replies)
      throw error(400, 9, 'You reached maximum number of posts that is allowed to be published.', 2_207_042)
    container.published = true
    const made = { id: newId(), text: container.form['text'] ?? '', parent, createdAt: Date.now(), container }
    posts.push(made)
    if (order === '500 after storing')
      throw new Refusal(500, { error: { message: 'An unknown error occurred', code: 1 } })
    return ok({ id: made.id })
  }

  function quota() {
    const recent = posts.filter(({ createdAt }) => Date.now() - createdAt < DAY_MS)
    const isReply = ({ parent }: ThreadsPost) => parent !== null
    return {
      quota_usage: double.used.posts + recent.filter((post) => !isReply(post)).length,
      config: { quota_total: double.total.posts, quota_duration: 86_400 },
      reply_quota_usage: double.used.replies + recent.filter(isReply).length,
      reply_config: { quota_total: double.total.replies, quota_duration: 86_400 },
    }
  }

  function list(edge: 'threads' | 'replies', names: readonly string[], limit: number) {
    if (limit > 100) throw invalid('Param limit is not valid')
    return posts
      .filter(({ parent }) => (parent === null) === (edge === 'threads'))
      .toReversed()
      .slice(0, limit)
      .map((post) => shown(view(post), [...names, 'id']))
  }

  function view({ id, text, parent, createdAt }: ThreadsPost) {
    return {
      id,
      permalink: `https://www.threads.com/@${PROFILE.username}/post/C${id.slice(-6)}`,
      ...(text === '' ? {} : { text }),
      timestamp: new Date(createdAt).toISOString().replace(/\.\d+Z$/, '+0000'),
      ...(parent === null ? {} : { replied_to: { id: parent } }),
    }
  }

  const double: ThreadsDouble = {
    ...server,
    posts,
    containers,
    orders,
    fetched,
    allow,
    calls: 0,
    looksUntilReady: 1,
    mediaFault: null,
    used: { posts: 0, replies: 0 },
    total: { posts: 250, replies: 1_000 },
    fetchAt: null,
    revoke: () => void grants.splice(0),
    withdraw(permission) {
      for (const grant of grants) grant.scope = grant.scope.filter((one) => one !== permission)
    },
    age(ms) {
      for (const one of [...posts, ...containers.values(), ...grants]) one.createdAt -= ms
    },
  }
  return double
}

type Query = Readonly<Record<string, string | undefined>>

const PROFILE_SHOWN = {
  ...PROFILE,
  threads_profile_picture_url: 'https://scontent.example/coffee.jpg',
  threads_biography: 'Beans.',
}

/** Those of the members that were asked for. */
function shown(all: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
}

function textsOf(form: FormData): Record<string, string> {
  return Object.fromEntries(
    [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]),
  )
}
