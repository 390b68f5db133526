import Type, { type Static } from 'typebox'
import { readBody } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import type {
  Account,
  ConnectRefusal,
  ConnectVerdict,
  FormWork,
  ProfileVerdict,
  ProfileWork,
} from '../port/port.ts'
import { call, tryCall, type Steps } from '../port/procedure.ts'
import { get } from '../shared/requests.ts'
import { accountOf, refused, unavailable } from '../port/verdicts.ts'
import { wordpressAuthorization, type WordpressAuthorization } from './authorization.ts'
import { errorOf, read, refusalOf, routeOf } from './rest-api.ts'

type NotConnected = Exclude<ConnectVerdict, { is: 'connected' }>

export function* connect({ fields }: FormWork): Steps<ConnectVerdict> {
  const site = siteNamed(fields['site'] ?? '')
  if ('is' in site) return site
  const found = yield* findSite(site.address)
  if ('is' in found) return found
  const { root } = found
  const authorization = { root, user: (fields['user'] ?? '').trim(), password: passwordIn(fields) }
  const known = yield* readAccount(authorization, found.index)
  if ('is' in known) return known
  const { userId, account } = known
  return { is: 'connected', authorization: { ...authorization, userId }, account }
}

/** A site shows an application password in groups, and takes it with or without the spaces. */
function passwordIn(fields: FormWork['fields']): string {
  return (fields['applicationPassword'] ?? '').replaceAll(/\s+/g, '')
}

/* -------------------------------------------------------------------------------------------------------------- site */

/** The address of a site, with a slash at its end: a folder counts, what comes after it does not. */
function siteNamed(typed: string): { readonly address: URL } | ConnectRefusal {
  const url = URL.parse(/^https?:\/\//i.test(typed) ? typed : `https://${typed}`)
  if (url === null || url.username !== '' || url.password !== '') {
    return refused(
      'invalid_field',
      'This is not the address of a site. It looks like https://example.com.',
      'site',
    )
  }
  const folder = url.pathname.replace(/\/(?:wp-admin|wp-login\.php|wp-json)(?:\/.*)?$/, '')
  return { address: new URL(withSlash(folder), url.origin) }
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

/** https://developer.wordpress.org/rest-api/using-the-rest-api/discovery/ */
export const Index = Type.Object({
  name: Type.String(),
  home: Type.String(),
  namespaces: Type.Array(Type.String()),
  authentication: Type.Optional(Type.Unknown()),
  site_icon_url: Type.Optional(Type.Unknown()),
})
type Index = Static<typeof Index>
const WithPasswords = Type.Object({ 'application-passwords': Type.Unknown() })
export const INDEX_FIELDS = { _fields: 'name,home,namespaces,authentication,site_icon_url' }

type Site = { readonly root: string; readonly index: Index }

/** Where the API of a site is: below its folder, or in the query where the site has no permalinks. */
function* findSite(address: URL): Steps<Site | NotConnected> {
  const roots = [new URL('wp-json/', address).href, `${address.href}?rest_route=/`]
  for (const root of roots) {
    const response = yield* call(get(routeOf(root, '', INDEX_FIELDS)))
    const index = readBody(response, Index)
    if (index?.namespaces.includes('wp/v2') === true) {
      const home = URL.parse(index.home)
      // What answers below another folder may be the site all the same, but its addresses are elsewhere.
      if (home !== null && withSlash(home.pathname) !== address.pathname) return isAt(home.href)
      return hasPasswords(index) ? { root, index } : NO_PASSWORDS
    }
    const elsewhere = redirectOf(response, address)
    if (elsewhere !== null) return isAt(elsewhere)
    if (response.status >= 500 || response.status === 429) return AWAY
  }
  return hasNoApi(address.href)
}

function hasNoApi(site: string): ConnectRefusal {
  const detail = `${site} is not a WordPress site, or its REST API is off. Check the address, and the site's security plugins.`
  return refused('invalid_field', detail, 'site')
}

function isAt(elsewhere: string): ConnectRefusal {
  return refused('invalid_field', `The site is at ${elsewhere}. Enter that address.`, 'site')
}

function hasPasswords({ authentication }: Index): boolean {
  return (
    readBody({ status: 200, headers: {}, body: JSON.stringify(authentication ?? null) }, WithPasswords) !==
    null
  )
}

const NO_PASSWORDS = refused(
  'invalid_field',
  'The site offers no application passwords: it needs HTTPS and WordPress 5.6 or newer, and a plugin can turn them off.',
  'site',
)
const AWAY = unavailable('The site is not available right now. Try again later.')

/** Where a site sends who calls it, without what was asked for. Nothing is sent there. */
function redirectOf({ status, headers: { location } }: HttpResponse, from: URL): string | null {
  const isRedirect = status >= 300 && status < 400 && location !== undefined
  const url = isRedirect ? URL.parse(location, from.href) : null
  return url === null ? null : `${url.origin}${url.pathname.replace(/wp-json\/?$/, '')}`
}

/* ----------------------------------------------------------------------------------------------------------- account */

/** https://developer.wordpress.org/rest-api/reference/users/#retrieve-a-user-2 */
export const User = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  capabilities: Type.Object({
    publish_posts: Type.Optional(Type.Unknown()),
    upload_files: Type.Optional(Type.Unknown()),
  }),
})

export const USER_QUERY = { context: 'edit', _fields: 'id,capabilities' }

function* readAccount(
  authorization: WordpressAuthorization,
  { name, home, site_icon_url: icon }: Index,
): Steps<{ readonly userId: number; readonly account: Account } | NotConnected> {
  const response = yield* call(read(authorization, 'wp/v2/users/me', USER_QUERY))
  const user = readBody(response, User)
  if (user === null) {
    const refusal = refusalOf(response)
    if (refusal?.is === 'reauthorize') return PASSWORD_REFUSED
    if (refusal?.is === 'rejected') return MAY_NOT_POST
    return errorOf(response)?.code === 'rest_no_route' ? hasNoApi(home) : AWAY
  }
  const { publish_posts: mayPublish, upload_files: mayUpload } = user.capabilities
  if (mayPublish !== true || mayUpload !== true) return MAY_NOT_POST
  const { host, pathname } = URL.parse(home) ?? new URL(authorization.root)
  const place = `${host}${pathname.replace(/\/$/, '')}`
  const account = accountOf({
    // Users are counted by each site for itself.
    remoteAccountId: `${place}/${user.id}`,
    displayName: name.trim() === '' ? place : name.trim(),
    handle: place,
    avatar: typeof icon === 'string' ? icon : undefined,
  })
  return { userId: user.id, account }
}

const PASSWORD_REFUSED = refused(
  'credentials_refused',
  "The site does not accept this user name and application password. Copy all of the password, or create a new one; the user's own password does not work.",
  'applicationPassword',
)
const MAY_NOT_POST = refused(
  'missing_scope',
  'This user cannot publish posts and upload files on the site. Give it the role Author or Editor.',
)

export function* profile({ authorization: stored }: ProfileWork): Steps<ProfileVerdict> {
  const authorization = wordpressAuthorization(stored)
  const response = yield* tryCall(get(routeOf(authorization.root, '', INDEX_FIELDS)))
  const index = response === null ? null : readBody(response, Index)
  if (index === null) return unavailable(AWAY.detail)
  const known = yield* readAccount(authorization, index)
  if (!('is' in known)) return { is: 'profile', account: known.account }
  if (known === PASSWORD_REFUSED) return { is: 'reauthorize' }
  return unavailable(known.detail)
}
