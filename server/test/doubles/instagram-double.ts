import type { IncomingMessage } from 'node:http'
import { openHttpDouble, Refusal, type Answered, type HttpDouble } from './http-double.ts'
import { instagramCalls } from './instagram-calls.ts'
import { expired, fault, openMetaLogin, textsOf, VERSION, type MetaLogin } from './meta-login-double.ts'
import { instagramValues } from './instagram-values.ts'

/*
 * Instagram as its documentation describes it (https://developers.facebook.com/documentation/instagram-platform), with a sign-in at
 * Facebook: the accounts of Pages, containers and their publication, the limit, the lists, comments. It refuses whatever is not
 * documented.
 */

export type InstagramDouble = HttpDouble &
  Pick<MetaLogin, 'allow' | 'revoke'> & {
    readonly posts: InstagramPost[]
    readonly comments: { readonly id: string; readonly on: string; readonly text: string }[]
    readonly containers: Map<string, InstagramContainer>
    /** What becomes of the next publications and comments, in this order. */
    readonly orders: InstagramOrder[]
    /** How many calls to publish there were. */
    calls: number
    /** The Pages of the person, and the account that belongs to each. */
    readonly pages: InstagramPage[]
    /** How often a container is asked for until it is ready. */
    looksUntilReady: number
    /** The subcode that the next container fails for. */
    mediaFault: number | null
    /** Posts that are used up besides those made here, of so many within 24 hours. */
    used: number
    total: number
    /** So much time has passed since everything was made. */
    readonly age: (ms: number) => void
  }

/** `500 after storing`: it is out, and the answer does not say so. */
export type InstagramOrder =
  | 'fine'
  | 'rate limit'
  | '500 after storing'
  | '500'
  | 'refused'
  | 'spam'
  | 'restricted'

export type InstagramPage = {
  readonly id: string
  readonly tasks: readonly string[]
  /** Null for a Page without a professional account. */
  readonly account: { readonly id: string; readonly username: string; readonly name?: string } | null
}
export type InstagramPost = {
  readonly id: string
  readonly text: string
  readonly account: string
  createdAt: number
  readonly container: InstagramContainer
}
export type InstagramContainer = {
  readonly id: string
  readonly account: string
  readonly form: Readonly<Record<string, string>>
  looks: number
  createdAt: number
  readonly fault: number | null
  published: boolean
}

const DAY_MS = 24 * 60 * 60_000
const PERMISSIONS = [
  'pages_show_list',
  'pages_read_engagement',
  'business_management',
  'instagram_basic',
  'instagram_content_publish',
  'instagram_manage_comments',
]

const missing = () => fault(100, 'Unsupported get request. Object with this ID does not exist', 33)
const invalid = (message: string) => fault(100, message)
const ok = (body: unknown): Answered => ({
  status: 200,
  body,
  headers: { date: new Date().toUTCString(), 'facebook-api-version': VERSION },
})

/** Starts one of a test's own: `await using network = await openInstagramDouble()`. */
export async function openInstagramDouble(): Promise<InstagramDouble> {
  const posts: InstagramPost[] = []
  const comments: { id: string; on: string; text: string }[] = []
  const containers = new Map<string, InstagramContainer>()
  const orders: InstagramOrder[] = []
  const pages: InstagramPage[] = [
    {
      id: '1001',
      tasks: ['CREATE_CONTENT', 'MANAGE'],
      account: { id: '17841405822304914', username: 'coffee_example', name: 'Coffee' },
    },
  ]
  let ids = 17_889_000_000_000_000n
  const newId = () => String((ids += 7n))
  const server = await openHttpDouble(handle, instagramCalls, instagramValues)
  const login = openMetaLogin({
    permissions: PERMISSIONS,
    newId,
    next: () => `${server.url}/next`,
    pagesAtOnce: () => 25,
    pages: () =>
      pages.map(({ id, tasks, account }) => ({
        id,
        tasks,
        ...(account === null ? {} : { instagram_business_account: view(account) }),
      })),
  })

  function view(account: NonNullable<InstagramPage['account']>) {
    return { ...account, profile_picture_url: `https://scontent.example/${account.id}.jpg` }
  }

  async function handle(request: IncomingMessage, address: URL): Promise<Answered> {
    const { method = '' } = request
    const [, , ...path] = address.pathname.split('/')
    const where = path.join('/')
    if (method === 'POST' && where === 'oauth/access_token') return ok(login.exchange(await textsOf(request)))
    const debugged = login.debug(method, where, request, address)
    if (debugged !== null) return ok(debugged)
    const token = login.tokenOf(request, address)
    const told = login.answerPerson(method, where, token, address)
    if (told !== null) return ok(told)
    const account = pages.find(({ id }) => id === login.pageOf(token))?.account
    if (account === undefined || account === null) throw expired()
    const [one = '', edge] = path
    return method === 'POST'
      ? change(account.id, one, edge, await textsOf(request))
      : ok(show(account, one, edge, Object.fromEntries(address.searchParams)))
  }

  function change(account: string, one: string, edge: string | undefined, form: Form): Answered {
    if (edge === 'comments') return comment(account, one, form)
    if (one !== account) throw missing()
    if (edge === 'media') return ok({ id: create(account, form).id })
    return publish(account, form)
  }

  function show(
    account: NonNullable<InstagramPage['account']>,
    one: string,
    edge: string | undefined,
    { fields = 'id', limit = '25' }: Form,
  ) {
    const names = fields.split(',')
    const own = posts.filter((post) => post.account === account.id)
    if (edge === 'comments') {
      if (!own.some(({ id }) => id === one) || Number(limit) > 50) throw missing()
      const data = comments
        .filter(({ on }) => on === one)
        .map(({ id, text }) => only({ id, text, from: { id: account.id } }, names))
      return { data: data.toReversed() }
    }
    if (edge === undefined && one !== account.id) {
      const container = containers.get(one)
      if (container?.account === account.id) return { ...look(container, names), id: one }
      const post = own.find(({ id }) => id === one)
      if (post === undefined) throw missing()
      return { ...only(viewPost(post), names), id: one }
    }
    if (one !== account.id) throw missing()
    switch (edge) {
      case undefined:
        return only(view(account), names)
      case 'content_publishing_limit':
        return { data: [only(quota(account.id), names)] }
      case 'media':
      case 'stories': {
        const listed = own.filter(({ container }) => isStory(container) === (edge === 'stories'))
        const shown = listed.toReversed().slice(0, Number(limit))
        return { data: shown.map((post) => ({ ...only(viewPost(post), names), id: post.id })) }
      }
      default:
        throw missing()
    }
  }

  /* ---- containers ---- */

  function create(account: string, form: Form): InstagramContainer {
    const { image_url: image, video_url: video, children } = form
    if (image !== undefined) fetchable(image, /\.jpg$/)
    if (video !== undefined) fetchable(video, /\.(?:mp4|mov)$/)
    if (children !== undefined) {
      const items = children.split(',').map((id) => containers.get(id))
      const fine = items.every(
        (one) => one?.form['is_carousel_item'] === 'true' && statusOf(one) === 'FINISHED',
      )
      if (!fine) throw invalid('Param children')
    }
    const made: InstagramContainer = {
      id: newId(),
      account,
      form,
      looks: 0,
      createdAt: Date.now(),
      fault: double.mediaFault,
      published: false,
    }
    double.mediaFault = null
    containers.set(made.id, made)
    return made
  }

  function fetchable(url: string, ending: RegExp): void {
    if (!url.startsWith('https:') || !ending.test(url))
      throw fault(9_004, 'The media could not be fetched from this URI', 2_207_052)
  }

  function statusOf(container: InstagramContainer) {
    if (container.published) return 'PUBLISHED'
    if (container.fault !== null) return 'ERROR'
    if (Date.now() - container.createdAt > DAY_MS) return 'EXPIRED'
    return container.looks >= double.looksUntilReady ? 'FINISHED' : 'IN_PROGRESS'
  }

  function look(container: InstagramContainer, names: readonly string[]) {
    container.looks += 1
    const code = statusOf(container)
    const status =
      code === 'ERROR' ? `Error: Media upload has failed with error code ${container.fault}` : code
    return only({ id: container.id, status_code: code, status }, names)
  }

  function publish(account: string, { creation_id: id = '' }: Form): Answered {
    double.calls += 1
    const order = orders.shift()
    refuseOrdered(order)
    if (order === 'refused') throw fault(24, 'The requested resource does not exist', 2_207_006)
    const container = containers.get(id)
    if (container?.account !== account || container.form['is_carousel_item'] === 'true')
      throw fault(24, 'The requested resource does not exist', 2_207_006)
    if (statusOf(container) === 'IN_PROGRESS') throw fault(9_007, 'Media ID is not available', 2_207_027)
    if (statusOf(container) !== 'FINISHED')
      throw fault(24, 'The requested resource does not exist', 2_207_008)
    const { quota_usage: used, config } = quota(account)
    if (used >= config.quota_total) throw fault(9, 'You reached maximum number of posts', 2_207_042)
    container.published = true
    const text = container.form['caption'] ?? ''
    const made = { id: newId(), text, account, createdAt: Date.now(), container }
    posts.push(made)
    if (order === '500 after storing') throw new Refusal(500, '')
    return ok({ id: made.id })
  }

  function refuseOrdered(order: InstagramOrder | undefined): void {
    if (order === '500') throw new Refusal(500, { error: { message: 'An unknown error occurred', code: 1 } })
    if (order === 'rate limit') throw fault(4, 'Application request limit reached')
    if (order === 'spam') throw fault(4, 'Application request limit reached', 2_207_051)
    if (order === 'restricted') throw fault(25, 'The account is restricted', 2_207_050)
  }

  function comment(account: string, on: string, { message = '' }: Form): Answered {
    const post = posts.find(({ id }) => id === on)
    if (post?.account !== account || isStory(post.container)) throw missing()
    const order = orders.shift()
    refuseOrdered(order)
    const made = { id: newId(), on, text: message }
    comments.push(made)
    if (order === '500 after storing') throw new Refusal(500, '')
    return ok({ id: made.id })
  }

  function quota(account: string) {
    const recent = posts.filter((one) => one.account === account && Date.now() - one.createdAt < DAY_MS)
    return {
      quota_usage: double.used + recent.length,
      config: { quota_total: double.total, quota_duration: 86_400 },
    }
  }

  function viewPost({ id, text, createdAt, container }: InstagramPost) {
    const kind = isStory(container) ? 'stories/coffee_example' : 'p'
    return {
      id,
      permalink: `https://www.instagram.com/${kind}/C${id.slice(-6)}/`,
      ...(text === '' ? {} : { caption: text }),
      timestamp: new Date(createdAt).toISOString().replace(/\.\d+Z$/, '+0000'),
    }
  }

  const double: InstagramDouble = {
    ...server,
    posts,
    comments,
    containers,
    orders,
    calls: 0,
    pages,
    looksUntilReady: 1,
    mediaFault: null,
    used: 0,
    total: 100,
    allow: login.allow,
    revoke: login.revoke,
    age(ms) {
      for (const one of [...posts, ...containers.values()]) one.createdAt -= ms
    },
  }
  return double
}

type Form = Readonly<Record<string, string>>

const isStory = ({ form }: InstagramContainer) => form['media_type'] === 'STORIES'

/** Those of the members that were asked for. */
function only(all: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
}
