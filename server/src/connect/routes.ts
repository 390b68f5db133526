import type { FastifyInstance, FastifyReply } from 'fastify'
import { pagePolicy } from '../platform/html.ts'
import { isStorableRequest } from '../api/storable-request.ts'
import { isOwnPage, siteOf } from '../platform/site.ts'
import type { Provider } from '../providers/port.ts'
import type { ConnectParts } from './connect-account.ts'
import { finishFlow, openLink, startFlow } from './connect-flow.ts'
import { endPage, faultPage, startPage } from './pages.ts'

/** Forms go to us, and from there to the network that the person chose: browsers hold this rule against redirects, too. */
const POLICY = pagePolicy(["'self'", 'https:', 'http:'])
const FORM_BYTES = 16_384
const COOKIE_SECONDS = 900

type ByProvider = { Params: { provider: string } }

/**
 * The pages by which a person connects an account: the one that a link opens, the way to the network, and the way back;
 * and what networks read of us.
 */
export function mountConnect(app: FastifyInstance, parts: ConnectParts & { baseUrl: string }): void {
  const { providers, baseUrl } = parts
  const site = siteOf(baseUrl)
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''

  void app.register((scope, _options, done) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES },
      (_request, body, parsed) => parsed(null, Object.fromEntries(new URLSearchParams(body.toString()))),
    )

    scope.addHook('preHandler', async (request, reply) => {
      if (!isStorableRequest(request)) return show(reply, 400, UNSTORABLE)
    })

    scope.get<ByProvider & { Querystring: { link?: unknown } }>(
      '/connect/:provider',
      async (request, reply) => {
        request.operationId = 'connectPage'
        const provider = oauthProvider(request.params.provider)
        const token = textOf(request.query.link)
        const flow = provider && (await openLink(parts, provider.provider, token))
        if (provider === null || flow === null) return show(reply, 404, LINK_OVER)
        return show(reply, 200, startPage(provider, flow, token))
      },
    )

    scope.post<ByProvider & { Body: unknown }>('/connect/:provider', async (request, reply) => {
      request.operationId = 'connectStart'
      // Another site could send its visitor on with a link of its own: the account would become a channel of somebody else.
      if (!isOwnPage(site, request.headers)) return show(reply, 403, CROSS_SITE)
      const provider = oauthProvider(request.params.provider)
      const form = formOf(request.body)
      const token = textOf(form['link'])
      const flow = provider && (await openLink(parts, provider.provider, token))
      if (provider === null || flow === null) return show(reply, 404, LINK_OVER)
      const started = await startFlow(parts, provider, flow, form)
      if (started.is !== 'authorize') {
        const status = started.is === 'unavailable' ? 502 : 422
        return show(reply, status, startPage(provider, flow, token, started.detail))
      }
      const { name, value } = started.cookie
      const cookie = `${name}=${value}; Path=/connect; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`
      return reply.header('set-cookie', cookie).redirect(started.url.href, 303)
    })

    scope.get<ByProvider & { Querystring: Record<string, unknown> }>(
      '/connect/:provider/callback',
      async (request, reply) => {
        request.operationId = 'connectCallback'
        const provider = oauthProvider(request.params.provider)
        if (provider === null) return show(reply, 404, LINK_OVER)
        const callback = Object.fromEntries(
          Object.entries(request.query).flatMap(([name, value]) =>
            typeof value === 'string' ? [[name, value]] : [],
          ),
        )
        const cookies = request.headers.cookie ?? ''
        const result = await finishFlow(parts, provider, callback, (name) => cookieIn(cookies, name))
        const status = { connected: 200, refused: 422, unavailable: 502 }[result.is]
        return show(reply, status, endPage(provider, result, `${baseUrl}/`))
      },
    )

    scope.get<ByProvider>('/connect/:provider/client-metadata.json', async (request, reply) => {
      request.operationId = 'connectClientMetadata'
      const provider = oauthProvider(request.params.provider)
      const document = provider && (await parts.clients.document(await provider.load()))
      if (document === null)
        return show(reply, 404, faultPage('Nothing here', 'This network reads nothing here.'))
      return reply
        .header('content-type', 'application/json')
        .header('cache-control', 'public, max-age=300')
        .send(JSON.stringify(document))
    })
    done()
  })

  function oauthProvider(name: string): Provider | null {
    const provider = providers.get(name)
    return provider === undefined || provider.connecting.oauth === null ? null : provider
  }
}

const LINK_OVER = faultPage(
  'This link can no longer be used',
  'A link connects one account, once, within ten minutes. Make a new one: on the page Channels of the dashboard, or on the server by `postrider channel add <network> --oauth`.',
)

const UNSTORABLE = faultPage(
  'Refused',
  'The request holds a NUL character or half of a surrogate pair. Remove it, and try again.',
)

const CROSS_SITE = faultPage(
  'Refused',
  'This form was sent from another site. Open the link itself, and continue from there.',
)

function show(reply: FastifyReply, status: number, page: string): FastifyReply {
  return (
    reply
      .code(status)
      .header('content-security-policy', POLICY)
      // Under `no-referrer` browsers send `Origin: null` with forms. Nothing is told to other sites by this, either.
      .header('referrer-policy', 'same-origin')
      .header('content-type', 'text/html; charset=utf-8')
      .send(page)
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function formOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
}

/** The value of a cookie in a `Cookie` header (RFC 6265, 4.2.1). */
function cookieIn(header: string, name: string): string | undefined {
  for (const pair of header.split(/; ?/)) {
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1)
  }
  return undefined
}
