import type { FastifyInstance } from 'fastify'
import { isLoopback, LOOPBACK } from '../../../platform/outbound/loopback.ts'

/**
 * Sends browsers that open something under another name of this machine to the same under ours, since their cookies are
 * kept there. Programs, which do not ask for HTML, are answered under every name.
 */
export function keepOneName(app: FastifyInstance, baseUrl: string): void {
  if (!isLoopback(baseUrl)) return
  const { origin, hostname } = new URL(baseUrl)
  const others = LOOPBACK.filter((name) => name !== hostname)
  app.addHook('onRequest', (request, reply, done) => {
    const { method, url = '', headers } = request.raw
    const asked = headers.host?.replace(/:\d+$/, '')
    const opens = (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '')
    // Put together, and not resolved: `//elsewhere/` is a path here.
    if (opens && url.startsWith('/') && others.some((name) => name === asked))
      reply.redirect(`${origin}${url}`, 307)
    else done()
  })
}
