import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { POLICY, sendAsset, TYPES } from './serve-dashboard.ts'

const NOT_BUILT =
  '<!doctype html><title>Postrider</title><p>The documents have not been built. Run <code>npm run build</code>, then reload this page.</p>'

/** Examples are shown as they are written. */
const SOURCES: Readonly<Record<string, string>> = { '.json': 'application/json; charset=utf-8' }
const TEXT = 'text/plain; charset=utf-8'
const PICTURES: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg' }

/**
 * Serves the documents of this very release at /docs, to whoever asks: they hold nothing that is not in the repository. Files are read when they
 * are asked for, so that an idle server holds none of them.
 */
export function serveDocs(app: FastifyInstance, { folder }: { folder: string }): void {
  let names: ReadonlySet<string> = new Set()
  const known = async () => (names.size > 0 ? names : (names = await namesIn(folder)))

  app.get('/docs', async (request, reply) => {
    request.operationId = 'docs'
    return reply.redirect('/docs/', 308)
  })
  app.get('/docs/*', sendFile)

  async function sendFile(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
    request.operationId = 'docs'
    const all = await known()
    const path = decodeURI(new URL(request.url, 'http://host').pathname).slice('/docs/'.length)
    const name = path === '' || path.endsWith('/') ? `${path}index.html` : path
    const extension = extname(name)
    reply.header('content-security-policy', POLICY).header('referrer-policy', 'same-origin')
    reply.header('cache-control', 'public, max-age=300')
    if (all.size === 0) return reply.code(503).type('text/html; charset=utf-8').send(NOT_BUILT)
    if (!all.has(name)) return reply.callNotFound()
    const brotli = all.has(`${name}.br`) ? await readFile(join(folder, `${name}.br`)) : null
    const type = TYPES[extension] ?? PICTURES[extension] ?? SOURCES[extension] ?? TEXT
    return sendAsset(request, reply, { type, plain: await readFile(join(folder, name)), brotli })
  }
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  if (!existsSync(join(folder, 'index.html'))) return new Set()
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  return new Set(
    names
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .split(sep)
          .join('/'),
      ),
  )
}
