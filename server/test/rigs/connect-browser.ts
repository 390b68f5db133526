import fastify from 'fastify'
import type { ConnectTarget } from '../../src/accounts/connect/connect-account.ts'
import { makeLink } from '../../src/accounts/connect/connect-flow.ts'
import { mountConnect } from '../../src/accounts/connect/routes.ts'

type ConnectPages = Parameters<typeof mountConnect>[1]

/** A browser at the pages for connecting, which keeps cookies. */
export function aBrowser(parts: ConnectPages) {
  const app = fastify()
  for (const name of ['operationId'] as const) app.decorateRequest(name, '')
  mountConnect(app, parts)
  let cookies = ''
  const ownPage = { origin: new URL(parts.baseUrl).origin, 'sec-fetch-site': 'same-origin' }
  async function ask(
    method: 'GET' | 'POST',
    address: string,
    form?: Record<string, string> | [string, string][],
    sentFrom: Record<string, string> = ownPage,
  ) {
    const { pathname, search } = new URL(address, parts.baseUrl)
    const response = await app.inject({
      method,
      url: pathname + search,
      headers: {
        cookie: cookies,
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded', ...sentFrom }),
      },
      ...(form === undefined ? {} : { payload: new URLSearchParams(form).toString() }),
    })
    const set = response.headers['set-cookie']
    if (typeof set === 'string') cookies = set.split(';')[0] ?? ''
    return response
  }
  return {
    get: (address: string) => ask('GET', address),
    /** A form that is sent from a page of ours, unless `sentFrom` says otherwise. */
    post: (address: string, form: Record<string, string>, sentFrom?: Record<string, string>) =>
      ask('POST', address, form, sentFrom),
    /** The same with several fields of one name. */
    postAll: (address: string, form: [string, string][]) => ask('POST', address, form),
    /** Has the cookies of another browser from now on. */
    takeCookies: (other: { readonly cookies: () => string }) => void (cookies = other.cookies()),
    cookies: () => cookies,
    forgetCookies: () => void (cookies = ''),
    cookieValue: () => cookies.replace(/^[^=]*=/, ''),
    /** What the server gave it, with another value under the same name. */
    changeCookies: (change: (value: string) => string) =>
      void (cookies = cookies.replace(/(?<==).*/, change)),
  }
}

/**
 * Connects an account by OAuth as a person does in a browser: from the link to the network, where `consent` says with which
 * query it sends the browser back. Gives the last page.
 */
export async function connectInBrowser(
  parts: ConnectPages,
  provider: string,
  target: ConnectTarget,
  consent: (address: URL) => URLSearchParams,
  fields: Readonly<Record<string, string>> = {},
) {
  const browser = aBrowser(parts)
  const { url } = await makeLink(parts, target, provider, parts.baseUrl)
  const link = new URL(url).searchParams.get('link') ?? ''
  const away = await browser.post(`/connect/${provider}`, { link, ...fields })
  if (away.statusCode !== 303) return away
  const back = consent(new URL(String(away.headers['location'])))
  return browser.get(`/connect/${provider}/callback?${back.toString()}`)
}
