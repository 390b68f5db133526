import { agentResource, resources, resourceUrl } from '../../src/edge/api/documents/resources.ts'
import { agentKeys, authenticateBy } from '../../src/people/keys/authenticate.ts'
import { accessTokens } from '../../src/people/apps/access-tokens.ts'
import { openSession } from '../../src/people/sign-in/session/session-store.ts'
import { type AWorkspace, aWorkspace, wiredRoutes } from './fixtures.ts'
import { freePort } from './free-port.ts'
import { withTools } from './mcp-edge.ts'
import { openOAuthServer, type OAuthServerOptions } from './oauth-server.ts'
import { openWorld, type World } from './world.ts'

/** A server with an authorization server, over a database of its own; nobody is signed in. */
export type OAuthWorld = AsyncDisposable & {
  world: World
  workspace: AWorkspace
  baseUrl: string
  /** That of the Agent API. */
  resource: string
  /** That of the tools. */
  mcp: string
  /** A browser in which the workspace's owner is signed in. */
  browser: () => Browser
}

export async function openOAuthWorld(options: OAuthServerOptions = {}): Promise<OAuthWorld> {
  const world = await openWorld()
  const { db } = world
  const workspace = await aWorkspace(db)
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const resource = agentResource(baseUrl)
  const mcp = resourceUrl(baseUrl, resources.mcp)
  const wired = wiredRoutes(db, baseUrl)
  const tools = { db, baseUrl, routes: wired.routes, authenticate: bearersOf(mcp) }
  const server = await openOAuthServer(
    db,
    { ...options, baseUrl, port },
    { ...wired, authenticate: bearersOf(resource), mounts: [withTools(tools)] },
  )
  const client = { address: '127.0.0.1', userAgent: null }
  const session = await openSession(db, workspace.caller.member.personId, client)
  return {
    world,
    workspace,
    baseUrl,
    resource,
    mcp,
    browser: () => new Browser(baseUrl, [['postrider', session]]),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

function bearersOf(resource: string) {
  return authenticateBy([agentKeys, accessTokens(resource)])
}

type Cookie = { value: string; path: string }

function cookieHeader(cookies: [string, Cookie][]): string {
  return cookies.map(([name, { value }]) => `${name}=${value}`).join('; ')
}

/** The hidden fields of a page of ours. */
function hiddenFields(page: string): [string, string][] {
  return [...page.matchAll(/<input type="hidden" name="(\w+)" value="([\w-]*)" \/>/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  )
}

/** A page without its line ends and indents. */
export async function textOf(answer: Response): Promise<string> {
  return (await answer.text()).replaceAll(/\s+/g, ' ')
}

type Sending = { method: string; body?: URLSearchParams; headers?: Record<string, string> }

/** As much of a browser as the flow needs: cookies by path, redirects one at a time, forms with their hidden fields. */
export class Browser {
  readonly #cookies = new Map<string, Cookie>()
  #hidden: [string, string][] = []
  readonly #baseUrl: string

  constructor(baseUrl: string, cookies: [string, string][] = []) {
    this.#baseUrl = baseUrl
    for (const [name, value] of cookies) this.#cookies.set(name, { value, path: '/' })
  }

  /** Takes a cookie for all paths, as a page of ours sets it. */
  keep(name: string, value: string): void {
    this.#cookies.set(name, { value, path: '/' })
  }

  /** The hidden fields of the page that it shows. */
  get hidden(): readonly [string, string][] {
    return this.#hidden
  }

  /** All that it keeps, as it would send it. */
  get cookie(): string {
    return cookieHeader([...this.#cookies])
  }

  async get(url: string | URL, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send(new URL(url, this.#baseUrl), { method: 'GET', headers })
  }

  async submit(
    url: string | URL,
    form: [string, string][],
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const body = new URLSearchParams([...this.#hidden, ...form])
    return this.#send(new URL(url, this.#baseUrl), {
      method: 'POST',
      body,
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
    })
  }

  /** Goes on until the address is not ours any more, or the answer is no redirect. */
  async follow(answer: Response): Promise<{ url: URL; answer: Response }> {
    let url = new URL(answer.url)
    for (let current = answer; ;) {
      const location = current.headers.get('location')
      if (location === null || current.status < 300 || current.status > 399) return { url, answer: current }
      url = new URL(location, url)
      if (url.origin !== new URL(this.#baseUrl).origin) return { url, answer: current }
      current = await this.get(url)
    }
  }

  async #send(url: URL, init: Sending): Promise<Response> {
    const sent = [...this.#cookies].filter(([, { path }]) => url.pathname.startsWith(path))
    const cookie = cookieHeader(sent)
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    for (const text of answer.headers.getSetCookie()) this.#keep(text)
    if (/html/.test(answer.headers.get('content-type') ?? ''))
      this.#hidden = hiddenFields(await answer.clone().text())
    return answer
  }

  #keep(text: string): void {
    const [pair = '', ...attributes] = text.split(/; */)
    const [name = '', value = ''] = pair.split('=')
    const path = attributes.find((one) => one.toLowerCase().startsWith('path='))?.slice(5) ?? '/'
    if (value === '') this.#cookies.delete(name)
    else this.#cookies.set(name, { value, path })
  }
}
