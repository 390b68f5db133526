import type { IncomingMessage } from 'node:http'
import { bytesOf, formOf, openHttpDouble, Refusal, type Answered, type HttpDouble } from './http-double.ts'
import { linkedinCalls } from './linkedin-calls.ts'
import { linkedinValues } from './linkedin-values.ts'

/*
 * LinkedIn as its documentation describes it (https://learn.microsoft.com/en-us/linkedin/): OAuth without PKCE, the member, a
 * page of theirs, uploads of images and videos, posts, and the list of a page's posts. It refuses whatever is not in the table of its calls.
 */

export type LinkedinDouble = HttpDouble & {
  readonly posts: LinkedinPost[]
  /** What becomes of the next posts, in this order. */
  readonly orders: LinkedinOrder[]
  /** How many calls to post there were. */
  calls: number
  /** The member's roles on pages. */
  roles: readonly { readonly id: string; readonly role: string; readonly state: string }[]
  /** Whether the app is one that gets refresh tokens. */
  approved: boolean
  /** How many of the next calls are answered as if their new access token were revoked. */
  newTokenRefusals: number
  /** What the member does at the address that they are sent to: allows these scopes. Gives the query of the way back. */
  readonly allow: (address: URL, scope?: string) => URLSearchParams
  /** Every access token that was given out so far is over. */
  readonly expireAccess: () => void
  /** The member takes the access back. */
  readonly revoke: () => void
  /** So much time has passed since its posts were made. */
  readonly age: (ms: number) => void
}

/** `500 after storing`: it is there, and the answer does not say so. */
export type LinkedinOrder = 'rate limit' | '500 after storing' | '503' | 'version over'

export type LinkedinPost = {
  readonly id: string
  createdAt: number
  /** All that was asked for. */
  readonly request: Body
}
type Upload = { readonly urn: string; readonly size: number | null; bytes: number; polls: number | null }
type Grant = {
  readonly scope: string
  access: string
  refresh: string
  accessOver: boolean
  revoked: boolean
}
type Body = Readonly<Record<string, unknown>>

export const LINKEDIN_APP = { clientId: 'app-of-the-tests', clientSecret: 'secret-of-the-app' }
export const PAGE_NUMBER = '2414183'
const MEMBER = 'urn:li:person:Al1ce'
const PAGE = `urn:li:organization:${PAGE_NUMBER}`
const POLLS_UNTIL_READY = 2
const PIECE_BYTES = 4 * 1024 * 1024
const MEMBER_SCOPES = ['openid', 'profile', 'w_member_social']
const PAGE_SCOPES = ['w_organization_social', 'r_organization_social', 'r_organization_admin']

function fault(status: number, message: string, code?: string): Refusal {
  return new Refusal(status, { status, message, ...(code === undefined ? {} : { code }) })
}

const revoked = (at: Date) =>
  new Refusal(
    401,
    { status: 401, message: 'The token has been revoked by the user', code: 'REVOKED_ACCESS_TOKEN' },
    { date: at.toUTCString() },
  )

const ok = (body?: unknown, headers: Record<string, string> = {}): Answered => ({
  status: 200,
  body,
  headers,
})

/** Starts one of a test's own: `await using network = await openLinkedinDouble()`. */
export async function openLinkedinDouble(): Promise<LinkedinDouble> {
  const posts: LinkedinPost[] = []
  const orders: LinkedinOrder[] = []
  const uploads = new Map<string, Upload>()
  const codes = new Map<string, { redirectUri: string; scope: string }>()
  const grants: Grant[] = []
  let ids = 7_000_000_000_000_000_000n
  const newId = () => String(++ids)
  const server = await openHttpDouble(handle, linkedinCalls, linkedinValues)

  async function handle(request: IncomingMessage, address: URL): Promise<Answered> {
    const { pathname, searchParams } = address
    const route = `${request.method} ${pathname}`
    if (route === 'POST /oauth/v2/accessToken') return ok(exchange(await formOf(request)))
    if (route === 'POST /oauth/v2/introspectToken') return ok(introspect(await formOf(request)))
    const grant = authorize(request)
    if (request.method === 'PUT') return receive(pathname, await bytesOf(request))
    if (route === 'GET /v2/userinfo') return ok({ sub: 'Al1ce', name: 'Alice Example' })
    if (route === `GET /rest/organizations/${PAGE_NUMBER}`) {
      needs(grant, 'r_organization_admin')
      return ok({ id: Number(PAGE_NUMBER), ...nameOf(PAGE_NUMBER) })
    }
    if (route === 'GET /rest/organizationAcls') return ok(listRoles(grant, searchParams))
    if (route === 'GET /rest/organizations') return ok(showPages(grant, searchParams))
    if (pathname.startsWith('/rest/organizations/'))
      throw fault(403, 'Not enough permissions', 'ACCESS_DENIED')
    const [, , collection = '', urn = ''] = pathname.split('/')
    const isMedia = collection === 'images' || collection === 'videos'
    if (isMedia && request.method === 'GET') return ok(showUpload(decodeURIComponent(urn)))
    const action = searchParams.get('action')
    if (isMedia && action === 'initializeUpload')
      return ok(initialise(collection, grant, request, await jsonOf(request)))
    if (collection === 'videos' && action === 'finalizeUpload') return ok(finalise(await jsonOf(request)))
    if (route === 'POST /rest/posts') return post(grant, await jsonOf(request))
    if (route === 'GET /rest/posts') return ok(list(grant, searchParams))
    throw fault(404, 'No virtual resource found', 'RESOURCE_NOT_FOUND')
  }

  /* ---- OAuth ---- */

  function allow({ searchParams }: URL, scope = searchParams.get('scope') ?? ''): URLSearchParams {
    const { client_id: clientId, response_type: type, ...query } = Object.fromEntries(searchParams)
    const { redirect_uri: redirectUri = '', state = '', scope: asked = '', ...rest } = query
    const known = asked.split(' ').every((one) => [...MEMBER_SCOPES, ...PAGE_SCOPES].includes(one))
    if (clientId !== LINKEDIN_APP.clientId || type !== 'code' || !known || Object.keys(rest).length > 0) {
      throw new Error('LinkedIn shows an error')
    }
    const code = `code-${newId()}`
    codes.set(code, { redirectUri, scope })
    return new URLSearchParams({ state, code })
  }

  function exchange(form: FormData) {
    const field = (name: string) => {
      const value = form.get(name)
      return typeof value === 'string' ? value : ''
    }
    const { clientId, clientSecret } = LINKEDIN_APP
    if (field('client_id') !== clientId || field('client_secret') !== clientSecret) {
      throw new Refusal(401, { error: 'invalid_client', error_description: 'Client authentication failed' })
    }
    if (field('grant_type') === 'refresh_token') return refresh(field('refresh_token'))
    const known = codes.get(field('code'))
    codes.delete(field('code'))
    if (known === undefined || known.redirectUri !== field('redirect_uri')) {
      const words = 'Unable to retrieve access token: authorization code not found'
      throw new Refusal(400, { error: 'invalid_request', error_description: words })
    }
    const grant = { scope: known.scope, access: '', refresh: '', accessOver: false, revoked: false }
    grants.push(grant)
    if (double.approved) grant.refresh = `refresh-${newId()}`
    return renew(grant)
  }

  /** https://learn.microsoft.com/en-us/linkedin/shared/authentication/token-introspection */
  function introspect(form: FormData) {
    const { clientId, clientSecret } = LINKEDIN_APP
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret)
      throw new Refusal(401, { error: 'invalid_client', error_description: 'Client authentication failed' })
    const grant = grants.find(({ access }) => access === form.get('token'))
    if (grant === undefined) return { active: false }
    const { scope, revoked, accessOver } = grant
    const status = revoked ? 'revoked' : accessOver ? 'expired' : 'active'
    const expires_at = Math.floor(Date.now() / 1_000) + (status === 'active' ? 5_184_000 : -1)
    return {
      active: status === 'active',
      status,
      client_id: clientId,
      auth_type: '3L',
      scope: scope.replaceAll(' ', ','),
      expires_at,
    }
  }

  function refresh(token: string) {
    const grant = grants.find((one) => one.refresh === token && token !== '' && !one.revoked)
    if (grant === undefined) {
      const words = 'The provided authorization grant or refresh token is invalid, expired or revoked.'
      throw new Refusal(400, { error: 'invalid_request', error_description: words })
    }
    return renew(grant)
  }

  function renew(grant: Grant) {
    Object.assign(grant, { access: `access-${newId()}`, accessOver: false })
    return {
      access_token: grant.access,
      expires_in: 5_184_000,
      scope: grant.scope.replaceAll(' ', ','),
      ...(grant.refresh === '' ? {} : { refresh_token: grant.refresh, refresh_token_expires_in: 31_536_000 }),
    }
  }

  function authorize({ headers }: IncomingMessage): Grant {
    const grant = grants.find(({ access }) => headers.authorization === `Bearer ${access}`)
    if (grant === undefined) throw fault(401, 'Invalid access token', 'INVALID_ACCESS_TOKEN')
    // Long after it was given.
    if (grant.revoked) throw revoked(new Date(Date.now() + 120_000))
    if (double.newTokenRefusals > 0) {
      double.newTokenRefusals -= 1
      throw revoked(new Date())
    }
    if (grant.accessOver) throw fault(401, 'The token has expired', 'EXPIRED_ACCESS_TOKEN')
    return grant
  }

  function needs({ scope }: Grant, wanted: string): void {
    if (!scope.split(' ').includes(wanted)) throw fault(403, 'Not enough permissions', 'ACCESS_DENIED')
  }

  /* ---- pages ---- */

  function listRoles(grant: Grant, query: URLSearchParams) {
    const { role, state, start = '0', count = '10' } = Object.fromEntries(query)
    if (Number(count) > 100) throw fault(400, 'Query parameters are invalid')
    needs(grant, 'r_organization_admin')
    const held = double.roles.filter(
      (one) => one.role === (role ?? one.role) && one.state === (state ?? one.state),
    )
    const elements = held.slice(Number(start), Number(start) + Number(count)).map(({ id, ...rest }) => ({
      ...rest,
      organization: `urn:li:organization:${id}`,
      roleAssignee: MEMBER,
    }))
    return { elements, paging: { start: Number(start), count: Number(count), links: [] } }
  }

  /** Those that the member does not administer are told apart as errors. */
  function showPages(grant: Grant, query: URLSearchParams) {
    needs(grant, 'r_organization_admin')
    const [, list = ''] = /^List\(([\d,]+)\)$/.exec(query.get('ids') ?? '') ?? []
    const ids = list.split(',')
    const may = (id: string) => double.roles.some((one) => one.id === id && one.role === 'ADMINISTRATOR')
    const read = ids.filter(may)
    return {
      results: Object.fromEntries(read.map((id) => [id, { id: Number(id), ...nameOf(id) }])),
      statuses: Object.fromEntries(ids.map((id) => [id, may(id) ? 200 : 403])),
      errors: Object.fromEntries(
        ids
          .filter((id) => !may(id))
          .map((id) => [id, { status: 403, message: 'Not enough permissions', code: 'ACCESS_DENIED' }]),
      ),
    }
  }

  const nameOf = (id: string) =>
    id === PAGE_NUMBER
      ? { localizedName: 'Example Works', vanityName: 'example-works' }
      : { localizedName: `Page ${id}` }

  /* ---- media ---- */

  function initialise(
    collection: 'images' | 'videos',
    grant: Grant,
    { headers }: IncomingMessage,
    { initializeUploadRequest: asked }: Body,
  ) {
    const { owner, fileSizeBytes } = asked as Body
    mayPostAs(grant, owner)
    const isVideo = collection === 'videos'
    const id = newId()
    const urn = `urn:li:${isVideo ? 'video' : 'image'}:C${id}`
    const size = isVideo ? Number(fileSizeBytes) : null
    uploads.set(id, { urn, size, bytes: 0, polls: isVideo ? null : 0 })
    const uploadUrl = `http://${headers.host}/dms-uploads/${id}`
    if (size === null) return { value: { uploadUrl, image: urn } }
    const uploadInstructions = Array.from({ length: Math.ceil(size / PIECE_BYTES) }, (_, place) => ({
      uploadUrl,
      firstByte: place * PIECE_BYTES,
      lastByte: Math.min((place + 1) * PIECE_BYTES, size) - 1,
    }))
    return { value: { video: urn, uploadToken: '', uploadInstructions } }
  }

  function receive(pathname: string, bytes: Buffer): Answered {
    const upload = uploads.get(pathname.split('/').at(-1) ?? '')
    if (upload === undefined || bytes.length === 0) throw fault(400, 'No such upload')
    upload.bytes += bytes.length
    return { status: 201, headers: { etag: `part-${upload.bytes}` } }
  }

  function finalise({ finalizeUploadRequest: asked }: Body) {
    const { video, uploadedPartIds } = asked as { video: string; uploadedPartIds: string[] }
    const upload = [...uploads.values()].find(({ urn }) => urn === video)
    if (upload?.size !== upload?.bytes || !uploadedPartIds.every((part) => part.startsWith('part-'))) {
      throw fault(400, 'The parts are not the video')
    }
    if (upload !== undefined) upload.polls = 0
    return undefined
  }

  function showUpload(wanted: string) {
    const upload = [...uploads.values()].find(({ urn }) => urn === wanted)
    if (upload === undefined) throw fault(404, 'No such upload')
    if (upload.polls === null || upload.bytes === 0) return { id: wanted, status: 'WAITING_UPLOAD' }
    upload.polls += 1
    return { id: wanted, status: upload.polls >= POLLS_UNTIL_READY ? 'AVAILABLE' : 'PROCESSING' }
  }

  /* ---- posts ---- */

  function mayPostAs(grant: Grant, author: unknown): void {
    const pages = double.roles.map(({ id }) => `urn:li:organization:${id}`)
    if (author !== MEMBER && !pages.includes(String(author))) throw fault(422, 'author is invalid')
    needs(grant, author !== MEMBER ? 'w_organization_social' : 'w_member_social')
  }

  function post(grant: Grant, body: Body): Answered {
    double.calls += 1
    const order = orders.shift()
    const date = new Date(new Date().setUTCHours(24, 0, 0, 0) - 2_000).toUTCString()
    if (order === '503') throw fault(503, 'Service Unavailable')
    if (order === 'version over') throw fault(426, 'Requested version is not active', 'NONEXISTENT_VERSION')
    if (order === 'rate limit') {
      throw new Refusal(429, { status: 429, message: 'Resource level throttle limit reached' }, { date })
    }
    mayPostAs(grant, body['author'])
    const id = `urn:li:share:${newId()}`
    create(id, body)
    if (order === '500 after storing') throw fault(500, 'Internal Server Error')
    return { status: 201, headers: { 'x-restli-id': id } }
  }

  function create(id: string, body: Body): void {
    const { author, commentary, visibility, content } = body as Body & { readonly commentary: string }
    if (author === PAGE && visibility === 'CONNECTIONS') throw fault(422, 'visibility is not allowed')
    // The real one would cut the post off there.
    if (UNESCAPED.test(commentary)) throw new Error(`unescaped: ${commentary}`)
    if (content !== undefined) checkContent(content as Body)
    const twice = posts.find(({ request }) => request['author'] === author && sameContent(request, body))
    if (twice !== undefined) throw fault(422, `Content is a duplicate of ${twice.id}`, 'DUPLICATE_POST')
    posts.push({ id, createdAt: Date.now(), request: body })
  }

  function checkContent(content: Body): void {
    const { article, media, multiImage } = content as {
      readonly article?: Body
      readonly media?: Body
      readonly multiImage?: { readonly images: readonly Body[] }
    }
    const items = [...(media === undefined ? [] : [media]), ...(multiImage?.images ?? [])]
    const thumbnail = article?.['thumbnail']
    const urns = [...items.map(({ id }) => id), ...(thumbnail === undefined ? [] : [thumbnail])]
    const uploaded = (urn: unknown) => [...uploads.values()].some((one) => one.urn === urn && one.bytes > 0)
    if (!urns.every(uploaded)) throw fault(422, 'content names media that are not there')
  }

  function list(grant: Grant, query: URLSearchParams) {
    const { author, start = '0', count = '10' } = Object.fromEntries(query)
    if (Number(count) > 100) throw fault(400, 'Query parameters are invalid')
    needs(grant, author === PAGE ? 'r_organization_social' : 'r_member_social')
    const found = posts.filter(({ request }) => request['author'] === author).toReversed()
    const elements = found
      .slice(Number(start), Number(start) + Number(count))
      .map(({ id, createdAt, request }) => {
        const { commentary = '', content } = request as { commentary?: string; content?: Body }
        const shown = commentary.replaceAll(/(?<!\\)#([\p{L}\p{N}]+)/gu, '{hashtag|\\#|$1}')
        return { id, createdAt, commentary: shown, ...(content === undefined ? {} : { content }) }
      })
    return { elements, paging: { start: Number(start), count: Number(count), links: [] } }
  }

  const double: LinkedinDouble = {
    ...server,
    posts,
    orders,
    calls: 0,
    approved: false,
    newTokenRefusals: 0,
    allow,
    roles: [{ id: PAGE_NUMBER, role: 'ADMINISTRATOR', state: 'APPROVED' }],
    expireAccess: () => grants.forEach((grant) => void (grant.accessOver = true)),
    revoke: () => grants.forEach((grant) => void (grant.revoked = true)),
    age: (ms) => posts.forEach((post) => void (post.createdAt -= ms)),
  }
  return double
}

/** A reserved character without its backslash; a hashtag of letters and digits is an element. */
const UNESCAPED = /(?<!\\)(?:\\\\)*(?:[|{}@[\]()<>*_~]|#(?![\p{L}\p{N}]))/u

function sameContent(one: Body, other: Body): boolean {
  const of = ({ commentary, content }: Body) => JSON.stringify([commentary, content])
  return of(one) === of(other)
}

async function jsonOf(request: IncomingMessage): Promise<Body> {
  return JSON.parse((await bytesOf(request)).toString()) as Body
}
