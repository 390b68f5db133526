import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { parse } from 'node:querystring'
import { permissionNames } from '@postrider/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { agentResource, resourceMetadataUrl } from '../api/gate.ts'
import { htmlPage, pagePolicy } from '../api/html.ts'
import { allChannels } from '../channels/channel-store.ts'
import { browserOf } from '../people/browser.ts'
import { listWorkspacesOf } from '../people/membership-store.ts'
import { findSession, type SignedIn } from '../people/session-store.ts'
import { isOwnPage, siteOf } from '../people/site.ts'
import { onFirstUse } from '../platform/on-first-use.ts'
import { isRefusal } from '../platform/refusal.ts'
import type { RecordAct } from '../platform/act.ts'
import type { RateLimit } from '../api/rate-limits.ts'
import { partyOf } from '../platform/remote-party.ts'
import { countUnusedClients } from './artifact-store.ts'
import { type AuthorizationServerParts, issuerOf, openAuthorizationServer } from './authorization-server.ts'
import { narrowRegistration } from './client-registration.ts'
import { allowClient, type ConsentRequest, type Decider, denyClient, readConsentRequest } from './consent.ts'
import { type ConsentForm, readConsentForm, readNarrowing, untouchedForm } from './consent-form.ts'
import { consentPage, endedPage, type WorkspaceChoice } from './consent-page.ts'

export type OAuthParts = Omit<AuthorizationServerParts, 'siteUrl' | 'resource' | 'mayFetch'> & {
  /** The address that clients of the API use, without a slash at its end. */
  readonly baseUrl: string
  readonly recordAct: RecordAct
  /** Registrations, and metadata documents that are fetched, per minute and remote address. */
  readonly registrations: RateLimit
}

const PREFIX = '/oauth'
const CONSENT = `${PREFIX}/consent/:uid`
/** This many registered clients may exist to which nobody has consented; they are deleted after a day. */
const UNUSED_CLIENTS = 1_000
const BODY_LIMIT = 56 * 1_024

/** Serves the authorization server below `/oauth`, what clients have to know of it, and the page on which a person decides. */
export function mountOAuth(app: FastifyInstance, parts: OAuthParts): void {
  const { baseUrl } = parts
  const site = siteOf(baseUrl)
  const remoteParties = new WeakMap<IncomingMessage, string>()
  const mayFetch = (request: IncomingMessage) =>
    parts.registrations.take(remoteParties.get(request) ?? '').allowed
  const server = onFirstUse(() =>
    openAuthorizationServer({ ...parts, mayFetch, siteUrl: site.url, resource: agentResource(baseUrl) }),
  )
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '')

  async function signedIn(request: FastifyRequest, reply: FastifyReply): Promise<SignedIn | null> {
    const { session } = browserOf(request, reply, site)
    return session === null ? null : findSession(parts.db, session)
  }

  app.get(new URL(resourceMetadataUrl(baseUrl)).pathname.slice(basePath.length), (request, reply) => {
    request.operationId = 'protectedResourceMetadata'
    return reply.header('access-control-allow-origin', '*').send(resourceMetadata(baseUrl, site.url))
  })
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const read = { parseAs: 'string', bodyLimit: BODY_LIMIT } as const
    scope.addContentTypeParser('application/x-www-form-urlencoded', read, (_request, body: unknown, done) =>
      done(null, parse(typeof body === 'string' ? body : '')),
    )
    scope.get(CONSENT, (request, reply) => showConsent(request, reply))
    scope.post(CONSENT, (request, reply) => decideConsent(request, reply))
  })
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The library reads the body itself.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.all(`${PREFIX}/*`, (request, reply) => handOver(request, reply))
    // RFC 8414, section 3.1: the well-known path goes before the issuer's own.
    for (const document of ['oauth-authorization-server', 'openid-configuration']) {
      scope.get(`/.well-known/${document}${PREFIX}`, (request, reply) =>
        handOver(request, reply, '/.well-known/oauth-authorization-server'),
      )
    }
  })

  async function handOver(
    request: FastifyRequest,
    reply: FastifyReply,
    path = ownPath(request),
  ): Promise<FastifyReply | void> {
    request.operationId = 'oauth'
    const registers = request.method === 'POST' && path === '/reg'
    if (registers && (await refuseRegistration(request, reply))) return reply
    const handle = (await server.get()).callback()
    const incoming = registers ? await narrowed(request.raw) : request.raw
    remoteParties.set(incoming, partyOf(request.ip))
    reply.hijack()
    Object.assign(incoming, { originalUrl: `${basePath}${PREFIX}${path}`, url: path })
    await handle(incoming, reply.raw)
  }

  async function refuseRegistration(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const left = parts.registrations.take(partyOf(request.ip))
    const full = left.allowed && (await countUnusedClients(parts.db)) >= UNUSED_CLIENTS
    if (left.allowed && !full) return false
    const wait = left.allowed ? 3_600 : left.resetSeconds
    const error_description = 'Too many clients were registered here of late. Try again later.'
    reply.code(429).header('retry-after', wait).send({ error: 'temporarily_unavailable', error_description })
    return true
  }

  async function showConsent(
    request: FastifyRequest,
    reply: FastifyReply,
    sent: { form: ConsentForm; fault: string } | null = null,
  ): Promise<FastifyReply> {
    request.operationId = 'oauthConsent'
    const person = await signedIn(request, reply)
    const path = request.url
    const next = `next=${encodeURIComponent(path)}`
    if (person === null) return reply.redirect(`${basePath}/sign-in?${next}`, 303)
    if (!person.fresh) return reply.redirect(`${basePath}/prove?${next}`, 303)
    const asked = await readConsentRequest(await server.get(), exchangeOf(request, reply))
    if (asked === null) return sendPage(reply.code(404), 'This request is over', endedPage, null)
    const workspaces = await workspacesOf(person)
    const { form, fault } = sent ?? {
      form: untouchedForm(workspaces[0]?.workspaceId ?? '', asked.permissions),
      fault: null,
    }
    const action = `${basePath}${path}`
    const body = consentPage({ request: asked, personName: person.name, workspaces, action, form, fault })
    return sendPage(reply.code(fault === null ? 200 : 422), `Let ${asked.clientName} in?`, body, asked)
  }

  async function workspacesOf({ personId }: SignedIn): Promise<WorkspaceChoice[]> {
    const workspaces = await listWorkspacesOf(parts.db, personId)
    return Promise.all(
      workspaces.map(async (workspace) => ({
        ...workspace,
        channels: await allChannels(parts.db, workspace.workspaceId),
      })),
    )
  }

  async function decideConsent(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.operationId = 'oauthConsent'
    if (!isOwnPage(site, request.headers)) return sendPage(reply.code(403), 'Refused', CROSS_SITE, null)
    const person = await signedIn(request, reply)
    const [provider, asked] = [
      await server.get(),
      await readConsentRequest(await server.get(), exchangeOf(request, reply)),
    ]
    if (person === null || !person.fresh || asked === null) return showConsent(request, reply)

    const body = request.body as Record<string, string | string[] | undefined>
    if (body['decision'] !== 'allow')
      return reply.redirect(await denyClient(provider, exchangeOf(request, reply)), 303)
    const form = readConsentForm(body)
    const narrowing = readNarrowing(form)
    if (isRefusal(narrowing)) return showConsent(request, reply, { form, fault: narrowing.detail })
    const decider: Decider = { ...person, address: request.ip, requestId: request.id }
    const allowed = await allowClient(
      { ...parts, server: provider },
      exchangeOf(request, reply),
      asked,
      { ...form, ...narrowing },
      decider,
    )
    if (isRefusal(allowed)) return showConsent(request, reply, { form, fault: allowed.detail })
    return reply.redirect(allowed.returnTo, 303)
  }
}

/** What a client needs to know of the credentials that the Agent API takes (RFC 9728). */
function resourceMetadata(baseUrl: string, siteUrl: string): object {
  return {
    resource: agentResource(baseUrl),
    resource_name: 'Postrider Agent API',
    authorization_servers: [issuerOf(siteUrl)],
    scopes_supported: permissionNames,
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}/openapi`,
  }
}

/**
 * The path within the authorization server, with its query. A client that asks for no scope is taken to ask for all
 * (RFC 6749, section 3.3: a default of the server's); the person narrows it.
 */
function ownPath({ raw }: FastifyRequest): string {
  const path = (raw.url ?? '').slice(PREFIX.length)
  if (!path.startsWith('/auth?')) return path
  const query = new URLSearchParams(path.slice('/auth?'.length))
  return query.has('scope') ? path : `${path}&scope=${encodeURIComponent(permissionNames.join(' '))}`
}

function exchangeOf(request: FastifyRequest, reply: FastifyReply) {
  return { req: request.raw, res: reply.raw }
}

const CROSS_SITE = `<h1>Refused</h1>
<p>This form was sent from another site. Go back to the app and connect again.</p>`

/** `client` is the one that the form may send the browser on to: to browsers, a redirect is part of a form's action. */
function sendPage(
  reply: FastifyReply,
  title: string,
  body: string,
  client: ConsentRequest | null,
): FastifyReply {
  const actions = client === null ? [] : ["'self'", redirectSource(client.redirectUri)]
  reply.header('content-security-policy', pagePolicy(actions)).header('cache-control', 'no-store')
  // Under `no-referrer` browsers send `Origin: null` with forms. Nothing is told to other sites by this, either.
  reply.header('referrer-policy', 'same-origin').header('x-frame-options', 'DENY')
  return reply.type('text/html; charset=utf-8').send(htmlPage(`${title} – Postrider`, body))
}

function redirectSource(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}

/** The same request with the registration narrowed to what is offered. */
async function narrowed(request: IncomingMessage): Promise<IncomingMessage> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_LIMIT) break
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  const body = Buffer.from(size > BODY_LIMIT ? '' : narrowText(text))
  const { method, socket, httpVersion } = request
  const headers: IncomingMessage['headers'] = { ...request.headers, 'content-length': String(body.length) }
  delete headers['transfer-encoding']
  return Object.assign(Readable.from([body]), {
    method,
    socket,
    httpVersion,
    headers,
    complete: true,
  }) as unknown as IncomingMessage
}

function narrowText(text: string): string {
  try {
    return JSON.stringify(narrowRegistration(JSON.parse(text)))
  } catch {
    return text
  }
}
