import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerFault } from '../../edge/api/operation/faults.ts'
import { htmlPage, pagePolicy } from '../../platform/text/html.ts'
import { type Language, languageAccepted, writtenIn } from '../../platform/text/language.ts'
import { isStorableRequest } from '../../edge/api/request/storable-request.ts'
import { whileAuthenticated } from '../../edge/operations/changed-meanwhile.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { type Browser, browserOf } from '../sign-in/session/browser.ts'
import {
  notFoundPage,
  type Page,
  type PageAnswer,
  type PageRequest,
  type PageRoute,
  refusalPage,
} from './page-kit.ts'
import { findSession, type SignedIn } from '../sign-in/session/session-store.ts'
import { crossSite } from '../sign-in/session/cross-site.ts'
import type { PeopleParts } from '../sign-in/sign-in.ts'
import { isOwnPage, type Site } from '../../platform/outbound/site.ts'
import { words } from './words.ts'

const FORM_LIMIT = 65_536
const FIELD_MAX = 10_000

/** Serves pages to browsers. A form counts only when it comes from a page of ours. */
export function mountPages(
  app: FastifyInstance,
  routes: readonly PageRoute[],
  { db, site }: Pick<PeopleParts, 'db'> & { site: Site },
): void {
  void app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_LIMIT },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    )
    scope.setErrorHandler(async (fault, request, reply) => {
      const { refusal, httpStatus, ours } = answerFault(fault)
      if (ours) request.fault = fault
      return sendPage(request, reply, await rendered(request, () => refusalPage(refusal, httpStatus)))
    })
    for (const route of routes) mountPage(scope, route)
  })

  function mountPage(scope: FastifyInstance, route: PageRoute): void {
    const [method = 'GET', url = '/'] = route.at.split(' ')
    scope.route({
      method,
      url,
      onRequest: async (request, reply) => {
        request.operationId = route.id
        if (method === 'POST' && !isOwnPage(site, request.headers)) {
          return sendPage(request, reply, await rendered(request, () => refusalPage(crossSite(site))))
        }
      },
      handler: async (request, reply) => {
        if (!isStorableRequest(request))
          return sendPage(request, reply, await rendered(request, () => refusalPage(unstorable())))
        const browser = browserOf(request, reply, site)
        const who = async () => (browser.session === null ? null : findSession(db, browser.session))
        const asked = pageRequest(request, reply, browser)
        const answer = await answerWhileLetIn(who, (signedIn) =>
          rendered(request, () => route.answer({ ...asked, signedIn }), signedIn?.language),
        )
        return 'to' in answer ? reply.redirect(answer.to, 303) : sendPage(request, reply, answer)
      },
    })
  }
}

function pageRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Omit<PageRequest, 'signedIn'> {
  const query = request.query as Record<string, unknown>
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, FIELD_MAX) : '')
  return {
    browser,
    search: /\?.*$/.exec(request.raw.url ?? '')?.[0] ?? '',
    params: request.params as Record<string, string>,
    query: (name) => text(query[name]),
    field: (name) => text(form.get(name)),
    fields: (name) => form.getAll(name).map(text),
    form: Object.fromEntries([...new Set(form.keys())].map((name) => [name, text(form.get(name))])),
    requestId: request.id,
    raw: { req: request.raw, res: reply.raw },
  }
}

/** Says that there is no page at this address, also where the database cannot be asked who is signed in. */
export async function sendNotFoundPage(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
): Promise<void> {
  const page = await rendered(request, () => notFoundPage(refusal))
  void sendPage(request, reply, page)
}

type Rendered = { readonly page: Page; readonly text: string }
type Elsewhere = Extract<PageAnswer, { to: string }>

/** The answer in the language of whoever asks: the one they have chosen, else that of their browser. */
async function rendered<Answer extends PageAnswer>(
  request: FastifyRequest,
  answer: () => Answer | Promise<Answer>,
  chosen: Language | null = null,
): Promise<Rendered | Extract<Answer, Elsewhere>> {
  return writtenIn(chosen ?? languageAccepted(request.headers['accept-language']), async () => {
    const page: PageAnswer = await answer()
    if ('to' in page) return page as Extract<Answer, Elsewhere>
    const { title, body, script, back = null } = page
    const scripts = script === undefined ? '' : `<script src="${script}" defer></script>`
    return { page, text: htmlPage(title, `${body.text}${scripts}`, { back }) }
  })
}

/** Where the session ended under way, the page is asked for again, without a session. */
async function answerWhileLetIn(
  who: () => Promise<SignedIn | null>,
  answer: (signedIn: SignedIn | null) => Promise<Rendered | Elsewhere>,
): Promise<Rendered | Elsewhere> {
  const find = async () => ({ signedIn: await who() })
  const answered = await whileAuthenticated(await find(), ({ signedIn }) => answer(signedIn), find)
  if (answered === null) throw new Error('a page was left without an answer')
  return answered
}

function unstorable(): Refusal<'malformed_request'> {
  const detail = words.unstorable
  return refuse('malformed_request', detail)
}

function sendPage(request: FastifyRequest, reply: FastifyReply, { page, text }: Rendered): FastifyReply {
  const { status = 200, script, code, leadsTo } = page
  if (code !== undefined) request.problemCode = code
  const formTargets = ["'self'", ...(leadsTo ?? [])]
  if (leadsTo === undefined) reply.header('cross-origin-opener-policy', 'same-origin')
  return (
    reply
      .code(status)
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', pagePolicy({ formTargets, runsScript: script !== undefined }))
      .header('cache-control', 'no-store')
      .header('x-frame-options', 'DENY')
      // Under `no-referrer` browsers send `Origin: null` with forms. Nothing is told to other sites by this, either.
      .header('referrer-policy', 'same-origin')
      .send(text)
  )
}
