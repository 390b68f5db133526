import { createHash } from 'node:crypto'
import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { htmlPage, pagePolicy } from '../platform/html.ts'
import { isStorableRequest } from '../api/storable-request.ts'
import { allChannels } from '../channels/channel-store.ts'
import { browserOf } from '../sign-in/browser.ts'
import { listWorkspacesOf } from '../members/membership-store.ts'
import { findSession, type SignedIn } from '../sign-in/session-store.ts'
import { isOwnPage, type Site } from '../platform/site.ts'
import type { RecordAct } from '../operations/act.ts'
import { whileLetIn } from '../operations/changed-meanwhile.ts'
import type { Db } from '../platform/db.ts'
import { isRefusal } from '../operations/refusal.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { allowClient, type ConsentRequest, type Decider, denyClient, readConsentRequest } from './consent.ts'
import { type ConsentForm, readConsentForm, readNarrowing, untouchedForm } from './consent-form.ts'
import { consentPage, endedPage, type WorkspaceChoice } from './consent-page.ts'
import { PREFIX } from './endpoints.ts'

export type ConsentParts = {
  readonly db: Db
  readonly recordAct: RecordAct
  readonly site: Site
  readonly basePath: string
  readonly server: () => Promise<AuthorizationServer>
}

const CONSENT = `${PREFIX}/consent/:uid`
const BODY_LIMIT = 56 * 1_024

/** Someone who is signed in, and what proves that a form was shown to this session. */
type Viewer = { readonly person: SignedIn; readonly shownTo: string }

/** Serves the page on which a person decides whether a client is let in. */
export function mountConsent(app: FastifyInstance, parts: ConsentParts): void {
  const { site, basePath } = parts

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const read = { parseAs: 'string', bodyLimit: BODY_LIMIT } as const
    scope.addContentTypeParser('application/x-www-form-urlencoded', read, (_request, body: unknown, done) =>
      done(null, parse(typeof body === 'string' ? body : '')),
    )
    scope.addHook('preHandler', async (request, reply) => {
      if (!isStorableRequest(request)) return sendPage(reply.code(400), 'Refused', UNSTORABLE, null)
    })
    scope.get(CONSENT, (request, reply) => show(request, reply))
    scope.post(CONSENT, (request, reply) => decide(request, reply))
  })

  async function viewerOf(request: FastifyRequest, reply: FastifyReply): Promise<Viewer | null> {
    const { session } = browserOf(request, reply, site)
    const person = session === null ? null : await findSession(parts.db, session)
    return session === null || person === null ? null : { person, shownTo: proofOf(request.url, session) }
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    sent: { form: ConsentForm | null; fault: string } | null = null,
  ): Promise<FastifyReply> {
    request.operationId = 'oauthConsent'
    const viewer = await viewerOf(request, reply)
    const path = request.url
    const next = `next=${encodeURIComponent(path)}`
    if (viewer === null) return reply.redirect(`${basePath}/sign-in?${next}`, 303)
    const { person, shownTo } = viewer
    if (!person.fresh) return reply.redirect(`${basePath}/prove?${next}`, 303)
    const asked = await readConsentRequest(await parts.server(), exchangeOf(request, reply))
    if (asked === null) return sendPage(reply.code(404), 'This request is over', endedPage, null)
    const workspaces = await workspacesOf(person)
    const form = sent?.form ?? untouchedForm(workspaces[0]?.workspaceId ?? '', asked.permissions)
    const fault = sent?.fault ?? null
    const action = `${basePath}${path}`
    const body = consentPage({
      ...{ request: asked, personName: person.name, workspaces, action, shownTo, form, fault },
    })
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

  async function decide(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.operationId = 'oauthConsent'
    if (!isOwnPage(site, request.headers)) return sendPage(reply.code(403), 'Refused', CROSS_SITE, null)
    // Where the session ended under way, the page asks for a sign-in.
    const decided = await whileLetIn(
      request,
      () => decideOnce(request, reply),
      async () => null,
    )
    return decided ?? show(request, reply)
  }

  async function decideOnce(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const viewer = await viewerOf(request, reply)
    const server = await parts.server()
    const asked = await readConsentRequest(server, exchangeOf(request, reply))
    if (viewer === null || !viewer.person.fresh || asked === null) return show(request, reply)

    const body = (request.body ?? {}) as Record<string, string | string[] | undefined>
    // What is ticked in it was ticked by another session, perhaps by another person.
    if (body['shownTo'] !== viewer.shownTo)
      return show(request, reply, { form: null, fault: SHOWN_TO_ANOTHER })
    if (body['decision'] !== 'allow')
      return reply.redirect(await denyClient(server, exchangeOf(request, reply)), 303)
    const form = readConsentForm(body)
    const narrowing = readNarrowing(form)
    if (isRefusal(narrowing)) return show(request, reply, { form, fault: narrowing.detail })
    const decider: Decider = { ...viewer.person, address: request.ip, requestId: request.id }
    const allowed = await allowClient(
      { ...parts, server },
      exchangeOf(request, reply),
      asked,
      { ...form, ...narrowing },
      decider,
    )
    if (isRefusal(allowed)) return show(request, reply, { form, fault: allowed.detail })
    return reply.redirect(allowed.returnTo, 303)
  }
}

/** What the form of a request carries when it was shown to this session: another session cannot have been shown it. */
function proofOf(url: string, session: string): string {
  return createHash('sha256').update(`consent ${url} ${session}`).digest('base64url')
}

const SHOWN_TO_ANOTHER =
  'You have signed in again since this page was shown. Check what is asked for, and decide once more.'

function exchangeOf(request: FastifyRequest, reply: FastifyReply) {
  return { req: request.raw, res: reply.raw }
}

const UNSTORABLE = `<h1>Refused</h1>
<p>The request holds a NUL character. Remove it, and try again.</p>`

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
