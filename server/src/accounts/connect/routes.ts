import type { FastifyInstance } from 'fastify'
import { accountsOf } from '../../networks/channels/channel-store.ts'
import { mountPages } from '../../people/pages/mount-pages.ts'
import { type PageAnswer, type PageRequest, type PageRoute } from '../../people/pages/page-kit.ts'
import { siteOf } from '../../platform/outbound/site.ts'
import type { Provider } from '../../networks/providers/port/port.ts'
import type { ConnectParts } from './connect-account.ts'
import { choose, type Choice, finishFlow, openChoice, openLink, startFlow } from './connect-flow.ts'
import { FLOW_MINUTES } from './connect-flow-store.ts'
import { choicePage, endPage, linkOverPage, startPage } from './pages.ts'

/** For the way to the network and back, and for a choice after it; with five minutes for what is slow on the way. */
const COOKIE = { path: '/connect', seconds: 60 * (2 * FLOW_MINUTES + 5) }

/**
 * The pages by which a person connects an account: the one that a link opens, the way to the network, and the way back;
 * and what networks read of us.
 */
export function mountConnect(app: FastifyInstance, parts: ConnectParts & { baseUrl: string }): void {
  mountPages(app, connectPages(parts), { db: parts.db, site: siteOf(parts.baseUrl) })
  app.get<{ Params: { provider: string } }>(
    '/connect/:provider/client-metadata.json',
    async (request, reply) => {
      request.operationId = 'connectClientMetadata'
      const provider = oauthProvider(parts, request.params.provider)
      const document = provider && (await parts.clients.document(await provider.load()))
      if (document === null) return reply.callNotFound()
      return reply
        .header('content-type', 'application/json')
        .header('cache-control', 'public, max-age=300')
        .send(JSON.stringify(document))
    },
  )
}

function connectPages(parts: ConnectParts): PageRoute[] {
  const page = (
    id: string,
    at: PageRoute['at'],
    answer: (provider: Provider, request: PageRequest) => Promise<PageAnswer>,
  ): PageRoute => ({
    id,
    at,
    answer: async (request) => {
      const provider = oauthProvider(parts, request.params['provider'] ?? '')
      return provider === null ? linkOverPage() : answer(provider, request)
    },
  })
  const choiceOf = async (provider: Provider, choice: Choice, fault: typeof NONE_CHOSEN | null = null) => {
    const { workspaceId } = choice.flow
    const known = await accountsOf(parts.db, { workspaceId, provider: provider.provider })
    return choicePage(provider, choice, known, fault)
  }
  return [
    page('connectPage', 'GET /connect/:provider', async (provider, { query }) => {
      const flow = await openLink(parts, provider.provider, query('link'))
      return flow === null ? linkOverPage() : startPage(provider, flow, query('link'))
    }),
    // Only from a page of ours: another site could send its visitor on with a link of its own, and get a channel of theirs.
    page('connectStart', 'POST /connect/:provider', async (provider, { field, form, browser }) => {
      const flow = await openLink(parts, provider.provider, field('link'))
      if (flow === null) return linkOverPage()
      const started = await startFlow(parts, provider, flow, form)
      if (started.is !== 'authorize') return startPage(provider, flow, field('link'), started)
      const { name, value } = started.cookie
      browser.keepSecret(name, value, COOKIE)
      return { to: started.url.href }
    }),
    page('connectCallback', 'GET /connect/:provider/callback', async (provider, { search, browser }) => {
      const callback = Object.fromEntries(new URLSearchParams(search))
      const result = await finishFlow(parts, provider, callback, cookieOf(browser))
      if (result.is !== 'choose') return endPage(provider, result)
      // An address without the code, which can be opened again.
      return { to: `/connect/${provider.provider}/choose?flow=${result.flowId}` }
    }),
    page('connectChoice', 'GET /connect/:provider/choose', async (provider, { query, browser }) => {
      const choice = await openChoice(parts, provider, query('flow'), cookieOf(browser))
      return 'is' in choice ? endPage(provider, choice) : choiceOf(provider, choice)
    }),
    page('connectChosen', 'POST /connect/:provider/choose', async (provider, { field, fields, browser }) => {
      const choice = await openChoice(parts, provider, field('flow'), cookieOf(browser))
      if ('is' in choice) return endPage(provider, choice)
      const result = await choose(parts, provider, choice, fields('account'))
      return result === null ? choiceOf(provider, choice, NONE_CHOSEN) : endPage(provider, result)
    }),
  ]
}

const NONE_CHOSEN = { detail: 'Choose at least one account.' }

function cookieOf(browser: PageRequest['browser']) {
  return (name: string) => browser.secretIn(name) ?? undefined
}

function oauthProvider({ providers }: ConnectParts, name: string): Provider | null {
  const provider = providers.get(name)
  return provider === undefined || provider.connecting.oauth === null ? null : provider
}
