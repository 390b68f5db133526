import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { formOf, Refusal } from './http-double.ts'

/*
 * What the doubles of Meta's networks share: Facebook Login as its documentation describes it, and the Pages of a person. Every call
 * needs the proof of the app.
 */

export const META_APP = { clientId: '1234567890123456', clientSecret: 'secret-of-the-app' }
export const VERSION = 'v27.0'

export function fault(
  code: number,
  message: string,
  subcode?: number,
  status = 400,
  more: object = {},
): Refusal {
  const error = { message, type: 'OAuthException', code, fbtrace_id: 'EJplcsCHuLu', ...more }
  return new Refusal(status, {
    error: subcode === undefined ? error : { ...error, error_subcode: subcode },
  })
}

export const expired = () =>
  fault(190, 'Error validating access token: The session has been invalidated.', 460, 401)

export type MetaLogin = {
  /** What the person does at the address that they are sent to: grants these permissions. Gives the query of the way back. */
  readonly allow: (address: URL, permissions?: string) => URLSearchParams
  readonly exchange: (form: Record<string, string>) => object
  /** The token of a call, which has the proof of the app with it. */
  readonly tokenOf: (request: IncomingMessage, address: URL) => string
  /** What a person's own token is for; null for another address. */
  readonly answerPerson: (method: string, where: string, token: string, address: URL) => object | null
  /** The Page of a token. */
  readonly pageOf: (token: string) => string | undefined
  /** What the app asks of a token; null for another address. */
  readonly debug: (method: string, where: string, request: IncomingMessage, address: URL) => object | null
  /** The person takes the access back. */
  readonly revoke: () => void
}

export type PagesOfBusiness = 'owned_pages' | 'client_pages'
export type BusinessPage = {
  readonly id: string
  readonly name: string
  /** Whether the list shows the token of the Page, the Page alone does, or the person has no access to it. */
  readonly token: 'listed' | 'shown' | 'none'
}

/** A person at Facebook with these Pages. */
export function openMetaLogin(options: {
  readonly permissions: readonly string[]
  readonly newId: () => string
  readonly next: () => string
  readonly pages: () => readonly { readonly id: string; readonly tasks: readonly string[] }[]
  /** What the person's business portfolios own, and what clients share with them; by the ids of the portfolios. */
  readonly businesses?: () => Readonly<
    Record<string, Readonly<Record<PagesOfBusiness, readonly BusinessPage[]>>>
  >
  readonly pagesAtOnce: () => number
}): MetaLogin {
  const { newId } = options
  const codes = new Map<string, { redirectUri: string; permissions: string[] }>()
  /** Of the person, by token; short ones are exchanged. */
  const people = new Map<string, { permissions: string[]; long: boolean }>()
  /** The Page of each token. */
  const pageTokens = new Map<string, string>()
  /** What the person had granted when a Page's token was given. */
  const granted = new Map<string, readonly string[]>()

  function allow({ pathname, searchParams }: URL, permissions = searchParams.get('scope') ?? '') {
    const {
      client_id: clientId,
      response_type: type,
      auth_type: again,
      ...query
    } = Object.fromEntries(searchParams)
    const { redirect_uri: redirectUri = '', state = '', scope: asked = '', ...rest } = query
    const known = asked.split(',').every((one) => options.permissions.includes(one))
    const fine = pathname === `/${VERSION}/dialog/oauth` && type === 'code' && again === 'rerequest' && known
    if (clientId !== META_APP.clientId || !fine || Object.keys(rest).length > 0)
      throw new Error('Facebook shows an error')
    const code = `code-${newId()}`
    codes.set(code, { redirectUri, permissions: permissions.split(',') })
    return new URLSearchParams({ state, code })
  }

  function exchange(form: Record<string, string>) {
    const { client_id: clientId, client_secret: secret, grant_type: type } = form
    if (clientId !== META_APP.clientId) throw fault(101, 'Error validating application.')
    if (secret !== META_APP.clientSecret) throw fault(1, 'Error validating client secret.')
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
    const proof = createHmac('sha256', META_APP.clientSecret).update(token).digest('hex')
    if (searchParams.get('appsecret_proof') !== proof)
      throw fault(100, 'Invalid appsecret_proof provided in the API argument')
    return token
  }

  function listPermissions(granted: readonly string[]) {
    return {
      data: options.permissions.map((permission) => ({
        permission,
        status: granted.includes(permission) ? 'granted' : 'declined',
      })),
    }
  }

  function pageTokenOf(id: string, token: string) {
    const pageToken = `page-${id}-${token}`
    pageTokens.set(pageToken, id)
    granted.set(pageToken, people.get(token)?.permissions ?? [])
    return pageToken
  }

  function list(all: readonly object[], token: string, { searchParams }: URL) {
    const start = Number(searchParams.get('after') ?? '0')
    const end = start + Math.min(Number(searchParams.get('limit')), options.pagesAtOnce())
    const cursors = { before: String(start), after: String(end) }
    const next = end < all.length ? { next: `${options.next()}?access_token=${token}` } : {}
    return { data: all.slice(start, end), paging: { cursors, ...next } }
  }

  function listPages(token: string, address: URL) {
    const pages = options.pages().map((page) => ({ ...page, access_token: pageTokenOf(page.id, token) }))
    return list(pages, token, address)
  }

  function answerBusiness(where: string, token: string, address: URL) {
    const businesses = options.businesses?.() ?? {}
    if (where === 'me/businesses')
      return list(
        Object.keys(businesses).map((id) => ({ id })),
        token,
        address,
      )
    const [id = '', edge] = where.split('/')
    const business = businesses[id]
    if (edge === 'owned_pages' || edge === 'client_pages') {
      if (business === undefined) throw fault(100, 'Unsupported get request.', 33)
      const pages = business[edge].map(({ token: access, ...page }) =>
        access === 'listed' ? { ...page, access_token: pageTokenOf(page.id, token) } : page,
      )
      return list(pages, token, address)
    }
    const page = Object.values(businesses)
      .flatMap(({ owned_pages: owned, client_pages: clients }) => [...owned, ...clients])
      .find((one) => one.id === where)
    if (page === undefined) return null
    return page.token === 'none'
      ? { id: page.id }
      : { id: page.id, access_token: pageTokenOf(page.id, token) }
  }

  return {
    allow,
    exchange,
    tokenOf,
    pageOf: (token) => pageTokens.get(token),
    answerPerson(method, where, token, address) {
      const person = people.get(token)
      const ofPerson = where === 'me/permissions' || where === 'me/accounts'
      if (!ofPerson && person === undefined) return null
      if (method !== 'GET' || person === undefined || !person.long) throw expired()
      if (where === 'me/permissions') return listPermissions(person.permissions)
      if (where === 'me/accounts') return listPages(token, address)
      if (!person.permissions.includes('business_management'))
        throw fault(200, 'Requires business_management permission to manage the object.', undefined, 403)
      return answerBusiness(where, token, address)
    },
    debug(method, where, request, address) {
      if (method !== 'GET' || where !== 'debug_token') return null
      const asking = tokenOf(request, address)
      if (asking !== `${META_APP.clientId}|${META_APP.clientSecret}`) throw expired()
      const token = address.searchParams.get('input_token') ?? ''
      if (!pageTokens.has(token)) {
        const error = { code: 190, message: 'Error validating access token.', subcode: 460 }
        return { data: { app_id: META_APP.clientId, is_valid: false, scopes: [], error } }
      }
      const scopes = granted.get(token)
      return { data: { app_id: META_APP.clientId, type: 'PAGE', is_valid: true, expires_at: 0, scopes } }
    },
    revoke() {
      people.clear()
      pageTokens.clear()
    },
  }
}

export function textsIn(form: FormData): Record<string, string> {
  return Object.fromEntries(
    [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

export async function textsOf(request: IncomingMessage): Promise<Record<string, string>> {
  return textsIn(await formOf(request))
}
