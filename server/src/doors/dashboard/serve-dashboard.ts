import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { browserOf } from '../../people/sign-in/session/browser.ts'
import { siteOf } from '../../platform/outbound/site.ts'

/** First segments of the dashboard's own addresses; each of them answers with the one page, which finds its screen. */
const SCREENS = ['', 'w'] as const

export const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** Everything from our own host, nothing inline. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** What to tell an operator who starts a server without the dashboard; null when it is there. */
export function missingDashboard(folder: string): string | null {
  return existsSync(join(folder, 'index.html'))
    ? null
    : 'The dashboard has not been built, so that there are no pages at /. Run `npm run build`; the server need not be restarted.'
}

type Asset = { type: string; plain: Buffer; brotli: Buffer | null }

/**
 * Serves the built dashboard: the page for each of its addresses, and its files. They are read once, with the first
 * request. Names of files carry a hash of their content, so that they never change and are kept by browsers.
 */
export function serveDashboard(
  app: FastifyInstance,
  { baseUrl, folder }: { baseUrl: string; folder: string },
): void {
  let read: ReadonlyMap<string, Asset> = new Map()
  const files = async () => (read.size > 0 ? read : (read = await readFiles(folder)))
  const site = siteOf(baseUrl)

  for (const screen of SCREENS) {
    const paths = screen === '' ? ['/'] : [`/${screen}`, `/${screen}/*`]
    for (const path of paths) app.get(path, sendPage)
  }
  app.get('/assets/*', sendFile)
  app.get('/icon.svg', sendFile)
  // Browsers ask for it on every page that names no icon.
  app.get('/favicon.ico', (request, reply) => sendNamed(request, reply, 'icon.svg'))

  async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.operationId = 'dashboard'
    // A visitor without a session is not sent through the whole script first. Whether it is still good, the API says.
    if (browserOf(request, reply, site).session === null)
      return reply.redirect(`/sign-in?next=${encodeURIComponent(request.raw.url ?? '/')}`, 303)
    const page = (await files()).get('index.html')
    reply.header('content-security-policy', POLICY).header('cache-control', 'no-cache')
    reply.header('referrer-policy', 'same-origin').header('x-content-type-options', 'nosniff')
    reply.type('text/html; charset=utf-8')
    if (page === undefined) return reply.code(503).send(NOT_BUILT)
    return reply.send(page.plain)
  }

  async function sendFile(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
    return sendNamed(request, reply, new URL(request.url, 'http://host').pathname.slice(1))
  }

  async function sendNamed(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
  ): Promise<FastifyReply | void> {
    request.operationId = 'dashboard'
    const file = (await files()).get(name)
    if (file === undefined) return reply.callNotFound()
    const isLasting = name.startsWith('assets/')
    reply.header('cache-control', isLasting ? 'public, max-age=31536000, immutable' : 'public, max-age=3600')
    return sendAsset(request, reply, file)
  }
}

export function sendAsset(request: FastifyRequest, reply: FastifyReply, file: Asset): FastifyReply {
  reply.header('vary', 'accept-encoding').header('x-content-type-options', 'nosniff').type(file.type)
  const accepts = /\bbr\b/.test(request.headers['accept-encoding'] ?? '')
  if (!accepts || file.brotli === null) return reply.send(file.plain)
  return reply.header('content-encoding', 'br').send(file.brotli)
}

const NOT_BUILT =
  '<!doctype html><title>Postrider</title><p>The dashboard has not been built. Run <code>npm run build</code>, then reload this page.</p>'

async function readFiles(folder: string): Promise<ReadonlyMap<string, Asset>> {
  if (!existsSync(join(folder, 'index.html'))) return new Map()
  const names = (await readdir(folder, { recursive: true })).map((name) => name.split(sep).join('/'))
  const assets = await Promise.all(
    names.map(async (name): Promise<[string, Asset][]> => {
      const type = TYPES[extname(name)]
      if (type === undefined) return []
      const brotli = names.includes(`${name}.br`) ? readFileSync(join(folder, `${name}.br`)) : null
      return [[name, { type, plain: await readFile(join(folder, name)), brotli }]]
    }),
  )
  return new Map(assets.flat())
}
