import type { IncomingMessage } from 'node:http'
import { presetPermissions } from '@postrider/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mountPages } from '../pages/mount-pages.ts'
import { pathOf, problemSender, type SendProblem } from '../../edge/api/documents/problem.ts'
import type { RateLimit } from '../../edge/api/http/rate-limits.ts'
import {
  type Resource,
  resourceMetadataUrl,
  resources,
  resourceUrl,
} from '../../edge/api/documents/resources.ts'
import { findUnstorable } from '../../edge/api/request/storable-body.ts'
import { type Site, siteOf } from '../../platform/outbound/site.ts'
import type { RecordAct } from '../../edge/operations/act.ts'
import { onFirstUse } from '../../platform/process/on-first-use.ts'
import { refuse } from '../../edge/operations/refusal.ts'
import { remoteParty } from '../../platform/outbound/remote-party.ts'
import { browserOf } from '../sign-in/session/browser.ts'
import { findSession } from '../sign-in/session/session-store.ts'
import { hasLetIn } from './app-grant-store.ts'
import { isStorable } from '../../platform/text/storable-text.ts'
import { type AuthorizationServerParts, issuerOf, openAuthorizationServer } from './authorization-server.ts'
import { knownPermissions, narrowRegistration } from './client-registration.ts'
import { consentPages } from './consent-routes.ts'
import { devicePages } from './device-routes.ts'
import { type CountedUse, type Endpoint, endpointsOf, isSpelledAs, libraryPath } from './endpoints.ts'
import { libraryRequest, passHeadersOn } from './library-request.ts'

export type OAuthParts = Omit<
  AuthorizationServerParts,
  'siteUrl' | 'resources' | 'mayFetch' | 'addressOf' | 'isLetIn'
> & {
  /** The address that clients of the API use, without a slash at its end. */
  readonly baseUrl: string
  readonly recordAct: RecordAct
  /** Per minute and remote address. Metadata documents that are fetched count as registrations. */
  readonly limits: Readonly<Record<CountedUse, RateLimit>>
}

/** A registration is a few names and addresses, and what a device asks for is less. */
const BODY_BYTES = 8_192

/** Serves the authorization server below `/oauth`, what clients have to know of it, and the page on which a person decides. */
export function mountOAuth(app: FastifyInstance, parts: OAuthParts): void {
  const { baseUrl, limits } = parts
  const site = siteOf(baseUrl)
  const sendProblem = problemSender(baseUrl)
  const clients: Clients = new WeakMap()
  const addressOf = (request: IncomingMessage) => clients.get(request)?.address ?? ''
  const mayFetch = async (request: IncomingMessage) =>
    (await limits.registrations.take(remoteParty(addressOf(request)))).allowed
  const isLetIn = async (request: IncomingMessage, clientId: string) => {
    const session = clients.get(request)?.session ?? null
    const signedIn = session === null ? null : await findSession(parts.db, session)
    return signedIn !== null && hasLetIn(parts.db, signedIn.personId, clientId)
  }
  const apis = Object.values(resources)
  const server = onFirstUse(() =>
    openAuthorizationServer({
      ...parts,
      mayFetch,
      addressOf,
      isLetIn,
      siteUrl: site.url,
      resources: apis.map((resource) => resourceUrl(baseUrl, resource)),
    }),
  )
  const endpoints = endpointsOf(parts.settings)
  const served = { site, sendProblem, limits, endpoints, library: server.get, clients }

  for (const resource of apis) {
    app.get(new URL(resourceMetadataUrl(baseUrl, resource)).pathname, (request, reply) => {
      request.operationId = 'protectedResourceMetadata'
      const metadata = resourceMetadata(resource, baseUrl, site.url)
      return reply.header('access-control-allow-origin', '*').send(metadata)
    })
  }
  const pages = { ...parts, server: server.get }
  mountPages(app, [...consentPages(pages), ...devicePages(pages)], { db: parts.db, site })
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The library reads the body itself.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const endpoint of endpoints) if (endpoint.sends === undefined) mountEndpoint(scope, endpoint, served)
  })
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const read = { parseAs: 'string', bodyLimit: BODY_BYTES } as const
    scope.addContentTypeParser('*', read, (_request, body, done) => done(null, body))
    for (const endpoint of endpoints) if (endpoint.sends !== undefined) mountEndpoint(scope, endpoint, served)
  })
}

/** What the endpoints of the authorization server are answered with. */
type Server = {
  readonly site: Site
  readonly sendProblem: SendProblem
  readonly limits: OAuthParts['limits']
  readonly endpoints: readonly Endpoint[]
  /** The library, which is opened with the first request. */
  readonly library: () => ReturnType<typeof openAuthorizationServer>
  readonly clients: Clients
}

/** Where requests that the library is given came from, and the secret of the session of their browser. */
type Clients = WeakMap<IncomingMessage, { readonly address: string; readonly session: string | null }>

function mountEndpoint(scope: FastifyInstance, endpoint: Endpoint, served: Server): void {
  const { limits, sendProblem } = served
  const { method, path, counts } = endpoint
  scope.route<{ Params: Record<string, string> }>({
    method,
    url: path,
    // Before the body is read.
    onRequest: async (request, reply) => {
      request.operationId = 'oauth'
      if (!isSpelledAs(endpoint, pathOf(request.raw.url ?? ''), request.params)) return reply.callNotFound()
      const left = counts === null ? null : await limits[counts].take(remoteParty(request.ip))
      if (left === null || left.allowed) return
      const { resetSeconds: retryAfterSeconds } = left
      const detail = `Too many requests from this address. Wait ${retryAfterSeconds} seconds, then retry.`
      return sendProblem(request, reply, refuse('rate_limited', detail, { retryAfterSeconds }))
    },
    handler: (request, reply) => answer(endpoint, request, reply, served),
  })
}

async function answer(
  endpoint: Endpoint,
  request: FastifyRequest<{ Params: Record<string, string> }>,
  reply: FastifyReply,
  { site, sendProblem, endpoints, library, clients }: Server,
): Promise<FastifyReply | void> {
  const { raw, body } = request
  if (endpoint.method === 'OPTIONS' && raw.headers['access-control-request-method'] === undefined) {
    const methods = endpoints.flatMap((one) => (one.path === endpoint.path ? [one.method] : []))
    return reply.code(204).header('allow', methods.join(', ')).send()
  }
  const search = /\?.*$/s.exec(raw.url ?? '')?.[0] ?? ''
  const sent = readSent(endpoint, typeof body === 'string' ? body : '')
  // The library stores of both whatever it knows the name of.
  const fault = isStorableQuery(search) ? sent?.fault : UNSTORABLE_QUERY
  if (fault !== undefined) return sendProblem(request, reply, refuse('malformed_request', fault))
  const handle = (await library()).callback()
  const path = libraryPath(endpoint, request.params) + queryFor(endpoint, search)
  const incoming = libraryRequest(raw, site, path, sent?.body ?? null)
  clients.set(incoming, { address: request.ip, session: browserOf(request, reply, site).session })
  passHeadersOn(reply)
  reply.hijack()
  await handle(incoming, reply.raw)
}

/** A body as the library is to read it, and what of it could not be stored; null where the library reads it itself. */
function readSent({ sends }: Endpoint, text: string): { body: string; fault?: string | undefined } | null {
  if (sends === undefined) return null
  if (sends === 'form') {
    const form = new URLSearchParams(text)
    return isStorableForm(form)
      ? { body: withKnownScope(form).toString() }
      : { body: '', fault: UNSTORABLE_FORM }
  }
  const { json, text: unread } = readJson(text)
  const body = unread ?? JSON.stringify(narrowRegistration(json))
  return { body, fault: findUnstorable(json)[0]?.detail }
}

/** What a client needs to know of the credentials that a resource takes (RFC 9728). */
function resourceMetadata(resource: Resource, baseUrl: string, siteUrl: string): object {
  return {
    resource: resourceUrl(baseUrl, resource),
    resource_name: resource.name,
    authorization_servers: [issuerOf(siteUrl)],
    scopes_supported: presetPermissions,
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}${resource.documentation}`,
  }
}

/**
 * The query as the library is to read it. Answers go into the query of a redirect: the library would send other
 * modes by a page with a script in it, and refuses one that it does not know.
 */
function queryFor({ serves }: Endpoint, search: string): string {
  if (serves !== '/auth') return search
  const query = withKnownScope(new URLSearchParams(search))
  if (query.has('response_mode') && query.get('response_mode') !== 'query') query.set('response_mode', 'none')
  return `?${query.toString()}`
}

/**
 * A client that asks for no scope is taken to ask for all (RFC 6749, section 3.3: a default of the server's); the person
 * narrows it.
 */
function withKnownScope(asked: URLSearchParams): URLSearchParams {
  const scope = asked.get('scope') ?? ''
  const known = scope === '' ? presetPermissions : knownPermissions(scope)
  // A scope of which nothing is known is left as it is, and refused.
  if (known.length > 0 && asked.getAll('scope').length <= 1) asked.set('scope', known.join(' '))
  return asked
}

function isStorableQuery(search: string): boolean {
  return isStorableForm(new URLSearchParams(search))
}

function isStorableForm(form: URLSearchParams): boolean {
  return [...form].flat().every(isStorable)
}

/** A body as JSON; `text` is one that is none, which the library is to refuse. */
function readJson(text: string): { json: unknown; text: string | null } {
  try {
    return { json: JSON.parse(text), text: null }
  } catch {
    return { json: null, text }
  }
}

const UNSTORABLE_QUERY = 'The query holds a NUL character. Remove it.'
const UNSTORABLE_FORM = 'The form holds a NUL character. Remove it.'
