import type { OAuthSettings } from './authorization-server.ts'

export const PREFIX = '/oauth'

/** Counted by remote address: what stores something for a client without a signed-in person. */
export type CountedUse = 'registrations' | 'authorizations'

export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'OPTIONS'
  /** Where it is, spelled in this one way. */
  readonly path: string
  /** The path by which the library knows it. */
  readonly serves: string
  readonly counts: CountedUse | null
  /** What is read before the library sees it, which stores whatever it knows the name of. */
  readonly sends?: 'json' | 'form'
}

const METADATA = '/.well-known/oauth-authorization-server'

/**
 * Everything that the authorization server answers. Its library has a router of its own, which takes other spellings of a path
 * for the same (`/REG`, `/reg/`): only what stands here reaches it, and with the path that stands here.
 */
export function endpointsOf({ registration }: OAuthSettings): Endpoint[] {
  return [
    below('GET', '/auth', 'authorizations'),
    below('GET', '/auth/:uid', 'authorizations'),
    ...(registration ? [{ ...below('POST', '/reg', 'registrations'), sends: 'json' as const }] : []),
    { ...below('POST', '/device/auth', 'authorizations'), sends: 'form' },
    ...fromPages(below('POST', '/token')),
    ...fromPages(below('POST', '/token/revocation')),
    ...fromPages(below('GET', '/jwks')),
    ...metadataPaths().flatMap((path) => fromPages({ ...below('GET', METADATA), path })),
  ]
}

function below(method: Endpoint['method'], path: string, counts: CountedUse | null = null): Endpoint {
  return { method, path: `${PREFIX}${path}`, serves: path, counts }
}

/** An endpoint that scripts of other origins may use, which browsers ask for in advance. */
function fromPages(endpoint: Endpoint): Endpoint[] {
  return [endpoint, { ...endpoint, method: 'OPTIONS' }]
}

/** RFC 8414, section 3.1: the well-known path goes before the issuer's own. Clients of OpenID Connect put it behind. */
function metadataPaths(): string[] {
  const documents = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `/.well-known/${name}`,
  )
  return documents.flatMap((path) => [`${path}${PREFIX}`, `${PREFIX}${path}`])
}

/** Whether a path is the endpoint's in the one spelling that is taken; `params` are what the router has read from it. */
export function isSpelledAs(
  { path }: Endpoint,
  asked: string,
  params: Readonly<Record<string, string>>,
): boolean {
  const segments = path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? params[segment.slice(1)] : segment))
  return segments.join('/') === asked && Object.values(params).every((value) => /^[\w-]+$/.test(value))
}

/** The same path as the library knows it. */
export function libraryPath({ serves }: Endpoint, params: Readonly<Record<string, string>>): string {
  return serves.replace(/:(\w+)/, (_, name: string) => params[name] ?? '')
}
